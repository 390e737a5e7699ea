"""Mixed reality, with the real ones in camera images: robots behind a plant's serial ports, a puck, or both."""

from __future__ import annotations

import math

import pytest
from harness import wait_for
from system_match import command, end

from robohockey_core.joints import bodies_of, bodies_sample, world_of
from robohockey_core.league import load_league
from robohockey_core.names import PUCK, RobotId
from robohockey_core.ros import conversions, topics
from robohockey_core.state import BodyState, Pose2D

LEAGUE = load_league("micro_hockey")
REAL = (RobotId("blue", 1), RobotId("red", 1))
SIMULATED = (RobotId("blue", 2),)
TOUCH_M = LEAGUE.robot.length_m / 2.0 + LEAGUE.puck.radius_m + 0.015


class Scorers:
    """Who touched the puck last before each goal, by the ground truth."""

    def __init__(self, probe) -> None:
        self.truth = probe.hear(topics.GROUND_TRUTH)
        self.events = probe.hear(topics.MATCH_EVENTS)
        self._read = self._goals = 0
        self._last: RobotId | None = None
        self.scored: set[RobotId] = set()

    def look(self) -> set[RobotId]:
        for message in self.truth[self._read :]:
            world = world_of(conversions.joint_sample(message))
            near = min(world.robots, key=lambda robot: math.dist(world.robots[robot].pose[:2], world.puck.pose[:2]))
            if math.dist(world.robots[near].pose[:2], world.puck.pose[:2]) < TOUCH_M:
                self._last = near
        self._read = len(self.truth)
        goals = [e for e in self.events if e.name == "goal"]
        if len(goals) > self._goals:
            self._goals = len(goals)
            if self._last is not None:
                self.scored.add(self._last)
        return self.scored

    def bodies(self):
        return bodies_of(conversions.joint_sample(self.truth[-1]))


def chance_for(kind) -> dict[str, BodyState]:
    """The puck before red's open goal; the simulated robot behind it, or out of the way for a real one."""
    x_m = LEAGUE.rink.length_m / 2.0
    mine = Pose2D(x_m - 0.4, 0.0, 0.0) if kind == SIMULATED else Pose2D(-x_m + 0.15, 0.45, 0.0)
    aside = {f"red/{n}": BodyState(Pose2D(0.1 * n - 0.5, -0.5, math.pi)) for n in (0, 2)}
    return {str(SIMULATED[0]): BodyState(mine), PUCK: BodyState(Pose2D(x_m - 0.3, 0.0)), **aside}


@pytest.mark.slow
def test_real_and_simulated_robots_play_one_match_and_both_score(domain, ros_probe):
    scorers = Scorers(ros_probe)
    states = ros_probe.hear(topics.MATCH_STATE)
    arguments = ["rehearse", "--bodies", *map(str, REAL), "--red", "idle"]
    with command(domain, *arguments) as process:
        mover = ros_probe.speaker(topics.SET_STATE)
        wait_for(lambda: scorers.truth and len(scorers.bodies()) == 7, "a world with all six robots and the puck")
        for kind in (REAL, SIMULATED):
            given = 0

            def scored(kind=kind):
                """Now and then the kind that has not scored yet gets a chance."""
                nonlocal given
                playing = states and conversions.status_values(states[-1])["phase"] == "play"
                if playing and (not given or len(scorers.truth) - given > 400):
                    given = len(scorers.truth)
                    mover.publish(conversions.joint_message(bodies_sample(0.0, chance_for(kind)), topics.RINK_FRAME))
                return scorers.look() & set(kind)

            wait_for(scored, f"a goal of {' or '.join(map(str, kind))}", timeout_s=120.0)
        output = end(process)
    assert "Traceback" not in output


@pytest.mark.slow
@pytest.mark.parametrize("bodies", [("puck",), ("puck", "blue/1")], ids=["alone", "with a real robot"])
def test_simulated_robots_go_for_a_real_puck(domain, ros_probe, bodies):
    """Robots that are not there meet a puck that is: by what the camera sees of it, they come to it."""
    scorers, states = Scorers(ros_probe), ros_probe.hear(topics.MATCH_STATE)
    seen = ros_probe.hear(topics.DETECTIONS)

    def nearest_m() -> float:
        there = scorers.bodies()
        return min(math.dist(there[str(robot)].pose[:2], there[PUCK].pose[:2]) for robot in simulated)

    simulated = [robot for robot in LEAGUE.robots() if str(robot) not in bodies]
    with command(domain, "rehearse", "--bodies", *bodies) as process:
        wait_for(lambda: scorers.truth and len(scorers.bodies()) == 7, "a world with all robots and the puck")
        wait_for(lambda: states and conversions.status_values(states[-1])["phase"] == "play", "play")
        real = {f"{body}/x" for body in bodies}
        wait_for(lambda: any(real <= {*m.name} for m in list(seen)), "detections of what is real")
        wait_for(lambda: nearest_m() < TOUCH_M, "a simulated robot at the real puck")
        output = end(process)
    assert "Traceback" not in output
