"""Compiling what a match uses, once, so that the first match starts as fast as the next."""

from __future__ import annotations

import time

from robohockey_core.league import DEFAULT_LEAGUE, load_league

# Long enough for every part to have had its turn.
_PLAYED_S = 4.0


def compile_physics() -> None:
    """Compile what has changed since the last time, and say so: it takes a while."""
    # Importing these loads the compiler.
    from robohockey_core import joint_filter  # noqa: PLC0415
    from robohockey_core.compiled import is_compiled  # noqa: PLC0415
    from robohockey_core.names import BLUE, RED  # noqa: PLC0415
    from robohockey_match.engine import Engine, OpenPlay  # noqa: PLC0415
    from robohockey_sim import kernel  # noqa: PLC0415
    from robohockey_strategy import field_sums, reckoning, steering  # noqa: PLC0415
    from robohockey_strategy.team import load_strategy  # noqa: PLC0415

    needed = (kernel.advance, joint_filter.estimate, steering.steer, reckoning.meet, field_sums.lowest)
    if all(is_compiled(function) for function in needed):
        return
    print("robohockey: compiling physics, tracker and strategies, once ...", flush=True)
    started_s = time.perf_counter()
    teams = {BLUE: load_strategy("roles"), RED: load_strategy("potential_field")}
    for _ in Engine(load_league(DEFAULT_LEAGUE), teams, referee=OpenPlay()).ticks(_PLAYED_S):
        pass
    print(f"robohockey: ready after {time.perf_counter() - started_s:.1f} s", flush=True)
