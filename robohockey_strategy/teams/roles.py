"""The best play that we can build: roles by number of players, time-optimal interception, aimed shots, checked passes."""

from __future__ import annotations

import math

from robohockey_core.actions import Dribble, Go, Kick, Orders
from robohockey_core.angles import wrap
from robohockey_core.geometry import Point, bearing, distance
from robohockey_strategy.giving_way import GivingWay
from robohockey_strategy.roles import DEFENDER, SECOND_FORWARD, pick_forward, pick_keeper, roles_for, share_out
from robohockey_strategy.skills import Order, Skills
from robohockey_strategy.view import TeamView

# A shot is taken when the open angle, to either side of the aim, is at least this.
OPEN_SHOT_RAD = math.radians(3.0)
# A puck slower than this, nearer to our goal than this many goal areas, is the keeper's to clear if it is there first.
KEEPER_CLEARS_AREAS = 1.6
KEEPER_TURN_S = 0.3
# A puck that stays within this many radii for so long, with our robot at it, is pinned: sweep it out, then back off.
PINNED_RADII = 0.6
PINNED_S = 0.8
SWEEP_S = 0.8
SWEEP_RAD = 2.0
# In a sweep nobody kicks whose front comes nearer to our goal's middle than this.
CLEAR_OF_GOAL_RAD = 0.5
BACK_OFF_S = 0.4
# Second forwards wait this far from their goal line, in shares of the rink's length.
SECOND_FORWARD_SHARE = 0.2
# Defenders stand this share of the way from our goal to the puck, and this one while the puck is in their half.
DEFENDER_SHARE = 0.45
MOVED_UP_SHARE = 0.65
# Who passed leaves the puck alone for so long.
PASS_S = 0.8


