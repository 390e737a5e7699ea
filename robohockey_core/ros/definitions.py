"""Message definitions as a recording carries them: the type's own text, and that of every type in it."""

from __future__ import annotations

import re
from typing import Any

from robohockey_core.checked import InputError
from robohockey_core.files import package_shares

_RULE = "=" * 80

_FIELD = re.compile(r"^([a-zA-Z][\w/]*)(?:\[[^\]]*\])?\s+[a-z]\w*", re.MULTILINE)


def type_name(message_class: Any) -> str:
    """`sensor_msgs/msg/JointState`."""
    return f"{message_class.__module__.partition('.')[0]}/msg/{message_class.__name__}"


def definition(message_class: Any) -> str:
    """The whole definition in the format `ros2msg` of MCAP. Raises InputError."""
    wanted = [type_name(message_class)]
    parts: list[str] = []
    for name in wanted:  # grows while it is read
        text = _text(name)
        parts.append(text if not parts else f"{_RULE}\nMSG: {name.replace('/msg/', '/')}\n{text}")
        package = name.partition("/")[0]
        inside = [_full_name(package, kind) for kind in _FIELD.findall(text)]
        wanted += [kind for kind in dict.fromkeys(inside) if kind and kind not in wanted]
    return "\n".join(parts)


def _full_name(package: str, kind: str) -> str:
    """A field's type as `package/msg/Type`; empty for a built-in one."""
    if "/" in kind:
        return kind if "/msg/" in kind else kind.replace("/", "/msg/")
    return f"{package}/msg/{kind}" if kind[0].isupper() else ""


def _text(name: str) -> str:
    package, _, inside = name.partition("/")
    for share in package_shares(package):
        path = share / f"{inside}.msg"
        if path.is_file():
            return path.read_text(encoding="utf-8")
    raise InputError(f"the definition of {name} is not installed; a recording needs share/{name}.msg")
