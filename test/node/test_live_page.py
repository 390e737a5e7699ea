"""The page of a live match in a real browser, without ROS: orders reach the match, and bodies are dragged."""

from __future__ import annotations

import math
import time

import imageio.v3
import numpy as np
import pytest
from browser import HEIGHT, WIDTH, Visitor, chromium
from harness import wait_for

from robohockey_core.actions import Target
from robohockey_core.league import load_league
from robohockey_core.match_state import ASK, PAUSE, PLAY
from robohockey_core.names import PUCK, RobotId
from robohockey_core.state import BodyState, Pose2D, Twist2D, WorldState
from robohockey_viz import cameras
from robohockey_viz.access import Access
from robohockey_viz.control_panel import PACES
from robohockey_viz.live_page import LivePage
from robohockey_viz.page import quiet_server
from robohockey_viz.ports import free_port
from robohockey_viz.scoreboard import PANEL_PX
from robohockey_viz.show import Grid

HOST = "127.0.0.1"
LEAGUE = load_league("micro_hockey")
ROBOT = RobotId("blue", 0)
# Places away from lines and from each other.
PLACES = {ROBOT: Pose2D(-0.45, -0.12, 0.0), RobotId("red", 1): Pose2D(0.45, 0.12, math.pi)}
PUCK_PLACE = Pose2D(0.4, -0.12)

# Title of every chart, and how many pixels it has in the colour of each of its lines.
CHARTS = """return Object.values(window.__viserTestpoints.uplots).map(({chart}) => {
    const canvas = chart.root.querySelector('canvas')
    const pixels = chart.ctx.getImageData(0, 0, canvas.width, canvas.height).data
    const count = color => { let n = 0
        for (let i = 0; i < pixels.length; i += 4)
            if (pixels[i + 3] > 200 && [0, 1, 2].every(c => Math.abs(pixels[i + c] - color[c]) < 12)) n += 1
        return n }
    const colors = chart.series.slice(1).map(s => s.stroke(chart).match(/[0-9]+/g).map(Number))
    return [chart.root.querySelector('.u-title').textContent, colors.map(count)] })"""


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

    def __init__(self, window, access):
        self.wishes = Wishes()
        self.server = quiet_server(HOST, free_port(HOST, 18500), "test")
        self.page = LivePage(self.server, LEAGUE, self.wishes, access)
        self.visitor, self._window = Visitor(window), window
        self.stamp_s = 0.0
        self.state = {"phase": PLAY}
        window.get(f"http://{HOST}:{self.server.get_port()}")

    def wait(self, condition, what):
        def drawn():
            self.stamp_s += 0.02
            robots = {robot: BodyState(pose, Twist2D()) for robot, pose in PLACES.items()}
            self.page.note_world(WorldState(self.stamp_s, robots, BodyState(PUCK_PLACE, Twist2D())))
            self.page.note_state(self.state)
            self.page.draw(time.monotonic())
            return condition()

        return wait_for(drawn, what)

    def picture(self):
        return imageio.v3.imread(self._window.get_screenshot_as_png())[:, : WIDTH - PANEL_PX, :3].astype(int)

    def settled(self, bright=150):
        """The picture once it rests; half of it is as bright as ice when the overhead camera shows it."""

        def same():
            before, after = self.picture(), self.picture()
            return [after] if np.array_equal(before, after) and np.median(after) >= bright else []

        return self.wait(same, "a picture at rest")[0]

    def changed(self, before, x_m, y_m, size_px=3):
        """How much the picture has changed around a place on the ice, seen by the overhead camera."""
        (column, row), _ = self.pixel(x_m, y_m)
        rows, columns = (slice(round(at) - size_px, round(at) + size_px + 1) for at in (row, column))
        return np.abs(self.picture() - before)[rows, columns].max()

    def run(self, script):
        return self._window.execute_script(script)

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


class Refusing(Access):
    """As if every visitor came from another machine."""

    def welcome(self, visitor, caller):
        return self.may_control(visitor)


@pytest.fixture
def watched(tmp_path, request):
    with chromium(tmp_path) as window:
        page = Watched(window, getattr(request, "param", Access)())
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
    for pace in PACES:
        visitor.click(pace)
        factor = 0.0 if pace == "max" else float(pace)
        watched.wait(lambda factor=factor: (factor,) in wishes.of("set_pace"), f"pace {pace}")
    watched.state = {"phase": ASK, "countdown_s": "7.2", "waiting_for": "blue/1", "explanation": "goal?"}
    watched.wait(lambda: "confirm or overrule · 8 s · waiting for blue/1" in visitor.text(), "a countdown on the scoreboard")


