"""The referee node through its topics and services, and with the physics node that obeys it."""

from __future__ import annotations

import signal

import pytest
from harness import running, wait_for

from robohockey_core.formation import face_off_formation
from robohockey_core.joints import bodies_of, bodies_sample
from robohockey_core.league import League, load_league
from robohockey_core.match_state import ASK, PAUSE, PLACE, PLAY, RESUME, MatchState
from robohockey_core.ros import conversions, topics
from robohockey_core.state import BodyState, Pose2D, Twist2D
from robohockey_referee.judge import Judge
from robohockey_referee.memory import to_json

LEAGUE = League()
IN_GOAL = (LEAGUE.rink.length_m / 2.0 + 2.0 * LEAGUE.puck.radius_m, 0.0)


class Stage:
    """A rink without physics: bodies are where the referee puts them, the puck where the test wants it in play."""

    def __init__(self, probe) -> None:
        self._world = topics.publisher(probe.node, topics.WORLD_STATE)
        self._places = probe.hear(topics.SET_STATE)
        self._taken = 0
        self.states = probe.hear(topics.MATCH_STATE)
        self.events = probe.hear(topics.MATCH_EVENTS)
        self.time_s = 10.0
        self.puck_in_play = (0.3, 0.1)
        self.bodies = {str(robot): BodyState(pose) for robot, pose in face_off_formation(LEAGUE).items()}
        self.bodies["puck"] = BodyState(Pose2D(0.0, 0.0))

    @property
    def state(self) -> MatchState:
        return MatchState.from_values(conversions.status_values(self.states[-1])) if self.states else MatchState(phase="")

    def show(self) -> bool:
        """One camera frame later."""
        for message in self._places[self._taken :]:
            self.bodies.update(bodies_of(conversions.joint_sample(message)))
            self._taken += 1
        if self.state.phase == PLAY:
            self.bodies["puck"] = BodyState(Pose2D(*self.puck_in_play), Twist2D(0.5, 0.1))
        self.time_s += 0.02
        self._world.publish(conversions.joint_message(bodies_sample(self.time_s, self.bodies), topics.RINK_FRAME))
        return False

    def until(self, condition, what: str):
        return wait_for(lambda: self.show() or condition(), what)

    def until_phase(self, phase: str) -> None:
        self.until(lambda: self.state.phase == phase, f"phase {phase}")

    def told(self, rule: str) -> list[dict[str, str]]:
        return [conversions.status_values(event) for event in self.events if event.name == rule]


@pytest.fixture
def stage(ros_probe):
    return Stage(ros_probe)


def test_a_goal_is_explained_and_late_comers_hear_the_score(domain, ros_probe, stage):
    with running("referee", domain):
        stage.until_phase(PLAY)
        stage.puck_in_play = IN_GOAL
        stage.until(lambda: stage.told("goal"), "a goal")
        stage.puck_in_play = (0.3, 0.1)
        (goal,) = stage.told("goal")
        assert "over the line" in goal["explanation"] and goal["next"] == "Face off at (0.00, 0.00)"
        assert "over_line_m=0.05" in goal["evidence"] and goal["place"].startswith("1.05")
        late = ros_probe.hear(topics.MATCH_STATE)
        state = wait_for(lambda: late and MatchState.from_values(conversions.status_values(late[0])), "the latched state")
        assert (state.score_blue, state.score_red) == (1, 0)
        stage.until_phase(PLAY)
        assert ros_probe.call(topics.MATCH_PAUSE).message == PAUSE
        assert ros_probe.call(topics.MATCH_START).message == RESUME
        stage.until_phase(PLAY)
        refused = ros_probe.call(topics.MATCH_CONFIRM)
        assert not refused.success and "no call" in refused.message
        ros_probe.call(topics.MATCH_RESET)
        wait_for(lambda: MatchState.from_values(conversions.status_values(late[-1])).score_blue == 0, "a new match")


def test_suggest_asks_and_a_human_overrules_or_confirms(domain, ros_probe, stage):
    with running("referee", domain, mode="suggest"):
        stage.until_phase(PLAY)
        stage.puck_in_play = IN_GOAL
        stage.until_phase(ASK)
        stage.puck_in_play = (0.3, 0.1)
        assert ros_probe.call(topics.MATCH_OVERRULE).success
        stage.until(lambda: stage.state.phase == PLACE and stage.state.score_blue == 0, "no goal")
        stage.until_phase(PLAY)
        stage.puck_in_play = IN_GOAL
        stage.until_phase(ASK)
        assert ros_probe.call(topics.MATCH_CONFIRM).success
        stage.until(lambda: stage.state.score_blue == 1, "the goal")


