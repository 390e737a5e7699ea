"""A recorded match in memory: what moved when, what was called, and the match that it was."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from robohockey_core.actions import Target
from robohockey_core.checked import InputError, build
from robohockey_core.joints import FloatArray, JointSample, targets_of, world_of
from robohockey_core.league import DEFAULT_LEAGUE, League, load_league
from robohockey_core.names import RobotId
from robohockey_core.state import WorldState
from robohockey_viz.bag_reader import BagMessage, bag_file, read_about, read_messages

_QUIET_RULES = ("play", "resume", "pause", "match_start", "start")
"""Events that are no call worth jumping to."""


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

    def at(self, time_s: float) -> JointSample | None:
        return self._samples[self.index(time_s)] if self._samples else None


@dataclass(frozen=True, eq=False)
class Recording:
    """One match, on a time line that starts at 0 and never runs back."""

    league: League
    match: Mapping[str, Any]
    worlds: Track
    wheels: Track
    truth: Track
    targets: Mapping[str, Track] = field(default_factory=dict)
    states: tuple[Values, ...] = ()
    events: tuple[Values, ...] = ()
    pace: tuple[tuple[float, float], ...] = ()

    @property
    def duration_s(self) -> float:
        return float(self.worlds.times_s[-1])

    def world_at(self, time_s: float) -> WorldState:
        """The world as it was recorded last at this time: exactly, not blended."""
        sample = self.worlds.at(time_s)
        assert sample is not None
        return world_of(sample)

    def wheels_at(self, time_s: float) -> dict[str, float]:
        sample = self.wheels.at(time_s)
        return dict(zip(sample.names, sample.position.tolist(), strict=True)) if sample is not None else {}

    def targets_at(self, time_s: float) -> dict[RobotId, Target]:
        found: dict[RobotId, Target] = {}
        for track in self.targets.values():
            sample = track.at(time_s)
            if sample is not None:
                found |= targets_of(sample)
        return found

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
    samples: dict[str, list[JointSample]] = {}
    received: dict[str, list[int]] = {}
    words: dict[str, list[tuple[int, dict[str, str]]]] = {"match/state": [], "match/events": []}
    pace: list[tuple[int, float]] = []
    prefix = f"/{about.get('namespace', '')}".rstrip("/") + "/"
    for message in read_messages(path):
        name = message.topic.removeprefix(prefix)
        if name in words:
            words[name].append((message.received_ns, _values(message)))
        elif name in ("world_state", "joint_states", "sim/ground_truth") or name.endswith("/targets"):
            samples.setdefault(name, []).append(_sample(message))
            received.setdefault(name, []).append(message.received_ns)
        elif name.endswith("/diagnostics") or name == "diagnostics":
            pace += [(message.received_ns, factor) for factor in _real_time_factors(message)]
    if not samples.get("world_state"):
        raise InputError(f"{folder}: holds no world_state, so there is nothing to show")
    clock = _Clock(received["world_state"], samples["world_state"])

    def track(name: str) -> Track:
        return Track(clock.times_s(received.get(name, [])), samples.get(name, []))

    def said(name: str) -> tuple[Values, ...]:
        times = clock.times_s([moment for moment, _ in words[name]]).tolist()
        return tuple(Values(t, values) for t, (_, values) in zip(times, words[name], strict=True))

    paced = zip(clock.times_s([moment for moment, _ in pace]).tolist(), [factor for _, factor in pace], strict=True)
    return Recording(
        league=recorded_league(about, path),
        match=json.loads(about.get("match", "{}")),
        worlds=Track(clock.frames_s, samples["world_state"]),
        wheels=track("joint_states"),
        truth=track("sim/ground_truth"),
        targets={name: track(name) for name in samples if name.endswith("/targets")},
        states=said("match/state"),
        events=said("match/events"),
        pace=tuple(paced),
    )


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


def recorded_league(about: Mapping[str, str], path: Path) -> League:
    """The league as it was played, number by number: its file may have changed since. Raises InputError."""
    if "league" in about:
        return build(League, json.loads(about["league"]), f"{path}: league")
    return load_league(DEFAULT_LEAGUE)


def recorded_league_name(path: Path) -> str:
    """The league as the match named it: a preset or a path."""
    return str(json.loads(read_about(path).get("match", "{}")).get("league", DEFAULT_LEAGUE))


def _sample(message: BagMessage) -> JointSample:
    content = message.decode(message.data)
    stamp_s = content.header.stamp.sec + content.header.stamp.nanosec * 1e-9
    values = (np.array(v, dtype=float) for v in (content.position, content.velocity, content.effort))
    return JointSample(stamp_s, tuple(content.name), *values)


def _values(message: BagMessage) -> dict[str, str]:
    status = message.decode(message.data)
    return {"message": status.message, **{pair.key: pair.value for pair in status.values}}


def _real_time_factors(message: BagMessage) -> list[float]:
    statuses = message.decode(message.data).status
    return [float(pair.value) for status in statuses for pair in status.values if pair.key == "real_time_factor"]
