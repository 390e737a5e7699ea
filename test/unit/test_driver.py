from __future__ import annotations

import dataclasses
import math
import random
import socket
import time

import numpy as np
import pytest
import serial
from radio_channel import DRIVER, Channel

from robohockey_core.checked import InputError
from robohockey_core.commands import WheelCommand, commands_sample
from robohockey_core.joints import JointSample
from robohockey_core.league import League, RobotSpec, load_league
from robohockey_core.names import RobotId
from robohockey_hw.driver import GROUP, SINGLE, Driver, robots_with_addresses
from robohockey_hw.emulator import RobotEmulator
from robohockey_hw.health import complaints, condition
from robohockey_hw.link import DEFAULT_BAUD_RATE, FIRST_RETRY_S, LAST_RETRY_S, Link, open_link, open_port
from robohockey_hw.odometry import WheelOdometry
from robohockey_hw.protocol import Decoder, Drive, Fault, Identity, Part, Stop, Telemetry, encode
from robohockey_hw.robot_settings import WATCHDOG_S, Sensed, settings_for

LEAGUE = League()
WHEELS = ("left_wheel", "right_wheel")
BLUE_0, BLUE_1, RED_0 = RobotId("blue", 0), RobotId("blue", 1), RobotId("red", 0)


def sent(data: bytes) -> dict[int, Drive | Stop]:
    return {m.address: m for m in Decoder().feed(data) if isinstance(m, Drive | Stop)}


def commands(stamp_s: float = 0.0, **speeds: tuple[float, float]) -> JointSample:
    robots = {RobotId(*name.split("_")): WheelCommand(pair) for name, pair in speeds.items()}
    return commands_sample(stamp_s, WHEELS, robots)


@pytest.fixture
def driver():
    return Driver(LEAGUE, {BLUE_0: 5, BLUE_1: 6, RED_0: 7})


