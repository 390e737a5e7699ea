"""Noise and damaged frames into the decoder. `python -m bench.hardware fuzz` does the same with ten million bytes."""

from __future__ import annotations

import pytest
from protocol_fuzz import mutated_frames, random_bytes

from robohockey_hw.protocol import Decoder, encode

TOTAL_BYTES = 500_000


@pytest.mark.parametrize("noise", [random_bytes, mutated_frames])
def test_noise_never_raises_and_passes_no_more_often_than_a_crc_allows(noise):
    decoder, taken = Decoder(), 0
    for data in noise(seed=11, total_bytes=TOTAL_BYTES):
        for message in decoder.feed(data):
            encode(message)
            taken += 1
    tried = taken + decoder.bad_count
    assert tried > 10_000
    # Of damaged frames that still have a shape, one in 65536 passes; five times that is far beyond chance.
    assert taken <= 1 + 5 * tried / 65536
