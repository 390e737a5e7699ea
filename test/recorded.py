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
DIAGNOSTICS = """std_msgs/Header header
DiagnosticStatus[] status
================================================================================
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
================================================================================
MSG: builtin_interfaces/Time
int32 sec
uint32 nanosec
================================================================================
MSG: diagnostic_msgs/DiagnosticStatus
byte level
string name
string message
string hardware_id
KeyValue[] values
================================================================================
MSG: diagnostic_msgs/KeyValue
string key
string value
"""
EVENTS = RecordedTopic("/match/events", "diagnostic_msgs/msg/DiagnosticStatus", STATUS)
HEALTH = RecordedTopic("/diagnostics", "diagnostic_msgs/msg/DiagnosticArray", DIAGNOSTICS)
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


def header(stamp_s):
    return Cdr().put("i", 4, int(stamp_s)).put("I", 4, round(stamp_s % 1.0 * 1e9)).text("rink")


def joint_state(stamp_s, position, velocity, names=NAMES):
    message = header(stamp_s).put("I", 4, len(names))
    for name in names:
        message.text(name)
    return message.doubles(position).doubles(velocity).doubles([]).data


def status(name, message, content=None, **values):
    content = (content or Cdr()).put("B", 1, 0).text(name).text(message).text("").put("I", 4, len(values))
    for key, value in values.items():
        content.text(key).text(value)
    return content.data


def diagnostics(name, **values):
    return status(name, "", header(0.0).put("I", 4, 1), **values)


class Tape:
    """A recording written message by message: `say` at a time in seconds."""

    def __init__(self, folder, **about):
        league = load_league("micro_hockey")
        match = json.dumps({"blue": "chaser", "red": "roles", "seed": 7})
        self._bag = BagWriter(folder, {"match": match, "seed": "7", "league": json.dumps(to_plain(league)), **about})
        self.folder = folder
        self._known = set()

    def say(self, time_s, topic, data, kind=WORLD_STATE):
        if topic not in self._known:
            self._known.add(topic)
            self._bag.add_topic(RecordedTopic(topic, kind.type_name, kind.definition))
        self._bag.write(topic, 10**18 + round(time_s * 1e9), data)

    def joints(self, time_s, topic, names, position):
        self.say(time_s, topic, joint_state(time_s, position, [], names))

    def bodies(self, time_s, topic, **bodies):
        """`blue_0=(x, y, yaw)`."""
        names = [f"{body.replace('_', '/')}/{axis}" for body in bodies for axis in ("x", "y", "yaw")]
        self.joints(time_s, topic, names, [value for place in bodies.values() for value in place])

    def key_values(self, time_s, topic, name, **values):
        self.say(time_s, topic, status(name, "", **values), EVENTS)

    def health(self, time_s, name, **values):
        self.say(time_s, "/diagnostics", diagnostics(name, **values), HEALTH)

    def close(self):
        self._bag.close()
        return self.folder


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
