"""Turns on the spot as in Minho Fig 6, by the robots of every league: `python -m bench.heading`.

Ends with exit code 1 when the robots of msl_omni are slower or less exact than the marks.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, replace

from robohockey_core.actions import Target
from robohockey_core.angles import difference
from robohockey_core.joints import bodies_sample
from robohockey_core.league import load_league, preset_files
from robohockey_core.names import BLUE, RobotId
from robohockey_core.state import BodyState, Pose2D
from robohockey_sim.world import World
from robohockey_strategy.motion import Motion

ROBOT = RobotId(BLUE, 0)
MARKED = "msl_omni"
FROM_DEG, TO_DEG = 70.0, 180.0
SETTLED_DEG = 1.0
MOST_S, MOST_OVERSHOOT_DEG, MOST_STEADY_DEG = 0.9, 1.0, 0.2
"""The marks. A steady error below a fifth of what counts as settled is none."""


@dataclass(frozen=True)
class Turn:
    """How a turn went: when it was within a degree for good, how far it went past its end, and what was left."""

    settled_s: float
    overshoot_deg: float
    steady_deg: float

    @property
    def meets_the_marks(self) -> bool:
        exact = self.overshoot_deg <= MOST_OVERSHOOT_DEG and abs(self.steady_deg) < MOST_STEADY_DEG
        return exact and self.settled_s <= MOST_S


def turn(league_name: str, turn_deg: float = TO_DEG - FROM_DEG, duration_s: float = 3.0) -> Turn:
    """Turn a robot on the spot that begins at 70 degrees; the motion sees what is so, as with a perfect camera."""
    league = load_league(league_name)
    league = replace(league, match=replace(league.match, players=1))
    world, motion = World(league), Motion(league)
    start_rad = math.radians(FROM_DEG)
    goal = Pose2D(0.0, 0.25 * league.rink.width_m, start_rad + math.radians(turn_deg))
    world.set_state(bodies_sample(0.0, {str(ROBOT): BodyState(goal._replace(yaw_rad=start_rad))}))
    target = Target(goal, face=True)
    past_deg = []
    for _ in range(round(duration_s / league.timing.control_dt_s)):
        world.command(ROBOT, motion.command(ROBOT, world.body(str(ROBOT)), target))
        world.step(league.physics_steps_per_control)
        past_rad = difference(world.body(str(ROBOT)).pose.yaw_rad, goal.yaw_rad)
        past_deg.append(math.degrees(past_rad) * math.copysign(1.0, turn_deg))
    settled = 1 + max((step for step, error in enumerate(past_deg) if abs(error) > SETTLED_DEG), default=-1)
    return Turn((settled + 1) * league.timing.control_dt_s, max(0.0, *past_deg), past_deg[-1])


def main() -> None:
    print(f"turns from {FROM_DEG:g} to {TO_DEG:g} degrees; settled: within {SETTLED_DEG:g} degree for good")
    for name in preset_files():
        went = turn(name)
        marks = f"   (marks {MOST_S} s, {MOST_OVERSHOOT_DEG:g}, {MOST_STEADY_DEG:g})" if name == MARKED else ""
        told = f"settled {went.settled_s:.2f} s, overshoot {went.overshoot_deg:.2f}, steady {went.steady_deg:.3f} degrees"
        print(f"  {name:16} {told}{marks}", flush=True)
    sys.exit(0 if turn(MARKED).meets_the_marks else 1)


if __name__ == "__main__":
    main()
