from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robohockey_hw import protocol
from robohockey_hw.framing import DELIMITER, MAX_PAYLOAD_BYTES, BadFrameError, cobs_decode, cobs_encode, crc16
from robohockey_hw.protocol import (
    MAX_SPEED_RAD_S,
    Decoder,
    Drive,
    Fault,
    GroupDrive,
    Identify,
    Identity,
    Part,
    Ping,
    Pong,
    Stop,
    Telemetry,
    encode,
)

HARDWARE_PAGE = Path(__file__).parents[2] / "docs" / "hardware.md"

addresses, sequences = st.integers(0, 254), st.integers(0, 255)
shares = st.floats(0.0, 1.0)
speeds = st.floats(-MAX_SPEED_RAD_S, MAX_SPEED_RAD_S)
angles = st.floats(-32.7, 32.7)
drives = st.builds(Drive, addresses, sequences, st.lists(speeds, min_size=1, max_size=8).map(tuple), shares, shares)
stops = st.builds(Stop, st.integers(0, 255), sequences)


@st.composite
def telemetries(draw):
    wheels = draw(st.integers(1, 8))
    of_wheels = {"min_size": wheels, "max_size": wheels}
    return Telemetry(
        draw(addresses),
        draw(sequences),
        tuple(draw(st.lists(angles, **of_wheels))),
        tuple(draw(st.lists(speeds, **of_wheels))),
        draw(st.floats(0.0, 25.5)),
        draw(st.integers(-128, 127)),
        draw(shares),
        draw(st.booleans()),
        Fault(draw(st.integers(0, 0xFF))),
    )


@st.composite
def groups(draw):
    wheels, sequence = draw(st.integers(1, 8)), draw(sequences)
    of_wheels = st.lists(speeds, min_size=wheels, max_size=wheels).map(tuple)
    robots = draw(st.lists(st.builds(Drive, addresses, st.just(sequence), of_wheels, shares, shares), min_size=1, max_size=9))
    first, answers = draw(st.integers(0, len(robots) - 1)), draw(st.integers(0, len(robots)))
    return GroupDrive(sequence, tuple(robots), first, answers, draw(st.floats(0.0, 0.255)))


pings = st.builds(Ping, addresses, sequences) | st.builds(Identify, addresses, sequences)
pongs = st.builds(Pong, addresses, sequences, st.floats(0.0, 4294967.0))
bytes_ = st.integers(0, 255)
identities = st.builds(
    Identity,
    addresses,
    sequences,
    st.integers(1, 8),
    st.tuples(bytes_, bytes_),
    bytes_.map(Part),
    st.floats(0.0, 65.5),
    st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=16),
)
messages = drives | stops | telemetries() | groups() | pings | pongs | identities


def framed(payload: bytes) -> bytes:
    """A frame with a right checksum around any content."""
    return cobs_encode(payload + crc16(payload).to_bytes(2, "little")) + DELIMITER


def crc16_bit_by_bit(data: bytes) -> int:
    """As firmware would write it."""
    crc = 0xFFFF
    for byte in data:
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ 0x1021 if crc & 0x8000 else crc << 1) & 0xFFFF
    return crc


def vectors() -> list[tuple[str, str, str]]:
    rows = re.findall(r"^\| `([A-Z][A-Za-z]+\(.*\))` \| `([0-9a-f ]+)` \| `([0-9a-f ]+)` \|$", HARDWARE_PAGE.read_text(), re.M)
    assert {row[0].partition("(")[0] for row in rows} == {kind.__name__ for kind in get_args(protocol.Message)}
    return rows


@pytest.mark.parametrize(("written", "payload", "frame"), vectors())
def test_vectors_of_the_hardware_page(written, payload, frame):
    message = eval(written, vars(protocol))
    assert encode(message) == bytes.fromhex(frame)
    assert cobs_decode(bytes.fromhex(frame)[:-1]) == bytes.fromhex(payload)
    (decoded,) = Decoder().feed(bytes.fromhex(frame))
    close(decoded, message)


