"""Robot outlines as the puck meets them.

Klancar section 4.3 describes the rim, the curve of ball centres around a robot, by two look-up tables over
the angle: its distance and its tangent. `rim_tables` makes them from any outline. The simulator itself works
on the outline's edges, which the tables come from, so that a contact is exact and not as coarse as a table.
"""

from __future__ import annotations

import math

import numpy as np

from robohockey_core.compiled import compiled, merged
from robohockey_core.joints import FloatArray


@merged
def outline_gap(outline, qx, qy):
    """Distance from a point outside to the nearest edge, the normal at it, and the point of the edge."""
    count = outline.shape[0]
    best, near_x, near_y = math.inf, 0.0, 0.0
    ax, ay = outline[count - 1, 0], outline[count - 1, 1]
    for k in range(count):
        bx, by = outline[k, 0], outline[k, 1]
        ex, ey = bx - ax, by - ay
        along = ((qx - ax) * ex + (qy - ay) * ey) / (ex * ex + ey * ey)
        along = min(1.0, max(0.0, along))
        px, py = ax + along * ex, ay + along * ey
        apart = (qx - px) * (qx - px) + (qy - py) * (qy - py)
        if apart < best:
            best, near_x, near_y = apart, px, py
        ax, ay = bx, by
    distance = math.sqrt(best)
    if distance == 0.0:
        return 0.0, 1.0, 0.0, near_x, near_y
    return distance, (qx - near_x) / distance, (qy - near_y) / distance, near_x, near_y


@merged
def gap_to_robot(c, outline, x, y, cos, sin, px, py):
    """Gap between puck and robot, the normal in the rink frame, and the lever from the robot's centre."""
    dx, dy = px - x, py - y
    distance, qnx, qny, qx, qy = outline_gap(outline, cos * dx + sin * dy, cos * dy - sin * dx)
    return (
        distance - c.puck_radius_m,
        cos * qnx - sin * qny,
        sin * qnx + cos * qny,
        cos * qx - sin * qy,
        sin * qx + cos * qy,
    )


@compiled
def outline_hit(outline, radius_m, x0, y0, dx, dy):
    """Share of the straight way (dx, dy) after which a disc meets the outline; infinite when it does not."""
    count = outline.shape[0]
    best = math.inf
    length_squared = dx * dx + dy * dy
    if length_squared == 0.0:
        return best
    ax, ay = outline[count - 1, 0], outline[count - 1, 1]
    for k in range(count):
        bx, by = outline[k, 0], outline[k, 1]
        ex, ey = bx - ax, by - ay
        length = math.sqrt(ex * ex + ey * ey)
        # Outlines run counter-clockwise: the outside is to the right of an edge.
        nx, ny = ey / length, -ex / length
        closing = -(dx * nx + dy * ny)
        if closing > 0.0:
            share = ((x0 - ax) * nx + (y0 - ay) * ny - radius_m) / closing
            if 0.0 <= share < best:
                foot = ((x0 + share * dx - ax) * ex + (y0 + share * dy - ay) * ey) / (length * length)
                if 0.0 <= foot <= 1.0:
                    best = share
        px, py = x0 - ax, y0 - ay
        along = px * dx + py * dy
        apart = px * px + py * py - radius_m * radius_m
        under_root = along * along - length_squared * apart
        if along < 0.0 and under_root >= 0.0:
            share = (-along - math.sqrt(under_root)) / length_squared
            if 0.0 <= share < best:
                best = share
        ax, ay = bx, by
    return best if best <= 1.0 else math.inf


def rim_tables(outline: FloatArray, puck_radius_m: float, entries: int = 360) -> tuple[FloatArray, FloatArray]:
    """Klancar's look-up tables: distance r(phi) of the rim and direction of its tangent, for phi from -pi to pi."""
    angles = np.linspace(-math.pi, math.pi, entries, endpoint=False)
    reach = float(np.hypot(outline[:, 0], outline[:, 1]).max()) + 2.0 * puck_radius_m
    distance, tangent = np.empty(entries), np.empty(entries)
    for i, angle in enumerate(angles):
        ux, uy = math.cos(angle), math.sin(angle)
        share = outline_hit(outline, puck_radius_m, reach * ux, reach * uy, -reach * ux, -reach * uy)
        distance[i] = reach * (1.0 - share)
        _, nx, ny, _, _ = outline_gap(outline, distance[i] * ux, distance[i] * uy)
        tangent[i] = math.atan2(ny, nx) + math.pi / 2.0
    return distance, tangent
