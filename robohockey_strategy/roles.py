"""Who plays which role: by the number of players on the rink (Minho section 7), without two robots at one puck."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import permutations

from robohockey_core.geometry import Point, distance

GOALKEEPER, FORWARD, DEFENDER, SECOND_FORWARD = "goalkeeper", "forward", "defender", "second_forward"

# "The order of behaviour is then: 1) Goal Keeper, 2) Forward, 3) Defender and 4) Second Forward." More than four: in turns.
ORDER = (GOALKEEPER, FORWARD, DEFENDER, SECOND_FORWARD)

# Another robot becomes the forward only when it is sooner at the puck by this much, so that two do not dither.
TAKE_OVER_S = 0.25
# Another one becomes the goalkeeper only when the present one is farther from our goal by this many metres per rink metre.
KEEPER_SHARE = 0.25
# Up to this many places are given out so that all ways together are shortest; beyond it, one after the other.
_MOST_PERMUTED = 5


def roles_for(players: int) -> tuple[str, ...]:
    """Roles for so many players. One alone keeps goal; from the fifth on, defenders and second forwards in turn."""
    extra = tuple(DEFENDER if place % 2 == 0 else SECOND_FORWARD for place in range(max(0, players - len(ORDER))))
    return (*ORDER, *extra)[:players]


def pick_keeper(places: Mapping[int, Point], goal: Point, rink_m: float, present: int | None) -> int:
    """The goalkeeper: the lowest number at first, then whoever has it, unless it is far away and another is near."""
    if present is None or present not in places:
        return min(places)
    gaps_m = {number: distance(place, goal) for number, place in places.items()}
    nearest = min(gaps_m, key=gaps_m.__getitem__)
    return nearest if gaps_m[present] > gaps_m[nearest] + KEEPER_SHARE * rink_m else present


def pick_forward(times_s: Mapping[int, float], present: int | None) -> int:
    """The forward: who is first at the puck; the present one has a head start."""
    return min(times_s, key=lambda number: times_s[number] - (TAKE_OVER_S if number == present else 0.0))


def share_out(numbers: Iterable[int], here: Mapping[int, Point], places: list[Point]) -> dict[int, Point]:
    """Give out places so that the ways there are short: nobody crosses another's way for nothing."""
    numbers = list(numbers)
    if len(numbers) <= _MOST_PERMUTED:
        best = min(
            permutations(places, len(numbers)),
            key=lambda given: sum(distance(here[n], place) ** 2 for n, place in zip(numbers, given, strict=True)),
        )
        return dict(zip(numbers, best, strict=True))
    given: dict[int, Point] = {}
    free = list(numbers)
    for place in places[: len(numbers)]:
        nearest = min(free, key=lambda n: distance(here[n], place))
        free.remove(nearest)
        given[nearest] = place
    return given
