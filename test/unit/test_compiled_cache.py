"""Compiled code is kept in a folder named after its sources: a changed source never runs its old code."""

from __future__ import annotations

from pathlib import Path

import pytest

from robohockey_core.league import load_league
from robohockey_sim import compiled
from robohockey_sim.world import World


@pytest.fixture
def rooms(tmp_path, monkeypatch):
    """Two rooms with one source each, in place of the real ones."""
    sim, core = tmp_path / "robohockey_sim", tmp_path / "robohockey_core"
    for room in (sim, core):
        room.mkdir()
        (room / "source.py").write_text("A = 1\n")
    monkeypatch.setattr(compiled, "_ROOM", sim)
    return sim, core


def test_the_folder_is_there_and_stays_the_same_while_sources_do(rooms):
    folder = Path(compiled._cache_folder())
    assert folder.is_dir()
    (folder / "kept").touch()
    assert Path(compiled._cache_folder()) == folder
    assert (folder / "kept").exists()


@pytest.mark.parametrize("room", [0, 1], ids=["the room itself", "the core that it uses"])
@pytest.mark.parametrize("change", ["edit", "add", "remove"])
def test_the_folder_changes_with_every_source_and_the_old_one_goes(rooms, room, change):
    (rooms[room] / "other.py").write_text("B = 2\n")
    before = Path(compiled._cache_folder())
    if change == "edit":
        (rooms[room] / "source.py").write_text("A = 2\n")
    elif change == "add":
        (rooms[room] / "third.py").write_text("C = 3\n")
    else:
        (rooms[room] / "other.py").unlink()
    after = Path(compiled._cache_folder())
    assert after != before
    assert after.is_dir()
    assert not before.exists()


def test_code_that_moves_from_one_file_to_the_next_is_another_state(rooms):
    sim, _ = rooms
    (sim / "a.py").write_text("X = 1\n")
    (sim / "b.py").write_text("Y = 2\n")
    before = compiled._cache_folder()
    (sim / "a.py").write_text("X = 1\nY = 2\n")
    (sim / "b.py").write_text("")
    assert compiled._cache_folder() != before


def test_files_that_are_no_sources_do_not_matter(rooms):
    before = compiled._cache_folder()
    (rooms[0] / "notes.txt").write_text("anything")
    assert compiled._cache_folder() == before


def test_without_a_writable_room_the_cache_lies_elsewhere(rooms, tmp_path, monkeypatch):
    monkeypatch.setattr(compiled.os, "access", lambda path, mode: False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = Path(compiled._cache_folder())
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
    assert compiled.is_compiled()
