"""Image files, with a user's mistakes told in one line."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from robohockey_core.checked import InputError

Image = NDArray[np.uint8]


def read_image(path: Path) -> Image:
    """Read an image, bgr. Raises InputError."""
    if not path.is_file():
        raise InputError(f"{path}: there is no such file")
    image = cv2.imread(str(path), cv2.IMREAD_COLOR)
    if image is None or not image.size:
        raise InputError(f"{path}: is no image that can be read")
    return np.asarray(image, dtype=np.uint8)


def write_image(path: Path, image: Image) -> None:
    """Write an image; its ending says how. Raises InputError."""
    try:
        good = cv2.imwrite(str(path), image)
    except cv2.error:
        good = False
    if not good:
        raise InputError(f"{path}: cannot be written; is the folder there, and the ending one of images, such as .png?")
