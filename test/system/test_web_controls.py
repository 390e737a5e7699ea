"""The control panel on a running match, in a real browser: every control does what it says."""

from __future__ import annotations

import math
import re
import socket

import pytest
from browser import Visitor, chromium
from harness import wait_for
from system_match import end, match

from robohockey_core.joints import bodies_sample, world_of
from robohockey_core.names import RobotId
from robohockey_core.ros import topics
from robohockey_core.ros.conversions import joint_message, joint_sample, status_values
from robohockey_core.state import BodyState, Pose2D, Twist2D


class Listener:
    """What a match says, newest first."""

    def __init__(self, ros_probe):
        self.states, self.truths = ros_probe.hear(topics.MATCH_STATE), ros_probe.hear(topics.GROUND_TRUTH)
        self.diagnostics, self.orders = ros_probe.hear(topics.DIAGNOSTICS), ros_probe.hear(topics.MATCH_ORDERS)
        self.twists = ros_probe.hear(topics.CMD_VEL.of(robot=RobotId("blue", 1)))
        self.kicks = ros_probe.hear(topics.KICK.of(robot=RobotId("blue", 1)))

    def phase(self):
        return status_values(self.states[-1])["phase"] if self.states else ""

    def clock_s(self):
        return float(status_values(self.states[-1])["clock_s"])

    def status(self, node, key):
        """The newest value that a node told of its health."""
        for message in reversed(list(self.diagnostics)):
            for status in message.status:
                if status.name == node and key in status_values(status):
                    return status_values(status)[key]
        return ""

    def world(self):
        return world_of(joint_sample(self.truths[-1]))

    def puck(self):
        return self.world().puck.pose

    def body(self, robot):
        return self.world().robots.get(robot)

    def room(self):
        """A place on the ice where nobody is; viser's fields take a minus sign only after the number."""
        world = self.world()
        taken = [body.pose.point for body in (*world.robots.values(), world.puck)]
        places = [(x / 10.0, y / 10.0) for x in range(7) for y in range(5)]
        return max(places, key=lambda place: min(math.dist(place, other) for other in taken))

    def value(self, key):
        return status_values(self.states[-1])[key]


SENT, TYPED = RobotId("blue", 0), RobotId("red", 2)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def address(process):
    for line in process.stdout:
        found = re.search(r"web view: (http://\S+)", line)
        if found:
            return found[1]
    raise AssertionError("no address")


