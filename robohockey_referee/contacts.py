"""Who is near whom, compiled: 22 robots make 231 pairs, and the referee looks 50 times a second."""

from __future__ import annotations

import math
from typing import Any

from robohockey_core.compiled import compiled

X, Y, YAW, VX, VY = range(5)


@compiled
def puck_gaps(robots: Any, corners: Any, puck_x: float, puck_y: float, radius_m: float, gaps: Any) -> None:
    """How far the puck's rim is from each robot's outline; negative when it is inside."""
    for i in range(robots.shape[0]):
        cos, sin = math.cos(robots[i, YAW]), math.sin(robots[i, YAW])
        dx, dy = puck_x - robots[i, X], puck_y - robots[i, Y]
        px, py = cos * dx + sin * dy, cos * dy - sin * dx
        nearest, inside = math.inf, False
        count = corners.shape[0]
        for k in range(count):
            ax, ay = corners[k, 0], corners[k, 1]
            bx, by = corners[(k + 1) % count, 0], corners[(k + 1) % count, 1]
            ex, ey = bx - ax, by - ay
            along = min(1.0, max(0.0, ((px - ax) * ex + (py - ay) * ey) / (ex * ex + ey * ey)))
            nearest = min(nearest, math.hypot(ax + along * ex - px, ay + along * ey - py))
            if (ay > py) != (by > py) and px < ax + (py - ay) * (bx - ax) / (by - ay):
                inside = not inside
        gaps[i] = (-nearest if inside else nearest) - radius_m


@compiled
def touching_pairs(robots: Any, half_length_m: float, half_width_m: float, near_m: float, pairs: Any) -> int:
    """Fill in pairs of robots whose bodies are nearer than `near_m` along the line that parts them best; return how many."""
    found = 0
    reach_m = 2.0 * math.hypot(half_length_m, half_width_m) + near_m
    for i in range(robots.shape[0]):
        ci, si = math.cos(robots[i, YAW]), math.sin(robots[i, YAW])
        for j in range(i + 1, robots.shape[0]):
            dx, dy = robots[j, X] - robots[i, X], robots[j, Y] - robots[i, Y]
            if dx * dx + dy * dy > reach_m * reach_m:
                continue
            cj, sj = math.cos(robots[j, YAW]), math.sin(robots[j, YAW])
            cos, sin = abs(ci * cj + si * sj), abs(ci * sj - si * cj)
            # Half the other body's extent along this body's axes, and the other way round.
            along_length = half_length_m + half_length_m * cos + half_width_m * sin
            along_width = half_width_m + half_length_m * sin + half_width_m * cos
            gap_m = max(
                abs(ci * dx + si * dy) - along_length,
                abs(ci * dy - si * dx) - along_width,
                abs(cj * dx + sj * dy) - along_length,
                abs(cj * dy - sj * dx) - along_width,
            )
            if gap_m <= near_m and found < pairs.shape[0]:
                pairs[found, 0], pairs[found, 1] = i, j
                found += 1
    return found
