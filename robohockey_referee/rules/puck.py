"""Where the puck is and how it moves: out, stuck, without progress, too long on one side."""

from __future__ import annotations

from dataclasses import dataclass

from robohockey_core.checked import limited
from robohockey_core.match_state import FREE_BALL, GOAL_KICK, PENALTY, THROW_IN
from robohockey_core.names import opponent
from robohockey_referee.calls import Call
from robohockey_referee.ground import AREAS, CENTRE, SMALL, STOP_RESTARTS
from robohockey_referee.match_clock import reached
from robohockey_referee.rules.base import Held, Rule, Stay
from robohockey_referee.scene import Scene


@dataclass
class PuckOut(Rule):
    """The whole puck has left the rink other than into a net, or nobody has seen it for a while."""

    name = "puck_out"

    out_radii: float = limited(1.0, "how far outside the boards the puck's centre must be, in puck radii", low=0.0)
    lost_s: float = limited(2.0, "time without a sight of the puck after which it counts as out", above=0.0)
    restart: str = limited("face_off", "what follows", choices=STOP_RESTARTS)

    def forget(self) -> None:
        self._unseen = Held()
        self._last = CENTRE

    def watch(self, scene: Scene) -> Call | None:
        unseen_s = self._unseen.seconds(scene.puck is None, scene.time_s)
        if scene.puck is None:
            if not reached(unseen_s, self.lost_s):
                return None
            why = f"Puck lost: nobody has seen it for {unseen_s:.1f} s (limit {self.lost_s:.1f} s)"
            return self._call(scene, why, {"unseen_s": unseen_s, "limit_s": self.lost_s})
        ground, self._last = scene.ground, scene.puck.pose.point
        outside_m = ground.outside_m(self._last)
        limit_m = self.out_radii * ground.league.puck.radius_m
        if outside_m < limit_m or ground.in_net(self._last, scene.run_on_m):
            return None
        why = f"Puck out: {outside_m * 1000:.0f} mm outside the boards (limit {limit_m * 1000:.0f} mm)"
        return self._call(scene, why, {"outside_m": outside_m, "limit_m": limit_m})

    def _call(self, scene: Scene, why: str, evidence: dict[str, float]) -> Call:
        last = scene.last_touch
        if last is None:
            # Nobody is to blame, so nobody is to gain.
            kind, team, robot = FREE_BALL if self.restart == THROW_IN else self.restart, "", None
        else:
            kind, team, robot = self.restart, opponent(last.robot.team), last.robot
            why += f"; {last.robot} touched it last"
        return Call(self.name, why, self._last, evidence, robot, restart=scene.ground.restart(kind, self._last, team))


@dataclass
class PuckStuck(Rule):
    """The puck stays in one place: frozen at the boards, under a robot, between two."""

    name = "puck_stuck"

    stuck_m: float = limited(0.03, "a puck that stays within this distance is stuck", above=0.0)
    stuck_s: float = limited(6.0, "for how long", above=0.0)
    restart: str = limited("face_off", "what follows", choices=STOP_RESTARTS[:2])

    def forget(self) -> None:
        self._stay = Stay()

    def watch(self, scene: Scene) -> Call | None:
        if scene.puck is None:
            return None
        here = scene.puck.pose.point
        rested_s = self._stay.seconds(here, self.stuck_m, scene.time_s)
        if not reached(rested_s, self.stuck_s):
            return None
        return Call(
            self.name,
            f"Puck stuck: within {self.stuck_m * 1000:.0f} mm for {rested_s:.1f} s (limit {self.stuck_s:.1f} s)",
            here,
            {"within_m": self.stuck_m, "rested_s": rested_s, "limit_s": self.stuck_s},
            restart=scene.ground.restart(self.restart, here, ""),
        )


@dataclass
class NoProgress(PuckStuck):
    """The puck moves but gets nowhere: robots push it to and fro."""

    name = "no_progress"

    stuck_m: float = limited(0.25, "a puck that does not leave a circle of this radius makes no progress", above=0.0)
    stuck_s: float = limited(20.0, "for how long", above=0.0)

    def watch(self, scene: Scene) -> Call | None:
        call = super().watch(scene)
        if call is None:
            return None
        why = f"No progress: the puck has not left a circle of {self.stuck_m:.2f} m for {call.evidence['rested_s']:.1f} s"
        return Call(self.name, f"{why} (limit {self.stuck_s:.1f} s)", call.place, call.evidence, restart=call.restart)


