"""Robots in visitors' hands: one robot has one hand."""

from __future__ import annotations

import contextlib
from types import SimpleNamespace

import pytest

from robohockey_core.league import load_league
from robohockey_core.names import RobotId
from robohockey_viz.drive_panel import DriveDesk

ROBOT = RobotId("blue", 1)


class Gui:
    """Takes down the one choice that a hand has."""

    def __getattr__(self, name):
        return lambda *_values, **_named: SimpleNamespace(on_hold=ignore, on_click=ignore, on_trigger=ignore)

    def add_folder(self, *_values, **_named):
        return contextlib.nullcontext()

    def add_dropdown(self, _label, options):
        self.choice = SimpleNamespace(value=options[0], on_update=lambda act: setattr(self, "act", act))
        return self.choice


def ignore(*_values, **_named):
    return None


class Visitor:
    def __init__(self, number):
        self.client_id, self.gui, self.told = number, Gui(), []

    def add_notification(self, _title, text, **_named):
        self.told.append(text)

    def choose(self, name):
        self.gui.choice.value = name
        self.gui.act(SimpleNamespace(client=self, target=self.gui.choice))


@pytest.fixture
def desk():
    goodbyes = []
    server = SimpleNamespace(on_client_disconnect=goodbyes.append)
    made = DriveDesk(server, load_league("micro_hockey"), SimpleNamespace(drive=ignore))
    made.part = goodbyes[0]
    return made


def test_a_robot_that_another_visitor_has_is_not_to_be_had_until_it_is_free(desk):
    one, two = Visitor(1), Visitor(2)
    for visitor in (one, two):
        desk.welcome(visitor)
    one.choose("blue/1")
    two.choose("blue/1")
    assert two.gui.choice.value == "nobody" and "visitor 1" in two.told[0]
    assert desk.taken() == {ROBOT}
    two.choose("blue/2")
    assert two.gui.choice.value == "blue/2" and one.told == []
    one.choose("nobody")
    two.choose("blue/1")
    assert two.gui.choice.value == "blue/1" and desk.taken() == {ROBOT}


def test_who_leaves_lets_go(desk):
    one, two = Visitor(1), Visitor(2)
    for visitor in (one, two):
        desk.welcome(visitor)
    one.choose("blue/1")
    desk.part(one)
    two.choose("blue/1")
    assert desk.taken() == {ROBOT} and two.told == []