def test_teams_propose_and_the_referee_corrects(domain, ros_probe, stage):
    with running("referee", domain):
        proposal = ros_probe.speaker(topics.PLACEMENT.of(team="blue"))
        wanted = {
            "blue/2": BodyState(Pose2D(-0.5, 0.4, 0.7)),
            "blue/1": BodyState(Pose2D(0.6, 0.0)),
            "red/1": BodyState(Pose2D(9, 9)),
        }

        def settled():
            if stage.state.turn == "blue":
                proposal.publish(conversions.joint_message(bodies_sample(stage.time_s, wanted), topics.RINK_FRAME))
                return False
            return "blue/1" in stage.state.places

        stage.until(settled, "blue's places")
        places = stage.state.places
        assert places["blue/2"] == pytest.approx((-0.5, 0.4, 0.7)) and places["blue/1"].x_m < 0.0
        (correction,) = stage.told("placement_corrected")
        assert "blue/1 was proposed" in correction["explanation"]


def test_a_killed_referee_goes_on_with_score_clock_and_phase(domain, ros_probe, stage, tmp_path):
    memory = str(tmp_path / "match.json")
    with running("referee", domain, memory_file=memory, exit_code=-signal.SIGKILL) as process:
        stage.until_phase(PLAY)
        stage.puck_in_play = IN_GOAL
        stage.until(lambda: stage.state.score_blue == 1, "a goal")
        stage.puck_in_play = (0.3, 0.1)
        stage.until_phase(PLAY)
        stage.until(lambda: stage.state.clock_s > 0.5, "half a second of play")
        process.send_signal(signal.SIGKILL)
    before = stage.state
    del stage.states[:], stage.events[:]
    with running("referee", domain, memory_file=memory):
        stage.until(lambda: stage.states, "a new referee")
        after = MatchState.from_values(conversions.status_values(stage.states[0]))
        assert (after.score_blue, after.phase, after.period) == (1, before.phase, before.period)
        assert after.clock_s == pytest.approx(before.clock_s, abs=0.3)
        stage.until(lambda: stage.state.clock_s > before.clock_s + 0.5, "more play")
        assert stage.told("match_start") == []


def test_a_memory_that_is_none_is_one_clear_line(domain, tmp_path):
    path = tmp_path / "match.json"
    path.write_text("{}")
    with running("referee", domain, memory_file=str(path), exit_code=2) as process:
        output = process.stdout.read()
    assert "is no memory of a match" in output and "Traceback" not in output


def test_a_memory_of_another_league_is_one_clear_line(domain, tmp_path):
    path = tmp_path / "match.json"
    path.write_text(to_json(Judge(load_league("mirosot_5v5")).memory()))
    with running("referee", domain, memory_file=str(path), exit_code=2) as process:
        output = process.stdout.read()
    assert "match.json: is of a match of mirosot_5v5" in output and "Traceback" not in output


def test_a_disk_that_cannot_be_written_is_refused_before_the_match(domain, tmp_path):
    (tmp_path / "file").write_text("")
    with running("referee", domain, memory_file=str(tmp_path / "file" / "match.json"), exit_code=2) as process:
        output = process.stdout.read()
    assert "match.json: cannot be" in output and "Traceback" not in output


def test_a_disk_that_fails_in_the_match_is_told_once_and_tried_again(domain, stage, tmp_path):
    folder, away = tmp_path / "kept", tmp_path / "away"
    path = folder / "match.json"
    with running("referee", domain, memory_file=str(path)) as process:
        stage.until_phase(PLAY)
        folder.rename(away)
        folder.write_text("")  # no folder any more
        clock_s = stage.state.clock_s
        stage.until(lambda: stage.state.clock_s > clock_s + 1.0, "play that goes on")
        folder.unlink()
        stage.until(path.exists, "the memory on disk again")
        process.send_signal(signal.SIGINT)
        output = process.stdout.read()
    assert output.count("cannot be written") == 1 and "kept on disk again" in output


def test_who_is_sent_off_leaves_the_physics_and_comes_back(domain, ros_probe):
    seen = ros_probe.hear(topics.DETECTIONS)
    with running("physics", domain):
        state, places = ros_probe.speaker(topics.MATCH_STATE), ros_probe.speaker(topics.SET_STATE)
        wait_for(lambda: seen and "red/1/x" in seen[-1].name, "red/1")
        state.publish(conversions.status_message("match", "", MatchState(off=("red/1",)).to_values()))
        wait_for(lambda: "red/1/x" not in seen[-1].name and "red/2/x" in seen[-1].name, "red/1 gone")
        # Whoever is put back while it is sent off goes again.
        back = {"red/1": BodyState(Pose2D(0.25, 0.5))}
        places.publish(conversions.joint_message(bodies_sample(0.0, back), topics.RINK_FRAME))
        wait_for(lambda: "red/1/x" in seen[-1].name, "red/1 put back by somebody")
        state.publish(conversions.status_message("match", "", MatchState(off=("red/1",)).to_values()))
        wait_for(lambda: "red/1/x" not in seen[-1].name, "red/1 gone again")
        state.publish(conversions.status_message("match", "", MatchState().to_values()))
        places.publish(conversions.joint_message(bodies_sample(0.0, back), topics.RINK_FRAME))
        wait_for(lambda: "red/1/x" in seen[-1].name, "red/1 back")
