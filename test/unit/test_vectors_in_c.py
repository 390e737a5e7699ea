"""The test vectors of docs/hardware.md through the C protocol: decoded orders, and answers as it writes them."""

from __future__ import annotations

import ctypes

import pytest
from test_protocol import vectors

from robohockey_hw import firmware, protocol
from robohockey_hw.protocol import Drive, GroupDrive, Identity, Pong, Telemetry

MOST_PAYLOAD, MOST_FRAME, MOST_WHEELS, NO_ANSWER = 200, 202, 8, 0xFFFF
HEADER_BYTES, CRC_BYTES = 4, 2

pytestmark = pytest.mark.skipif(firmware.compiler() is None, reason="no C compiler here")


class Receiver(ctypes.Structure):
    _fields_ = (("bytes", ctypes.c_uint8 * MOST_FRAME), ("count", ctypes.c_uint8), ("too_long", ctypes.c_bool))


class Command(ctypes.Structure):
    _fields_ = (
        ("type", ctypes.c_uint8),
        ("address", ctypes.c_uint8),
        ("sequence", ctypes.c_uint8),
        ("body", ctypes.POINTER(ctypes.c_uint8)),
        ("body_count", ctypes.c_uint8),
    )


class Order(ctypes.Structure):
    _fields_ = (
        ("wheels", ctypes.c_uint8),
        ("speed_centirad_s", ctypes.c_int16 * MOST_WHEELS),
        ("kick", ctypes.c_uint8),
        ("dribble", ctypes.c_uint8),
    )

    def values(self) -> tuple[list[int], int, int]:
        return list(self.speed_centirad_s[: self.wheels]), self.kick, self.dribble


def expected(drive: Drive) -> tuple[list[int], int, int]:
    speeds = [round(100.0 * speed) for speed in drive.wheel_speeds_rad_s]
    return speeds, round(255 * drive.kick_power), round(255 * drive.dribble)


@pytest.fixture(scope="module")
def c():
    library = firmware.library()
    library.rh_take.restype = library.rh_read_group.restype = ctypes.c_bool
    library.rh_open.restype = ctypes.c_int
    library.rh_seal.restype = ctypes.c_uint8
    return library


def opened(c, frame: bytes) -> tuple[Receiver, Command]:
    receiver, command = Receiver(), Command()
    ends = [c.rh_take(ctypes.byref(receiver), ctypes.c_uint8(byte)) for byte in frame]
    assert ends == [False] * (len(frame) - 1) + [True]
    assert c.rh_open(ctypes.byref(receiver), ctypes.byref(command)) == 0
    return receiver, command  # the command points into the receiver


@pytest.mark.parametrize(("written", "payload", "frame"), vectors())
def test_a_vector_is_read(c, written, payload, frame):
    message, content = eval(written, vars(protocol)), bytes.fromhex(payload)
    _receiver, command = opened(c, bytes.fromhex(frame))
    assert (command.type, command.address, command.sequence) == (content[1], message.address, message.sequence)
    assert bytes(command.body[: command.body_count]) == content[HEADER_BYTES:-CRC_BYTES]
    order, after_ms = Order(), ctypes.c_uint16()
    if isinstance(message, Drive):
        c.rh_read_drive(ctypes.byref(command), ctypes.byref(order))
        assert order.values() == expected(message)
    if isinstance(message, GroupDrive):
        assert len(message.drives) > 1
        for drive in message.drives:
            mine = ctypes.c_uint8(drive.address)
            assert c.rh_read_group(ctypes.byref(command), mine, ctypes.byref(order), ctypes.byref(after_ms))
            assert order.values() == expected(drive)
            slot = message.answer_place(drive.address)
            assert after_ms.value == (NO_ANSWER if slot is None else round(1000.0 * slot * message.slot_s))
        nobody = ctypes.c_uint8(99)
        assert not c.rh_read_group(ctypes.byref(command), nobody, ctypes.byref(order), ctypes.byref(after_ms))


@pytest.mark.parametrize(("written", "payload", "frame"), vectors())
def test_a_vector_is_written(c, written, payload, frame):
    """Every vector's body sealed in C is its frame, those that a robot says above all."""
    content = bytes.fromhex(payload)
    body, into = content[HEADER_BYTES:-CRC_BYTES], ctypes.create_string_buffer(MOST_FRAME)
    head = [ctypes.c_uint8(byte) for byte in content[1:HEADER_BYTES]]
    count = c.rh_seal(*head, body, ctypes.c_uint8(len(body)), into)
    assert into.raw[:count] == bytes.fromhex(frame)


def test_every_answer_of_a_robot_has_a_vector():
    named = {written.partition("(")[0] for written, _, _ in vectors()}
    assert {kind.__name__ for kind in (Telemetry, Pong, Identity)} <= named
