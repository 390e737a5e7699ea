"""What a serialised ROS message looks like, as far as one needs to know it without ROS."""

from __future__ import annotations

import struct


def stamp_s(data: bytes) -> float:
    """The stamp of a message that begins with a header, without reading the rest of it.

    CDR: four bytes of which the second tells the byte order, then seconds and nanoseconds.
    """
    sec, nanosec = struct.unpack_from("<iI" if data[1] & 1 else ">iI", data, 4)
    return float(sec) + float(nanosec) * 1e-9
