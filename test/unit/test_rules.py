"""Every rule by scenes: some that it must call, some that it must not, just on either side of each threshold."""

from __future__ import annotations

import math

import pytest
from rule_scenes import (
    CENTRE,
    HALF_BODY_M,
    LINE_M,
    POST_M,
    RADIUS_M,
    RINK,
    SIDE_M,
    STEP_S,
    TOUCH_M,
    Play,
    call_in,
    line,
    stops,
)

from robohockey_core.league import load_league
from robohockey_core.match_state import FACE_OFF, FREE_BALL, FREE_KICK, GOAL_KICK, KICK_OFF, PENALTY, THROW_IN
from robohockey_referee.calls import Restart
from robohockey_referee.rules import RULES

LITTLE_M = 0.001
LITTLE_S = STEP_S

SMALL_X_M, SMALL_Y_M = LINE_M - RINK.goal_area_depth_m, RINK.goal_area_width_m / 2.0
BIG_X_M, BIG_Y_M = LINE_M - RINK.penalty_area_depth_m, RINK.penalty_area_width_m / 2.0
IN_CREASE = -0.9
"""An x in blue's goal area."""


def crossing(y_m: float, depth_m: float, sign: float = 1.0):
    """A puck that goes over a goal line at y and stops at that depth behind it."""
    start_m = LINE_M - 0.2
    return stops((sign * start_m, y_m), (sign * 1.0, 0.0), 0.2 + depth_m)


def bounce(times: dict[float, float], start: float = 0.0):
    """X of the puck by time, straight between the given moments."""
    moments = sorted(times)

    def way(t: float):
        after = next((m for m in moments if m >= t), moments[-1])
        before = max((m for m in moments if m <= t), default=moments[0])
        share = (t - before) / (after - before) if after > before else 0.0
        return (times[before] + share * (times[after] - times[before]), start)

    return way


def peek(t: float, seconds: float, over_m: float) -> float:
    """X of a puck that is over red's line by more than a puck for some time, and just not before and after it."""
    return LINE_M + RADIUS_M + (over_m if 0.02 <= t < 0.019 + seconds else -LITTLE_M)


def fast_shot(y_m: float, vy_m_s: float = 0.0):
    """A shot at full power that the net stops at once, as a late tracker shows it: it runs on for some looks."""
    stopped = (LINE_M + RINK.goal_depth_m - RADIUS_M, y_m)
    return lambda t: (LINE_M - 0.06 + 2.8 * t, y_m + vy_m_s * (t - 0.02)) if t < 0.09 else stopped


def off_the_post(sigma_m: float, seconds: float = 0.2) -> Play:
    """Seen to cross 20 mm beside the post, and from the next look on to slide in the net."""
    deep_m = LINE_M + RADIUS_M + 0.01

    def way(t: float) -> tuple[float, float]:
        return (LINE_M - 0.015 + t, POST_M + 0.02) if t < 0.03 else (deep_m, POST_M - 0.02 - 0.1 * t)

    return Play(seconds, way, puck_sigma_m=sigma_m)


GOAL_SCENES = [
    ("so fast that it is seen beyond the net", {}, Play(0.12, fast_shot(0.0), puck_sigma_m=0.04), "blue"),
    (
        "so fast that it is seen beyond the net's side",
        {},
        Play(0.12, fast_shot(POST_M - 0.005, 0.8), puck_sigma_m=0.04),
        "blue",
    ),
    ("fast, beside the post", {}, Play(0.12, fast_shot(POST_M + LITTLE_M), puck_sigma_m=0.04), None),
    ("off the post, in doubt seen beside it, and lies in the net", {}, off_the_post(sigma_m=0.02), "blue"),
    ("beside the post beyond doubt", {}, off_the_post(sigma_m=0.001), None),
    ("beside the post in doubt, and not in the net for long", {}, off_the_post(sigma_m=0.02, seconds=0.06), None),
    ("whole puck over red's line", {}, Play(0.5, crossing(0.0, RADIUS_M + LITTLE_M)), "blue"),
    ("whole puck over blue's line", {}, Play(0.5, crossing(0.0, RADIUS_M + LITTLE_M, -1.0)), "red"),
    ("just inside the post", {}, Play(0.5, crossing(POST_M - LITTLE_M, RADIUS_M + LITTLE_M)), "blue"),
    ("after a change of ends", {}, Play(0.5, crossing(0.0, RADIUS_M + LITTLE_M), ends_swapped=True), "red"),
    ("a profile that counts the centre", {"over_line_radii": 0.0}, Play(0.5, crossing(0.0, LITTLE_M)), "blue"),
    ("found in the net", {}, Play(0.1, (LINE_M + 2 * RADIUS_M, 0.0)), "blue"),
    ("shallow, but for three looks", {}, Play(0.1, lambda t: (peek(t, 0.06, LITTLE_M), t)), "blue"),
    ("deep, if only for a moment", {}, Play(0.1, lambda t: (peek(t, 0.02, 0.04), 0.0)), "blue"),
    ("shallow for two looks", {}, Play(0.1, lambda t: (peek(t, 0.04, LITTLE_M), t)), None),
    ("almost the whole puck", {}, Play(0.5, crossing(0.0, RADIUS_M - LITTLE_M)), None),
    ("just outside the post", {}, Play(0.5, crossing(POST_M + LITTLE_M, RADIUS_M + LITTLE_M)), None),
    (
        "into the net from its side",
        {},
        Play(0.5, lambda t: (LINE_M + 2 * RADIUS_M, max(0.0, POST_M + 0.1 - t))),
        None,
    ),
    (
        "over the end boards, then behind the goal",
        {},
        Play(0.5, lambda t: (LINE_M - 0.05 + min(t, 0.1), max(0.0, POST_M + 0.15 - t)) if t < 0.1 else (LINE_M + 0.05, 0.0)),
        None,
    ),
    ("through the back of the net", {}, Play(0.1, (LINE_M + RINK.goal_depth_m + LITTLE_M, 0.0)), None),
    ("out of sight", {}, Play(0.5), None),
]


