"""Which nodes a match needs: the one plan behind `robohockey match` and `match.launch.py`.

A robot is simulated or real, one by one. That choice is made here and nowhere else: it decides which
node owns the robot's joints. Every joint, and every topic with one voice, has exactly one publisher,
or the plan is refused.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from robohockey_core.camera_entry import image_topic
from robohockey_core.checked import InputError, did_you_mean
from robohockey_core.league import League, load_league
from robohockey_core.match_file import (
    CAMERA_TOPIC,
    GROUP_FRAMES,
    MIXED,
    OMNI_VISION,
    OVERHEAD,
    REAL,
    SIM,
    SINGLE_FRAMES,
    LinkEntry,
    Match,
    RobotEntry,
    match_values,
)
from robohockey_core.names import PUCK, TEAMS, RobotId, body_joints, parse_robot

NODE_CLASSES = {
    "physics": "robohockey_sim.nodes.physics:PhysicsNode",
    "tracker": "robohockey_vision.nodes.tracker:TrackerNode",
    "referee": "robohockey_referee.nodes.referee:RefereeNode",
    "strategy": "robohockey_strategy.nodes.strategy:StrategyNode",
    "motion": "robohockey_strategy.nodes.motion:MotionNode",
    "omni_unwarp": "robohockey_vision.nodes.omni_unwarp:OmniUnwarpNode",
    "overhead_camera": "robohockey_sim.nodes.overhead_camera:OverheadCameraNode",
    "overhead_detector": "robohockey_vision.nodes.overhead_detector:OverheadDetectorNode",
    "omni_camera": "robohockey_sim.nodes.omni_camera:OmniCameraNode",
    "omni_detector": "robohockey_vision.nodes.omni_detector:OmniDetectorNode",
    "camera": "robohockey_vision.nodes.camera:CameraNode",
    "robot_driver": "robohockey_hw.nodes.robot_driver:RobotDriverNode",
    "markers": "robohockey_viz.nodes.markers:MarkersNode",
    "web_view": "robohockey_viz.nodes.web_view:WebViewNode",
    "recorder": "robohockey_viz.nodes.recorder:RecorderNode",
    "replay": "robohockey_viz.nodes.replay:ReplayNode",
    "keyboard": "robohockey_hw.nodes.keyboard:KeyboardNode",
    "gamepad": "robohockey_hw.nodes.gamepad:GamepadNode",
    "plant": "robohockey_match.nodes.plant:PlantNode",
    "drive_pattern": "robohockey_match.nodes.drive_pattern:DrivePatternNode",
}
"""Every executable and the node class behind it."""


@dataclass(frozen=True)
class NodeSpec:
    """One node to start: executable, name, parameters, and all that it alone may say."""

    executable: str
    name: str
    namespace: str
    parameters: Mapping[str, Any]
    says: tuple[str, ...]
    respawn: bool = True
    remaps: Mapping[str, str] = field(default_factory=dict)

    def ros_arguments(self, log_level: str = "info") -> list[str]:
        """The node's command line, the same for a process, a launch file and a composed node."""
        pairs = [f"__node:={self.name}", f"__ns:=/{self.namespace}" if self.namespace else "__ns:=/"]
        pairs += [f"{topic}:={to}" for topic, to in self.remaps.items()]
        arguments = ["--ros-args"]
        for pair in pairs:
            arguments += ["-r", pair]
        for key, value in self.parameters.items():
            arguments += ["-p", f"{key}:={_as_yaml(value)}"]
        return [*arguments, "--log-level", f"{self.name}:={log_level}"]


def plan(match: Match) -> tuple[NodeSpec, ...]:
    """List the nodes of a match. Raises InputError when it cannot be played as described."""
    league = load_league(match.league)
    real = _real_robots(match, league)
    simulated = tuple(robot for robot in league.robots() if robot not in real)
    puck_simulated = match.mode != REAL and match.puck == SIM
    all_simulated = not real and puck_simulated
    owned = [*map(str, simulated), *([PUCK] if puck_simulated else [])]
    common = {"league": match.league, "use_sim_time": all_simulated}

    def node(executable: str, says: Iterable[str], name: str = "", inside: str = "", **parameters: Any) -> NodeSpec:
        namespace = "/".join(filter(None, (match.namespace, inside)))
        return NodeSpec(executable, name or executable, namespace, {**common, **parameters}, tuple(says))

    nodes = []
    if owned:
        nodes.append(_physics(node, match, league, owned, all_simulated))
    nodes += _drivers(node, match, league, real)
    nodes += _overhead(node, match, league, owned)
    nodes.append(node("tracker", ["world_state"]))
    referee = {"rules": match.rules, "mode": match.referee, "memory_file": match.memory_file}
    nodes.append(node("referee", ["match/state", "match/events"], placed=owned, **referee))
    for team in TEAMS:
        strategy = match.strategy(team)
        said = [f"{team}/targets", f"{team}/placement"]
        nodes.append(node("strategy", said, f"{team}_strategy", team=team, strategy=strategy, seed=match.seed))
        nodes.append(node("motion", [f"{team}/wheel_commands"], f"{team}_motion", team=team))
    nodes += _omni(node, match, league, owned, all_simulated)
    if match.markers:
        nodes.append(node("markers", ["markers"]))
    if match.view:
        nodes.append(node("web_view", [], port=match.view_port, host=match.view_host, placed=owned))
    if match.record:
        nodes.append(node("recorder", [], folder=match.record, match=json.dumps(match_values(match))))
    check_one_voice(nodes)
    return tuple(nodes)


