"""Where frames come from: folders, videos, cameras that are not there, and frames that are none."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from robohockey_vision.encodings import as_bgr
from robohockey_vision.images import write_image
from robohockey_vision.sources import SourceError, SteadySource, open_source


def picture(value, width_px=64):
    return np.full((48, width_px, 3), value, np.uint8)


def drained(source, seconds):
    """What comes within some tries, one a second."""
    return [frame for now_s in range(seconds) if (frame := source.next(float(now_s))) is not None]


def test_a_folder_in_the_order_of_names_with_a_broken_image_left_out(tmp_path):
    for number in (2, 1, 3):
        write_image(tmp_path / f"{number}.png", picture(40 * number))
    (tmp_path / "2b.png").write_bytes(b"no image")
    (tmp_path / "0.png").write_bytes(b"")
    (tmp_path / "notes.txt").write_text("no image either")
    source = SteadySource(str(tmp_path), retry_s=0.5, loop=False)
    frames = drained(source, 12)
    assert [int(frame[0, 0, 0]) for frame in frames] == [40, 80, 120]
    assert sum("2b.png" in news for news in source.news) == 1
    assert sum("have ended" in news for news in source.news) == 1
    assert source.failures == 2, "the end is none"


def test_a_folder_that_starts_again(tmp_path):
    for value in (50, 90):
        write_image(tmp_path / f"{value}.png", picture(value))
    source = SteadySource(str(tmp_path), retry_s=100.0, loop=True)
    assert [int(frame[0, 0, 0]) for frame in drained(source, 5)] == [50, 90, 50, 90, 50]
    assert source.news == []
    assert source.failures == 0


def test_frames_of_another_size_pass_as_they_are(tmp_path):
    write_image(tmp_path / "a.png", picture(50))
    write_image(tmp_path / "b.png", picture(50, 32))
    widths = [frame.shape[1] for frame in drained(SteadySource(str(tmp_path), 100.0, False), 4)]
    assert widths == [64, 32]


def test_a_video_file(tmp_path):
    path = tmp_path / "match.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter_fourcc(*"MJPG"), 30.0, (64, 48))
    assert writer.isOpened()
    for value in (30, 90, 150):
        writer.write(picture(value))
    writer.release()
    frames = drained(SteadySource(str(path), retry_s=0.5, loop=False), 6)
    assert [round(float(frame.mean()), -1) for frame in frames] == [30, 90, 150]
    assert len(drained(SteadySource(str(path), retry_s=100.0, loop=True), 7)) == 7


class Device:
    """A V4L2 device as OpenCV shows it, unplugged after some frames."""

    def __init__(self, frames):
        self._frames = frames
        self.done = []

    def isOpened(self):  # noqa: N802 (as OpenCV calls it)
        return self._frames is not None

    def set(self, *_setting):
        return True

    def grab(self):
        self._frames -= 1
        self.done.append("grab")
        return self._frames >= 0

    def retrieve(self):
        self.done.append("retrieve")
        return True, picture(70)

    def release(self):
        self.done.append("release")


def test_a_device_unplugged_in_mid_stream_and_plugged_in_again(monkeypatch):
    devices = [Device(2), Device(None), Device(3)]
    left = list(devices)
    monkeypatch.setattr(cv2, "VideoCapture", lambda *_: left.pop(0))
    source = SteadySource("/dev/video0", retry_s=1.0, loop=False)
    came = [source.next(now_s) is not None for now_s in (0.0, 0.1, 0.2, 0.3, 1.3, 1.4, 2.4, 2.5)]
    assert came == [True, True, False, False, False, False, True, True]
    said = [news.partition(": ")[2] for news in source.news]
    assert said == [
        "no frame; is it unplugged? (said once; trying again)",
        "cannot be opened as a camera (said once; trying again)",
        "frames come again",
    ]
    assert devices[0].done[-1] == "release"


def test_a_frame_is_stamped_when_it_is_taken_and_not_when_it_is_decoded(monkeypatch):
    device = Device(1)
    monkeypatch.setattr(cv2, "VideoCapture", lambda *_: device)
    SteadySource("0", retry_s=1.0, loop=False).next(0.0, lambda: device.done.append("stamp"))
    assert device.done == ["grab", "stamp", "retrieve"]


@pytest.mark.parametrize("name", ["/dev/video97", "97", "nothing.mp4"])
def test_no_camera_is_said_once_and_tried_again(name, tmp_path):
    source = SteadySource(name, retry_s=2.0, loop=False)
    assert drained(source, 10) == []
    assert len(source.news) == 1
    assert name in source.news[0]
    assert source.failures == 5


def test_a_camera_that_comes_back(tmp_path):
    folder = tmp_path / "camera"
    source = SteadySource(str(folder), retry_s=1.0, loop=False)
    assert source.next(0.0) is None
    folder.mkdir()
    write_image(folder / "a.png", picture(50))
    assert source.next(0.5) is None, "it is not yet time to try again"
    assert source.next(1.0) is not None
    assert source.news[-1].endswith("frames come again")
    # Unplugged: nothing is passed on twice.
    assert source.next(1.1) is None
    assert source.next(1.2) is None


def test_an_empty_folder_and_a_file_that_is_no_video(tmp_path):
    with pytest.raises(SourceError, match="no images in this folder"):
        open_source(str(tmp_path))
    (tmp_path / "x.mp4").write_bytes(b"no video")
    with pytest.raises(SourceError, match="cannot be opened as a video"):
        open_source(str(tmp_path / "x.mp4"))


@pytest.mark.parametrize(
    ("encoding", "cell"), [("bayer_rggb8", "rggb"), ("bayer_bggr8", "bggr"), ("bayer_gbrg8", "gbrg"), ("bayer_grbg8", "grbg")]
)
def test_bayer_patterns_give_their_colours(encoding, cell):
    values = {"r": 200, "g": 100, "b": 20}
    raw = np.tile(np.array([[values[cell[0]], values[cell[1]]], [values[cell[2]], values[cell[3]]]], np.uint8), (8, 8))
    assert tuple(as_bgr(raw, encoding)[8, 8]) == (20, 100, 200)


def test_other_encodings():
    image = np.random.default_rng(1).integers(0, 256, (4, 5, 3), dtype=np.uint8)
    assert as_bgr(image, "bgr8") is image
    np.testing.assert_array_equal(as_bgr(image, "rgb8"), image[:, :, ::-1])
    with pytest.raises(ValueError, match="is not one of"):
        as_bgr(image, "yuv422")
    with pytest.raises(ValueError, match="has no colours"):
        as_bgr(image[:, :, 0], "mono8")
