"""Where the suite's shared files lie, and YAML that is read strictly."""

from __future__ import annotations

import os
import sys
from collections.abc import Hashable, Iterator
from pathlib import Path
from typing import Any

import yaml

from robohockey_core.checked import InputError

PACKAGE = "robohockey"


def share_directories() -> Iterator[Path]:
    """Places that may hold config/, launch/ and rviz/: the source tree, the environment, a ROS overlay."""
    source_tree = Path(__file__).resolve().parents[1]
    if (source_tree / "package.xml").is_file():
        yield source_tree
    yield from package_shares(PACKAGE)


def package_shares(package: str) -> Iterator[Path]:
    """The share folders of a package, in every ROS overlay and in this environment."""
    prefixes = [*os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep), sys.prefix]
    for prefix in filter(None, prefixes):
        share = Path(prefix) / "share" / package
        if share.is_dir():
            yield share


def shared_file(*parts: str) -> Path:
    """Return the first shared file of that name. Raises InputError."""
    tried = [share.joinpath(*parts) for share in share_directories()]
    for path in tried:
        if path.is_file():
            return path
    raise InputError(f"{'/'.join(parts)} is not installed; looked in {', '.join(map(str, tried)) or 'no place'}")


class _StrictLoader(yaml.SafeLoader):
    """SafeLoader that refuses a key written twice, which plain YAML readers silently overwrite."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen = set()
        for key_node, _ in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                raise yaml.MarkedYAMLError(problem="a key must be one word", problem_mark=key_node.start_mark)
            key = self.construct_object(key_node, deep=True)
            if key in seen:
                raise yaml.MarkedYAMLError(problem=f"{key} stands twice", problem_mark=key_node.start_mark)
            seen.add(key)
        return super().construct_mapping(node, deep)


def read_yaml(path: Path) -> dict[str, Any]:
    """Read a YAML table. Raises InputError in one line that names the file and the place."""
    try:
        with path.open(encoding="utf-8") as file:
            content = yaml.load(file, Loader=_StrictLoader)  # noqa: S506 (a SafeLoader)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: is not UTF-8 text ({error.reason})") from None
    except yaml.MarkedYAMLError as error:
        line = f", line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise InputError(f"{path}{line}: {error.problem}") from None
    except yaml.YAMLError as error:
        raise InputError(f"{path}: {' '.join(str(error).split())}") from None
    if content is None:
        return {}
    if not isinstance(content, dict):
        raise InputError(f"{path}: must be a table of keys, not {type(content).__name__}")
    return content
