"""World, camera and radio together: what the physics node and the headless engine both step."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from robohockey_core.commands import WheelCommand
from robohockey_core.joints import JointSample, bodies_of, bodies_sample
from robohockey_core.league import League
from robohockey_core.names import RobotId
from robohockey_sim.virtual_control import VirtualControl
from robohockey_sim.virtual_tracking import VirtualTracking
from robohockey_sim.world import World


class SimulatedRink:
    """Wheel commands in, detections out, one control step at a time. Same seed and commands, same bits."""

    def __init__(self, league: League, owned: Iterable[str] | None = None, seed: int = 1) -> None:
        self.world = World(league, owned)
        self.robots = tuple(robot for robot in league.robots() if str(robot) in self.world.owned)
        self._tracking = VirtualTracking(league, self.world.owned, seed)
        self.control = VirtualControl(league, self.robots, seed)
        self._steps_per_tick = league.physics_steps_per_control
        self._camera_steps = round(league.timing.camera_period_s / league.timing.physics_dt_s)
        self._next_frame_step = 0

    def reset(self, *, time: bool = True, state: bool = True) -> None:
        """Back to time 0, to the face-off, or both, with the same chances again."""
        steps_done = 0 if time else self.world.steps_done
        if state:
            self.world.reset()
        self.world.steps_done = steps_done
        self._tracking.reset()
        self.control.reset()
        self._next_frame_step = steps_done

    def take_off(self, robots: Iterable[str]) -> None:
        """Take off the rink whoever a referee has sent off."""
        for robot in set(robots) - self.world.off:
            self.world.take_off(robot)

    def place(self, sample: JointSample) -> None:
        """Move the bodies that the sample names; one that is off comes back on. Raises InputError."""
        bodies = bodies_of(sample)
        back = bodies.keys() & self.world.off
        staying = {name: state for name, state in bodies.items() if name not in back}
        self.world.set_state(bodies_sample(sample.stamp_s, staying) if back else sample)
        for name in sorted(back):
            self.world.put_on(name, bodies[name])

    def advance(self, command: Callable[[RobotId, float], WheelCommand]) -> None:
        """Send every robot its command of this moment, and let one control step pass."""
        world, control = self.world, self.control
        start_s = world.time_s
        for robot in self.robots:
            control.offer(robot, command(robot, start_s), start_s)
        end = world.steps_done + self._steps_per_tick
        while world.steps_done < end:
            now_s = world.time_s
            world.command_owned([control.due(robot, now_s) for robot in self.robots])
            world.step(control.steps_until_change(now_s, end - world.steps_done))

    def detections(self, stamp_s: float) -> list[JointSample]:
        """What the camera tells of by now; it looks at its own rate, and a frame is stamped when it was taken."""
        if self.world.steps_done < self._next_frame_step:
            return self._tracking.due(stamp_s)
        self._next_frame_step = self.world.steps_done + self._camera_steps
        return self._tracking.see(self.world.detections(stamp_s), stamp_s)
