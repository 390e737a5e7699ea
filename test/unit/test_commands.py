"""The gate before the motors: a robot's command is taken whole or not at all."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robohockey_core.commands import CommandGate, WheelCommand, commands_sample, quantise
from robohockey_core.joints import JointSample
from robohockey_core.league import load_league
from robohockey_core.names import BLUE, RED, RobotId

LEAGUE = load_league("micro_hockey")
WHEELS = LEAGUE.robot.make_drive().wheel_names
LIMIT_RAD_S = LEAGUE.robot.max_wheel_speed_rad_s
TIMEOUT_S = LEAGUE.timing.command_timeout_s
BLUE_0, BLUE_1, RED_0 = RobotId(BLUE, 0), RobotId(BLUE, 1), RobotId(RED, 0)
GOOD = WheelCommand((5.0, -6.0), kick_power=0.5, dribble=0.25)
STOPPED = WheelCommand((0.0, 0.0))
BOTH = ("blue/0/left_wheel", "blue/0/right_wheel")


@pytest.fixture
def gate() -> CommandGate:
    return CommandGate(LEAGUE, [BLUE_0, BLUE_1])


def say(gate: CommandGate, commands: dict[RobotId, WheelCommand], now_s: float = 0.0, team: str = BLUE) -> None:
    gate.offer(team, commands_sample(now_s, WHEELS, commands), now_s)


def raw(names, velocity, effort=()) -> JointSample:
    return JointSample(0.0, tuple(names), velocity=np.array(velocity, dtype=float), effort=np.array(effort, dtype=float))


def test_a_good_command_passes_unchanged(gate):
    say(gate, {BLUE_0: GOOD})
    assert gate.command(BLUE_0, 0.0) == GOOD
    assert gate.command(BLUE_1, 0.0) == STOPPED
    assert gate.refused_count == 0


def test_wheels_alone_are_enough_and_in_any_order(gate):
    gate.offer(BLUE, raw(("blue/0/right_wheel", "blue/0/left_wheel"), (2.0, 1.0)), 0.0)
    assert gate.command(BLUE_0, 0.0) == WheelCommand((1.0, 2.0))


@pytest.mark.parametrize(
    ("names", "velocity", "effort", "told"),
    [
        (BOTH, (math.nan, 1.0), (), "blue/0/left_wheel: velocity nan is not finite"),
        (BOTH, (1.0, math.inf), (), "blue/0/right_wheel: velocity inf is not finite"),
        (BOTH, (1.0, -60.1), (), "velocity -60.1 rad/s is beyond the limit of 60"),
        (("blue/0/left_wheel",), (1.0,), (), "blue/0: no velocity for right_wheel"),
        ((*BOTH, "blue/0/horn"), (1.0, 1.0, 1.0), (), "blue/0/horn: no such part; allowed: "),
        ((*BOTH, "blue/0/left_wheel"), (1.0, 1.0, 2.0), (), "blue/0: left_wheel stands twice"),
        ((*BOTH, "blue/0/kicker"), (1.0, 1.0, 0.0), (0.0, 0.0, 1.1), "effort 1.1 is not between"),
        ((*BOTH, "blue/0/kicker"), (1.0, 1.0, 0.0), (0, 0, math.nan), "effort nan is not between"),
        ((*BOTH, "blue/0/dribbler"), (1.0, 1.0, 0.0), (0, 0, -0.1), "effort -0.1 is not between"),
        (("blue/7/left_wheel", "blue/7/right_wheel"), (1.0, 1.0), (), "blue/7: no such robot in this league"),
        (("green/0/left_wheel",), (1.0,), (), "green/0: no such robot in this league"),
        (("left_wheel",), (1.0,), (), "no such robot in this league"),
        (("red/0/left_wheel", "red/0/right_wheel"), (1.0, 1.0), (), "red/0: not a robot of blue"),
        (BOTH, (1.0,), (), "2 names but 1 values in velocity"),
        (BOTH, (1.0, 1.0), (1.0,), "2 names but 1 values in effort"),
        (BOTH, (), (), "a command without velocities"),
    ],
)
def test_what_is_refused_is_counted_told_and_changes_nothing(gate, names, velocity, effort, told):
    say(gate, {BLUE_0: GOOD})
    gate.offer(BLUE, raw(names, velocity, effort), 0.1)
    assert gate.refused_count == 1
    assert told in gate.last_refusal
    assert gate.command(BLUE_0, 0.1) == GOOD
    assert gate.command(BLUE_0, TIMEOUT_S + 0.01) == STOPPED  # a refused command does not feed the watchdog


def test_one_robots_mistake_does_not_cost_another_its_command(gate):
    say(gate, {BLUE_0: WheelCommand((math.nan, 1.0)), BLUE_1: GOOD})
    assert gate.command(BLUE_0, 0.0) == STOPPED
    assert gate.command(BLUE_1, 0.0) == GOOD


def test_the_limit_itself_passes_with_rounding(gate):
    fastest = LIMIT_RAD_S * (1.0 + 1e-9)
    say(gate, {BLUE_0: WheelCommand((fastest, -fastest))})
    assert gate.command(BLUE_0, 0.0).wheel_speeds_rad_s == (fastest, -fastest)


def test_the_other_teams_topic_cannot_drive_our_robots(gate):
    say(gate, {BLUE_0: GOOD}, team=RED)
    assert gate.command(BLUE_0, 0.0) == STOPPED
    assert gate.last_refusal == "blue/0: not a robot of red"


def test_robots_owned_elsewhere_are_no_mistake(gate):
    gate.offer(RED, commands_sample(0.0, WHEELS, {RED_0: GOOD}), 0.0)
    assert gate.refused_count == 0


def test_the_watchdog_stops_a_robot_after_silence(gate):
    say(gate, {BLUE_0: GOOD}, now_s=1.0)
    assert gate.command(BLUE_0, 1.0 + TIMEOUT_S) == GOOD
    assert gate.command(BLUE_0, 1.0 + TIMEOUT_S + 1e-6) == STOPPED


def test_a_clock_that_jumps_back_stops_robots_for_good(gate):
    say(gate, {BLUE_0: GOOD}, now_s=100.0)
    assert gate.command(BLUE_0, 1.0) == STOPPED
    assert gate.command(BLUE_0, 100.0) == STOPPED
    say(gate, {BLUE_0: GOOD}, now_s=1.0)
    assert gate.command(BLUE_0, 1.0) == GOOD


def test_stop_all_stops_at_once_and_lets_new_commands_in(gate):
    say(gate, {BLUE_0: GOOD, BLUE_1: GOOD})
    gate.stop_all()
    assert gate.command(BLUE_0, 0.0) == gate.command(BLUE_1, 0.0) == STOPPED
    say(gate, {BLUE_0: GOOD})
    assert gate.command(BLUE_0, 0.0) == GOOD


MIXED = load_league("mixed_reality")
CODES_M_S = np.array(MIXED.robot.wheel_speed_codes_m_s)
RADIUS_M = MIXED.robot.wheel_radius_m


@pytest.mark.parametrize(
    ("asked_mm_s", "sent_mm_s"),
    [(0.0, 0.0), (12.0, 0.0), (13.0, 25.61), (-13.0, -25.61), (26.0, 25.61), (44.0, 44.80), (-100.0, -97.48), (125.0, 130.43)],
)
def test_speeds_go_out_as_table_1_codes(asked_mm_s, sent_mm_s):
    gate = CommandGate(MIXED, [BLUE_0])
    speed = asked_mm_s / 1000.0 / RADIUS_M
    gate.offer(BLUE, commands_sample(0.0, WHEELS, {BLUE_0: WheelCommand((speed, speed))}), 0.0)
    sent = np.array(gate.command(BLUE_0, 0.0).wheel_speeds_rad_s) * RADIUS_M * 1000.0
    assert sent == pytest.approx([sent_mm_s] * 2)


@given(st.floats(-30.0, 30.0))
def test_a_code_is_the_nearest_and_stays_itself(speed_rad_s):
    sent = quantise(speed_rad_s, RADIUS_M, CODES_M_S)
    off = abs(abs(sent) - abs(speed_rad_s)) * RADIUS_M
    assert off <= np.abs(CODES_M_S - abs(speed_rad_s) * RADIUS_M).min() + 1e-12
    assert sent * speed_rad_s >= 0.0
    assert quantise(sent, RADIUS_M, CODES_M_S) == sent
