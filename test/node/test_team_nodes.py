"""Strategy, motion and referee nodes through their topics."""

from __future__ import annotations

import pytest
from geometry_msgs.msg import TwistStamped
from harness import running, wait_for

from robohockey_core.actions import Target
from robohockey_core.formation import face_off_formation
from robohockey_core.joints import bodies_sample, targets_of, targets_sample
from robohockey_core.league import League
from robohockey_core.match_state import MatchState
from robohockey_core.names import RobotId
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


def test_the_referee_counts_goals_and_late_comers_hear_the_score(domain, ros_probe, show_world):
    events = ros_probe.hear(topics.MATCH_EVENTS)
    placements = ros_probe.hear(topics.SET_STATE)
    in_goal = (LEAGUE.rink.length_m / 2.0 + 2.0 * LEAGUE.puck.radius_m, 0.0)

    def goal_called():
        playing = any(event.name == "play" for event in events)
        show_world(in_goal if playing else (0.0, 0.0))
        return any(event.name == "goal" for event in events)

    with running("referee", domain):
        wait_for(goal_called, "a goal")
        wait_for(lambda: len(placements) >= 2, "placements for the face-off")
        late = ros_probe.hear(topics.MATCH_STATE)
        state = wait_for(lambda: late and MatchState.from_values(conversions.status_values(late[0])), "the latched state")
        assert (state.score_blue, state.score_red) == (1, 0)
        assert ros_probe.call(topics.MATCH_PAUSE).message == "pause"
        assert ros_probe.call(topics.MATCH_START).message == "face_off"
        ros_probe.call(topics.MATCH_RESET)
        wait_for(lambda: MatchState.from_values(conversions.status_values(late[-1])).score_blue == 0, "a new match")
    goal = next(event for event in events if event.name == "goal")
    assert "over the line" in goal.message


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
        return any("longer than 0.1 s" in error and "decide" in error for error in told(diagnostics, "last_error"))

    with running("strategy", domain, team="blue", strategy=f"{path}:Slow") as process:
        wait_for(reported, "where the strategy hangs, in /diagnostics")
        assert process.poll() is None
    assert not targets
    assert told(diagnostics, "late")[-1] == "1"


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
