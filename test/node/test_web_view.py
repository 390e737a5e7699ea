"""The web view as a visitor has it: a real node, and a real browser that looks at it."""

from __future__ import annotations

import re
import socket
import subprocess
import sys

import numpy as np
import pytest
from browser import Visitor, chromium
from harness import environment, running, wait_for

from robohockey_core.joints import bodies_sample
from robohockey_core.ros import topics
from robohockey_core.ros.conversions import joint_message, status_message
from robohockey_core.state import BodyState, Pose2D

HOST = "127.0.0.1"
# The part of the page that shows ice and nothing else: no panel, no notice, no coloured boards.
ICE = (slice(260, 540), slice(200, 740))


@pytest.fixture
def port():
    with socket.create_server((HOST, 0)) as server:
        return server.getsockname()[1]


@pytest.fixture
def browser(tmp_path):
    with chromium(tmp_path) as window:
        yield window


def address(process):
    """The address that the node says; the lines before it too."""
    said = []
    for line in process.stdout:
        said.append(line)
        found = re.search(r"web view: (http://\S+)$", line.strip())
        if found:
            return found[1], "".join(said)
    raise AssertionError("the node ended without an address: " + "".join(said))


def ice(browser):
    """What the browser shows of the ice, as numbers."""
    import imageio.v3

    return imageio.v3.imread(browser.get_screenshot_as_png())[ICE][..., :3].astype(int)


def colored(picture, channel):
    """Where one of red, green, blue outshines both others by far."""
    others = [other for other in range(3) if other != channel]
    return np.all([picture[..., channel] > picture[..., other] + 60 for other in others], axis=0)


def is_drawn(browser, framed):
    """Whether the ice and its lines are there, and at rest: the page fades its lights in and frames the rink anew."""
    before, after = ice(browser), ice(browser)
    lines = [colored(after, channel).sum() for channel in (0, 2)]
    return framed() and np.median(after) > 180 and min(lines) > 500 and np.array_equal(before, after)


def near(mask, pixels=5):
    """A mask and everything within some pixels of it."""
    shifts = range(-pixels, pixels + 1)
    rows = np.any([np.roll(mask, shift, 0) for shift in shifts], axis=0)
    return np.any([np.roll(rows, shift, 1) for shift in shifts], axis=0)


def test_visitors_see_robots_in_team_colours_where_the_world_has_them(domain, ros_probe, port, browser):
    with running("web_view", domain, port=port) as process:
        url, _ = address(process)
        browser.get(url)
        wait_for(lambda: is_drawn(browser, lambda: "micro hockey" in Visitor(browser).text()), "the ice in the browser")
        empty = ice(browser)
        world_state, match_state = ros_probe.speaker(topics.WORLD_STATE), ros_probe.speaker(topics.MATCH_STATE)

        def new_pixels(channel, **bodies):
            """Columns of the pixels that turned to the colour since the rink was empty.

            Lines may have moved by some pixels since: a browser that is slow to lay out the page frames the
            rink once more when it knows how large the picture is, and edges of lines are no robot.
            """
            poses = {name.replace("_", "/"): BodyState(Pose2D(*pose)) for name, pose in bodies.items()}
            world_state.publish(joint_message(bodies_sample(0.0, poses), topics.RINK_FRAME))
            return np.nonzero(colored(ice(browser), channel) & ~near(colored(empty, channel)))[1]

        def center(channel, **bodies):
            """Where the robot is, from left to right, once it is drawn."""

            def whole_robot():
                columns = new_pixels(channel, **bodies)
                return float(np.mean(columns)) if len(columns) > 250 and np.ptp(columns) < 200 else None

            return wait_for(whole_robot, f"a robot in the browser: {bodies}")

        # Robots stand between lines: x = -0.45 and 0.45 lie well left and right of centre ice.
        blue_left = center(2, blue_0=(-0.45, -0.1, 0.0))
        red_right = center(0, red_1=(0.45, -0.1, 0.0))
        middle = ice(browser).shape[1] / 2.0
        assert blue_left < middle - 100 and red_right > middle + 100

        def moved():
            columns = new_pixels(2, blue_0=(0.42, -0.1, 0.0))
            return len(columns) > 250 and np.mean(columns) > blue_left + 150

        wait_for(moved, "blue/0 farther to the right")
        wait_for(lambda: len(new_pixels(2)) < 50, "no robot after the world lost it")

        match_state.publish(status_message("match", "", {"clock_s": 123.0, "score_red": 4, "explanation": "goal by red/1"}))
        text = wait_for(lambda: t if "02:03" in (t := browser.find_element("css selector", "body").text) else "", "the clock")
        assert "goal by red/1" in text and "4" in text

        side = ice(browser)
        Visitor(browser).choose("Camera", "Overhead")
        wait_for(lambda: np.abs(ice(browser) - side).mean() > 3.0, "another picture from the overhead camera")