def close(decoded, message) -> None:
    """Equal up to half a step of the fixed-point numbers."""
    assert type(decoded) is type(message)
    assert (decoded.address, decoded.sequence) == (message.address, message.sequence)
    if isinstance(message, GroupDrive):
        assert (decoded.first, decoded.answers) == (message.first, message.answers)
        assert decoded.slot_s == pytest.approx(message.slot_s, abs=0.000501)
        for one, other in zip(decoded.drives, message.drives, strict=True):
            close(one, other)
    if isinstance(message, Pong):
        assert decoded.uptime_s == pytest.approx(message.uptime_s, abs=0.000501)
    if isinstance(message, Identity):
        assert decoded.watchdog_s == pytest.approx(message.watchdog_s, abs=0.000501)
        assert (decoded.wheels, decoded.firmware, decoded.parts, decoded.name) == (
            message.wheels,
            message.firmware,
            message.parts,
            message.name,
        )
    if isinstance(message, Drive | Telemetry):
        assert decoded.wheel_speeds_rad_s == pytest.approx(message.wheel_speeds_rad_s, abs=0.00501)
    if isinstance(message, Drive):
        assert decoded.kick_power == pytest.approx(message.kick_power, abs=0.5 / 255 + 1e-9)
        assert decoded.dribble == pytest.approx(message.dribble, abs=0.5 / 255 + 1e-9)
    if isinstance(message, Telemetry):
        assert decoded.wheel_angles_rad == pytest.approx(message.wheel_angles_rad, abs=0.000501)
        assert decoded.battery_v == pytest.approx(message.battery_v, abs=0.0501)
        assert decoded.kicker_charge == pytest.approx(message.kicker_charge, abs=0.5 / 127 + 1e-9)
        assert (decoded.temperature_c, decoded.puck_near) == (message.temperature_c, message.puck_near)
        assert decoded.faults == message.faults


def test_crc_has_its_published_check_value():
    assert crc16(b"123456789") == 0x29B1


@given(st.binary(max_size=MAX_PAYLOAD_BYTES))
def test_crc_as_firmware_computes_it(data):
    assert crc16(data) == crc16_bit_by_bit(data)


@pytest.mark.parametrize(
    ("plain", "stuffed"),
    [
        ("", "01"),
        ("00", "0101"),
        ("0000", "010101"),
        ("001100", "01021101"),
        ("11220033", "0311220233"),
        ("11000000", "0211010101"),
    ],
)
def test_cobs_of_known_bytes(plain, stuffed):
    assert cobs_encode(bytes.fromhex(plain)) == bytes.fromhex(stuffed)
    assert cobs_decode(bytes.fromhex(stuffed)) == bytes.fromhex(plain)


@pytest.mark.parametrize("stuffed", ["00", "03001101", "0311"])
def test_bytes_that_cobs_never_makes_are_bad(stuffed):
    with pytest.raises(BadFrameError, match="cobs"):
        cobs_decode(bytes.fromhex(stuffed))


@given(st.binary(max_size=MAX_PAYLOAD_BYTES))
def test_cobs_has_no_zero_costs_one_byte_and_comes_back(data):
    stuffed = cobs_encode(data)
    assert 0 not in stuffed
    assert len(stuffed) == len(data) + 1
    assert cobs_decode(stuffed) == data


@given(st.lists(messages, max_size=5), st.integers(1, 40))
def test_messages_come_back_however_the_bytes_are_cut(sent, piece):
    data = b"".join(map(encode, sent))
    decoder = Decoder()
    received = [m for start in range(0, len(data), piece) for m in decoder.feed(data[start : start + piece])]
    assert len(received) == len(sent)
    for decoded, message in zip(received, sent, strict=True):
        close(decoded, message)
        assert encode(decoded) == encode(message)
    assert decoder.bad_count == 0


@given(st.lists(st.binary(max_size=300)), messages)
def test_noise_never_raises_and_a_delimiter_ends_it(noise, message):
    decoder = Decoder()
    for piece in noise:
        for heard in decoder.feed(piece):
            encode(heard)
    decoder.feed(DELIMITER)
    (decoded,) = decoder.feed(encode(message))
    close(decoded, message)


