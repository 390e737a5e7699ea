"""The part of the simulation_interfaces standard that is about robots and puck; the rest is in `simulation_interfaces`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from geometry_msgs.msg import Vector3
from rclpy.node import Node

from robohockey_core.checked import InputError, did_you_mean
from robohockey_core.ros import conversions, topics
from robohockey_sim.entities import Entities, Query, box, planar_twist, refuse_off_plane, sphere
from robohockey_sim.world import World

try:
    from simulation_interfaces import msg, srv
except ImportError:
    msg = srv = None

_FRAMES = ("", "world", topics.RINK_FRAME)


class EntityServices:
    """Answers questions about the bodies of one world, and moves them."""

    def __init__(self, node: Node, world: World, stamp_s: Callable[[], float]) -> None:
        self._world, self._entities, self._stamp_s = world, Entities(world), stamp_s
        for type_, name, answer in (
            (srv.GetEntities, "get_entities", self._find),
            (srv.GetEntitiesStates, "get_entities_states", self._find_states),
            (srv.GetEntityInfo, "get_entity_info", self._about_known(self._info)),
            (srv.GetEntityBounds, "get_entity_bounds", self._about_known(self._bounds)),
            (srv.GetEntityState, "get_entity_state", self._about_known(self._get_state)),
            (srv.SetEntityState, "set_entity_state", self._about_known(self._set_state)),
        ):
            node.create_service(type_, name, answer)

    def _find(self, request: Any, response: Any) -> Any:
        filters = request.filters
        regions = {msg.Bounds.TYPE_EMPTY: lambda _: None, msg.Bounds.TYPE_BOX: box, msg.Bounds.TYPE_SPHERE: sphere}
        if filters.bounds.type not in regions:
            return said(response, msg.Result.RESULT_FEATURE_UNSUPPORTED, "bounds.type: must be empty, a box or a sphere")
        kinds = {msg.EntityCategory.CATEGORY_ROBOT: True, msg.EntityCategory.CATEGORY_DYNAMIC_OBJECT: False}
        wanted = {wanted.category for wanted in filters.categories}
        try:
            points = [(point.x, point.y, point.z) for point in filters.bounds.points]
            query = Query(
                filters.filter,
                frozenset(kinds[category] for category in wanted & kinds.keys()),
                frozenset(filters.tags.tags),
                filters.tags.filter_mode == msg.TagsFilter.FILTER_MODE_ALL,
                regions[filters.bounds.type](points),
            )
            # Categories that nothing here belongs to mean nothing, not everything.
            response.entities = [] if wanted and not query.kinds else self._entities.found(query)
        except InputError as error:
            return said(response, msg.Result.RESULT_OPERATION_FAILED, str(error))
        return said(response)

    def _find_states(self, request: Any, response: Any) -> Any:
        self._find(request, response)
        response.states = [self._state(name) for name in response.entities]
        return response

    def _info(self, request: Any, response: Any) -> Any:
        entity, category = self._entities[request.entity], msg.EntityCategory
        response.info.category.category = category.CATEGORY_ROBOT if entity.is_robot else category.CATEGORY_DYNAMIC_OBJECT
        response.info.description, response.info.tags = entity.description, list(entity.tags)
        return said(response)

    def _bounds(self, request: Any, response: Any) -> Any:
        length_m, width_m, height_m = self._entities[request.entity].size_m
        response.bounds.type = msg.Bounds.TYPE_BOX
        response.bounds.points = [
            Vector3(x=length_m / 2.0, y=width_m / 2.0, z=height_m),
            Vector3(x=-length_m / 2.0, y=-width_m / 2.0, z=0.0),
        ]
        return said(response)

    def _get_state(self, request: Any, response: Any) -> Any:
        response.state = self._state(request.entity)
        return said(response)

    def _set_state(self, request: Any, response: Any) -> Any:
        state, pose, twist = request.state, None, None
        if state.header.frame_id not in _FRAMES:
            told = f"header.frame_id = {state.header.frame_id}: must be {topics.RINK_FRAME}, or empty"
            return said(response, msg.Result.RESULT_OPERATION_FAILED, told)
        # Before 2.1 the standard had no flags, and set everything.
        sets_pose, sets_twist = (getattr(request, flag, True) for flag in ("set_pose", "set_twist"))
        try:
            if sets_twist:
                twist = planar_twist(*((v.x, v.y, v.z) for v in (state.twist.linear, state.twist.angular)))
        except InputError as error:
            return said(response, msg.Result.RESULT_OPERATION_FAILED, str(error))
        try:
            if sets_pose:
                turn = state.pose.orientation
                refuse_off_plane(state.pose.position.z, (turn.x, turn.y, turn.z, turn.w))
                pose = conversions.pose_of(state)
            self._entities.move(request.entity, pose, twist)
        except InputError as error:
            failed = msg.Result.RESULT_OPERATION_FAILED
            # A code that 1.0 does not have.
            invalid = getattr(srv.SetEntityState.Response, "INVALID_POSE", failed)
            return said(response, invalid if sets_pose else failed, str(error))
        return said(response)

    def _state(self, name: str) -> Any:
        body, state = self._world.body(name), msg.EntityState()
        state.header.frame_id, state.header.stamp = topics.RINK_FRAME, conversions.stamp(self._stamp_s())
        state.pose.position.x, state.pose.position.y = body.pose.point
        state.pose.orientation = conversions.quaternion(body.pose.yaw_rad)
        state.twist.linear.x, state.twist.linear.y, state.twist.angular.z = body.twist
        return state

    def _about_known(self, answer: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
        """Answer only about entities that there are."""

        def checked(request: Any, response: Any) -> Any:
            if request.entity in self._entities:
                return answer(request, response)
            hint = did_you_mean(request.entity, self._entities.found(Query()))
            return said(response, msg.Result.RESULT_NOT_FOUND, f"entity = {request.entity}: no such body on the rink{hint}")

        return checked


def said(response: Any, code: int | None = None, told: str = "") -> Any:
    """Fill in how a request went: well, unless a code is given."""
    response.result.result = msg.Result.RESULT_OK if code is None else code
    response.result.error_message = told
    return response
