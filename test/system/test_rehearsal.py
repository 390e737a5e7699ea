"""A short rehearsal: the whole graph of a real match, every command through serial bytes and every pose through pixels."""

from __future__ import annotations

import re

import pytest
from harness import PATIENCE_S, wait_for
from system_match import command

from robohockey_core.joints import world_of
from robohockey_core.ros import conversions, topics


@pytest.mark.slow
def test_a_match_is_played_through_bytes_and_pixels(domain, ros_probe):
    worlds, joints = ros_probe.hear(topics.WORLD_STATE), ros_probe.hear(topics.JOINT_STATES)
    with command(domain, "rehearse", "--duration", "6") as process:
        wait_for(lambda: worlds and len(world_of(conversions.joint_sample(worlds[-1])).robots) == 6, "six robots in sight")
        wait_for(lambda: any(any(abs(v) > 5.0 for v in m.velocity) for m in list(joints)), "wheels that turn")
        output, _ = process.communicate(timeout=2.0 * PATIENCE_S)
        assert process.returncode == 0, output
    assert "Traceback" not in output
    report = re.search(r"the match is over: \d+ : \d+; (.*)", output)
    assert report, output
    latencies_ms = [float(number) for number in re.findall(r"([\d.]+) ms", report[1])]
    assert len(latencies_ms) == 4  # command to wheel and glass to wheel, p50 and p99; none is nan
    assert all(0.0 < latency_ms < 5000.0 for latency_ms in latencies_ms)
