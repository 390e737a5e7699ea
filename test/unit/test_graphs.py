"""The graphs of a live match: what they show is what was heard, and what was not heard is no zero."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest

from robohockey_core.league import load_league
from robohockey_core.names import RobotId
from robohockey_core.state import BodyState, Pose2D, Twist2D, WorldState
from robohockey_viz.access import Access
from robohockey_viz.charts import LATENCY_COLORS
from robohockey_viz.graphs import ERROR_TITLE, maps_html
from robohockey_viz.live_page import LivePage
from robohockey_viz.page import quiet_server
from robohockey_viz.ports import free_port

HOST = "127.0.0.1"
LEAGUE = load_league("micro_hockey")
BLUE_0 = RobotId("blue", 0)


class NoWishes:
    def __getattr__(self, name):
        return lambda *_values, **_named: None


@pytest.fixture
def page():
    server = quiet_server(HOST, free_port(HOST, 18700), "test")
    try:
        yield LivePage(server, LEAGUE, NoWishes(), Access())
    finally:
        with contextlib.redirect_stdout(None):
            server.stop()


def world(stamp_s, x_m):
    return WorldState(stamp_s, {BLUE_0: BodyState(Pose2D(x_m, 0.0), Twist2D(0.5, 0.0, 0.0))}, None)


def play(page, seconds, truth_off_m=None):
    """A match at 50 Hz, drawn at 33 Hz, of which every truth is heard before the world of its moment."""
    read = []
    for tick in range(int(seconds * 100)):
        if tick % 2 == 0:
            stamp_s = 0.01 * tick
            if truth_off_m is not None:
                page.note_truth(stamp_s, lambda s=stamp_s: read.append(s) or world(s, 0.1 * s - truth_off_m))
            page.note_world(world(stamp_s, 0.1 * stamp_s))
        if tick % 3 == 0:
            page.draw(1000.0 + 0.01 * tick)
    page._graphs.update(page.statistics)
    return read


def test_every_row_has_its_tracking_error_and_few_truths_are_read(page):
    read = play(page, 10.0, truth_off_m=0.003)
    times, errors = page._graphs._error.data
    assert len(times) > 40 and np.diff(times).max() < 0.3
    assert errors == pytest.approx(3.0, abs=1e-6) and page._graphs._error.title == ERROR_TITLE
    assert len(read) < 100, "a truth is read for a row only"


def test_without_a_truth_the_graph_is_empty_and_says_so(page):
    play(page, 5.0)
    assert not np.isfinite(page._graphs._error.data[1]).any()
    assert "no truth" in page._graphs._error.title
    assert len(page._graphs._puck.data[0]) > 20


def test_truths_that_were_lost_leave_no_zeros(page):
    play(page, 4.0, truth_off_m=0.003)
    for tick in range(200):
        page.note_world(world(4.0 + 0.02 * tick, 0.0))
        page.draw(2000.0 + 0.02 * tick)
    page._graphs.update(page.statistics)
    times, errors = page._graphs._error.data
    assert errors.min() > 2.9 and times[-1] < 4.1


def test_latencies_of_all_nodes_are_on_one_line_of_time(page):
    page.note_world(world(0.0, 0.0))
    for i in range(20):
        page._seen_s = 0.25 * i
        page.note_latency("tracker", 0.002)
        page.note_latency("blue_motion", 0.004 + 0.001 * i)
        page.note_latency("red_strategy", None)
    page._graphs.update(page.statistics)
    shown = dict(zip(("time", *LATENCY_COLORS), page._graphs._delay.data, strict=True))
    assert shown["tracker"] == pytest.approx(2.0) and shown["blue_motion"][[0, -1]] == pytest.approx([4.0, 23.0])
    assert np.isnan(shown["red_strategy"]).all()


def test_the_pace_is_drawn_and_nonsense_is_not(page):
    for second, said in enumerate(("0.97", "n/a", "", "nan", "0.99")):
        page._seen_s = float(second)
        page.note_status("physics", {"real_time_factor": said})
    page._graphs.update(page.statistics)
    assert page._graphs._factor.data[1].tolist() == [0.97, 0.99]


def test_a_score_that_is_nonsense_does_not_end_the_page(page):
    page.note_state({"score_blue": "one", "score_red": "2", "phase": "play"})
    play(page, 0.5)
    assert page.statistics.score == {"blue": 0, "red": 2}


def test_maps_of_a_whole_match_are_small(page):
    rng = np.random.default_rng(1)
    for name, seen in page.statistics.seen.items():
        page.statistics.seen[name] = rng.uniform(0.1, 10.0, seen.shape)
    assert len(maps_html(page.statistics)) < 60_000
