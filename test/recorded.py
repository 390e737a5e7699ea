"""A small recording made by hand: CDR written byte by byte, so that readers are held against the format itself."""

from __future__ import annotations

import json
import struct

import numpy as np

from robohockey_core.checked import to_plain
from robohockey_core.league import load_league
from robohockey_viz.bag_writer import BagWriter, RecordedTopic

JOINT_STATE = """std_msgs/Header header
string[] name
float64[] position
float64[] velocity
float64[] effort
================================================================================
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
================================================================================
MSG: builtin_interfaces/Time
int32 sec
uint32 nanosec
"""
STATUS = """byte level
string name
string message
string hardware_id
KeyValue[] values
================================================================================
MSG: diagnostic_msgs/KeyValue
string key
string value
"""
WORLD_STATE = RecordedTopic("/world_state", "sensor_msgs/msg/JointState", JOINT_STATE, reliable=False, depth=1)
EVENTS = RecordedTopic("/match/events", "diagnostic_msgs/msg/DiagnosticStatus", STATUS)
BODIES = ("blue/0", "red/1", "puck")
NAMES = [f"{body}/{axis}" for body in BODIES for axis in ("x", "y", "yaw")]


class Cdr:
    """Little-endian XCDR1, as DDS sends it: the writer that this test holds the reader against."""

    def __init__(self):
        self.data = b"\x00\x01\x00\x00"

    def put(self, code, size, *values):
        self.data += b"\0" * (-(len(self.data) - 4) % size)
        self.data += struct.pack(f"<{len(values)}{code}", *values)
        return self

    def text(self, text):
        self.put("I", 4, len(text) + 1)
        self.data += text.encode() + b"\0"
        return self

    def doubles(self, values):
        self.put("I", 4, len(values))
        return self.put("d", 8, *values) if len(values) else self


def joint_state(stamp_s, position, velocity):
    message = Cdr().put("i", 4, int(stamp_s)).put("I", 4, round(stamp_s % 1.0 * 1e9)).text("rink").put("I", 4, len(NAMES))
    for name in NAMES:
        message.text(name)
    return message.doubles(position).doubles(velocity).doubles([]).data


def status(name, message, **values):
    content = Cdr().put("B", 1, 0).text(name).text(message).text("").put("I", 4, len(values))
    for key, value in values.items():
        content.text(key).text(value)
    return content.data


def poses(index):
    rng = np.random.default_rng(index)
    return rng.uniform(-1.0, 1.0, len(NAMES))


def write(folder, frames=200, stamps=None, close=True):
    league = load_league("micro_hockey")
    about = {"match": json.dumps({"blue": "chaser", "seed": 7}), "seed": "7", "league": json.dumps(to_plain(league))}
    bag = BagWriter(folder, about)
    bag.add_topic(WORLD_STATE)
    bag.add_topic(EVENTS)
    for index in range(frames):
        stamp_s = stamps[index] if stamps else 5.0 + 0.02 * index
        bag.write("/world_state", 10**18 + index * 20_000_000, joint_state(stamp_s, poses(index), poses(index + 1)))
        if index % 50 == 25:
            event = status("goal", "Goal for blue", rule="goal", score_blue="1")
            bag.write("/match/events", 10**18 + index * 20_000_000 + 1, event)
    bag.flush()
    if close:
        bag.close()
    return folder
