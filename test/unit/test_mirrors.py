"""Mirror laws: reflection in limit cases and closed forms, both ways, and mirrors that cannot be."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from robohockey_core.checked import InputError
from robohockey_core.league import load_league
from robohockey_core.mirrors import CONIC, FARTHEST_M, HYPERBOLIC, MIXED, PROFILES, SPHERICAL, Mirror, load_mirror, save_mirror


def test_conic_closed_form():
    """A cone bends every ray by the same angle: theta + 2 sigma from straight down."""
    mirror = Mirror(profile=CONIC, cone_slope=0.5)
    radius = np.array([10.0, 40.0, 80.0])
    theta = np.arctan(radius / mirror.focal_px)
    leaves = theta + 2.0 * math.atan(0.5)
    t = mirror.camera_distance_m * np.tan(theta) / (1.0 - 0.5 * np.tan(theta))
    height = mirror.camera_height_m + mirror.camera_distance_m + 0.5 * t
    np.testing.assert_allclose(mirror.distance_m(radius), t + height * np.tan(leaves), rtol=1e-4)


def test_hyperbolic_mirror_has_one_viewpoint():
    """With the pinhole in the far focus, all rays seem to come from the near one: 2 c above the pinhole."""
    a, b = 0.03, 0.025
    c = math.hypot(a, b)
    mirror = Mirror(profile=HYPERBOLIC, hyperbola_a_m=a, hyperbola_b_m=b, camera_distance_m=a + c, rim_radius_m=0.05)
    t, z, drop = mirror.ray(np.linspace(5.0, mirror.rim_radius_px - 1.0, 20))
    np.testing.assert_allclose(z + t * drop, mirror.camera_height_m + 2.0 * c, atol=1e-5)


def test_sphere_of_great_radius_is_flat():
    """A flat mirror sends the ray back down at the angle it came: the camera sees as if it stood above the mirror."""
    mirror = Mirror(profile=SPHERICAL, sphere_radius_m=1e4)
    radius = np.array([20.0, 60.0])
    up_and_down_m = mirror.camera_distance_m * 2.0 + mirror.camera_height_m
    np.testing.assert_allclose(mirror.distance_m(radius), up_and_down_m * radius / mirror.focal_px, rtol=1e-3)


def test_mixed_is_the_hyperbola_and_then_its_tangent():
    mixed = Mirror(profile=MIXED)
    t = np.array([0.2, 0.999999, 1.000001, 2.0]) * mixed.blend_radius_m
    rise, slope = mixed.rise_m(t)
    curved, curved_slope = replace(mixed, profile=HYPERBOLIC).rise_m(t)
    np.testing.assert_allclose(rise[:2], curved[:2])
    assert slope[1] == pytest.approx(slope[2], rel=1e-4)
    assert rise[3] == pytest.approx(rise[1] + slope[1] * (t[3] - t[1]))
    # The paper's reason for it: far things are not so small.
    far = np.array([4.0, 5.0])
    assert np.ptp(mixed.radius_px(far)) > 1.5 * np.ptp(replace(mixed, profile=HYPERBOLIC).radius_px(far))
    assert curved_slope[3] > slope[3]


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("height_m", [0.0, 0.11, 0.35])
def test_both_ways(profile, height_m):
    mirror = Mirror(profile=profile)
    radius = np.linspace(0.15, 0.85, 40) * mirror.rim_radius_px
    distance = mirror.distance_m(radius, height_m)
    seen = (distance < 30.0) & (distance > 0.0)
    assert seen.sum() > 5
    np.testing.assert_allclose(mirror.radius_px(distance[seen], height_m), radius[seen], atol=0.02)
    assert (np.diff(distance[seen]) > 0.0).all()


def test_above_the_horizon_there_is_no_floor():
    mirror = Mirror(profile=SPHERICAL)
    assert mirror.distance_m(np.array([mirror.rim_radius_px]))[0] == FARTHEST_M


def test_mirrors_that_cannot_be():
    with pytest.raises(InputError, match="must be below sphere_radius_m"):
        Mirror(profile=SPHERICAL, sphere_radius_m=0.05)
    with pytest.raises(InputError, match="folds its image"):
        Mirror(profile=SPHERICAL, sphere_radius_m=0.08, rim_radius_m=0.0799, camera_distance_m=0.01)


def test_files(tmp_path):
    league = load_league("msl_omni")
    mirror = Mirror(profile=CONIC, focal_px=321.0)
    save_mirror(mirror, tmp_path / "mirror.yaml")
    assert load_mirror(str(tmp_path / "mirror.yaml"), league) == mirror
    (tmp_path / "wrong.yaml").write_text("profile: parabolic\n")
    with pytest.raises(InputError, match="must be one of spherical, conic, hyperbolic, mixed"):
        load_mirror(str(tmp_path / "wrong.yaml"), league)
