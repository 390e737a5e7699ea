"""How teams played a headless match: robots that idled, players in each other's way, goals of a team into its own net.

All of it from the true bodies on the rink: what the tracker makes of a noisy camera jitters, and jitter looks like motion.
"""

from __future__ import annotations

import math

import numpy as np

from robohockey_core.geometry import OrientedBox, Point
from robohockey_core.names import PUCK, TEAMS, RobotId
from robohockey_core.state import BodyState
from robohockey_match.engine import Engine

IDLE_LENGTHS_A_MINUTE = 0.5
"""A robot that drives less than so many lengths of the rink in a minute of play idles."""
IN_THE_WAY_RADII = 2.4
"""Two field players of one team nearer than so many circumradii, of whom one does not get on, are in each other's way."""
SLOW_SHARE = 0.08
"""Who is slower than this share of the top speed does not get on."""
IN_THE_WAY_S = 2.0
"""No two field players of one team should be in each other's way for longer."""
APART_S = 0.2
"""Who was out of each other's way for less than this was not."""
TOUCH_M = 0.001
FINE_M = 0.005
AIMED_SHARE = 0.3
"""Who drives at its own goal with more than this share of the top speed means it."""
AIM_LASTS_S = 0.3
REBOUND_S = 0.1
"""Nobody aims a puck that struck it so shortly before."""
PLACED_M = 0.1
"""A step this long in one control step is a restart and not motion."""


