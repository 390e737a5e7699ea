"""Bytes that no robot should obey: plain noise, and good frames with bytes changed, lost, doubled and swapped."""

from __future__ import annotations

import random
from collections.abc import Iterator

from robohockey_hw.protocol import Drive, GroupDrive, Identify, Message, Ping, Stop, Telemetry, encode

_CHUNK = 1 << 16


def random_bytes(seed: int, total_bytes: int) -> Iterator[bytes]:
    """Noise. Zeros come eight times as often as they would by chance, so that many short frames are tried."""
    chance = random.Random(seed)
    for start in range(0, total_bytes, _CHUNK):
        data = bytearray(chance.randbytes(min(_CHUNK, total_bytes - start)))
        for at in chance.sample(range(len(data)), len(data) // 32):
            data[at] = 0
        yield bytes(data)


def some_message(chance: random.Random) -> Message:
    address, sequence = chance.randrange(255), chance.randrange(256)

    def speeds() -> tuple[float, float]:
        return chance.uniform(-60.0, 60.0), chance.uniform(-60.0, 60.0)

    drive = Drive(address, sequence, speeds(), chance.random(), chance.random())
    kind = chance.randrange(6)
    if kind == 0:
        return Stop(address, sequence)
    if kind == 1:
        return chance.choice((Ping, Identify))(address, sequence)
    if kind == 2:
        return GroupDrive(sequence, tuple(Drive(a, sequence, speeds()) for a in range(chance.randrange(1, 7))), 0, 1, 0.002)
    if kind == 3:
        return Telemetry(address, sequence, speeds()[:1], speeds()[:1], 7.4)
    return drive


def mutate(frame: bytes, chance: random.Random) -> bytes:
    """Damage a frame, never so that it stays whole between zeros; its end may go, too."""
    data = bytearray(frame)
    while frame[:-1] in bytes(data).split(b"\0"):
        for _ in range(chance.randrange(1, 4)):
            at = chance.randrange(len(data)) if data else 0
            way = chance.randrange(5)
            if way == 0 and data:
                data[at] ^= 1 << chance.randrange(8)
            elif way == 1 and data:
                data[at] = chance.randrange(256)
            elif way == 2 and data:
                del data[at]
            elif way == 3:
                data.insert(at, chance.randrange(256))
            elif data:
                other = chance.randrange(len(data))
                data[at], data[other] = data[other], data[at]
    return bytes(data)


def mutated_frames(seed: int, total_bytes: int) -> Iterator[bytes]:
    """Damaged frames, each between zeros of its own: what passes has fooled the checksum."""
    chance = random.Random(seed)
    frames = [encode(some_message(chance)) for _ in range(2000)]
    done = 0
    while done < total_bytes:
        batch = b"".join(b"\0" + mutate(chance.choice(frames), chance) + b"\0" for _ in range(500))
        done += len(batch)
        yield batch
