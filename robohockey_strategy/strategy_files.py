"""Strategies in files, `path/to/file.py:Class`: loading one with the modules beside it, and seeing that one was saved."""

from __future__ import annotations

import importlib.util
import inspect
import sys
from collections.abc import Mapping, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import SOURCE_SUFFIXES, FileFinder, ModuleSpec, SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

from robohockey_core.checked import InputError, did_you_mean

_SUITE = "robohockey_"

_used: dict[Path, tuple[Path, ...]] = {}
"""The modules beside a strategy's file that it had when it was loaded last."""


def is_file(name: str) -> bool:
    """Whether a strategy is named by its file."""
    return ".py:" in name


def class_in_file(name: str) -> object:
    """What `path/to/file.py:Class` names, compiled from the source as it is now. Raises InputError."""
    path_text, _, attribute = name.rpartition(":")
    path = Path(path_text)
    if not path.is_file():
        raise InputError(f"strategy {name}: there is no file {path}")
    # A name of its own: a strategy in a file called random.py must not stand in for the library's.
    module_name = f"robohockey_strategy_file_{path.stem}"
    loader = _FromSource(module_name, str(path))
    spec = importlib.util.spec_from_file_location(module_name, path, loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module
    try:
        _execute(module, loader, path)
    except (Exception, SystemExit) as error:
        raise InputError(f"strategy {name}: {path} does not load: {one_line(error)}") from error
    if not hasattr(module, attribute):
        classes = [key for key, value in vars(module).items() if inspect.isclass(value) and value.__module__ == module_name]
        raise InputError(f"strategy {name}: no class {attribute} in {path}{did_you_mean(attribute, classes)}")
    return getattr(module, attribute)


def one_line(error: BaseException) -> str:
    """An error without its traceback."""
    return f"{type(error).__name__}: {' '.join(str(error).split())}"


class SavedFiles:
    """Sees that the file of a strategy, or a module beside it that it uses, was saved. One called by name has none."""

    def __init__(self, name: str) -> None:
        self._file = Path(name.rpartition(":")[0]) if is_file(name) else None
        self._stamps_ns: dict[Path, int] = {}
        self.changed()

    def changed(self) -> bool:
        """Whether something was saved since this was asked last. A file that is being replaced has no time for a moment."""
        if self._file is None:
            return False
        changed = False
        for path in (self._file, *_used.get(self._file, ())):
            try:
                saved_ns = path.stat().st_mtime_ns
            except OSError:
                continue
            changed |= self._stamps_ns.setdefault(path, saved_ns) != saved_ns
            self._stamps_ns[path] = saved_ns
        return changed


class _FromSource(SourceFileLoader):
    """Always compiles the source: a file saved twice within a second must not come back as its first version."""

    def path_stats(self, path: str) -> Mapping[str, Any]:
        raise OSError


class _Beside(MetaPathFinder):
    """Finds the modules that lie beside a strategy's file, as Python does for a program; the library's own come first."""

    def __init__(self, folder: Path) -> None:
        self._finder = FileFinder(str(folder), (_FromSource, SOURCE_SUFFIXES))
        self.found: dict[str, Path] = {}

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if path is not None or name in sys.stdlib_module_names or name.startswith(_SUITE):
            return None
        spec = self._finder.find_spec(name)
        # A folder without code of its own is no module: a checkout has one that is called launch.
        if spec is None or spec.origin is None:
            return None
        self.found[name] = Path(spec.origin)
        return spec


def _execute(module: ModuleType, loader: SourceFileLoader, path: Path) -> None:
    """Run a strategy's file. What it imports from beside it is its own: two teams may both have a helper.py."""
    folder = path.resolve().parent
    beside = _Beside(folder)
    # The first place is the program's folder, often the current one; a folder further back serves everybody.
    helps = str(folder) not in sys.path[1:]
    if helps:
        sys.meta_path.insert(0, beside)
    try:
        loader.exec_module(module)
    finally:
        if helps:
            sys.meta_path.remove(beside)
        for name in [name for name in sys.modules if name.partition(".")[0] in beside.found]:
            sys.modules.pop(name, None)
        _used[path] = tuple(beside.found.values())
