"""The plant: a physical world to rehearse in, behind serial ports and a camera. Nothing in it is part of a match.

| topic | type | way | what |
|---|---|---|---|
| `overhead/image_raw` | Image | out | what a camera above the rink shows of the bodies that are here |
| `detections` | JointState | out, with `shows: detections` | the same without pixels; in, with images, to measure |
| `match/state` | DiagnosticStatus | in | where the referee wants bodies: a stagehand puts them there |
| `<team>/wheel_commands` | JointState | in | only to measure how long they take to the wheels |
| `/diagnostics` | DiagnosticArray | out, once a second | latencies, and how well real time is kept |
"""

from __future__ import annotations

import os
import signal
import threading
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from rclpy.node import Node
from std_msgs.msg import Header

from robohockey_core.checked import InputError, limited
from robohockey_core.league import DEFAULT_LEAGUE, load_league
from robohockey_core.match_state import OVER, MatchState
from robohockey_core.names import PUCK, TEAMS, RobotId, parse_robot, split_joint
from robohockey_core.overhead_view import load_view
from robohockey_core.ros import conversions, topics
from robohockey_core.ros.parameters import declare
from robohockey_core.ros.running import run_node
from robohockey_match.latency import LatencyMeter
from robohockey_match.plant import Plant
from robohockey_match.plant_names import address_of
from robohockey_match.plant_ports import PlantPorts
from robohockey_match.stagehand import places_by_hand
from robohockey_sim.overhead_camera import OverheadCamera

IMAGES, DETECTIONS = "images", "detections"


@dataclass(frozen=True)
class Parameters:
    league: str = limited(DEFAULT_LEAGUE, "preset name or path of a league file")
    owns: tuple[str, ...] = limited((), "bodies that are here, such as blue/0 and puck; empty for all")
    ports: str = limited("/tmp/robohockey-plant", "folder for the serial ports")  # noqa: S108 (devices, not secrets)
    shared_radio: bool = limited(False, "one port for all robots")
    radio_loss: float = limited(0.0, "chance that a frame is lost, each way", low=0.0, high=1.0)
    shows: str = limited(IMAGES, "what the camera gives", choices=(IMAGES, DETECTIONS))
    frame_rate_hz: float = limited(30.0, "of the camera", above=0.0, high=200.0)
    until_over: bool = limited(False, "end with the match, and say how it went")
    seed: int = limited(1, "seed of the camera's and the radio's noise", low=0)


class PlantNode(Node):
    """Robots on ports, under a camera."""

    def __init__(self, **options: Any) -> None:
        super().__init__("plant", **options)
        parameters = declare(self, Parameters)
        league = load_league(parameters.league)
        owned = parameters.owns or (*map(str, league.robots()), PUCK)
        robots = [robot for body in owned if (robot := parse_robot(body)) is not None]
        plant = Plant(league, {robot: address_of(robot) for robot in robots}, puck=PUCK in owned)
        plant.world.step(0)
        folder = Path(parameters.ports)
        folder.mkdir(parents=True, exist_ok=True)
        self._meter = LatencyMeter()
        self._wheels = league.robot.make_drive().wheel_names
        self._ports = PlantPorts(
            plant,
            folder,
            shared=parameters.shared_radio,
            loss=parameters.radio_loss,
            seed=parameters.seed,
            on_drive=lambda robot, speeds, _: self._meter.turned(robot, speeds, conversions.now_s(self)),
        )
        self._until_over = parameters.until_over
        self._camera = None
        if parameters.shows == IMAGES:
            self._camera = OverheadCamera(league, load_view("", league), seed=parameters.seed)
            self._images = topics.publisher(self, topics.OVERHEAD_IMAGE)
            topics.subscription(self, topics.DETECTIONS, self._on_detections)
        else:
            self._detections = topics.publisher(self, topics.DETECTIONS)
        topics.subscription(self, topics.MATCH_STATE, self._on_match_state)
        for team in TEAMS:
            topics.subscription(self, topics.WHEEL_COMMANDS.of(team=team), partial(self._on_commands, team))
        self._diagnostics = topics.publisher(self, topics.DIAGNOSTICS)
        self._started = time.monotonic(), plant.time_s
        self._ports.start()
        # Rendering takes a while: messages are not to wait for it.
        self._period_s, self._ending = 1.0 / parameters.frame_rate_hz, threading.Event()
        self._photographer = threading.Thread(target=self._take_pictures, daemon=True)
        self._photographer.start()
        self.create_timer(1.0, self._report)

    def close(self) -> None:
        """Pull the cables."""
        self._ending.set()
        self._photographer.join()
        self._ports.close()

    def _take_pictures(self) -> None:
        next_s = time.monotonic()
        while not self._ending.wait(max(0.0, next_s - time.monotonic())):
            next_s = max(next_s + self._period_s, time.monotonic())
            self._take_picture()

    def _take_picture(self) -> None:
        with self._ports.lock:
            stamp_s, bodies, sample = conversions.now_s(self), self._ports.plant.bodies(), self._ports.plant.detections()
        if self._camera is not None:
            header = Header(stamp=conversions.stamp(stamp_s), frame_id=topics.OVERHEAD_IMAGE.frame)
            self._images.publish(conversions.image_message(self._camera.render(bodies), "bgr8", header))
            return
        message = conversions.joint_message(sample, topics.RINK_FRAME)
        message.header.stamp = conversions.stamp(stamp_s)
        self._detections.publish(message)
        self._meter.detected(stamp_s, stamp_s)

    def _on_detections(self, message: Any) -> None:
        self._meter.detected(conversions.seconds(message.header.stamp), conversions.now_s(self))

    def _on_commands(self, _team: str, message: Any) -> None:
        sample = conversions.joint_sample(message)
        speeds: dict[RobotId, dict[str, float]] = {}
        for name, speed in zip(sample.names, sample.velocity.tolist(), strict=False):
            body, part = split_joint(name)
            robot = parse_robot(body)
            if robot is not None:
                speeds.setdefault(robot, {})[part] = speed
        for robot, parts in speeds.items():
            if all(wheel in parts for wheel in self._wheels):
                self._meter.commanded(robot, tuple(parts[wheel] for wheel in self._wheels), sample.stamp_s)

    def _on_match_state(self, message: Any) -> None:
        state = MatchState.from_values(conversions.status_values(message))
        if state.phase == OVER and self._until_over:
            latencies = ", ".join(f"{name} {1000.0 * time_s:.1f} ms" for name, time_s in self._meter.report().items())
            self.get_logger().info(f"the match is over: {state.score_blue} : {state.score_red}; {latencies}")
            os.kill(os.getpid(), signal.SIGINT)
        with self._ports.lock:
            places = places_by_hand(state, self._ports.plant.bodies())
            try:
                self._ports.plant.place(places)
            except InputError as error:
                self.get_logger().warning(f"the stagehand cannot: {error}", throttle_duration_sec=2.0)

    def _report(self) -> None:
        if not self._ports.alive:
            raise RuntimeError("the plant's world stands still: its thread has ended")  # better no match than a frozen one
        wall_s, plant_s = self._started
        factor = (self._ports.plant.time_s - plant_s) / max(1e-3, time.monotonic() - wall_s)
        values = {"real_time_factor": factor, **self._meter.report()}
        summary = f"real-time factor {factor:.2f}"
        status = conversions.status_message(self.get_fully_qualified_name(), summary, values, healthy=factor > 0.9)
        self._diagnostics.publish(conversions.diagnostics_message(self, status))


def main() -> None:
    run_node(PlantNode)


if __name__ == "__main__":
    main()
