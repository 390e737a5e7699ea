"""What a robot may do to others and with the puck."""

from __future__ import annotations

from dataclasses import dataclass

from robohockey_core.checked import limited
from robohockey_core.geometry import Point, distance
from robohockey_core.match_state import FACE_OFF, FREE_BALL, FREE_KICK
from robohockey_core.names import GOALKEEPER, TEAMS, RobotId
from robohockey_referee.calls import CARDS, NO_CARD, Call
from robohockey_referee.ground import FOUL_RESTARTS, SMALL
from robohockey_referee.match_clock import reached
from robohockey_referee.rules.base import Held, Rule
from robohockey_referee.scene import Contact, Scene

_NEUTRAL = {kind: kind if kind in (FACE_OFF, FREE_BALL) else FREE_BALL for kind in FOUL_RESTARTS}
"""What follows when both are at fault."""


@dataclass
class Pushing(Rule):
    """Two opponents crash; the faster one is at fault, both when they are about as fast."""

    name = "pushing"

    crash_m_s: float = limited(1.5, "closing speed above which a contact is a crash", low=0.0)
    shared_m_s: float = limited(0.3, "both are at fault when their speeds differ by less", low=0.0)
    body_check: bool = limited(False, "whether a crash is legal, except on the goalkeeper in its crease")
    restart: str = limited(FREE_KICK, "what follows", choices=FOUL_RESTARTS)
    card: str = limited(NO_CARD, "what the robot gets", choices=CARDS)

    def watch(self, scene: Scene) -> Call | None:
        for contact in scene.contacts:
            if contact.since_s != scene.time_s or contact.first.team == contact.second.team:
                continue
            if contact.closing_m_s <= self.crash_m_s:
                continue
            faster, slower = contact.first, contact.second
            if contact.second_towards_m_s > contact.first_towards_m_s:
                faster, slower = slower, faster
            if not self.body_check:
                return self._call(scene, contact, faster, slower)
            # A goalkeeper that runs into somebody has not been checked.
            if _in_crease(scene, slower):
                return self._call(scene, contact, faster, slower, blame=True)
        return None

    def _call(self, scene: Scene, contact: Contact, robot: RobotId, victim: RobotId, *, blame: bool = False) -> Call:
        difference_m_s = abs(contact.first_towards_m_s - contact.second_towards_m_s)
        evidence = {
            "closing_m_s": contact.closing_m_s,
            "crash_m_s": self.crash_m_s,
            "difference_m_s": difference_m_s,
            "shared_m_s": self.shared_m_s,
        }
        why = f"{contact.closing_m_s:.2f} m/s (limit {self.crash_m_s:.2f} m/s)"
        if difference_m_s < self.shared_m_s and not blame:
            why = f"Pushing: {robot} and {victim} ran into each other at {why}, both at fault"
            restart = scene.ground.restart(_NEUTRAL[self.restart], contact.place, "")
            return Call(self.name, why, contact.place, evidence, robot, restart=restart)
        where = " in the crease" if blame else ""
        return Call(
            self.name,
            f"Pushing: {robot} ran into {victim}{where} at {why}",
            contact.place,
            evidence,
            robot,
            robot.team,
            scene.ground.foul_restart(self.restart, contact.place, robot.team),
            card=self.card,
        )


def _in_crease(scene: Scene, robot: RobotId) -> bool:
    """Whether a robot is the goalkeeper in its own crease."""
    if robot.number != GOALKEEPER:
        return False
    return scene.ground.area_side(SMALL, scene.robots[robot].pose.point) == scene.ground.side(robot.team)


@dataclass
class _Carrying(Rule):
    """One robot has the puck, and nobody else touches it."""

    reach_radii: float = limited(0.5, "a puck that is no farther away is carried, in puck radii", low=0.0)
    restart: str = limited(FREE_KICK, "what follows", choices=FOUL_RESTARTS)
    card: str = limited(NO_CARD, "what the robot gets", choices=CARDS)

    def forget(self) -> None:
        self._carrier: RobotId | None = None

    def _carried_by(self, scene: Scene) -> RobotId | None:
        reach_m = self.reach_radii * scene.ground.league.puck.radius_m
        near = [robot for robot, gap_m in scene.gaps_m.items() if gap_m <= reach_m]
        return near[0] if len(near) == 1 else None

    def _foul(self, scene: Scene, robot: RobotId, why: str, evidence: dict[str, float]) -> Call:
        assert scene.puck is not None
        here = scene.puck.pose.point
        restart = scene.ground.foul_restart(self.restart, here, robot.team)
        return Call(self.name, why, here, evidence, robot, robot.team, restart, card=self.card)


