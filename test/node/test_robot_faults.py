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


@pytest.fixture
def ports(tmp_path):
    plant = Plant(League(), {FIRST: 0, OTHER: 1}, puck=False)
    plant.world.step(0)
    ports = PlantPorts(plant, tmp_path)
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

    def stops_alone(self, why, within_s=WATCHDOG_S) -> None:
        """The first robot stops within the time of the plant, while the other one drives on."""
        plant, start_s = self.ports.plant, self.ports.plant.time_s
        wait_for(lambda: not self.turns(FIRST), f"a stop: {why}")
        assert plant.time_s - start_s <= within_s + 0.1, why  # and the time until somebody looked
        assert self.turns(OTHER), why


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

        ports.unplug(FIRST)
        watcher.stops_alone("cable pulled")
        wait_for(lambda: watcher.says(FIRST, "silent"), "silence in the diagnostics")
        ports.plug(FIRST)
        wait_for(watcher.both_turn, "a robot back on its cable")

        ports.silent.add(FIRST)
        watcher.stops_alone("robot silent")
        wait_for(lambda: watcher.says(FIRST, "silent"), "silence in the diagnostics")
        ports.silent.discard(FIRST)
        wait_for(watcher.both_turn, "a robot that hears again")

        ports.plant.boards[FIRST].battery_v = 6.0
        watcher.stops_alone("battery empty")
        wait_for(lambda: watcher.says(FIRST, "empty battery"), "the battery in the diagnostics")
        ports.plant.boards[FIRST].battery_v = 7.4
        wait_for(watcher.both_turn, "a robot with a new battery")
        wait_for(lambda: watcher.says(FIRST, "well"), "a robot that is well")

        # A fifth of the frames lost, each way: the next one comes long before the watchdog bites.
        ports.loss = 0.2
        until_s = ports.plant.time_s + 3.0
        wait_for(lambda: ports.plant.time_s > until_s or not watcher.both_turn(), "three seconds of bad radio")
        assert ports.plant.time_s > until_s
        loss = wait_for(lambda: 0.2 < float(status_values(watcher.status(FIRST))["loss"]) < 0.55, "the loss in the diagnostics")
        assert loss


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
        watcher.stops_alone("driver deactivated")
        wait_for(lambda: watcher.says(FIRST, "well"), "a robot that stands, and is asked how it is")
        transition(Transition.TRANSITION_ACTIVATE)
        wait_for(watcher.both_turn, "both robots drive again")
