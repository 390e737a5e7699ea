"""Recordings: what was written is read again, whole or cut; the replay's controls; other tools open the folder."""

from __future__ import annotations

import numpy as np
import pytest
from recorded import NAMES, Tape, joint_state, poses, write

from robohockey_core.checked import InputError
from robohockey_core.league import load_league
from robohockey_viz.bag_reader import bag_file, read_messages
from robohockey_viz.bag_writer import BagWriter
from robohockey_viz.playback import Playback
from robohockey_viz.recording import described_match, read_recording
from robohockey_viz.report import report_html, statistics_of


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
    assert len(read_recording(folder).worlds) == 200, "a flush ends a chunk, however small"


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


def test_wheels_of_the_physics_and_of_each_driver_turn_together(tmp_path):
    tape = Tape(tmp_path / "bag")
    for i in range(10):
        tape.bodies(0.1 * i, "/world_state", puck=(0.0, 0.0, 0.0))
        tape.joints(0.1 * i + 0.01, "/joint_states", ["blue/0/left_wheel"], [1.0 * i])
        tape.joints(0.1 * i + 0.02, "/joint_states", ["red/1/left_wheel"], [-1.0 * i])
    recording = read_recording(tape.close())
    assert recording.wheels_at(0.55) == {"blue/0/left_wheel": 5.0, "red/1/left_wheel": -5.0}


def test_of_a_wheel_that_several_told_of_the_newest_word_counts(tmp_path):
    tape = Tape(tmp_path / "bag")
    both, one = ["blue/0/left_wheel", "red/1/left_wheel"], ["red/1/left_wheel"]
    for i, names in enumerate((both, one, one, both)):  # blue/0 is sent off for a while
        tape.bodies(0.1 * i, "/world_state", puck=(0.0, 0.0, 0.0))
        tape.joints(0.1 * i, "/joint_states", names, [float(i)] * len(names))
    recording = read_recording(tape.close())
    assert [recording.wheels_at(0.1 * i)["red/1/left_wheel"] for i in range(4)] == [0.0, 1.0, 2.0, 3.0]


def test_another_match_in_the_same_domain_is_not_recorded_as_this_one(tmp_path):
    tape = Tape(tmp_path / "bag", namespace="rink_2")
    for i in range(10):
        tape.bodies(0.1 * i, "/rink_2/world_state", puck=(0.0, 0.0, 0.0))
        tape.health(0.1 * i, "/rink_2/physics", real_time_factor="0.99")
        tape.health(0.1 * i, "/physics", real_time_factor="0.2")
        tape.health(0.1 * i, "/rink_2/physics", real_time_factor="n/a")
        tape.health(0.1 * i, "/red_strategy", team="red", strategy="idle")
    recording = read_recording(tape.close())
    assert [factor for _, factor in recording.pace] == [0.99] * 10
    assert recording.strategies == {}


def test_a_strategy_chosen_while_playing_is_named_from_then_on(tmp_path):
    tape = Tape(tmp_path / "bag")
    for i in range(10):
        tape.bodies(0.1 * i, "/world_state", puck=(0.0, 0.0, 0.0))
        tape.health(0.1 * i, "/red_strategy", team="red", strategy="roles" if i < 5 else "idle")
    recording = read_recording(tape.close())
    assert recording.names_at(0.3) == {"blue": "chaser", "red": "roles"}
    assert recording.names_at(0.7) == {"blue": "chaser", "red": "idle"}
    assert recording.names("red") == "roles, then idle" and recording.names("blue") == "chaser"
    assert "chaser against roles, then idle" in report_html(recording)


def test_latencies_are_those_of_arrival(tmp_path):
    tape = Tape(tmp_path / "bag")
    for i in range(100):
        stamp_s = 0.02 * i
        tape.bodies(stamp_s, "/detections", puck=(0.0, 0.0, 0.0))
        for delay_s, topic in ((0.003, "/world_state"), (0.005, "/blue/wheel_commands"), (0.012, "/red/targets")):
            tape.say(stamp_s + delay_s, topic, joint_state(stamp_s, [0.0] * 3, [], ["red/0/x", "red/0/y", "red/0/yaw"]))
    recording = read_recording(tape.close())
    known = {node: {round(latency_s, 4) for _, latency_s in told} for node, told in recording.latencies.items()}
    assert known == {"tracker": {0.003}, "blue_motion": {0.005}, "red_strategy": {0.012}}
    page = report_html(recording)
    assert "Latency of red strategy, ms" in page and "Latency of red motion" not in page


def test_the_report_compares_with_the_truth_also_when_stamps_differ_a_little(tmp_path):
    tape = Tape(tmp_path / "bag")
    for i in range(100):
        tape.bodies(0.02 * i + 0.001, "/sim/ground_truth", puck=(0.003, 0.0, 0.0))
        tape.bodies(0.02 * i + 0.004, "/world_state", puck=(0.0, 0.0, 0.0))
    series = statistics_of(read_recording(tape.close())).series()
    assert series["tracking_error_m"] == pytest.approx(0.003)


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


@pytest.mark.parametrize(("text", "says"), [("{", "is no JSON"), ("[1]", "must be a table")])
def test_a_match_that_is_no_table_of_json_is_told(text, says):
    with pytest.raises(InputError, match=f"match = .*{says}"):
        described_match(text, "match")
