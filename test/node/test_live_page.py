"""The page of a live match in a real browser, without ROS: orders reach the match, and bodies are dragged."""

from __future__ import annotations

import math
import time

import imageio.v3
import numpy as np
import pytest
from browser import HEIGHT, WIDTH, Visitor, chromium
from harness import wait_for

from robohockey_core.league import load_league
from robohockey_core.match_state import PAUSE, PLAY
from robohockey_core.names import PUCK, RobotId
from robohockey_core.state import BodyState, Pose2D, Twist2D, WorldState
from robohockey_viz import cameras
from robohockey_viz.access import Access
from robohockey_viz.live_page import LivePage
from robohockey_viz.page import quiet_server
from robohockey_viz.ports import free_port
from robohockey_viz.scoreboard import PANEL_PX

HOST = "127.0.0.1"
LEAGUE = load_league("micro_hockey")
ROBOT = RobotId("blue", 0)
# Places away from lines and from each other.
PLACES = {ROBOT: Pose2D(-0.45, -0.12, 0.0), RobotId("red", 1): Pose2D(0.45, 0.12, math.pi)}
PUCK_PLACE = Pose2D(0.4, -0.12)


class Wishes:
    """Controls that only remember what was asked of the match, by the name of the call."""

    def __init__(self):
        self.asked = []

    def __getattr__(self, name):
        return lambda *values, **named: self.asked.append((name, *values, *named.values()))

    def of(self, name):
        return [wish[1:] for wish in self.asked if wish[0] == name]


class Watched:
    """A page with a match on it that somebody watches: waiting goes on while it draws."""

    def __init__(self, window):
        self.wishes = Wishes()
        self.server = quiet_server(HOST, free_port(HOST, 18500), "test")
        self.page = LivePage(self.server, LEAGUE, self.wishes, Access())
        self.visitor, self._window = Visitor(window), window
        self._stamp_s = 0.0
        self.state = {"phase": PLAY}
        window.get(f"http://{HOST}:{self.server.get_port()}")

    def wait(self, condition, what):
        def drawn():
            self._stamp_s += 0.02
            robots = {robot: BodyState(pose, Twist2D()) for robot, pose in PLACES.items()}
            self.page.note_world(WorldState(self._stamp_s, robots, BodyState(PUCK_PLACE, Twist2D())))
            self.page.note_state(self.state)
            self.page.draw(time.monotonic())
            return condition()

        return wait_for(drawn, what)

    def picture(self):
        return imageio.v3.imread(self._window.get_screenshot_as_png())[:, : WIDTH - PANEL_PX, :3].astype(int)

    def settled(self):
        """The picture once it rests."""

        def same():
            before, after = self.picture(), self.picture()
            return [after] if np.array_equal(before, after) and np.median(after) > 150 else []

        return self.wait(same, "a picture at rest")[0]

    def pixel(self, x_m, y_m):
        """Where a place on the ice is in the window, seen by the overhead camera."""
        width = WIDTH - PANEL_PX
        view = cameras.frame(LEAGUE.rink, cameras.OVERHEAD, width / HEIGHT)
        per_m = HEIGHT / 2.0 / math.tan(cameras.FIELD_OF_VIEW_RAD / 2.0) / view.position[2]
        return (width / 2.0 + (x_m - view.look_at[0]) * per_m, HEIGHT / 2.0 - (y_m - view.look_at[1]) * per_m), per_m

    def drag(self, start, way):
        from selenium.webdriver import ActionChains
        from selenium.webdriver.common.actions.action_builder import ActionBuilder

        mouse = ActionBuilder(self._window)
        pointer = mouse.pointer_action
        pointer.move_to_location(*map(round, start)).pointer_down()
        for share in (0.25, 0.5, 0.75, 1.0):
            pointer.move_to_location(*(round(a + share * b) for a, b in zip(start, way, strict=True))).pause(0.05)
        pointer.pointer_up()
        mouse.perform()
        ActionChains(self._window).reset_actions()


@pytest.fixture
def watched(tmp_path):
    with chromium(tmp_path) as window:
        page = Watched(window)
        try:
            page.wait(lambda: "PLAY" in page.visitor.text(), "the page")
            yield page
        finally:
            page.server.stop()


def test_the_referees_buttons_and_the_crew_reach_the_match(watched):
    visitor, wishes = watched.visitor, watched.wishes
    for label, order in (("Confirm", "confirm"), ("Overrule", "overrule"), ("Start", "start"), ("New match", "reset")):
        visitor.click(label)
        watched.wait(lambda order=order: (order,) in wishes.of("referee"), order)
    visitor.choose("Robot", "red/1")
    for label, off in (("off", True), ("on", False)):
        visitor.click(label)
        watched.wait(lambda off=off: (RobotId("red", 1), off) in wishes.of("send_off"), f"send {label}")
    watched.page.note_status("/red_strategy", {"team": "red", "strategy": "idle", "strategies": "chaser idle"})
    watched.page.note_status("/blue_strategy", {"errors": "0", "late": "2", "last_error": "a decision takes longer"})
    watched.wait(lambda: "2 late, see /diagnostics" in visitor.text(), "a strategy that is late")
    visitor.choose("Red", "chaser")
    watched.wait(lambda: ("red", "chaser") in wishes.of("set_strategy"), "another strategy")


def test_bodies_are_dragged_on_the_ice_in_a_pause(watched):
    visitor, wishes = watched.visitor, watched.wishes
    watched.state = {"phase": PAUSE}
    visitor.choose("Camera", cameras.OVERHEAD)
    visitor.click("States")
    watched.wait(lambda: visitor.field("x, y, yaw").is_enabled(), "an open editor")
    bare = watched.settled()
    visitor.field("Drag bodies").click()
    watched.wait(lambda: np.abs(watched.picture() - bare).max() > 100, "handles on the bodies")
    watched.settled()
    reach_m = 0.7 * 1.6 * LEAGUE.robot.circumradius_m
    for name, pose, along in ((PUCK, PUCK_PLACE, (1, 0)), (str(ROBOT), PLACES[ROBOT], (0, 1))):
        start, per_m = watched.pixel(pose.x_m + reach_m * along[0], pose.y_m + reach_m * along[1])
        watched.drag(start, (0.2 * per_m * along[0], -0.2 * per_m * along[1]))

        def dropped(name=name):
            return [bodies[name].pose for (bodies,) in wishes.of("place") if name in bodies]

        there = watched.wait(dropped, f"{name} somewhere else")[-1]
        moved = (there.x_m - pose.x_m, there.y_m - pose.y_m)
        assert moved == pytest.approx((0.2 * along[0], 0.2 * along[1]), abs=0.02)