class Roles:
    def __init__(self) -> None:
        self._skills: Skills | None = None
        self._keeper: int | None = None
        self._forward: int | None = None
        self._rests_at = Point(0.0, 0.0)
        self._rests_since_s = math.inf
        self._pass_to: int | None = None
        self._passed_s = -math.inf
        self._giving_way = GivingWay()
        self.roles: dict[int, str] = {}

    def decide(self, view: TeamView) -> Orders:
        """Give out the roles, then let each robot play its own."""
        if view.puck is None or not view.us:
            return {}
        if self._skills is None:
            self._skills = Skills(view.league, contests=True)
        skills = self._skills
        skills.look(view)
        self._give_roles(view, skills)
        orders: dict[int, Order] = {}
        if self._forward is not None:
            orders[self._forward] = self._play_forward(view, skills, self._forward)
        for number, place in self._support(view, skills).items():
            orders[number] = skills.go(number, place, bearing(place, view.puck.pose.point), round_puck=True)
        if self._keeper is not None and self._keeper != self._forward:
            orders[self._keeper] = skills.block(self._keeper)
        first = [number for number in (self._keeper, self._forward) if number is not None]
        rights = list(dict.fromkeys((*first, *sorted(view.us))))
        for number, place in self._giving_way.places(view, rights).items():
            orders[number] = (Go(*place),)
        return orders

    # --- who does what

    def _give_roles(self, view: TeamView, skills: Skills) -> None:
        places = {number: robot.pose.point for number, robot in view.us.items()}
        self._keeper = pick_keeper(places, view.our_goal, view.league.rink.length_m, self._keeper)
        field = [number for number in view.us if number != self._keeper]
        times_s = {number: skills.meeting(number).time_s for number in field}
        if self._keeper_clears(view, skills, times_s):
            self._forward = self._keeper
        elif times_s:
            # A pass is the receiver's as long as it is under way.
            if self._pass_to in times_s and view.time_s - self._passed_s < PASS_S and view.time_s >= self._passed_s:
                times_s[self._pass_to] -= 1.0
            self._forward = pick_forward(times_s, self._forward)
        else:
            self._forward = None
        rest = [number for number in field if number != self._forward]
        names = roles_for(len(view.us))[2:]
        self.roles = dict(zip(rest, names, strict=False))

    def _keeper_clears(self, view: TeamView, skills: Skills, times_s: dict[int, float]) -> bool:
        """A slow puck before our goal is the keeper's when it is there before anybody; a lone player also attacks it."""
        assert view.puck is not None and self._keeper is not None
        rink = view.league.rink
        meeting = skills.meeting(self._keeper)
        area_m = KEEPER_CLEARS_AREAS * rink.goal_area_depth_m
        near = meeting.place.x_m < view.our_goal.x_m + area_m and abs(meeting.place.y_m) < rink.goal_area_width_m / 2.0
        slow = view.puck.twist.speed_m_s < 0.5 * skills.top_m_s
        mates_s = min(times_s.values(), default=math.inf)
        margin_s = 0.15 if self._forward == self._keeper else -0.05
        # While it turns to the puck it does not keep: never as the puck comes in, and not with an opponent at hand.
        calm = not skills.goal_is_threatened() and meeting.time_s + KEEPER_TURN_S < skills.their_meeting_s()
        return near and slow and calm and meeting.time_s < mates_s + margin_s

    # --- the forward

    def _play_forward(self, view: TeamView, skills: Skills, number: int) -> Order:
        assert view.puck is not None
        pinned_s = self._rested_s(view, skills, number) - PINNED_S
        if pinned_s > 0.0:
            if pinned_s > SWEEP_S + BACK_OFF_S:
                self._rests_since_s = math.inf
            return self._free_puck(view, skills, number, sweeping=pinned_s < SWEEP_S)
        if number == self._keeper:
            return skills.clear(number)
        if skills.dribbles and skills.holds(number):
            return self._with_puck(view, skills, number)
        puck = skills.meeting(number).place
        shot = skills.shot_from(puck)
        aim_rad = shot.aim_rad if shot.open_rad > 0.0 else self._way_forward(view, puck)
        return skills.play_puck(number, shot._replace(aim_rad=aim_rad))

    def _with_puck(self, view: TeamView, skills: Skills, number: int) -> Order:
        """Shoot when there is room, pass when a mate has a better shot, else carry the puck on."""
        assert view.puck is not None
        puck = view.puck.pose.point
        shot = skills.shot_from(puck)
        wanted_rad = OPEN_SHOT_RAD
        far = distance(puck, view.their_goal) > 0.5 * view.league.rink.length_m
        if shot.open_rad > wanted_rad and not far:
            return skills.turn_with_puck(number, shot)
        mate = self._best_mate(view, skills, number, puck, shot.open_rad)
        if mate is not None:
            if self._pass_to != mate or view.time_s - self._passed_s > PASS_S:
                self._pass_to, self._passed_s = mate, view.time_s
            return skills.pass_to(number, mate)
        if shot.open_rad > wanted_rad:
            return skills.turn_with_puck(number, shot)
        return skills.carry(number, self._carry_place(view, puck))

    def _best_mate(self, view: TeamView, skills: Skills, number: int, puck: Point, own_rad: float) -> int | None:
        """A mate ahead with an open lane to it, and a clearly wider shot than our own."""
        best, best_rad = None, max(own_rad * 1.5, OPEN_SHOT_RAD)
        for mate, robot in view.us.items():
            if mate in (number, self._keeper) or robot.pose.x_m < puck.x_m - 0.1 * view.league.rink.length_m:
                continue
            target = skills.pass_target(puck, mate)
            if distance(puck, target) < 3.0 * skills.length_m or not skills.lane_is_open(puck, target, 0.7 * skills.top_m_s):
                continue
            open_rad = skills.shot_from(target).open_rad
            if open_rad > best_rad:
                best, best_rad = mate, open_rad
        return best

    def _carry_place(self, view: TeamView, puck: Point) -> Point:
        """Towards their goal, to the side where fewer opponents stand before it."""
        left, right = (
            sum(1.0 for robot in view.them.values() if robot.pose.x_m > puck.x_m and robot.pose.y_m * side > 0.0)
            for side in (1.0, -1.0)
        )
        side = 0.0 if left == right else (-1.0 if left > right else 1.0)
        return Point(view.their_goal.x_m * 0.75, 0.3 * side * view.league.rink.width_m)

    def _way_forward(self, view: TeamView, puck: Point) -> float:
        """Where to send a puck that has no open shot: at their goal, but never across the front of ours."""
        if puck.x_m < 0.5 * view.our_goal.x_m:
            return bearing(view.our_goal, puck)
        return bearing(puck, view.their_goal)

    def _rested_s(self, view: TeamView, skills: Skills, number: int) -> float:
        """How long the puck has hardly moved with this robot at it."""
        assert view.puck is not None
        here = view.puck.pose.point
        moved = distance(self._rests_at, here) > PINNED_RADII * skills.radius_m or view.time_s < self._rests_since_s
        if moved or distance(view.us[number].pose.point, here) > 1.6 * skills.contact_m:
            self._rests_at, self._rests_since_s = here, view.time_s
        return view.time_s - self._rests_since_s

    def _free_puck(self, view: TeamView, skills: Skills, number: int, *, sweeping: bool) -> Order:
        """Turn on the spot so that the puck leaves along the boards and away from our goal; then back off."""
        assert view.puck is not None
        robot, puck = view.us[number], view.puck.pose.point
        away_rad = bearing(puck, robot.pose.point)
        if not sweeping:
            back = Point(
                robot.pose.x_m + 2.0 * skills.length_m * math.cos(away_rad),
                robot.pose.y_m + 2.0 * skills.length_m * math.sin(away_rad),
            )
            return (Go(*skills.inside(back)),)
        left_rad = away_rad - math.pi / 2.0  # where the puck goes when the robot turns left
        goal_rad = bearing(puck, view.their_goal)
        turn_rad = SWEEP_RAD if math.cos(left_rad - goal_rad) > 0.0 else -SWEEP_RAD
        sweep = Go(*robot.pose.point, wrap(robot.pose.yaw_rad + turn_rad))
        if skills.sweeps_our_goal(robot.pose, turn_rad, CLEAR_OF_GOAL_RAD):
            return (sweep, Dribble(0.0))
        return (sweep, Dribble(0.0), Kick(1.0))

    # --- the others

    def _support(self, view: TeamView, skills: Skills) -> dict[int, Point]:
        """Places of defenders and second forwards, each given to the robot nearest to it."""
        places: dict[int, Point] = {}
        here = {number: robot.pose.point for number, robot in view.us.items()}
        for role, find in ((DEFENDER, self._defender_places), (SECOND_FORWARD, self._second_forward_places)):
            numbers = [number for number, name in self.roles.items() if name == role]
            if numbers:
                places.update(share_out(numbers, here, find(view, skills, len(numbers))))
        return places

    def _defender_places(self, view: TeamView, skills: Skills, count: int) -> list[Point]:
        """Between puck and goal, spread over the shot's angle: the keeper has the middle, a defender the far side."""
        assert view.puck is not None
        rink, goal = view.league.rink, view.our_goal
        puck = view.puck.pose.point
        gap_m = distance(puck, goal)
        # In their half a defender moves up: it is there for what comes back from their goal.
        out_share = DEFENDER_SHARE if puck.x_m < 0.0 else MOVED_UP_SHARE
        least_m = rink.goal_area_depth_m + 1.5 * skills.length_m
        out_m = min(max(out_share * gap_m, least_m), max(0.1, gap_m - 2.0 * skills.length_m))
        places = []
        for place in range(count):
            # One defender covers the post that the keeper leaves; more spread over the whole mouth.
            share = 0.45 * (1.0 if puck.y_m < 0.0 else -1.0) if count == 1 else 1.6 * (place / (count - 1) - 0.5)
            target = Point(goal.x_m, share * rink.goal_width_m / 2.0)
            along = min(1.0, out_m / max(distance(puck, target), 1e-6))
            spread_m = 0.0 if count <= 2 else (place - (count - 1) / 2.0) * 1.6 * skills.length_m
            spot = Point(target.x_m + along * (puck.x_m - target.x_m), target.y_m + along * (puck.y_m - target.y_m) + spread_m)
            places.append(skills.inside(spot))
        return places

    def _second_forward_places(self, view: TeamView, skills: Skills, count: int) -> list[Point]:
        """A clear line to their goal and to the puck, apart from each other (Minho Fig 11)."""
        assert view.puck is not None
        rink, puck = view.league.rink, view.puck.pose.point
        x_shares = (0.5 - SECOND_FORWARD_SHARE, 0.5 - 1.6 * SECOND_FORWARD_SHARE)
        spots = [
            skills.inside(Point(share * rink.length_m, y * rink.width_m))
            for share in x_shares
            for y in (-0.32, -0.16, 0.0, 0.16, 0.32)
        ]

        def worth(spot: Point) -> tuple[int, float]:
            """Both lines clear comes first, one of them next; then the wider shot, and a shorter pass."""
            open_rad = skills.shot_from(spot).open_rad
            lane = skills.lane_is_open(puck, spot, 0.7 * skills.top_m_s)
            clear_lines = int(lane) + int(open_rad > 0.0)
            return clear_lines, open_rad - 0.02 * distance(puck, spot) / rink.length_m

        chosen: list[Point] = []
        for spot in sorted(spots, key=worth, reverse=True):
            apart = all(distance(spot, other) > 4.0 * skills.length_m for other in chosen)
            if apart and distance(spot, puck) > 3.0 * skills.length_m:
                chosen.append(spot)
        spare = [Point(0.1 * rink.length_m, (0.4 - 0.2 * k) * rink.width_m) for k in range(count)]
        return [*chosen, *spare][:count]
