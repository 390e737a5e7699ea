"""Real nodes in real processes, for node and system tests.

Every test runs in a ROS domain of its own, reserved by a file lock, so that parallel runs on one
machine do not meet. Waiting is for a condition, never for a time.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import rclpy
from rclpy.context import Context
from rclpy.node import Node
from waiting import PATIENCE_S, wait_for

from robohockey_core.launch_plan import NODE_CLASSES, NodeSpec
from robohockey_core.ros import topics
from robohockey_core.ros.running import make_executor

GOODBYE_S = 3.0

_LAST_DOMAIN = 100


@contextlib.contextmanager
def own_domain() -> Iterator[int]:
    """Reserve a ROS domain that no other test of this machine uses."""
    for domain in range(1, _LAST_DOMAIN + 1):
        lock = (Path(tempfile.gettempdir()) / f"robohockey-test-domain-{domain}.lock").open("w")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.close()
            continue
        with lock:
            yield domain
        return
    raise RuntimeError("no free ROS domain")


def environment(domain: int) -> dict[str, str]:
    return {**os.environ, "ROS_DOMAIN_ID": str(domain), "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}


class Probe:
    """A node of the test's own that listens and speaks on the contract's topics."""

    def __init__(self, domain: int) -> None:
        os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
        self._context = Context()
        rclpy.init(context=self._context, domain_id=domain)
        self.node = Node("probe", context=self._context)
        self._executor = make_executor(self._context)
        self._executor.add_node(self.node)
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._spin, daemon=True)
        self._thread.start()

    def _spin(self) -> None:
        while not self._ending.is_set():
            self._executor.spin_once(timeout_sec=0.05)

    def hear(self, topic: topics.Topic) -> list[Any]:
        """A list that grows with every message."""
        heard: list[Any] = []
        topics.subscription(self.node, topic, heard.append)
        return heard

    def speaker(self, topic: topics.Topic) -> Any:
        """A publisher that has found at least one listener."""
        publisher = topics.publisher(self.node, topic)
        wait_for(publisher.get_subscription_count, f"a listener on {topic.name}")
        return publisher

    def call(self, contract: topics.Service, request: Any = None) -> Any:
        client = self.node.create_client(contract.type, contract.name)
        wait_for(client.service_is_ready, f"service {contract.name}")
        future = client.call_async(contract.type.Request() if request is None else request)
        wait_for(future.done, f"an answer of {contract.name}")
        return future.result()

    @property
    def context(self) -> Context:
        """For a node that lives in the test's own process."""
        return self._context

    @contextlib.contextmanager
    def spinning(self, node: Node) -> Iterator[None]:
        """Let a node of the test's own process work; it is closed and destroyed afterwards."""
        self._executor.add_node(node)
        try:
            yield
        finally:
            self._executor.remove_node(node)
            node.close()  # type: ignore[attr-defined]
            node.destroy_node()

    def close(self) -> None:
        # Fast DDS may deadlock when it is taken apart while others say goodbye: let them go first.
        # (A process that was killed says none, and stays in the graph for a while.)
        with contextlib.suppress(AssertionError):
            wait_for(lambda: self.node.get_node_names() == [self.node.get_name()], "the end of others", GOODBYE_S)
        self._ending.set()
        self._thread.join()
        self._executor.shutdown()
        self.node.destroy_node()
        rclpy.shutdown(context=self._context)


def encoded(image: Any, encoding: str) -> Any:
    """A bgr image as rgb8, or as bayer_rggb8: one colour a pixel."""
    if encoding == "rgb8":
        return image[:, :, ::-1].copy()
    assert encoding == "bayer_rggb8"
    raw = image[:, :, 1].copy()
    raw[::2, ::2], raw[1::2, 1::2] = image[::2, ::2, 2], image[1::2, 1::2, 0]
    return raw


@contextlib.contextmanager
def probe(domain: int) -> Iterator[Probe]:
    node = Probe(domain)
    try:
        yield node
    finally:
        node.close()


@contextlib.contextmanager
def running(
    executable: str, domain: int, node_name: str = "", *, namespace: str = "", exit_code: int = 0, **parameters: Any
) -> Iterator[subprocess.Popen[str]]:
    """A node in a process of its own; ended with SIGINT unless it has ended, and it must exit with the given code."""
    spec = NodeSpec(executable, node_name or executable, namespace, parameters, ())
    module = NODE_CLASSES[executable].partition(":")[0]
    command = [sys.executable, "-m", module, *spec.ros_arguments()]
    process = subprocess.Popen(command, env=environment(domain), text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        yield process
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == exit_code, output
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()