class TestDriver:
    def test_every_robot_gets_its_own_command_under_its_address(self, driver):
        command = {BLUE_0: WheelCommand((12.34, -5.5), kick_power=1.0), BLUE_1: WheelCommand((1.0, 2.0), dribble=1.0)}
        driver.offer("blue", commands_sample(0.0, WHEELS, command), now_s=10.0)
        drives = sent(driver.frames(10.1))
        assert drives[5].wheel_speeds_rad_s == pytest.approx((12.34, -5.5))
        assert (drives[5].kick_power, drives[5].dribble) == (1.0, 0.0)
        assert drives[6].wheel_speeds_rad_s == pytest.approx((1.0, 2.0))
        assert (drives[6].kick_power, drives[6].dribble) == (0.0, 1.0)
        assert drives[7].wheel_speeds_rad_s == (0.0, 0.0)

    def test_silence_stops_the_wheels(self, driver):
        timeout_s = LEAGUE.timing.command_timeout_s
        for late_s, speeds in ((0.0, (3.0, 3.0)), (0.001, (0.0, 0.0))):
            driver = Driver(LEAGUE, {BLUE_0: 5})
            driver.offer("blue", commands(blue_0=(3.0, 3.0)), now_s=10.0)
            assert sent(driver.frames(10.0 + timeout_s + late_s))[5].wheel_speeds_rad_s == pytest.approx(speeds)

    def test_a_command_goes_out_when_it_comes_and_a_quiet_robot_hears_once_a_period(self, driver):
        assert sent(driver.frames(10.0)).keys() == {5, 6, 7}
        assert driver.frames(10.005) == b""
        driver.offer("blue", commands(blue_0=(3.0, 3.0), blue_1=(1.0, 1.0)), now_s=10.012)
        assert sent(driver.frames(10.012)).keys() == {5, 6}
        driver.offer("blue", commands(blue_0=(4.0, 4.0)), now_s=10.014)
        assert driver.frames(10.014) == b""  # too soon: the wire has its limits
        assert sent(driver.frames(10.022)).keys() == {5, 6}
        assert sent(driver.frames(10.025)).keys() == {7}

    def test_a_refused_command_leaves_the_last_good_one(self, driver):
        driver.offer("blue", commands(blue_0=(3.0, 3.0)), now_s=10.0)
        driver.offer("blue", commands(blue_0=(float("nan"), 3.0)), now_s=10.1)
        driver.offer("blue", JointSample(0.0, ("blue/99/left_wheel",), velocity=np.ones(1)), now_s=10.1)
        assert driver.refused_count == 2
        assert "blue/99" in driver.last_refusal
        assert sent(driver.frames(10.1))[5].wheel_speeds_rad_s == pytest.approx((3.0, 3.0))

    def test_one_team_cannot_move_the_other(self, driver):
        driver.offer("blue", commands(red_0=(3.0, 3.0)), now_s=10.0)
        assert sent(driver.frames(10.0))[7].wheel_speeds_rad_s == (0.0, 0.0)

    def test_sequence_counts_every_frame_and_wraps(self, driver):
        driver.telemetry(encode(Identity(5, 0, 2, (1, 0), Part(9), 0.25, "uno")), 0.0)  # so nobody asks who it is
        sequences = [sent(driver.frames(0.025 * tick))[5].sequence for tick in range(257)]
        assert sequences == [*range(256), 0]

    def test_stop_reaches_every_robot(self, driver):
        stops = sent(driver.stop_frames())
        assert stops.keys() == {5, 6, 7, 255}
        assert all(isinstance(stop, Stop) for stop in stops.values())

    def test_a_burst_ends_what_was_cut_off_before_it(self, driver):
        half_a_frame = driver.frames(0.0)[:7]
        assert sent(half_a_frame + driver.frames(0.025)).keys() == {5, 6, 7}

    def test_telemetry_becomes_joints(self, driver):
        said = encode(Telemetry(6, 0, (1.5, -2.5), (0.5, 0.25), 7.4)) + encode(Telemetry(5, 0, (3.0, 4.0), (1.0, 2.0)))
        assert driver.telemetry(said[:10], now_s=3.0) is None
        sample = driver.telemetry(said[10:], now_s=4.0)
        assert sample.stamp_s == 4.0
        assert sample.names == ("blue/1/left_wheel", "blue/1/right_wheel", "blue/0/left_wheel", "blue/0/right_wheel")
        assert sample.position == pytest.approx([1.5, -2.5, 3.0, 4.0])
        assert sample.velocity == pytest.approx([0.5, 0.25, 1.0, 2.0])
        assert condition(driver.line(BLUE_1), 4.1)["battery V"] == pytest.approx(7.4)

    def test_telemetry_that_does_not_fit_is_counted(self, driver):
        stranger, three_wheels = Telemetry(99, 0, (0.0,) * 2, (0.0,) * 2), Telemetry(5, 0, (0.0,) * 3, (0.0,) * 3)
        assert (
            driver.telemetry(encode(stranger) + encode(three_wheels) + encode(Stop(5, 0)) + b"\x09\x01\x00", now_s=0.0) is None
        )
        assert driver.unexpected_count == 3
        assert driver.bad_frame_count == 1

    def test_wheels_that_do_not_fit_the_wire_are_refused(self):
        fast = dataclasses.replace(LEAGUE, robot=RobotSpec(max_wheel_speed_rad_s=400.0))
        many = dataclasses.replace(LEAGUE, robot=RobotSpec(drive="omni", wheel_angles_rad=tuple(np.linspace(0, 6, 9))))
        for league, named in ((fast, "max_wheel_speed_rad_s = 400"), (many, "9 wheels")):
            with pytest.raises(InputError, match=named):
                Driver(league, {BLUE_0: 0})

    def test_the_fastest_wheels_that_fit_are_sent(self):
        league = dataclasses.replace(LEAGUE, robot=RobotSpec(max_wheel_speed_rad_s=327.665))
        driver = Driver(league, {BLUE_0: 0})
        driver.offer("blue", commands(blue_0=(327.665 * (1 + 1e-6), -327.665 * (1 + 1e-6))), now_s=0.0)
        assert driver.refused_count == 0
        assert sent(driver.frames(0.0))[0].wheel_speeds_rad_s == pytest.approx((327.67, -327.67))

    @pytest.mark.parametrize(
        ("owns", "addresses", "named"),
        [
            ((), (), "owns is empty"),
            (("blue/0", "blue/1"), (0,), "owns names 2 robots but addresses has 1"),
            (("blue/9",), (0,), "blue/9"),
            (("puck",), (0,), "puck"),
            (("blue/0", "blue/0"), (0, 1), "blue/0 stands twice"),
            (("blue/0", "blue/1"), (4, 4), "4 stands twice"),
            (("blue/0",), (255,), "255"),
        ],
    )
    def test_bad_robots_and_addresses_are_refused_in_one_line(self, owns, addresses, named):
        with pytest.raises(InputError, match=named) as refusal:
            robots_with_addresses(LEAGUE, owns, addresses)
        assert "\n" not in str(refusal.value)


