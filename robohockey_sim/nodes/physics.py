"""The physics node: owns the simulated bodies, takes wheel commands, shows what a camera would see.

| topic or service | type | what |
|---|---|---|
| `<team>/wheel_commands` (in) | JointState | wheel speeds in rad/s, kick power 0..1 |
| `world_state` (in) | JointState, rink | tracked poses of bodies that others own |
| `sim/set_state` (in) | JointState, rink | moves the bodies that it names, and brings back on who was off |
| `match/state` (in) | DiagnosticStatus | who is sent off, and so off the rink |
| `detections` | JointState, rink | poses of owned bodies in m and rad, at camera rate |
| `sim/ground_truth` | JointState, rink | true poses and velocities, for tests and pictures |
| `joint_states` | JointState | wheel angles in rad and speeds in rad/s |
| `/clock` | Clock | simulated time, when the whole match is simulated |
| `/diagnostics` | DiagnosticArray | real-time factor held, steps per second, refused commands |
| `sim/step`, `sim/reset` | Trigger | one control step (also when paused), back to the face-off |
| `get_entities` ... | simulation_interfaces | where installed, that standard: `simulation_interfaces.py` beside this file |
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rosgraph_msgs.msg import Clock as ClockMessage
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger

from robohockey_core.checked import InputError, limited
from robohockey_core.commands import CommandGate
from robohockey_core.joints import bodies_of
from robohockey_core.league import DEFAULT_LEAGUE, load_league
from robohockey_core.match_state import MatchState
from robohockey_core.names import PUCK, TEAMS
from robohockey_core.noise_spec import NOISE_PRESETS
from robohockey_core.priority import step_ahead
from robohockey_core.ros import conversions, topics
from robohockey_core.ros.parameters import declare
from robohockey_core.ros.running import run_node
from robohockey_sim.nodes import simulation_interfaces
from robohockey_sim.pacing import Pacer
from robohockey_sim.simulated_rink import SimulatedRink
from robohockey_sim.world import World

_SHORTEST_TIMER_S = 0.0002


@dataclass(frozen=True)
class Parameters:
    league: str = limited(DEFAULT_LEAGUE, "preset name or path of a league file")
    owns: tuple[str, ...] = limited((), "bodies to simulate, such as blue/0 and puck; empty for all")
    publish_clock: bool = limited(True, "whether simulated time drives the match")
    real_time_factor: float = limited(1.0, "how fast simulated time runs; 0: as fast as possible", low=0.0, high=100.0)
    noise: str = limited("", "noise preset; empty: as the league says", choices=("", *NOISE_PRESETS))
    seed: int = limited(1, "seed of all simulated noise", low=0)
    detects: bool = limited(True, "whether the physics stands in for a camera and publishes detections")


class PhysicsNode(Node):
    """Steps the world in real time, or at a multiple of it."""

    def __init__(self, **options: Any) -> None:
        super().__init__("physics", **options)
        parameters = declare(self, Parameters, settable={"real_time_factor": self._set_pace})
        league = load_league(parameters.league)
        if parameters.noise:
            league = replace(league, noise=NOISE_PRESETS[parameters.noise])
        self._league = league
        self._rink = SimulatedRink(league, parameters.owns or None, parameters.seed)
        self._world = self._rink.world
        self._refused_places, self._last_refused_place = 0, ""
        # Real robots move by themselves, but only here can their kickers and dribblers meet a simulated puck.
        puck_is_here = PUCK in self._world.owned
        self._guests = [r for r in league.robots() if puck_is_here and r not in self._rink.robots]
        self._gate = CommandGate(league, (*self._rink.robots, *self._guests))
        self.playing = True
        self._real_time_factor = parameters.real_time_factor
        self._wall = Clock(clock_type=ClockType.STEADY_TIME)
        self._pacer = Pacer(league.timing.control_dt_s, parameters.real_time_factor)
        self._world.step(0)  # compiles, or loads the cache, before the clock starts

        self._detections = topics.publisher(self, topics.DETECTIONS) if parameters.detects else None
        self._truth = topics.publisher(self, topics.GROUND_TRUTH)
        self._joint_states = topics.publisher(self, topics.JOINT_STATES)
        self._diagnostics = topics.publisher(self, topics.DIAGNOSTICS)
        self._clock_topic = topics.publisher(self, topics.CLOCK) if parameters.publish_clock else None
        for team in TEAMS:
            topics.subscription(self, topics.WHEEL_COMMANDS.of(team=team), partial(self._take_commands, team))
        if len(self._world.owned) < len(self._world.bodies):
            topics.subscription(self, topics.WORLD_STATE, self._follow)
        topics.subscription(self, topics.SET_STATE, self._set_state)
        topics.subscription(self, topics.MATCH_STATE, self._take_match_state)
        topics.service(self, topics.SIM_STEP, self._step_once)
        topics.service(self, topics.SIM_RESET, self._reset)
        simulation_interfaces.serve(self, self)
        self._ticker = self._make_ticker()
        self.create_timer(1.0, self._report, clock=self._wall)

    def _make_ticker(self) -> Any:
        # As fast as possible still lets messages through between two ticks.
        factor = self._real_time_factor or math.inf
        period_s = max(_SHORTEST_TIMER_S, self._league.timing.control_dt_s / factor)
        return self.create_timer(period_s, self._tick, clock=self._wall)

    def _set_pace(self, real_time_factor: float) -> None:
        if self._clock_topic is None and real_time_factor != 1.0:
            raise InputError("real_time_factor: beside real bodies, time runs as it does for them; allowed: 1")
        self._pacer.set_factor(real_time_factor)
        self._real_time_factor = real_time_factor
        self.destroy_timer(self._ticker)
        self._ticker = self._make_ticker()

    def _take_commands(self, team: str, message: JointState) -> None:
        self._gate.offer(team, conversions.joint_sample(message), self._world.time_s)

    def _follow(self, message: JointState) -> None:
        self._world.follow(bodies_of(conversions.joint_sample(message)))

    def _set_state(self, message: JointState) -> None:
        try:
            self._rink.place(conversions.joint_sample(message))
        except InputError as error:
            self.get_logger().warning(str(error))
            self._refused_places, self._last_refused_place = self._refused_places + 1, str(error)
            # Told at once: somebody waits for what they asked for.
            status = conversions.status_message(
                self.get_fully_qualified_name(), str(error), self._place_values(), healthy=False
            )
            self._diagnostics.publish(conversions.diagnostics_message(self, status))

    def _place_values(self) -> dict[str, object]:
        return {"refused_places": self._refused_places, "last_refused_place": self._last_refused_place}

    def _take_match_state(self, message: DiagnosticStatus) -> None:
        """Take off whoever is sent off and on the rink, whoever put it there; `sim/set_state` brings back."""
        off = MatchState.from_values(conversions.status_values(message)).off
        self._rink.take_off(set(off) & set(self._world.owned))

    def _step_once(self, _request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        self.advance()
        response.success, response.message = True, f"time {self._world.time_s:.3f} s"
        return response

    def _reset(self, _request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        self.start_over(time=True, state=True)
        response.success, response.message = True, "back to the face-off at time 0"
        return response

    def start_over(self, *, time: bool, state: bool) -> None:
        """Back to time 0, to the face-off, or both; nothing that was said before counts any more."""
        self._rink.reset(time=time, state=state)
        self._gate.stop_all()

    def _tick(self) -> None:
        if not self.playing:
            self._pacer.rest()
            return
        for _ in range(self._pacer.ticks_due(self._wall.now().nanoseconds * 1e-9)):
            self.advance()

    def advance(self) -> None:
        """One control step."""
        world = self._world
        for robot in self._guests:
            world.command(robot, self._gate.command(robot, world.time_s))
        self._rink.advance(self._gate.command)
        stamp_s = self.stamp_s()
        if self._clock_topic is not None:
            self._clock_topic.publish(ClockMessage(clock=conversions.stamp(stamp_s)))
        for sample in self._rink.detections(stamp_s) if self._detections is not None else ():
            self._publish(self._detections, sample, sample.stamp_s, topics.RINK_FRAME)
        self._publish(self._truth, world.truth(), stamp_s, topics.RINK_FRAME)
        self._publish(self._joint_states, self._rink.control.heard(world.wheel_states()), stamp_s)

    @property
    def world(self) -> World:
        return self._world

    def stamp_s(self) -> float:
        """Simulated time is the match's time; beside real robots, it is the wall's."""
        return self._world.time_s if self._clock_topic is not None else conversions.now_s(self)

    def _publish(self, publisher: Any, sample: Any, stamp_s: float, frame: str = "") -> None:
        message = conversions.joint_message(sample, frame)
        message.header.stamp = conversions.stamp(stamp_s)
        publisher.publish(message)

    def _report(self) -> None:
        held = self._pacer.real_time_factor_held()
        status = conversions.status_message(
            self.get_fully_qualified_name(),
            f"real-time factor {held:.2f} of {self._real_time_factor:g}",
            {
                "real_time_factor": held,
                "latest_step_s": self._pacer.latest_s(),
                "steps_per_second": held / self._league.timing.physics_dt_s,
                "refused_commands": self._gate.refused_count,
                "last_refusal": self._gate.last_refusal,
                **self._place_values(),
            },
            healthy=self._gate.refused_count == 0,
        )
        self._diagnostics.publish(conversions.diagnostics_message(self, status))


def main() -> None:
    step_ahead()
    run_node(PhysicsNode)


if __name__ == "__main__":
    main()
