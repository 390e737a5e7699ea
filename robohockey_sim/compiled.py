"""Compiling for the processor, once: the result is kept beside the sources, and made anew when one of them changes.

Numba's own cache looks only at the file that a function stands in. A kernel that calls functions of other files
would go on with their old code, so the cache of this room lies in a folder that is named after all its sources.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba

Function = TypeVar("Function", bound=Callable[..., Any])

_ROOM = Path(__file__).parent
_PREFIX = "compiled-"


def _cache_folder() -> str:
    """The folder for the sources as they are now; folders of older sources are removed."""
    digest = hashlib.sha256()
    for path in sorted((*_ROOM.glob("*.py"), *(_ROOM.parent / "robohockey_core").glob("*.py"))):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    parent = _ROOM / "__pycache__"
    if not os.access(_ROOM, os.W_OK):
        parent = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "robohockey"
    folder = parent / f"{_PREFIX}{digest.hexdigest()[:16]}"
    if not folder.is_dir():
        for old in parent.glob(f"{_PREFIX}*"):
            shutil.rmtree(old, ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)
    return str(folder)


_FOLDER = _cache_folder()


def is_compiled() -> bool:
    """Whether the sources as they are now have been compiled before."""
    return any(Path(_FOLDER).rglob("kernel.advance-*.nbi"))


def _compile(function: Function, **options: Any) -> Function:
    # Numba reads this setting when a function is decorated; other packages keep theirs.
    before, numba.config.CACHE_DIR = numba.config.CACHE_DIR, _FOLDER
    try:
        return numba.njit(cache=True, **options)(function)  # type: ignore[no-any-return]
    finally:
        numba.config.CACHE_DIR = before


def compiled(function: Function) -> Function:
    """Compile a function on its first call."""
    return _compile(function)


def inlined(function: Function) -> Function:
    """Compile a function into each of its callers: for small ones with many arguments."""
    return _compile(function, inline="always")


def unlocked(function: Function) -> Function:
    """Compile a function that lets other Python threads run while it works."""
    return _compile(function, nogil=True)
