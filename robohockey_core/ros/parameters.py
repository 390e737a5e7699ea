"""ROS parameters from a dataclass: type, default, limits and description are declared once."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor, SetParametersResult
from rclpy.exceptions import InvalidParameterTypeException, InvalidParameterValueException
from rclpy.node import Node

from robohockey_core.checked import InputError, Limits, build, field_types, limits_of

T = TypeVar("T")

_ENDLESS = 1e300
_ENDLESS_INT = 2**62


def declare(node: Node, cls: type[T], settable: Mapping[str, Callable[[Any], None]] | None = None) -> T:
    """Declare every field of `cls` as a parameter and return the values. Raises InputError.

    Parameters are read-only, but for those in `settable`: their function is called with a new value that is
    within the limits, and may refuse it with an InputError.
    """
    values: dict[str, Any] = {}
    changeable = settable or {}
    for field in dataclasses.fields(cls):  # type: ignore[arg-type]
        limits, hint = limits_of(field), field_types(cls)[field.name]
        default = list(field.default) if isinstance(field.default, tuple) else field.default
        try:
            descriptor = _descriptor(limits, hint, read_only=field.name not in changeable)
            parameter = node.declare_parameter(field.name, default, descriptor)
        except (InvalidParameterTypeException, InvalidParameterValueException) as error:
            raise InputError(f"parameter {field.name} of {node.get_name()}: {' '.join(str(error).split())}") from None
        # rcl reads `[]` as bytes; an empty list is an empty list.
        values[field.name] = parameter.value or () if isinstance(default, list) else parameter.value
    settings = build(cls, values, f"parameters of {node.get_name()}:")
    if changeable:
        node.add_on_set_parameters_callback(lambda changed: _set(node, cls, changeable, changed))
    return settings


def _set(node: Node, cls: type, settable: Mapping[str, Callable[[Any], None]], changed: Any) -> SetParametersResult:
    """Pass on new values; a refusal is an answer with its reason."""
    try:
        for parameter in changed:
            if parameter.name in settable:
                fitted: Any = build(cls, {parameter.name: parameter.value}, f"parameter of {node.get_name()}:")
                settable[parameter.name](getattr(fitted, parameter.name))
    except InputError as error:
        return SetParametersResult(successful=False, reason=str(error))
    return SetParametersResult(successful=True)


def _descriptor(limits: Limits, hint: Any, *, read_only: bool) -> ParameterDescriptor:
    """A descriptor with the range as far as ROS can say it; `build` holds the rest."""
    low = limits.above if limits.above is not None else limits.low
    # rcl cannot tell what an empty list is a list of, so lists are typed by `build` alone.
    is_list = typing.get_origin(hint) is tuple
    descriptor = ParameterDescriptor(description=limits.doc, read_only=read_only, dynamic_typing=is_list)
    if limits.choices:
        descriptor.additional_constraints = f"one of {', '.join(limits.choices)}"
    if low is None and limits.high is None:
        return descriptor
    if hint is float:
        high = limits.high if limits.high is not None else _ENDLESS
        descriptor.floating_point_range = [FloatingPointRange(from_value=low if low is not None else -_ENDLESS, to_value=high)]
    elif hint is int:
        low_int = int(low) if low is not None else -_ENDLESS_INT
        high_int = int(limits.high) if limits.high is not None else _ENDLESS_INT
        descriptor.integer_range = [IntegerRange(from_value=low_int, to_value=high_int, step=1)]
    return descriptor
