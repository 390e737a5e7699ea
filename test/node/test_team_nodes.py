"""Strategy and motion nodes through their topics."""

from __future__ import annotations

import math

import pytest
from geometry_msgs.msg import TwistStamped
from harness import running, wait_for
from rcl_interfaces.srv import SetParameters
from rclpy.parameter import Parameter

from robohockey_core.actions import Target
from robohockey_core.formation import face_off_formation
from robohockey_core.joints import bodies_sample, targets_of, targets_sample
from robohockey_core.league import League
from robohockey_core.match_state import PLACE, MatchState
from robohockey_core.names import RobotId, body_joints
from robohockey_core.ros import conversions, topics
from robohockey_core.state import BodyState, Pose2D

LEAGUE = League()
ROBOT = RobotId("blue", 1)


def world_message(stamp_s, puck=(0.3, 0.0)):
    bodies = {str(robot): BodyState(pose) for robot, pose in face_off_formation(LEAGUE).items()}
    bodies["puck"] = BodyState(Pose2D(*puck))
    return conversions.joint_message(bodies_sample(stamp_s, bodies), topics.RINK_FRAME)


@pytest.fixture
def show_world(ros_probe):
    """Publishes a world state, later by one control step each time."""
    publisher = topics.publisher(ros_probe.node, topics.WORLD_STATE)
    shown = {"stamp_s": 10.0}

    def show(puck=(0.3, 0.0), step_s=0.02):
        shown["stamp_s"] += step_s
        publisher.publish(world_message(shown["stamp_s"], puck))

    return show


def test_a_strategy_turns_the_world_into_targets(domain, ros_probe, show_world):
    heard = ros_probe.hear(topics.TARGETS.of(team="blue"))
    with running("strategy", domain, team="blue", strategy="chaser"):
        wait_for(lambda: show_world() or heard, "targets")
    targets = targets_of(conversions.joint_sample(heard[-1]))
    assert targets.keys() == {RobotId("blue", n) for n in range(3)}
    assert any(target.pose is not None for target in targets.values())


def test_a_strategy_is_changed_while_it_plays_and_shows_the_field_of_a_robot(domain, ros_probe, show_world):
    fields = ros_probe.hear(topics.FIELD.of(team="red"))
    targets = ros_probe.hear(topics.TARGETS.of(team="red"))
    with running("strategy", domain, team="red", strategy="idle"):
        wait_for(lambda: show_world() or targets, "targets of the idle team")
        client = ros_probe.node.create_client(SetParameters, "strategy/set_parameters")
        wait_for(client.service_is_ready, "the node's parameters")

        def answer(name, value):
            request = SetParameters.Request(parameters=[Parameter(name, value=value).to_parameter_msg()])
            future = client.call_async(request)
            wait_for(future.done, "an answer")
            return future.result().results[0]

        refused = answer("strategy", "nobody")
        assert not refused.successful and "unknown strategy nobody" in refused.reason
        assert answer("strategy", "potential_field").successful and answer("field_robot", 1).successful
        wait_for(lambda: show_world() or fields, "a field of red/1")
    values, origin, cell_m = conversions.grid_values(fields[-1])
    assert values.min() == 0 and values.max() == 100
    # The grid lies about centre ice.
    assert origin.x_m == pytest.approx(-values.shape[0] * cell_m / 2.0)
    assert origin.y_m == pytest.approx(-values.shape[1] * cell_m / 2.0)


def test_a_strategy_that_raises_is_reported_and_lives_on(domain, ros_probe, show_world, tmp_path):
    path = tmp_path / "broken.py"
    path.write_text("class Broken:\n    def decide(self, view):\n        raise KeyError('no plan')\n")
    diagnostics = ros_probe.hear(topics.DIAGNOSTICS)
    targets = ros_probe.hear(topics.TARGETS.of(team="blue"))

    def reported():
        show_world()
        return any("KeyError: 'no plan'" in conversions.status_values(m.status[0])["last_error"] for m in diagnostics)

    with running("strategy", domain, team="blue", strategy=f"{path}:Broken") as process:
        wait_for(reported, "the traceback in /diagnostics")
        assert process.poll() is None
    assert not targets


def test_motion_drives_to_targets_and_a_hand_outranks_them(domain, ros_probe, show_world):
    heard = ros_probe.hear(topics.WHEEL_COMMANDS.of(team="blue"))
    place = face_off_formation(LEAGUE)[ROBOT]
    ahead = Target(Pose2D(place.x_m + 0.3, place.y_m))

    def speeds():
        message = heard[-1]
        return [message.velocity[list(message.name).index(ROBOT.joint(w))] for w in ("left_wheel", "right_wheel")]

    with running("motion", domain, team="blue"):
        targets = ros_probe.speaker(topics.TARGETS.of(team="blue"))
        by_hand = ros_probe.speaker(topics.CMD_VEL.of(robot=ROBOT))

        def driving(forward):
            show_world()
            targets.publish(conversions.joint_message(targets_sample(0.0, {ROBOT: ahead})))
            return heard and all((speed > 1.0) if forward else (speed < -1.0) for speed in speeds())

        def backing_by_hand():
            twist = TwistStamped()
            twist.twist.linear.x = -0.5
            by_hand.publish(twist)
            return driving(forward=False)

        wait_for(lambda: driving(forward=True), "wheels that turn forward to the target")
        wait_for(backing_by_hand, "wheels that turn back, as the hand wants")
        wait_for(lambda: driving(forward=True), "the strategy in command again after the hand is gone")

        goal = ros_probe.speaker(topics.GOAL_POSE.of(robot=ROBOT))
        beside = conversions.pose_message(topics.RINK_FRAME, Pose2D(place.x_m, place.y_m + 0.3, math.pi / 2.0), 0.0)

        def turning_to_the_goal():
            goal.publish(beside)
            driving(forward=True)
            return speeds()[1] - speeds()[0] > 1.0

        wait_for(turning_to_the_goal, "a turn to the left, where the goal pose is")


