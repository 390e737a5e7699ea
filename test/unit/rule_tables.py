"""Tables of scenes: some that a rule must call, some that it must not, just on either side of each threshold."""

from __future__ import annotations

import math

from rule_scenes import (
    HALF_BODY_M,
    LINE_M,
    POST_M,
    RADIUS_M,
    RINK,
    SIDE_M,
    STEP_S,
    TOUCH_M,
    Play,
    line,
    stops,
)

from robohockey_core.match_state import FACE_OFF, FREE_BALL, GOAL_KICK, PENALTY, THROW_IN

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


def shot_in(touches: dict[str, float], *, sign: float = -1.0, ends_swapped: bool = False, after_s: float = 0.5) -> Play:
    """Robots at the puck one after the other, each until the given time; then it goes in over blue's line."""
    last_s = max(touches.values())
    at_puck = (sign * (0.8 - TOUCH_M), 0.0, 0.0 if sign > 0 else math.pi)
    robots = {
        name: lambda t, until_s=until_s, aside=0.5 - 0.2 * k: at_puck if t <= until_s else (at_puck[0], aside, 0.0)
        for k, (name, until_s) in enumerate(touches.items())
    }

    def puck(t: float):
        return (sign * min(LINE_M + 0.04, 0.8 + max(0.0, t - last_s)), 0.0)

    return Play(last_s + after_s, puck, robots, ends_swapped)


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
