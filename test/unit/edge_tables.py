"""Tables of scenes at the very edge of a threshold, of an area or of the rink; and all tables together."""

from __future__ import annotations

from conduct_tables import ALL_BLUE, CARRIES, CRASHES, DOUBLE, KICK, TAKER, TOO_MANY, again, carried, crash
from rule_scenes import HALF_BODY_M, LINE_M, RADIUS_M, RINK, SIDE_M, TOUCH_M, Play
from rule_tables import (
    BIG_Y_M,
    CHARGES,
    CROWDS,
    GOAL_SCENES,
    IN_BIG,
    IN_CREASE,
    IN_SMALL,
    KEEPER,
    LITTLE_M,
    ONE_SIDE,
    OUT,
    OUT_OF_BIG,
    OUT_OF_SMALL,
    OWN_GOAL_SCENES,
    PUCK_IN_SMALL,
    SMALL_Y_M,
    STANDOFF,
    STUCK,
    bounce,
    charge,
    kept,
    peek,
    shot_in,
    team_at,
)

from robohockey_core.match_state import FACE_OFF, FREE_BALL, FREE_KICK, GOAL_KICK, PENALTY

TINY_M = 0.0003
"""Less than a few percent of how far a puck may be from who carries it."""
NET_M = LINE_M + RINK.goal_depth_m


def slid_in(over_m: float) -> Play:
    """Red/1 has its own goal before it, and the puck comes to rest so far over the line."""
    return Play(
        0.4,
        lambda t: (LINE_M + RADIUS_M - 0.02 + min(t, 0.02 + over_m), 0.0),
        {"red/1": (LINE_M - HALF_BODY_M - 0.02, 0.0)},
    )


def peeks_in(seconds: float) -> Play:
    return Play(0.1, lambda t: (peek(t, seconds, LITTLE_M), t), {"red/1": (LINE_M - HALF_BODY_M, 0.0)})


OWN_GOAL_EDGES = [
    ("just over the line", {}, slid_in(0.0005), "red/1"),
    ("just not over the line", {}, slid_in(-0.0005), None),
    ("shallow, but for three looks", {}, peeks_in(0.06), "red/1"),
    ("shallow for two looks", {}, peeks_in(0.04), None),
    ("the shot is just long enough ago", {}, shot_in({"red/1": 0.1, "blue/1": 0.88}, after_s=0.24), "blue/1"),
    ("the shot is just not long enough ago", {}, shot_in({"red/1": 0.1, "blue/1": 0.86}, after_s=0.24), None),
]


def up_and_down(speed_m_s: float):
    """Towards the other end and back, all in blue's half."""
    way = bounce({float(k): -0.9 + speed_m_s * (k % 2) for k in range(12)})
    return Play(6.0, way, kept(way))


ONE_SIDE_EDGES = [
    ("almost a shot", "one_side", {"limit_s": 5.0, "shot_m_s": 0.5}, up_and_down(0.49), ("blue/1", "blue", FACE_OFF, "")),
    ("just a shot", "one_side", {"limit_s": 5.0, "shot_m_s": 0.5}, up_and_down(0.51), None),
]  # fmt: skip

BY_PENALTY = {"hold_s": 2.0, "in_area": "penalty"}
STANDOFF_EDGES = [
    ("an attacker just outside", "standoff", {"hold_s": 2.0},
     Play(2.0, (IN_CREASE, 0.1), KEEPER | {"red/1": (OUT_OF_SMALL, 0.1)}), ("None", "blue", PENALTY, "red")),
    ("a profile that knows only free balls", "standoff", {"hold_s": 2.0, "in_area": "free_ball"},
     Play(2.0, (IN_CREASE, 0.1), KEEPER), ("None", "", FREE_BALL, "")),
    ("just in the area", "standoff", BY_PENALTY, Play(2.0, (IN_SMALL, 0.1), KEEPER), ("None", "blue", PENALTY, "red")),
    ("just beside the area", "standoff", BY_PENALTY, Play(2.0, (IN_SMALL, SMALL_Y_M + LITTLE_M)), ("None", "", FREE_BALL, "")),
    ("just in the big one", "standoff", BY_PENALTY | {"area": "big"},
     Play(2.0, (IN_BIG, 0.1), KEEPER), ("None", "blue", PENALTY, "red")),
    ("just out of the big one", "standoff", BY_PENALTY | {"area": "big"},
     Play(2.0, (OUT_OF_BIG, 0.1), KEEPER), ("None", "", FREE_BALL, "")),
]  # fmt: skip