def test_a_goal_pose_outranks_the_strategy_and_one_off_the_rink_is_refused(domain, ros_probe, show_world):
    heard = ros_probe.hear(topics.WHEEL_COMMANDS.of(team="blue"))
    diagnostics = ros_probe.hear(topics.DIAGNOSTICS)
    place = face_off_formation(LEAGUE)[ROBOT]
    ahead, behind = (Pose2D(place.x_m + way_m, place.y_m, place.yaw_rad) for way_m in (0.2, -0.2))

    with running("motion", domain, team="blue"):
        targets = ros_probe.speaker(topics.TARGETS.of(team="blue"))
        goals = ros_probe.speaker(topics.GOAL_POSE.of(robot=ROBOT))

        def drives(forward):
            show_world()
            targets.publish(conversions.joint_message(targets_sample(0.0, {ROBOT: Target(ahead)})))
            if not heard:
                return False
            speed = heard[-1].velocity[list(heard[-1].name).index(ROBOT.joint("left_wheel"))]
            return speed > 1.0 if forward else speed < -1.0

        wait_for(lambda: drives(forward=True), "the strategy in command")
        goals.publish(conversions.pose_message(topics.RINK_FRAME, behind, 0.0))
        wait_for(lambda: drives(forward=False), "wheels that turn back to the goal")
        wait_for(lambda: drives(forward=True), "the strategy in command again: the robot shown comes no nearer")
        goals.publish(conversions.pose_message(topics.RINK_FRAME, Pose2D(100.0, 0.0), 0.0))
        wait_for(lambda: show_world() or "1" in told(diagnostics, "refused_goals"), "the refusal in /diagnostics")
        wait_for(lambda: drives(forward=True), "the strategy still in command")
    assert "blue/1: there is no place (100, 0)" in told(diagnostics, "last_refusal")[-1]


def told(diagnostics, key):
    return [conversions.status_values(message.status[0]).get(key, "") for message in diagnostics]


def test_a_strategy_that_hangs_is_reported_with_where_it_hangs(domain, ros_probe, show_world, tmp_path):
    path = tmp_path / "slow.py"
    path.write_text(
        "import threading\nclass Slow:\n    def decide(self, view):\n        threading.Event().wait()  # thinks for ever\n"
    )
    diagnostics = ros_probe.hear(topics.DIAGNOSTICS)
    targets = ros_probe.hear(topics.TARGETS.of(team="blue"))

    def reported():
        show_world()
        return any("longer than 2 s" in error and "decide" in error for error in told(diagnostics, "last_error"))

    with running("strategy", domain, team="blue", strategy=f"{path}:Slow") as process:
        wait_for(reported, "where the strategy hangs, in /diagnostics")
        assert process.poll() is None
        assert not targets
        assert told(diagnostics, "late")[-1] == "1"
        path.write_text("class Slow:\n    def decide(self, view):\n        return {}\n")
        wait_for(lambda: show_world() or targets, "targets of the mended file")


def test_a_saved_file_is_played_by_the_running_node(domain, ros_probe, show_world, tmp_path):
    path = tmp_path / "team.py"
    text = (
        "from robohockey_core.actions import Go\nclass Team:\n    def decide(self, view):\n        return {{1: Go({x}, 0.0)}}\n"
    )
    path.write_text(text.format(x=0.1))
    heard = ros_probe.hear(topics.TARGETS.of(team="blue"))

    def goes_to(x):
        show_world()
        return any(targets_of(conversions.joint_sample(m))[ROBOT].pose == Pose2D(x, 0.0) for m in heard[-5:])

    with running("strategy", domain, team="blue", strategy=f"{path}:Team"):
        wait_for(lambda: goes_to(0.1), "targets of the first version")
        path.write_text(text.format(x=0.2))
        wait_for(lambda: goes_to(0.2), "targets of the saved version")


PLANNER = """
class Planner:
    def decide(self, view):
        return {}

    def place(self, view):
        return {2: (-0.4, 0.2, 0.5)}
"""


@pytest.mark.parametrize(("team", "place"), [("blue", (-0.4, 0.2, 0.5)), ("red", (0.4, -0.2, 0.5 - math.pi))])
def test_a_strategy_proposes_places_when_it_is_its_turn(domain, ros_probe, show_world, tmp_path, team, place):
    path = tmp_path / "planner.py"
    path.write_text(PLANNER)
    heard = ros_probe.hear(topics.PLACEMENT.of(team=team))
    with running("strategy", domain, team=team, strategy=f"{path}:Planner"):
        state = ros_probe.speaker(topics.MATCH_STATE)

        def proposed():
            state.publish(conversions.status_message("match", "", MatchState(phase=PLACE, turn=team).to_values()))
            show_world()
            return heard

        wait_for(proposed, "a proposal")
    sample = conversions.joint_sample(heard[-1])
    assert sample.names == body_joints(f"{team}/2") and tuple(sample.position) == pytest.approx(place)
