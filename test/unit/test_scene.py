"""What the web view draws: models that fit the league, cameras that frame it, and a scene told only of changes."""

from __future__ import annotations

import contextlib
import math
from types import SimpleNamespace

import numpy as np
import pytest

from robohockey_core.league import League, load_league, preset_files
from robohockey_core.names import RobotId
from robohockey_core.state import BodyState, Pose2D, Twist2D, WorldState
from robohockey_viz import cameras
from robohockey_viz.body_models import kicker_hinge_m, kicker_parts, puck_parts, robot_parts, wheel_mounts, wheel_parts
from robohockey_viz.meshes import merged
from robohockey_viz.rink_model import board_paths, end_m, rink_parts
from robohockey_viz.scene import LAMP_S, RinkScene, rolled, turned
from robohockey_viz.scoreboard import clock_text, scoreboard_html

PRESETS = sorted(preset_files())


def extent(parts):
    vertices = merged(part.mesh for part in parts).vertices
    return vertices.min(axis=0), vertices.max(axis=0)


def rotate(quaternion, vector):
    w, axis = quaternion[0], np.array(quaternion[1:])
    return vector + 2.0 * np.cross(axis, np.cross(axis, vector) + w * np.asarray(vector))


@pytest.mark.parametrize("name", PRESETS)
def test_every_league_has_finite_models(name):
    league = load_league(name)
    models = [rink_parts(league), wheel_parts(league.robot), puck_parts(league.puck)]
    models += [robot_parts(league, robot) for robot in league.robots()]
    for parts in models:
        for part in parts:
            assert np.all(np.isfinite(part.mesh.vertices))
            assert part.mesh.faces.max() < len(part.mesh.vertices)


@pytest.mark.parametrize("name", PRESETS)
def test_robots_are_as_large_as_the_league_says(name):
    league = load_league(name)
    solid = [part for part in robot_parts(league, RobotId("red", 0)) if part.opacity == 1.0]
    low, high = extent(solid)
    spec = league.robot
    assert high[2] == pytest.approx(spec.height_m, rel=0.03)
    assert high[1] - low[1] == pytest.approx(spec.width_m, rel=0.01)
    assert -low[0] == pytest.approx(spec.length_m / 2.0, rel=0.01)
    assert high[0] == pytest.approx(spec.length_m / 2.0, rel=0.01)
    # The kicker lies along the front and stands out a little.
    low, high = extent(kicker_parts(league)) + np.array([(*kicker_hinge_m(league), 0.0)] * 2)
    assert spec.length_m / 2.0 <= high[0] <= 0.56 * spec.length_m
    assert -0.56 * spec.width_m < low[1] and high[1] < 0.56 * spec.width_m


@pytest.mark.parametrize("name", PRESETS)
def test_wheels_stand_on_the_ground_and_roll_the_way_the_drive_says(name):
    spec = load_league(name).robot
    low, _ = extent(wheel_parts(spec))
    assert low[2] == pytest.approx(-spec.wheel_radius_m)
    drive = spec.make_drive()
    for mount, row in zip(wheel_mounts(spec), drive.matrix, strict=True):
        assert mount.name in drive.wheel_names
        direction = np.array([math.cos(mount.yaw_rad), math.sin(mount.yaw_rad)])
        # Moving along its rolling direction turns a wheel forward by 1/radius; across, not at all.
        assert row[:2] @ direction == pytest.approx(1.0 / spec.wheel_radius_m)
        # The top of a wheel that turns forward moves in its rolling direction.
        top = rotate(rolled(mount.yaw_rad, 0.1), np.array([0.0, 0.0, 1.0]))
        assert top[:2] @ direction == pytest.approx(math.sin(0.1))


