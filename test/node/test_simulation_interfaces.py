"""The simulation_interfaces services of a running physics node. That package is not on PyPI; without it this is skipped."""

from __future__ import annotations

import math

import pytest
from harness import running, wait_for

from robohockey_core.ros import conversions, topics

pytest.importorskip("simulation_interfaces", reason="simulation_interfaces is not installed")
from geometry_msgs.msg import Vector3
from simulation_interfaces import msg, srv

OK, NOT_FOUND, FAILED = msg.Result.RESULT_OK, msg.Result.RESULT_NOT_FOUND, msg.Result.RESULT_OPERATION_FAILED
UNSUPPORTED = msg.Result.RESULT_FEATURE_UNSUPPORTED
STOPPED, PLAYING, PAUSED = (getattr(msg.SimulationState, f"STATE_{name}") for name in ("STOPPED", "PLAYING", "PAUSED"))
HAS_FLAGS = hasattr(srv.SetEntityState.Request(), "set_pose")
BLUE_AND_RED = [f"{team}/{number}" for team in ("blue", "red") for number in range(3)]


class Client:
    """Calls services by the standard's names."""

    def __init__(self, probe) -> None:
        self._probe = probe

    def __call__(self, type_, **fields):
        name = "".join(f"_{c.lower()}" if c.isupper() else c for c in type_.__name__).lstrip("_")
        return self._probe.call(topics.Service(name, type_), type_.Request(**fields))

    def run(self, state: int) -> int:
        return self(srv.SetSimulationState, state=msg.SimulationState(state=state)).result.result

    def state(self) -> int:
        return self(srv.GetSimulationState).state.state

    def entity(self, name: str):
        return self(srv.GetEntityState, entity=name).state

    def move(self, name: str, state, *, pose: bool = True, twist: bool = True):
        flags = {"set_pose": pose, "set_twist": twist} if HAS_FLAGS else {}
        return self(srv.SetEntityState, entity=name, state=state, **flags).result


@pytest.fixture
def client(domain, ros_probe):
    truth = ros_probe.hear(topics.GROUND_TRUTH)
    with running("physics", domain):
        wait_for(lambda: truth, "ground truth")
        yield Client(ros_probe)


def found(client, **filters) -> list[str]:
    answer = client(srv.GetEntities, filters=msg.EntityFilters(**filters))
    assert answer.result.result == OK, answer.result.error_message
    return list(answer.entities)


def at(x: float, y: float, yaw_rad: float = 0.0, vx: float = 0.0, frame: str = "rink"):
    state = msg.EntityState()
    state.header.frame_id = frame
    state.pose.position.x, state.pose.position.y = x, y
    state.pose.orientation = conversions.quaternion(yaw_rad)
    state.twist.linear.x = vx
    return state


def test_features_are_those_that_are_served(client):
    features = set(client(srv.GetSimulatorFeatures).features.features)
    assert {msg.SimulatorFeatures.ENTITY_STATE_SETTING, msg.SimulatorFeatures.STEP_SIMULATION_MULTIPLE} <= features
    assert msg.SimulatorFeatures.SPAWNING not in features


def test_entities_are_found_told_and_moved(client):
    assert client.run(PAUSED) == OK
    robot = msg.EntityCategory(category=msg.EntityCategory.CATEGORY_ROBOT)
    human = msg.EntityCategory(category=msg.EntityCategory.CATEGORY_HUMAN)
    assert found(client) == [*BLUE_AND_RED, "puck"]
    assert found(client, filter="^puck$") == ["puck"]
    assert found(client, categories=[robot], tags=msg.TagsFilter(tags=["red"])) == BLUE_AND_RED[3:]
    assert found(client, categories=[human]) == []
    near = msg.Bounds(type=msg.Bounds.TYPE_SPHERE, points=[Vector3(), Vector3(x=0.01)])
    assert found(client, bounds=near) == ["puck"]
    hull = msg.Bounds(type=msg.Bounds.TYPE_CONVEX_HULL, points=[Vector3(), Vector3(x=1.0), Vector3(y=1.0)])
    assert client(srv.GetEntities, filters=msg.EntityFilters(bounds=hull)).result.result == UNSUPPORTED
    assert client(srv.GetEntities, filters=msg.EntityFilters(filter="(")).result.result == FAILED

    info = client(srv.GetEntityInfo, entity="red/1").info
    assert (info.category.category, list(info.tags)) == (robot.category, ["robot", "red", "simulated"])
    upper, lower = client(srv.GetEntityBounds, entity="puck").bounds.points
    assert (upper.x, lower.x, upper.z, lower.z) == (0.025, -0.025, 0.01, 0.0)
    unknown = client(srv.GetEntityState, entity="red/9").result
    assert unknown.result == NOT_FOUND
    assert "red/9" in unknown.error_message

    assert client.move("blue/0", at(0.3, 0.4, 1.2, 0.5)).result == OK
    moved = client.entity("blue/0")
    assert (moved.pose.position.x, moved.pose.position.y, moved.twist.linear.x) == (0.3, 0.4, 0.5)
    assert conversions.yaw_rad(moved.pose.orientation) == pytest.approx(1.2)
    assert moved.header.frame_id == "rink"
    both = client(srv.GetEntitiesStates, filters=msg.EntityFilters(filter="blue/0|puck"))
    assert list(both.entities) == ["blue/0", "puck"]
    assert both.states[0].pose == moved.pose
    if HAS_FLAGS:
        assert client.move("blue/0", at(-0.3, 0.4), twist=False).result == OK
        assert client.entity("blue/0").twist.linear.x == 0.5


