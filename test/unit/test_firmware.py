"""The C firmware says the same bytes as the Python side, and controls wheels as Minho eq 6 says."""

from __future__ import annotations

import os
import random
import shutil
from dataclasses import replace

import pytest
from protocol_fuzz import mutated_frames, random_bytes

from robohockey_core.league import League
from robohockey_hw import firmware
from robohockey_hw.emulator import Pid, RobotEmulator
from robohockey_hw.firmware import CompiledFirmware, make_firmware
from robohockey_hw.protocol import (
    Decoder,
    Drive,
    Fault,
    GroupDrive,
    Identify,
    Identity,
    Part,
    Ping,
    Pong,
    Stop,
    Telemetry,
    encode,
)
from robohockey_hw.robot_settings import WATCHDOG_S, PidGains, Sensed, settings_for

SETTINGS = settings_for(League(), 3, "test")
STILL = Sensed((0, 0))
BAD = ("good", "cobs", "length", "crc", "version", "type", "address", "speed", "too long")

needs_compiler = pytest.mark.skipif(firmware.compiler() is None, reason="no C compiler here")
both = pytest.mark.parametrize("kind", [pytest.param(CompiledFirmware, marks=needs_compiler), RobotEmulator])


def answers(robot, *messages, now_s=0.0):
    robot.hear(b"".join(map(encode, messages)), now_s)
    return Decoder().feed(robot.say(now_s))


@both
class TestObeying:
    def test_it_answers_what_is_meant_for_it(self, kind):
        robot = kind(SETTINGS)
        assert answers(robot, Ping(3, 9), now_s=66.051) == [Pong(3, 9, 66.051)]
        assert answers(robot, Identify(3, 10)) == [Identity(3, 10, 2, (1, 0), SETTINGS.parts, WATCHDOG_S, "test")]
        (telemetry,) = answers(robot, Drive(3, 200, (1.0, 2.0)))
        assert isinstance(telemetry, Telemetry)
        assert telemetry.sequence == 200
        assert answers(robot, Drive(4, 1, (1.0, 2.0)), Stop(255, 0), Ping(4, 1)) == []
        assert [m.sequence for m in answers(robot, Drive(3, 1, (1.0,)), Stop(3, 2))] == [1, 2]

    def test_a_group_is_obeyed_by_its_entry_and_answered_in_its_slot(self, kind):
        robot = kind(SETTINGS)
        drives = tuple(Drive(address, 7, (1.0 * address, 2.0)) for address in (1, 2, 3, 4))
        group = GroupDrive(7, drives, first=1, answers=3, slot_s=0.002)
        assert answers(robot, group, now_s=1.0) == []
        assert robot.say(1.001) == b""
        (telemetry,) = Decoder().feed(robot.say(1.002))
        assert (telemetry.address, telemetry.sequence) == (3, 7)
        assert robot.control(STILL, 1.005).duty[0] > 0.0
        assert answers(robot, replace(group, first=3, answers=3), now_s=2.0) == []
        assert robot.say(3.0) == b""  # 4, 1 and 2 were asked

    def test_silence_stops_it_and_is_told_once(self, kind):
        robot = kind(SETTINGS)
        answers(robot, Drive(3, 1, (10.0, -10.0)), now_s=1.0)
        assert robot.control(STILL, 1.0 + WATCHDOG_S).duty[0] > 0.0
        assert robot.control(STILL, 1.0 + WATCHDOG_S + 0.001).duty == (0.0, 0.0)
        answers(robot, Ping(3, 2), now_s=1.3)  # feeds no watchdog
        assert robot.control(STILL, 1.3).duty == (0.0, 0.0)
        assert [m.faults for m in answers(robot, Drive(3, 3, (1.0, 1.0)), Stop(3, 4), now_s=1.4)] == [
            Fault.COMMANDS_LOST,
            Fault(0),
        ]

    def test_an_empty_battery_holds_it_until_it_has_recovered(self, kind):
        robot = kind(SETTINGS)
        answers(robot, Drive(3, 1, (10.0, 10.0)), now_s=1.0)
        assert robot.control(Sensed((0, 0), battery_v=6.3), 1.0).duty == (0.0, 0.0)
        assert robot.control(Sensed((0, 0), battery_v=6.7), 1.0).duty == (0.0, 0.0)
        (telemetry,) = answers(robot, Drive(3, 2, (10.0, 10.0)), now_s=1.0)
        assert telemetry.faults == Fault.LOW_BATTERY | Fault.EMPTY_BATTERY
        assert robot.control(Sensed((0, 0), battery_v=6.9, temperature_c=71), 1.0).duty[0] > 0.0
        (telemetry,) = answers(robot, Drive(3, 3, (10.0, 10.0)), now_s=1.0)
        assert telemetry.faults == Fault.HOT

    def test_the_kicker_fires_at_the_puck_when_it_is_charged(self, kind):
        robot = kind(SETTINGS)
        answers(robot, Drive(3, 1, (0.0, 0.0), kick_power=1.0, dribble=0.2), now_s=1.0)
        assert robot.control(Sensed((0, 0)), 1.0).kick_power == 0.0
        assert robot.control(Sensed((0, 0), puck_near=True, kicker_charge=0.5), 1.0).kick_power == 0.0
        fired = robot.control(Sensed((0, 0), puck_near=True), 1.0)
        assert (fired.kick_power, fired.dribble) == (1.0, 0.2)

    def test_a_kicker_that_cannot_feel_fires_when_it_is_asked(self, kind):
        robot = kind(replace(SETTINGS, parts=Part.KICKER))
        fired = []
        for sequence, power in enumerate((0.0, 1.0, 1.0, 0.0, 0.4)):
            answers(robot, Drive(3, sequence, (0.0, 0.0), kick_power=power, dribble=1.0), now_s=1.0)
            acts = robot.control(STILL, 1.0)
            fired.append(round(acts.kick_power, 2))
            assert acts.dribble == 0.0
        assert fired == [0.0, 1.0, 0.0, 0.0, 0.4]


