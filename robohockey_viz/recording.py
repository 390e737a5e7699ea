"""A recorded match in memory: what moved when, what was called, and the match that it was."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
import yaml

from robohockey_core import cdr
from robohockey_core.actions import Target
from robohockey_core.checked import InputError, build, to_plain
from robohockey_core.joints import FloatArray, JointSample, targets_of, world_of
from robohockey_core.league import DEFAULT_LEAGUE, League, load_league
from robohockey_core.names import TEAMS, RobotId
from robohockey_core.state import WorldState
from robohockey_viz.bag_reader import BagMessage, bag_file, read_about, read_messages
from robohockey_viz.heard import number, own_node
from robohockey_viz.latency import TRACKER, LatencyMeter

_QUIET_RULES = ("play", "resume", "pause", "match_start", "start")
"""Events that are no call worth jumping to."""

_JOINTS = "joint_states"
_JOINT_STATE = "sensor_msgs/msg/JointState"
_ANSWERS = {"targets": "strategy", "wheel_commands": "motion"}
"""What the nodes of a team say to a world state."""

T = TypeVar("T")


class Values(NamedTuple):
    """Key-values that were said at a moment of the time line."""

    time_s: float
    values: Mapping[str, str]


class Track:
    """Samples of one joint topic along the time line."""

    def __init__(self, times_s: FloatArray, samples: list[JointSample]) -> None:
        self.times_s = times_s
        self._samples = samples

    def __len__(self) -> int:
        return len(self._samples)

    def __iter__(self) -> Iterator[tuple[float, JointSample]]:
        return zip(self.times_s.tolist(), self._samples, strict=True)

    def index(self, time_s: float) -> int:
        """The last sample at or before a time; the first one when there is none before."""
        return max(0, int(np.searchsorted(self.times_s, time_s + 1e-9, side="right")) - 1)

    def said_s(self, time_s: float) -> float:
        """When the sample that counts at a time was said; long ago when that is yet to come."""
        said_s = float(self.times_s[self.index(time_s)])
        return said_s if said_s <= time_s + 1e-9 else -math.inf

    def at(self, time_s: float) -> JointSample | None:
        return self._samples[self.index(time_s)] if self._samples else None


@dataclass(frozen=True, eq=False)
class Recording:
    """One match, on a time line that starts at 0 and never runs back."""

    league: League
    match: Mapping[str, Any]
    worlds: Track
    wheels: tuple[Track, ...]
    """One track for all that one speaker told of: the physics and each driver have their own robots."""
    truth: Track
    targets: Mapping[str, Track] = field(default_factory=dict)
    states: tuple[Values, ...] = ()
    events: tuple[Values, ...] = ()
    pace: tuple[tuple[float, float], ...] = ()
    strategies: Mapping[str, tuple[tuple[float, str], ...]] = field(default_factory=dict)
    """By team, what it played from when on."""
    latencies: Mapping[str, tuple[tuple[float, float], ...]] = field(default_factory=dict)
    """By node, how long after a sight of the camera its answers came."""

    @property
    def duration_s(self) -> float:
        return float(self.worlds.times_s[-1])

    def world_at(self, time_s: float) -> WorldState:
        """The world as it was recorded last at this time: exactly, not blended."""
        sample = self.worlds.at(time_s)
        assert sample is not None
        return world_of(sample)

    def wheels_at(self, time_s: float) -> dict[str, float]:
        angles: dict[str, float] = {}
        for track in sorted(self.wheels, key=lambda track: track.said_s(time_s)):
            sample = track.at(time_s)
            if sample is not None:
                angles.update(zip(sample.names, sample.position.tolist(), strict=False))
        return angles

    def names_at(self, time_s: float) -> dict[str, str]:
        """By team, the strategy that played then."""
        names = {team: str(self.match.get(team, team)) for team in TEAMS}
        for team, played in self.strategies.items():
            names[team] = next((name for from_s, name in reversed(played) if from_s <= time_s), names[team])
        return names

    def targets_at(self, time_s: float) -> dict[RobotId, Target]:
        found: dict[RobotId, Target] = {}
        for track in self.targets.values():
            sample = track.at(time_s)
            if sample is not None:
                found |= targets_of(sample)
        return found

    def names(self, team: str) -> str:
        """All that a team played by, in order."""
        return ", then ".join(name for _, name in self.strategies.get(team, ())) or str(self.match.get(team, team))

    def state_at(self, time_s: float) -> Mapping[str, str]:
        """What the scoreboard showed."""
        shown: Mapping[str, str] = {}
        for moment in self.states:
            if moment.time_s > time_s:
                break
            shown = moment.values
        return shown

    def calls(self) -> tuple[Values, ...]:
        """Goals and other calls, without the mere restarts of play."""
        return tuple(event for event in self.events if event.values.get("rule", "") not in _QUIET_RULES)


def read_recording(folder: Path) -> Recording:
    """Load a recording, also one that was cut off. Raises InputError."""
    path = bag_file(folder)
    about = read_about(path)
    heard = _Heard(about.get("namespace", ""))
    for message in read_messages(path):
        heard.take(message)
    worlds = heard.samples.get("world_state")
    if not worlds:
        raise InputError(f"{folder}: holds no world_state, so there is nothing to show")
    clock = _Clock(heard.received["world_state"], worlds)

    def track(name: str) -> Track:
        return Track(clock.times_s(heard.received.get(name, [])), heard.samples.get(name, []))

    def said(name: str) -> tuple[Values, ...]:
        return tuple(Values(t, values) for t, values in clock.timed(heard.words[name]))

    return Recording(
        league=recorded_league(about, path),
        match=described_match(about.get("match", "{}"), f"{path}: match"),
        worlds=Track(clock.frames_s, worlds),
        wheels=tuple(track(name) for name in heard.samples if name.startswith(_JOINTS)),
        truth=track("sim/ground_truth"),
        targets={name: track(name) for name in heard.samples if name.endswith("/targets")},
        states=said("match/state"),
        events=said("match/events"),
        pace=clock.timed(heard.pace),
        strategies={team: clock.timed(played) for team, played in heard.strategies.items()},
        latencies={node: clock.timed(values) for node, values in heard.latencies.items()},
    )


class _Heard:
    """Sorts the messages of a recording; times are still those of arrival, in nanoseconds."""

    def __init__(self, namespace: str) -> None:
        self._namespace = namespace
        self._prefix = f"/{namespace}".rstrip("/") + "/"
        self._meter = LatencyMeter()
        self.samples: dict[str, list[JointSample]] = {}
        self.received: dict[str, list[int]] = {}
        self.words: dict[str, list[tuple[int, dict[str, str]]]] = {"match/state": [], "match/events": []}
        self.pace: list[tuple[int, float]] = []
        self.strategies: dict[str, list[tuple[int, str]]] = {}
        self.latencies: dict[str, list[tuple[int, float]]] = {}

    def take(self, message: BagMessage) -> None:
        name = message.topic.removeprefix(self._prefix)
        if name in self.words:
            self.words[name].append((message.received_ns, _values(message.decode(message.data))))
        elif message.topic == "/diagnostics":
            self._take_diagnostics(message)
        elif message.type_name == _JOINT_STATE:
            self._take_joints(name, message)

    def _take_joints(self, name: str, message: BagMessage) -> None:
        self._measure(name, message)
        if name in ("world_state", _JOINTS, "sim/ground_truth") or name.endswith("/targets"):
            sample = _sample(message)
            key = f"{_JOINTS} {' '.join(sample.names)}" if name == _JOINTS else name
            self.samples.setdefault(key, []).append(sample)
            self.received.setdefault(key, []).append(message.received_ns)

    def _measure(self, name: str, message: BagMessage) -> None:
        """How long after a sight of the camera a node answered."""
        now_s, stamp_s = message.received_ns * 1e-9, cdr.stamp_s(message.data)
        team, _, said = name.rpartition("/")
        node, latency_s = "", None
        if name == "detections":
            self._meter.see(now_s)
        elif name == "world_state":
            node, latency_s = TRACKER, self._meter.track(stamp_s, now_s)
        elif said in _ANSWERS:
            node = f"{team}_{_ANSWERS[said]}"
            latency_s = self._meter.answer(node, stamp_s, now_s)
        if latency_s is not None:
            self.latencies.setdefault(node, []).append((message.received_ns, latency_s))

    def _take_diagnostics(self, message: BagMessage) -> None:
        for status in message.decode(message.data).status:
            if own_node(status.name, self._namespace) is None:
                continue
            values = _values(status)
            factor = number(values.get("real_time_factor", ""))
            if factor is not None:
                self.pace.append((message.received_ns, factor))
            team, strategy = values.get("team", ""), values.get("strategy", "")
            if team in TEAMS and strategy:
                played = self.strategies.setdefault(team, [])
                if not played or played[-1][1] != strategy:
                    played.append((message.received_ns, strategy))


class _Clock:
    """The time line: the match's own time as world states carry it, put together where it was set back."""

    def __init__(self, received_ns: list[int], samples: list[JointSample]) -> None:
        stamps_s = np.array([sample.stamp_s for sample in samples])
        steps_s = np.diff(stamps_s, prepend=stamps_s[:1])
        self.frames_s: FloatArray = np.cumsum(np.where(steps_s > 0.0, steps_s, 0.0))
        self._received_ns = np.array(received_ns, dtype=float)

    def times_s(self, received_ns: list[int]) -> FloatArray:
        """When messages came that carry no time of the match themselves."""
        times: FloatArray = np.interp(np.array(received_ns, dtype=float), self._received_ns, self.frames_s)
        return times

    def timed(self, pairs: Iterable[tuple[int, T]]) -> tuple[tuple[float, T], ...]:
        """The same for what was received with its time of arrival."""
        pairs = list(pairs)
        times_s = self.times_s([received_ns for received_ns, _ in pairs]).tolist()
        return tuple((time_s, value) for time_s, (_, value) in zip(times_s, pairs, strict=True))