@pytest.mark.parametrize(("thresholds", "play", "scorer"), [s[1:] for s in GOAL_SCENES], ids=[s[0] for s in GOAL_SCENES])
def test_goal(thresholds, play, scorer):
    call = call_in(RULES["goal"](**thresholds), play)
    assert (call.goal_for if call else None) == scorer


def shot_in(touches: dict[str, float], *, sign: float = -1.0, ends_swapped: bool = False) -> Play:
    """Robots at the puck one after the other, each until the given time; then it goes in over blue's line."""
    last_s = max(touches.values())
    at_puck = (sign * (0.8 - TOUCH_M), 0.0, 0.0 if sign > 0 else math.pi)
    robots = {
        name: lambda t, until_s=until_s, aside=0.5 - 0.2 * k: at_puck if t <= until_s else (at_puck[0], aside, 0.0)
        for k, (name, until_s) in enumerate(touches.items())
    }

    def puck(t: float):
        return (sign * min(LINE_M + 0.04, 0.8 + max(0.0, t - last_s)), 0.0)

    return Play(last_s + 0.5, puck, robots, ends_swapped)


OWN_GOAL_SCENES = [
    ("only defenders touched it", {}, shot_in({"blue/1": 0.1}), "blue/1"),
    ("the shot is long ago", {"shot_memory_s": 1.0}, shot_in({"red/1": 0.1, "blue/1": 1.1}), "blue/1"),
    ("a short memory", {"shot_memory_s": 0.2}, shot_in({"red/1": 0.1, "blue/0": 0.3}), "blue/0"),
    ("after a change of ends", {}, shot_in({"red/2": 0.1}, ends_swapped=True), "red/2"),
    ("an attacker touched it last", {}, shot_in({"blue/1": 0.1, "red/1": 0.4}), None),
    ("deflected shot", {"shot_memory_s": 1.0}, shot_in({"red/1": 0.1, "blue/0": 0.4}), None),
    ("nobody touched it", {}, Play(0.5, crossing(0.0, 0.04, -1.0)), None),
    ("only the attackers touched it", {}, shot_in({"red/1": 0.1}), None),
]


@pytest.mark.parametrize(("thresholds", "play", "robot"), [s[1:] for s in OWN_GOAL_SCENES], ids=[s[0] for s in OWN_GOAL_SCENES])
def test_own_goal(thresholds, play, robot):
    call = call_in(RULES["own_goal"](**thresholds), play)
    assert (str(call.robot) if call else None) == robot
    if call:
        assert call.goal_for != call.robot.team


AT_SIDE = (0.3, SIDE_M - TOUCH_M - 0.001)
"""Blue/1 with the puck at the side boards."""


def over_side(out_m: float):
    """Touched by blue/1, then over the side boards by so much."""
    start = (AT_SIDE[0] + TOUCH_M, AT_SIDE[1])
    return lambda t: start if t < 0.1 else (start[0], min(SIDE_M + out_m, start[1] + (t - 0.1)))


