"""Robot outlines as the puck meets them: Klancar's look-up tables, and distance and impact against brute force."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from robohockey_sim.rim import outline_gap, outline_hit, rim_tables

RADIUS_M = 0.02
BOX = np.array([[0.05, 0.03], [-0.05, 0.03], [-0.05, -0.03], [0.05, -0.03]])
SQUARE = np.array([[0.04, 0.04], [-0.04, 0.04], [-0.04, -0.04], [0.04, -0.04]])
TRIANGLE = np.array([[0.08, 0.0], [-0.04, 0.05], [-0.04, -0.05]])
# A box whose front has a bay for the puck: 0.05 wide, 0.02 deep.
NOTCHED = np.array(
    [
        [0.05, 0.04],
        [-0.05, 0.04],
        [-0.05, -0.04],
        [0.05, -0.04],
        [0.05, -0.025],
        [0.03, -0.025],
        [0.03, 0.025],
        [0.05, 0.025],
    ]
)
OUTLINES = {"box": BOX, "triangle": TRIANGLE, "notched": NOTCHED}


def along(outline, phi_rad: float) -> tuple[float, float]:
    """The tables' entries for an angle, which must be one of theirs."""
    distance, tangent = rim_tables(outline, RADIUS_M, entries=360)
    index = round(math.degrees(phi_rad)) + 180
    assert math.radians(index - 180) == pytest.approx(phi_rad)
    return float(distance[index % 360]), math.remainder(float(tangent[index % 360]), 2.0 * math.pi)


# --- Klancar section 4.3: r(phi) and tangent(phi)


@pytest.mark.parametrize(
    ("degrees", "distance", "tangent_degrees"),
    [
        (0, 0.05 + RADIUS_M, 90),  # front: half length and radius; its tangent leads left
        (90, 0.03 + RADIUS_M, 180),
        (180, 0.05 + RADIUS_M, -90),
        (-90, 0.03 + RADIUS_M, 0),
        (10, 0.07 / math.cos(math.radians(10)), 90),  # still the front
        (60, 0.05 / math.sin(math.radians(60)), 180),  # still the left side
    ],
)
def test_rim_of_a_box_on_its_sides(degrees, distance, tangent_degrees):
    found, tangent = along(BOX, math.radians(degrees))
    assert found == pytest.approx(distance, abs=1e-12)
    assert math.cos(tangent - math.radians(tangent_degrees)) == pytest.approx(1.0, abs=1e-12)


def test_rim_of_a_square_at_its_corner_is_a_circle_about_it():
    """On the diagonal the puck's centre is a half diagonal and a radius away, and the tangent crosses the diagonal."""
    found, tangent = along(SQUARE, math.pi / 4.0)
    assert found == pytest.approx(math.sqrt(2.0) * 0.04 + RADIUS_M, abs=1e-12)
    assert tangent == pytest.approx(math.pi * 3.0 / 4.0, abs=1e-9)


def test_rim_of_a_triangle():
    tip, tip_tangent = along(TRIANGLE, 0.0)
    assert (tip, tip_tangent) == pytest.approx((0.08 + RADIUS_M, math.pi / 2.0), abs=1e-12)
    back, back_tangent = along(TRIANGLE, math.pi - math.radians(360))
    assert (back, back_tangent) == pytest.approx((0.04 + RADIUS_M, -math.pi / 2.0), abs=1e-12)
    # The left side leads from (0.08, 0) to (-0.04, 0.05); seen at 80 degrees the rim is its parallel.
    normal = np.array([0.05, 0.12]) / 0.13
    phi = math.radians(80)
    found, tangent = along(TRIANGLE, phi)
    offset = normal @ [0.08, 0.0] + RADIUS_M
    assert found == pytest.approx(offset / (normal @ [math.cos(phi), math.sin(phi)]), abs=1e-12)
    assert math.tan(tangent) == pytest.approx(0.05 / -0.12, abs=1e-9)


