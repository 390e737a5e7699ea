"""Compiled code is kept in a folder named after its sources: a changed source never runs its old code."""

from __future__ import annotations

from pathlib import Path

import pytest

from robohockey_core import compiled
from robohockey_core.league import load_league
from robohockey_sim.kernel import advance
from robohockey_sim.world import World


@pytest.fixture
def suite(tmp_path):
    """A room with compiled code, which uses a file of its own and through it one of the core; others stand beside."""
    for path, text in {
        "robohockey_sim/kernel.py": "from robohockey_core.compiled import compiled\nfrom robohockey_sim.puck import A\n",
        "robohockey_sim/puck.py": "from robohockey_core.shapes import B\n",
        "robohockey_sim/node.py": "import robohockey_sim.kernel\n",
        "robohockey_core/shapes.py": "B = 1\n",
        "robohockey_core/names.py": "C = 1\n",
    }.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    return tmp_path


def folder_of(suite: Path) -> Path:
    return compiled.cache_folder(suite / "robohockey_sim", suite)


def test_the_folder_is_there_and_stays_the_same_while_sources_do(suite):
    folder = folder_of(suite)
    assert folder.is_dir()
    (folder / "kept").touch()
    assert folder_of(suite) == folder
    assert (folder / "kept").exists()


@pytest.mark.parametrize("source", ["robohockey_sim/kernel.py", "robohockey_sim/puck.py", "robohockey_core/shapes.py"])
def test_the_folder_changes_with_every_source_and_the_old_one_goes(suite, source):
    before = folder_of(suite)
    (suite / source).write_text((suite / source).read_text() + "D = 2\n")
    after = folder_of(suite)
    assert after != before
    assert after.is_dir()
    assert not before.exists()


def test_a_further_file_with_compiled_code_is_another_state(suite):
    before = folder_of(suite)
    (suite / "robohockey_sim/more.py").write_text("from robohockey_core.compiled import compiled\n")
    assert folder_of(suite) != before


def test_code_that_moves_from_one_file_to_the_next_is_another_state(suite):
    shapes, puck = suite / "robohockey_core/shapes.py", suite / "robohockey_sim/puck.py"
    before = folder_of(suite)
    puck.write_text(puck.read_text() + shapes.read_text())
    shapes.write_text("")
    assert folder_of(suite) != before


@pytest.mark.parametrize("other", ["robohockey_sim/node.py", "robohockey_core/names.py", "robohockey_sim/notes.txt"])
def test_what_compiled_code_does_not_use_does_not_matter(suite, other):
    before = folder_of(suite)
    (suite / other).write_text("anything")
    assert folder_of(suite) == before


def test_without_a_writable_room_the_cache_lies_elsewhere(suite, tmp_path, monkeypatch):
    monkeypatch.setattr(compiled.os, "access", lambda path, mode: False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = folder_of(suite)
    assert folder.is_dir()
    assert (tmp_path / "cache") in folder.parents


def test_other_packages_keep_their_own_numba_cache():
    import numba

    before = numba.config.CACHE_DIR

    @compiled.compiled
    def twice(x):
        return 2 * x

    assert before == numba.config.CACHE_DIR
    assert twice(21) == 42


def test_what_has_run_counts_as_compiled():
    World(load_league("micro_hockey")).step(1)
    assert compiled.is_compiled(advance)
