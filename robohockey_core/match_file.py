"""A match as its user describes it: the match file, or options laid over it, checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from robohockey_core.appearance import PATCHES, TAGS
from robohockey_core.camera_entry import CameraEntry, camera_entries
from robohockey_core.checked import InputError, build, did_you_mean, limited, to_plain
from robohockey_core.files import read_yaml
from robohockey_core.league import DEFAULT_LEAGUE, League, load_league
from robohockey_core.names import BLUE, RED, RobotId, parse_robot
from robohockey_core.noise_spec import NOISE_PRESETS

SIM, REAL, MIXED = "sim", "real", "mixed"
MODES = (SIM, REAL, MIXED)
OVERHEAD, OMNI_VISION = "overhead", "omni"
SINGLE_FRAMES, GROUP_FRAMES = "single", "group"
"""A frame for each robot of a link, or one for all of them, who answer by turns."""
CAMERA_TOPIC = "topic"
"""A camera whose images a node of yours publishes on `overhead/image_raw`."""


@dataclass(frozen=True)
class RobotEntry:
    """What stands behind one robot."""

    backend: str = limited(SIM, "simulated or real", choices=(SIM, REAL))
    link: str = limited("", "pyserial URL of a real robot, such as /dev/ttyUSB0 or socket://host:port")
    address: int = limited(0, "address of a real robot on its link", low=0, high=254)
    omni_camera: bool = limited(False, "whether the robot carries an omni camera; that of a simulated robot is simulated")
    omni_source: str = limited(
        "",
        "omni camera of a real robot: device number or path, video file or image folder; empty: a node of yours publishes it",
    )
    omni_calibration: str = limited("", "file of a real robot's omni camera, as calibrate-omni writes it")

    @property
    def sees(self) -> bool:
        """Whether the robot carries an omni camera."""
        return self.omni_camera or bool(self.omni_source) or bool(self.omni_calibration)


@dataclass(frozen=True)
class LinkEntry:
    """How a link to real robots is used."""

    baud_rate: int = limited(115200, "speed of a serial port, in baud", low=1200, high=4_000_000)
    frames: str = limited(
        "",
        "a frame for each robot, or one for all who share a radio; empty: group where there is more than one",
        choices=("", SINGLE_FRAMES, GROUP_FRAMES),
    )


@dataclass(frozen=True)
class Match:
    """A match as its user describes it."""

    league: str = limited(DEFAULT_LEAGUE, "preset name or path of a league file")
    mode: str = limited(SIM, "all simulated, all real, or as `robots` says", choices=MODES)
    blue: str = limited("roles", "strategy of the blue team")
    red: str = limited("roles", "strategy of the red team")
    puck: str = limited(SIM, "simulated or real puck", choices=(SIM, REAL))
    noise: str = limited("", "noise of simulated camera and radio; empty: as the league says", choices=("", *NOISE_PRESETS))
    seed: int = limited(1, "seed of all simulated noise", low=0)
    real_time_factor: float = limited(1.0, "how fast simulated time runs; 0: as fast as possible", low=0.0, high=100.0)
    vision: str = limited(
        "", "where poses come from: empty for the physics or a node of yours", choices=("", OVERHEAD, OMNI_VISION)
    )
    camera: str = limited(
        "", "real overhead camera: device number or path, video file, image folder, or `topic`; empty: simulated"
    )
    calibration: str = limited("", "file of the overhead camera, as calibrate-overhead writes it")
    cameras: tuple[CameraEntry, ...] = ()
    """Overhead cameras in place of `camera` and `calibration`, each with its own size and rate."""
    marks: str = limited(PATCHES, "what robots wear on top: colour patches or ArUco tags", choices=(PATCHES, TAGS))
    colors: str = limited("", "file of colour classes, as calibrate-colors writes it")
    namespace: str = limited("", "ROS namespace of the whole match")
    view: bool = limited(True, "whether to serve the web view")
    view_port: int = limited(8080, "first port to try for the web view", low=1, high=65535)
    view_host: str = limited("127.0.0.1", "address that the web view listens on; 0.0.0.0 lets other machines watch")
    markers: bool = limited(False, "whether to publish RViz markers")
    rules: str = limited("", "rule profile, by name or path; empty: the league's")
    referee: str = limited("autonomous", "whether calls stand at once, or a human is asked", choices=("autonomous", "suggest"))
    memory_file: str = limited("", "where the referee keeps the match, to go on from after a restart; empty: nowhere")
    record: str = limited("", "folder in which the recording gets a folder of its own; empty: no recording")
    robots: Mapping[RobotId, RobotEntry] = field(default_factory=dict)
    links: Mapping[str, LinkEntry] = field(default_factory=dict)

    def strategy(self, team: str) -> str:
        return self.blue if team == BLUE else self.red

    @property
    def overhead_cameras(self) -> tuple[CameraEntry, ...]:
        return self.cameras or (CameraEntry(self.camera, self.calibration),)


_TABLES = ("robots", "links")
"""The parts of a match file that have entries of their own."""


def load_match(path: Path | None = None, **overrides: Any) -> Match:
    """Read a match file and lay the given values over it; None and "" mean "not given". Raises InputError."""
    values = read_yaml(path) if path is not None else {}
    given = {key: value for key, value in overrides.items() if value not in (None, "")}
    return match_from_values({**values, **given}, f"{path}:" if path is not None else "match:")


def match_values(match: Match) -> dict[str, Any]:
    """A match as plain values: the inverse of `match_from_values`."""
    values = {f.name: to_plain(getattr(match, f.name)) for f in fields(match) if f.name not in _TABLES}
    tables = {name: {str(key): to_plain(entry) for key, entry in getattr(match, name).items()} for name in _TABLES}
    return {**values, **tables}


def match_from_values(values: Mapping[str, Any], where: str) -> Match:
    """Make a match of plain values, checked. Raises InputError."""
    tables = {name: values.get(name) or {} for name in _TABLES}
    for name, example in zip(_TABLES, ("blue/0: {backend: real}", "/dev/ttyUSB0: {baud_rate: 57600}"), strict=True):
        if not isinstance(tables[name], Mapping):
            raise InputError(f"{where} {name} = {tables[name]!r}: must be a table such as {example}")
    cameras = camera_entries(values.get("cameras") or (), where)
    match = build(Match, {key: value for key, value in values.items() if key not in (*_TABLES, "cameras")}, where)
    if cameras and (match.camera or match.calibration):
        raise InputError(f"{where} cameras: stand in place of `camera` and `calibration`; give the one or the other")
    links = {str(link): _link_entry(entry, f"{where} links.{link}") for link, entry in tables["links"].items()}
    robots = _robot_entries(tables["robots"], load_league(match.league), where)
    return replace(match, cameras=cameras, robots=robots, links=links)


def _robot_entries(entries: Mapping[Any, Any], league: League, where: str) -> dict[RobotId, RobotEntry]:
    allowed = league.robots()
    robots: dict[RobotId, RobotEntry] = {}
    for key, values in entries.items():
        robot = parse_robot(str(key))
        if robot not in allowed:
            last = league.match.players - 1
            raise InputError(
                f"{where} robots.{key}: unknown robot; {league.name} has {BLUE}/0 to {BLUE}/{last} and {RED}/0 to {RED}/{last}"
            )
        if robot in robots:
            raise InputError(f"{where} robots.{key}: {robot} stands twice")
        if not isinstance(values, Mapping):
            raise InputError(
                f"{where} robots.{key} = {values!r}: must be a table{did_you_mean('', RobotEntry.__dataclass_fields__)}"
            )
        robots[robot] = build(RobotEntry, values, f"{where} robots.{key}")
    return robots


def _link_entry(values: Any, where: str) -> LinkEntry:
    if not isinstance(values, Mapping):
        raise InputError(f"{where} = {values!r}: must be a table{did_you_mean('', LinkEntry.__dataclass_fields__)}")
    return build(LinkEntry, values, where)
