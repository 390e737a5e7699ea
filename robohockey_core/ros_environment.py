"""Environment of the processes of a match: found on this machine only, with room for images between them."""

from __future__ import annotations

from collections.abc import Mapping

from robohockey_core.files import shared_file

_RANGE, _PROFILES = "ROS_AUTOMATIC_DISCOVERY_RANGE", "FASTDDS_DEFAULT_PROFILES_FILE"
_LOCALHOST = "LOCALHOST"


def local_environment(given: Mapping[str, str]) -> dict[str, str]:
    """What a user's environment lacks; nothing that it says is overridden."""
    missing = {_RANGE: _LOCALHOST} if _RANGE not in given else {}
    if given.get(_RANGE, _LOCALHOST) == _LOCALHOST and _PROFILES not in given:
        missing[_PROFILES] = str(shared_file("config", "fastdds_images.xml"))
    return missing
