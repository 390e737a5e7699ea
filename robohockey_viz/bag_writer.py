"""A rosbag2 folder with one MCAP file, written so that it can be read at any moment, also after a crash.

Messages go into small chunks, and `flush` ends one. What is on the disk is always a valid beginning of an MCAP file, and the
folder's metadata.yaml is renewed beside it, so `ros2 bag` and Foxglove open a recording that was cut off.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from mcap.writer import CompressionType, Writer

from robohockey_core.checked import InputError

ABOUT = "robohockey"
"""Name of the MCAP metadata record that holds the match."""

_CHUNK_BYTES = 32 * 1024
"""Some 0.2 s of a match of three a side, played at its own speed. Names repeat, so it still packs well."""

_BAG_VERSION = 9
_FOREVER = {"sec": 9223372036, "nsec": 854775807}


@dataclass(frozen=True)
class RecordedTopic:
    """A topic as a bag describes it; the definition is text in the format `ros2msg`."""

    name: str
    type_name: str
    definition: str
    reliable: bool = True
    latched: bool = False
    depth: int = 10

    def qos(self) -> list[dict[str, Any]]:
        """How it is offered, in the words of rosbag2."""
        return [
            {
                "history": "keep_last",
                "depth": self.depth,
                "reliability": "reliable" if self.reliable else "best_effort",
                "durability": "transient_local" if self.latched else "volatile",
                "deadline": dict(_FOREVER),
                "lifespan": dict(_FOREVER),
                "liveliness": "automatic",
                "liveliness_lease_duration": dict(_FOREVER),
                "avoid_ros_namespace_conventions": False,
            }
        ]


class BagWriter:
    """Writes serialised messages. `flush` now and then; `close` at the end."""

    def __init__(self, folder: Path, about: Mapping[str, str]) -> None:
        """Make the folder; `about` are key-values to keep inside. Raises InputError when it cannot be made."""
        try:
            folder.mkdir(parents=True)
            self._file = (folder / f"{folder.name}.mcap").open("wb")
        except FileExistsError:
            raise InputError(f"{folder}: is there already; a recording needs a new folder") from None
        except OSError as error:
            raise InputError(f"{folder}: cannot be written: {error.strerror}") from None
        self.folder = folder
        self._about = dict(about)
        self._topics: dict[str, RecordedTopic] = {}
        self._channels: dict[str, int] = {}
        self._schemas: dict[str, int] = {}
        self._counts: dict[str, int] = {}
        self._first_ns, self._last_ns = 0, 0
        self._writer = Writer(self._file, chunk_size=_CHUNK_BYTES, compression=CompressionType.ZSTD)
        self._writer.start(profile="ros2", library="robohockey")
        self._writer.add_metadata(ABOUT, self._about)
        self.flush()

    @property
    def message_count(self) -> int:
        return sum(self._counts.values())

    def add_topic(self, topic: RecordedTopic) -> None:
        """Announce a topic; the bag tells of it from its first message on."""
        self._topics[topic.name] = topic

    def write(self, topic: str, received_ns: int, data: bytes) -> None:
        """Add one message, serialised as CDR."""
        if topic not in self._channels:
            self._channels[topic] = self._open_channel(self._topics[topic])
            self._counts[topic] = 0
        self._writer.add_message(self._channels[topic], received_ns, data, received_ns, self._counts[topic])
        self._first_ns = self._first_ns or received_ns
        self._last_ns = max(self._last_ns, received_ns)
        self._counts[topic] += 1

    def flush(self) -> None:
        """Hand all that was written to the operating system and renew the folder's description."""
        self._end_chunk()
        self._file.flush()
        text = yaml.safe_dump({"rosbag2_bagfile_information": self._metadata()}, sort_keys=False)
        fresh = self.folder / "metadata.yaml.new"
        fresh.write_text(text, encoding="utf-8")
        fresh.replace(self.folder / "metadata.yaml")

    def _end_chunk(self) -> None:
        """End the chunk that is open, so that a crash costs what came since, also of a match that runs slowly.

        The writer ends chunks by their size and has no public way to end one earlier; without this one they end as it likes.
        """
        end = getattr(self._writer, "_Writer__finalize_chunk", None)
        if end is not None:
            end()

    def close(self) -> None:
        self._writer.finish()  # type: ignore[no-untyped-call]
        self.flush()
        self._file.close()

    def _open_channel(self, topic: RecordedTopic) -> int:
        if topic.type_name not in self._schemas:
            definition = topic.definition.encode()
            self._schemas[topic.type_name] = self._writer.register_schema(topic.type_name, "ros2msg", definition)
        qos = {"offered_qos_profiles": yaml.safe_dump(topic.qos(), sort_keys=False)}
        return int(self._writer.register_channel(topic.name, "cdr", self._schemas[topic.type_name], qos))

    def _span(self) -> dict[str, Any]:
        return {
            "starting_time": {"nanoseconds_since_epoch": self._first_ns},
            "duration": {"nanoseconds": self._last_ns - self._first_ns},
            "message_count": self.message_count,
        }

    def _metadata(self) -> dict[str, Any]:
        name = f"{self.folder.name}.mcap"
        return {
            "version": _BAG_VERSION,
            "storage_identifier": "mcap",
            "relative_file_paths": [name],
            **self._span(),
            "topics_with_message_count": [
                {
                    "topic_metadata": {
                        "name": topic.name,
                        "type": topic.type_name,
                        "serialization_format": "cdr",
                        "offered_qos_profiles": topic.qos(),
                        "type_description_hash": "",
                    },
                    "message_count": count,
                }
                for topic, count in ((self._topics[name], count) for name, count in self._counts.items())
            ],
            "compression_format": "",
            "compression_mode": "",
            "files": [{"path": name, **self._span()}],
            "custom_data": self._about,
            "ros_distro": "rolling",
        }
