"""On a shared radio only one speaks at a time."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from radio_channel import DRIVER, Channel

from robohockey_core.checked import InputError
from robohockey_core.league import League, load_league
from robohockey_core.names import RobotId
from robohockey_hw.driver import GROUP, SINGLE, Driver
from robohockey_hw.protocol import Decoder, GroupDrive, Stop


def channel(name: str, players: int, teams: tuple[str, ...], frames: str = GROUP) -> Channel:
    league = load_league(name)
    league = replace(league, match=replace(league.match, players=players))
    chosen = [robot for robot in league.robots() if robot.team in teams]
    robots = {robot: address for address, robot in enumerate(chosen)}
    return Channel(league, robots, Driver(league, robots, frames))


@pytest.mark.parametrize(
    ("name", "players", "teams"),
    [
        ("micro_hockey", 3, ("blue", "red")),
        ("mirosot_11v11", 11, ("blue",)),
        ("msl_omni", 5, ("blue",)),
        ("msl_omni", 5, ("blue", "red")),
        ("mirosot_11v11", 11, ("blue", "red")),
    ],
)
def test_in_a_group_nobody_speaks_over_another(name, players, teams):
    radio = channel(name, players, teams)
    radio.play(2.0)
    assert radio.collisions() == 0
    # And everybody is heard and driven often enough, whoever has to be asked who it is.
    for robot in radio.robots:
        line = radio.driver.line(robot)
        assert line.identity is not None
        assert line.quality.loss(2.0) == 0.0
        times_s = [begin_s for begin_s, _, who in radio.talks if who == str(robot) and begin_s > 1.0]
        assert max(b - a for a, b in pairwise(times_s)) < 0.25
    bursts_s = [begin_s for begin_s, _, who in radio.talks if who == DRIVER]
    assert max(b - a for a, b in pairwise(bursts_s)) < 0.05


def test_robots_that_all_answer_at_once_speak_over_each_other():
    radio = channel("micro_hockey", 3, ("blue",), SINGLE)
    radio.play(0.5)
    assert radio.collisions(of_robots=True) > 10


def test_both_teams_commands_that_come_together_share_a_frame():
    radio = channel("micro_hockey", 3, ("blue", "red"))
    radio.play(1.0)
    bursts_s = [begin_s for begin_s, _, who in radio.talks if who == DRIVER and begin_s > 0.5]
    assert 23 <= len(bursts_s) <= 26


@pytest.mark.parametrize(("wheels", "robots"), [(3, 22), (8, 22), (8, 60), (2, 54)])
def test_robots_too_many_for_a_frame_get_several(wheels, robots):
    """A frame carries 200 bytes at most: 22 omni robots do not fit in one."""
    league = League()
    angles = tuple(0.7 * k for k in range(wheels))
    spec = replace(league.robot, drive="omni", wheel_angles_rad=angles) if wheels > 2 else league.robot
    league = replace(league, robot=spec, match=replace(league.match, players=robots))
    owned = {RobotId("blue", number): number for number in range(robots)}
    driver = Driver(league, owned, GROUP, baud_rate=1_000_000)
    answered: set[int] = set()
    for tick in range(60):
        messages = Decoder().feed(driver.frames(0.05 * tick))
        groups = [message for message in messages if isinstance(message, GroupDrive)]
        assert len(groups) > 1
        assert sorted(d.address for g in groups for d in g.drives) == list(range(robots))
        assert all(group.answers == 0 for group in groups[:-1])  # answers follow the last frame
        last = groups[-1]
        answered |= {d.address for d in last.drives if last.answer_place(d.address) is not None}
        for robot in owned:
            driver.line(robot).asked_s = 0.05 * tick  # nobody is asked who it is
    assert answered == set(range(robots))


def test_an_emergency_stop_reaches_all_and_one_answers():
    radio = channel("micro_hockey", 3, ("blue", "red"))
    radio.driver.emergency = True
    radio.play(1.0)
    assert radio.collisions() == 0
    stops = [m for m in Decoder().feed(radio.driver.frames(2.0)) if isinstance(m, Stop)]
    assert [stop.address == 255 for stop in stops] == [True, False]
    assert all(radio.driver.line(robot).quality.silent_s(1.0) < 0.25 for robot in radio.robots)


def test_a_radio_that_is_too_slow_is_refused_in_one_line():
    league = load_league("mirosot_11v11")
    robots = {robot: number for number, robot in enumerate(league.robots())}
    with pytest.raises(InputError, match="baud_rate 9600: too slow for 22 robots"):
        Driver(league, robots, GROUP, 9600)