class TestLine:
    """Driver and firmware on one line, without a wire between them."""

    @pytest.mark.parametrize("frames", [SINGLE, GROUP])
    def test_driver_and_robots_on_one_line(self, frames):
        driver = Driver(LEAGUE, {BLUE_0: 5, BLUE_1: 6, RED_0: 7}, frames)
        robots = [RobotEmulator(settings_for(LEAGUE, address)) for address in (5, 6, 7)]
        turned = {robot: np.zeros(2) for robot in robots}
        driver.telemetry(b"".join(self.heard_by(robots, driver.ask_frames(0.0), 0.0)), 0.0)
        for tick in range(1, 104):
            now_s = 0.01 * tick
            driver.offer("blue", commands(blue_0=(50.0, 5.0)), now_s)
            driver.offer("red", commands(red_0=(-10.0, -20.0)), now_s)
            for robot in robots:
                speeds = np.array(robot.drive.wheel_speeds_rad_s) if robot.drive else np.zeros(2)
                turned[robot] += 0.01 * speeds
                robot.control(Sensed(tuple(np.round(turned[robot] / math.tau * 4096).astype(int).tolist())), now_s)
            data = driver.frames(now_s)
            driver.telemetry(b"".join(self.heard_by(robots, data, now_s)), now_s)
            driver.telemetry(b"".join(robot.say(now_s + 0.009) for robot in robots), now_s + 0.009)
        # 50 rad/s for a second wraps on the wire at 32.768 rad, and is counted on.
        assert driver.odometry(BLUE_0).angles_rad == pytest.approx([51.0, 5.1], abs=1.1)
        assert driver.odometry(RED_0).angles_rad == pytest.approx([-10.2, -20.4], abs=0.5)
        assert driver.odometry(BLUE_1).angles_rad == pytest.approx([0.0, 0.0])
        assert driver.bad_frame_count == driver.unexpected_count == 0
        for robot in (BLUE_0, BLUE_1, RED_0):
            line = driver.line(robot)
            assert line.identity.watchdog_s == WATCHDOG_S
            assert line.quality.loss(now_s) == 0.0
            assert line.quality.round_trip_s(0.99) <= 0.0091
            assert complaints(line, now_s) == []
            assert condition(line, now_s)["faults"] == "none"

    @staticmethod
    def heard_by(robots, data, now_s):
        for robot in robots:
            robot.hear(data, now_s)
            yield robot.say(now_s)

    def test_odometry_follows_an_arc(self):
        drive = LEAGUE.robot.make_drive()
        odometry = WheelOdometry(drive)
        speeds = drive.wheel_speeds(np.array([0.5, 0.0, 1.0]))
        for step in range(315):
            angles = (speeds * 0.01 * step + 32.768) % 65.536 - 32.768
            odometry.take(tuple(angles), tuple(speeds), 0.01 * step)
        assert odometry.pose == pytest.approx((0.5 * math.sin(3.14), 0.5 - 0.5 * math.cos(3.14), 3.14), abs=1e-9)
        assert odometry.twist == pytest.approx([0.5, 0.0, 1.0])

    def test_loss_and_round_trips_are_measured(self, driver):
        chance = random.Random(2)
        robot = RobotEmulator(settings_for(LEAGUE, 5))
        for tick in range(1000):
            now_s = 0.025 * tick
            robot.hear(driver.frames(now_s), now_s)
            said = robot.say(now_s)
            if chance.random() >= 0.2:
                driver.telemetry(said, now_s + 0.004)
        line = driver.line(BLUE_0)
        assert line.quality.loss(now_s) == pytest.approx(0.2, abs=0.07)
        assert line.quality.round_trip_s(0.5) == pytest.approx(0.004)
        assert complaints(line, now_s + 0.3) == ["silent for 0.3 s"]
        assert complaints(driver.line(BLUE_1), now_s) == ["never answered"]

    def test_a_robot_that_does_not_fit_is_told_of_by_name(self, driver):
        driver.telemetry(encode(Identity(5, 0, 3, (1, 0), Part(9), 0.5, "omni")), 1.0)
        driver.telemetry(encode(Identity(6, 0, 2, (1, 0), Part(9), 0.25, "uno")), 1.0)
        assert complaints(driver.line(BLUE_0), 1.1) == [
            "has 3 wheels and not 2",
            "stops only 0.5 s after the last command and not 0.25 s",
        ]
        assert complaints(driver.line(BLUE_1), 1.1) == []

    def test_a_robot_that_answers_with_a_fault_is_told_of(self, driver):
        driver.telemetry(encode(Telemetry(5, 0, (0.0,) * 2, (0.0,) * 2, faults=Fault.LOW_BATTERY | Fault.EMPTY_BATTERY)), 1.0)
        assert complaints(driver.line(BLUE_0), 1.1) == ["low battery", "empty battery"]

    def test_emergency_stops_all_until_it_is_over(self, driver):
        driver.offer("blue", commands(blue_0=(3.0, 3.0)), now_s=0.0)
        driver.emergency = True
        assert all(isinstance(m, Stop) for m in sent(driver.frames(0.0)).values())
        driver.emergency = False
        driver.hold()
        assert sent(driver.frames(0.025))[5].wheel_speeds_rad_s == (0.0, 0.0)
        driver.offer("blue", commands(blue_0=(3.0, 3.0)), now_s=0.04)
        assert sent(driver.frames(0.04))[5].wheel_speeds_rad_s == pytest.approx((3.0, 3.0))


