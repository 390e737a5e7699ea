"""What a world refuses: by name and value, in one line, and with nothing changed. `set_state` is in test_world_state."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from headless import PRESETS, body, robots_depth_m

from robohockey_core.checked import InputError
from robohockey_core.commands import WheelCommand
from robohockey_core.league import load_league
from robohockey_core.names import BLUE, PUCK, RobotId
from robohockey_sim.world import World

HOCKEY = load_league("micro_hockey")
BLUE_0 = RobotId(BLUE, 0)
GOOD = WheelCommand((10.0, 5.0), 0.5)


def future(world: World) -> bytes:
    """What the world is and will do: commands show in the next steps."""
    snapshot = world.snapshot()
    world.step(50)
    truth, wheels = world.truth(), world.wheel_states()
    world.restore(snapshot)
    return b"".join(a.tobytes() for a in (truth.position, truth.velocity, wheels.position, wheels.velocity))


@pytest.mark.parametrize(
    ("robot", "command", "told"),
    [
        pytest.param(BLUE_0, WheelCommand((math.nan, 1.0)), "blue/0/left_wheel = nan", id="nan"),
        pytest.param(BLUE_0, WheelCommand((1.0, -math.inf)), "blue/0/right_wheel = -inf", id="infinite"),
        pytest.param(BLUE_0, WheelCommand((1.0,)), "blue/0: 1 wheel speeds", id="too short"),
        pytest.param(BLUE_0, WheelCommand((1.0, 2.0, 3.0)), "blue/0: 3 wheel speeds", id="too long"),
        pytest.param(BLUE_0, WheelCommand((1.0, 2.0), math.nan), "blue/0/kicker = nan", id="nan kick"),
        pytest.param(BLUE_0, WheelCommand((1.0, 2.0), 7.0), "blue/0/kicker = 7", id="kick beyond 1"),
        pytest.param(RobotId(BLUE, 9), GOOD, "blue/9", id="unknown robot"),
    ],
)
def test_a_bad_command_is_refused_and_the_last_one_stands(robot, command, told):
    world = World(HOCKEY)
    world.command(BLUE_0, GOOD)
    before = future(world)
    with pytest.raises(InputError) as error:
        world.command(robot, command)
    assert told in str(error.value)
    assert future(world) == before


@pytest.mark.parametrize("steps", [-1, 1.5, math.nan])
def test_only_whole_steps_forward_can_be_made(steps):
    world = World(HOCKEY)
    with pytest.raises(InputError, match="steps"):
        world.step(steps)
    assert world.time_s == 0.0


def test_steps_that_cannot_be_made_leave_the_commands_as_they_were():
    world = World(HOCKEY)
    before = future(world)
    with pytest.raises(InputError, match="steps"):
        world.step(-1, np.full((len(world.robots), len(world.wheel_names)), 10.0))
    assert future(world) == before


def test_a_tracked_place_that_is_not_finite_is_refused():
    world = World(HOCKEY, owned=[PUCK])
    before = future(world)
    with pytest.raises(InputError, match="blue/0"):
        world.follow({"blue/0": body(math.nan, 0.0)})
    assert future(world) == before


def test_a_body_that_is_not_there_is_told_by_name():
    with pytest.raises(InputError, match="blue/9"):
        World(HOCKEY).body("blue/9")


def test_a_snapshot_of_another_league_is_refused_and_nothing_changes():
    world, other = World(HOCKEY), World(load_league("mirosot_5v5"))
    other.step(7)
    before = future(world)
    with pytest.raises(InputError, match="snapshot"):
        world.restore(other.snapshot())
    assert world.time_s == 0.0
    assert future(world) == before


# --- leagues


@pytest.mark.parametrize("section", ["robot", "puck"])
@pytest.mark.parametrize("mass_kg", ["-0.5", "0", ".nan", ".inf"])
def test_a_mass_that_is_none_is_refused_with_file_key_and_value(tmp_path, section, mass_kg):
    path = tmp_path / "mine.yaml"
    path.write_text(f"{section}: {{mass_kg: {mass_kg}}}")
    with pytest.raises(InputError) as error:
        load_league(str(path))
    assert f"{path}: {section}.mass_kg = {float(mass_kg.lstrip('.')) if mass_kg[0] == '.' else mass_kg}: must be" in str(
        error.value
    )


@pytest.mark.parametrize("name", PRESETS)
def test_nobody_overlaps_at_the_start(name):
    league = load_league(name)
    for players in range(1, league.match.players + 1):
        world = World(replace(league, match=replace(league.match, players=players)))
        states = [world.body(str(robot)) for robot in world.robots]
        assert all(robots_depth_m(league, a, b) < 0.0 for i, a in enumerate(states) for b in states[:i]), players
        world.set_state(world.truth())


@pytest.mark.parametrize(("side_m", "robot_length_m", "told"), [(0.6, 0.075, "blue/0 at"), (1.0, 0.3, "blue/0 at")])
def test_a_rink_in_which_the_face_off_would_overlap_is_refused(tmp_path, side_m, robot_length_m, told):
    path = tmp_path / "tiny.yaml"
    spots = "face_off_x_m: 0.1, face_off_y_m: 0.1, penalty_spot_x_m: 0.1"
    rink = f"{{length_m: {side_m}, width_m: {side_m}, corner_radius_m: 0.0, {spots}}}"
    path.write_text(f"rink: {rink}\nrobot: {{length_m: {robot_length_m}}}\nmatch: {{players: 2}}")
    league = load_league(str(path))
    with pytest.raises(InputError, match=f"tiny: face-off: {told}"):
        World(league)
