"""Fields that know their limits: every refusal says where, what, and what is allowed, in one line."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pytest

from robohockey_core.checked import InputError, build, did_you_mean, limited, to_plain


@dataclass(frozen=True)
class Wheel:
    radius_m: float = limited(0.02, "radius", above=0.0, high=1.0)
    angles_rad: tuple[float, ...] = limited((0.0, 1.0), "angles", low=-7.0, high=7.0)


@dataclass(frozen=True)
class Robot:
    name: str = limited("robot", "name")
    drive: str = limited("omni", "drive", choices=("omni", "differential"))
    legs: int = limited(2, "legs", low=0, high=8)
    alive: bool = limited(True, "alive")
    wheel: Wheel = Wheel()


def test_values_are_laid_over_the_base():
    base = Robot(legs=4, wheel=Wheel(radius_m=0.5))
    made = build(Robot, {"name": "r2", "wheel": {"angles_rad": [1, 2]}}, "here:", base=base)
    assert made == Robot(name="r2", legs=4, wheel=Wheel(0.5, (1.0, 2.0)))


def test_whole_numbers_pass_as_numbers_and_the_other_way_round():
    made = build(Robot, {"legs": 6.0, "wheel": {"radius_m": 1}}, "here:")
    assert made.legs == 6 and isinstance(made.legs, int)
    assert made.wheel.radius_m == 1.0 and isinstance(made.wheel.radius_m, float)


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"wheel": {"radius_m": 0.0}}, "here: wheel.radius_m = 0.0: must be above 0"),
        ({"wheel": {"radius_m": 1.5}}, "here: wheel.radius_m = 1.5: must be at most 1"),
        ({"wheel": {"radius_m": math.nan}}, "here: wheel.radius_m = nan: must be finite"),
        ({"wheel": {"radius_m": -math.inf}}, "here: wheel.radius_m = -inf: must be finite"),
        ({"wheel": {"radius_m": "big"}}, "here: wheel.radius_m = 'big': must be a number"),
        ({"wheel": {"radius_m": True}}, "here: wheel.radius_m = True: must be a number"),
        ({"wheel": {"radius_m": None}}, "here: wheel.radius_m = None: must be a number"),
        ({"wheel": {"radius_m": 10**400}}, "here: wheel.radius_m = 100000000000...: must be below 2e+308"),
        ({"wheel": {"angles_rad": 1.0}}, "here: wheel.angles_rad = 1.0: must be a list"),
        ({"wheel": {"angles_rad": [0, "x"]}}, "here: wheel.angles_rad[1] = 'x': must be a number"),
        ({"wheel": {"angles_rad": [0, 8]}}, "here: wheel.angles_rad = [0, 8]: must be at most 7"),
        ({"wheel": {"angles_rad": [math.nan]}}, "here: wheel.angles_rad = [nan]: must be finite"),
        ({"wheel": 3}, "here: wheel = 3: must be a table of keys"),
        ({"wheel": {"radus_m": 1}}, "here: wheel.radus_m: unknown key; did you mean radius_m?"),
        ({"qqq": 1}, "here: qqq: unknown key; allowed: alive, drive, legs, name, wheel"),
        ({1: 1}, "here: 1: unknown key; allowed: alive, drive, legs, name, wheel"),
        ({"legs": 2.5}, "here: legs = 2.5: must be a whole number"),
        ({"legs": -1}, "here: legs = -1: must be at least 0"),
        ({"legs": 9}, "here: legs = 9: must be at most 8"),
        ({"legs": math.nan}, "here: legs = nan: must be a whole number"),
        ({"alive": 1}, "here: alive = 1: must be true or false"),
        ({"name": 7}, "here: name = 7: must be text"),
        ({"drive": "tracks"}, "here: drive = 'tracks': must be one of omni, differential"),
    ],
)
def test_refusals(values, told):
    with pytest.raises(InputError) as error:
        build(Robot, values, "here:")
    assert str(error.value) == told


def test_plain_and_back():
    robot = Robot(name="x", wheel=Wheel(0.3, (1.0,)))
    plain = to_plain(robot)
    assert plain["wheel"] == {"radius_m": 0.3, "angles_rad": [1.0]}
    assert build(Robot, plain, "here:") == robot


def test_did_you_mean_names_the_nearest_or_all():
    assert did_you_mean("chasr", ["chaser", "idle"]) == "; did you mean chaser?"
    assert did_you_mean("zzz", ["chaser", "idle"]) == "; allowed: chaser, idle"
