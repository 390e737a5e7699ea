"""Finding strategies, asking them, and turning the rink round for red."""

from __future__ import annotations

import os
import sys

import pytest

from robohockey_core.actions import Go, Kick, Target
from robohockey_core.checked import InputError
from robohockey_core.formation import face_off_formation
from robohockey_core.league import load_league
from robohockey_core.match_state import ASK, BREAK, OVER, PAUSE, PLACE, PLAY, MatchState
from robohockey_core.names import BLUE, RED, RobotId, opponent
from robohockey_core.state import BodyState, Pose2D, Twist2D, WorldState
from robohockey_strategy.strategy_files import SavedFiles
from robohockey_strategy.team import BUILT_IN, Coach, load_strategy, strategy_names
from robohockey_strategy.teams.chaser import Chaser
from robohockey_strategy.teams.idle import Idle
from robohockey_strategy.view import make_view

LEAGUE = load_league("micro_hockey")
PLAYING = MatchState(phase=PLAY, score_blue=3, score_red=1)


def world() -> WorldState:
    robots = {robot: BodyState(pose, Twist2D(0.1, 0.2, 0.3)) for robot, pose in face_off_formation(LEAGUE).items()}
    return WorldState(4.0, robots, BodyState(Pose2D(0.3, -0.2), Twist2D(0.5, 0.1)))


def mirrored(seen: WorldState) -> WorldState:
    robots = {RobotId(opponent(robot.team), robot.number): state.mirrored() for robot, state in seen.robots.items()}
    return WorldState(seen.stamp_s, robots, seen.puck.mirrored() if seen.puck else None)


class Says:
    def __init__(self, orders: object) -> None:
        self.orders = orders
        self.asked = 0

    def decide(self, view):
        self.asked += 1
        return self.orders


# --- the view


def test_blue_sees_the_rink_as_it_is():
    seen = world()
    view = make_view(LEAGUE, BLUE, seen, PLAYING)
    assert view.us == {robot.number: state for robot, state in seen.robots.items() if robot.team == BLUE}
    assert view.puck == seen.puck
    assert (view.score_us, view.score_them, view.time_s) == (3, 1, 4.0)
    assert view.their_goal.x_m == -view.our_goal.x_m == 1.0


def test_red_sees_it_turned_and_its_own_score():
    seen = world()
    view = make_view(LEAGUE, RED, seen, PLAYING)
    assert view.puck is not None and view.puck.pose[:2] == (-0.3, 0.2)
    assert view.puck.twist[:2] == (-0.5, -0.1)
    assert all(state.pose.x_m < 0.0 for state in view.us.values())
    assert (view.score_us, view.score_them) == (1, 3)


def test_a_mirrored_world_looks_the_same_to_the_other_team():
    seen = world()
    blue, red = make_view(LEAGUE, BLUE, seen, PLAYING), make_view(LEAGUE, RED, mirrored(seen), PLAYING)
    for number, state in blue.us.items():
        assert red.us[number].pose == pytest.approx(state.pose)
        assert red.us[number].twist == pytest.approx(state.twist)
    assert red.them.keys() == blue.them.keys()


def test_bodies_that_nobody_sees_are_missing():
    seen = WorldState(0.0, {RobotId(RED, 1): BodyState(Pose2D(0.0, 0.0))}, None)
    for team in (BLUE, RED):
        view = make_view(LEAGUE, team, seen, PLAYING)
        assert view.puck is None
        assert len(view.us) + len(view.them) == 1


# --- the coach


def test_orders_become_targets_and_who_has_none_stands_still():
    targets = Coach(LEAGUE, BLUE, Says({1: (Go(0.3, 0.1, 0.5), Kick(0.8))})).targets(world(), PLAYING)
    assert targets == {
        RobotId(BLUE, 0): Target(),
        RobotId(BLUE, 1): Target(Pose2D(0.3, 0.1, 0.5), face=True, kick_power=0.8),
        RobotId(BLUE, 2): Target(),
    }


def test_reds_orders_are_turned_back_into_the_rink():
    targets = Coach(LEAGUE, RED, Says({0: Go(0.3, 0.1, arrive_vx_m_s=0.5)})).targets(world(), PLAYING)
    assert targets[RobotId(RED, 0)].pose[:2] == (-0.3, -0.1)
    assert targets[RobotId(RED, 0)].arrive[:2] == (-0.5, 0.0)


