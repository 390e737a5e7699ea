"""Compiling for the processor, once: the result is kept beside the sources, and made anew when one of them changes.

Numba's own cache looks only at the file that a function stands in. A kernel that calls functions of other files
would go on with their old code, so the cache of a folder lies in a folder that is named after all the sources its
compiled functions are made from: the files that import this one, and what they import of the suite.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba

Function = TypeVar("Function", bound=Callable[..., Any])

_SUITE = Path(__file__).resolve().parents[1]
_PREFIX = "compiled-"
# Division by zero gives infinity, as in numpy, and needs no look before every division; nobody calls through C pointers.
_OPTIONS = {"error_model": "numpy", "no_cfunc_wrapper": True}
_IMPORT = re.compile(r"^\s*(?:from|import)\s+(robohockey_\w+(?:\.\w+)*)", re.MULTILINE)


def _sources(suite: Path, paths: Iterable[Path]) -> list[Path]:
    """These files and every file of the suite that they import, also through others."""
    found: set[Path] = set()
    todo = list(paths)
    while todo:
        path = todo.pop()
        if path in found:
            continue
        found.add(path)
        for name in _IMPORT.findall(path.read_text(encoding="utf-8")):
            imported = suite.joinpath(*name.split(".")).with_suffix(".py")
            if imported.is_file():
                todo.append(imported)
    return sorted(found)


def cache_folder(folder: Path, suite: Path = _SUITE) -> Path:
    """Where compiled code of a folder lies, for the sources as they are now; that of older sources is removed."""
    mark = f"{Path(__file__).parent.name}.{Path(__file__).stem}"
    users = [path for path in folder.glob("*.py") if mark in path.read_text(encoding="utf-8")]
    digest = hashlib.sha256()
    for path in _sources(suite, users):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    parent = folder / "__pycache__"
    if not os.access(folder, os.W_OK):
        parent = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "robohockey" / folder.name
    kept = parent / f"{_PREFIX}{digest.hexdigest()[:16]}"
    if not kept.is_dir():
        for old in parent.glob(f"{_PREFIX}*"):
            shutil.rmtree(old, ignore_errors=True)
        kept.mkdir(parents=True, exist_ok=True)
    return kept


_cache_folder_now = cache(cache_folder)


def is_compiled(function: Callable[..., Any]) -> bool:
    """Whether a compiled function's sources, as they are now, have been compiled before."""
    path = Path(function.__code__.co_filename)
    return any(_cache_folder_now(path.parent).rglob(f"{path.stem}.{function.__name__}-*.nbi"))


def _compile(function: Function, **options: Any) -> Function:
    folder = _cache_folder_now(Path(function.__code__.co_filename).parent)
    # Numba reads this setting when a function is decorated; other packages keep theirs.
    before, numba.config.CACHE_DIR = numba.config.CACHE_DIR, str(folder)
    try:
        return numba.njit(cache=True, **_OPTIONS, **options)(function)  # type: ignore[no-any-return]
    finally:
        numba.config.CACHE_DIR = before


def compiled(function: Function) -> Function:
    """Compile a function on its first call."""
    return _compile(function)


def inlined(function: Function) -> Function:
    """Compile a function into each of its callers: for small ones with many arguments."""
    return _compile(function, inline="always")


def merged(function: Function) -> Function:
    """Compile a function into its caller's machine code: for parts of a hot path that stand apart for the reader only."""
    return _compile(function, forceinline=True)


def unlocked(function: Function) -> Function:
    """Compile a function that lets other Python threads run while it works."""
    return _compile(function, nogil=True)