TWO_RED, TWO_BLUE = team_at("red", (1, 2), IN_SMALL), team_at("blue", (0, 1), IN_SMALL)
CALLED_RED, CALLED_BLUE = ("red/1", "red", GOAL_KICK, "blue"), ("blue/0", "blue", PENALTY, "red")


def one_more(number: str, x_m: float, y_m: float = 0.0) -> dict[str, tuple[float, float]]:
    """One well inside, and another one there."""
    return {f"{number[:-1]}0": (-0.95, -0.2), number: (x_m, y_m)}


CROWD_EDGES = [
    ("long enough", "defenders_in_area", {"hold_s": 0.5}, Play(0.5, PUCK_IN_SMALL, TWO_BLUE), CALLED_BLUE),
    ("without the puck where the profile says so", "defenders_in_area", {"with_puck": False},
     Play(0.1, (0.5, 0.0), TWO_BLUE), CALLED_BLUE),
    ("without the puck", "defenders_in_area", {}, Play(0.1, (0.5, 0.0), TWO_BLUE), None),
    ("the puck just in", "attackers_in_area", {}, Play(0.1, (IN_SMALL, 0.0), TWO_RED), CALLED_RED),
    ("the puck just out", "attackers_in_area", {}, Play(0.1, (OUT_OF_SMALL, 0.0), TWO_RED), None),
    ("the puck just beside", "attackers_in_area", {}, Play(0.1, (-0.95, SMALL_Y_M + LITTLE_M), TWO_RED), None),
    ("the puck just in the net", "attackers_in_area", {}, Play(0.1, (LITTLE_M - NET_M, 0.0), TWO_RED), CALLED_RED),
    ("the puck just behind the net", "attackers_in_area", {}, Play(0.1, (-NET_M - LITTLE_M, 0.0), TWO_RED), None),
    ("one just in the big one", "attackers_in_area", {"area": "big"},
     Play(0.1, PUCK_IN_SMALL, one_more("red/2", IN_BIG)), ("red/2", "red", GOAL_KICK, "blue")),
    ("one just out of the big one", "attackers_in_area", {"area": "big"},
     Play(0.1, PUCK_IN_SMALL, one_more("red/2", OUT_OF_BIG)), None),
    ("one just beside the big one", "attackers_in_area", {"area": "big"},
     Play(0.1, PUCK_IN_SMALL, one_more("red/2", IN_BIG, BIG_Y_M + LITTLE_M)), None),
    ("one just in the big one", "defenders_in_area", {"area": "big"},
     Play(0.1, PUCK_IN_SMALL, one_more("blue/2", IN_BIG, BIG_Y_M - LITTLE_M)), ("blue/2", "blue", PENALTY, "red")),
    ("one just out of the big one", "defenders_in_area", {"area": "big"},
     Play(0.1, PUCK_IN_SMALL, one_more("blue/2", OUT_OF_BIG)), None),
]  # fmt: skip

CHARGED = ("red/1", "red", GOAL_KICK, "blue")
HELD = ("blue/0", "blue", PENALTY, "red")


def keeps(x_m: float, gap_m: float = 0.0, y_m: float = 0.0) -> Play:
    """Blue's goalkeeper has the puck, and the puck is there."""
    return Play(2.0, (x_m, y_m), {"blue/0": (x_m - TOUCH_M - gap_m, y_m)})


