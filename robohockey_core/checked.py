"""Dataclass fields that know their limits: one declaration for YAML files and for ROS parameters.

A field made with `limited` carries its description and what is allowed. `build` makes a dataclass
from plain values and refuses what does not fit in one line that says where, what and what is allowed.
"""

from __future__ import annotations

import dataclasses
import difflib
import math
import sys
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

_LIMITS = "limits"

T = TypeVar("T")


class InputError(ValueError):
    """A user's mistake, told in one line: where, what, and what is allowed."""


@dataclass(frozen=True)
class Limits:
    """What a value may be, and what it means."""

    doc: str
    low: float | None = None
    high: float | None = None
    above: float | None = None
    choices: tuple[str, ...] = ()

    def complaint(self, value: Any) -> str | None:
        """Return what is wrong with the value, or None."""
        if isinstance(value, (tuple, list)):
            return next((c for c in map(self.complaint, value) if c), None)
        if isinstance(value, float) and not math.isfinite(value):
            return "must be finite"
        if self.choices and value not in self.choices:
            return f"must be one of {', '.join(self.choices)}"
        if self.above is not None and not value > self.above:
            return f"must be above {self.above:g}"
        if self.low is not None and not value >= self.low:
            return f"must be at least {self.low:g}"
        if self.high is not None and not value <= self.high:
            return f"must be at most {self.high:g}"
        return None


def limited(
    default: Any,
    doc: str,
    *,
    low: float | None = None,
    high: float | None = None,
    above: float | None = None,
    choices: tuple[str, ...] = (),
) -> Any:
    """Declare a dataclass field with its description and limits (`above` is an open lower limit)."""
    return dataclasses.field(default=default, metadata={_LIMITS: Limits(doc, low, high, above, choices)})


def limits_of(field: dataclasses.Field[Any]) -> Limits:
    limits = field.metadata.get(_LIMITS)
    return limits if isinstance(limits, Limits) else Limits(doc="")


@cache
def _hints(cls: Any) -> dict[str, Any]:
    return typing.get_type_hints(cls)


def field_types(cls: type) -> dict[str, Any]:
    """Resolved types of a dataclass's fields."""
    return _hints(cls)


def build(cls: type[T], values: Mapping[str, Any], where: str, base: T | None = None) -> T:
    """Make a `cls` from plain values laid over `base` (its defaults when None).

    `where` names the source for the error, such as `my.yaml: rink`. Nested dataclasses take nested
    mappings. Raises InputError.
    """
    assert dataclasses.is_dataclass(cls)
    fields = {f.name: f for f in dataclasses.fields(cls)}
    hints = field_types(cls)
    changes: dict[str, Any] = {}
    for key, value in values.items():
        if key not in fields:
            raise InputError(f"{where}{_dot(where)}{key}: unknown key{did_you_mean(str(key), fields)}")
        changes[key] = _fit(hints[key], value, f"{where}{_dot(where)}{key}", limits_of(fields[key]), base, key)
    return dataclasses.replace(base, **changes) if base is not None else cls(**changes)  # type: ignore[type-var]


def did_you_mean(word: str, allowed: typing.Iterable[str]) -> str:
    """Return a hint that names the nearest allowed word, or all of them."""
    names = sorted(map(str, allowed))
    close = difflib.get_close_matches(word, names, n=1)
    if close:
        return f"; did you mean {close[0]}?"
    return f"; allowed: {', '.join(names)}"


def to_plain(value: Any) -> Any:
    """Turn a dataclass back into what YAML can hold."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: to_plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, tuple):
        return [to_plain(item) for item in value]
    return value


def _dot(where: str) -> str:
    return " " if where.endswith(":") else "."


def _fit(hint: Any, value: Any, where: str, limits: Limits, base: Any, key: str) -> Any:
    if dataclasses.is_dataclass(hint):
        if not isinstance(value, Mapping):
            raise InputError(f"{where} = {value!r}: must be a table of keys")
        return build(hint, value, where, getattr(base, key) if base is not None else None)  # type: ignore[arg-type]
    fitted = _coerce(hint, value, where)
    complaint = limits.complaint(fitted)
    if complaint:
        raise InputError(f"{where} = {value!r}: {complaint}")
    return fitted


def _coerce(hint: Any, value: Any, where: str) -> Any:
    origin = typing.get_origin(hint)
    if origin is tuple:
        item_hint = typing.get_args(hint)[0]
        if not isinstance(value, (list, tuple)):
            raise InputError(f"{where} = {value!r}: must be a list")
        return tuple(_coerce(item_hint, item, f"{where}[{i}]") for i, item in enumerate(value))
    if origin is types.UnionType or origin is typing.Union:
        raise TypeError(f"{where}: unions are not supported")
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if is_number and isinstance(value, int) and abs(value) > sys.float_info.max:
        raise InputError(f"{where} = {str(value)[:12]}...: must be below {sys.float_info.max:.0e}")
    if hint is float and is_number:
        return float(value)
    if hint is int and is_number and float(value).is_integer():
        return int(value)
    if hint in (str, bool) and isinstance(value, hint):
        return value
    kinds = {float: "a number", int: "a whole number", str: "text", bool: "true or false"}
    raise InputError(f"{where} = {value!r}: must be {kinds[hint]}")
