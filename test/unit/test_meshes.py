"""Meshes are closed, face outward, and survive the way into a GLB file."""

from __future__ import annotations

import json
import math
import struct

import numpy as np
import pytest

from robohockey_viz import palette
from robohockey_viz.digits import number
from robohockey_viz.glb import glb, with_normals
from robohockey_viz.meshes import (
    Part,
    ball,
    box,
    circle,
    cylinder,
    flat,
    merged,
    ribbon,
    rounded_rectangle,
    tube,
    wall,
)

BENT_PATH = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]])


def signed_volume(mesh):
    """Positive and exact for a closed mesh whose faces look outward (divergence theorem)."""
    a, b, c = mesh.vertices[mesh.faces].transpose(1, 0, 2)
    return float(np.sum(a * np.cross(b, c)) / 6.0)


def facing_up(mesh):
    a, b, c = mesh.vertices[mesh.faces].transpose(1, 0, 2)
    return np.cross(b - a, c - a)[:, 2] / 2.0


@pytest.mark.parametrize(
    ("mesh", "volume"),
    [
        (box(2.0, 3.0, 1.0, 2.0), 6.0),
        (box(2.0, 3.0, 1.0, 2.0).laid_along_y(), 6.0),
        (box(2.0, 3.0, 1.0, 2.0).moved(5.0, -1.0, 2.0, 0.7), 6.0),
        (cylinder(1.0, 0.0, 2.0, segments=400), 2.0 * math.pi),
        (ball(1.0, segments=400), 4.0 / 3.0 * math.pi),
        (tube((1.0, 2.0, 3.0), (1.0, 4.0, 3.0), 0.5, 400), 0.5 * math.pi),
        (tube((0.0, 0.0, 2.0), (0.0, 0.0, 0.0), 0.5, 400), 0.5 * math.pi),
        (wall(BENT_PATH, 0.0, 1.0, 0.0, 0.1), 0.21),
        (merged((box(1, 1, 0, 1), box(1, 1, 0, 1).moved(3.0))), 2.0),
    ],
)
def test_solids_are_closed_and_face_outward(mesh, volume):
    assert signed_volume(mesh) == pytest.approx(volume, rel=0.01)


@pytest.mark.parametrize(
    ("mesh", "area"),
    [
        (flat(circle(1.0, 400), 0.0), math.pi),
        (flat(rounded_rectangle(2.0, 1.0, 0.0), 0.0), 2.0),
        (flat(rounded_rectangle(2.0, 1.0, 0.5, 200), 0.0), 1.0 + math.pi / 4.0),
        (ribbon(np.array([[0.0, 0.0], [3.0, 4.0]]), 0.2, 0.0), 1.0),
    ],
)
def test_markings_have_their_area_and_face_up(mesh, area):
    assert facing_up(mesh).min() >= 0.0
    assert facing_up(mesh).sum() == pytest.approx(area, rel=0.01)


@pytest.mark.parametrize("value", range(11))
def test_every_number_fits_its_height_and_is_centred(value):
    mesh = number(value, height_m=1.0, z_m=0.3)
    low, high = mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)
    assert high[1] - low[1] == pytest.approx(1.17, abs=0.02)
    assert abs(high[0] + low[0]) < 0.2
    assert np.all(mesh.vertices[:, 2] == 0.3)
    assert facing_up(mesh).min() >= 0.0


def test_numbers_differ():
    assert len({number(value, 1.0, 0.0).vertices.tobytes() for value in range(11)}) == 11


def test_edges_are_sharp_and_round_surfaces_are_smooth():
    vertices, normals, _ = with_normals(box(1.0, 1.0, 0.0, 1.0))
    assert len(vertices) == 24
    assert np.allclose(np.abs(normals).max(axis=1), 1.0)
    vertices, normals, faces = with_normals(cylinder(1.0, 0.0, 1.0, segments=40))
    assert len(vertices) == 4 * 40
    on_the_side = np.abs(normals[:, 2]) < 0.5
    assert np.allclose(normals[on_the_side][:, :2], vertices[on_the_side][:, :2], atol=0.05)
    assert faces.max() == len(vertices) - 1


def test_a_glb_file_holds_what_was_put_in():
    parts = (Part(box(2.0, 4.0, 0.0, 6.0), palette.WHITE), Part(ball(0.5), palette.TEAM["blue"], opacity=0.5))
    content = glb(parts)
    magic, version, size = struct.unpack_from("<4sII", content)
    assert (magic, version, size) == (b"glTF", 2, len(content))
    text_size, kind = struct.unpack_from("<I4s", content, 12)
    assert kind == b"JSON"
    document = json.loads(content[20 : 20 + text_size])
    binary = content[28 + text_size :]
    assert len(binary) == document["buffers"][0]["byteLength"]
    first, second = document["meshes"][0]["primitives"]
    position = document["accessors"][first["attributes"]["POSITION"]]
    assert (position["min"], position["max"]) == ([-1.0, -2.0, 0.0], [1.0, 2.0, 6.0])
    for accessor in document["accessors"]:
        view = document["bufferViews"][accessor["bufferView"]]
        assert view["byteLength"] == accessor["count"] * (12 if accessor["type"] == "VEC3" else 4)
    indices = document["bufferViews"][document["accessors"][first["indices"]]["bufferView"]]
    read = np.frombuffer(binary, "<u4", indices["byteLength"] // 4, indices["byteOffset"])
    assert read.max() == position["count"] - 1
    assert "alphaMode" not in document["materials"][first["material"]]
    assert document["materials"][second["material"]]["alphaMode"] == "BLEND"
    assert document["materials"][second["material"]]["pbrMetallicRoughness"]["baseColorFactor"][3] == 0.5
