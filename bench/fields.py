"""A decision of eleven robots by potential fields, and the same fields in plain numpy: `python -m bench.fields`."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import numpy as np

from robohockey_core.league import load_league
from robohockey_core.match_state import PLAY, MatchState
from robohockey_core.names import BLUE
from robohockey_core.state import BodyState, Pose2D, WorldState
from robohockey_strategy.fields import Base, Destination, FieldPlanner, Personal, Sight, Term, Zone, offense
from robohockey_strategy.view import TeamView, make_view

ROUNDS = 30


def numpy_waypoint(planner: FieldPlanner, view: TeamView, number: int, terms: tuple[Term, ...]) -> tuple[float, float]:
    """The lowest cell of the same sum, written with whole arrays; not even refined."""
    x, y = np.meshgrid(planner.xs, planner.ys, indexing="ij")
    puck = view.puck.pose
    half_m = view.league.robot.circumradius_m + view.league.puck.radius_m
    total = np.zeros_like(x)
    for term in terms:
        match term:
            case Base(gain):
                total += gain * np.hypot(x - view.their_goal.x_m, y - view.their_goal.y_m)
            case Destination(to_x, to_y, gain):
                total += gain * np.hypot(x - to_x, y - to_y)
            case Zone(y_low, y_high, x_low, x_high, gain):
                total += gain * ~((x >= x_low) & (x <= x_high) & (y >= y_low) & (y <= y_high))
            case Sight(gain):
                hidden = np.zeros(x.shape, dtype=bool)
                for robot in view.them.values():
                    ox, oy = robot.pose.x_m - puck.x_m, robot.pose.y_m - puck.y_m
                    gap = np.hypot(ox, oy)
                    along = ((x - puck.x_m) * ox + (y - puck.y_m) * oy) / gap
                    aside = ((y - puck.y_m) * ox - (x - puck.x_m) * oy) / gap
                    hidden |= (along > gap) & (np.abs(aside) * gap < half_m * along) & (gap > half_m)
                total += gain * hidden
            case Personal(gain):
                near = np.zeros(x.shape, dtype=bool)
                others = [robot for other, robot in view.us.items() if other != number]
                for robot in (*others, *view.them.values()):
                    near |= (x - robot.pose.x_m) ** 2 + (y - robot.pose.y_m) ** 2 <= planner.personal_m**2
                total += gain * near
    best = np.unravel_index(total.argmin(), total.shape)
    return float(x[best]), float(y[best])


def seconds_each(act: Callable[[], object], rounds: int) -> float:
    act()
    times_s = []
    for _ in range(rounds):
        started_s = time.process_time()
        act()
        times_s.append(time.process_time() - started_s)
    return statistics.median(times_s)


def main() -> None:
    league = load_league("mirosot_11v11")
    random = np.random.default_rng(1)
    room = (league.rink.length_m / 2.2, league.rink.width_m / 2.2)
    places = random.uniform(np.negative(room), room, (len(league.robots()) + 1, 2)).tolist()
    robots = {robot: BodyState(Pose2D(*place)) for robot, place in zip(league.robots(), places[1:], strict=True)}
    view = make_view(league, BLUE, WorldState(0.0, robots, BodyState(Pose2D(*places[0]))), MatchState(phase=PLAY))
    planner = FieldPlanner(league)
    sets = {number: offense(view, Zone(-1.4 + 0.25 * number, -1.1 + 0.25 * number)) for number in view.us}

    def compiled() -> None:
        planner.look(view)
        for number, terms in sets.items():
            planner.waypoint(number, terms)

    def plain() -> None:
        for number, terms in sets.items():
            numpy_waypoint(planner, view, number, terms)

    planner.look(view)
    for number, terms in sets.items():
        cell = planner.grid(number, terms)
        x_m, y_m = numpy_waypoint(planner, view, number, terms)
        value = cell[np.abs(planner.xs - x_m).argmin(), np.abs(planner.ys - y_m).argmin()]
        assert abs(value - cell.min()) < 1e-9, "both must find the same lowest cell"
    ours_s, numpy_s = seconds_each(compiled, ROUNDS), seconds_each(plain, 5)
    period_s = league.timing.strategy_period_s
    print(
        f"fields of 11 robots, {len(planner.xs)} x {len(planner.ys)} cells of {planner.cell_m * 100:g} cm, refined to 1 mm: "
        f"{ours_s * 1e3:.2f} ms, {ours_s / period_s:.1%} of a {period_s * 1e3:g} ms period (mark 10%); "
        f"plain numpy, not refined: {numpy_s * 1e3:.1f} ms, {numpy_s / ours_s:.0f} times as long (mark 10)"
    )


if __name__ == "__main__":
    main()
