"""The services of the simulation_interfaces standard, on the physics node, where that package is installed.

| service | what it does here |
|---|---|
| `get_simulator_features` | which of the standard's features there are |
| `get_entities`, `get_entities_states` | robots and puck, filtered by name, category, tags, and a sphere or box |
| `get_entity_info`, `get_entity_bounds` | what a body is; its box about its own origin |
| `get_entity_state`, `set_entity_state` | its true pose and velocity in the rink frame |
| `get_simulation_state`, `set_simulation_state` | playing, paused (velocities are kept), stopped (paused at the face-off) |
| `step_simulation` | control steps while paused |
| `reset_simulation` | time, state, or both |
"""

from __future__ import annotations

from typing import Any, Protocol

from rclpy.node import Node

from robohockey_core.ros import topics
from robohockey_sim.nodes.simulation_entities import EntityServices, said
from robohockey_sim.world import World

try:
    from simulation_interfaces import msg, srv
except ImportError:
    msg = srv = None

MOST_STEPS = 10_000
"""The node answers nobody else while it steps; longer ways take more than one call."""

_FEATURES = (
    *("ENTITY_TAGS", "ENTITY_CATEGORIES", "ENTITY_BOUNDS", "ENTITY_BOUNDS_BOX"),
    *("ENTITY_STATE_GETTING", "ENTITY_STATE_SETTING", "ENTITY_INFO_GETTING"),
    *("SIMULATION_RESET", "SIMULATION_RESET_TIME", "SIMULATION_RESET_STATE"),
    *("SIMULATION_STATE_GETTING", "SIMULATION_STATE_SETTING", "SIMULATION_STATE_PAUSE"),
    *("STEP_SIMULATION_SINGLE", "STEP_SIMULATION_MULTIPLE"),
)


class Simulation(Protocol):
    """What the physics node offers."""

    playing: bool

    @property
    def world(self) -> World: ...

    def advance(self) -> None: ...

    def start_over(self, *, time: bool, state: bool) -> None: ...

    def stamp_s(self) -> float: ...


def serve(node: Node, simulation: Simulation) -> None:
    """Create the services, where their types are installed."""
    if srv is not None:
        _Services(node, simulation)
        EntityServices(node, simulation.world, simulation.stamp_s)
    else:
        node.get_logger().debug("simulation_interfaces is not installed: its services are left out")


class _Services:
    """How a simulation runs: features, playing and paused, steps, reset."""

    def __init__(self, node: Node, simulation: Simulation) -> None:
        self._simulation = simulation
        self._stopped = False
        for type_, name, answer in (
            (srv.GetSimulatorFeatures, "get_simulator_features", self._features),
            (srv.GetSimulationState, "get_simulation_state", self._get_run),
            (srv.SetSimulationState, "set_simulation_state", self._set_run),
            (srv.StepSimulation, "step_simulation", self._step),
            (srv.ResetSimulation, "reset_simulation", self._reset),
        ):
            node.create_service(type_, name, answer)

    def _features(self, _request: Any, response: Any) -> Any:
        response.features.features = [getattr(msg.SimulatorFeatures, name) for name in _FEATURES]
        response.features.custom_info = f"RoboHockey, league {self._simulation.world.league.name}, frame {topics.RINK_FRAME}"
        return response

    def _get_run(self, _request: Any, response: Any) -> Any:
        response.state.state = self._run()
        return said(response)

    def _set_run(self, request: Any, response: Any) -> Any:
        states, told, target = msg.SimulationState, srv.SetSimulationState.Response, request.state.state
        if target == self._run():
            return said(response, told.ALREADY_IN_TARGET_STATE, "nothing to do")
        if target == states.STATE_QUITTING:
            return said(response, msg.Result.RESULT_FEATURE_UNSUPPORTED, "the match that started this node ends it")
        if target not in (states.STATE_STOPPED, states.STATE_PLAYING, states.STATE_PAUSED):
            return said(response, told.INCORRECT_TRANSITION, f"state = {target}: must be stopped, playing or paused")
        self._simulation.playing = target == states.STATE_PLAYING
        self._stopped = target == states.STATE_STOPPED
        if self._stopped:
            self._simulation.start_over(time=True, state=True)
        return said(response)

    def _step(self, request: Any, response: Any) -> Any:
        if self._run() != msg.SimulationState.STATE_PAUSED:
            return said(response, msg.Result.RESULT_OPERATION_FAILED, "can step only while paused")
        if request.steps > MOST_STEPS:
            told = f"steps = {request.steps}: must be at most {MOST_STEPS}"
            return said(response, msg.Result.RESULT_OPERATION_FAILED, told)
        for _ in range(request.steps):
            self._simulation.advance()
        return said(response)

    def _reset(self, request: Any, response: Any) -> Any:
        scopes = srv.ResetSimulation.Request
        scope = request.scope or scopes.SCOPE_ALL
        time, state = bool(scope & scopes.SCOPE_TIME), bool(scope & scopes.SCOPE_STATE)
        if not (time or state):
            return said(response, msg.Result.RESULT_FEATURE_UNSUPPORTED, "scope: must hold time, state, or both")
        self._simulation.start_over(time=time, state=state)
        return said(response)

    def _run(self) -> int:
        states = msg.SimulationState
        if self._simulation.playing:
            return int(states.STATE_PLAYING)
        # Who steps a stopped simulation has begun it.
        stopped = self._stopped and self._simulation.world.steps_done == 0
        return int(states.STATE_STOPPED if stopped else states.STATE_PAUSED)