def check_one_voice(nodes: Iterable[NodeSpec]) -> None:
    """Refuse a plan in which two nodes say the same thing. Raises InputError."""
    specs = tuple(nodes)
    counts = Counter(said for spec in specs for said in spec.says)
    for said, count in counts.items():
        if count > 1:
            speakers = [spec.name for spec in specs if said in spec.says]
            raise InputError(f"{said} would have {count} publishers: {', '.join(speakers)}; exactly one is allowed")


def _physics(
    node: Callable[..., NodeSpec],
    match: Match,
    league: League,
    owned: Sequence[str],
    publish_clock: bool,
) -> NodeSpec:
    robots = [robot for body in owned if (robot := parse_robot(body)) is not None]
    detects = not _seen_by_simulated_cameras_only(match, publish_clock)
    says = [f"detections: {joint}" for body in owned for joint in body_joints(body)] if detects else []
    says += [f"joint_states: {joint}" for joint in _actuators(league, robots)]
    says += ["sim/ground_truth", *(["/clock"] if publish_clock else [])]
    # Beside real bodies, time runs as it does for them.
    factor = match.real_time_factor if publish_clock else 1.0
    spec = node("physics", says, owns=owned, noise=match.noise, seed=match.seed, real_time_factor=factor, detects=detects)
    # Physics is the clock: it must not wait for one.
    parameters = {**spec.parameters, "use_sim_time": False, "publish_clock": publish_clock}
    return replace(spec, parameters=parameters)


def _drivers(node: Callable[..., NodeSpec], match: Match, league: League, real: tuple[RobotId, ...]) -> list[NodeSpec]:
    """One driver a link: robots that share a radio share its driver."""
    links: dict[str, list[RobotId]] = {}
    for robot in real:
        links.setdefault(match.robots[robot].link, []).append(robot)
    for link in match.links:
        if link not in links:
            raise InputError(f"links.{link}: no real robot of this match has that link{did_you_mean(link, links)}")
    nodes = []
    for number, (link, robots) in enumerate(links.items()):
        addresses = [match.robots[robot].address for robot in robots]
        for address, count in Counter(addresses).items():
            if count > 1:
                twins = [str(r) for r in robots if match.robots[r].address == address]
                raise InputError(f"{' and '.join(twins)} share address {address} on {link}; every robot needs its own")
        says = [f"joint_states: {joint}" for joint in _actuators(league, robots)]
        # Robots on one radio answer a frame of their own at once, all at the same time: they need turns.
        entry = match.links.get(link, LinkEntry())
        frames = entry.frames or (GROUP_FRAMES if len(robots) > 1 else SINGLE_FRAMES)
        wire = {"link": link, "baud_rate": entry.baud_rate, "frames": frames}
        owns = [str(robot) for robot in robots]
        nodes.append(node("robot_driver", says, f"robot_driver_{number}", owns=owns, addresses=addresses, **wire))
    return nodes


