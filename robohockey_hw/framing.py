"""Frames on a serial line: COBS between zeros, guarded by a CRC. What a frame says is in `protocol`.

A frame is a payload in COBS, ended by 0x00: no payload byte looks like the end of a frame, so a receiver that
starts late or loses a byte is in step again at the next 0x00.

COBS: Cheshire and Baker, Consistent Overhead Byte Stuffing, IEEE/ACM Trans. Networking 7(2), 1999.
"""

from __future__ import annotations

import binascii
import struct

DELIMITER = b"\x00"
MAX_PAYLOAD_BYTES = 200
# Below 254 bytes COBS adds exactly one byte.
_MAX_FRAME_BYTES = MAX_PAYLOAD_BYTES + 1
_CRC = struct.Struct("<H")


class BadFrameError(ValueError):
    """A frame that is not to be obeyed; `args[0]` is the reason, one of a few words."""


def frame_of(content: bytes) -> bytes:
    """Guard content with its CRC, stuff it and end it. Raises ValueError when it is too long for a frame."""
    payload = content + _CRC.pack(crc16(content))
    if len(payload) > MAX_PAYLOAD_BYTES:
        raise ValueError(f"a payload of {len(payload)} bytes: must be at most {MAX_PAYLOAD_BYTES}")
    return cobs_encode(payload) + DELIMITER


def content_of(frame: bytes, shortest: int) -> bytes:
    """Read a frame without its delimiter; return what the CRC guards. Raises BadFrameError."""
    payload = cobs_decode(frame)
    if len(payload) < shortest + _CRC.size:
        raise BadFrameError("length")
    content = payload[: -_CRC.size]
    if crc16(content) != _CRC.unpack(payload[-_CRC.size :])[0]:
        raise BadFrameError("crc")
    return content


def crc16(data: bytes) -> int:
    """CRC-16/CCITT-FALSE: polynomial 0x1021, start 0xFFFF, nothing reflected, no final xor."""
    return binascii.crc_hqx(data, 0xFFFF)


def cobs_encode(data: bytes) -> bytes:
    """Replace every zero: each code byte says how far the next one is, and stands where a zero was.

    Payloads are far below 254 bytes, so the long block of COBS (code 255) never comes up.
    """
    return b"".join(bytes((len(block) + 1,)) + block for block in data.split(b"\x00"))


def cobs_decode(data: bytes) -> bytes:
    """Undo `cobs_encode`. Raises BadFrameError on what it can never have made."""
    blocks = []
    at = 0
    while at < len(data):
        code = data[at]
        block = data[at + 1 : at + code]
        if code == 0 or len(block) != code - 1 or 0 in block:
            raise BadFrameError("cobs")
        blocks.append(block)
        at += code
    return b"\x00".join(blocks)


class FrameSplitter:
    """Cuts bytes, as they come in pieces, into frames; None stands for a frame that was too long."""

    def __init__(self) -> None:
        self.pending = bytearray()
        self._too_long = False

    def feed(self, data: bytes) -> list[bytes | None]:
        """Return the frames that these bytes end, without their delimiters."""
        *ends, rest = data.split(DELIMITER)
        frames = []
        for piece in ends:
            self._take(piece)
            # Nothing between two delimiters is no frame: a sender starts a burst with one to end what was cut off.
            if self._too_long or self.pending:
                frames.append(None if self._too_long else bytes(self.pending))
            self.pending.clear()
            self._too_long = False
        self._take(rest)
        return frames

    def _take(self, piece: bytes) -> None:
        if self._too_long or len(self.pending) + len(piece) > _MAX_FRAME_BYTES:
            self._too_long = True
            self.pending.clear()
        else:
            self.pending += piece