@both
def test_wheels_settle_on_their_speed_without_overshoot(kind):
    """A motor with a lag of 50 ms and a tenth less speed than its feed-forward thinks: the integral takes the rest."""
    robot, speed, angle, peak = kind(SETTINGS), 0.0, 0.0, 0.0
    per_turn, full = SETTINGS.counts_per_turn, 0.9 * League().robot.max_wheel_speed_rad_s
    for step in range(200):
        now_s = 0.005 * step
        answers(robot, Drive(3, step % 256, (30.0, 30.0)), now_s=now_s)
        counts = round(angle / 6.283185307 * per_turn)
        duty = robot.control(Sensed((counts, counts)), now_s).duty[0]
        speed += (duty * full - speed) * 0.005 / 0.05
        angle += speed * 0.005
        peak = max(peak, speed)
    assert speed == pytest.approx(30.0, abs=0.4)
    assert peak < 30.0 * 1.03


@both
@pytest.mark.parametrize("asked_rad_s", [5.0, 20.0, 48.0])
def test_a_wheel_on_its_way_at_full_acceleration_is_not_carried_past_its_speed(kind, asked_rad_s):
    """A wheel that follows its voltage at the league's acceleration and no faster, as the simulated ones do."""
    robot, speed, angle, peak = kind(SETTINGS), 0.0, 0.0, 0.0
    full, most = League().robot.max_wheel_speed_rad_s, 0.005 * League().robot.max_wheel_acceleration_rad_s2
    for step in range(200):
        answers(robot, Drive(3, step % 256, (asked_rad_s, asked_rad_s)), now_s=0.005 * step)
        counts = round(angle / 6.283185307 * SETTINGS.counts_per_turn)
        duty = robot.control(Sensed((counts, counts)), 0.005 * step).duty[0]
        speed += max(-most, min(most, duty * full - speed))
        angle += speed * 0.005
        peak = max(peak, speed)
    assert peak < asked_rad_s + most, "a period's change: the measurement is that old"
    assert speed == pytest.approx(asked_rad_s, abs=0.4)


