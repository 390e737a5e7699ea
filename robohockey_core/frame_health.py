"""Whether a camera's frames come and are good, judged by what came lately and not by what once was."""

from __future__ import annotations

_SILENT_S = 2.0


class FrameHealth:
    """Looks at growing counts, about once a second."""

    def __init__(self, now_s: float, bad_name: str = "refused") -> None:
        self._bad_name = bad_name
        self._came = self._bad = 0
        self._looked_s = self._heard_s = now_s

    def look(self, came: int, bad: int, now_s: float) -> tuple[str, bool]:
        """Take how many frames came, and how many were bad, so far: in words how it went since the last look; whether well."""
        new, new_bad, over_s = came - self._came, bad - self._bad, now_s - self._looked_s
        self._came, self._bad, self._looked_s = came, bad, now_s
        if new:
            self._heard_s = now_s
        silent_s = now_s - self._heard_s
        if new_bad:
            return f"{new} frames in {over_s:.1f} s, {new_bad} {self._bad_name}", False
        if silent_s >= _SILENT_S:
            return f"no frames for {silent_s:.0f} s", False
        if not came:
            return "no frames yet", False
        return f"{new} frames in {over_s:.1f} s, all good", True
