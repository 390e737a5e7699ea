"""All nodes of a match in one process, on one executor.

It takes the match as JSON (see `robohockey_match.match_json`) and starts what the launch plan lists.
One process saves memory and start-up time; separate processes survive each other's crashes.
"""

from __future__ import annotations

import importlib
import sys
from functools import partial
from typing import Any

from robohockey_core.checked import InputError
from robohockey_core.launch_plan import NODE_CLASSES, NodeSpec, plan
from robohockey_core.ros.running import BAD_INPUT_EXIT, run_nodes
from robohockey_match.match_json import match_from_json


def make_node(spec: NodeSpec, log_level: str) -> Any:
    """Build the node of a spec, with its own name, namespace and parameters."""
    module, _, name = NODE_CLASSES[spec.executable].partition(":")
    node_class = getattr(importlib.import_module(module), name)
    return node_class(cli_args=spec.ros_arguments(log_level), use_global_arguments=False)


def main() -> None:
    arguments = [argument for argument in sys.argv[1:] if argument.startswith(("{", "--log-level="))]
    log_level = next((a.partition("=")[2] for a in arguments if a.startswith("--log-level=")), "info")
    try:
        specs = plan(match_from_json(next(a for a in arguments if a.startswith("{"))))
    except StopIteration:
        print("robohockey: composed needs a match as JSON", file=sys.stderr)
        sys.exit(BAD_INPUT_EXIT)
    except InputError as error:
        print(f"robohockey: {error}", file=sys.stderr)
        sys.exit(BAD_INPUT_EXIT)
    sys.exit(run_nodes([partial(make_node, spec, log_level) for spec in specs], args=[]))


if __name__ == "__main__":
    main()
