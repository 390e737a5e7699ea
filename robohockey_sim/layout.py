"""Where the compiled physics keeps its numbers.

One matrix holds the robots, one row each, and one record the league's constants: compiled functions then pass
two pointers along, and not dozens of arrays. The columns have names here.
"""

from __future__ import annotations

import numpy as np

# Pose now, with cos and sin of the yaw; the same at the start of the step.
X, Y, YAW, COS, SIN = 0, 1, 2, 3, 4
X0, Y0, YAW0, COS0, SIN0 = 5, 6, 7, 8, 9
NOW, BEFORE = 0, X0 - X
# Velocity in the rink frame, and in the robot's own.
VX, VY = 10, 11
FORWARD, LEFT, TURN = 12, 13, 14
# Kicker: power asked for, and time until it can fire again; dribbler: strength asked for.
KICK, RECHARGE_S, DRIBBLE = 15, 16, 17
# Flags: simulated here; moved by a contact in this step; sliding since then; to be put back.
OWNED, TOUCHED, SLIPS, STAYS = 18, 19, 20, 21
# From here on, as many numbers as there are wheels: speeds, then commands, then angles.
WHEELS = 22

PUCK_X, PUCK_Y, PUCK_VX, PUCK_VY, PUCK_SPIN = range(5)

# Notes that outlive a step: pairs in the list, how far bodies may still move before it is made anew, for how many
# more steps the puck counts as held; and how often it was caught and a robot was put back.
PAIR_COUNT, PAIR_BUDGET_M, HELD_STEPS, PINCHES, PUT_BACK = range(5)

CONSTANTS = np.dtype(
    [
        (name, np.float64)
        for name in (
            "dt_s",
            "half_length_m",
            "half_width_m",
            "corner_radius_m",
            "half_goal_m",
            "goal_depth_m",
            "robot_half_length_m",
            "robot_half_width_m",
            "robot_reach_m",
            "robot_inverse_mass",
            "robot_inverse_inertia",
            "robot_robot_restitution",
            "robot_robot_friction",
            "robot_wall_restitution",
            "robot_wall_friction",
            "pair_margin_m",
            "wheel_step_rad_s",
            "traction_step_m_s",
            "traction_turn_step_rad_s",
            "puck_radius_m",
            "puck_mass_kg",
            "puck_inertia_kg_m2",
            "puck_friction_m_s2",
            "puck_damping_per_s",
            "spin_friction_rad_s2",
            "wall_restitution",
            "wall_friction",
            "robot_restitution",
            "robot_friction",
            "kicker_speed_m_s",
            "kicker_levels",
            "kicker_reach_m",
            "dribbler_force_n",
            "dribbler_reach_m",
        )
    ]
)
