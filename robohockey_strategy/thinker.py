"""A strategy that thinks in a thread of its own, so that one which hangs holds up nobody, and a better one can take over.

Each strategy that is chosen or saved gets a new thread. What an old one still says is ignored, so it does not matter
whether it ever ends. Time comes in as an argument.
"""

from __future__ import annotations

import contextlib
import ctypes
import queue
import sys
import threading
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from robohockey_core.actions import Target
from robohockey_core.checked import InputError
from robohockey_core.league import League
from robohockey_core.match_state import PLAY, MatchState
from robohockey_core.names import RobotId
from robohockey_core.state import Pose2D, WorldState
from robohockey_strategy.fields import FieldPicture
from robohockey_strategy.strategy_files import SavedFiles, one_line
from robohockey_strategy.team import Coach, Team, load_strategy, trace_of

FIRST_DECISION_S = 2.0
"""A strategy's first decision may take this long: compiled code is loaded for it."""
_FRAMES_TOLD = 5


@dataclass(frozen=True)
class Thought:
    """What a strategy has to say about one moment, in the rink frame; only what it has come to by then."""

    stamp_s: float
    targets: Mapping[RobotId, Target] = field(default_factory=dict)
    picture: FieldPicture | None = None
    places: Mapping[RobotId, Pose2D] = field(default_factory=dict)


@dataclass
class Account:
    """What has happened since the start."""

    decisions: int = 0
    errors: int = 0
    late: int = 0
    reloads: int = 0
    reload_problem: str = ""
    last_error: str = ""

    @property
    def troubled(self) -> bool:
        return self.errors + self.late > 0 or bool(self.reload_problem)


class Thinker:
    """Asks one team's strategy for a decision whenever its period has passed, and hands on what it says."""

    def __init__(
        self,
        league: League,
        team: str,
        strategy: str,
        seed: int,
        say: Callable[[Thought], None],
        complain: Callable[[str], None] = lambda _: None,
    ) -> None:
        """`say` and `complain`, in one line, may be called in any thread. Raises InputError for one that does not load."""
        self._league, self._team, self._seed = league, team, seed
        self._say, self._complain = say, complain
        self._period_s = league.timing.strategy_period_s
        self._match = MatchState()
        self.account = Account()
        self.field_robot = -1
        self._decided_s: float | None = None
        # Whoever is in play is settled and speaks under this lock.
        self._lock = threading.Lock()
        self._mind: _Mind | None = None
        self._coming: _Mind | None = None
        self.choose(strategy)

    @property
    def chosen(self) -> str:
        """The strategy that plays, by its name."""
        return self._chosen

    def choose(self, strategy: str) -> None:
        """Play by this strategy from now on. Raises InputError, and then the present one plays on."""
        files = SavedFiles(strategy)
        mind = _Mind(self, strategy, load_strategy(strategy))
        self._chosen, self._files = strategy, files
        with self._lock:
            self._give_up(self._coming)
            self._coming = None
            self.account.reload_problem = ""
            self._put_in_play(mind)
        mind.start()

    def hear(self, match: MatchState) -> None:
        """Take the state of the match; a whistle is not kept waiting."""
        if (match.phase, match.turn) != (self._match.phase, self._match.turn):
            self._decided_s = None
        self._match = match

    def see(self, world: WorldState, now_s: float) -> None:
        """Take what is on the rink, at a time of the wall's."""
        self._watch_files()
        mind = self._mind
        assert mind is not None
        self._watch(mind, now_s)
        due = self._decided_s is None or not 0.0 <= world.stamp_s - self._decided_s < self._period_s
        if due and mind.since_s is None:
            self._decided_s = world.stamp_s
            mind.ask(world, self._match, now_s)

    def _watch(self, mind: _Mind, now_s: float) -> None:
        """A decision that takes longer than the strategy's period is told of once, with where it is."""
        limit_s = self._period_s if mind.decided else max(self._period_s, FIRST_DECISION_S)
        if mind.since_s is None or mind.told_late or now_s - mind.since_s < limit_s:
            return
        mind.told_late = True
        self.account.late += 1
        self.account.last_error = f"a decision takes longer than {limit_s:g} s; it is here:\n{mind.whereabouts()}"
        self._complain("the strategy takes longer than its period")

    def _watch_files(self) -> None:
        """A file that was saved is loaded aside: the present strategy plays until the new one is ready."""
        if not self._files.changed():
            return
        with self._lock:
            self._give_up(self._coming)
            self._coming = mind = _Mind(self, self._chosen)
        mind.start()

    def _put_in_play(self, mind: _Mind) -> None:
        self._give_up(self._mind)
        self._mind = mind
        self._decided_s = None

    @staticmethod
    def _give_up(mind: _Mind | None) -> None:
        if mind is not None:
            mind.end()

    def loaded(self, mind: _Mind, problem: str) -> None:
        """A mind tells that its saved file is loaded, or why it is not."""
        with self._lock:
            if mind is not self._coming:
                return
            self._coming = None
            self.account.reload_problem = problem
            if not problem:
                self.account.reloads += 1
                self._put_in_play(mind)

    def said(self, mind: _Mind, thought: Thought) -> None:
        """A mind tells what it came to; one that was given up talks to nobody."""
        with self._lock:
            if mind is not self._mind:
                return
            if thought.targets:
                mind.decided = True
                self.account.decisions += 1
            self._say(thought)

    def failed(self, mind: _Mind, error: BaseException) -> None:
        """A mind tells of an error."""
        with self._lock:
            if mind is self._mind:
                self.account.errors += 1
                self.account.last_error = trace_of(error)
                self._complain(f"the strategy raised {one_line(error)}")

    def coach(self, strategy: Team) -> Coach:
        """Somebody who asks this strategy for this team."""
        return Coach(self._league, self._team, strategy, self._seed)


