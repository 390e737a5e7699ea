"""Tables of scenes for the rules of conduct: what robots may do to others and with the puck."""

from __future__ import annotations

import math

from rule_scenes import (
    CENTRE,
    HALF_BODY_M,
    RADIUS_M,
    SIDE_M,
    TOUCH_M,
    Play,
    line,
)
from rule_tables import IN_CREASE, KEEPER, LITTLE_M, LITTLE_S, bounce, kept, wander

from robohockey_core.match_state import FACE_OFF, FREE_BALL, FREE_KICK, GOAL_KICK, KICK_OFF, PENALTY
from robohockey_referee.calls import Restart


def crash(blue_m_s: float, red_m_s: float, at_m: float = 0.0, names=("blue/1", "red/1"), y_m: float = 0.0):
    """Two robots head on; they meet after a quarter of a second and stop."""
    meet_s = 0.25
    away_m = HALF_BODY_M
    one, two = names
    return Play(
        0.5,
        (0.3, 0.4),
        {
            one: lambda t: (at_m - away_m - blue_m_s * max(0.0, meet_s - t), y_m),
            two: lambda t: (at_m + away_m + red_m_s * max(0.0, meet_s - t), y_m, math.pi),
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