def described_match(text: str, where: str) -> dict[str, Any]:
    """A match as JSON. Raises InputError."""
    try:
        match = json.loads(text)
    except ValueError as error:
        raise InputError(f"{where} = {text!r}: is no JSON ({error})") from None
    if not isinstance(match, dict):
        raise InputError(f"{where} = {text!r}: must be a table such as {{}}")
    return match


def recorded_league(about: Mapping[str, str], path: Path) -> League:
    """The league as it was played, number by number: its file may have changed since. Raises InputError."""
    if "league" in about:
        return build(League, described_match(about["league"], f"{path}: league"), f"{path}: league")
    return load_league(DEFAULT_LEAGUE)


def write_recorded_league(recording: Path, folder: Path) -> Path:
    """The league of a recording as a file that any node can be given: its own file may be elsewhere by now, or another.

    Raises InputError.
    """
    path = bag_file(recording)
    league = folder / "recorded_league.yaml"
    league.write_text(yaml.safe_dump(to_plain(recorded_league(read_about(path), path)), sort_keys=False), encoding="utf-8")
    return league


def _sample(message: BagMessage) -> JointSample:
    content = message.decode(message.data)
    stamp_s = content.header.stamp.sec + content.header.stamp.nanosec * 1e-9
    values = (np.array(v, dtype=float) for v in (content.position, content.velocity, content.effort))
    return JointSample(stamp_s, tuple(content.name), *values)


def _values(status: Any) -> dict[str, str]:
    return {"message": status.message, **{pair.key: pair.value for pair in status.values}}
