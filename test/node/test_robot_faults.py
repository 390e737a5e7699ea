"""Cable, radio, robot and battery fail: the robot concerned stops in 0.25 s, the other drives on, and it comes back."""

from __future__ import annotations

import contextlib
import threading

import pytest
from harness import running, wait_for
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from nav_msgs.msg import Odometry
from std_srvs.srv import SetBool

from robohockey_core.commands import WheelCommand, commands_sample
from robohockey_core.league import League
from robohockey_core.names import RobotId
from robohockey_core.ros import topics
from robohockey_core.ros.conversions import joint_message, status_values
from robohockey_hw.robot_settings import WATCHDOG_S
from robohockey_match.plant import Plant
from robohockey_match.plant_ports import PlantPorts

WHEELS = ("left_wheel", "right_wheel")
FIRST, OTHER = RobotId("blue", 0), RobotId("blue", 1)
PERIOD_S = 0.02
# A spin on the spot: nobody runs into anybody.
SPIN = WheelCommand((12.0, -12.0))


class WatchedPlant(Plant):
    """Notes when motors were switched off, in its own time."""

    def __init__(self, *args, **options) -> None:
        super().__init__(*args, **options)
        self.off_s: dict[RobotId, float] = {}

    def advance(self) -> None:
        turned = {robot for robot, board in self.boards.items() if any(board.acts.duty)}
        now_s = self.time_s
        super().advance()
        self.off_s |= {robot: now_s for robot in turned if not any(self.boards[robot].acts.duty)}


@pytest.fixture(params=[False])
def ports(tmp_path, request):
    """A port for each robot; one for both, with the parameter True."""
    plant = WatchedPlant(League(), {FIRST: 0, OTHER: 1}, puck=False)
    plant.world.step(0)
    ports = PlantPorts(plant, tmp_path, shared=request.param)
    ports.start()
    yield ports
    ports.close()