KEEPER_EDGES = [
    ("just too fast", "goalkeeper_charged", {"charge_m_s": 0.3}, charge(0.305), CHARGED),
    ("just slow enough", "goalkeeper_charged", {"charge_m_s": 0.3}, charge(0.295), None),
    ("leaning just long enough", "goalkeeper_charged", {"lean_s": 1.0}, charge(0.1, stays_s=0.98), CHARGED),
    ("leaning just not long enough", "goalkeeper_charged", {"lean_s": 1.0}, charge(0.1, stays_s=0.97), None),
    ("just in its area", "goalkeeper_charged", {}, charge(1.0, keeper_x_m=IN_SMALL), CHARGED),
    ("just in the big area", "goalkeeper_charged", {"area": "big"}, charge(1.0, keeper_x_m=IN_BIG), CHARGED),
    ("just out of the big area", "goalkeeper_charged", {"area": "big"}, charge(1.0, keeper_x_m=OUT_OF_BIG), None),
    ("the very edge of its reach", "goalkeeper_holding", {"hold_s": 2.0}, keeps(IN_CREASE, 0.5 * RADIUS_M - TINY_M), HELD),
    ("just beyond its reach", "goalkeeper_holding", {"hold_s": 2.0}, keeps(IN_CREASE, 0.5 * RADIUS_M + TINY_M), None),
    ("just in its area", "goalkeeper_holding", {"hold_s": 2.0}, keeps(IN_SMALL), HELD),
    ("just out of its area", "goalkeeper_holding", {"hold_s": 2.0}, keeps(OUT_OF_SMALL), None),
    ("just beside its area", "goalkeeper_holding", {"hold_s": 2.0}, keeps(IN_SMALL, y_m=SMALL_Y_M + LITTLE_M), None),
    ("just in the big area", "goalkeeper_holding", {"hold_s": 2.0, "area": "big"}, keeps(IN_BIG), HELD),
    ("just out of the big area", "goalkeeper_holding", {"hold_s": 2.0, "area": "big"}, keeps(OUT_OF_BIG), None),
]  # fmt: skip

CHECK = {"crash_m_s": 0.8, "body_check": True, "restart": "face_off"}
ON_KEEPER = ("blue/0", "red/1")
CHECKED = ("red/1", "red", FACE_OFF, "")
KICKED, PENALIZED = ("blue/1", "blue", FREE_KICK, "red"), ("blue/1", "blue", PENALTY, "red")
CRASH_EDGES = [
    ("hardly both at fault", "pushing", {"crash_m_s": 1.4}, crash(0.9, 0.605), ("blue/1", "", FREE_BALL, "")),
    ("a hard check on the goalkeeper", "pushing", CHECK, crash(0.0, 0.81, IN_CREASE, ON_KEEPER), CHECKED),
    ("a soft check on the goalkeeper", "pushing", CHECK, crash(0.0, 0.79, IN_CREASE, ON_KEEPER), None),
    ("the goalkeeper just in its crease", "pushing", CHECK, crash(0.0, 1.0, IN_SMALL + HALF_BODY_M, ON_KEEPER), CHECKED),
    ("the goalkeeper just out of it", "pushing", CHECK, crash(0.0, 1.0, OUT_OF_SMALL + HALF_BODY_M, ON_KEEPER), None),
    ("the attacker runs faster than the goalkeeper", "pushing", CHECK, crash(0.5, 0.55, IN_CREASE, ON_KEEPER), CHECKED),
    ("the goalkeeper runs faster than the attacker", "pushing", CHECK, crash(0.55, 0.5, IN_CREASE, ON_KEEPER), None),
    ("the goalkeeper runs into an attacker that stands", "pushing", CHECK, crash(1.0, 0.0, IN_CREASE, ON_KEEPER), None),
    ("just in the offender's own area", "pushing", {"crash_m_s": 1.0}, crash(1.2, 0.0, IN_BIG), PENALIZED),
    ("just out of it", "pushing", {"crash_m_s": 1.0}, crash(1.2, 0.0, OUT_OF_BIG), KICKED),
    ("just beside it", "pushing", {"crash_m_s": 1.0}, crash(1.2, 0.0, IN_BIG, y_m=BIG_Y_M + LITTLE_M), KICKED),
]  # fmt: skip

