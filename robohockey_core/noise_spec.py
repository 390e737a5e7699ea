"""How far simulated cameras and radio are from perfect, and presets of it.

Only the numbers stand here, since a league names them; what they do to detections and commands is the simulator's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from robohockey_core.checked import build, limited


@dataclass(frozen=True)
class NoiseSpec:
    """How far the simulated camera and radio are from perfect (MR section 5). A preset gives the numbers that are not given."""

    preset: str = limited("none", "numbers to start from", choices=("none", "friendly", "realistic"))
    robot_sigma_m: float = limited(0.0, "standard deviation of a robot's seen x and y", low=0.0, high=0.5)
    robot_sigma_rad: float = limited(0.0, "standard deviation of a robot's seen heading", low=0.0, high=3.0)
    puck_sigma_m: float = limited(0.0, "standard deviation of the puck's seen x and y", low=0.0, high=0.5)
    position_bias_m: float = limited(0.0, "longest offset of all that the camera sees, constant in a run", low=0.0, high=0.5)
    vision_delay_s: float = limited(0.0, "from a sight to the detection that tells of it", low=0.0, high=2.0)
    frame_loss: float = limited(0.0, "chance that a camera frame is lost", low=0.0, high=1.0)
    robot_loss: float = limited(0.0, "chance that a robot is missed in a frame", low=0.0, high=1.0)
    puck_loss: float = limited(0.0, "chance that the puck is missed in a frame", low=0.0, high=1.0)
    occlusion_loss: float = limited(0.0, "chance that a puck close to a robot is hidden in a frame", low=0.0, high=1.0)
    occlusion_m: float = limited(0.005, "gap between puck and robot below which the puck is close to it", low=0.0, high=2.0)
    command_delay_s: float = limited(0.0, "from sending a command to the robot that obeys it", low=0.0, high=2.0)
    command_loss: float = limited(0.0, "chance that a command does not reach its robot", low=0.0, high=1.0)
    reply_loss: float = limited(0.0, "chance that a robot's measured wheels are not heard", low=0.0, high=1.0)
    wheel_locks_per_s: float = limited(0.0, "how often a free wheel locks", low=0.0, high=100.0)
    wheel_lock_s: float = limited(0.2, "how long a locked wheel stands", above=0.0, high=60.0)


# What users of the ER-Force simulator play under the same names; how often a near puck is hidden is our own estimate.
_FRIENDLY = {
    "robot_sigma_m": 0.0003,
    "robot_sigma_rad": 0.003,
    "puck_sigma_m": 0.0004,
    "position_bias_m": 0.02,
    "vision_delay_s": 0.035,
    "robot_loss": 0.02,
    "puck_loss": 0.05,
    "command_loss": 0.01,
    "reply_loss": 0.01,
}
_REALISTIC = {
    "robot_sigma_m": 0.0013,
    "robot_sigma_rad": 0.01,
    "puck_sigma_m": 0.0014,
    "occlusion_loss": 0.3,
    "command_delay_s": 0.003,
    "command_loss": 0.03,
    "reply_loss": 0.1,
}
NOISE_PRESETS: Mapping[str, NoiseSpec] = {
    "none": NoiseSpec(),
    "friendly": build(NoiseSpec, {"preset": "friendly", **_FRIENDLY}, "friendly"),
    "realistic": build(NoiseSpec, {"preset": "realistic", **_FRIENDLY, **_REALISTIC}, "realistic"),
}
