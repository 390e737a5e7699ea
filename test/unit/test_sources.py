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
    source = SteadySource(str(tmp_path), retry_s=100.0, loop=False)
    frames = drained(source, 12)
    assert [int(frame[0, 0, 0]) for frame in frames] == [40, 80, 120]
    assert sum("2b.png" in news for news in source.news) == 1
    assert any("have ended" in news for news in source.news)


def test_a_folder_that_starts_again(tmp_path):
    write_image(tmp_path / "a.png", picture(50))
    assert len(drained(SteadySource(str(tmp_path), retry_s=100.0, loop=True), 10)) == 5


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
    frames = drained(SteadySource(str(path), retry_s=100.0, loop=False), 6)
    assert [round(float(frame.mean()), -1) for frame in frames] == [30, 90, 150]


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