@contextlib.contextmanager
def commanded(probe):
    """A strategy that goes on and on."""
    speaker = topics.publisher(probe.node, topics.WHEEL_COMMANDS.of(team="blue"))
    ending = threading.Event()

    def speak() -> None:
        while not ending.wait(PERIOD_S):
            speaker.publish(joint_message(commands_sample(0.0, WHEELS, {FIRST: SPIN, OTHER: SPIN})))

    thread = threading.Thread(target=speak, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ending.set()
        thread.join()


class Watcher:
    """Wheels by the firmware's voltages, health by the diagnostics."""

    def __init__(self, ports, probe) -> None:
        self.ports = ports
        self._diagnostics = probe.hear(topics.DIAGNOSTICS)

    def turns(self, robot) -> bool:
        return any(self.ports.plant.boards[robot].acts.duty)

    def both_turn(self) -> bool:
        return self.turns(FIRST) and self.turns(OTHER)

    def status(self, name):
        found = [s for m in self._diagnostics for s in m.status if s.name == str(name)]
        return found[-1] if found else None

    def says(self, name, words) -> bool:
        status = self.status(name)
        return status is not None and words in status.message

    def stops_alone(self, why, fault, within_s=WATCHDOG_S) -> None:
        """The first robot stops within the time after the fault, the plant's time, while the other one drives on."""
        self.stop(why, fault, [FIRST], within_s)
        assert self.turns(OTHER), why

    def stop(self, why, fault, robots, within_s=WATCHDOG_S) -> None:
        plant = self.ports.plant
        with self.ports.lock:  # the world stands still, so the fault has a time
            start_s = plant.time_s
            fault()
        for robot in robots:
            wait_for(lambda robot=robot: not self.turns(robot), f"a stop of {robot}: {why}")
            # The firmware looks once in a control period, and counts whole ms.
            assert plant.off_s[robot] - start_s <= within_s + 2.0 * plant.period_s, why


def drivers(domain, ports, stack):
    for number, (robot, path) in enumerate(ports.links.items()):
        name = f"robot_driver_{number}"
        stack.enter_context(running("robot_driver", domain, name, link=str(path), owns=[str(robot)], addresses=[number]))


def test_faults_stop_the_robot_concerned_and_it_comes_back(domain, ros_probe, ports):
    watcher = Watcher(ports, ros_probe)
    with contextlib.ExitStack() as stack:
        drivers(domain, ports, stack)
        stack.enter_context(commanded(ros_probe))
        wait_for(watcher.both_turn, "two robots that turn")

        def battery(robot, voltage_v):
            ports.plant.boards[robot].battery_v = voltage_v

        watcher.stops_alone("cable pulled", lambda: ports.unplug(FIRST))
        wait_for(lambda: watcher.says(FIRST, "silent"), "silence in the diagnostics")
        ports.plug(FIRST)
        wait_for(watcher.both_turn, "a robot back on its cable")

        watcher.stops_alone("robot silent", lambda: ports.silent.add(FIRST))
        wait_for(lambda: watcher.says(FIRST, "silent"), "silence in the diagnostics")
        ports.silent.discard(FIRST)
        wait_for(watcher.both_turn, "a robot that hears again")

        watcher.stops_alone("battery empty", lambda: battery(FIRST, 6.0), within_s=0.0)
        wait_for(lambda: watcher.says(FIRST, "empty battery"), "the battery in the diagnostics")
        battery(FIRST, 7.4)
        wait_for(watcher.both_turn, "a robot with a new battery")
        wait_for(lambda: watcher.says(FIRST, "well"), "a robot that is well")

        # A fifth of the frames lost, each way: the next one comes long before the watchdog bites.
        ports.loss = 0.2
        until_s = ports.plant.time_s + 3.0
        wait_for(lambda: ports.plant.time_s > until_s or not watcher.both_turn(), "three seconds of bad radio")
        assert ports.plant.time_s > until_s
        loss = wait_for(lambda: 0.2 < float(status_values(watcher.status(FIRST))["loss"]) < 0.55, "the loss in the diagnostics")
        assert loss


@pytest.mark.parametrize("ports", [True], indirect=True)
def test_robots_on_one_radio_stop_by_themselves_or_together(domain, ros_probe, ports):
    """As real robots usually are: one driver, one radio, answers by turns."""
    watcher = Watcher(ports, ros_probe)
    with contextlib.ExitStack() as stack:
        (link,) = {str(path) for path in ports.links.values()}
        robots = {"owns": [str(FIRST), str(OTHER)], "addresses": [0, 1], "frames": "group"}
        stack.enter_context(running("robot_driver", domain, "robot_driver_0", link=link, **robots))
        stack.enter_context(commanded(ros_probe))
        wait_for(watcher.both_turn, "two robots that turn")
        wait_for(lambda: watcher.says(FIRST, "well") and watcher.says(OTHER, "well"), "both are heard")

        watcher.stops_alone("robot silent", lambda: ports.silent.add(FIRST))
        wait_for(lambda: watcher.says(FIRST, "silent") and watcher.says(OTHER, "well"), "who is silent in the diagnostics")
        ports.silent.discard(FIRST)
        wait_for(watcher.both_turn, "a robot that hears again")

        watcher.stop("radio pulled", lambda: ports.unplug(FIRST), [FIRST, OTHER])
        wait_for(lambda: watcher.says(FIRST, "silent") and watcher.says(OTHER, "silent"), "both silent in the diagnostics")
        ports.plug(FIRST)
        wait_for(watcher.both_turn, "two robots back on their radio")
        wait_for(lambda: watcher.says(FIRST, "well") and watcher.says(OTHER, "well"), "both are heard again")


def test_emergency_stop_and_lifecycle_of_a_driver(domain, ros_probe, ports):
    watcher = Watcher(ports, ros_probe)
    odometry: list[Odometry] = ros_probe.hear(topics.ODOM.of(robot=FIRST))
    with contextlib.ExitStack() as stack:
        drivers(domain, ports, stack)
        stack.enter_context(commanded(ros_probe))
        wait_for(watcher.both_turn, "two robots that turn")
        wait_for(lambda: odometry and abs(odometry[-1].twist.twist.angular.z) > 1.0, "odometry of a robot that spins")

        def stop(on: bool):
            client = ros_probe.node.create_client(SetBool, "robot_driver_0/emergency_stop")
            wait_for(client.service_is_ready, "the emergency stop")
            answer = client.call_async(SetBool.Request(data=on))
            wait_for(answer.done, "an answer")
            assert answer.result().success

        stop(True)
        wait_for(lambda: not watcher.turns(FIRST) and not watcher.turns(OTHER), "both robots stand, also the other driver's")
        stop(False)
        wait_for(watcher.both_turn, "both robots drive again")

        def transition(number: int) -> None:
            client = ros_probe.node.create_client(ChangeState, "robot_driver_0/change_state")
            wait_for(client.service_is_ready, "the lifecycle service")
            request = ChangeState.Request()
            request.transition.id = number
            answer = client.call_async(request)
            wait_for(answer.done, "a transition")
            assert answer.result().success

        transition(Transition.TRANSITION_DEACTIVATE)
        watcher.stops_alone("driver deactivated", lambda: None)
        wait_for(lambda: watcher.says(FIRST, "well"), "a robot that stands, and is asked how it is")
        transition(Transition.TRANSITION_ACTIVATE)
        wait_for(watcher.both_turn, "both robots drive again")