def test_rim_of_a_notched_front_lets_the_puck_into_the_bay():
    """A puck of 20 mm fits into the bay of 50 mm: it touches its floor, 20 mm behind the front."""
    found, tangent = along(NOTCHED, 0.0)
    assert (found, tangent) == pytest.approx((0.03 + RADIUS_M, math.pi / 2.0), abs=1e-12)
    # At 30 degrees the puck rests on the bay's outer side: 0.04 wide, met at its edge or front.
    outside, _ = along(NOTCHED, math.radians(30))
    assert outside > 0.05


def test_a_puck_wider_than_the_bay_stays_outside():
    distance, _ = rim_tables(NOTCHED, 0.03, entries=4)
    # It rests on both edges of the bay, 25 mm beside its centre.
    assert distance[2] == pytest.approx(0.05 + math.sqrt(0.03**2 - 0.025**2), abs=1e-12)


# --- against brute force


def edges(outline):
    return [(outline[k - 1], outline[k]) for k in range(len(outline))]


def is_inside(outline, point) -> bool:
    """Crossing number of a ray to the right."""
    crossings = 0
    for (ax, ay), (bx, by) in edges(outline):
        if (ay > point[1]) != (by > point[1]) and point[0] < ax + (point[1] - ay) * (bx - ax) / (by - ay):
            crossings += 1
    return crossings % 2 == 1


def sampled_distance(outline, point, samples: int = 2001) -> float:
    share = np.linspace(0.0, 1.0, samples)[:, None]
    return min(float(np.hypot(*(a + share * (b - a) - point).T).min()) for a, b in edges(outline))


# The first call compiles, which takes its time.
UNHURRIED = settings(deadline=None)

places = st.tuples(st.floats(-0.2, 0.2), st.floats(-0.2, 0.2)).map(np.array)


@pytest.mark.parametrize("outline", OUTLINES.values(), ids=OUTLINES)
@UNHURRIED
@given(place=places)
def test_outline_gap_is_the_least_distance_to_all_points_of_the_outline(outline, place):
    assume(not is_inside(outline, place))
    distance, nx, ny, near_x, near_y = outline_gap(outline, *place)
    sampled = sampled_distance(outline, place)
    assert distance <= sampled + 1e-12
    assert distance == pytest.approx(sampled, abs=5e-5)
    assert sampled_distance(outline, np.array([near_x, near_y])) < 5e-5
    if distance > 1e-6:
        assert (near_x + distance * nx, near_y + distance * ny) == pytest.approx(tuple(place), abs=1e-12)


@pytest.mark.parametrize("outline", OUTLINES.values(), ids=OUTLINES)
@UNHURRIED
@given(start=places, way=places)
def test_outline_hit_is_the_first_place_on_the_way_that_touches(outline, start, way):
    assume(not is_inside(outline, start) and outline_gap(outline, *start)[0] > RADIUS_M + 1e-9)
    assume(np.hypot(*way) > 1e-6)
    share = outline_hit(outline, RADIUS_M, *start, *way)
    walked = np.linspace(0.0, min(share, 1.0), 400)[:, None]
    gaps = np.array([outline_gap(outline, *place)[0] - RADIUS_M for place in start + walked * way])
    if share < math.inf:
        assert gaps[-1] == pytest.approx(0.0, abs=1e-9)
        gaps = gaps[:-1]
    assert gaps.min() > -1e-9


def test_a_way_that_does_not_move_meets_nothing():
    assert outline_hit(BOX, RADIUS_M, 0.2, 0.0, 0.0, 0.0) == math.inf


@pytest.mark.parametrize("gap_m", [1e-12, 0.01])
def test_a_way_along_a_side_is_not_a_hit(gap_m):
    assert outline_hit(BOX, RADIUS_M, -0.2, 0.05 + gap_m, 0.4, 0.0) == math.inf


@pytest.mark.parametrize("outline", OUTLINES.values(), ids=OUTLINES)
def test_the_rim_touches_the_outline_all_around(outline):
    distance, tangent = rim_tables(outline, RADIUS_M, entries=720)
    for phi, r in zip(np.linspace(-math.pi, math.pi, 720, endpoint=False), distance, strict=True):
        gap, *_ = outline_gap(outline, r * math.cos(phi), r * math.sin(phi))
        assert gap == pytest.approx(RADIUS_M, abs=1e-9)
    assert np.isfinite(tangent).all()
