"""What a gamepad and a keyboard send, as orders of a hand."""

from __future__ import annotations

import os

import pytest

from robohockey_hw.gamepad import (
    AXIS,
    DROPPED,
    EAST,
    EVENT,
    KEY,
    LEFT_SHOULDER,
    LEFT_X,
    LEFT_Y,
    REPORT,
    RIGHT_X,
    SOUTH,
    SYNC,
    Event,
    Gamepad,
    axis_range,
    events_of,
    find_gamepad,
)
from robohockey_hw.keys import Stroke, strokes_of


def raw(*events):
    return b"".join(EVENT.pack(1, 2, *event) for event in events)


def test_events_are_24_bytes_on_a_64_bit_machine_and_a_rest_is_left_out():
    assert EVENT.size == 24
    data = raw((KEY, SOUTH, 1), (AXIS, LEFT_Y, -32768))
    assert list(events_of(data + b"rest")) == [Event(KEY, SOUTH, 1), Event(AXIS, LEFT_Y, -32768)]


def test_sticks_point_forward_left_and_turn_left():
    pad = Gamepad()
    pad.take([Event(AXIS, LEFT_Y, -32768), Event(AXIS, LEFT_X, -32768), Event(AXIS, RIGHT_X, 32767)])
    assert pad.stick == pytest.approx((1.0, 1.0, -1.0))


def test_ranges_of_the_device_count_and_the_middle_is_rest():
    pad = Gamepad({LEFT_Y: (0, 255), LEFT_X: (0, 255), RIGHT_X: (0, 255)})
    pad.take([Event(AXIS, LEFT_Y, 0), Event(AXIS, LEFT_X, 131), Event(AXIS, RIGHT_X, 255)])
    assert pad.stick == pytest.approx((1.0, 0.0, -1.0))


def test_the_shoulder_is_the_deadman_and_a_kick_is_told_once():
    pad = Gamepad()
    assert not pad.held
    pad.take([Event(KEY, LEFT_SHOULDER, 1), Event(KEY, SOUTH, 1), Event(KEY, SOUTH, 0), Event(KEY, EAST, 1)])
    assert pad.held and pad.dribbles and pad.kicked() and not pad.kicked()
    pad.let_go()
    assert not pad.held and not pad.dribbles and pad.stick == (0.0, 0.0, 0.0)


def test_lost_events_let_go_until_the_shoulder_is_pressed_anew():
    pad = Gamepad()
    pad.take([Event(KEY, LEFT_SHOULDER, 1), Event(AXIS, LEFT_Y, -32768), Event(SYNC, REPORT, 0)])
    assert pad.held and pad.stick[0] == pytest.approx(1.0)
    pad.take([Event(SYNC, DROPPED, 0), Event(AXIS, LEFT_Y, -32768), Event(KEY, LEFT_SHOULDER, 1)])
    assert not pad.held and pad.stick == (0.0, 0.0, 0.0), "what comes before the next report is of the lost time"
    pad.take([Event(SYNC, REPORT, 0), Event(AXIS, LEFT_Y, -32768)])
    assert not pad.held
    pad.take([Event(KEY, LEFT_SHOULDER, 1)])
    assert pad.held


def test_a_device_that_cannot_tell_its_range_has_the_usual_one(tmp_path):
    path = tmp_path / "plain"
    path.write_bytes(b"")
    device = os.open(path, os.O_RDONLY)
    assert axis_range(device, LEFT_X) == (-32768, 32767)
    os.close(device)


def test_the_first_joystick_is_found(tmp_path):
    assert find_gamepad(tmp_path) is None
    for name in ("usb-b-event-joystick", "usb-a-event-joystick", "usb-0-event-kbd"):
        (tmp_path / name).touch()
    assert find_gamepad(tmp_path).name == "usb-a-event-joystick"


def test_keys_and_arrows_mean_the_same():
    assert list(strokes_of("w\x1b[A")) == [Stroke(forward=1.0)] * 2
    assert list(strokes_of("D\x1b[C")) == [Stroke(turn=-1.0)] * 2
    assert list(strokes_of("?\x1b[Z \x1b")) == [Stroke(kick=True)]
