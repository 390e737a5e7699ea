"""Compiling the physics before a match, so that nobody waits for it in one."""

from __future__ import annotations

import time

from robohockey_core.league import DEFAULT_LEAGUE, load_league


def compile_physics() -> None:
    """Compile what has changed since the last time, and say so: it takes a while."""
    from robohockey_core.compiled import is_compiled  # noqa: PLC0415 (importing it loads the compiler)
    from robohockey_sim.kernel import advance  # noqa: PLC0415
    from robohockey_sim.world import World  # noqa: PLC0415

    if is_compiled(advance):
        return
    print("robohockey: compiling the physics, once ...", flush=True)
    started_s = time.perf_counter()
    World(load_league(DEFAULT_LEAGUE)).step(1)
    print(f"robohockey: ready after {time.perf_counter() - started_s:.1f} s", flush=True)
