"""Compiled motion of one free robot over one physics step: three models behind one signature.

Every model reads and writes the robot's arrays in place and allocates nothing. `twist` is (forward,
left, turn) of the geometric centre in the robot's frame. A model leaves in `twist` what the robot
moves with over this step, and in `wheel_speed` the wheels' speeds in rad/s. It does not move `pose`:
contacts may still change the twist, then `kinematics.arc_step` takes the robot along the exact arc.

**Kinematic** (Chen eq 7, 15-20). Wheels follow their commands within an acceleration limit.

**Dynamic** (Klancar eq 1-10, for any number of wheels). With q = (v, u, w) = (forward, left, turn),
a body of mass m_c whose mass centre lies d in front of the geometric centre, m with the wheels, and
I about the geometric centre, the Lagrangian of eq 4 gives

    m (v' - u w) - m_c d w^2         = F_v
    m (u' + v w) + m_c d w'          = F_u
    I w'         + m_c d (u' + v w)  = T

and the rolling wheels, at speeds J q, add their inertia J_k J^T J to the left and J^T torque to the
right. A differential drive holds u = 0 (first row of eq 1) by a force F_u that does no work; what is
left is eq 7 after its multipliers are gone (eq 10):

    (m + 2 J_k / r^2) v'     =  m_c d w^2 + (torque_R + torque_L) / r
    (I + 2 b^2 J_k / r^2) w' = -m_c d v w + (torque_R - torque_L) b / r

The coupling moves energy between driving and turning and makes none. The printed eq 4-6 agree with
this, where they can be read. In addition to the paper:

* A wheel's motor has torque = stall * (voltage - speed / no_load), |voltage| <= 1, and at most the
  stall torque also when braking. A proportional speed control with feed-forward of back-EMF and
  damping sets the voltage, so an unloaded wheel settles on its command without error.
* Traction: a wheel's torque, less damping, is at most friction * load * radius. The share that spins
  the wheel itself counts as if it went into the floor, so the force is a little under the limit
  (by J_k / r^2 over a wheel's share of the mass). The wheels roll without slip lengthwise: what a
  wheel could do beyond the limit is lost. Load does not shift when accelerating.
* Side grip of a differential drive is what the friction circle leaves beside the lengthwise forces.
  When a curve (m v w + m_c d w') or a push asks for more, the robot slides sideways under that force
  and grips again when its side speed is through zero. Omni wheels have no side grip of their own.

Integration: Heun's method, of order 2 between events (a torque that reaches a limit, a slide that
ends). A step longer than half of the fastest time in which the wheels settle is taken in equal parts:
else a strong motor on a light robot would jump across its command and back.

**Wheel trajectory** (MR-Simulator, "Trajectory Model"). See `step_wheel_trajectory`.
"""

# numba's decorators carry no types.
# mypy: allow-untyped-decorators

from __future__ import annotations

import math

from robohockey_core.compiled import inlined
from robohockey_core.joints import FloatArray
from robohockey_sim.drive_parameters import DYNAMIC_MODEL, WHEEL_TRAJECTORY_MODEL, DriveParameters

# A call passes every number and array on its own, which costs more than most of the arithmetic below: on one
# core, a kinematic step took 50 ns with calls and 25 ns inlined, a dynamic one 150 and 80.
# A robot that is asked to stand stands below this: far under a wavelength of light per second, and far
# above the denormal numbers at which arithmetic gets slow.
_STANDING = 1e-15


@inlined
def free_step(
    model: float,
    p: DriveParameters,
    pose: FloatArray,
    twist: FloatArray,
    wheel_speed: FloatArray,
    wheel_command: FloatArray,
    wheels_to_twist: FloatArray,
    dt_s: float,
) -> None:
    """Advance twist and wheel speeds with the model of that number (`drive_parameters.model_of`)."""
    if model == DYNAMIC_MODEL:
        step_dynamic(p, pose, twist, wheel_speed, wheel_command, wheels_to_twist, dt_s)
    elif model == WHEEL_TRAJECTORY_MODEL:
        step_wheel_trajectory(p, pose, twist, wheel_speed, wheel_command, wheels_to_twist, dt_s)
    else:
        step_kinematic(p, pose, twist, wheel_speed, wheel_command, wheels_to_twist, dt_s)


@inlined
def step_kinematic(
    p: DriveParameters,
    pose: FloatArray,
    twist: FloatArray,
    wheel_speed: FloatArray,
    wheel_command: FloatArray,
    wheels_to_twist: FloatArray,
    dt_s: float,
) -> None:
    """Chen eq 7 for any drive: wheels follow commands within their acceleration, the twist follows the wheels."""
    most = p.max_wheel_acceleration_rad_s2 * dt_s
    forward, left, turn = 0.0, 0.0, 0.0
    for i in range(wheel_speed.shape[0]):
        change = wheel_command[i] - wheel_speed[i]
        # Within reach the command itself is taken, so that no rounding is left over.
        speed = wheel_command[i] if abs(change) <= most else wheel_speed[i] + math.copysign(most, change)
        wheel_speed[i] = speed
        forward += wheels_to_twist[0, i] * speed
        left += wheels_to_twist[1, i] * speed
        turn += wheels_to_twist[2, i] * speed
    twist[0], twist[1], twist[2] = forward, left, turn