@pytest.mark.parametrize(("frames", "both_ways"), [(SINGLE, False), (GROUP, True)])
def test_eleven_robots_at_50_hz_fit_115200_baud(frames, both_ways):
    """Single frames need a full-duplex line and a radio that lets answers wait; a group needs one channel for all."""
    league = load_league("mirosot_11v11")
    robots = {robot: robot.number for robot in league.robots() if robot.team == "blue"}
    radio = Channel(league, robots, Driver(league, robots, frames))
    radio.play(2.0)
    assert all(robot.drive is not None for robot in radio.firmware.values())
    talks = [talk for talk in radio.talks if 1.0 <= talk[0] < 2.0]
    down_s, up_s = (sum(end - begin for begin, end, who in talks if (who == DRIVER) is down) for down in (True, False))
    assert sum(who == DRIVER for _, _, who in talks) == pytest.approx(50, abs=1)
    assert down_s <= 1.0
    assert up_s <= 1.0
    assert not both_ways or (down_s + up_s <= 1.0 and radio.collisions() == 0)


class FakePort:
    """A port that works until it is told to break."""

    def __init__(self) -> None:
        self.written = b""
        self.broken = self.closed = False

    def read(self, _size: int) -> bytes:
        self._check()
        return b"heard"

    def write(self, data: bytes) -> int:
        self._check()
        self.written += data
        return len(data)

    def reset_output_buffer(self) -> None:
        self._check()

    def close(self) -> None:
        self.closed = True

    def _check(self) -> None:
        if self.broken:
            raise serial.SerialException("unplugged")


def at_once(work):
    work()