def test_a_busy_port_gives_way_to_the_next_and_the_log_says_so(domain):
    with socket.create_server((HOST, 0)) as taken:
        port = taken.getsockname()[1]
        with running("web_view", domain, port=port) as process:
            url, said = address(process)
            assert f"port {port} is in use" in said
            chosen = int(url.rpartition(":")[2])
            assert port < chosen <= port + 50
            with socket.create_connection((HOST, chosen)):
                pass


def test_the_log_is_one_line_with_the_address(domain, port):
    with running("web_view", domain, port=port) as process:
        url, said = address(process)
        assert url == f"http://{HOST}:{port}"
        assert said.count("\n") == 1


def test_bad_messages_do_not_end_it(domain, ros_probe, port):
    with running("web_view", domain, port=port) as process:
        address(process)
        world_state, joints = ros_probe.speaker(topics.WORLD_STATE), ros_probe.speaker(topics.JOINT_STATES)
        joints.publish(topics.JOINT_STATES.type(name=["blue/0/left_wheel", "x", "y"], position=[float("nan")]))
        nonsense = status_message("/physics", "", {"real_time_factor": "n/a"})
        ros_probe.speaker(topics.DIAGNOSTICS).publish(topics.DIAGNOSTICS.type(status=[nonsense]))
        ros_probe.speaker(topics.MATCH_STATE).publish(status_message("match", "", {"score_blue": "one", "clock_s": "late"}))
        for topic in (topics.TARGETS.of(team="blue"), topics.GROUND_TRUTH, topics.DETECTIONS):
            ros_probe.speaker(topic).publish(topic.type(name=["blue/0/x"], position=[1.0, 2.0]))
        bad = topics.WORLD_STATE.type(name=["blue/0/x"], position=[1.0, 2.0])
        ros_probe.node.create_timer(0.05, lambda: world_state.publish(bad))
        assert "world_state ignored: 1 names but 2 values in position" in process.stdout.readline()
        assert process.poll() is None


def test_a_host_of_another_machine_is_refused_in_one_line(domain):
    command = [sys.executable, "-m", "robohockey_viz.nodes.web_view", "--ros-args", "-p", "host:=203.0.113.1"]
    ended = subprocess.run(command, env=environment(domain), capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 2
    assert "cannot listen on host 203.0.113.1" in ended.stderr and "Traceback" not in ended.stderr


def own_address():
    """An address of this machine that is not loopback."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing: only asks for the way
        except OSError:
            pytest.skip("this machine has no address but loopback")
        return probe.getsockname()[0]


def test_from_another_address_watching_is_free_and_controlling_needs_the_token(domain, ros_probe, port, browser):
    paused = []

    def pause(_request, response):
        paused.append(True)
        response.success = True
        return response

    topics.service(ros_probe.node, topics.MATCH_PAUSE, pause)
    with running("web_view", domain, port=port, host="0.0.0.0", token="sesame") as process:
        address(process)
        assert "give the token: sesame" in process.stdout.readline()
        browser.get(f"http://{own_address()}:{port}")
        visitor = Visitor(browser)
        wait_for(lambda: "waiting for the referee".upper() in visitor.text(), "the scoreboard")
        visitor.click("Pause")
        wait_for(lambda: "Only watching" in visitor.text(), "a refusal")
        assert not paused and "Drive a robot" not in visitor.text()
        visitor.write("Token", 0, "sesame")
        wait_for(lambda: "Drive a robot" in visitor.text(), "the right to control")

        def obeyed():
            visitor.click("Pause")
            return paused

        wait_for(obeyed, "a pause")
