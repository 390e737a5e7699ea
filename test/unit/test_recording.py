"""Recordings: what was written is read again, whole or cut; the replay's controls; other tools open the folder."""

from __future__ import annotations

import json
import struct

import numpy as np
import pytest

from robohockey_core.checked import InputError, to_plain
from robohockey_core.league import load_league
from robohockey_viz.bag_reader import bag_file, read_messages
from robohockey_viz.bag_writer import BagWriter, RecordedTopic
from robohockey_viz.playback import Playback
from robohockey_viz.recording import read_recording

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


def test_a_recording_gives_back_every_pose_and_the_match(tmp_path):
    recording = read_recording(write(tmp_path / "bag"))
    assert recording.match == {"blue": "chaser", "seed": 7}
    assert recording.league == load_league("micro_hockey")
    assert len(recording.worlds) == 200
    assert recording.duration_s == pytest.approx(199 * 0.02)
    for index, (time_s, sample) in enumerate(recording.worlds):
        assert time_s == pytest.approx(0.02 * index)
        assert sample.names == tuple(NAMES)
        assert np.array_equal(sample.position, poses(index)) and np.array_equal(sample.velocity, poses(index + 1))
        world = recording.world_at(time_s)
        assert tuple(world.puck.pose[:2]) == tuple(poses(index)[6:8])


def test_calls_are_on_the_time_line(tmp_path):
    calls = read_recording(write(tmp_path / "bag")).calls()
    assert [round(call.time_s, 3) for call in calls] == [0.5, 1.5, 2.5, 3.5]
    assert calls[0].values["rule"] == "goal" and calls[0].values["message"] == "Goal for blue"


def test_a_recording_that_was_cut_anywhere_still_opens(tmp_path):
    whole = bag_file(write(tmp_path / "bag", frames=800)).read_bytes()
    frames = []
    for share in (0.3, 0.5, 0.77, 0.95):
        folder = tmp_path / f"cut_{share}"
        folder.mkdir()
        (folder / "cut.mcap").write_bytes(whole[: int(share * len(whole))])
        frames.append(len(read_recording(folder).worlds))
    assert frames == sorted(frames) and frames[0] >= 100 and frames[-1] >= 600


def test_what_was_flushed_can_be_read_while_it_is_written(tmp_path):
    folder = write(tmp_path / "bag", close=False)
    # A chunk is a fifth of a second of a match; these small worlds fill one with 55 frames.
    assert len(read_recording(folder).worlds) >= 200 - 60


def test_time_that_was_set_back_goes_on_along_the_time_line(tmp_path):
    stamps = [*(0.02 * i for i in range(100)), *(0.02 * i for i in range(100))]
    recording = read_recording(write(tmp_path / "bag", stamps=stamps))
    assert np.all(np.diff(recording.worlds.times_s) >= 0.0)
    assert recording.duration_s == pytest.approx(198 * 0.02)


def test_rosbags_opens_the_folder_as_a_rosbag2(tmp_path):
    """An implementation of rosbag2 that is not ours reads folder, index, definitions and messages."""
    rosbag2 = pytest.importorskip("rosbags.rosbag2")
    from rosbags.typesys import Stores, get_typestore

    store = get_typestore(Stores.LATEST)
    with rosbag2.Reader(write(tmp_path / "bag")) as reader:
        assert reader.message_count == 204 and {c.topic for c in reader.connections} == {"/world_state", "/match/events"}
        assert reader.ros_distro and reader.duration > 3.9e9
        read = [store.deserialize_cdr(data, c.msgtype) for c, _, data in reader.messages() if c.topic == "/world_state"]
    assert np.array_equal(read[17].position, poses(17)) and list(read[17].name) == NAMES


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda folder: folder / "missing", "there is no such folder"),
        (lambda folder: folder, "holds no .mcap file"),
    ],
)
def test_a_wrong_folder_is_told_in_one_line(tmp_path, make, says):
    with pytest.raises(InputError, match=says):
        read_recording(make(tmp_path))


def test_a_file_that_is_no_mcap_is_told(tmp_path):
    (tmp_path / "x.mcap").write_bytes(b"hello, this is text")
    with pytest.raises(InputError, match="is no MCAP file"):
        read_recording(tmp_path)


def test_a_recording_is_never_written_over(tmp_path):
    write(tmp_path / "bag", frames=1)
    with pytest.raises(InputError, match="is there already"):
        BagWriter(tmp_path / "bag", {})


def test_messages_come_in_the_order_of_writing(tmp_path):
    times = [message.received_ns for message in read_messages(bag_file(write(tmp_path / "bag")))]
    assert times == sorted(times) and len(times) == 204


class TestPlayback:
    def make(self):
        return Playback([0.02 * i for i in range(501)], marks_s=[3.0, 7.0])

    def test_it_follows_the_wall_by_its_speed_and_stands_at_the_end(self):
        playback = self.make()
        playback.tick(100.0)
        assert playback.tick(101.0) == pytest.approx(1.0)
        playback.speed = 0.5
        assert playback.tick(103.0) == pytest.approx(2.0)
        playback.pause()
        assert playback.tick(110.0) == pytest.approx(2.0)
        playback.play()
        playback.speed = 8.0
        assert playback.tick(120.0) == pytest.approx(10.0) and not playback.playing
        playback.play()
        assert playback.time_s == 0.0

    def test_steps_are_single_frames_and_stop_it(self):
        playback = self.make()
        playback.seek(1.0)
        playback.step(1)
        assert playback.time_s == pytest.approx(1.02) and not playback.playing
        playback.step(-2)
        assert playback.time_s == pytest.approx(0.98)

    def test_jumps_go_a_little_before_the_mark(self):
        playback = self.make()
        playback.jump(1, lead_s=2.0)
        assert playback.time_s == pytest.approx(1.0)
        playback.jump(1, lead_s=2.0)
        assert playback.time_s == pytest.approx(5.0)
        playback.jump(1, lead_s=2.0)
        assert playback.time_s == pytest.approx(5.0)
        playback.jump(-1, lead_s=2.0)
        assert playback.time_s == pytest.approx(1.0)

    def test_seeking_stays_on_the_time_line(self):
        playback = self.make()
        playback.seek(99.0)
        assert playback.time_s == playback.end_s
        playback.seek(-5.0)
        assert playback.time_s == 0.0