class _Mind:
    """One strategy in one thread. It asks nothing of the others, so that it may hang."""

    def __init__(self, thinker: Thinker, name: str, strategy: Team | None = None) -> None:
        self._thinker, self._name, self._strategy = thinker, name, strategy
        self._moments: queue.SimpleQueue[tuple[WorldState, MatchState] | None] = queue.SimpleQueue()
        # A thread that hangs must not keep the process from ending.
        self._thread = threading.Thread(target=self._live, name=f"strategy {name}", daemon=True)
        self.start = self._thread.start
        self.decided, self.told_late = False, False
        self.since_s: float | None = None
        """Since when it has been thinking."""

    def ask(self, world: WorldState, match: MatchState, now_s: float) -> None:
        self.since_s, self.told_late = now_s, False
        self._moments.put((world, match))

    def whereabouts(self) -> str:
        """The lines that the thread is at."""
        frame = sys._current_frames().get(self._thread.ident or 0)
        return "".join(traceback.format_stack(frame)[-_FRAMES_TOLD:]) if frame is not None else ""

    def end(self) -> None:
        """End the thread after its present thought; one that is late with it at once, if it is in Python code.

        One that still loads is left to it: a library that is imported by half cannot be imported again.
        """
        self._moments.put(None)
        hangs = self.told_late and self.since_s is not None
        if hangs and self._thread.ident is not None and self._thread.is_alive():
            # One that runs in circles would share the interpreter with its successor for ever.
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self._thread.ident), ctypes.py_object(SystemExit))

    def _live(self) -> None:
        with contextlib.suppress(SystemExit):
            self._load_and_think()

    def _load_and_think(self) -> None:
        if self._strategy is None:
            try:
                self._strategy = load_strategy(self._name)
            except InputError as error:
                self._thinker.loaded(self, str(error))
                return
            self._thinker.loaded(self, "")
        coach = self._thinker.coach(self._strategy)
        while (moment := self._moments.get()) is not None:
            try:
                self._think(coach, *moment)
            except (Exception, SystemExit) as error:  # foreign code: whatever it raises costs only its own orders
                self._thinker.failed(self, error)
            self.since_s = None

    def _think(self, coach: Coach, world: WorldState, match: MatchState) -> None:
        thinker, stamp_s = self._thinker, world.stamp_s
        thinker.said(self, Thought(stamp_s, targets=coach.targets(world, match)))
        picture = coach.field(thinker.field_robot, match) if thinker.field_robot >= 0 else None
        if picture is not None:
            thinker.said(self, Thought(stamp_s, picture=picture))
        places = coach.placement(world, match) if match.phase != PLAY else {}
        if places:
            thinker.said(self, Thought(stamp_s, places=places))