@given(messages, st.data())
def test_no_flipped_bit_is_accepted(message, data):
    frame = bytearray(encode(message))
    bit = data.draw(st.integers(0, 8 * len(frame) - 1))
    frame[bit // 8] ^= 1 << bit % 8
    decoder = Decoder()
    assert decoder.feed(bytes(frame)) == []
    decoder.feed(DELIMITER)
    assert decoder.bad_count >= 1
    (decoded,) = decoder.feed(encode(message))
    close(decoded, message)


@given(messages, st.data())
def test_no_lost_byte_is_accepted(message, data):
    frame = encode(message)
    lost = data.draw(st.integers(0, len(frame) - 2))
    decoder = Decoder()
    assert decoder.feed(frame[:lost] + frame[lost + 1 :]) == []
    assert decoder.bad_count == 1


@pytest.mark.parametrize(
    ("frame", "reason"),
    [
        (b"\x05\x01\x01\x00", "cobs"),
        (b"\x01" * 202 + DELIMITER, "too long"),
        (cobs_encode(b"\x02\x02\x03\x08\x4f\x49") + DELIMITER, "crc"),
        (framed(b"\x01\x02\x03\x08"), "version"),
        (framed(b"\x02\x06\x03\x08"), "type"),
        (framed(b"\x02\x02\x03\x08\x00"), "length"),
        (framed(b"\x02\x02"), "length"),
        (framed(b"\x02\x01\x03\x08\x00\x00"), "length"),
        (framed(b"\x02\x01\x03\x08" + bytes(2 + 3)), "length"),
        (framed(b"\x02\x01\x03\x08" + bytes(2 + 2 * 9)), "length"),
        (framed(b"\x02\x81\x03\x08" + bytes(4 + 5)), "length"),
        (framed(b"\x02\x83\x03\x08" + bytes(3)), "length"),
        (framed(b"\x02\x84\x03\x08" + bytes(6)), "length"),
        (framed(b"\x02\x84\x03\x08\x02" + bytes(22)), "length"),
        (framed(b"\x02\x05\xff\x08\x02\x01\x00\x00" + bytes(7)), "length"),
        (framed(b"\x02\x05\xff\x08\x02\x00\x02\x00" + bytes(7)), "length"),
        (framed(b"\x02\x05\xff\x08\x02\x00\x00\x00" + bytes(8)), "length"),
        (framed(b"\x02\x05\x03\x08\x02\x00\x00\x00" + bytes(7)), "address"),
        (framed(b"\x02\x05\xff\x08\x02\x00\x00\x00\xff" + bytes(6)), "address"),
        (framed(b"\x02\x01\xff\x08" + bytes(4)), "address"),
        (framed(b"\x02\x01\x03\x08\x00\x00\x00\x80"), "speed"),
    ],
)
def test_bad_frames_are_counted_by_reason(frame, reason):
    decoder = Decoder()
    assert decoder.feed(frame) == []
    assert decoder.bad == {reason: 1}
    assert decoder.feed(encode(Stop(1, 2))) == [Stop(1, 2)]


def test_an_endless_frame_takes_no_memory():
    decoder = Decoder()
    for _ in range(100):
        assert decoder.feed(b"\x55" * 4096) == []
    assert len(decoder.splitter.pending) <= MAX_PAYLOAD_BYTES + 1
    assert decoder.feed(DELIMITER + encode(Stop(1, 2))) == [Stop(1, 2)]
    assert decoder.bad == {"too long": 1}


@pytest.mark.parametrize(
    ("message", "named"),
    [
        (Drive(0, 0, (327.68, 0.0)), "327.68"),
        (Drive(0, 0, (float("nan"), 0.0)), "nan"),
        (Drive(0, 0, ()), "number of wheels 0"),
        (Drive(0, 0, (0.0,) * 9), "number of wheels 9"),
        (Drive(0, 0, (0.0,), kick_power=1.01), "kick_power"),
        (Drive(0, 0, (0.0,), dribble=float("nan")), "dribble"),
        (Drive(255, 0, (0.0,)), "address 255"),
        (Stop(256, 0), "address 256"),
        (Stop(0, 256), "sequence 256"),
        (Telemetry(0, 0, (1.0,), (1.0, 2.0)), "1 wheel angles but 2 speeds"),
        (Telemetry(0, 0, (float("inf"),), (1.0,)), "wheel angle inf"),
        (Telemetry(0, 0, (1.0,), (1.0,), battery_v=-1.0), "battery_v"),
    ],
)
def test_what_the_format_cannot_carry_is_refused_by_name(message, named):
    with pytest.raises(ValueError, match=re.escape(named)):
        encode(message)


def test_wheel_angles_wrap_at_16_bits():
    (telemetry,) = Decoder().feed(encode(Telemetry(0, 0, (32.768,), (0.0,))))
    assert telemetry.wheel_angles_rad == pytest.approx((-32.768,))