def test_every_camera_shows_another_picture_and_the_lamp_lights(watched):
    visitor, seen = watched.visitor, watched.picture()
    follow = [cameras.FOLLOW_PUCK, f"Follow {ROBOT}"]
    for preset in (cameras.OVERHEAD, cameras.BEHIND_BLUE, cameras.BEHIND_RED, *follow, cameras.BROADCAST):
        visitor.choose("Camera", preset)

        def another(before=seen):
            return np.abs(watched.picture() - before).mean() > 3.0

        watched.wait(another, f"the camera {preset}")
        seen = watched.settled(bright=0)
    watched.state = {"phase": PLAY, "score_blue": "0"}
    watched.wait(lambda: True, "a score")
    watched.state = {"phase": PLAY, "score_blue": "1"}

    def red_pixels():
        picture = watched.picture()
        return np.count_nonzero((picture[..., 0] > 235) & (picture[..., 1] < 90) & (picture[..., 2] < 90))

    dark = red_pixels()
    watched.wait(lambda: red_pixels() > dark + 20, "a lamp that shines")
    watched.wait(lambda: red_pixels() <= dark + 5, "a lamp that went out")


def test_a_robot_in_hand_goes_where_buttons_and_keys_say(watched):
    visitor, wishes = watched.visitor, watched.wishes
    visitor.open("Drive a robot")
    visitor.choose("In hand", str(ROBOT))

    def twist():
        driven = [twist for robot, twist, _ in wishes.of("drive") if robot == ROBOT]
        return tuple(np.sign(driven[-1])) if driven else None

    ways = {
        "▲ forward (I)": ("i", (1.0, 0.0, 0.0)),
        "▼ back (K)": ("k", (-1.0, 0.0, 0.0)),
        "◀ left (J)": ("j", (0.0, 0.0, 1.0)),
        "▶ right (L)": ("l", (0.0, 0.0, -1.0)),
    }
    for label, (key, way) in ways.items():
        visitor.hold(label)
        watched.wait(lambda way=way: twist() == way, label)
        visitor.let_go()
        watched.wait(lambda: twist() == (0.0, 0.0, 0.0), "a stop")
        visitor.press(key)
        watched.wait(lambda way=way: twist() == way, f"key {key}")
        watched.wait(lambda: twist() == (0.0, 0.0, 0.0), "a stop")
    for kick in (lambda: visitor.click("Kick (U)"), lambda: visitor.press("u")):
        wishes.asked.clear()
        kick()
        watched.wait(lambda: any(power == 1.0 for _, _, power in wishes.of("drive")), "a kick")
    visitor.choose("In hand", "nobody")
    watched.wait(lambda: not watched.page._desk.taken(), "a robot that is free again")