def test_a_mirrored_world_gives_mirrored_targets():
    blue = Coach(LEAGUE, BLUE, Chaser()).targets(world(), PLAYING)
    red = Coach(LEAGUE, RED, Chaser()).targets(mirrored(world()), PLAYING)
    for robot, target in blue.items():
        other = red[RobotId(RED, robot.number)].mirrored()
        assert other.pose == pytest.approx(target.pose)
        assert (other.face, other.kick_power) == (target.face, target.kick_power)
        assert other.arrive == pytest.approx(target.arrive)


@pytest.mark.parametrize("phase", [PLACE, PAUSE, ASK, BREAK, OVER])
def test_outside_play_nothing_is_ordered_and_nobody_asked(phase):
    strategy = Says({0: Go(0.1, 0.1)})
    targets = Coach(LEAGUE, BLUE, strategy).targets(world(), MatchState(phase=phase))
    assert set(targets.values()) == {Target()}
    assert strategy.asked == 0


@pytest.mark.parametrize(
    ("orders", "told"),
    [
        (None, "decide returned None; it must return orders by robot number"),
        ([Go(0.0, 0.0)], "must return orders by robot number"),
        ({0: "forward"}, "is no action"),
        ({0: 5}, "not iterable"),
        ({0: Go("left", 0.0)}, "real number"),
        ({0: Go(float("nan"), 0.0)}, "blue/0 was ordered to"),
        ({0: Go(0.0, 0.0, arrive_vx_m_s=float("inf"))}, "blue/0 was ordered to"),
        ({7: Go(0.0, 0.0)}, "orders for 7; the robots of blue are 0 to 2"),
        ({"blue/0": Go(0.0, 0.0)}, "orders for 'blue/0'"),
        ({0: Kick("hard")}, "not supported"),
    ],
)
def test_garbage_raises(orders, told):
    with pytest.raises((TypeError, ValueError), match=told):
        Coach(LEAGUE, BLUE, Says(orders)).targets(world(), PLAYING)


# --- finding one


def refusal(name: str) -> str:
    with pytest.raises(InputError) as error:
        load_strategy(name)
    assert "\n" not in str(error.value)
    return str(error.value)


def test_by_name():
    assert isinstance(load_strategy("chaser"), Chaser)
    assert isinstance(load_strategy("idle"), Idle)
    assert set(BUILT_IN) <= set(strategy_names())


def test_every_built_in_name_loads():
    for name in BUILT_IN:
        assert callable(load_strategy(name).decide)


@pytest.fixture
def file(tmp_path):
    def write(text: str, name: str = "mine.py") -> str:
        (tmp_path / name).write_text(text)
        return str(tmp_path / name)

    return write


TEAM = "class Mine:\n    def decide(self, view):\n        return {}\n"


def test_by_file(file):
    assert load_strategy(file(TEAM) + ":Mine").decide(None) == {}


def test_a_file_may_be_called_like_a_library(file):
    before = sys.modules.get("random")
    assert load_strategy(file(TEAM, "random.py") + ":Mine").decide(None) == {}
    assert sys.modules.get("random") is before


@pytest.mark.parametrize(
    ("text", "attribute", "told"),
    [
        (TEAM, "Mein", "no class Mein in {path}; did you mean Mine?"),
        ("x = 1\n", "x", "must be a class with a method decide(view)"),
        ("class Mine:\n    pass\n", "Mine", "must be a class with a method decide(view)"),
        ("def (:\n", "Mine", "{path} does not load: SyntaxError: "),
        ("import no_such_module_here\n", "Mine", "{path} does not load: ModuleNotFoundError: "),
        ("raise ValueError('two\\nlines')\n", "Mine", "{path} does not load: ValueError: two lines"),
        (TEAM + "    def __init__(self, league): ...\n", "Mine", "cannot be made: TypeError: "),
        (TEAM + "    def __init__(self): 1 / 0\n", "Mine", "cannot be made: ZeroDivisionError: division by zero"),
    ],
)
def test_a_bad_file_is_told_in_one_line(file, text, attribute, told):
    path = file(text)
    name = f"{path}:{attribute}"
    said = refusal(name)
    assert said.startswith(f"strategy {name}: ")
    assert told.format(path=path) in said


