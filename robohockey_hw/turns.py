"""Who may speak when on a radio channel that the driver and its robots share: only one at a time is understood."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import NamedTuple

from robohockey_core.checked import InputError
from robohockey_hw.framing import MAX_PAYLOAD_BYTES
from robohockey_hw.protocol import MAX_SLOT_S

BITS_A_BYTE = 10
"""8N1: a start bit and a stop bit beside the eight."""

# Bytes beside the bodies: start and end of a frame, header and checksum; then what each robot adds to a GroupDrive.
_GROUP_BYTES, _ENTRY_BYTES, _BYTES_A_WHEEL = 12, 3, 2
_FRAMING_BYTES = 2
_TELEMETRY_BYTES, _TELEMETRY_BYTES_A_WHEEL = 12, 4
# A Stop for all and one for a robot, or a Ping; and the longest answer to it, an Identity.
_QUESTION_BYTES, _IDENTITY_BYTES = 17, 30
# A robot's clock counts whole ms, so its answer may begin that much early.
_CLOCK_S = 0.001
_LONGEST_ROUND_S = 0.1
"""Robots stop after 0.25 s without a command; each must hear several in that time."""
_HEARD_EVERY_S = 0.2
# Of a control period: a command that comes a little early is not to wait for answers to the last one.
_BUSY_SHARE = 0.8
_ROUNDING_S = 1e-6


class Turn(NamedTuple):
    """A burst: places of robots frame by frame; in the last frame, from which place on how many answer."""

    frames: tuple[range, ...]
    first: int
    answers: int


class Turns:
    """Splits robots into frames that fit, and lets them answer by turns while the channel is free."""

    def __init__(self, robots: int, wheels: int, baud_rate: int, period_s: float) -> None:
        """Raise InputError when commands to all robots take too long."""
        byte_s = BITS_A_BYTE / baud_rate
        entry_bytes = _ENTRY_BYTES + _BYTES_A_WHEEL * wheels
        count = math.ceil(robots / ((MAX_PAYLOAD_BYTES - _GROUP_BYTES + _FRAMING_BYTES) // entry_bytes))
        bounds = [round(robots * k / count) for k in range(count + 1)]
        self._chunks = [range(low, high) for low, high in pairwise(bounds)]
        answer_s = (_TELEMETRY_BYTES + _TELEMETRY_BYTES_A_WHEEL * wheels) * byte_s
        self.slot_s = math.ceil((answer_s + _CLOCK_S) * 1000.0) / 1000.0
        self._drives_s = (count * _GROUP_BYTES + robots * entry_bytes + 1) * byte_s
        self._question_s = (_QUESTION_BYTES + _IDENTITY_BYTES) * byte_s + _CLOCK_S
        # As many as leave the channel free before the next command comes; more when robots would else be heard so rarely
        # that they are taken for silent.
        fitting = max(1, int((_BUSY_SHARE * period_s - self._drives_s) / self.slot_s))
        enough = (n for n in range(fitting, robots + 1) if robots / n * max(period_s, self._round_s(n)) <= _HEARD_EVERY_S)
        self._answers = next(enough, fitting)
        if self.slot_s > MAX_SLOT_S or self._round_s(self._answers) > _LONGEST_ROUND_S:
            raise InputError(
                f"baud_rate {baud_rate}: too slow for {robots} robots on one radio: a command to all and an answer take "
                f"{self._round_s(self._answers):.2f} s; allowed: up to {_LONGEST_ROUND_S:g} s"
            )
        self._first = [0] * count
        self._asked_chunk = 0
        self._free_s = -math.inf

    def _round_s(self, answers: int) -> float:
        return self._drives_s + answers * self.slot_s

    def is_free(self, now_s: float) -> bool:
        """Whether all that was sent and asked for is through."""
        return now_s >= self._free_s - _ROUNDING_S

    def take_for_question(self, now_s: float) -> None:
        """The channel is used by one question to one robot, or a stop, and its answer."""
        self._free_s = now_s + self._question_s

    def take_for_drives(self, now_s: float, *, question: bool = False) -> Turn:
        """The channel is used by commands to all, and the answers of some; or, instead of those, by one question more."""
        asked, count = self._asked_chunk, len(self._chunks)
        chunk = self._chunks[asked]
        # Who answers comes last in the burst, since answers begin when its frame ends.
        frames = tuple(self._chunks[(asked + 1 + k) % count] for k in range(count))
        if question:
            self._free_s = now_s + self._drives_s + self._question_s
            return Turn(frames, 0, 0)
        first, answers = self._first[asked], min(self._answers, len(chunk))
        self._first[asked] = (first + answers) % len(chunk)
        self._asked_chunk = (asked + 1) % count
        self._free_s = now_s + self._round_s(answers)
        return Turn(frames, first, answers)