@pytest.mark.slow
def test_every_control_does_what_it_says_to_the_running_match(domain, ros_probe, tmp_path):
    heard = Listener(ros_probe)
    with match(domain, "--port", str(free_port())) as process, chromium(tmp_path) as window:
        window.get(address(process))
        visitor = Visitor(window)
        wait_for(lambda: heard.phase() == "play", "play")
        wait_for(lambda: "PLAY" in visitor.text(), "the phase on the scoreboard")

        visitor.click("Pause")
        wait_for(lambda: heard.phase() == "pause", "a pause")
        wait_for(lambda: "PAUSE" in visitor.text(), "the pause on the scoreboard")

        visitor.click("States")
        wait_for(lambda: "Drag bodies" in visitor.text() and visitor.field("x, y, yaw").is_enabled(), "an open editor")
        visitor.write("x, y, yaw", 0, "0.4")
        visitor.write("x, y, yaw", 1, "0.5")
        visitor.click("Put it there")
        wait_for(lambda: (round(heard.puck().x_m, 2), round(heard.puck().y_m, 2)) == (0.4, 0.5), "the puck where it was put")
        visitor.choose("Body", "red/2")
        # The fields are filled with where it is; whoever types before that types into the wind.
        filled = visitor.fields("x, y, yaw")
        here = heard.body(TYPED).pose
        wait_for(lambda: abs(float(filled[0].get_attribute("value") or "nan") - here.x_m) < 0.01, "the robot's own place")
        x_m, y_m = heard.room()
        for number, value in enumerate((x_m, y_m, 1.2)):
            visitor.write("x, y, yaw", number, str(value))
        visitor.click("Put it there")
        wait_for(lambda: [round(v, 2) for v in heard.body(TYPED).pose] == [x_m, y_m, 1.2], "a robot where it was put")
        for number, value in enumerate(("0.4", "0.5")):
            visitor.write("x, y, yaw", number, value)
        visitor.click("Put it there")
        wait_for(lambda: "Not put there" in visitor.text(), "why a robot cannot stand in the puck")
        assert round(heard.body(TYPED).pose.x_m, 2) == x_m

        visitor.click("Match")
        visitor.click("Start")
        wait_for(lambda: heard.phase() != "pause", "play again")
        visitor.choose("Red", "idle")
        wait_for(lambda: heard.status("/red_strategy", "strategy") == "idle", "the idle strategy")
        visitor.click("0.5")
        wait_for(lambda: 0.3 < float(heard.status("/physics", "real_time_factor") or 0.0) < 0.7, "half the pace")
        visitor.click("1")
        wait_for(lambda: float(heard.status("/physics", "real_time_factor")) > 0.8, "the whole pace")
        visitor.click("2")
        wait_for(lambda: float(heard.status("/physics", "real_time_factor")) > 1.3, "a faster pace")
        visitor.click("1")
        visitor.click("off")
        wait_for(lambda: heard.orders, "a send-off")
        assert (heard.orders[0].key, heard.orders[0].value) == ("send_off", "blue/0")
        wait_for(lambda: heard.body(SENT) is None, "a rink without blue/0")
        visitor.click("on")
        wait_for(lambda: heard.body(SENT) is not None, "blue/0 on the rink again")

        visitor.open("Drive a robot")
        visitor.choose("In hand", "blue/1")
        wait_for(lambda: heard.twists and not heard.twists[-1].twist.linear.x, "a robot in hand that stands")
        visitor.hold("▲ forward (I)")
        wait_for(lambda: heard.twists[-1].twist.linear.x > 0.1, "a drive forward")
        visitor.let_go()
        wait_for(lambda: heard.twists[-1].twist.linear.x == 0.0, "a stop")
        visitor.press("k")
        wait_for(lambda: heard.twists[-1].twist.linear.x < -0.1, "a drive back by key")
        visitor.press("u")
        wait_for(lambda: heard.kicks and heard.kicks[-1].effort[0] == 1.0, "a kick")

        visitor.click("again")
        wait_for(lambda: "INSTANT REPLAY" in visitor.text(), "the instant replay")
        visitor.click("live")
        wait_for(lambda: "INSTANT REPLAY" not in visitor.text(), "live again")

        before_s = heard.clock_s()
        visitor.click("New match")
        wait_for(lambda: heard.clock_s() < before_s, "a new match")
        assert "Traceback" not in end(process)


@pytest.mark.slow
def test_a_call_that_is_asked_about_is_overruled_and_confirmed_in_the_browser(domain, ros_probe, tmp_path):
    heard = Listener(ros_probe)
    idle = ("--blue", "idle", "--red", "idle", "--suggest")
    with match(domain, "--port", str(free_port()), *idle) as process, chromium(tmp_path) as window:
        window.get(address(process))
        visitor = Visitor(window)
        set_state = ros_probe.speaker(topics.SET_STATE)
        # Beside the keeper, who stands in the middle of red's goal.
        shot = bodies_sample(0.0, {"puck": BodyState(Pose2D(0.8, 0.13), Twist2D(1.5, 0.0, 0.0))})

        def goal_is_asked_about():
            if heard.phase() == "play" and heard.puck().x_m < 0.7:
                set_state.publish(joint_message(shot, topics.RINK_FRAME))
            return heard.phase() == "ask"

        wait_for(lambda: "PLAY" in visitor.text(), "the page")
        wait_for(goal_is_asked_about, "a call that waits for a human")
        wait_for(lambda: re.search(r"confirm or overrule · \d+ s", visitor.text()), "the seconds that are left")
        visitor.click("Overrule")
        wait_for(lambda: heard.phase() != "ask", "an answer")
        assert heard.value("score_blue") == "0"
        wait_for(goal_is_asked_about, "another call")
        visitor.click("Confirm")
        wait_for(lambda: heard.value("score_blue") == "1", "a goal that stands")
        assert "Traceback" not in end(process)
