"""Images as cameras send them, turned to bgr."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]

_TO_BGR = {
    "rgb8": cv2.COLOR_RGB2BGR,
    "bayer_rggb8": cv2.COLOR_BayerRGGB2BGR,
    "bayer_bggr8": cv2.COLOR_BayerBGGR2BGR,
    "bayer_gbrg8": cv2.COLOR_BayerGBRG2BGR,
    "bayer_grbg8": cv2.COLOR_BayerGRBG2BGR,
}


def as_bgr(image: Image, encoding: str) -> Image:
    """The image in bgr; the same array when it is already. Raises ValueError on an encoding that is not known."""
    if encoding == "bgr8":
        return image
    if encoding == "mono8":
        raise ValueError("encoding 'mono8' has no colours, and colours are what is looked for")
    if encoding not in _TO_BGR:
        raise ValueError(f"encoding {encoding!r} is not one of bgr8, {', '.join(_TO_BGR)}")
    converted: Image = cv2.cvtColor(image, _TO_BGR[encoding])
    return converted