JUST_IN_REACH, JUST_OUT_OF_REACH = 0.5 * RADIUS_M - TINY_M, 0.5 * RADIUS_M + TINY_M


def keeper_carries(x_m: float) -> Play:
    """Blue's goalkeeper there, with the puck before it."""
    return Play(2.0, (x_m + TOUCH_M, 0.0), {"blue/0": (x_m, 0.0)})


CARRY_EDGES = [
    ("the very edge of its reach", "holding", {"hold_s": 2.0}, carried(0.1, 2.0, -0.5, JUST_IN_REACH),
     KICKED),
    ("just beyond its reach", "holding", {"hold_s": 2.0}, carried(0.1, 2.0, -0.5, JUST_OUT_OF_REACH), None),
    ("the goalkeeper just in its crease", "holding", {"hold_s": 2.0}, keeper_carries(IN_SMALL), None),
    ("the goalkeeper just out of it", "holding", {"hold_s": 2.0}, keeper_carries(OUT_OF_SMALL), HELD),
    ("just in its own penalty area", "holding", {"hold_s": 2.0}, carried(0.0, 2.0, IN_BIG), PENALIZED),
    ("just out of it", "holding", {"hold_s": 2.0}, carried(0.0, 2.0, OUT_OF_BIG), KICKED),
    ("just in reach", "over_dribbling", {"carry_m": 0.5}, carried(0.5, 1.1, -0.5, JUST_IN_REACH), KICKED),
    ("just beyond reach", "over_dribbling", {"carry_m": 0.5}, carried(0.5, 1.1, -0.5, JUST_OUT_OF_REACH), None),
    ("just too far", "over_dribbling", {"carry_m": 1.0}, carried(0.5, 2.04), KICKED),
]  # fmt: skip

DOUBLE_EDGES = [
    ("an opponent was there first", "double_touch", {"away_m": 0.1},
     Play(0.8, again(0.2), {"red/1": TAKER["blue/1"]}, restart=KICK), None),
    ("an opponent was there first, then the taker", "double_touch", {"away_m": 0.1},
     Play(1.6, lambda t: again(0.2)(t % 0.8),
          {"red/1": lambda t: TAKER["blue/1"] if t < 0.3 else (-0.5, 0.4),
           "blue/1": lambda t: (-0.5, 0.2) if t < 0.5 else TAKER["blue/1"]}, restart=KICK), None),
]  # fmt: skip

STRAY = ALL_BLUE | {"blue/3": (0.0, SIDE_M - LITTLE_M)}
TOO_MANY_EDGES = [
    ("just inside the boards", "too_many_robots", {"grace_s": 0.0}, Play(0.1, (0.0, 0.0), STRAY),
     ("blue/3", "blue", FREE_KICK, "red")),
    ("it leaves just in time", "too_many_robots", {"grace_s": 2.0},
     Play(3.0, (0.0, 0.0), ALL_BLUE | {"blue/2": lambda t: (-0.5, 0.3 if t < 1.99 else 1.5)}, off=("blue/2",)), None),
]  # fmt: skip

GOALS, OWN_GOALS = GOAL_SCENES, [*OWN_GOAL_SCENES, *OWN_GOAL_EDGES]
SCENES = [
    *OUT, *STUCK, *STANDOFF, *STANDOFF_EDGES, *ONE_SIDE, *ONE_SIDE_EDGES, *CROWDS, *CROWD_EDGES, *CHARGES, *KEEPER_EDGES,
    *CRASHES, *CRASH_EDGES, *CARRIES, *CARRY_EDGES, *DOUBLE, *DOUBLE_EDGES, *TOO_MANY, *TOO_MANY_EDGES,
]  # fmt: skip
