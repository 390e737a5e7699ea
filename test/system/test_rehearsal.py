"""A short rehearsal: the whole graph of a real match, every command through serial bytes and every pose through pixels."""

from __future__ import annotations

import pytest
from harness import wait_for
from system_match import command, end

from robohockey_core.joints import world_of
from robohockey_core.ros import conversions, topics


@pytest.mark.slow
def test_a_match_is_played_through_bytes_and_pixels(domain, ros_probe):
    worlds, joints = ros_probe.hear(topics.WORLD_STATE), ros_probe.hear(topics.JOINT_STATES)
    diagnostics, states = ros_probe.hear(topics.DIAGNOSTICS), ros_probe.hear(topics.MATCH_STATE)

    def latencies_s() -> list[float]:
        said = [s for m in list(diagnostics) for s in m.status if s.name == "/plant"]
        values = conversions.status_values(said[-1]) if said else {}
        return [float(value) for key, value in values.items() if "to wheel" in key]

    with command(domain, "rehearse") as process:
        wait_for(lambda: worlds and len(world_of(conversions.joint_sample(worlds[-1])).robots) == 6, "six robots in sight")
        wait_for(lambda: states and conversions.status_values(states[-1])["phase"] == "play", "play")
        wait_for(lambda: any(any(abs(v) > 5.0 for v in m.velocity) for m in list(joints)), "wheels that turn")
        # Command to wheel and glass to wheel, p50 and p99: not a number until each was measured.
        times_s = wait_for(lambda: (t := latencies_s()) and all(0.0 < s < 5.0 for s in t) and t, "latencies in the diagnostics")
        assert len(times_s) == 4
        output = end(process)
    assert "Traceback" not in output
