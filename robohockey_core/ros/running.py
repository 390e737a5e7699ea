"""How a node process lives and ends: executor, signals, exit codes."""

from __future__ import annotations

import gc
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from types import FrameType

import rclpy
from rclpy.context import Context
from rclpy.executors import Executor, ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from robohockey_core.checked import InputError
from robohockey_core.ros.last_resort import exit_after

BAD_INPUT_EXIT = 2
TAKE_APART_PATIENCE_S = 2


def make_executor(context: Context | None = None) -> Executor:
    """The events executor where this rclpy has one: it costs 2.5 times less CPU."""
    try:
        from rclpy.experimental import EventsExecutor
    except ImportError:
        return SingleThreadedExecutor(context=context)
    return EventsExecutor(context=context)


def run_node(make: Callable[[], Node]) -> None:
    """Run one node until SIGINT or SIGTERM; exit 0, or 2 with one line for a user's mistake."""
    sys.exit(run_nodes([make]))


def run_nodes(makers: Sequence[Callable[[], Node]], args: Sequence[str] | None = None) -> int:
    """Run nodes on one executor until SIGINT or SIGTERM; return the exit code."""
    signal.signal(signal.SIGTERM, _end_now)
    signal.signal(signal.SIGINT, _end_now)
    nodes: list[Node] = []
    code = 1
    try:
        rclpy.init(args=list(args) if args is not None else None, signal_handler_options=SignalHandlerOptions.NO)
        # One by one: what was made before a failure is taken apart below.
        for make in makers:
            nodes.append(make())
        # What was built stays: never look through it again for garbage, which would hold up a step of the match.
        gc.collect()
        gc.freeze()
        _spin_until_signalled(nodes)
        code = 0
    except KeyboardInterrupt:
        code = 0
    except InputError as error:
        print(f"robohockey: {error}", file=sys.stderr)
        code = BAD_INPUT_EXIT
    finally:
        _take_apart(nodes, code)
    return code


def _take_apart(nodes: Sequence[Node], code: int) -> None:
    """Let nodes finish what matters first, such as stopping motors; then leave ROS, whatever that takes."""
    for node in nodes:
        close = getattr(node, "close", None)
        if close is not None:
            close()
    sys.stdout.flush()
    sys.stderr.flush()
    exit_after(TAKE_APART_PATIENCE_S, code)
    for node in nodes:
        node.destroy_node()
    rclpy.try_shutdown()


def _end_now(_signal: int, _frame: FrameType | None) -> None:
    """While nodes are made: stop at once, whatever they wait for or compile."""
    raise KeyboardInterrupt


def _spin_until_signalled(nodes: Sequence[Node]) -> None:
    executor = make_executor()
    for node in nodes:
        executor.add_node(node)
    asked_to_end = threading.Event()

    def end(_signal: int, _frame: FrameType | None) -> None:
        asked_to_end.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)
    try:
        while not asked_to_end.is_set():
            # A finite wait lets Python run the signal handler between two rounds.
            executor.spin_once(timeout_sec=0.1)
    except ExternalShutdownException:
        pass
