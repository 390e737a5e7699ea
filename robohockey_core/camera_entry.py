"""The overhead cameras of a match, as its user describes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from robohockey_core.checked import InputError, build, limited


@dataclass(frozen=True)
class CameraEntry:
    """One overhead camera."""

    source: str = limited("", "device number or path, video file, image folder, or `topic`; empty: simulated")
    calibration: str = limited("", "file of the camera, as calibrate-overhead writes it")
    colors: str = limited("", "file of colour classes for this camera; empty: the match's")
    width_px: int = limited(0, "image width to ask for; 0: as it is", low=0, high=8192)
    height_px: int = limited(0, "image height to ask for; 0: as it is", low=0, high=8192)
    frame_rate_hz: float = limited(30.0, "frames a second", above=0.0, high=1000.0)

    @property
    def size(self) -> dict[str, int]:
        return {"width_px": self.width_px, "height_px": self.height_px}


def camera_entries(entries: Any, where: str) -> tuple[CameraEntry, ...]:
    """Read the list of a match file. Raises InputError."""
    if not isinstance(entries, (list, tuple)) or not all(isinstance(entry, Mapping) for entry in entries):
        raise InputError(f"{where} cameras = {entries!r}: must be a list such as [{{source: /dev/video0}}]")
    cameras = tuple(build(CameraEntry, entry, f"{where} cameras[{number}]") for number, entry in enumerate(entries))
    if len({bool(camera.source) for camera in cameras}) > 1:
        raise InputError(f"{where} cameras: some have a source and some have none; all are real or all are simulated")
    return cameras


def image_topic(number: int) -> str:
    """Where a camera's images are published: those of the first one where those of a single one are."""
    return f"overhead_{number}/image_raw" if number else "overhead/image_raw"