@inlined
def motor_torque(p: DriveParameters, wheel_speed_rad_s: float, command_rad_s: float) -> float:
    """Torque of a wheel's motor under its speed control."""
    stall = p.stall_torque_n_m
    line_slope = p.line_slope_n_m_s
    # Voltage as the torque it gives a standing motor: feed-forward to hold the command, gain on the error.
    asked = (line_slope + p.wheel_damping_n_m_s) * command_rad_s + p.control_gain_n_m_s * (command_rad_s - wheel_speed_rad_s)
    voltage = min(stall, max(-stall, asked))
    return min(stall, max(-stall, voltage - line_slope * wheel_speed_rad_s))


@inlined
def rolling_torque(p: DriveParameters, wheel_speed_rad_s: float, command_rad_s: float) -> float:
    """What is left of the motor's torque after damping and within traction."""
    torque: float = motor_torque(p, wheel_speed_rad_s, command_rad_s) - p.wheel_damping_n_m_s * wheel_speed_rad_s
    return min(p.traction_torque_n_m, max(-p.traction_torque_n_m, torque))


@inlined
def _drive_row(p: DriveParameters, wheels_to_twist: FloatArray, i: int) -> tuple[float, float, float]:
    """Row i of the drive matrix J = W^T (J^T J)."""
    a, b, c = wheels_to_twist[0, i], wheels_to_twist[1, i], wheels_to_twist[2, i]
    return (
        p.g_vv * a + p.g_vu * b + p.g_vw * c,
        p.g_vu * a + p.g_uu * b + p.g_uw * c,
        p.g_vw * a + p.g_uw * b + p.g_ww * c,
    )


@inlined
def _loads(
    p: DriveParameters, v: float, u: float, w: float, wheel_command: FloatArray, wheels_to_twist: FloatArray
) -> tuple[float, float, float, float]:
    """Right side of the equations of motion without side grip (three forces), and the side grip that is left."""
    f_v = p.mass_kg * u * w + p.mass_moment_kg_m * w * w
    f_u = -p.mass_kg * v * w
    f_w = -p.mass_moment_kg_m * v * w
    grip = 0.0
    for i in range(wheel_command.shape[0]):
        j_v, j_u, j_w = _drive_row(p, wheels_to_twist, i)
        torque = rolling_torque(p, j_v * v + j_u * u + j_w * w, wheel_command[i])
        f_v += j_v * torque
        f_u += j_u * torque
        f_w += j_w * torque
        grip += math.sqrt(p.traction_torque_n_m * p.traction_torque_n_m - torque * torque)
    return f_v, f_u, f_w, grip / p.wheel_radius_m


@inlined
def _acceleration(p: DriveParameters, hold: bool, f_v: float, f_u: float, f_w: float) -> tuple[float, float, float]:
    """Change of the twist under three forces; while the wheels hold the robot sideways it has no part in u."""
    if hold:
        return f_v / p.m_vv, 0.0, f_w / p.m_ww
    return (
        p.n_vv * f_v + p.n_vu * f_u + p.n_vw * f_w,
        p.n_vu * f_v + p.n_uu * f_u + p.n_uw * f_w,
        p.n_vw * f_v + p.n_uw * f_u + p.n_ww * f_w,
    )


@inlined
def step_dynamic(
    p: DriveParameters,
    pose: FloatArray,
    twist: FloatArray,
    wheel_speed: FloatArray,
    wheel_command: FloatArray,
    wheels_to_twist: FloatArray,
    dt_s: float,
) -> None:
    """Klancar eq 1-10 with motors, damping and traction (see the module)."""
    v, u, w = twist[0], twist[1], twist[2]
    parts = 1 if dt_s <= p.longest_step_s else math.ceil(dt_s / p.longest_step_s)
    for _ in range(parts):
        v, u, w = _heun_step(p, v, u, w, wheel_command, wheels_to_twist, dt_s / parts)
    v = 0.0 if abs(v) < _STANDING else v
    u = 0.0 if abs(u) < _STANDING else u
    w = 0.0 if abs(w) < _STANDING else w
    twist[0], twist[1], twist[2] = v, u, w
    for i in range(wheel_speed.shape[0]):
        j_v, j_u, j_w = _drive_row(p, wheels_to_twist, i)
        wheel_speed[i] = j_v * v + j_u * u + j_w * w