IN_AREA = ("free_ball", "penalty", "by_presence")


@dataclass
class Standoff(Rule):
    """The puck is slow for too long. In a goal area that is somebody's fault."""

    name = "standoff"

    slow_m_s: float = limited(0.1, "below this speed the puck counts as still", above=0.0)
    hold_s: float = limited(10.0, "for how long", above=0.0)
    area: str = limited(SMALL, "the area in which it is somebody's fault", choices=AREAS)
    in_area: str = limited(
        "by_presence",
        "what follows there: a penalty, or by presence a goal kick when an attacker is there and a penalty when none is",
        choices=IN_AREA,
    )
    restart: str = limited("free_ball", "what follows elsewhere", choices=STOP_RESTARTS[:2])

    def forget(self) -> None:
        self._slow = Held()

    def watch(self, scene: Scene) -> Call | None:
        if scene.puck is None:
            return None
        speed_m_s = scene.puck.twist.speed_m_s
        slow_s = self._slow.seconds(speed_m_s < self.slow_m_s, scene.time_s)
        if not reached(slow_s, self.hold_s):
            return None
        here = scene.puck.pose.point
        why = f"Standoff: the puck was below {self.slow_m_s:.2f} m/s for {slow_s:.1f} s (limit {self.hold_s:.1f} s)"
        evidence = {"speed_m_s": speed_m_s, "slow_m_s": self.slow_m_s, "slow_s": slow_s, "limit_s": self.hold_s}
        side = scene.ground.area_side(self.area, here)
        if side == 0 or self.in_area == "free_ball":
            return Call(self.name, why, here, evidence, restart=scene.ground.restart(self.restart, here, ""))
        defender = scene.ground.defender(side)
        attackers = [robot for robot in scene.in_area(self.area, side) if robot.team != defender]
        evidence["attackers_there"] = float(len(attackers))
        if self.in_area == "by_presence" and attackers:
            why += f" in {defender}'s area, with {attackers[0]} there"
            restart = scene.ground.restart(GOAL_KICK, here, defender)
            return Call(self.name, why, here, evidence, attackers[0], opponent(defender), restart)
        why += f" in {defender}'s area, and {defender} did not clear it"
        return Call(
            self.name, why, here, evidence, against=defender, restart=scene.ground.restart(PENALTY, here, opponent(defender))
        )


@dataclass
class OneSide(Rule):
    """A team keeps the puck in its own half for too long without a shot."""

    name = "one_side"

    limit_s: float = limited(15.0, "how long a team may keep the puck in its half", above=0.0)
    shot_m_s: float = limited(0.5, "a puck that goes at the other end this fast is a shot, and time starts anew", above=0.0)
    strikes_per_goal: int = limited(3, "so many of these calls cost a goal; 0: none", low=0, high=100)
    restart: str = limited("face_off", "what follows", choices=STOP_RESTARTS[:2])

    def forget(self) -> None:
        self._kept = Held()
        self._keeper = ""

    def watch(self, scene: Scene) -> Call | None:
        if scene.puck is None or scene.last_touch is None:
            return None
        here, team = scene.puck.pose.point, scene.last_touch.robot.team
        side = scene.ground.side(team)
        shot = -side * scene.puck.twist.vx_m_s >= self.shot_m_s
        if team != self._keeper:
            self._kept, self._keeper = Held(), team
        kept_s = self._kept.seconds(side * here.x_m > 0.0 and not shot, scene.time_s)
        if not reached(kept_s, self.limit_s):
            return None
        return Call(
            self.name,
            f"Too long on one side: {team} kept the puck in its half for {kept_s:.1f} s without a shot "
            f"(limit {self.limit_s:.1f} s), {scene.last_touch.robot} last",
            here,
            {"kept_s": kept_s, "limit_s": self.limit_s, "shot_m_s": self.shot_m_s},
            scene.last_touch.robot,
            team,
            scene.ground.restart(self.restart, here, ""),
            strikes_per_goal=self.strikes_per_goal,
        )
