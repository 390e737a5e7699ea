"""From a league to the numbers that the compiled physics needs."""

from __future__ import annotations

from typing import Any, get_type_hints

import numpy as np

from robohockey_core.geometry import is_convex
from robohockey_core.league import ROD, SLIP, League, RinkSpec
from robohockey_sim.drive_parameters import DriveParameters, drive_parameters
from robohockey_sim.layout import CONSTANTS, NET_CORNERS

GRAVITY_M_S2 = 9.81

_NUMBERS = [*((name, np.float64) for name in CONSTANTS), *get_type_hints(DriveParameters).items()]
_RECORD = np.dtype([*_NUMBERS, ("net", np.float64, (NET_CORNERS, 2))], align=True)


def make_constants(league: League, *, puck_owned: bool) -> Any:
    """Gather what stands in the league's sections, in the units of one physics step: a record in an array of one.

    Calling compiled code with the array is many times cheaper than with the record itself.
    """
    rink, robot, puck, kicker, dt_s = league.rink, league.robot, league.puck, league.kicker, league.timing.physics_dt_s
    box_inertia_kg_m2 = robot.mass_kg * (robot.length_m**2 + robot.width_m**2) / 12.0
    robot_inertia_kg_m2 = robot.body_inertia_kg_m2 or box_inertia_kg_m2
    # A disc for a puck, a solid sphere for a ball.
    puck_inertia_kg_m2 = puck.mass_kg * puck.radius_m**2 * (0.5 if puck.shape == "puck" else 0.4)
    traction_m_s2 = robot.tyre_traction * GRAVITY_M_S2
    lever_m = min(robot.length_m, robot.width_m) / 2.0
    numbers = {
        "dt_s": dt_s,
        "half_length_m": rink.length_m / 2.0,
        "half_width_m": rink.width_m / 2.0,
        "corner_radius_m": rink.corner_radius_m,
        "half_goal_m": rink.goal_width_m / 2.0,
        "goal_depth_m": rink.goal_depth_m,
        "robot_half_length_m": robot.length_m / 2.0,
        "robot_half_width_m": robot.width_m / 2.0,
        "robot_reach_m": robot.circumradius_m,
        "robot_inverse_mass": 1.0 / robot.mass_kg,
        "robot_inverse_inertia": 1.0 / robot_inertia_kg_m2,
        # Slip says what robots do after a collision; the contact itself then only stops what still closes.
        "robot_robot_restitution": 0.0 if robot.collisions == SLIP else robot.robot_restitution,
        "robot_robot_friction": robot.robot_friction,
        "robot_wall_restitution": robot.wall_restitution,
        "robot_wall_friction": robot.wall_friction,
        "traction_step_m_s": traction_m_s2 * dt_s,
        "traction_turn_step_rad_s": traction_m_s2 * robot.mass_kg * lever_m / robot_inertia_kg_m2 * dt_s,
        "puck_radius_m": puck.radius_m,
        "puck_mass_kg": puck.mass_kg,
        "puck_inertia_kg_m2": puck_inertia_kg_m2,
        "puck_friction_m_s2": puck.sliding_friction * GRAVITY_M_S2,
        "puck_damping_per_s": puck.rolling_damping_per_s,
        # A spinning disc with its weight spread evenly loses 4 mu g / (3 r) of its spin a second.
        "spin_friction_rad_s2": 4.0 * puck.sliding_friction * GRAVITY_M_S2 / (3.0 * puck.radius_m),
        "wall_restitution": puck.wall_restitution,
        "wall_friction": puck.wall_friction,
        "robot_restitution": puck.robot_restitution,
        "robot_friction": puck.robot_friction,
        "kicker_speed_m_s": kicker.max_puck_speed_m_s,
        "kicker_levels": kicker.levels,
        "kicker_reach_m": kicker.reach_m,
        "rod_length_m": kicker.rod_length_m if kicker.kind == ROD else 0.0,
        "rod_swing_rad": kicker.rod_swing_rad,
        "rod_speed_rad_s": kicker.rod_speed_rad_s,
        "dribbler_force_n": league.dribbler.max_force_n,
        "dribbler_reach_m": league.dribbler.reach_m,
        "pair_margin_m": robot.circumradius_m,
        "outline_convex": is_convex(robot.corners_m),
        "robots": len(league.robots()),
        "slip_collisions": robot.collisions == SLIP,
        "board_half_length_m": rink.length_m / 2.0 + rink.room_behind_goals_m,
        "net": _net(rink),
        "puck_owned": puck_owned,
        **drive_parameters(robot, GRAVITY_M_S2)._asdict(),
    }
    record = np.zeros(1, dtype=_RECORD)
    for name, value in numbers.items():
        record[name] = value
    return record


def _net(rink: RinkSpec) -> list[tuple[float, float]]:
    """The net of the goal at +x, from post to post and back."""
    line, back, side = rink.length_m / 2.0, rink.length_m / 2.0 + rink.goal_depth_m, rink.goal_width_m / 2.0
    return [(line, side), (back, side), (back, -side), (line, -side), (back, -side), (back, side)]
