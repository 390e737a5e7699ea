"""A strategy in a thread of its own: saved files, errors, and hanging, from which the next one recovers."""

from __future__ import annotations

import threading

import pytest
from waiting import wait_for

from robohockey_core.checked import InputError
from robohockey_core.formation import face_off_formation
from robohockey_core.league import load_league
from robohockey_core.match_state import PLACE, PLAY, MatchState
from robohockey_core.names import BLUE, RED, RobotId
from robohockey_core.state import BodyState, Pose2D, WorldState
from robohockey_strategy.thinker import FIRST_DECISION_S, Thinker, Thought

LEAGUE = load_league("micro_hockey")
PERIOD_S = LEAGUE.timing.strategy_period_s
TEAM = "from robohockey_core.actions import Go\nclass Team:\n    def decide(self, view):\n        return {{1: Go({x}, 0.0)}}\n"
WAITS = "import threading\nclass Team:\n    def decide(self, view):\n        threading.Event().wait()\n"
SPINS = "class Team:\n    def decide(self, view):\n        while True:\n            pass\n"


class Play:
    """A thinker, shown the rink at times that the test says, and what it was heard to say."""

    def __init__(self, strategy: str, team: str = BLUE) -> None:
        self.heard: list[Thought] = []
        self.complaints: list[str] = []
        self.thinker = Thinker(LEAGUE, team, strategy, 1, self.heard.append, self.complaints.append)
        self.team, self.time_s = team, 0.0

    def show(self, passed_s: float = PERIOD_S) -> Play:
        self.time_s += passed_s
        robots = {robot: BodyState(pose) for robot, pose in face_off_formation(LEAGUE).items()}
        self.thinker.see(WorldState(self.time_s, robots, BodyState(Pose2D(0.0, 0.0))), self.time_s)
        return self

    def comes(self, condition, what: str) -> None:
        """Show the rink at 10 ms of its time each until something is so."""
        wait_for(lambda: self.show(0.01) and condition(), what)

    def goes_to(self, x: float) -> bool:
        robot = RobotId(self.team, 1)
        return any(thought.targets and thought.targets[robot].pose == Pose2D(x, 0.0) for thought in self.heard[-3:])


@pytest.fixture
def path(tmp_path):
    return tmp_path / "team.py"


def save(path, text: str) -> None:
    """Write it with a time of its own: two saves of a test may fall into one tick of the file system."""
    import os

    before_ns = path.stat().st_mtime_ns if path.exists() else 10**18
    path.write_text(text)
    os.utime(path, ns=(before_ns + 1000, before_ns + 1000))


def test_a_saved_file_is_played_soon(path):
    save(path, TEAM.format(x=0.1))
    play = Play(f"{path}:Team")
    play.comes(lambda: play.goes_to(0.1), "the first version")
    save(path, TEAM.format(x=0.2))  # same size, same second
    play.comes(lambda: play.goes_to(0.2), "the saved version")
    assert play.thinker.account.reloads == 1 and not play.thinker.account.troubled


def test_a_file_that_does_not_load_leaves_the_old_team_in_play(path):
    save(path, TEAM.format(x=0.1))
    play = Play(f"{path}:Team")
    save(path, "class Team:\n    def decide(self view)\n")
    play.comes(lambda: "SyntaxError" in play.thinker.account.reload_problem, "the problem")
    play.heard.clear()
    play.comes(lambda: play.goes_to(0.1), "the old team")
    path.unlink()
    play.heard.clear()
    play.comes(lambda: play.goes_to(0.1), "the old team without its file")
    assert play.thinker.account.reloads == 0
    path.write_text(TEAM.format(x=0.2))
    play.comes(lambda: play.goes_to(0.2), "the mended file")
    assert play.thinker.account.reload_problem == ""


def hang(path, text: str) -> Play:
    save(path, text)
    play = Play(f"{path}:Team").show()
    play.show(FIRST_DECISION_S)
    account = play.thinker.account
    assert (account.late, account.decisions) == (1, 0)
    assert play.complaints == ["the strategy takes longer than its period"]
    wait_for(lambda: "in decide" in play.thinker._mind.whereabouts(), "the thread in the strategy")
    return play


@pytest.mark.parametrize("text", [WAITS, SPINS], ids=["waits", "spins"])
def test_a_strategy_that_hangs_is_relieved_by_its_saved_file(path, text):
    play = hang(path, text)
    save(path, TEAM.format(x=0.2))
    play.comes(lambda: play.goes_to(0.2), "the saved version")
    assert play.thinker.account.reloads == 1


