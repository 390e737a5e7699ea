"""The plant without ROS and without a wire: firmware on simulated wheels, a stagehand, and what is measured of it."""

from __future__ import annotations

import contextlib
import os
import sys
import threading

import pytest

from robohockey_core.league import League
from robohockey_core.match_state import PLACE, PLAY, MatchState
from robohockey_core.names import PUCK, RobotId
from robohockey_core.state import BodyState, Pose2D
from robohockey_hw.driver import GROUP, SINGLE, Driver
from robohockey_hw.emulator import RobotEmulator
from robohockey_hw.protocol import Decoder, Drive, Telemetry, encode
from robohockey_match.air import Channel, Talk
from robohockey_match.latency import LatencyMeter
from robohockey_match.plant import Plant
from robohockey_match.plant_ports import PlantPorts
from robohockey_match.stagehand import places_by_hand

LEAGUE = League()
BLUE_0, BLUE_1 = RobotId("blue", 0), RobotId("blue", 1)


def drive(plant, robot, speeds, seconds, kick=0.0):
    board, said = plant.boards[robot], b""
    for tick in range(round(seconds / plant.period_s)):
        if tick % 4 == 0:
            board.firmware.hear(encode(Drive(board.firmware.settings.address, tick % 256, speeds, kick)), plant.time_s)
        plant.advance()
        said += board.firmware.say(plant.time_s)
    return [m for m in Decoder().feed(said) if isinstance(m, Telemetry)]


def test_on_one_radio_who_speaks_over_another_is_not_understood():
    channel = Channel()
    first, second = b"\1" * 20, b"\2" * 20  # 1.7 ms each
    assert channel.carry([Talk(1.000, first), Talk(1.003, second)]) == first + second
    assert channel.carry([Talk(2.000, first), Talk(2.001, second), Talk(2.004, first)]) == first
    assert channel.carry([Talk(2.005, second)]) == b""  # the last one still spoke
    assert channel.collision_count == 3


@pytest.mark.parametrize(("frames", "heard"), [(GROUP, {BLUE_0, BLUE_1}), (SINGLE, set())])
def test_robots_that_share_a_radio_are_heard_only_by_turns(tmp_path, frames, heard):
    plant = Plant(LEAGUE, {BLUE_0: 0, BLUE_1: 1}, puck=False)
    ports = PlantPorts(plant, tmp_path, shared=True)
    driver = Driver(LEAGUE, {BLUE_0: 0, BLUE_1: 1}, frames)
    (port,) = ports.ports
    port.plug()
    wire = os.open(port.path, os.O_RDWR | os.O_NONBLOCK)
    try:
        for _ in range(200):
            os.write(wire, driver.frames(plant.time_s) or b"\0")
            ports.exchange()
            plant.advance()
            with contextlib.suppress(BlockingIOError):
                driver.telemetry(os.read(wire, 4096), plant.time_s)
    finally:
        os.close(wire)
        port.unplug()
    assert {robot for robot in driver.robots if driver.line(robot).quality.silent_s(plant.time_s) is not None} == heard
    assert bool(port.channel.collision_count) is (not heard)


@pytest.mark.parametrize("make", [None, RobotEmulator])
def test_bytes_drive_a_robot_and_encoders_come_back(make):
    plant = Plant(LEAGUE, {BLUE_0: 7}, puck=False, **({"make": make} if make else {}))
    plant.place({str(BLUE_0): BodyState(Pose2D(-0.5, 0.0, 0.0))})
    answers = drive(plant, BLUE_0, (20.0, 20.0), 1.0)
    assert plant.world.body(str(BLUE_0)).twist.vx_m_s == pytest.approx(20.0 * LEAGUE.robot.wheel_radius_m, rel=0.02)
    assert answers[-1].wheel_speeds_rad_s == pytest.approx((20.0, 20.0), abs=0.5)
    assert len(answers) == 50
    # Nothing more is said: the watchdog stops it.
    for _ in range(round(0.6 / plant.period_s)):
        plant.advance()
    assert plant.world.body(str(BLUE_0)).twist.speed_m_s == pytest.approx(0.0, abs=0.01)


def test_a_kick_goes_through_the_firmware():
    plant = Plant(LEAGUE, {BLUE_0: 7})
    front_m = LEAGUE.robot.length_m / 2.0 + LEAGUE.puck.radius_m + 0.004
    plant.place({str(BLUE_0): BodyState(Pose2D(0.0, 0.0, 0.0)), PUCK: BodyState(Pose2D(front_m, 0.0))})
    drive(plant, BLUE_0, (0.0, 0.0), 0.02, kick=1.0)
    assert plant.world.body(PUCK).twist.vx_m_s > 0.9 * LEAGUE.kicker.max_puck_speed_m_s
    assert plant.time_s - plant.boards[BLUE_0].kicked_s < 0.05


