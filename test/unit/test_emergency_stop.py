"""The emergency stop as several nodes keep it."""

from __future__ import annotations

import random

import pytest

from robohockey_core.emergency_stop import EmergencyStop


def test_who_starts_again_takes_over_what_holds():
    first, again = EmergencyStop(), EmergencyStop()
    first.order(True)
    assert again.hear(first.values())
    assert again.on
    assert not again.hear(first.values())  # no news


def test_an_old_word_changes_nothing():
    early, late = EmergencyStop(), EmergencyStop()
    early.order(True)
    old = early.values()
    late.hear(old)
    late.order(False)
    assert not late.hear(old)
    assert not late.on
    assert early.hear(late.values())
    assert not early.on


def test_between_equals_the_one_that_stops_is_right():
    one, other = EmergencyStop(), EmergencyStop()
    one.order(True)
    other.order(False)
    assert not one.hear(other.values())
    assert other.hear(one.values())
    assert one.on
    assert other.on


@pytest.mark.parametrize(
    "values", [{}, {"emergency_stop": "True"}, {"emergency_stop": "True", "orders": "-1"}, {"orders": "x"}]
)
def test_what_is_no_such_message_is_no_news(values):
    stop = EmergencyStop()
    assert not stop.hear(values)
    assert not stop.on


@pytest.mark.parametrize("seed", range(50))
def test_orders_in_any_sequence_leave_all_of_one_mind(seed):
    """News travel as they like; at the end everybody has heard everybody's last word, and holds the same."""
    chance, keepers = random.Random(seed), [EmergencyStop() for _ in range(4)]
    for _ in range(30):
        one, other = chance.sample(keepers, 2)
        if chance.random() < 0.3:
            one.order(chance.random() < 0.5)
        else:
            one.hear(other.values())
    while any(one.hear(other.values()) for one in keepers for other in keepers):
        pass
    assert len({str(keeper.values()) for keeper in keepers}) == 1