def _overhead(node: Callable[..., NodeSpec], match: Match, league: League, owned: Sequence[str]) -> list[NodeSpec]:
    """Overhead cameras, real or simulated, and the detectors that read them.

    A simulated one sees everything; a real one what is real, and the physics shows the rest.
    """
    if match.vision != OVERHEAD:
        return []
    cameras, simulated = match.overhead_cameras, _overhead_is_simulated(match)
    if simulated and not owned:
        raise InputError("vision overhead: nothing is simulated, so `camera` must name a real one")
    seen = [*map(str, league.robots()), PUCK]
    if not simulated:
        seen = [body for body in seen if body not in owned]
    nodes = []
    for number, camera in enumerate(cameras):
        topic, after = image_topic(number), f"_{number}" if number else ""
        looks = {"camera": camera.calibration, "marks": match.marks, **camera.size}
        pace = {"frame_rate_hz": camera.frame_rate_hz}
        own = []
        if simulated:
            seed = match.seed + number
            own.append(node("overhead_camera", [topic], f"overhead_camera{after}", **looks, **pace, seed=seed))
        elif camera.source != CAMERA_TOPIC:
            own.append(node("camera", [topic], f"camera{after}", source=camera.source, **pace, **camera.size))
        # Cameras that see the same bodies speak as one voice: the tracker fuses what they say.
        says = [] if number else [f"detections: {joint}" for body in seen for joint in body_joints(body)]
        colors = camera.colors or match.colors
        own.append(node("overhead_detector", says, f"overhead_detector{after}", **looks, colors=colors, bodies=seen))
        remaps = {image_topic(0): topic} if number else {}
        nodes += [replace(spec, remaps=remaps) for spec in own]
    return nodes


def _omni(
    node: Callable[..., NodeSpec], match: Match, league: League, owned: Sequence[str], all_simulated: bool
) -> list[NodeSpec]:
    """Omni cameras: unwarped where a robot carries one, and simulated on simulated robots; with vision omni, also read.

    With vision omni and no camera in the match file, every robot carries one. Beside real robots those of simulated ones are
    not read: the physics shows these robots.
    """
    reads = match.vision == OMNI_VISION
    if reads and league.sport == "hockey":
        raise InputError(
            f"vision omni: robots find their place by white lines and coloured goals, and {league.name} plays on ice,"
            " where lines have the teams' colours; take a soccer league such as msl_omni"
        )
    carriers = [robot for robot, entry in match.robots.items() if entry.sees]
    if reads and not carriers:
        carriers = list(league.robots())
    nodes = []
    for robot in carriers:
        inside, name = f"{robot.namespace}/omni", f"{robot.team}_{robot.number}"
        simulated = str(robot) in owned
        entry = RobotEntry() if simulated else match.robots.get(robot, RobotEntry())
        file = entry.omni_calibration
        nodes.append(node("omni_unwarp", [f"{inside}/image_unwrapped"], inside=inside, calibration=file))
        image = [f"{inside}/image_raw"]
        if simulated:
            nodes.append(node("omni_camera", image, f"omni_camera_{name}", robot=str(robot), seed=match.seed))
        elif entry.omni_source:
            nodes.append(node("camera", image, f"camera_{name}", robot=str(robot), source=entry.omni_source))
        if reads and (all_simulated or not simulated):
            # Its own pose is its own to tell; the puck and others are told by all who see them.
            says = [f"detections: {joint}" for joint in body_joints(str(robot))]
            real = [] if all_simulated else [body for body in (*map(str, league.robots()), PUCK) if body not in owned]
            known = {"mirror": file, "colors": match.colors, "bodies": real}
            nodes.append(node("omni_detector", says, f"omni_detector_{name}", robot=str(robot), **known))
    return nodes


def _overhead_is_simulated(match: Match) -> bool:
    """Whether the overhead camera is simulated: where nothing is real, no real camera sees what plays."""
    return match.vision == OVERHEAD and (match.mode == SIM or not match.overhead_cameras[0].source)


def _seen_by_simulated_cameras_only(match: Match, all_simulated: bool) -> bool:
    """Whether images show all that is simulated, so that the physics must show nothing.

    With vision omni a robot without a camera is known only as the others see it.
    """
    return _overhead_is_simulated(match) or (match.vision == OMNI_VISION and all_simulated)


def _actuators(league: League, robots: Iterable[RobotId]) -> list[str]:
    wheels = league.robot.make_drive().wheel_names
    return [robot.joint(wheel) for robot in robots for wheel in wheels]


def _real_robots(match: Match, league: League) -> tuple[RobotId, ...]:
    if match.mode == SIM:
        return ()
    wanted = league.robots()
    if match.mode == MIXED:
        wanted = tuple(r for r in wanted if match.robots.get(r, RobotEntry()).backend == REAL)
    unlinked = [str(r) for r in wanted if not match.robots.get(r, RobotEntry()).link]
    if unlinked:
        raise InputError(
            f"mode {match.mode}: no link for {', '.join(unlinked)}; give each one a `link` under `robots` in the match file"
        )
    if match.mode == MIXED and not wanted and match.puck == SIM:
        raise InputError("mode mixed: no robot is real; mark one with `backend: real` under `robots` in the match file")
    return wanted


def _as_yaml(value: Any) -> str:
    """Write a parameter so that rcl reads back the same type."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_as_yaml, value)) + "]"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return repr(value)
