"""A human sends a robot off, and on again."""

from __future__ import annotations

from robohockey_core.league import League
from robohockey_core.names import RobotId
from robohockey_referee.discipline import Discipline
from robohockey_referee.judge import Judge


def test_who_is_sent_off_by_hand_is_off_until_further_notice():
    judge = Judge(League())
    judge.send(RobotId("blue", 1), off=True)
    assert judge.state.off == ("blue/1",)


def test_who_is_sent_on_comes_back_as_after_a_penalty_and_nobody_else_does():
    sitting = Discipline().by_hand(RobotId("blue", 1), off=True).by_hand(RobotId("red", 0), off=True)
    assert sitting.serve(1000.0)[1] == ()
    forgiven, back = sitting.by_hand(RobotId("blue", 1), off=False).serve(0.02)
    assert back == ("blue/1",) and forgiven.off == ("red/0",)
