"""The controls of a replay: where on the time line it is. Time comes in as an argument."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence


class Playback:
    """A position on a time line that moves with the wall's clock, by a speed, while it plays."""

    def __init__(self, frames_s: Sequence[float], marks_s: Sequence[float] = ()) -> None:
        """`frames_s` are the moments that were recorded, `marks_s` those worth jumping to."""
        self._frames_s = list(frames_s)
        self._marks_s = sorted(marks_s)
        self.time_s = self._frames_s[0]
        self.playing = True
        self.speed = 1.0
        self.jumped = False
        """Whether a hand has moved it elsewhere since this was last set to False."""
        self._seen_s: float | None = None

    @property
    def end_s(self) -> float:
        return self._frames_s[-1]

    def tick(self, wall_s: float) -> float:
        """Move on by the wall's time since the last tick; stand at the end. Returns the time to show."""
        elapsed_s = wall_s - self._seen_s if self._seen_s is not None else 0.0
        self._seen_s = wall_s
        if self.playing:
            self.time_s = min(self.end_s, self.time_s + elapsed_s * self.speed)
            self.playing = self.time_s < self.end_s
        return self.time_s

    def play(self) -> None:
        """Go on; from the beginning when it stands at the end."""
        if self.time_s >= self.end_s:
            self.time_s = self._frames_s[0]
        self.playing = True

    def pause(self) -> None:
        self.playing = False

    def seek(self, time_s: float) -> None:
        self.jumped = True
        self.time_s = min(self.end_s, max(self._frames_s[0], time_s))

    def step(self, frames: int) -> None:
        """Stop, and go so many recorded frames on or back."""
        self.playing = False
        here = bisect_right(self._frames_s, self.time_s + 1e-9) - 1
        self.time_s = self._frames_s[min(len(self._frames_s) - 1, max(0, here + frames))]

    def jump(self, direction: int, lead_s: float = 0.0) -> None:
        """Go to `lead_s` before the next mark (1) or the one before (-1); stay where there is none."""
        starts_s = [max(self._frames_s[0], mark - lead_s) for mark in self._marks_s]
        index = bisect_right(starts_s, self.time_s + 0.05) if direction > 0 else bisect_left(starts_s, self.time_s - 0.05) - 1
        if 0 <= index < len(starts_s):
            self.seek(starts_s[index])
