"""How a link and its robots are, in words and numbers for the diagnostics. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from robohockey_hw.driver import Driver, Line
from robohockey_hw.link import Link
from robohockey_hw.link_quality import PATIENCE_S
from robohockey_hw.protocol import Fault


class Status(NamedTuple):
    """One line of the diagnostics: of what, in a few words, in numbers, and whether it is well."""

    name: str
    summary: str
    values: dict[str, object]
    healthy: bool


def report(name: str, link: Link, driver: Driver, now_s: float) -> Iterator[Status]:
    """The link under the driver's name, then each robot."""
    values: dict[str, object] = {
        "link": link.url,
        "link up": link.up,
        "reopened": link.reopen_count,
        "link errors": link.error_count,
        "last link error": link.last_error,
        "emergency stop": driver.emergency,
        "bad frames": driver.bad_frame_count,
        "unexpected frames": driver.unexpected_count,
        "refused_commands": driver.refused_count,
        "last_refusal": driver.last_refusal,
    }
    summary = "emergency stop" if driver.emergency else "link up" if link.up else f"link down: {link.last_error}"
    yield Status(name, summary, values, link.up and not driver.emergency)
    for robot in driver.robots:
        line = driver.line(robot)
        wrong = complaints(line, now_s)
        yield Status(str(robot), ", ".join(wrong) or "well", condition(line, now_s), not wrong)


def complaints(line: Line, now_s: float) -> list[str]:
    """What is wrong with a robot, in a few words each."""
    silent_s = line.quality.silent_s(now_s)
    wrong = list(line.misfits)
    if silent_s is None or silent_s > PATIENCE_S:
        wrong.append("never answered" if silent_s is None else f"silent for {silent_s:.1f} s")
    elif line.telemetry is not None and line.telemetry.faults:
        wrong += [fault.name.lower().replace("_", " ") for fault in Fault if fault in line.telemetry.faults and fault.name]
    return wrong


def condition(line: Line, now_s: float) -> dict[str, object]:
    """A robot's link, battery and faults, for the diagnostics."""
    values: dict[str, object] = {
        "address": line.address,
        "loss": line.quality.loss(now_s),
        "round trip p50 s": line.quality.round_trip_s(0.5),
        "round trip p99 s": line.quality.round_trip_s(0.99),
    }
    if line.identity is not None:
        values["firmware"] = f"{line.identity.name} {line.identity.firmware[0]}.{line.identity.firmware[1]}"
    if line.telemetry is not None:
        said = line.telemetry
        values |= {
            "battery V": said.battery_v,
            "temperature C": said.temperature_c,
            "kicker charge": said.kicker_charge,
            "puck at kicker": said.puck_near,
            "faults": ", ".join(fault.name or "" for fault in Fault if fault in said.faults) or "none",
        }
    return values