def test_a_strategy_that_hangs_is_relieved_by_another(path):
    play = hang(path, WAITS)
    play.thinker.choose("idle")
    play.comes(lambda: play.heard, "a decision")
    assert play.thinker.chosen == "idle"


def test_one_that_runs_in_circles_does_not_run_on(path):
    play = hang(path, SPINS)
    thread = play.thinker._mind._thread
    play.thinker.choose("idle")
    wait_for(lambda: not thread.is_alive(), "the end of the thread")


def test_what_an_old_one_still_says_is_ignored(path):
    gate = threading.Event()
    save(path, "class Team:\n    gate = None\n    def decide(self, view):\n        self.gate.wait()\n        return {}\n")
    play = Play(f"{path}:Team")
    old = play.thinker._mind
    type(old._strategy).gate = gate
    play.show()
    play.thinker.choose("idle")
    play.comes(lambda: len(play.heard) == 1, "the new one's decision")
    gate.set()
    wait_for(lambda: not old._thread.is_alive(), "the end of the old one")
    assert len(play.heard) == 1


def test_a_strategy_chosen_in_the_middle_has_time_for_its_first_decision(path):
    play = Play("idle")
    play.comes(lambda: len(play.heard) > 2, "decisions")
    save(path, WAITS)
    play.thinker.choose(f"{path}:Team")
    play.show().show(0.9 * FIRST_DECISION_S)
    assert play.thinker.account.late == 0
    wait_for(lambda: "in decide" in play.thinker._mind.whereabouts(), "the thread in the strategy")
    play.show(0.2 * FIRST_DECISION_S)
    assert play.thinker.account.late == 1
    assert "longer than 2 s" in play.thinker.account.last_error and "in decide" in play.thinker.account.last_error


def test_a_name_that_is_refused_leaves_the_old_team_in_play():
    play = Play("idle")
    with pytest.raises(InputError, match="unknown strategy nobody"):
        play.thinker.choose("nobody")
    play.comes(lambda: play.heard, "a decision")
    assert play.thinker.chosen == "idle"


@pytest.mark.parametrize("what", ["raise KeyError('no plan')", "import sys; sys.exit(3)"])
def test_a_strategy_that_raises_is_asked_again(path, what):
    save(path, f"class Team:\n    def decide(self, view):\n        {what}\n")
    play = Play(f"{path}:Team")
    play.comes(lambda: play.thinker.account.errors > 2, "errors")
    trace = play.thinker.account.last_error
    assert "in decide" in trace and "thinker.py" not in trace
    assert play.complaints[0].startswith("the strategy raised ")


def test_a_whistle_is_not_kept_waiting():
    play = Play("idle").show()
    wait_for(lambda: play.heard, "a decision")
    wait_for(lambda: play.thinker._mind.since_s is None, "an idle mind")
    play.show(0.01)
    assert len(play.heard) == 1
    play.thinker.hear(MatchState(phase=PLACE, turn=BLUE))
    play.show(0.01)
    wait_for(lambda: len(play.heard) == 2, "a decision before its time")


@pytest.mark.parametrize(("team", "swapped"), [(BLUE, False), (BLUE, True), (RED, False), (RED, True)])
def test_a_picture_of_a_field_lies_as_the_rink_does(path, team, swapped):
    save(
        path,
        "import numpy as np\nfrom robohockey_strategy.fields import FieldPicture\nclass Team:\n"
        "    def decide(self, view): return {}\n"
        "    def field(self, number): return FieldPicture(np.array([[0.0], [1.0]]), -0.1, -0.05, 0.1)\n",
    )
    play = Play(f"{path}:Team", team)
    play.thinker.field_robot = 1
    play.thinker.hear(MatchState(phase=PLAY, ends_swapped=swapped))
    play.comes(lambda: any(thought.picture for thought in play.heard), "a picture")
    (picture, *_) = [thought.picture for thought in play.heard if thought.picture]
    turned = (team == RED) != swapped
    assert picture.values.ravel().tolist() == ([1.0, 0.0] if turned else [0.0, 1.0])


def test_a_file_that_hangs_while_it_loads_leaves_the_old_team_in_play_until_it_is_saved_again(path):
    save(path, TEAM.format(x=0.1))
    play = Play(f"{path}:Team")
    save(path, "import threading\nthreading.Event().wait()\n")
    play.show()
    coming = play.thinker._coming
    wait_for(lambda: "team.py" in coming.whereabouts(), "the load")
    play.heard.clear()
    play.comes(lambda: play.goes_to(0.1), "the old team")
    save(path, TEAM.format(x=0.2))
    play.comes(lambda: play.goes_to(0.2), "the version that loads")
    assert play.thinker.account.reloads == 1
