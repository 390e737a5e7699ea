"""ROS parameters from a dataclass: type, default, limits and description are declared once."""

from __future__ import annotations

import dataclasses
import typing
from typing import Any, TypeVar

from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor
from rclpy.exceptions import InvalidParameterTypeException, InvalidParameterValueException
from rclpy.node import Node

from robohockey_core.checked import InputError, Limits, build, field_types, limits_of

T = TypeVar("T")

_ENDLESS = 1e300
_ENDLESS_INT = 2**62


def declare(node: Node, cls: type[T]) -> T:
    """Declare every field of `cls` as a read-only parameter and return the values. Raises InputError."""
    values: dict[str, Any] = {}
    for field in dataclasses.fields(cls):  # type: ignore[arg-type]
        limits, hint = limits_of(field), field_types(cls)[field.name]
        default = list(field.default) if isinstance(field.default, tuple) else field.default
        try:
            parameter = node.declare_parameter(field.name, default, _descriptor(limits, hint))
        except (InvalidParameterTypeException, InvalidParameterValueException) as error:
            raise InputError(f"parameter {field.name} of {node.get_name()}: {' '.join(str(error).split())}") from None
        # rcl reads `[]` as bytes; an empty list is an empty list.
        values[field.name] = parameter.value or () if isinstance(default, list) else parameter.value
    return build(cls, values, f"parameters of {node.get_name()}:")


def _descriptor(limits: Limits, hint: Any) -> ParameterDescriptor:
    """A descriptor with the range as far as ROS can say it; `build` holds the rest."""
    low = limits.above if limits.above is not None else limits.low
    # rcl cannot tell what an empty list is a list of, so lists are typed by `build` alone.
    is_list = typing.get_origin(hint) is tuple
    descriptor = ParameterDescriptor(description=limits.doc, read_only=True, dynamic_typing=is_list)
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