@pytest.mark.parametrize("name", PRESETS)
def test_boards_run_around_the_rink_and_leave_the_goals_open(name):
    rink = load_league(name).rink
    paths = [path for pair in board_paths(rink).values() for path in pair]
    length = sum(np.linalg.norm(np.diff(path, axis=0), axis=1).sum() for path in paths)
    radius = rink.corner_radius_m
    # Goals that stand free leave no gap in the boards.
    gap = rink.goal_width_m if rink.room_behind_goals_m == 0.0 else 0.0
    around = 2.0 * (2.0 * end_m(rink) + rink.width_m) - 8.0 * radius + 2.0 * math.pi * radius - 2.0 * gap
    assert length == pytest.approx(around, rel=0.01)
    for path in paths:
        assert np.all(np.abs(path) <= (end_m(rink) + 1e-9, rink.width_m / 2.0 + 1e-9))
        at_end = np.isclose(np.abs(path[:, 0]), end_m(rink))
        assert np.all(np.abs(path[at_end, 1]) >= gap / 2.0 - 1e-9)


def test_the_quarter_turn_of_a_quaternion():
    assert rotate(turned(math.pi / 2.0), np.array([1.0, 0.0, 0.0])) == pytest.approx([0.0, 1.0, 0.0])
    assert rolled(0.3, 0.0) == pytest.approx(turned(0.3))


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("preset", cameras.PRESETS)
@pytest.mark.parametrize("aspect", [0.5, 1.0, cameras.WIDE_SCREEN, 3.0])
def test_every_camera_sees_the_whole_rink(name, preset, aspect):
    rink = load_league(name).rink
    view = cameras.frame(rink, preset, aspect)
    forward = np.subtract(view.look_at, view.position)
    distance = np.linalg.norm(forward)
    forward /= distance
    right = np.cross(forward, (0.0, 0.0, 1.0))
    right /= np.linalg.norm(right)
    up = np.cross(right, forward)
    goal_x = rink.length_m / 2.0 + rink.goal_depth_m
    corners = [(sx * end_m(rink), sy * rink.width_m / 2, 0.0) for sx in (-1, 1) for sy in (-1, 1)]
    heights = (0.0, rink.goal_height_m)
    corners += [(sx * goal_x, sy * rink.goal_width_m / 2, z) for sx in (-1, 1) for sy in (-1, 1) for z in heights]
    offset = np.array(corners) - view.position
    depth = offset @ forward
    half = math.tan(cameras.FIELD_OF_VIEW_RAD / 2.0)
    filled = np.maximum(np.abs(offset @ up) / half, np.abs(offset @ right) / (half * aspect)) / depth
    assert depth.min() > cameras.NEAR_SHARE * rink.length_m
    assert 0.8 < filled.max() <= 1.0


def test_the_clock_reads_minutes_and_seconds():
    assert [clock_text(t) for t in ("0", "59.99", "143.2", "-3", "nan", "", "soon")] == [
        "00:00", "00:59", "02:23", "00:00", "--:--", "--:--", "--:--",
    ]  # fmt: skip


def test_the_scoreboard_shows_what_it_is_told_and_bears_what_is_missing():
    state = {"phase": "face_off", "score_blue": "7", "score_red": "5", "clock_s": "61", "explanation": "offside of red/1"}
    shown = scoreboard_html(state)
    assert all(text in shown for text in (">7<", ">5<", "01:01", "face off", "offside of red/1"))
    assert "waiting for the referee" in scoreboard_html({})
    assert "waiting for blue" not in shown and "sent off" not in shown
    shown = scoreboard_html({**state, "waiting_for": "blue/1 puck", "off": "red/2"})
    assert all(text in shown for text in ("offside of red/1", "waiting for blue/1 puck", "sent off: red/2"))


def test_the_scoreboard_counts_down_and_names_whom_it_waits_for():
    ask = {"phase": "ask", "countdown_s": "7.300", "explanation": "goal for blue?", "waiting_for": ""}
    assert "confirm or overrule · 8 s" in scoreboard_html(ask) and "goal for blue?" in scoreboard_html(ask)
    wait = {"phase": "place", "countdown_s": "0.000", "waiting_for": "blue/1 puck"}
    assert "waiting for blue/1 puck" in scoreboard_html(wait) and "0 s" not in scoreboard_html(wait)
    assert "2 s · waiting for <i>" not in scoreboard_html({"phase": "place", "countdown_s": "1.5", "waiting_for": "<i>"})
    for quiet in ({"phase": "play", "countdown_s": "3"}, {"phase": "place", "countdown_s": "soon"}):
        assert " s</div>" not in scoreboard_html(quiet)


