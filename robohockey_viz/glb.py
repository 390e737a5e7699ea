"""Meshes as one binary glTF 2.0 file, the format that browsers load: one node, one material a part.

https://registry.khronos.org/glTF/specs/2.0/glTF-2.0.html (section 4.4 is the GLB container).
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Iterable
from typing import Any

import numpy as np

from robohockey_viz.meshes import FloatArray, IntArray, Mesh, Part
from robohockey_viz.palette import Color

CREASE_RAD = math.radians(40.0)
"""Faces that meet at a smaller angle are shaded as one round surface."""

_FLOAT, _UNSIGNED_INT = 5126, 5125
_MAGIC, _VERSION = b"glTF", 2
_JSON, _BINARY = b"JSON", b"BIN\0"


def glb(parts: Iterable[Part]) -> bytes:
    """Write the parts as a GLB file."""
    content: dict[str, list[Any]] = {key: [] for key in ("bufferViews", "accessors", "materials", "primitives")}
    binary = bytearray()
    for part in parts:
        vertices, normals, faces = with_normals(part.mesh)
        indices = faces.reshape(-1).astype("<u4")
        attributes = {
            "POSITION": _append(content, binary, vertices.astype("<f4"), _FLOAT, "VEC3"),
            "NORMAL": _append(content, binary, normals.astype("<f4"), _FLOAT, "VEC3"),
        }
        primitive = {"attributes": attributes, "indices": _append(content, binary, indices, _UNSIGNED_INT, "SCALAR")}
        content["primitives"].append({**primitive, "material": len(content["materials"])})
        content["materials"].append(_material(part))
    document = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": content["primitives"]}],
        "materials": content["materials"],
        "accessors": content["accessors"],
        "bufferViews": content["bufferViews"],
        "buffers": [{"byteLength": len(binary)}],
    }
    text = json.dumps(document, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<I4s", len(text), _JSON) + text + struct.pack("<I4s", len(binary), _BINARY) + bytes(binary)
    return struct.pack("<4sII", _MAGIC, _VERSION, 12 + len(chunks)) + chunks


def with_normals(mesh: Mesh) -> tuple[FloatArray, FloatArray, IntArray]:
    """Vertices, normals and faces: vertices on round surfaces are shared, those on edges stand once a side."""
    corners = mesh.vertices[mesh.faces].reshape(-1, 3)
    a, b, c = corners.reshape(-1, 3, 3).transpose(1, 0, 2)
    weighted = np.repeat(np.cross(b - a, c - a), 3, axis=0)
    length = np.linalg.norm(weighted, axis=1, keepdims=True)
    unit = weighted / np.where(length > 0.0, length, 1.0)
    places = np.unique(np.round(corners, 7), axis=0, return_inverse=True)[1].reshape(-1)
    order = np.argsort(places, kind="stable")
    normals = np.empty_like(corners)
    for group in np.split(order, np.flatnonzero(np.diff(places[order])) + 1):
        smooth = unit[group] @ unit[group].T > math.cos(CREASE_RAD)
        normals[group] = smooth @ weighted[group]
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), np.finfo(float).tiny)
    keys = np.column_stack((places, np.round(normals, 5)))
    _, first, index = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    return corners[first], normals[first], index.reshape(-1, 3)


def _append(content: dict[str, list[Any]], binary: bytearray, values: Any, component: int, kind: str) -> int:
    """Add an array to the file and return its accessor's number."""
    view = {"buffer": 0, "byteOffset": len(binary), "byteLength": values.nbytes}
    accessor: dict[str, Any] = {"bufferView": len(content["bufferViews"]), "componentType": component, "type": kind}
    accessor["count"] = len(values)
    if values.ndim == 2:
        accessor |= {"min": values.min(axis=0).tolist(), "max": values.max(axis=0).tolist()}
    binary += values.tobytes()
    content["bufferViews"].append(view)
    content["accessors"].append(accessor)
    return len(content["accessors"]) - 1


def _material(part: Part) -> dict[str, Any]:
    surface = {
        "baseColorFactor": [*_linear(part.color), part.opacity],
        "metallicFactor": 0.0,
        "roughnessFactor": part.roughness,
    }
    see_through = {"alphaMode": "BLEND"} if part.opacity < 1.0 else {}
    shine = {"emissiveFactor": [part.glow * channel for channel in _linear(part.color)]} if part.glow > 0.0 else {}
    return {"pbrMetallicRoughness": surface, "doubleSided": part.opacity < 1.0, **see_through, **shine}


def _linear(color: Color) -> list[float]:
    """GlTF counts light linearly, colour pickers by the sRGB curve (IEC 61966-2-1)."""
    return [u / 12.92 if u <= 0.04045 else ((u + 0.055) / 1.055) ** 2.4 for u in color.unit]