OUT = [
    # scene, rule, thresholds, play, (robot, against, restart, its team) or None
    ("a puck's width over the side", "puck_out", {}, Play(0.5, over_side(RADIUS_M + LITTLE_M), {"blue/1": AT_SIDE}),
     ("blue/1", "", FACE_OFF, "")),
    ("throw-in for the other team", "puck_out", {"restart": "throw_in"},
     Play(0.5, over_side(RADIUS_M + LITTLE_M), {"blue/1": AT_SIDE}), ("blue/1", "", THROW_IN, "red")),
    ("nobody touched it", "puck_out", {"restart": "throw_in"}, Play(0.1, (0.0, SIDE_M + 0.1)), ("None", "", FREE_BALL, "")),
    ("over the end boards", "puck_out", {},
     Play(0.1, (LINE_M + RADIUS_M + LITTLE_M, POST_M + 0.1)), ("None", "", FACE_OFF, "")),
    ("over a rounded corner", "puck_out", {}, Play(0.1, (LINE_M - 0.01, SIDE_M - 0.01)), ("None", "", FACE_OFF, "")),
    ("behind the net", "puck_out", {}, Play(0.1, (LINE_M + RINK.goal_depth_m + RADIUS_M, 0.0)), ("None", "", FACE_OFF, "")),
    ("lost", "puck_out", {"lost_s": 1.0}, Play(1.0), ("None", "", FACE_OFF, "")),
    ("almost lost", "puck_out", {"lost_s": 1.0}, Play(1.0 - LITTLE_S), None),
    ("seen now and then", "puck_out", {"lost_s": 1.0}, Play(5.0, lambda t: (0.0, 0.0) if t % 0.9 < 0.03 else None), None),
    ("almost over the side", "puck_out", {}, Play(0.5, over_side(RADIUS_M - LITTLE_M), {"blue/1": AT_SIDE}), None),
    ("in the net", "puck_out", {}, Play(0.1, (LINE_M + 2 * RADIUS_M, 0.0)), None),
    ("so fast that it is seen beyond the net", "puck_out", {"out_radii": 4.0}, Play(0.5, fast_shot(0.0)), None),
    ("fast over the net and away", "puck_out", {}, Play(0.3, line((LINE_M, 0.0), (2.8, 0.0))), ("None", "", FACE_OFF, "")),
    ("at the boards", "puck_out", {}, Play(0.1, (0.0, SIDE_M - RADIUS_M)), None),
]  # fmt: skip