def test_the_scoreboard_takes_text_as_text():
    shown = scoreboard_html({"explanation": "<script>alert(1)</script>", "phase": "<b>", "score_red": "<i>"})
    assert not any(tag in shown for tag in ("<script>", "<b>", "<i>"))


class FakeServer:
    """Records what a scene asks of viser."""

    def __init__(self):
        self.nodes = {}
        self.sent = []
        self.scene = SimpleNamespace(
            add_glb=self._add, add_light_hemisphere=self._ignore, add_light_directional=self._ignore,
            configure_default_lights=self._ignore,
            configure_environment_map=self._ignore, set_up_direction=self._ignore, world_axes=SimpleNamespace(visible=True),
        )  # fmt: skip
        self.atomic = contextlib.nullcontext

    def _ignore(self, *_arguments, **_options):
        pass

    def _add(self, name, _content, **options):
        self.nodes[name] = Recorded(name, self.sent, options)
        return self.nodes[name]


class Recorded:
    """A handle whose every change counts as a message."""

    def __init__(self, name, sent, options):
        self.__dict__.update(options, _name=name, _sent=sent)

    def __setattr__(self, key, value):
        self._sent.append((self._name, key))
        self.__dict__[key] = value


@pytest.fixture
def server():
    return FakeServer()


def world(**bodies):
    robots = {RobotId(*_robot_name(name)): BodyState(Pose2D(*pose)) for name, pose in bodies.items() if name != "puck"}
    return WorldState(0.0, robots, BodyState(Pose2D(*bodies["puck"])) if "puck" in bodies else None)


def _robot_name(name):
    team, number = name.split("_")
    return team, int(number)


def test_a_scene_has_few_nodes(server):
    RinkScene(server, League())
    # Rink, lamps lit and dark, trail, puck; robots with two wheels and a kicker.
    assert len(server.nodes) == 1 + 4 + 9 + 1 + 6 * 4


def test_bodies_stand_where_the_world_says(server):
    scene = RinkScene(server, League())
    scene.update(world(blue_1=(0.3, -0.2, math.pi / 2.0), puck=(0.1, 0.4, 0.0)))
    robot, puck = server.nodes["/robots/blue/1"], server.nodes["/puck"]
    assert robot.visible and robot.position == (0.3, -0.2, 0.0)
    assert rotate(robot.wxyz, np.array([1.0, 0.0, 0.0])) == pytest.approx([0.0, 1.0, 0.0])
    assert puck.visible and puck.position == (0.1, 0.4, 0.0)


def test_what_the_world_lacks_is_hidden_and_comes_back(server):
    scene = RinkScene(server, League())
    robot = server.nodes["/robots/red/2"]
    assert not robot.visible
    scene.update(world(red_2=(0.0, 0.0, 0.0)))
    assert robot.visible
    scene.update(world())
    assert not robot.visible
    scene.update(world(red_2=(math.nan, 0.0, 0.0)))
    assert not robot.visible
    scene.update(world(red_2=(0.0, 0.0, 0.0)))
    assert robot.visible


def test_robots_that_the_league_does_not_have_are_ignored(server):
    scene = RinkScene(server, League())
    scene.update(world(red_9=(0.0, 0.0, 0.0)))
    assert [key for name, key in server.sent if "robots" in name] == []


def test_only_changes_are_sent(server):
    scene = RinkScene(server, League())
    server.sent.clear()
    scene.update(world(blue_0=(0.1, 0.2, 0.3), puck=(0.0, 0.0, 0.0)), {"blue/0/left_wheel": 1.0})
    assert sorted(server.sent) == [
        ("/puck", "position"), ("/puck", "visible"), ("/puck", "wxyz"),
        ("/robots/blue/0", "position"), ("/robots/blue/0", "visible"), ("/robots/blue/0", "wxyz"),
        ("/robots/blue/0/left_wheel", "wxyz"),
    ]  # fmt: skip
    server.sent.clear()
    scene.update(world(blue_0=(0.1, 0.2, 0.3), puck=(0.0, 0.001, 0.0)), {"blue/0/left_wheel": 1.0})
    assert server.sent == [("/puck", "position")]


