"""The page of a recording, without a browser: what stands still on the time line still lives on the page."""

from __future__ import annotations

import contextlib

import pytest
from recorded import Tape

from robohockey_viz.access import Access
from robohockey_viz.page import quiet_server
from robohockey_viz.ports import free_port
from robohockey_viz.recording import Values, read_recording
from robohockey_viz.replay_page import ReplayPage, call_labels
from robohockey_viz.scene import LAMP_S

HOST = "127.0.0.1"


@pytest.fixture
def page(tmp_path):
    tape = Tape(tmp_path / "bag")
    for i in range(500):
        time_s = 0.02 * i
        tape.bodies(time_s, "/world_state", blue_0=(-0.4, 0.0, 0.0), puck=(0.0, 0.0, 0.0))
        tape.bodies(time_s, "/blue/targets", blue_0=(0.3, 0.2, 0.0))
        if i % 10 == 0:
            score = "n/a" if i == 400 else str(int(time_s >= 5.0))
            tape.key_values(time_s, "/match/state", "match", score_blue=score, score_red="0", phase="play")
    server = quiet_server(HOST, free_port(HOST, 18700), "test")
    try:
        yield ReplayPage(server, read_recording(tape.close()), Access())
    finally:
        with contextlib.redirect_stdout(None):
            server.stop()


def play(page, from_s, to_s):
    for tick in range(int(from_s * 30), int(to_s * 30)):
        page.draw(tick / 30.0)


def lit(page):
    return [team for team, (on, _) in page._page.scene._lamps.items() if on.visible]


def test_overlays_can_be_chosen_while_it_stands_still(page):
    play(page, 0.0, 1.0)
    page.playback.pause()
    play(page, 1.0, 1.5)
    plans = page._overlays._plans._handle
    assert not plans.visible
    page._show._set("targets", True)
    play(page, 1.5, 1.6)
    assert plans.visible and abs(plans.points[0, 1, 0] - 0.3) < 1e-6
    page._show._set("targets", False)
    play(page, 1.6, 1.7)
    assert not plans.visible


def test_the_lamp_lights_on_a_goal_and_goes_out_also_in_a_pause(page):
    play(page, 0.0, 4.8)
    assert lit(page) == []
    play(page, 4.8, 5.3)
    assert lit(page) == ["red"]
    page.playback.pause()
    play(page, 5.3, 5.5 + LAMP_S)
    assert lit(page) == []


def test_a_jump_over_a_goal_lights_no_lamp(page):
    play(page, 0.0, 1.0)
    page.playback.seek(6.0)
    play(page, 1.0, 1.5)
    assert lit(page) == []
    page.playback.seek(1.0)
    play(page, 1.5, 1.6)
    page.playback.step(250)
    play(page, 1.6, 1.7)
    assert lit(page) == ["red"], "frame by frame is no jump"


def test_a_score_that_is_nonsense_does_not_end_it(page):
    play(page, 0.0, 9.9)
    assert page._lit["blue"] == 1


def test_calls_of_one_moment_are_told_apart():
    calls = [
        Values(time_s, {"rule": rule}) for time_s, rule in ((3.51, "goal"), (3.52, "goal"), (3.53, "goal"), (3.5, "offside"))
    ]
    labels = call_labels(calls)
    assert list(labels.values()) == [3.51, 3.52, 3.53, 3.5]
    assert [label.strip() for label in labels] == ["3.5 s  goal", "3.5 s  goal (2)", "3.5 s  goal (3)", "3.5 s  offside"]
