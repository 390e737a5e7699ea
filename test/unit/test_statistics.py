"""Counting a match: possession, shots and goals, maps; the report and its pictures."""

from __future__ import annotations

import math
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from recorded import write

from robohockey_core.league import League
from robohockey_core.names import RobotId
from robohockey_core.state import BodyState, Pose2D, Twist2D, WorldState
from robohockey_viz import palette
from robohockey_viz.charts import heat_map, line_chart, shot_map
from robohockey_viz.recording import read_recording
from robohockey_viz.report import report_html
from robohockey_viz.statistics import MatchStatistics, Shot, tracking_error_m

BLUE_0, RED_0 = RobotId("blue", 0), RobotId("red", 0)


def world(time_s, puck, velocity=(0.0, 0.0), **robots):
    bodies = {RobotId(name.split("_")[0], int(name[-1])): BodyState(Pose2D(*place)) for name, place in robots.items()}
    return WorldState(time_s, bodies, BodyState(Pose2D(*puck), Twist2D(*velocity)))


def test_the_nearest_robot_in_reach_has_the_puck_until_another_has_it():
    stats = MatchStatistics(League())
    for i in range(101):
        stats.watch(0.1 * i, world(0.1 * i, (0.0, 0.0), blue_0=(-0.06, 0.0, 0.0), red_0=(0.5, 0.0, 0.0)), {})
    for i in range(101, 151):  # alone: it is still blue's
        stats.watch(0.1 * i, world(0.1 * i, (0.0, 0.3), blue_0=(-0.4, 0.0, 0.0), red_0=(0.5, 0.0, 0.0)), {})
    assert stats.possession_share("blue") == 1.0
    for i in range(151, 201):
        stats.watch(0.1 * i, world(0.1 * i, (0.45, 0.0), blue_0=(-0.4, 0.0, 0.0), red_0=(0.5, 0.0, 0.0)), {})
    assert stats.possession_share("blue") == pytest.approx(0.75, abs=0.01)


def test_a_shot_counts_once_and_becomes_a_goal():
    stats = MatchStatistics(League())
    for i in range(30):
        stats.watch(0.02 * i, world(0.02 * i, (0.03 * i, 0.0), (1.5, 0.0)), {"score_blue": "0", "phase": "play"})
    stats.watch(0.7, world(0.7, (1.03, 0.0)), {"score_blue": "1", "phase": "face_off"})
    assert [(shot.team, shot.goal) for shot in stats.shots] == [("blue", True)]
    assert stats.shots[0].toward_y_m == pytest.approx(0.0)


def test_after_the_teams_changed_ends_shots_are_the_others():
    stats = MatchStatistics(League())
    stats.watch(0.0, world(0.0, (0.0, 0.0), (1.5, 0.0)), {"ends_swapped": "true"})
    assert [(shot.team, shot.side) for shot in stats.shots] == [("red", 1.0)]


@pytest.mark.parametrize(
    ("puck", "velocity"),
    [((0.0, 0.0), (0.3, 0.0)), ((0.0, 0.4), (1.5, 0.3)), ((0.0, 0.0), (0.0, 1.8))],
    ids=["slow", "wide", "across"],
)
def test_what_is_no_shot(puck, velocity):
    stats = MatchStatistics(League())
    stats.watch(0.0, world(0.0, puck, velocity), {})
    assert stats.shots == []


def test_time_outside_of_play_counts_for_no_map():
    stats = MatchStatistics(League())
    for i in range(11):
        stats.watch(0.1 * i, world(0.1 * i, (0.5, 0.3), blue_0=(-0.5, -0.3, 0.0)), {"phase": "face_off"})
    assert stats.seen["puck"].sum() == stats.seen["blue"].sum() == 0.0
    for i in range(11, 22):
        stats.watch(0.1 * i, world(0.1 * i, (0.5, 0.3), blue_0=(-0.5, -0.3, 0.0)), {"phase": "play"})
    assert stats.seen["puck"].sum() == pytest.approx(1.1)
    assert np.unravel_index(stats.seen["puck"].argmax(), stats.seen["puck"].shape) == (30, 18)
    assert np.unravel_index(stats.seen["blue"].argmax(), stats.seen["blue"].shape) == (10, 6)