class TestLink:
    def test_a_missing_device_is_tried_again_later_and_later(self):
        now_s, tries_s = 0.0, []

        def missing():
            tries_s.append(now_s)
            raise serial.SerialException("no such\n device")

        link = Link("x", missing, at_once)
        for tick in range(7 * 64):
            now_s = tick / 64
            assert not link.write(b"lost", now_s)
            assert link.read(now_s) == b""
        gaps_s = np.diff(tries_s).tolist()
        assert gaps_s == [FIRST_RETRY_S, 2 * FIRST_RETRY_S, 4 * FIRST_RETRY_S, LAST_RETRY_S, LAST_RETRY_S]
        assert (link.up, link.error_count, link.last_error) == (False, len(tries_s), "no such device")

    def test_a_lost_port_is_closed_and_opened_again(self):
        ports = [FakePort(), FakePort()]
        waiting = iter(ports)
        link = Link("x", lambda: next(waiting), at_once)
        assert link.write(b"first", 0.0)
        assert link.read(0.0) == b"heard"
        ports[0].broken = True
        assert not link.write(b"lost", 1.0)
        assert ports[0].closed
        assert not link.up
        assert not link.write(b"still down", 1.0 + FIRST_RETRY_S / 2)
        assert link.write(b"second", 1.0 + FIRST_RETRY_S)
        assert (ports[0].written, ports[1].written) == (b"first", b"second")
        assert (link.up, link.reopen_count, link.error_count, link.last_error) == (True, 1, 1, "unplugged")
        link.close()
        assert ports[1].closed

    def test_a_slow_port_does_not_hold_up_the_caller(self):
        port, pending = FakePort(), []
        link = Link("x", lambda: port, pending.append)
        assert not link.write(b"too early", 0.0)
        assert link.read(0.1) == b""
        (opening,) = pending
        opening()
        assert link.write(b"ready", 0.2)
        assert port.written == b"ready"

    def test_a_port_that_opens_after_the_link_was_closed_is_closed_too(self):
        ports, pending = [FakePort(), FakePort(), FakePort()], []
        waiting = iter(ports)
        link = Link("x", lambda: next(waiting), pending.append)
        link.read(0.0)
        link.close()
        pending.pop()()
        assert ports[0].closed
        link.read(0.1)  # used again: it opens again
        pending.pop()()
        link.close()  # open, and nobody has picked it up yet
        assert ports[1].closed
        link.read(0.2)
        pending.pop()()
        assert link.write(b"ready", 0.3)
        assert (ports[2].closed, ports[2].written) == (False, b"ready")

    def test_a_real_loop_port_brings_back_what_was_written(self):
        link = Link("loop://", lambda: serial.serial_for_url("loop://", timeout=0, write_timeout=0.02), at_once)
        assert link.write(b"there and back", 0.0)
        assert link.read(0.0) == b"there and back"
        link.close()
        assert not link.up

    def test_a_socket_sends_and_notices_its_end(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            url = f"socket://127.0.0.1:{server.getsockname()[1]}"
            link = Link(url, lambda: open_port(url, DEFAULT_BAUD_RATE), at_once)
            assert link.write(b"hello", 0.0)
            robot, _ = server.accept()
            with robot:
                assert robot.recv(16) == b"hello"
                robot.shutdown(socket.SHUT_RDWR)
                deadline_s = time.monotonic() + 10.0
                while link.up and time.monotonic() < deadline_s:
                    assert link.read(0.0) == b""
        assert not link.up
        assert "disconnected" in link.last_error

    @pytest.mark.parametrize(
        "url", ["", "carrier-pigeon://coop", "socket://host", "socket://host:99999", "alt:///dev/x?class=No"]
    )
    def test_a_url_that_can_never_work_is_refused_in_one_line(self, url):
        with pytest.raises(InputError, match="link") as refusal:
            open_link(url)
        assert "\n" not in str(refusal.value)
        assert "socket://host:port" in str(refusal.value)

    @pytest.mark.parametrize("url", ["/dev/no-such-robot", "socket://127.0.0.1:9", "loop://"])
    def test_a_url_that_may_work_later_is_taken(self, url):
        assert not open_link(url).up
