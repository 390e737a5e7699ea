"""Reading a rosbag2 folder with MCAP, whole or cut off in the middle of a write."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from mcap.exceptions import McapError
from mcap.records import Channel, Message, Metadata, Schema
from mcap.stream_reader import StreamReader
from mcap_ros2.decoder import DecoderFactory
from zstandard import ZstdError

from robohockey_core.checked import InputError
from robohockey_viz.bag_writer import ABOUT

Decode = Callable[[bytes], Any]


class BagMessage(NamedTuple):
    """One recorded message; `decode` turns its data into an object with the message's fields."""

    topic: str
    type_name: str
    received_ns: int
    data: bytes
    decode: Decode


def bag_file(folder: Path) -> Path:
    """The MCAP file of a recording, given as its folder or as the file itself. Raises InputError."""
    if folder.is_file():
        return folder
    files = sorted(folder.glob("*.mcap"))
    if not files:
        why = "holds no .mcap file" if folder.is_dir() else "there is no such folder"
        raise InputError(f"{folder}: {why}; give a folder that `robohockey match --record` wrote")
    return files[0]


def read_about(path: Path) -> Mapping[str, str]:
    """The key-values that describe the match; empty when another tool recorded it. Raises InputError."""
    for record in _records(path):
        if isinstance(record, Metadata) and record.name == ABOUT:
            return dict(record.metadata)
        if isinstance(record, Message):
            break
    return {}


def read_messages(path: Path) -> Iterator[BagMessage]:
    """Every message in the order of writing, up to the end or to where the file was cut. Raises InputError."""
    schemas: dict[int, Schema] = {}
    channels: dict[int, tuple[str, str, Decode | None]] = {}
    decoders = DecoderFactory()
    for record in _records(path):
        if isinstance(record, Schema):
            schemas[record.id] = record
        elif isinstance(record, Channel) and record.id not in channels:
            schema = schemas.get(record.schema_id)
            decode = decoders.decoder_for(record.message_encoding, schema)
            channels[record.id] = (record.topic, schema.name if schema else "", decode)
        elif isinstance(record, Message):
            topic, type_name, decode = channels[record.channel_id]
            if decode is not None:
                yield BagMessage(topic, type_name, record.log_time, record.data, decode)


def _records(path: Path) -> Iterator[Any]:
    """Records of the file; a cut end is an end."""
    seen = False
    try:
        with path.open("rb") as file:
            for record in StreamReader(file).records:
                seen = True
                yield record
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except (McapError, ZstdError, struct.error, UnicodeDecodeError) as error:
        if not seen:
            raise InputError(f"{path}: is no MCAP file ({error})") from None
