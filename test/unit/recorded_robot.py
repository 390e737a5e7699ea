"""A recording of a robot that drives the pattern: simulated in the dynamic model, seen and heard with noise.

Either its wheels obey the commands themselves, or a firmware's PID does, which hears them as bytes and answers in bytes.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore
from serial_rink import SerialRink

from robohockey_core.commands import WheelCommand
from robohockey_core.league import League, RobotSpec
from robohockey_core.names import RobotId
from robohockey_core.noise_spec import NOISE_PRESETS
from robohockey_core.state import BodyState, Pose2D
from robohockey_match.driving_pattern import pattern
from robohockey_sim.simulated_rink import SimulatedRink

ROBOT = RobotId("blue", 0)
# A robot that is not the one of the league: the fit must find it from other guesses.
THIS_ROBOT = RobotSpec(
    motion="dynamic",
    wheel_radius_m=0.0212,
    wheel_base_m=0.0655,
    motor_stall_torque_n_m=0.034,
    motor_no_load_speed_rad_s=82.0,
    wheel_damping_n_m_s=4e-5,
    wheel_control_time_s=0.037,
    tyre_traction=0.7,
)


def true_league(noise: str = "realistic") -> League:
    return replace(League(), robot=THIS_ROBOT, noise=NOISE_PRESETS[noise])


def record(path, duration_s: float, seed: int = 1, league: League | None = None, *, through_plant: bool = False) -> None:
    """Drive the pattern and write a rosbag2 in MCAP."""
    league = league or true_league()
    store = get_typestore(Stores.ROS2_JAZZY)
    kind, header, stamp = (
        store.types[name] for name in ("sensor_msgs/msg/JointState", "std_msgs/msg/Header", "builtin_interfaces/msg/Time")
    )
    owned = [str(ROBOT)]
    rink = SerialRink(league, seed, owned) if through_plant else SimulatedRink(league, owned, seed)
    far = {b: BodyState(Pose2D(30.0 + 2.0 * i, 30.0)) for i, b in enumerate(rink.world.bodies) if b not in rink.world.owned}
    rink.world.follow(far)
    rink.world._put(str(ROBOT), BodyState(Pose2D(0.0, 0.0, 0.0)))
    names = [ROBOT.joint(wheel) for wheel in rink.world.wheel_names]

    with Writer(path, version=9, storage_plugin=StoragePlugin.MCAP) as writer:
        connections = {
            topic: writer.add_connection(topic, kind.__msgtype__, typestore=store)
            for topic in ("/blue/wheel_commands", "/joint_states", "/detections")
        }

        def write(topic, stamp_s, now_s, names, position=(), velocity=()):
            ns = round(stamp_s * 1e9)
            message = kind(
                header=header(stamp=stamp(sec=ns // 10**9, nanosec=ns % 10**9), frame_id=""),
                name=list(names),
                position=np.array(position, dtype=float),
                velocity=np.array(velocity, dtype=float),
                effort=np.empty(0),
            )
            writer.write(connections[topic], round(now_s * 1e9), store.serialize_cdr(message, kind.__msgtype__))

        start_s = 1000.0
        while rink.world.time_s < duration_s:
            now_s = start_s + rink.world.time_s
            speeds = pattern(rink.world.time_s, league.robot.max_wheel_speed_rad_s)
            write("/blue/wheel_commands", now_s, now_s, names, velocity=speeds)
            rink.advance(lambda _robot, _s, speeds=speeds: WheelCommand(speeds))
            now_s = start_s + rink.world.time_s
            told = rink.told if isinstance(rink, SerialRink) else rink.world.wheel_states()
            wheels = rink.control.heard(told) if told is not None else None
            if wheels is not None and wheels.names:
                write("/joint_states", now_s, now_s, wheels.names, wheels.position, wheels.velocity)
            for sample in rink.detections(rink.world.time_s):
                if sample.names:
                    seen_s = start_s + sample.stamp_s  # and told of after the camera's delay, not at the next control step
                    write("/detections", seen_s, seen_s + league.noise.vision_delay_s, sample.names, sample.position)
