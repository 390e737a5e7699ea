"""Silence means stop."""

from __future__ import annotations

from robohockey_core.watchdog import Watchdog


def test_never_heard_is_silent():
    assert Watchdog(0.25).silent("a", 0.0)


def test_heard_until_the_timeout_and_not_longer():
    dog = Watchdog(0.25)
    dog.feed("a", 10.0)
    assert not dog.silent("a", 10.0)
    assert not dog.silent("a", 10.25)
    assert dog.silent("a", 10.250001)


def test_keys_are_apart():
    dog = Watchdog(0.25)
    dog.feed("a", 10.0)
    assert dog.silent("b", 10.0)


def test_a_clock_that_jumped_back_is_silence():
    dog = Watchdog(0.25)
    dog.feed("a", 10.0)
    assert dog.silent("a", 9.9)


def test_what_was_heard_before_a_jump_never_comes_alive_again():
    dog = Watchdog(0.25)
    dog.feed("a", 10.0)
    assert dog.silent("a", 0.0)
    assert dog.silent("a", 10.1)


def test_feeding_again_after_a_jump_is_heard():
    dog = Watchdog(0.25)
    dog.feed("a", 10.0)
    dog.feed("a", 0.0)
    assert not dog.silent("a", 0.1)