def test_a_missing_file(tmp_path):
    name = f"{tmp_path}/no.py:Mine"
    assert refusal(name) == f"strategy {name}: there is no file {tmp_path}/no.py"


def test_an_unknown_name():
    assert refusal("chasser") == "unknown strategy chasser; did you mean chaser? (or path/to/file.py:Class)"
    assert "allowed: chaser" in refusal("zzz")


def test_an_installed_package_offers_a_strategy_by_name(tmp_path, monkeypatch):
    (tmp_path / "owls.py").write_text(TEAM)
    about = tmp_path / "night_owls-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: night-owls\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[robohockey.strategies]\nowls = owls:Mine\ngone = owls:Nobody\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert "owls" in strategy_names()
    assert load_strategy("owls").decide(None) == {}
    assert refusal("gone").startswith("strategy gone: does not load: AttributeError: ")
    assert refusal("owl") == "unknown strategy owl; did you mean owls? (or path/to/file.py:Class)"


HELPED = "import helper\nclass Mine:\n    def decide(self, view):\n        return helper.ANSWER\n"


def test_a_file_may_use_modules_beside_it_each_team_its_own(tmp_path):
    teams = []
    for folder in ("blue", "red"):
        (tmp_path / folder / "tools").mkdir(parents=True)
        (tmp_path / folder / "mine.py").write_text(HELPED)
        (tmp_path / folder / "helper.py").write_text("from tools.numbers import ANSWER\n")
        (tmp_path / folder / "tools" / "__init__.py").write_text("")
        (tmp_path / folder / "tools" / "numbers.py").write_text(f"ANSWER = {folder!r}\n")
        teams.append(load_strategy(f"{tmp_path / folder / 'mine.py'}:Mine"))
    assert [team.decide(None) for team in teams] == ["blue", "red"]
    assert "helper" not in sys.modules and not any(name.partition(".")[0] == "tools" for name in sys.modules)


def test_a_module_beside_a_file_does_not_stand_in_for_the_librarys(tmp_path):
    (tmp_path / "colorsys.py").write_text("raise ValueError('not the one')\n")
    (tmp_path / "mine.py").write_text("import colorsys\n" + TEAM)
    assert load_strategy(f"{tmp_path / 'mine.py'}:Mine").decide(None) == {}


def test_a_folder_beside_a_file_does_not_stand_in_for_a_package(tmp_path, monkeypatch):
    (tmp_path / "beside" / "far_away").mkdir(parents=True)
    (tmp_path / "installed" / "far_away").mkdir(parents=True)
    (tmp_path / "installed" / "far_away" / "__init__.py").write_text("ANSWER = 1\n")
    monkeypatch.syspath_prepend(tmp_path / "installed")
    path = tmp_path / "beside" / "mine.py"
    path.write_text(HELPED.replace("helper", "far_away"))
    assert load_strategy(f"{path}:Mine").decide(None) == 1
    del sys.modules["far_away"]


def test_a_module_beside_that_does_not_load_is_told(tmp_path):
    (tmp_path / "helper.py").write_text("1 / 0\n")
    (tmp_path / "mine.py").write_text(HELPED)
    assert "does not load: ZeroDivisionError: division by zero" in refusal(f"{tmp_path / 'mine.py'}:Mine")
    assert "helper" not in sys.modules


def test_a_helper_that_is_saved_counts_as_a_save(tmp_path):
    path, helper = tmp_path / "mine.py", tmp_path / "helper.py"
    path.write_text(HELPED)
    helper.write_text("ANSWER = 1\n")
    name = f"{path}:Mine"
    files = SavedFiles(name)
    assert load_strategy(name).decide(None) == 1
    assert not files.changed()
    helper.write_text("ANSWER = 2\n")
    os.utime(helper, ns=(10**18, 10**18))
    assert files.changed() and not files.changed()
    assert load_strategy(name).decide(None) == 2


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("import sys\nsys.exit(3)\n", "does not load: SystemExit: 3"),
        (TEAM + "    def __init__(self): raise SystemExit(3)\n", "cannot be made: SystemExit: 3"),
    ],
)
def test_a_file_that_ends_the_program_is_told(file, text, told):
    assert told in refusal(file(text) + ":Mine")