def test_the_pid_is_the_ideal_one_of_minho_eq_6():
    """y = Kp (x + 1/Ti integral + Td dx/dt) of a ramp, against its closed form."""
    kp, ti_s, td_s, dt_s = 0.01, 0.5, 0.04, 0.001
    pid = Pid(PidGains(kp, ti_s, td_s, 0.0), dt_s)
    for step in range(1, 1001):
        t_s = step * dt_s
        y = pid.step(3.0 * t_s, 0.0)
    assert y == pytest.approx(kp * (3.0 * t_s + 1.5 * t_s**2 / ti_s + 3.0 * td_s), rel=2e-3)


@needs_compiler
def test_c_and_python_say_the_same_bytes_in_any_session():
    chance = random.Random(5)
    ours, theirs = RobotEmulator(SETTINGS), CompiledFirmware(SETTINGS)
    counts, said = [0, 0], 0
    for step in range(4000):
        now_s = round(0.005 * step, 3)
        if chance.random() < 0.3:
            message = chance.choice(
                [
                    Drive(3, step % 256, (chance.uniform(-60, 60), chance.uniform(-60, 60)), chance.random(), chance.random()),
                    Drive(chance.randrange(6), step % 256, (1.0,)),
                    Stop(chance.choice((3, 4, 255)), step % 256),
                    Ping(3, step % 256),
                    Identify(3, step % 256),
                    GroupDrive(
                        step % 256,
                        tuple(Drive(a, step % 256, (chance.uniform(-60, 60), 3.0)) for a in (1, 3, 5)),
                        chance.randrange(3),
                        chance.randrange(4),
                        0.003,
                    ),
                ]
            )
            data = bytearray(encode(message))
            if chance.random() < 0.1:
                data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
            for robot in (ours, theirs):
                robot.hear(bytes(data), now_s)
        if chance.random() < 0.02:
            continue  # a gap in which the watchdog may bite
        counts = [count + chance.randrange(-150, 200) for count in counts]
        sensed = Sensed(
            tuple(counts),
            battery_v=chance.choice((7.42, 7.42, 7.42, 6.61, 6.21)),
            temperature_c=chance.randrange(-20, 90),
            kicker_charge=chance.choice((0.25, 1.0)),
            puck_near=chance.random() < 0.5,
            faults=Fault(chance.choice((0, 4, 8, 16))),
        )
        mine, other = ours.control(sensed, now_s), theirs.control(sensed, now_s)
        assert other.duty == pytest.approx(mine.duty, abs=1e-6)
        assert (other.kick_power, other.dribble) == (mine.kick_power, mine.dribble)
        words = ours.say(now_s)
        assert theirs.say(now_s) == words
        said += len(words)
    assert said > 10_000


@needs_compiler
@pytest.mark.parametrize("noise", [random_bytes, mutated_frames])
def test_c_and_python_judge_noise_alike(noise):
    robot, decoder, good = CompiledFirmware(SETTINGS), Decoder(), 0
    for data in noise(seed=1, total_bytes=300_000):
        good += len(decoder.feed(data))
        robot.hear(data, 0.0)
    counts = dict(zip(BAD, robot.frame_counts(), strict=True))
    assert counts.pop("good") == good
    assert counts == {reason: decoder.bad[reason] for reason in BAD[1:]}


@pytest.mark.skipif("CI" not in os.environ, reason="only where every check must run")
def test_where_every_check_must_run_there_is_a_compiler():
    assert firmware.compiler() is not None, "install cc: the tests of the C firmware would be skipped"
    assert shutil.which("c++") is not None, "install c++: the tests of the Arduino example would be skipped"


def test_there_is_a_firmware_with_or_without_a_compiler(monkeypatch):
    monkeypatch.setattr(firmware, "compiler", lambda: None)
    assert isinstance(make_firmware(SETTINGS), RobotEmulator)