def test_a_wheel_turns_about_its_axle(server):
    scene = RinkScene(server, League())
    server.sent.clear()
    scene.update(world(), {"blue/0/left_wheel": math.pi / 2.0, "red/0/left_wheel": math.nan})
    wheel = server.nodes["/robots/blue/0/left_wheel"]
    assert rotate(wheel.wxyz, np.array([0.0, 0.0, 1.0])) == pytest.approx([1.0, 0.0, 0.0])
    assert server.sent == [("/robots/blue/0/left_wheel", "wxyz")]


def test_a_kicker_shows_the_angle_that_is_measured(server):
    scene = RinkScene(server, League())
    scene.update(world(blue_0=(0.0, 0.0, 0.0)), {"blue/0/kicker": 0.5})
    rod = rotate(server.nodes["/robots/blue/0/kicker"].wxyz, np.array([0.0, -1.0, 0.0]))
    assert rod == pytest.approx([math.sin(0.5), -math.cos(0.5), 0.0])


def test_a_kicker_swings_when_the_puck_leaves_its_robot_fast_and_comes_to_rest(server):
    scene, league = RinkScene(server, League()), League()
    kicker = server.nodes["/robots/blue/0/kicker"]
    front = league.robot.length_m / 2.0 + league.puck.radius_m
    angles = []
    for step in range(30):
        speed = 1.5 if step > 5 else 0.0
        puck = BodyState(Pose2D(front + 0.02 * speed * max(0, step - 5), 0.0), Twist2D(speed, 0.0))
        scene.update(WorldState(0.02 * step, {RobotId("blue", 0): BodyState(Pose2D(0.0, 0.0, 0.0))}, puck))
        angles.append(2.0 * math.atan2(kicker.wxyz[3], kicker.wxyz[0]) if hasattr(kicker, "wxyz") else 0.0)
    assert max(angles[:6]) == 0.0 and max(angles) > 0.5 and angles[-1] == 0.0


def test_the_puck_draws_a_trail_while_it_moves(server):
    scene = RinkScene(server, League())
    trail = [server.nodes[name] for name in server.nodes if name.startswith("/trail/")]
    for step in range(20):
        scene.update(WorldState(0.02 * step, {}, BodyState(Pose2D(0.02 * step, 0.0))))
    places = [disc.position[0] for disc in trail if disc.visible]
    # The first disc is 50 ms behind the puck, which moves 1 m/s.
    assert places == sorted(places, reverse=True) and places[0] == pytest.approx(0.33) and len(places) >= 7
    for step in range(20, 80):
        scene.update(WorldState(0.02 * step, {}, BodyState(Pose2D(0.38, 0.0))))
    assert not any(disc.visible for disc in trail)


def test_the_lamp_behind_the_goal_that_was_hit_shines_for_a_while(server):
    scene = RinkScene(server, League())
    lit, dark = server.nodes["/lamps/red_True"], server.nodes["/lamps/red_False"]
    assert lit.position[0] > 1.0
    scene.tick(99.0)
    assert not lit.visible
    scene.light_lamp("blue", 100.0)
    scene.tick(100.1)
    assert lit.visible and not dark.visible and not server.nodes["/lamps/blue_True"].visible
    scene.tick(100.0 + LAMP_S)
    assert not lit.visible and dark.visible


def test_a_follower_eases_to_a_place_behind_its_robot():
    league = League()
    follower = cameras.Follower(league, cameras.FOLLOW_ROBOT, 1.6)
    body = BodyState(Pose2D(0.2, 0.1, math.pi / 2.0))
    view = follower.view(body, 0.0)
    assert view.position[1] < body.pose.y_m < view.look_at[1] and view.position[2] > league.robot.height_m
    turned_round = BodyState(Pose2D(0.2, 0.1, -math.pi / 2.0))
    first = follower.view(turned_round, 0.03)
    assert first.position[1] < body.pose.y_m
    for _ in range(100):
        last = follower.view(turned_round, 0.03)
    assert last.position[1] > body.pose.y_m


def test_the_camera_that_follows_the_puck_keeps_it_in_the_middle():
    follower = cameras.Follower(League(), cameras.FOLLOW_PUCK, 1.6)
    assert follower.view(BodyState(Pose2D(0.4, -0.3)), 0.0).look_at == pytest.approx((0.4, -0.3, 0.0))
