"""The virtual radio and wheels: delay, loss and locks as their numbers say; seeds, silence and rewinding."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from robohockey_core.commands import WheelCommand
from robohockey_core.joints import JointSample
from robohockey_core.league import League
from robohockey_core.names import RobotId, split_joint
from robohockey_core.noise_spec import NOISE_PRESETS, NoiseSpec
from robohockey_sim.virtual_control import VirtualControl

LEAGUE = League()
ROBOTS = (RobotId("blue", 0), RobotId("blue", 1), RobotId("red", 0))
BLUE_0 = ROBOTS[0]
STOPPED = WheelCommand((0.0, 0.0))
CONTROL_S, STEP_S = 0.02, 0.001
TICKS = 5000
SIGMAS = 5.0


def radio(seed: int = 1, robots: tuple[RobotId, ...] = ROBOTS, **noise: float) -> VirtualControl:
    return control_of(replace(NoiseSpec(), **noise), seed, robots)


def control_of(noise: NoiseSpec, seed: int = 1, robots: tuple[RobotId, ...] = ROBOTS) -> VirtualControl:
    return VirtualControl(replace(LEAGUE, noise=noise), robots, seed)


def order(number: int) -> WheelCommand:
    """A command that tells which one it is; no wheel is ever asked to stand."""
    return WheelCommand((float(number + 1), -float(number + 1)), kick_power=0.5, dribble=0.25)


def drive(control: VirtualControl, ticks: int, first: int = 0) -> list[tuple[float, str, WheelCommand]]:
    """Send every robot a command each control step, as the physics node does; return all that was obeyed, with its time."""
    obeyed = []
    for tick in range(first, first + ticks):
        now_s, end_step = tick * CONTROL_S, (tick + 1) * 20
        for robot in ROBOTS:
            control.offer(robot, order(tick), now_s)
        step = tick * 20
        while step < end_step:
            now_s = step * STEP_S
            obeyed += [(now_s, str(robot), control.due(robot, now_s)) for robot in ROBOTS]
            step += control.steps_until_change(now_s, end_step - step)
        assert step == end_step
    return obeyed


def assert_rate(count: int, draws: int, chance: float) -> None:
    assert abs(count - draws * chance) < SIGMAS * math.sqrt(draws * chance * (1.0 - chance))


def test_no_noise_passes_the_very_same_command_on():
    control = radio()
    for tick in range(100):
        now_s, command = tick * CONTROL_S, order(tick)
        control.offer(BLUE_0, command, now_s)
        assert control.due(BLUE_0, now_s) is command
        assert control.due(BLUE_0, now_s + 0.019) is command
        assert control.steps_until_change(now_s, 20) == 20


def test_a_robot_stands_until_its_first_command_and_after_silence():
    control = radio(command_loss=1e-9)
    assert control.due(BLUE_0, 0.0) == radio().due(BLUE_0, 0.0) == STOPPED
    control.offer(BLUE_0, order(0), 0.0)
    timeout_s = LEAGUE.timing.command_timeout_s
    assert control.due(BLUE_0, timeout_s) == order(0)
    assert control.due(BLUE_0, timeout_s + STEP_S) == STOPPED
    assert control.due(ROBOTS[1], 0.0) == STOPPED


@pytest.mark.parametrize("delay_s", [0.001, 0.003, 0.02, 0.0333, 0.1])
def test_delay_is_exact_to_the_physics_step(delay_s):
    started: dict[WheelCommand, float] = {}
    for now_s, robot, command in drive(radio(command_delay_s=delay_s), 200):
        if robot == str(BLUE_0):
            started.setdefault(command, now_s)
    late_steps = math.ceil(round(delay_s / STEP_S, 6))
    assert started.pop(STOPPED) == 0.0
    assert len(started) >= 200 - 6
    for number in range(len(started)):
        assert started[order(number)] == pytest.approx(number * CONTROL_S + late_steps * STEP_S, abs=1e-12)


def test_a_delayed_step_is_split_only_where_something_changes():
    control = radio(command_delay_s=0.003)
    for robot in ROBOTS:
        control.offer(robot, order(0), 0.0)
        assert control.due(robot, 0.0) == STOPPED
    assert control.steps_until_change(0.0, 20) == 3
    assert [control.due(robot, 0.003) for robot in ROBOTS] == [order(0)] * len(ROBOTS)
    assert control.steps_until_change(0.003, 17) == 17


def test_a_delay_longer_than_the_timeout_is_no_silence():
    delay_s = 2.0 * LEAGUE.timing.command_timeout_s
    obeyed = [command for now_s, _, command in drive(radio(command_delay_s=delay_s), 100) if now_s >= delay_s + STEP_S]
    assert len(obeyed) > 100
    assert STOPPED not in obeyed


def test_lost_commands_leave_the_last_one_standing():
    obeyed = drive(radio(command_loss=0.03), TICKS)
    for robot in ROBOTS:
        lost = 0
        last = STOPPED
        commands = [command for _, name, command in obeyed if name == str(robot)]
        assert len(commands) == TICKS
        for tick, command in enumerate(commands):
            assert command in (order(tick), last)
            lost += command != order(tick)
            last = command
        assert_rate(lost, TICKS, 0.03)


def test_robots_lose_their_own_packets():
    fates = [
        tuple(
            command == order(round(now_s / CONTROL_S))
            for now_s, name, command in drive(radio(command_loss=0.5), 100)
            if name == str(r)
        )
        for r in ROBOTS
    ]
    assert len(set(fates)) == len(ROBOTS)


def test_a_radio_that_loses_all_stops_the_robots():
    assert {command for _, _, command in drive(radio(command_loss=1.0), 50)} == {STOPPED}


def locked_spans_s(control: VirtualControl, wheel: int, steps: int) -> list[tuple[float, float]]:
    """Spans in which a wheel of blue/0 stood, polled at every physics step."""
    stands = []
    for step in range(steps):
        if step % 20 == 0:
            control.offer(BLUE_0, order(0), step * STEP_S)
        stands.append(control.due(BLUE_0, step * STEP_S).wheel_speeds_rad_s[wheel] == 0.0)
    edges = np.flatnonzero(np.diff(np.array([False, *stands, False]).astype(int)))
    return [(start * STEP_S, end * STEP_S) for start, end in edges.reshape(-1, 2).tolist()]


def test_wheels_lock_as_often_and_as_long_as_asked():
    per_s, duration_s, watched_s = 2.0, 0.05, 100.0
    spans = locked_spans_s(
        radio(robots=(BLUE_0,), wheel_locks_per_s=per_s, wheel_lock_s=duration_s), 0, round(watched_s / STEP_S)
    )
    # A wheel locks once in every mean free time plus duration; polling makes edges a step uncertain.
    cycle_s = 1.0 / per_s + duration_s
    assert abs(len(spans) - watched_s / cycle_s) < SIGMAS * math.sqrt(watched_s / cycle_s)
    assert [end - start for start, end in spans[1:-1]] == pytest.approx([duration_s] * (len(spans) - 2), abs=STEP_S * 1.001)
    free_s = np.array([b[0] - a[1] for a, b in pairwise(spans)])
    assert free_s.mean() == pytest.approx(1.0 / per_s, rel=SIGMAS / math.sqrt(len(free_s)))
    assert_rate(int((free_s > 1.0 / per_s).sum()), len(free_s), math.exp(-1.0))


def test_a_locked_wheel_stands_alone_and_kick_and_dribble_go_on():
    obeyed = [command for _, _, command in drive(radio(wheel_locks_per_s=1.0), 500)]
    one_locked = [c for c in obeyed if (c.wheel_speeds_rad_s[0] == 0.0) != (c.wheel_speeds_rad_s[1] == 0.0)]
    assert len(one_locked) > 50
    assert {(c.kick_power, c.dribble) for c in obeyed} == {(0.5, 0.25)}


def test_locks_do_not_depend_on_how_often_one_asks():
    """The world in whole control steps and in single steps meets the same locks."""
    noise = {"wheel_locks_per_s": 2.0, "wheel_lock_s": 0.05}
    fine, coarse = radio(**noise), radio(**noise)
    for tick in range(500):
        for control in (fine, coarse):
            control.offer(BLUE_0, order(tick), tick * CONTROL_S)
        assert fine.due(BLUE_0, tick * CONTROL_S) == coarse.due(BLUE_0, tick * CONTROL_S)
        for step in range(1, 20):
            fine.due(BLUE_0, tick * CONTROL_S + step * STEP_S)


def test_locks_begin_and_end_on_a_step_that_is_announced():
    """Asking only where `steps_until_change` says gives every change that asking at each step gives."""
    noise = {"wheel_locks_per_s": 3.0, "wheel_lock_s": 0.0307, "command_delay_s": 0.0033, "command_loss": 0.1}
    announced = {(round(now_s / STEP_S), name): command for now_s, name, command in drive(radio(**noise), 300)}
    every_step = radio(**noise)
    now: dict[str, WheelCommand] = {}
    for step in range(300 * 20):
        for robot in ROBOTS:
            if step % 20 == 0:
                every_step.offer(robot, order(step // 20), step * STEP_S)
            now[str(robot)] = announced.get((step, str(robot)), now.get(str(robot), STOPPED))
            assert every_step.due(robot, step * STEP_S) == now[str(robot)]
    assert len(announced) > 300 * len(ROBOTS)


def wheels(stamp_s: float) -> JointSample:
    names = tuple(robot.joint(wheel) for robot in ROBOTS for wheel in ("left_wheel", "right_wheel"))
    return JointSample(stamp_s, names, np.arange(6.0), 10.0 + np.arange(6.0))


def test_replies_without_loss_are_the_same_sample():
    sample = wheels(1.0)
    assert radio().heard(sample) is sample


def test_lost_replies_take_whole_robots():
    control, lost = radio(reply_loss=0.1), dict.fromkeys(map(str, ROBOTS), 0)
    for i in range(TICKS):
        sample, heard = wheels(i * CONTROL_S), control.heard(wheels(i * CONTROL_S))
        robots = [split_joint(name)[0] for name in heard.names]
        assert heard.stamp_s == sample.stamp_s
        assert len(heard.effort) == 0
        for robot in lost:
            assert robots.count(robot) in (0, 2)
            lost[robot] += robot not in robots
        if i < 100:
            rows = [sample.names.index(name) for name in heard.names]
            assert heard.position.tolist() == rows
            assert heard.velocity.tolist() == [10.0 + row for row in rows]
    for count in lost.values():
        assert_rate(count, TICKS, 0.1)


ALL_ON = replace(NOISE_PRESETS["realistic"], wheel_locks_per_s=2.0)


def test_same_seed_same_commands_another_seed_others():
    first, again, other = (drive(control_of(ALL_ON, seed), 300) for seed in (5, 5, 6))
    assert first == again
    assert first != other


@pytest.mark.parametrize("other", [{"command_delay_s": 0.02}, {"wheel_locks_per_s": 1.0}, {"reply_loss": 0.5}])
def test_one_effect_does_not_shift_the_draws_of_another(other):
    def arrived(control: VirtualControl) -> set[tuple[str, float]]:
        return {(name, c.wheel_speeds_rad_s[0]) for _, name, c in drive(control, 300) if c.wheel_speeds_rad_s[0] > 0.0}

    alone, together = arrived(radio(command_loss=0.3)), arrived(radio(command_loss=0.3, **other))
    assert together <= alone
    assert len(together) > 0.6 * len(alone)


def test_a_robots_fate_does_not_depend_on_who_else_is_simulated():
    """Simulating fewer robots, as in a mixed match, leaves the rest as they were."""
    both = control_of(ALL_ON), control_of(ALL_ON, robots=(BLUE_0,))
    for tick in range(300):
        now_s = tick * CONTROL_S
        for control in both:
            control.offer(BLUE_0, order(tick), now_s)
        assert both[0].due(BLUE_0, now_s) == both[1].due(BLUE_0, now_s)


def test_snapshot_and_restore_go_on_bit_for_bit():
    control = control_of(ALL_ON)
    drive(control, 101)
    replies = [control.heard(wheels(0.0)).names for _ in range(5)]
    snapshot = control.snapshot()
    first = drive(control, 200, first=101), [control.heard(wheels(0.0)).names for _ in range(50)]
    drive(control, 20, first=301)
    control.restore(snapshot)
    assert (drive(control, 200, first=101), [control.heard(wheels(0.0)).names for _ in range(50)]) == first
    elsewhere = control_of(ALL_ON, seed=99)
    elsewhere.restore(snapshot)
    assert drive(elsewhere, 200, first=101) == first[0]
    assert replies


def test_reset_begins_the_same_run_again():
    control = control_of(ALL_ON)
    first = drive(control, 100)
    control.reset()
    assert control.due(BLUE_0, 0.0) == STOPPED
    control.reset()
    assert drive(control, 100) == first