@inlined
def _heun_step(
    p: DriveParameters,
    v: float,
    u: float,
    w: float,
    wheel_command: FloatArray,
    wheels_to_twist: FloatArray,
    dt_s: float,
) -> tuple[float, float, float]:
    f_v, f_u, f_w, grip = _loads(p, v, u, w, wheel_command, wheels_to_twist)
    hold = p.grips_sideways
    side = 0.0  # direction of the side grip while the robot slides
    if hold and u != 0.0:
        hold = False
        side = -math.copysign(1.0, u)
    elif hold:
        needed = p.m_uw * f_w / p.m_ww - f_u
        if abs(needed) > grip:
            hold = False
            side = math.copysign(1.0, needed)
    a_v, a_u, a_w = _acceleration(p, hold, f_v, f_u + side * grip, f_w)
    f_v, f_u, f_w, grip = _loads(p, v + dt_s * a_v, u + dt_s * a_u, w + dt_s * a_w, wheel_command, wheels_to_twist)
    b_v, b_u, b_w = _acceleration(p, hold, f_v, f_u + side * grip, f_w)
    v += 0.5 * dt_s * (a_v + b_v)
    u += 0.5 * dt_s * (a_u + b_u)
    w += 0.5 * dt_s * (a_w + b_w)
    if side * u > 0.0:
        # The slide ended within the step: the grip takes the side speed off with one push at the axle.
        w += p.m_uw * u / p.m_ww
        u = 0.0
    return v, u, w


@inlined
def step_wheel_trajectory(
    p: DriveParameters,
    pose: FloatArray,
    twist: FloatArray,
    wheel_speed: FloatArray,
    wheel_command: FloatArray,
    wheels_to_twist: FloatArray,
    dt_s: float,
) -> None:
    """MR-Simulator's trajectory model; its twist takes `arc_step` to the pose that the model reaches.

    The cycle (dT_c) is the time for which commands stand; wheels take their commands at once. The
    simulation step (dT_s) is dt_s / substeps. In each, both wheels move straight ahead, which makes
    the axle e = R - L longer than the wheel base a by e_a = |e| - a; then the right wheel goes back
    by f_R e_a and the left one by (1 - f_R) e_a along the axle.

    What is printed, and what is done here:

    * Direction c_t = e_y / a, s_t = -e_x / a: that is the robot's front where y points down, as on a
      screen. With y to the left of x the signs change. The robot's frame is used here.
    * c_t and s_t are set once per cycle. The wheels would go on in the old direction while the axle
      turns, and a robot could never turn by more than 90 degrees in a cycle. Here every simulation
      step takes the direction of its own axle, and the error is of order dT_s.
    * Corrections sign(e_x) e_a and sign(e_y) e_a take the whole of e_a from both axes. At 45 degrees
      that is sqrt 2 times too much; along x or y it pushes the wheels off the axle. Here e_a is
      taken along the axle, which then is a long again to rounding.
    * f_R = v_R / (v_R + v_L) has a pole where a robot spins, and beside it throws the robot away:
      wheels at -0.99 and 1 m/s give f_R = 100. With absolute values, equal where both wheels go the
      same way, the share stays within 0 and 1; a spin and a standing robot get 1/2.
    * The robot is placed by the wheels of index m, but the loop ends with index m + 1: the last step
      of every cycle would be lost. Here all steps count.

    Fixed f = 1/2 keeps the centre on the straight line ahead within a step; by speed, the wheel that
    stands still stays where it is.
    """
    v_left, v_right = wheel_command[0] * p.wheel_radius_m, wheel_command[1] * p.wheel_radius_m
    wheel_speed[0], wheel_speed[1] = wheel_command[0], wheel_command[1]
    step_s = dt_s / p.substeps
    stretch = (v_right - v_left) * step_s
    axle = math.sqrt(p.wheel_base_m * p.wheel_base_m + stretch * stretch)
    excess = stretch * stretch / (axle + p.wheel_base_m)  # axle - base, without cancellation
    right_share = p.correction
    if p.correction_by_speed:
        total = abs(v_right) + abs(v_left)
        right_share = abs(v_right) / total if total > 0.0 else 0.5
    # Every step is the same in the frame of its own start: forward, to the right, and the turn's cosine and sine.
    cos_turn, sin_turn = p.wheel_base_m / axle, stretch / axle
    # The corrected axle points to the right and, when turning left, ahead: (sin, -cos) of the turn.
    centre_shift = 0.5 * ((1.0 - right_share) - right_share) * excess
    ahead = 0.5 * (v_left + v_right) * step_s + centre_shift * sin_turn
    aside = -centre_shift * cos_turn
    x, y, cos, sin = 0.0, 0.0, 1.0, 0.0
    for _ in range(p.substeps):
        x += cos * ahead - sin * aside
        y += sin * ahead + cos * aside
        cos, sin = cos * cos_turn - sin * sin_turn, sin * cos_turn + cos * sin_turn
    # Turn `arc_step` around: the chord lies at half the turn and is shorter than the arc by sinc.
    turn = p.substeps * math.atan2(stretch, p.wheel_base_m)
    half = 0.5 * turn
    sinc = 1.0 - half * half / 6.0 if abs(half) < 1e-4 else math.sin(half) / half
    scale = 1.0 / (dt_s * sinc)
    cos, sin = math.cos(half), math.sin(half)
    twist[0] = scale * (cos * x + sin * y)
    twist[1] = scale * (cos * y - sin * x)
    twist[2] = turn / dt_s