@dataclass
class Holding(_Carrying):
    """A robot keeps the puck to itself for too long. The goalkeeper in its crease has a rule of its own."""

    name = "holding"

    hold_s: float = limited(5.0, "how long a robot may keep the puck", above=0.0)

    def forget(self) -> None:
        super().forget()
        self._held = Held()

    def watch(self, scene: Scene) -> Call | None:
        carrier = self._carried_by(scene)
        if carrier != self._carrier:
            self._carrier, self._held = carrier, Held()
        held_s = self._held.seconds(carrier is not None, scene.time_s)
        if carrier is None or not reached(held_s, self.hold_s) or _in_crease(scene, carrier):
            return None
        why = f"Holding: {carrier} kept the puck for {held_s:.1f} s (limit {self.hold_s:.1f} s)"
        return self._foul(scene, carrier, why, {"held_s": held_s, "limit_s": self.hold_s})


@dataclass
class OverDribbling(_Carrying):
    """A robot carries the puck too far."""

    name = "over_dribbling"

    carry_m: float = limited(1.0, "how far a robot may carry the puck, as the crow flies", above=0.0)

    def forget(self) -> None:
        super().forget()
        self._from: Point | None = None

    def watch(self, scene: Scene) -> Call | None:
        carrier = self._carried_by(scene)
        if scene.puck is None or carrier is None:
            self._carrier = None
            return None
        here = scene.puck.pose.point
        if carrier != self._carrier or self._from is None:
            self._carrier, self._from = carrier, here
        carried_m = distance(self._from, here)
        if carried_m <= self.carry_m:
            return None
        why = f"Over-dribbling: {carrier} carried the puck {carried_m:.2f} m (limit {self.carry_m:.2f} m)"
        return self._foul(scene, carrier, why, {"carried_m": carried_m, "limit_m": self.carry_m})


@dataclass
class DoubleTouch(Rule):
    """Who takes a kick lets the puck go and touches it again before anybody else does."""

    name = "double_touch"

    away_m: float = limited(0.1, "a puck that was farther than this from the taker has been let go", above=0.0)
    restart: str = limited(FREE_KICK, "what follows", choices=FOUL_RESTARTS)

    def forget(self) -> None:
        self._taker: RobotId | None = None
        self._farthest_m = 0.0
        self._done = False

    def watch(self, scene: Scene) -> Call | None:
        if self._done or scene.restart is None or not scene.restart.team or scene.puck is None:
            return None
        if self._taker is None:
            self._taker = scene.touching[0] if scene.touching else None
            # Where an opponent was there first, nobody took the kick.
            self._done = self._taker is not None and self._taker.team != scene.restart.team
            return None
        if any(robot != self._taker for robot in scene.touching) or self._taker not in scene.gaps_m:
            self._done = True
            return None
        self._farthest_m = max(self._farthest_m, scene.gaps_m[self._taker])
        if self._taker not in scene.touching or self._farthest_m <= self.away_m:
            return None
        self._done = True
        here = scene.puck.pose.point
        return Call(
            self.name,
            f"Double touch: {self._taker} took the {scene.restart.kind.replace('_', ' ')}, let the puck go by "
            f"{self._farthest_m:.2f} m (limit {self.away_m:.2f} m) and touched it again before anybody else",
            here,
            {"let_go_m": self._farthest_m, "limit_m": self.away_m},
            self._taker,
            self._taker.team,
            scene.ground.foul_restart(self.restart, here, self._taker.team),
        )


@dataclass
class TooManyRobots(Rule):
    """A team has more robots on the rink than it may have: one that was sent off did not leave, or one came in."""

    name = "too_many_robots"

    grace_s: float = limited(5.0, "how long a team may have too many", low=0.0)
    restart: str = limited(FREE_KICK, "what follows", choices=FOUL_RESTARTS)

    def forget(self) -> None:
        self._crowded = {team: Held() for team in TEAMS}

    def watch(self, scene: Scene) -> Call | None:
        if not scene.strays:
            self.forget()
            return None
        players = scene.ground.league.match.players
        for team, held in self._crowded.items():
            strays = [robot for robot in scene.strays if robot.team == team]
            seen = len(strays) + sum(robot.team == team for robot in scene.robots)
            allowed = players - sum(robot.team == team for robot in scene.off)
            too_many = seen > allowed
            crowded_s = held.seconds(too_many, scene.time_s)
            if too_many and reached(crowded_s, self.grace_s):
                place = scene.puck.pose.point if scene.puck is not None else Point(0.0, 0.0)
                return Call(
                    self.name,
                    f"Too many robots: {team} has {seen} on the rink for {crowded_s:.1f} s (limit {self.grace_s:.1f} s), "
                    f"{allowed} allowed; {strays[0]} must leave",
                    place,
                    {"robots": float(seen), "most": float(allowed), "crowded_s": crowded_s, "limit_s": self.grace_s},
                    strays[0],
                    team,
                    scene.ground.foul_restart(self.restart, place, team),
                )
        return None
