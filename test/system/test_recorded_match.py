"""A match is recorded, killed, and seen again: the same poses, up to its last second."""

from __future__ import annotations

import os
import signal
import subprocess

import numpy as np
import pytest
from browser import Visitor, chromium
from harness import environment, running, wait_for
from recorded import write
from system_match import ROBOHOCKEY, match, processes_in

from robohockey_core.ros import topics
from robohockey_core.ros.conversions import joint_sample, seconds
from robohockey_viz.recording import read_recording


def by_stamp(samples):
    return {round(sample.stamp_s * 1e4): sample for sample in samples}


def equal(heard, recorded):
    """How many of the heard samples are in the recording, and whether those are equal to the last bit."""
    common = heard.keys() & recorded.keys()
    same = all(
        heard[stamp].names == recorded[stamp].names and np.array_equal(heard[stamp].position, recorded[stamp].position)
        for stamp in common
    )
    return len(common), same


@pytest.mark.slow
def test_a_recording_cut_by_kill_9_opens_up_to_its_last_second_and_replays_the_same_poses(domain, ros_probe, tmp_path):
    states, worlds = ros_probe.hear(topics.MATCH_STATE), ros_probe.hear(topics.WORLD_STATE)
    with match(domain, "--no-view", "--record", str(tmp_path), "--seed", "5", "--blue", "chaser") as process:
        wait_for(lambda: any("Play" in state.message for state in states), "play")
        begin_s = seconds(worlds[-1].header.stamp)
        wait_for(lambda: seconds(worlds[-1].header.stamp) > begin_s + 4.0, "four seconds of play")
        process.kill()
        wait_for(lambda: not processes_in(domain), "the end of all nodes")
    last_s = seconds(worlds[-1].header.stamp)
    folder = next(tmp_path.iterdir())
    recording = read_recording(folder)
    recorded = by_stamp(sample for _, sample in recording.worlds)
    assert recording.match["seed"] == 5 and recording.match["blue"] == "chaser"
    assert last_s - max(recorded) * 1e-4 <= 1.0
    heard = by_stamp(joint_sample(message) for message in worlds)
    common, same = equal(heard, recorded)
    assert same and common > 100

    again = ros_probe.hear(topics.WORLD_STATE)
    # It plays again and again: whoever is found late, or loses messages on a busy machine, hears them the next time.
    with running("replay", domain, folder=str(folder), speed=4.0, loop=True):
        wait_for(lambda: any(seconds(m.header.stamp) * 1e4 > max(recorded) - 500 for m in again[-50:]), "the replay's end")
        wait_for(lambda: len({seconds(m.header.stamp) for m in again}) > 100, "a hundred moments of the replay")
    common, same = equal(by_stamp(joint_sample(message) for message in again), recorded)
    assert same and common > 100

    report = subprocess.run([*ROBOHOCKEY, "report", str(folder)], capture_output=True, text=True, check=False)
    assert report.returncode == 0 and (folder / "report.html").read_text().startswith("<!DOCTYPE html>")


def test_the_time_line_of_a_replay_obeys_in_the_browser(domain, tmp_path):
    folder = write(tmp_path / "bag", frames=500)
    command = [*ROBOHOCKEY, "replay", str(folder), "--port", "18080"]
    process = subprocess.Popen(command, env=environment(domain), text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        line = process.stdout.readline()
        assert "replay of 10 s, 10 calls" in line
        with chromium(tmp_path / "profile") as window:
            window.get(line.split("calls: ")[1].split(";")[0])
            visitor = Visitor(window)
            wait_for(lambda: "REPLAY" in visitor.text(), "the page")

            def time_s():
                return float(visitor.field("Time, s").get_attribute("value") or "nan")

            visitor.click("8")
            wait_for(lambda: time_s() == pytest.approx(9.98, abs=0.011), "the end of the time line")
            visitor.click("previous")
            wait_for(lambda: time_s() < 7.0, "a jump back, three seconds before the last call")
            wait_for(lambda: window.find_elements("xpath", "//button[normalize-space()='Play']"), "the stop at the end")
            visitor.choose("Jump to", "3.5 s goal")
            wait_for(lambda: time_s() == pytest.approx(0.5, abs=0.011), "three seconds before the call")
            visitor.click("+1")
            wait_for(lambda: time_s() == pytest.approx(0.52, abs=0.011), "one frame on")
            visitor.click("+10")
            wait_for(lambda: time_s() == pytest.approx(0.72, abs=0.011), "ten frames on")
            visitor.click("-1")
            wait_for(lambda: time_s() == pytest.approx(0.70, abs=0.011), "one frame back")
            visitor.click("-10")
            wait_for(lambda: time_s() == pytest.approx(0.50, abs=0.011), "ten frames back")
            visitor.click("next")
            wait_for(lambda: time_s() == pytest.approx(1.5, abs=0.011), "the start of the next call")
            visitor.write("Time, s", -1, "5.0")
            wait_for(lambda: time_s() == pytest.approx(5.0, abs=0.011), "where the time line was put")
            visitor.click("0.25")
            visitor.click("Play")
            wait_for(lambda: time_s() > 5.3, "time that goes on")
            visitor.click("Pause")
            wait_for(lambda: window.find_elements("xpath", "//button[normalize-space()='Play']"), "a pause")
            assert time_s() < 9.0 and "CHASER" in visitor.text()
    finally:
        os.kill(process.pid, signal.SIGINT)
        output, _ = process.communicate(timeout=30)
    assert process.returncode == 0, output


def test_a_folder_without_a_recording_is_one_line(tmp_path):
    for command in ("replay", "report"):
        ended = subprocess.run([*ROBOHOCKEY, command, str(tmp_path)], capture_output=True, text=True, check=False)
        assert ended.returncode == 2 and "holds no .mcap file" in ended.stderr
        assert len(ended.stderr.strip().splitlines()) == 1
