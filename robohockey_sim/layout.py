"""Where the compiled physics keeps its numbers.

One matrix holds the robots, one row each, and one record the league's constants: compiled functions then pass
two pointers along, and not dozens of arrays. The columns have names here.
"""

from __future__ import annotations

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
# How fast any point of it moved in the last step, at most; how far it may move before its contacts with the boards
# are looked for again, and how many it has.
BOUND_M_S, BOARD_WAIT_M, BOARD_POINTS = 22, 23, 24
# The number of its motion model.
MODEL = 25
# Angle of the kicker's rod from its home along the front, now and at the start of the step, and how fast it is driven.
ROD_RAD, ROD0_RAD, ROD_RAD_S = 26, 27, 28
# Half its size, and how far its corners are from its centre. Goals that stand free are rows too, which nobody moves.
HALF_LENGTH_M, HALF_WIDTH_M, REACH_M = 29, 30, 31
# From here on, as many numbers as there are wheels: speeds, then commands, then angles.
WHEELS = 32

PUCK_X, PUCK_Y, PUCK_VX, PUCK_VY, PUCK_SPIN = range(5)

# Notes that outlive a step: pairs in the list, how far bodies may still move before it is made anew, how wide gaps are
# in which contacts are looked for, how far the puck may move before it can be near a robot; and how often the puck was
# caught and a robot was put back.
PAIR_COUNT, PAIR_BUDGET_M, LOOK_MARGIN_M, PUCK_ALONE_M, PINCHES, PUT_BACK = range(6)
NOTES = 6

# The list of near pairs: number of the pair, and its two robots.
PAIR, FIRST, SECOND = range(3)

# Columns of a contact: normal from the first body to the second, levers of both bodies about normal and tangent,
# masses that an impulse meets, the gap, the fastest closing allowed, impulses of the last step, and friction.
(
    NX,
    NY,
    LEVER_A,
    LEVER_B,
    SLIDE_A,
    SLIDE_B,
    MASS_N,
    MASS_T,
    GAP_M,
    LIMIT_M_S,
    PUSH,
    GRIP,
    FRICTION,
    RESTITUTION,
) = range(14)
CONTACT_WIDTH = 14
BOARD = -1
# Two rows for each pair; for each corner of a robot two walls.
PAIR_ROWS, BOARD_ROWS = 2, 8

# Columns of a surface near the puck: whose, gap, normal towards the puck, lever from the robot's centre, and how
# hard it squeezes.
OWNER, SURFACE_GAP_M, SURFACE_NX, SURFACE_NY, SURFACE_RX, SURFACE_RY, SQUEEZE = range(7)
SURFACE_WIDTH = 7
BOARD_SURFACES = 2

# A vice: two or three surfaces that hold the puck between them. How many legs, the mass that a squeeze meets, the
# fastest closing allowed, the squeeze, and a number that tells whose legs they are; then for each leg the surface, and
# the direction in which it pushes, as long as its share. The second half of the rows keeps what the last step found.
VICE_LEGS, VICE_MASS, VICE_LIMIT_M_S, VICE_PUSH, VICE_KEY = range(5)
VICE_SURFACE, VICE_DX, VICE_DY = 5, 8, 11
VICE_WIDTH = 14
MOST_VICES = 8

# The league's constants, beside those of the drive (`drive_parameters.DriveParameters`).
CONSTANTS = (
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
    "rod_length_m",
    "rod_swing_rad",
    "rod_speed_rad_s",
    "dribbler_force_n",
    "dribbler_reach_m",
    "outline_convex",
    "puck_owned",
    "robots",
    "slip_collisions",
    "board_half_length_m",
)
# A goal that stands free: its net from post to post and back again, which makes an outline with two sides.
NET_CORNERS = 6
