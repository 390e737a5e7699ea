"""A short rehearsal: the whole graph of a real match, every command through serial bytes and every pose through pixels."""

from __future__ import annotations

import pytest
from harness import PATIENCE_S, wait_for
from system_match import command, end, processes_in

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


@pytest.mark.slow
def test_a_whole_match_ends_by_itself_with_the_final_whistle(domain, ros_probe):
    """3v3, two short halves: the referee ends it, the plant says how it went, and nothing is left behind."""
    states = ros_probe.hear(topics.MATCH_STATE)
    with command(domain, "rehearse", "--duration", "6") as process:
        output, _ = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, output
    told = [conversions.status_values(message) for message in list(states)]
    assert {"play", "over"} <= {values["phase"] for values in told}
    final = next(values for values in told if values["phase"] == "over")
    assert f"the match is over: {final['score_blue']} : {final['score_red']}" in output
    assert "Traceback" not in output
    assert processes_in(domain) == {}
