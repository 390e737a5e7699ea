"""Goals: by the attackers, and own goals."""

from __future__ import annotations

from dataclasses import dataclass

from robohockey_core.checked import limited
from robohockey_core.geometry import Point
from robohockey_core.names import opponent
from robohockey_core.state import BodyState
from robohockey_referee.calls import Call
from robohockey_referee.rules.base import Rule
from robohockey_referee.scene import Scene

_OVERSHOOT = 0.25
"""Share of a step by which a tracker runs on after a puck has been stopped."""


@dataclass
class Goal(Rule):
    """The whole puck is over the line, it went in between the posts, and it lies inside the net."""

    name = "goal"

    over_line_radii: float = limited(1.0, "how far the puck's centre must be over the line, in puck radii", low=0.0, high=2.0)
    looks: int = limited(3, "looks in a row that must show it there; one is enough when it is in beyond doubt", low=1, high=50)

    def forget(self) -> None:
        self._last: Point | None = None
        self._crossed_y_m: float | None = None
        self._crossing_doubt_m = 0.0
        self._seen = 0

    @property
    def undecided(self) -> bool:
        """The puck is seen in the net, but not beyond doubt or for long enough yet."""
        return self._seen > 0

    def watch(self, scene: Scene) -> Call | None:
        if scene.puck is None:
            return None
        ground, here = scene.ground, scene.puck.pose.point
        over_m = abs(here.x_m) - ground.half_length_m
        before, self._last = self._last, here
        if over_m <= 0.0:
            self._crossed_y_m, self._seen = None, 0
            return None
        if self._crossed_y_m is None:
            self._crossed_y_m = _y_at_line(before, here, ground.half_length_m)
            self._crossing_doubt_m = _doubt_m(scene.puck, scene.elapsed_s)
        need_m = self.over_line_radii * ground.league.puck.radius_m
        beside_m = abs(self._crossed_y_m) - ground.half_mouth_m
        # Seen to cross beside the post, though not beyond doubt: then only a puck that lies in the net went in.
        in_net = ground.in_net(here, scene.run_on_m if beside_m <= 0.0 else 0.0) and beside_m <= self._crossing_doubt_m
        if over_m < need_m or not in_net:
            self._seen = 0
            return None
        self._seen += 1
        sure = over_m >= need_m + _doubt_m(scene.puck, scene.elapsed_s) and beside_m <= 0.0
        if self._seen < self.looks and not sure:
            return None
        defender = ground.defender(here.x_m)
        if not self._counts(scene, defender):
            return None
        return self._call(scene, opponent(defender), here, over_m, need_m)

    def _counts(self, scene: Scene, defender: str) -> bool:
        return True

    def _call(self, scene: Scene, scorer: str, here: Point, over_m: float, need_m: float) -> Call:
        assert self._crossed_y_m is not None
        touch = scene.last_touch_of.get(scorer)
        by = f" by {touch.robot}" if touch else ""
        return Call(
            self.name,
            f"Goal for {scorer}{by}: the puck is {over_m * 1000:.0f} mm over the line (whole puck: {need_m * 1000:.0f} mm), "
            f"{self._way_in(scene)}",
            here,
            self._evidence(scene, over_m, need_m),
            robot=touch.robot if touch else None,
            goal_for=scorer,
        )

    def _way_in(self, scene: Scene) -> str:
        assert self._crossed_y_m is not None
        beside_m = abs(self._crossed_y_m) - scene.ground.half_mouth_m
        if beside_m <= 0.0:
            return f"in between the posts at y {self._crossed_y_m:.2f} m"
        return (
            f"it lies in the net for {self._seen} looks, and {beside_m * 1000:.0f} mm beside the post, where it was seen to "
            f"cross, is within the doubt of {self._crossing_doubt_m * 1000:.0f} mm"
        )

    def _evidence(self, scene: Scene, over_m: float, need_m: float) -> dict[str, float]:
        assert self._crossed_y_m is not None
        return {
            "over_line_m": over_m,
            "whole_puck_m": need_m,
            "crossed_y_m": self._crossed_y_m,
            "post_y_m": scene.ground.half_mouth_m,
        }


@dataclass
class OwnGoal(Goal):
    """A goal that the defenders put in themselves. Listed before `goal`, which would count it without a word."""

    name = "own_goal"

    shot_memory_s: float = limited(1.0, "a puck that the attackers touched within this time is still their shot", low=0.0)

    def _counts(self, scene: Scene, defender: str) -> bool:
        last, shot = scene.last_touch, scene.last_touch_of.get(opponent(defender))
        if last is None or last.robot.team != defender:
            return False
        return shot is None or scene.time_s - shot.time_s > self.shot_memory_s

    def _call(self, scene: Scene, scorer: str, here: Point, over_m: float, need_m: float) -> Call:
        assert scene.last_touch is not None
        ago_s = scene.time_s - scene.last_touch.time_s
        return Call(
            self.name,
            f"Own goal of {scene.last_touch.robot}, which touched the puck last, {ago_s:.1f} s ago: goal for {scorer}, "
            f"the puck is {over_m * 1000:.0f} mm over the line",
            here,
            {**self._evidence(scene, over_m, need_m), "touched_s_ago": ago_s},
            robot=scene.last_touch.robot,
            goal_for=scorer,
        )


def _y_at_line(before: Point | None, here: Point, line_m: float) -> float:
    """Where the puck's way crossed the goal line; where it is, when nobody saw it on the other side."""
    if before is None or abs(before.x_m) >= line_m:
        return here.y_m
    share = (line_m - abs(before.x_m)) / (abs(here.x_m) - abs(before.x_m))
    return before.y_m + share * (here.y_m - before.y_m)


def _doubt_m(puck: BodyState, elapsed_s: float) -> float:
    """How far a tracked puck may be off: by noise, and by the way it would have gone had nothing stopped it just now."""
    return 2.0 * puck.sigma_m + _OVERSHOOT * puck.twist.speed_m_s * elapsed_s