def test_moves_that_cannot_be_change_nothing(client):
    assert client.run(PAUSED) == OK
    before = client.entity("blue/0")
    tilted = at(0.3, 0.4)
    tilted.pose.orientation.x, tilted.pose.orientation.w = math.sqrt(0.5), math.sqrt(0.5)
    invalid = getattr(srv.SetEntityState.Response, "INVALID_POSE", FAILED)
    for state, code, told in (
        (at(9.0, 0.0), invalid, "outside"),
        (at(0.0, 0.0), invalid, "overlap puck"),
        (at(math.nan, 0.0), invalid, "finite"),
        (tilted, invalid, "upright axis"),
        (at(0.3, 0.4, vx=math.inf), FAILED, "finite"),
        (at(0.3, 0.4, frame="map"), FAILED, "frame_id = map"),
    ):
        answer = client.move("blue/0", state)
        assert answer.result == code, told
        assert told in answer.error_message
    assert client.entity("blue/0") == before


def test_pause_keeps_velocities_steps_move_on_and_stop_begins_anew(client):
    assert client.state() == PLAYING
    assert client(srv.StepSimulation, steps=1).result.result == FAILED
    assert client.run(PAUSED) == OK
    assert client.run(PAUSED) == srv.SetSimulationState.Response.ALREADY_IN_TARGET_STATE
    assert client.run(msg.SimulationState.STATE_QUITTING) == UNSUPPORTED
    assert client.move("puck", at(-0.5, 0.5, vx=1.0)).result == OK
    paused = client.entity("puck")
    assert client.entity("puck") == paused
    assert client(srv.StepSimulation, steps=5).result.result == OK
    stepped = client.entity("puck")
    assert conversions.seconds(stepped.header.stamp) - conversions.seconds(paused.header.stamp) == pytest.approx(0.1)
    way_m = 1.0 * 0.1 - 0.5 * 0.02 * 9.81 * 0.1**2
    assert stepped.pose.position.x == pytest.approx(-0.5 + way_m, abs=1e-9)
    assert client(srv.StepSimulation, steps=2**40).result.result == FAILED
    assert client.run(PLAYING) == OK
    wait_for(lambda: client.entity("puck").pose.position.x > stepped.pose.position.x, "a puck that goes on")
    assert client.run(STOPPED) == OK
    assert client.state() == STOPPED
    assert client.entity("puck").pose.position.x == 0.0
    assert client(srv.StepSimulation, steps=1).result.result == FAILED


def test_time_and_state_are_reset_together_or_alone(client):
    scopes = srv.ResetSimulation.Request
    assert client.run(PAUSED) == OK

    def after(scope: int) -> tuple[float, float]:
        assert client.move("puck", at(0.5, 0.5)).result == OK
        assert client(srv.StepSimulation, steps=1).result.result == OK
        assert client(srv.ResetSimulation, scope=scope).result.result == OK
        puck = client.entity("puck")
        return conversions.seconds(puck.header.stamp), puck.pose.position.x

    time_s, x_m = after(scopes.SCOPE_STATE)
    assert time_s > 0.0
    assert x_m == 0.0
    assert after(scopes.SCOPE_TIME) == (0.0, 0.5)
    assert after(scopes.SCOPE_DEFAULT) == (0.0, 0.0)
    assert client(srv.ResetSimulation, scope=scopes.SCOPE_SPAWNED).result.result == UNSUPPORTED