class Conduct:
    """Watches one match; call `watch` after every tick of its engine."""

    def __init__(self, engine: Engine) -> None:
        self._engine, self._league = engine, engine.league
        self._world = engine.rink.world
        self._drive = engine.league.robot.make_drive().inverse
        self._rows = {team: np.array([row for row, r in enumerate(self._world.robots) if r.team == team]) for team in TEAMS}
        self.travelled_m = np.zeros(len(self._world.robots))
        self.played_s = 0.0
        self.longest_in_the_way_s = dict.fromkeys(TEAMS, 0.0)
        self.own_goals = dict.fromkeys(TEAMS, 0)
        """Goals of the other team after which this one had touched the puck last; most are shots that it failed to keep out."""
        self.aimed_own_goals = dict.fromkeys(TEAMS, 0)
        """Those of them that it kicked or drove at its own goal, other than by a puck that flew at it."""
        self._before, self._puck_before = self._world.poses.copy(), self._world.body(PUCK)
        self._close: dict[tuple[int, int], tuple[float, float]] = {}
        self._touched_by: RobotId | None = None
        self._aimed_s = self._struck_s = -math.inf
        self._scores = dict.fromkeys(TEAMS, 0)

    @property
    def idlers(self) -> list[RobotId]:
        """Robots that hardly moved in a whole match."""
        least_m = IDLE_LENGTHS_A_MINUTE * self._league.rink.length_m * self.played_s / 60.0
        return [robot for robot, way_m in zip(self._world.robots, self.travelled_m.tolist(), strict=True) if way_m < least_m]

    def watch(self) -> None:
        """Take in one control step."""
        state, poses = self._engine.state, self._world.poses
        for team in TEAMS:
            if state.score(team) > self._scores[team]:
                self._goal_of(team)
            self._scores[team] = state.score(team)
        if state.playing:
            steps_m = np.hypot(*(poses - self._before)[:, :2].T)
            self.travelled_m += np.where(steps_m < PLACED_M, steps_m, 0.0)
            self.played_s += self._league.timing.control_dt_s
            self._watch_crowding(steps_m / self._league.timing.control_dt_s)
            self._watch_touches()
        else:
            self._close.clear()
            self._touched_by = None
        self._before[:], self._puck_before = poses, self._world.body(PUCK)

    def _watch_crowding(self, speeds_m_s: np.ndarray) -> None:
        near_m = IN_THE_WAY_RADII * self._league.robot.circumradius_m
        slow_m_s = SLOW_SHARE * self._league.robot.max_speed_m_s
        now_s = self._engine.time_s
        for team, rows in self._rows.items():
            places = self._world.poses[rows, :2]
            goal_x_m = self._own_goal(team).x_m
            keeper = np.hypot(places[:, 0] - goal_x_m, places[:, 1]).argmin()
            gaps_m = np.hypot(*(places[:, None] - places[None]).T)
            for a, b in np.argwhere(np.triu(gaps_m < near_m, 1)).tolist():
                pair = int(rows[a]), int(rows[b])
                if keeper in (a, b) or min(speeds_m_s[pair[0]], speeds_m_s[pair[1]]) > slow_m_s:
                    continue
                since_s, last_s = self._close.get(pair, (now_s, now_s))
                since_s = since_s if now_s - last_s < APART_S else now_s
                self._close[pair] = since_s, now_s
                self.longest_in_the_way_s[team] = max(self.longest_in_the_way_s[team], now_s - since_s)

    def _watch_touches(self) -> None:
        league, puck, before = self._league, self._world.body(PUCK), self._puck_before
        reach_m = league.puck.radius_m + TOUCH_M
        gaps_m = np.hypot(self._world.poses[:, 0] - puck.pose.x_m, self._world.poses[:, 1] - puck.pose.y_m)
        # A puck may have come and gone between two looks.
        dt_s = league.timing.control_dt_s
        flown_m = max(before.twist.speed_m_s, puck.twist.speed_m_s) * dt_s
        for row in np.flatnonzero(gaps_m < league.robot.circumradius_m + reach_m + flown_m).tolist():
            robot = self._world.robots[row]
            body = self._world.body(str(robot))
            box = OrientedBox(body.pose.point, body.pose.yaw_rad, league.robot.length_m, league.robot.width_m)
            looks = 1 + math.ceil(flown_m / FINE_M)
            ways = ((start, k / looks * way_s) for start, way_s in ((before, dt_s), (puck, -dt_s)) for k in range(looks))
            if all(box.clearance(_moved(start, after_s)) > reach_m for start, after_s in ways):
                continue
            if robot != self._touched_by:
                self._touched_by, self._aimed_s = robot, -math.inf
            if self._flew_at(body):
                self._struck_s = self._engine.time_s
            elif self._engine.time_s - self._struck_s > REBOUND_S and self._aims_at_own_goal(robot, body, puck.pose.point):
                self._aimed_s = self._engine.time_s

    def _flew_at(self, body: BodyState) -> bool:
        """Whether the puck struck the robot and not the robot the puck: nobody aims a rebound."""
        puck = self._puck_before
        to_robot = body.pose.x_m - puck.pose.x_m, body.pose.y_m - puck.pose.y_m
        closing_m_s = (puck.twist.vx_m_s * to_robot[0] + puck.twist.vy_m_s * to_robot[1]) / max(math.hypot(*to_robot), 1e-9)
        return closing_m_s > AIMED_SHARE * self._league.robot.max_speed_m_s

    def _aims_at_own_goal(self, robot: RobotId, body: BodyState, puck: Point) -> bool:
        """Whether a robot is ordered to kick or to drive the puck at its own goal mouth."""
        command = self._engine.command_of(robot)
        forward, left, _ = (self._drive @ np.array(command.wheel_speeds_rad_s)).tolist()
        cos, sin = math.cos(body.pose.yaw_rad), math.sin(body.pose.yaw_rad)
        ways = [(cos, sin)] if command.kick_power > 0.0 else []
        if math.hypot(forward, left) > AIMED_SHARE * self._league.robot.max_speed_m_s:
            ways.append((cos * forward - sin * left, sin * forward + cos * left))
        goal, half_m = self._own_goal(robot.team), self._league.rink.goal_width_m / 2.0
        to_puck = puck.x_m - body.pose.x_m, puck.y_m - body.pose.y_m
        for x, y in ways:
            pushes = x * to_puck[0] + y * to_puck[1] > 0.7 * math.hypot(x, y) * math.hypot(*to_puck)
            at_goal = x * goal.x_m > 0.0 and abs(puck.y_m + y / x * (goal.x_m - puck.x_m)) < half_m
            if pushes and at_goal:
                return True
        return False

    def _goal_of(self, scorer: str) -> None:
        robot = self._touched_by
        if robot is None or robot.team == scorer:
            return
        self.own_goals[robot.team] += 1
        self.aimed_own_goals[robot.team] += self._engine.time_s - self._aimed_s < self._flight_s()

    def _flight_s(self) -> float:
        """How long ago an aimed touch may be for a goal that is told now: the way into the net, and the camera's delay."""
        return AIM_LASTS_S + self._league.noise.vision_delay_s

    def _own_goal(self, team: str) -> Point:
        side = -1.0 if self._engine.state.attacks_plus_x(team) else 1.0
        return Point(side * self._league.rink.length_m / 2.0, 0.0)


def _moved(body: BodyState, after_s: float) -> Point:
    return Point(body.pose.x_m + body.twist.vx_m_s * after_s, body.pose.y_m + body.twist.vy_m_s * after_s)