def test_the_tracking_error_is_root_mean_square():
    seen = world(0.0, (0.0, 0.0), blue_0=(0.0, 0.0, 0.0))
    true = world(0.0, (0.003, 0.0), blue_0=(0.0, 0.004, 0.0))
    assert tracking_error_m(seen, true) == pytest.approx(math.sqrt((0.003**2 + 0.004**2) / 2.0))
    assert math.isnan(tracking_error_m(seen, None))
    late = world(0.02, (0.02, 0.0), blue_0=(0.0, 0.004, 0.0))
    moving = world(0.0, (0.0, 0.0), (1.0, 0.0), blue_0=(0.0, 0.004, 0.0))
    assert tracking_error_m(late, moving) == pytest.approx(0.0), "a truth of a moment ago is carried on"
    assert math.isnan(tracking_error_m(world(0.5, (0.0, 0.0)), moving)), "one of long ago tells nothing"


def test_a_score_that_is_no_number_is_the_one_before():
    stats = MatchStatistics(League())
    for i, said in enumerate(("1", "n/a", "", "1")):
        stats.watch(0.1 * i, world(0.1 * i, (0.0, 0.0)), {"score_blue": said})
        assert stats.score["blue"] == 1


def test_a_long_match_is_thinned_and_keeps_its_beginning():
    stats = MatchStatistics(League())
    for i in range(20_000):
        stats.watch(0.2 * i, world(0.2 * i, (0.0, 0.0)), {"phase": "pause"})
    times = stats.series()["time_s"]
    assert times[0] == 0.0 and times[-1] > 3990.0 and 4000 < len(times) <= 9000
    assert np.diff(times).max() < 2.1
    assert stats.row_due(4001.0) and not stats.row_due(times[-1] + 0.1)


def test_a_time_that_is_set_back_begins_the_lines_anew():
    stats = MatchStatistics(League())
    for time_s in (0.0, 1.0, 2.0, 0.5, 1.5):
        stats.watch(time_s, world(time_s, (0.0, 0.0)), {})
    assert stats.series()["time_s"].tolist() == [0.5, 1.5]


def test_pictures_are_well_formed_and_show_what_they_are_given():
    league = League()
    seen = np.zeros((40, 24))
    seen[3, 4] = 2.0
    heat = ElementTree.fromstring(heat_map(league.rink, seen, palette.INK))
    assert [(e.get("d"), e.get("fill-opacity")) for e in heat.iter("path")] == [("M3 4H4v1H3", "1.000")]
    place = next(e for e in heat.iter("g") if e.get("transform")).get("transform")
    # Cells count from the corner at -x and -y; on the page y points down.
    assert place == "translate(-1.0000 0.6000) scale(0.05000 -0.05000)"
    shots = ElementTree.fromstring(shot_map(league.rink, [Shot(1.0, "red", 0.2, 0.1, 0.05, 1.4, -1.0, goal=True)]))
    line = next(e for e in shots.iter("line") if e.get("stroke") == palette.TEAM["red"].css)
    assert float(line.get("x2")) == pytest.approx(-1.0) and float(line.get("y1")) == pytest.approx(-0.1)
    times = np.linspace(0.0, 60.0, 5000)
    chart = ElementTree.fromstring(line_chart(times, np.sin(times) + 1.0, palette.INK))
    points = next(chart.iter("polyline")).get("points").split()
    assert 500 < len(points) <= 1250
    assert "not recorded" in line_chart(times, np.full(5000, math.nan), palette.INK)


def test_the_report_is_one_page_that_needs_nothing_beside_it(tmp_path):
    page = report_html(read_recording(write(tmp_path / "bag")))
    assert page.startswith("<!DOCTYPE html>") and page.count("<svg") == 8
    assert not re.search(r"(src|href)=|url\(|@import|<script", page)
    assert page.count("Goal for blue") == 4 and "seed 7" in page