def test_what_is_not_in_the_plant_stands_in_nobodys_way():
    plant = Plant(LEAGUE, {BLUE_0: 0, BLUE_1: 1}, puck=False)
    assert set(plant.bodies()) == {"blue/0", "blue/1"}
    plant.place({"blue/0": BodyState(Pose2D(0.0, 0.0, 0.0)), "red/0": BodyState(Pose2D(0.3, 0.0, 0.0))})
    drive(plant, BLUE_0, (50.0, 50.0), 0.6)
    assert plant.world.body("blue/0").pose.x_m > 0.4


def test_a_plant_may_hold_nothing_but_a_puck(tmp_path):
    plant = Plant(LEAGUE, {})
    ports = PlantPorts(plant, tmp_path, shared=True)
    plant.place({PUCK: BodyState(Pose2D(0.3, 0.2))})
    ports.exchange()
    plant.advance()
    assert ports.ports == []
    assert plant.bodies().keys() == {PUCK}
    assert plant.detections().names == ("puck/x", "puck/y", "puck/yaw")
    assert plant.world.body(PUCK).pose[:2] == (0.3, 0.2)


def test_a_robot_that_was_sent_off_leaves_the_others_their_own_encoders():
    plant = Plant(LEAGUE, {BLUE_1: 1, BLUE_0: 0}, puck=False)
    plant.world.take_off(str(BLUE_0))
    answers = drive(plant, BLUE_1, (20.0, 10.0), 0.5)
    assert answers[-1].wheel_speeds_rad_s == pytest.approx((20.0, 10.0), abs=0.5)
    plant.world.put_on(str(BLUE_0), BodyState(Pose2D(-0.5, 0.0, 0.0)))
    answers = drive(plant, BLUE_0, (10.0, 20.0), 0.5)
    assert answers[-1].wheel_speeds_rad_s == pytest.approx((10.0, 20.0), abs=0.5)


def test_the_stagehand_puts_what_the_referee_waits_for_where_it_wants_it():
    plant = Plant(LEAGUE, {BLUE_0: 0})
    wanted = {PUCK: Pose2D(0.55, -0.32), "blue/0": Pose2D(-0.3, 0.1), "red/0": Pose2D(0.3, 0.0)}
    state = MatchState(phase=PLACE, places=wanted, waiting_for=(PUCK, "red/0"))
    places = places_by_hand(state, plant.bodies())
    assert places == {PUCK: BodyState(wanted[PUCK])}  # blue/0 is in its place, red/0 is not here
    plant.place(places)
    assert plant.world.body(PUCK).pose[:2] == (0.55, -0.32)
    assert places_by_hand(MatchState(phase=PLAY), plant.bodies()) == {}


def test_latencies_are_those_of_the_matching_command_and_its_newest_picture():
    meter = LatencyMeter()
    meter.detected(taken_s=9.90, now_s=9.95)
    meter.commanded(BLUE_0, (1.0, 2.0), stamp_s=10.00)
    meter.detected(taken_s=9.93, now_s=10.01)  # after the command was made
    meter.commanded(BLUE_0, (3.0, 4.0), stamp_s=10.02)
    meter.turned(BLUE_0, (3.0, 4.0), 10.05)
    meter.turned(BLUE_0, (1.0, 2.0), 10.06)  # overtaken, and no longer waited for
    meter.turned(BLUE_0, (0.0, 0.0), 10.07)
    assert list(meter.command_to_wheel_s) == [pytest.approx(0.03)]
    assert list(meter.glass_to_wheel_s) == [pytest.approx(0.12)]
    assert meter.report()["glass to wheel p99 s"] == pytest.approx(0.12)


def test_a_drive_that_is_said_again_is_no_newer_command():
    meter = LatencyMeter()
    meter.commanded(BLUE_0, (3.0, 4.0), stamp_s=10.00)
    meter.turned(BLUE_0, (3.0, 4.0), 10.01)
    meter.commanded(BLUE_0, (3.0, 4.0), stamp_s=10.02)
    meter.turned(BLUE_0, (3.0, 4.0), 10.025)  # the first one again, or already the second: nobody can tell
    meter.commanded(BLUE_0, (5.0, 6.0), stamp_s=10.04)
    meter.turned(BLUE_0, (5.0, 6.0), 10.06)
    assert list(meter.command_to_wheel_s) == pytest.approx([0.01, 0.02])


def test_latencies_are_told_from_several_threads():
    """A meter that is told of a command while it looks for another one goes on; the plant's world depends on it."""
    meter, failures, switch_s = LatencyMeter(), [], sys.getswitchinterval()

    def turn_wheels():
        try:
            for number in range(3000):
                meter.turned(BLUE_0, (-1.0, float(number)), 1.0)
        except RuntimeError as error:
            failures.append(error)

    sys.setswitchinterval(1e-6)
    try:
        wheels = threading.Thread(target=turn_wheels)
        wheels.start()
        while wheels.is_alive():
            meter.commanded(BLUE_0, (1.0, 2.0), stamp_s=0.0)
            meter.detected(taken_s=0.0, now_s=0.0)
        wheels.join()
    finally:
        sys.setswitchinterval(switch_s)
    assert failures == []
