"""Who may be where before a goal, and what a goalkeeper may do and must bear."""

from __future__ import annotations

from dataclasses import dataclass

from robohockey_core.checked import limited
from robohockey_core.match_state import GOAL_KICK, PENALTY
from robohockey_core.names import GOALKEEPER, TEAMS, RobotId, opponent
from robohockey_referee.calls import CARDS, NO_CARD, Call
from robohockey_referee.ground import AREAS, FOUL_RESTARTS, SMALL
from robohockey_referee.match_clock import reached
from robohockey_referee.rules.base import Held, Rule
from robohockey_referee.scene import Scene


@dataclass
class _Crowd(Rule):
    """More robots of one team in an area than there may be."""

    area: str = limited(SMALL, "goal area or penalty area", choices=AREAS)
    most: int = limited(1, "how many of them may be there", low=0, high=11)
    hold_s: float = limited(0.0, "for how long there must be more", low=0.0)
    with_puck: bool = limited(True, "whether the puck must be in the area too")
    restart: str = limited(GOAL_KICK, "what follows", choices=FOUL_RESTARTS)
    card: str = limited(NO_CARD, "what the robot gets", choices=CARDS)

    def forget(self) -> None:
        self._crowded = {side: Held() for side in (-1, 1)}

    def _crowd(self, scene: Scene, side: int) -> list[RobotId]:
        """The robots that count, at one end."""
        raise NotImplementedError

    def _words(self, defender: str) -> str:
        raise NotImplementedError

    def watch(self, scene: Scene) -> Call | None:
        puck_side = scene.ground.area_side(self.area, scene.puck.pose.point) if scene.puck is not None else 0
        for side, held in self._crowded.items():
            crowd = self._crowd(scene, side) if not self.with_puck or puck_side == side else []
            too_many = len(crowd) > self.most
            crowded_s = held.seconds(too_many, scene.time_s)
            if too_many and reached(crowded_s, self.hold_s):
                return self._call(scene, side, crowd, crowded_s)
        return None

    def _call(self, scene: Scene, side: int, crowd: list[RobotId], crowded_s: float) -> Call:
        defender = scene.ground.defender(side)
        against = crowd[0].team
        # The one that is farthest from the goal came last, as far as one can tell.
        robot = min(crowd, key=lambda robot: side * scene.robots[robot].pose.x_m)
        place = scene.robots[robot].pose.point
        held = f" for {crowded_s:.1f} s (limit {self.hold_s:.1f} s)" if self.hold_s else ""
        return Call(
            self.name,
            f"{len(crowd)} {self._words(defender)} area{held}, {self.most} allowed: {', '.join(map(str, crowd))}",
            place,
            {"robots": float(len(crowd)), "most": float(self.most), "crowded_s": crowded_s, "limit_s": self.hold_s},
            robot,
            against,
            scene.ground.restart(self.restart, place, opponent(against)),
            card=self.card,
        )


@dataclass
class AttackersInArea(_Crowd):
    """Too many attackers before a goal."""

    name = "attackers_in_area"

    def _crowd(self, scene: Scene, side: int) -> list[RobotId]:
        attacker = opponent(scene.ground.defender(side))
        return [robot for robot in scene.in_area(self.area, side) if robot.team == attacker]

    def _words(self, defender: str) -> str:
        return f"attackers in {defender}'s {'goal' if self.area == SMALL else 'penalty'}"


@dataclass
class DefendersInArea(_Crowd):
    """Too many defenders before their goal; the goalkeeper counts."""

    name = "defenders_in_area"

    restart: str = limited(PENALTY, "what follows", choices=FOUL_RESTARTS)

    def _crowd(self, scene: Scene, side: int) -> list[RobotId]:
        defender = scene.ground.defender(side)
        return [robot for robot in scene.in_area(self.area, side) if robot.team == defender]

    def _words(self, defender: str) -> str:
        return f"{defender} defenders in their {'goal' if self.area == SMALL else 'penalty'}"


@dataclass
class GoalkeeperCharged(Rule):
    """An opponent runs into the goalkeeper in its area, or leans on it."""

    name = "goalkeeper_charged"

    area: str = limited(SMALL, "where the goalkeeper is protected", choices=AREAS)
    charge_m_s: float = limited(0.3, "speed towards the goalkeeper at which a contact is a charge", low=0.0)
    lean_s: float = limited(1.0, "a contact that lasts this long is a charge at any speed", above=0.0)
    restart: str = limited(GOAL_KICK, "what follows", choices=FOUL_RESTARTS)
    card: str = limited(NO_CARD, "what the robot gets", choices=CARDS)

    def watch(self, scene: Scene) -> Call | None:
        for contact in scene.contacts:
            pairs = (
                (contact.first, contact.second, contact.second_towards_m_s),
                (contact.second, contact.first, contact.first_towards_m_s),
            )
            for keeper, robot, speed_m_s in pairs:
                if keeper.number != GOALKEEPER or keeper.team == robot.team:
                    continue
                if scene.ground.area_side(self.area, scene.robots[keeper].pose.point) != scene.ground.side(keeper.team):
                    continue
                lasted_s = scene.time_s - contact.since_s
                charged = speed_m_s > self.charge_m_s and lasted_s == 0.0
                if not charged and not reached(lasted_s, self.lean_s):
                    continue
                how = f"at {speed_m_s:.2f} m/s (limit {self.charge_m_s:.2f} m/s)"
                if not charged:
                    how = f"for {lasted_s:.1f} s (limit {self.lean_s:.1f} s)"
                return Call(
                    self.name,
                    f"Goalkeeper charged: {robot} touched {keeper} in its area {how}",
                    contact.place,
                    {
                        "towards_m_s": speed_m_s,
                        "charge_m_s": self.charge_m_s,
                        "lasted_s": lasted_s,
                        "lean_s": self.lean_s,
                    },
                    robot,
                    robot.team,
                    scene.ground.restart(self.restart, contact.place, keeper.team),
                    card=self.card,
                )
        return None


@dataclass
class GoalkeeperHolding(Rule):
    """A goalkeeper keeps the puck in its area for too long."""

    name = "goalkeeper_holding"

    area: str = limited(SMALL, "where it may hold the puck for a while", choices=AREAS)
    reach_radii: float = limited(0.5, "a puck that is no farther away is held, in puck radii", low=0.0)
    hold_s: float = limited(5.0, "how long it may hold it", above=0.0)
    restart: str = limited(PENALTY, "what follows", choices=FOUL_RESTARTS)

    def forget(self) -> None:
        self._held = {team: Held() for team in TEAMS}

    def watch(self, scene: Scene) -> Call | None:
        if scene.puck is None:
            return None
        here = scene.puck.pose.point
        side = scene.ground.area_side(self.area, here)
        reach_m = self.reach_radii * scene.ground.league.puck.radius_m
        for team, held in self._held.items():
            keeper = scene.keeper(team)
            holds = keeper is not None and side == scene.ground.side(team) and scene.gaps_m[keeper] <= reach_m
            held_s = held.seconds(holds, scene.time_s)
            if holds and reached(held_s, self.hold_s):
                assert keeper is not None
                return Call(
                    self.name,
                    f"Goalkeeper holding: {keeper} kept the puck in its area for {held_s:.1f} s (limit {self.hold_s:.1f} s)",
                    here,
                    {"held_s": held_s, "limit_s": self.hold_s, "gap_m": scene.gaps_m[keeper], "reach_m": reach_m},
                    keeper,
                    team,
                    scene.ground.restart(self.restart, here, opponent(team)),
                )
        return None
