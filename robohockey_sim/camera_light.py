"""What light, lens and sensor do to a simulated image: brightness, unevenness, blur and noise.

Gains and noise are made once, so that a frame costs three passes of OpenCV.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from robohockey_core.checked import limited
from robohockey_sim.noise import stream

Image = NDArray[np.uint8]

# One byte holds a gain of 0 to 2 in steps of 1/128, and a noise of -128 to 127.
_GAIN_ONE, _NOISE_ZERO = 128, 128
# The same noise image is laid over each frame at another place.
_NOISE_ROOM_PX = 61


@dataclass(frozen=True)
class LightSettings:
    light: float = limited(1.0, "brightness, 1 for a well exposed image", above=0.0, high=2.0)
    uneven: float = limited(0.1, "how much brighter and darker the two ends of the image are", low=0.0, high=0.9)
    uneven_rad: float = limited(0.6, "direction in the image of the brighter end", low=-7.0, high=7.0)
    blur_px: float = limited(0.6, "standard deviation of the blur", low=0.0, high=10.0)
    noise: float = limited(3.0, "standard deviation of a pixel's value, of 255", low=0.0, high=60.0)


class Light:
    """Applies light, blur and noise to images of one size."""

    def __init__(self, settings: LightSettings, width_px: int, height_px: int, seed: int) -> None:
        self._blur_px = settings.blur_px
        self._gain = _gain(settings, width_px, height_px)
        chance = stream(seed, "camera noise")
        room = (height_px + _NOISE_ROOM_PX, width_px + _NOISE_ROOM_PX, 3)
        noise = chance.standard_normal(room, dtype=np.float32) * settings.noise + _NOISE_ZERO
        self._noise = np.clip(np.rint(noise), 0, 255).astype(np.uint8) if settings.noise else None
        self._place = stream(seed, "camera noise place")
        self._size = (height_px, width_px)

    def apply(self, image: Image) -> Image:
        """Return the image as the sensor gives it; the array given is used for it."""
        if self._blur_px:
            cv2.GaussianBlur(image, (0, 0), self._blur_px, dst=image)
        cv2.multiply(image, self._gain, dst=image, scale=1.0 / _GAIN_ONE)
        if self._noise is not None:
            row, column = self._place.integers(0, _NOISE_ROOM_PX, 2).tolist()
            noise = self._noise[row : row + self._size[0], column : column + self._size[1]]
            cv2.addWeighted(image, 1.0, noise, 1.0, -_NOISE_ZERO, dst=image)
        return image


def _gain(settings: LightSettings, width_px: int, height_px: int) -> Image:
    """Brightness over the image, in units of 1/128, for each of three channels."""
    x = (np.arange(width_px) - width_px / 2.0) / (width_px / 2.0)
    y = (np.arange(height_px) - height_px / 2.0) / (width_px / 2.0)
    along = x[np.newaxis, :] * math.cos(settings.uneven_rad) + y[:, np.newaxis] * math.sin(settings.uneven_rad)
    gain = settings.light * (1.0 + settings.uneven * along)
    levels = np.clip(np.rint(gain * _GAIN_ONE), 0, 255).astype(np.uint8)
    return np.ascontiguousarray(np.repeat(levels[:, :, np.newaxis], 3, axis=2))
