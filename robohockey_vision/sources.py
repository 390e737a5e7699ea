"""Where frames come from: V4L2 devices, video files and folders of images, through OpenCV. Time is an argument.

A source that is not there or gives no frame is said once and tried again; nothing is handed out twice. A video or folder that
has ended is done, or goes on from its beginning when it should loop.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]

IMAGE_ENDINGS = (".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff", ".webp")


class SourceError(Exception):
    """Why there is no frame, in one line."""


class EndOfSourceError(SourceError):
    """All frames were handed out."""


class CorruptFrameError(SourceError):
    """One frame is bad; the next one may be good."""


def _nothing() -> None:
    pass


class FrameSource(Protocol):
    live: bool
    """Whether frames come at a pace of their own, and must be read as fast as they come."""

    def read(self, taken: Callable[[], None] = _nothing) -> Image:
        """The next frame, bgr; `taken` is called at its moment, before it is decoded. Raises SourceError."""
        ...

    def close(self) -> None: ...


class CaptureSource:
    """A device or a video file."""

    def __init__(self, source: str, width_px: int = 0, height_px: int = 0, rate_hz: float = 0.0) -> None:
        self._name, self._frames = source, 0
        is_device = source.isdigit() or source.startswith("/dev/")
        if not is_device and not Path(source).is_file():
            raise SourceError(f"{source}: there is no such device, video file or image folder")
        self.live = is_device
        wanted: int | str = int(source) if source.isdigit() else source
        self._capture = cv2.VideoCapture(wanted, cv2.CAP_V4L2 if is_device else cv2.CAP_ANY)
        if not self._capture.isOpened():
            raise SourceError(f"{source}: cannot be opened as a {'camera' if is_device else 'video'}")
        if is_device:
            # One frame in the queue: an old one would be passed on as fresh.
            self._capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
            if rate_hz:
                self._capture.set(cv2.CAP_PROP_FPS, rate_hz)
        if width_px and height_px:
            self._capture.set(cv2.CAP_PROP_FRAME_WIDTH, width_px)
            self._capture.set(cv2.CAP_PROP_FRAME_HEIGHT, height_px)

    def read(self, taken: Callable[[], None] = _nothing) -> Image:
        good = self._capture.grab()
        taken()
        frame = self._capture.retrieve()[1] if good else None
        if frame is not None and frame.size:
            self._frames += 1
            return np.asarray(frame, dtype=np.uint8)
        if self.live:
            raise SourceError(f"{self._name}: no frame; is it unplugged?")
        if not self._frames:
            raise SourceError(f"{self._name}: no frame of this video can be read")
        raise EndOfSourceError(f"{self._name}: the video has ended")

    def close(self) -> None:
        self._capture.release()


class FolderSource:
    """The images of a folder, in the order of their names."""

    live = False

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files = sorted(path for path in folder.iterdir() if path.suffix.lower() in IMAGE_ENDINGS)
        if not self._files:
            raise SourceError(f"{folder}: no images in this folder")
        self._next = 0

    def read(self, taken: Callable[[], None] = _nothing) -> Image:
        if self._next >= len(self._files):
            raise EndOfSourceError(f"{self._folder}: the images have ended")
        taken()
        path = self._files[self._next]
        self._next += 1
        frame = cv2.imread(str(path), cv2.IMREAD_COLOR)
        if frame is None or not frame.size:
            raise CorruptFrameError(f"{path}: is no image that can be read")
        return np.asarray(frame, dtype=np.uint8)

    def close(self) -> None:
        pass


def open_source(source: str, width_px: int = 0, height_px: int = 0, rate_hz: float = 0.0) -> FrameSource:
    """Open a device (`0`, `/dev/video0`), a video file or a folder of images. Raises SourceError."""
    path = Path(source)
    if path.is_dir():
        return FolderSource(path)
    return CaptureSource(source, width_px, height_px, rate_hz)


class SteadySource:
    """A source that is opened again whenever it is lost. One that ended stays so, or with `loop` goes on from its beginning."""

    def __init__(
        self, source: str, retry_s: float, loop: bool, width_px: int = 0, height_px: int = 0, rate_hz: float = 0.0
    ) -> None:
        self._source, self._retry_s, self._loop = source, retry_s, loop
        self._wanted = (width_px, height_px, rate_hz)
        self._open: FrameSource | None = None
        self._try_again_s = -np.inf
        self._said: set[str] = set()
        self.news: list[str] = []
        """What a user should be told, each once: take it and clear it."""
        self.frames = self.failures = 0

    @property
    def live(self) -> bool:
        """Whether frames come at a pace of their own."""
        return self._open is not None and self._open.live

    def next(self, now_s: float, taken: Callable[[], None] = _nothing) -> Image | None:
        """The next frame, or None when there is none now; `taken` is called at the moment when it is taken."""
        if self._open is None and now_s < self._try_again_s:
            return None
        try:
            frame = self._read(taken)
        except CorruptFrameError as error:
            self._fail(error)
            return None
        except SourceError as error:
            self.close()
            if isinstance(error, EndOfSourceError) and not self._loop:
                self._try_again_s = np.inf
                self.news.append(str(error))
            else:
                self._try_again_s = now_s + self._retry_s
                self._fail(error)
            return None
        if self._said:
            self.news.append(f"{self._source}: frames come again")
            self._said.clear()
        self.frames += 1
        return frame

    def close(self) -> None:
        if self._open is not None:
            self._open.close()
            self._open = None

    def _read(self, taken: Callable[[], None]) -> Image:
        if self._open is None:
            self._open = open_source(self._source, *self._wanted)
        try:
            return self._open.read(taken)
        except EndOfSourceError:
            if not self._loop:
                raise
            self.close()
            self._open = open_source(self._source, *self._wanted)
            return self._open.read(taken)

    def _fail(self, error: SourceError) -> None:
        self.failures += 1
        if str(error) not in self._said:
            self._said.add(str(error))
            self.news.append(f"{error} (said once; trying again)")