def test_overlays_and_graphs_show_what_was_heard(watched):
    visitor, page = watched.visitor, watched.page
    visitor.choose("Camera", cameras.OVERHEAD)
    visitor.click("Show")
    target, seen, truly = Pose2D(-0.1, 0.25, 0.0), Pose2D(-0.7, 0.12), Pose2D(0.2, 0.3, 0.0)
    start = PLACES[ROBOT]
    page.note_targets({ROBOT: Target(pose=target, face=True)})
    page.note_detections({str(ROBOT): BodyState(seen)})
    page.note_truth(0.0, lambda: WorldState(0.0, {ROBOT: BodyState(truly, Twist2D())}, None))
    half_m, range_m = LEAGUE.robot.length_m / 2.0, LEAGUE.robot.sensing_range_m
    middle = ((start.x_m + target.x_m) / 2.0, (start.y_m + target.y_m) / 2.0)
    boxes = {
        "Targets and ways": [middle, target.point],
        "Detections against truth": [seen.point, (truly.x_m + half_m, truly.y_m)],
        "Sensing range": [(start.x_m - range_m, start.y_m), (start.x_m, start.y_m - range_m)],
    }
    visitor.choose("Of robot", str(ROBOT))
    bare = watched.settled()
    for label, places in boxes.items():
        visitor.field(label).click()
        for place in places:
            watched.wait(lambda place=place: watched.changed(bare, *place) > 60, f"{label} at {place}")
        visitor.field(label).click()
        for place in places:
            watched.wait(lambda place=place: watched.changed(bare, *place) < 20, f"no {label} at {place}")

    visitor.field("Potential field").click()
    watched.wait(lambda: (ROBOT.team, ROBOT.number) in watched.wishes.of("show_field"), "the wish for a field")
    watched.wait(lambda: "has no field to show" in visitor.text(), "why there is none")
    values = np.zeros((40, 24), dtype=np.int8)
    values[20:] = 100
    page.note_field(Grid(values, Pose2D(-1.0, -0.6), 0.05))

    def tints():
        """Red less blue where the field draws, and where it repels."""
        picture = watched.picture()
        pairs = (watched.pixel(x_m, 0.45)[0] for x_m in (-0.8, 0.8))
        return [int(picture[round(row), round(column)] @ (1, 0, -1)) for column, row in pairs]

    watched.wait(lambda: tints()[0] < -60 and tints()[1] > 60, "a field, blue on the left and red on the right")
    visitor.field("Potential field").click()
    watched.wait(lambda: watched.changed(bare, 0.8, 0.45) < 20, "no field")

    visitor.field("Omni camera").click()
    watched.wait(lambda: page.wanted.omni, "a wish for images")
    images = [np.full((height, width, 3), 90, dtype=np.uint8) for width, height in ((64, 48), (96, 16))]
    page.note_pictures(*images)
    sizes = "return [...document.querySelectorAll('img')].map(i => [i.naturalWidth, i.naturalHeight])"
    watched.wait(lambda: {(64, 48), (96, 16)} <= {tuple(size) for size in watched.run(sizes)}, "the omni image and its strip")

    visitor.click("Graphs")

    def fed():
        """More of a match is heard, and what the charts have drawn by then, in pixels of each line's colour."""
        stamp_s = watched.stamp_s
        page.note_truth(stamp_s, lambda: WorldState(stamp_s, {ROBOT: BodyState(Pose2D(start.x_m, start.y_m + 0.004))}, None))
        page.note_status("physics", {"real_time_factor": "0.97"})
        for node, latency_s in (("tracker", 0.004), ("blue_strategy", 0.012), ("red_motion", 0.007)):
            page.note_latency(node, latency_s)
        return dict(watched.run(CHARTS))

    def all_drawn():
        shown = fed()
        latency = shown.pop("Latency, ms")
        known = [drawn > 20 for drawn in latency]
        return min(drawn[0] for drawn in shown.values()) > 20 and known == [True, True, False, False, True]

    watched.wait(all_drawn, "a line in every chart, and latencies of those who answered")
    assert "no truth" not in str(fed().keys())
    watched.wait(lambda: watched.run("return document.querySelectorAll('svg path[fill-opacity]').length") > 2, "heat maps")


@pytest.mark.parametrize("watched", [Refusing], indirect=True)
def test_who_may_only_watch_changes_nothing(watched):
    visitor, wishes = watched.visitor, watched.wishes
    watched.state = {"phase": PAUSE}
    page = watched.page
    page.note_status("red_strategy", {"team": "red", "strategy": "idle", "strategies": "chaser idle"})
    watched.wait(lambda: "PAUSE" in visitor.text(), "the pause")
    for label in ("Start", "Pause", "New match", *PACES, "Confirm", "Overrule", "off", "on", "again"):
        visitor.click(label)
    watched.wait(lambda: "Only watching" in visitor.text(), "a refusal")
    for label, mine, shared in (("Robot", "red/1", "blue/0"), ("Red", "chaser", "idle")):
        visitor.choose(label, mine)
        watched.wait(lambda label=label, s=shared: visitor.field(label).get_attribute("value") == s, f"{label} put back")
    visitor.click("States")
    watched.wait(lambda: visitor.field("x, y, yaw").is_enabled(), "an open editor")
    visitor.choose("Body", "red/2")
    watched.wait(lambda: visitor.field("Body").get_attribute("value") == PUCK, "the body put back")
    visitor.write("x, y, yaw", 0, "0.123")
    visitor.click("Put it there")
    visitor.field("Drag bodies").click()
    watched.wait(lambda: not visitor.field("Drag bodies").is_selected(), "no handles")
    visitor.click("Show")
    visitor.choose("Of robot", str(ROBOT))
    visitor.field("Potential field").click()
    watched.wait(lambda: not visitor.field("Potential field").is_selected(), "no field")
    assert watched.page.wanted.robot == ROBOT, "what costs the match nothing is free"
    visitor.press("k")
    visitor.write("Token", 0, "guess")
    watched.wait(lambda: True, "one picture more")
    assert wishes.asked == [] and "INSTANT REPLAY" not in visitor.text() and "Drive a robot" not in visitor.text()


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