STUCK = [
    ("at rest", "puck_stuck", {"stuck_s": 6.0}, Play(6.0, (0.5, 0.3)), ("None", "", FACE_OFF, "")),
    ("trembling within the limit", "puck_stuck", {"stuck_m": 0.03, "stuck_s": 6.0},
     Play(6.0, lambda t: (0.5 + 0.029 * (round(t / STEP_S) % 2), 0.3)), ("None", "", FACE_OFF, "")),
    ("free ball where the profile says so", "puck_stuck", {"restart": "free_ball", "stuck_s": 3.0}, Play(3.0, (-0.5, -0.3)),
     ("None", "", FREE_BALL, "")),
    ("almost long enough", "puck_stuck", {"stuck_s": 6.0}, Play(6.0 - LITTLE_S, (0.5, 0.3)), None),
    ("it moves on in time", "puck_stuck", {"stuck_m": 0.03, "stuck_s": 2.0},
     Play(20.0, lambda t: (0.031 * (t // 1.9) - 0.3, 0.0)), None),
    ("out of sight", "puck_stuck", {"stuck_s": 1.0}, Play(5.0), None),
    ("pushed to and fro", "no_progress", {"stuck_m": 0.25, "stuck_s": 20.0},
     Play(20.0, lambda t: (0.2 * math.sin(3.0 * t), 0.0)), ("None", "", FACE_OFF, "")),
    ("at rest makes no progress either", "no_progress", {"stuck_s": 20.0}, Play(20.0, (0.1, 0.1)), ("None", "", FACE_OFF, "")),
    ("just within the circle", "no_progress", {"stuck_m": 0.25, "stuck_s": 5.0},
     Play(5.0, lambda t: (0.249 * min(1.0, t), 0.0)), ("None", "", FACE_OFF, "")),
    ("just out of the circle", "no_progress", {"stuck_m": 0.25, "stuck_s": 5.0},
     Play(5.5, lambda t: (0.251 * min(1.0, t), 0.0)), None),
    ("almost long enough", "no_progress", {"stuck_s": 20.0}, Play(20.0 - LITTLE_S, (0.1, 0.1)), None),
    ("from end to end", "no_progress", {"stuck_s": 2.0}, Play(10.0, lambda t: (0.8 * math.sin(t), 0.0)), None),
]  # fmt: skip

KEEPER, GUARD = {"blue/0": (IN_CREASE, 0.0)}, {"blue/1": (IN_CREASE, 0.2)}
RIVAL = {"red/1": (SMALL_X_M * -1.0 - LITTLE_M, 0.1)}
STANDOFF = [
    ("still at centre", "standoff", {"hold_s": 10.0}, Play(10.0, (0.1, 0.1)), ("None", "", FREE_BALL, "")),
    ("just too slow", "standoff", {"slow_m_s": 0.1, "hold_s": 5.0}, Play(5.1, line((-0.2, 0.0), (0.099, 0.0))),
     ("None", "", FREE_BALL, "")),
    ("in the area with an attacker", "standoff", {"hold_s": 5.0}, Play(5.0, (IN_CREASE, 0.1), KEEPER | RIVAL),
     ("red/1", "red", GOAL_KICK, "blue")),
    ("in the area without one", "standoff", {"hold_s": 5.0},
     Play(5.0, (IN_CREASE, 0.1), KEEPER), ("None", "blue", PENALTY, "red")),
    ("a profile that knows only penalties", "standoff", {"hold_s": 5.0, "in_area": "penalty"},
     Play(5.0, (IN_CREASE, 0.1), KEEPER | RIVAL), ("None", "blue", PENALTY, "red")),
    ("just out of the area", "standoff", {"hold_s": 5.0}, Play(5.0, (-SMALL_X_M + LITTLE_M, 0.1), KEEPER),
     ("None", "", FREE_BALL, "")),
    ("almost long enough", "standoff", {"hold_s": 10.0}, Play(10.0 - LITTLE_S, (0.1, 0.1)), None),
    ("just fast enough", "standoff", {"slow_m_s": 0.1, "hold_s": 5.0}, Play(8.0, line((-0.4, 0.0), (0.101, 0.0))), None),
    ("moved in between", "standoff", {"hold_s": 5.0}, Play(9.0, lambda t: (0.0, 0.0) if t < 4.5 else (0.05, 0.0)), None),
]  # fmt: skip


def kept(way, team: str = "blue"):
    """The puck on its way with a robot of the team always at it."""
    return {f"{team}/1": lambda t: (way(t)[0] - TOUCH_M, way(t)[1])}


def wander(center_m: float):
    return lambda t: (center_m + 0.1 * math.sin(t), 0.0)


ONE_SIDE = [
    ("blue dawdles at home", "one_side", {"limit_s": 15.0}, Play(15.0, wander(-0.5), kept(wander(-0.5))),
     ("blue/1", "blue", FACE_OFF, "")),
    ("red dawdles at home", "one_side", {"limit_s": 15.0}, Play(15.0, wander(0.5), kept(wander(0.5), "red")),
     ("red/1", "red", FACE_OFF, "")),
    ("after a change of ends", "one_side", {"limit_s": 15.0},
     Play(15.0, wander(0.5), kept(wander(0.5)), ends_swapped=True), ("blue/1", "blue", FACE_OFF, "")),
    ("almost too long", "one_side", {"limit_s": 15.0}, Play(15.0 - LITTLE_S, wander(-0.5), kept(wander(-0.5))), None),
    ("blue attacks for long", "one_side", {"limit_s": 15.0}, Play(30.0, wander(0.5), kept(wander(0.5))), None),
    ("over the centre line in between", "one_side", {"limit_s": 5.0},
     Play(20.0, wander(-0.05), kept(wander(-0.05))), None),
    ("a shot in between", "one_side", {"limit_s": 5.0, "shot_m_s": 0.5},
     Play(12.0, lambda t: (-0.9 + 0.6 * (t % 1.0), 0.0), kept(lambda t: (-0.9 + 0.6 * (t % 1.0), 0.0))), None),
    ("nobody has touched it", "one_side", {"limit_s": 5.0}, Play(10.0, (-0.5, 0.0)), None),
]  # fmt: skip

IN_SMALL, OUT_OF_SMALL = -SMALL_X_M - LITTLE_M, -SMALL_X_M + LITTLE_M
IN_BIG, OUT_OF_BIG = -BIG_X_M - LITTLE_M, -BIG_X_M + LITTLE_M
PUCK_IN_SMALL, PUCK_IN_BIG = (-0.95, 0.0), (IN_BIG, 0.0)


def team_at(team: str, numbers, x_m: float):
    return {f"{team}/{n}": (x_m, -0.2 + 0.2 * k) for k, n in enumerate(numbers)}


CROWDS = [
    ("two attackers in the small area", "attackers_in_area", {"most": 1},
     Play(0.1, PUCK_IN_SMALL, team_at("red", (1, 2), IN_SMALL)),
     ("red/1", "red", GOAL_KICK, "blue")),
    ("three in the big one", "attackers_in_area", {"area": "big", "most": 2},
     Play(0.1, PUCK_IN_BIG, team_at("red", (0, 1, 2), IN_BIG)), ("red/0", "red", GOAL_KICK, "blue")),
    ("long enough", "attackers_in_area", {"most": 1, "hold_s": 3.0}, Play(3.0, PUCK_IN_SMALL, team_at("red", (1, 2), IN_SMALL)),
     ("red/1", "red", GOAL_KICK, "blue")),
    ("without the puck where the profile says so", "attackers_in_area", {"most": 1, "with_puck": False},
     Play(0.1, (0.5, 0.0), team_at("red", (1, 2), IN_SMALL)), ("red/1", "red", GOAL_KICK, "blue")),
    ("blue's attackers after a change of ends", "attackers_in_area", {"most": 1},
     Play(0.1, PUCK_IN_SMALL, team_at("blue", (1, 2), IN_SMALL), ends_swapped=True), ("blue/1", "blue", GOAL_KICK, "red")),
    ("one of two just out of it", "attackers_in_area", {"most": 1},
     Play(0.1, PUCK_IN_SMALL, {"red/1": (IN_SMALL, 0.0), "red/2": (OUT_OF_SMALL, 0.2)}), None),
    ("one beside it", "attackers_in_area", {"most": 1},
     Play(0.1, PUCK_IN_SMALL, {"red/1": (IN_SMALL, 0.0), "red/2": (IN_SMALL, SMALL_Y_M + LITTLE_M)}), None),
    ("as many as may be", "attackers_in_area", {"most": 2}, Play(0.1, PUCK_IN_SMALL, team_at("red", (1, 2), IN_SMALL)), None),
    ("almost long enough", "attackers_in_area", {"most": 1, "hold_s": 3.0},
     Play(3.0 - LITTLE_S, PUCK_IN_SMALL, team_at("red", (1, 2), IN_SMALL)), None),
    ("the puck is elsewhere", "attackers_in_area", {"most": 1}, Play(0.1, (0.5, 0.0), team_at("red", (1, 2), IN_SMALL)), None),
    ("defenders do not count", "attackers_in_area", {"most": 1},
     Play(0.1, PUCK_IN_SMALL, team_at("blue", (1, 2), IN_SMALL)), None),
    ("two defenders in the small area", "defenders_in_area", {"most": 1},
     Play(0.1, PUCK_IN_SMALL, team_at("blue", (0, 1), IN_SMALL)),
     ("blue/0", "blue", PENALTY, "red")),
    ("three in the big one", "defenders_in_area", {"area": "big", "most": 2},
     Play(0.1, PUCK_IN_BIG, team_at("blue", (0, 1, 2), IN_BIG)), ("blue/0", "blue", PENALTY, "red")),
    ("red's defenders", "defenders_in_area", {"most": 1}, Play(0.1, (0.95, 0.0), team_at("red", (0, 1), -IN_SMALL)),
     ("red/0", "red", PENALTY, "blue")),
    ("one of two just out of it", "defenders_in_area", {"most": 1},
     Play(0.1, PUCK_IN_SMALL, {"blue/0": (IN_SMALL, 0.0), "blue/2": (OUT_OF_SMALL, 0.2)}), None),
    ("the goalkeeper alone", "defenders_in_area", {"most": 1}, Play(1.0, PUCK_IN_SMALL, KEEPER), None),
    ("almost long enough", "defenders_in_area", {"most": 1, "hold_s": 0.5},
     Play(0.5 - LITTLE_S, PUCK_IN_SMALL, team_at("blue", (0, 1), IN_SMALL)), None),
    ("attackers do not count", "defenders_in_area", {"most": 1},
     Play(0.1, PUCK_IN_SMALL, team_at("red", (1, 2), IN_SMALL)), None),
]  # fmt: skip


def charge(speed_m_s: float, keeper_x_m: float = IN_CREASE, stays_s: float = 0.0):
    """Red/1 comes straight at blue's goalkeeper, stays, and goes back."""
    reach_m = 2.0 * HALF_BODY_M
    start_m = keeper_x_m + reach_m + 0.1
    hit_s = 0.1 / speed_m_s

    def way(t: float):
        if t < hit_s:
            return (start_m - speed_m_s * t, 0.0, math.pi)
        return (keeper_x_m + reach_m + max(0.0, 0.5 * (t - hit_s - stays_s)), 0.0, math.pi)

    return Play(hit_s + stays_s + 0.5, (0.3, 0.3), {"blue/0": (keeper_x_m, 0.0), "red/1": way})


CHARGES = [
    ("fast into the goalkeeper", "goalkeeper_charged", {"charge_m_s": 0.3}, charge(0.32), ("red/1", "red", GOAL_KICK, "blue")),
    ("very fast", "goalkeeper_charged", {"charge_m_s": 0.3}, charge(1.0), ("red/1", "red", GOAL_KICK, "blue")),
    ("leaning on it", "goalkeeper_charged", {"charge_m_s": 0.3, "lean_s": 1.0}, charge(0.1, stays_s=1.1),
     ("red/1", "red", GOAL_KICK, "blue")),
    ("face-off where the profile says so", "goalkeeper_charged", {"restart": "face_off", "card": "minor"}, charge(1.0),
     ("red/1", "red", FACE_OFF, "")),
    ("a slow touch", "goalkeeper_charged", {"charge_m_s": 0.3}, charge(0.28), None),
    ("leaning not long enough", "goalkeeper_charged", {"charge_m_s": 0.3, "lean_s": 1.0}, charge(0.1, stays_s=0.8), None),
    ("a goalkeeper out of its area", "goalkeeper_charged", {"charge_m_s": 0.3}, charge(1.0, keeper_x_m=OUT_OF_SMALL), None),
    ("its own team mate", "goalkeeper_charged", {"charge_m_s": 0.0},
     Play(1.0, (0.3, 0.3), {"blue/0": (IN_CREASE, 0.0), "blue/1": charge(1.0).robots["red/1"]}), None),
    ("another defender", "goalkeeper_charged", {"charge_m_s": 0.3},
     Play(1.0, (0.3, 0.3), {"blue/2": (IN_CREASE, 0.0), "red/1": charge(1.0).robots["red/1"]}), None),
    ("held for too long", "goalkeeper_holding", {"hold_s": 5.0}, Play(5.0, (IN_CREASE + TOUCH_M, 0.0), KEEPER),
     ("blue/0", "blue", PENALTY, "red")),
    ("just in reach", "goalkeeper_holding", {"hold_s": 2.0, "reach_radii": 0.5},
     Play(2.0, (IN_CREASE + TOUCH_M + 0.5 * RADIUS_M - LITTLE_M, 0.0), KEEPER), ("blue/0", "blue", PENALTY, "red")),
    ("red's goalkeeper", "goalkeeper_holding", {"hold_s": 2.0}, Play(2.0, (0.9 - TOUCH_M, 0.0), {"red/0": (0.9, 0.0)}),
     ("red/0", "red", PENALTY, "blue")),
    ("almost too long", "goalkeeper_holding", {"hold_s": 5.0}, Play(5.0 - LITTLE_S, (IN_CREASE + TOUCH_M, 0.0), KEEPER), None),
    ("just out of reach", "goalkeeper_holding", {"hold_s": 2.0, "reach_radii": 0.5},
     Play(4.0, (IN_CREASE + TOUCH_M + 0.5 * RADIUS_M + LITTLE_M, 0.0), KEEPER), None),
    ("another defender", "goalkeeper_holding", {"hold_s": 2.0},
     Play(4.0, (IN_CREASE + TOUCH_M, 0.0), {"blue/1": (IN_CREASE, 0.0)}),
     None),
    ("out of its area", "goalkeeper_holding", {"hold_s": 2.0}, Play(4.0, (-0.5 + TOUCH_M, 0.0), {"blue/0": (-0.5, 0.0)}), None),
]  # fmt: skip


def crash(blue_m_s: float, red_m_s: float, at_m: float = 0.0, names=("blue/1", "red/1")):
    """Two robots head on; they meet after a quarter of a second and stop."""
    meet_s = 0.25
    away_m = HALF_BODY_M
    one, two = names
    return Play(
        0.5,
        (0.3, 0.4),
        {
            one: lambda t: (at_m - away_m - blue_m_s * max(0.0, meet_s - t), 0.0),
            two: lambda t: (at_m + away_m + red_m_s * max(0.0, meet_s - t), 0.0, math.pi),
        },
    )


CRASHES = [
    ("just too fast", "pushing", {"crash_m_s": 1.5}, crash(1.51, 0.0), ("blue/1", "blue", FREE_KICK, "red")),
    ("the faster one is at fault", "pushing", {"crash_m_s": 1.0}, crash(0.3, 0.9), ("red/1", "red", FREE_KICK, "blue")),
    ("both at fault", "pushing", {"crash_m_s": 1.5, "shared_m_s": 0.3}, crash(0.9, 0.7), ("blue/1", "", FREE_BALL, "")),
    ("just not both", "pushing", {"crash_m_s": 1.5, "shared_m_s": 0.3}, crash(1.0, 0.69), ("blue/1", "blue", FREE_KICK, "red")),
    ("in the offender's own area", "pushing", {"crash_m_s": 1.0}, crash(1.2, 0.0, -0.75), ("blue/1", "blue", PENALTY, "red")),
    ("body check on the goalkeeper in its crease", "pushing", {"crash_m_s": 0.8, "body_check": True, "restart": "face_off"},
     crash(0.0, 1.0, IN_CREASE, ("blue/0", "red/1")), ("red/1", "red", FACE_OFF, "")),
    ("just slow enough", "pushing", {"crash_m_s": 1.5}, crash(1.49, 0.0), None),
    ("team mates", "pushing", {"crash_m_s": 0.5}, crash(1.0, 1.0, names=("blue/1", "blue/2")), None),
    ("body check", "pushing", {"crash_m_s": 0.8, "body_check": True}, crash(1.2, 1.2), None),
    ("body check on the goalkeeper out of its crease", "pushing", {"crash_m_s": 0.8, "body_check": True},
     crash(0.0, 1.0, -0.5, ("blue/0", "red/1")), None),
    ("passing close by", "pushing", {"crash_m_s": 0.5},
     Play(1.0, (0.3, 0.4), {"blue/1": line((-0.5, 0.0), (1.0, 0.0)), "red/1": (0.0, 0.1)}), None),
    ("leaning on each other for long", "pushing", {"crash_m_s": 0.5}, crash(0.2, 0.2), None),
]  # fmt: skip


def carried(speed_m_s: float, seconds: float, start_m: float = -0.8, gap_m: float = 0.0) -> Play:
    way = line((start_m, 0.0), (speed_m_s, 0.0))
    return Play(seconds, way, {"blue/1": lambda t: (way(t)[0] - TOUCH_M - gap_m, 0.0)})


REACH_M = 0.5 * RADIUS_M
CARRIES = [
    ("kept for too long", "holding", {"hold_s": 3.0}, carried(0.1, 3.0, -0.5), ("blue/1", "blue", FREE_KICK, "red")),
    ("just in reach", "holding", {"hold_s": 2.0},
     carried(0.1, 2.0, -0.5, REACH_M - LITTLE_M), ("blue/1", "blue", FREE_KICK, "red")),
    ("in its own penalty area", "holding", {"hold_s": 2.0}, carried(0.0, 2.0, -0.7), ("blue/1", "blue", PENALTY, "red")),
    ("almost too long", "holding", {"hold_s": 3.0}, carried(0.1, 3.0 - LITTLE_S), None),
    ("just out of reach", "holding", {"hold_s": 2.0}, carried(0.1, 4.0, -0.8, REACH_M + LITTLE_M), None),
    ("the goalkeeper in its crease", "holding", {"hold_s": 2.0}, Play(4.0, (IN_CREASE + TOUCH_M, 0.0), KEEPER), None),
    ("two fight for it", "holding", {"hold_s": 2.0},
     Play(4.0, (0.0, 0.0), {"blue/1": (-TOUCH_M, 0.0), "red/1": (TOUCH_M, 0.0)}),
     None),
    ("carried too far", "over_dribbling", {"carry_m": 1.0}, carried(0.5, 2.1), ("blue/1", "blue", FREE_KICK, "red")),
    ("carried far and fast", "over_dribbling", {"carry_m": 0.5}, carried(1.0, 0.6), ("blue/1", "blue", FREE_KICK, "red")),
    ("face-off where the profile says so", "over_dribbling", {"carry_m": 0.5, "restart": "face_off"}, carried(0.5, 1.1),
     ("blue/1", "blue", FACE_OFF, "")),
    ("almost too far", "over_dribbling", {"carry_m": 1.0}, carried(0.5, 1.99), None),
    ("to and fro", "over_dribbling", {"carry_m": 0.5}, Play(6.0, wander(0.0), kept(wander(0.0))), None),
    ("pushed ahead, out of reach", "over_dribbling", {"carry_m": 0.5}, carried(0.5, 2.0, -0.8, REACH_M + LITTLE_M), None),
]  # fmt: skip

KICK = Restart(KICK_OFF, CENTRE, "blue")
TAKER = {"blue/1": (-TOUCH_M, 0.0)}


def again(away_m: float):
    """The taker sends the puck away by so much and meets it again."""
    return bounce({0.0: 0.0, 0.1: 0.0, 0.4: away_m, 0.7: 0.0, 0.8: 0.0})


DOUBLE = [
    ("let go and touched again", "double_touch", {"away_m": 0.1}, Play(0.8, again(0.102), TAKER, restart=KICK),
     ("blue/1", "blue", FREE_KICK, "red")),
    ("far away and touched again", "double_touch", {"away_m": 0.1}, Play(0.8, again(0.3), TAKER, restart=KICK),
     ("blue/1", "blue", FREE_KICK, "red")),
    ("at a goal kick", "double_touch", {"away_m": 0.1},
     Play(0.8, again(0.2), TAKER, restart=Restart(GOAL_KICK, CENTRE, "blue")), ("blue/1", "blue", FREE_KICK, "red")),
    ("not really let go", "double_touch", {"away_m": 0.1}, Play(0.8, again(0.098), TAKER, restart=KICK), None),
    ("another one touched it", "double_touch", {"away_m": 0.1},
     Play(0.8, again(0.2), TAKER | {"red/1": (0.2 + TOUCH_M, 0.0)}, restart=KICK), None),
    ("a face-off is nobody's", "double_touch", {"away_m": 0.1},
     Play(0.8, again(0.2), TAKER, restart=Restart(FACE_OFF, CENTRE)), None),
    ("let go for good", "double_touch", {"away_m": 0.1},
     Play(0.8, bounce({0.0: 0.0, 0.1: 0.0, 0.4: 0.3, 0.8: 0.6}), TAKER, restart=KICK),
     None),
]  # fmt: skip

ALL_BLUE = {f"blue/{n}": (-0.5, 0.3 * n - 0.3) for n in range(3)}
TOO_MANY = [
    ("a fourth robot", "too_many_robots", {"grace_s": 2.0}, Play(2.0, (0.0, 0.0), ALL_BLUE | {"blue/3": (0.5, 0.0)}),
     ("blue/3", "blue", FREE_KICK, "red")),
    ("one that was sent off", "too_many_robots", {"grace_s": 2.0}, Play(2.0, (0.0, 0.0), ALL_BLUE, off=("blue/2",)),
     ("blue/2", "blue", FREE_KICK, "red")),
    ("at once where the profile says so", "too_many_robots", {"grace_s": 0.0}, Play(0.0, (0.0, 0.0), ALL_BLUE, off=("blue/2",)),
     ("blue/2", "blue", FREE_KICK, "red")),
    ("it leaves in time", "too_many_robots", {"grace_s": 2.0},
     Play(5.0, (0.0, 0.0), ALL_BLUE | {"blue/2": lambda t: (-0.5, 0.3) if t < 1.9 else (-0.5, 1.5)}, off=("blue/2",)), None),
    ("beside the rink", "too_many_robots", {"grace_s": 0.0},
     Play(1.0, (0.0, 0.0), ALL_BLUE | {"blue/3": (0.0, SIDE_M + LITTLE_M)}),
     None),
    ("all are there", "too_many_robots", {"grace_s": 0.0}, Play(1.0, (0.0, 0.0), ALL_BLUE), None),
    ("a substitute", "too_many_robots", {"grace_s": 0.0},
     Play(1.0, (0.0, 0.0), {"blue/0": (-0.5, 0.0), "blue/1": (-0.5, 0.3), "blue/3": (0.5, 0.0)}), None),
]  # fmt: skip

SCENES = [*OUT, *STUCK, *STANDOFF, *ONE_SIDE, *CROWDS, *CHARGES, *CRASHES, *CARRIES, *DOUBLE, *TOO_MANY]


@pytest.mark.parametrize(
    ("rule", "thresholds", "play", "expected"), [s[1:] for s in SCENES], ids=[f"{s[1]}: {s[0]}" for s in SCENES]
)
def test_rule(rule, thresholds, play, expected):
    call = call_in(RULES[rule](**thresholds), play)
    found = (str(call.robot), call.against, call.restart.kind, call.restart.team) if call else None
    assert found == expected, call


def test_every_rule_has_scenes_on_both_sides():
    tables = [("goal", *s[1:]) for s in GOAL_SCENES] + [("own_goal", *s[1:]) for s in OWN_GOAL_SCENES]
    expectations = [(name, e) for name, _, _, e in tables] + [(s[1], s[4]) for s in SCENES]
    for rule in RULES:
        calls = sum(name == rule and e is not None for name, e in expectations)
        quiet = sum(name == rule and e is None for name, e in expectations)
        assert calls >= 3 and quiet >= 3, (rule, calls, quiet)


@pytest.mark.parametrize(("rule", "thresholds", "play"), [s[1:4] for s in SCENES if s[4] is not None])
def test_a_call_says_what_where_and_by_which_numbers(rule, thresholds, play):
    call = call_in(RULES[rule](**thresholds), play)
    assert call.rule == rule and call.place is not None
    assert call.evidence and all(math.isfinite(value) for value in call.evidence.values())
    assert any(character.isdigit() for character in call.why)
    if call.robot is not None:
        assert str(call.robot) in call.why


def test_rules_forget():
    rule = RULES["puck_stuck"](stuck_s=6.0)
    assert call_in(rule, Play(5.9, (0.0, 0.0))) is None
    assert call_in(rule, Play(5.9, (0.0, 0.0))) is None


def test_behind_the_goals_is_in_play_where_there_is_room():
    league = load_league("micro_hockey_rod")
    end_m = LINE_M + league.rink.room_behind_goals_m
    for x_m, y_m, out in ((LINE_M + 0.2, 0.0, False), (end_m - 0.01, 0.3, False), (end_m + 2 * RADIUS_M, 0.3, True)):
        assert (call_in(RULES["puck_out"](), Play(0.1, (x_m, y_m)), league) is not None) == out
    round_the_goal = Play(2.0, lambda t: (LINE_M - 0.1 + 0.2 * min(t, 1.0), POST_M + 0.1 - max(0.0, t - 1.0) * 0.3))
    assert call_in(RULES["goal"](), round_the_goal, league) is None
    behind = {"red/1": (-LINE_M - 0.2, 0.1), "red/2": (-LINE_M - 0.2, -0.1)}
    assert call_in(RULES["attackers_in_area"](with_puck=False), Play(0.1, (0.0, 0.0), behind), league) is None
