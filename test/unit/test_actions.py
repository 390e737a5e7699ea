"""Orders fold into one target."""

from __future__ import annotations

import math

import pytest

from robohockey_core.actions import Dribble, Go, Kick, Stop, Target, target_of
from robohockey_core.state import Pose2D, Twist2D


def test_no_action_stands_still():
    assert target_of(()) == Target()


def test_go_without_yaw_may_face_anywhere():
    assert target_of(Go(1.0, 2.0)) == Target(Pose2D(1.0, 2.0, 0.0), face=False)


def test_go_with_yaw_and_speed():
    target = target_of(Go(1.0, 2.0, 0.5, 0.3, -0.3))
    assert target == Target(Pose2D(1.0, 2.0, 0.5), face=True, arrive=Twist2D(0.3, -0.3))


def test_a_sequence_is_folded_in_any_order():
    expected = Target(Pose2D(1.0, 2.0), kick_power=0.8, dribble=0.5)
    assert target_of((Go(1.0, 2.0), Kick(0.8), Dribble(0.5))) == expected
    assert target_of([Dribble(0.5), Kick(0.8), Go(1.0, 2.0)]) == expected


def test_the_later_action_of_a_kind_wins():
    assert target_of((Go(1.0, 1.0), Go(2.0, 2.0))).pose == Pose2D(2.0, 2.0)
    assert target_of((Go(1.0, 1.0), Stop())).pose is None
    assert target_of((Stop(), Go(1.0, 1.0))).pose == Pose2D(1.0, 1.0)


def test_stop_keeps_the_kicker():
    assert target_of((Kick(0.4), Stop())).kick_power == 0.4


@pytest.mark.parametrize(("asked", "given"), [(-1.0, 0.0), (0.5, 0.5), (7.0, 1.0), (math.inf, 1.0), (math.nan, 0.0)])
def test_power_and_strength_lie_between_0_and_1(asked, given):
    target = target_of((Kick(asked), Dribble(asked)))
    assert (target.kick_power, target.dribble) == (given, given)


@pytest.mark.parametrize("order", ["go", (1.0, 2.0), [Go(0.0, 0.0), None], 3, None])
def test_what_is_no_action_raises(order):
    with pytest.raises(TypeError):
        target_of(order)


def test_mirrored_twice_is_the_same():
    target = target_of((Go(1.0, 2.0, 0.5, 0.3, -0.1), Kick(0.8)))
    back = target.mirrored().mirrored()
    assert back.pose == pytest.approx(target.pose)
    assert (back.arrive, back.kick_power) == (target.arrive, target.kick_power)
    assert target.mirrored().pose[:2] == (-1.0, -2.0)
    assert target.mirrored().arrive == Twist2D(-0.3, 0.1)
    assert Target().mirrored() == Target()
