"""The boards, as the puck's centre meets them: straight walls, rounded corners, posts and nets.

Everything is mirrored into the quadrant that the puck moves to, so each kind of surface is written once.
"""

from __future__ import annotations

import math

from robohockey_core.compiled import compiled

_TOUCHING_M = 1e-9


@compiled
def nearest_inside(c, x, y, margin_m):
    """The point within the rounded rink, `margin_m` from its boards, that is nearest to (x, y)."""
    half_length, half_width = c.half_length_m - margin_m, c.half_width_m - margin_m
    near_x = min(half_length, max(-half_length, x))
    near_y = min(half_width, max(-half_width, y))
    radius = max(0.0, c.corner_radius_m - margin_m)
    over_x = abs(near_x) - (half_length - radius)
    over_y = abs(near_y) - (half_width - radius)
    if over_x > 0.0 and over_y > 0.0:
        # In the square of a corner the boards are an arc: measure from the arc's centre.
        center_x = math.copysign(half_length - radius, x)
        center_y = math.copysign(half_width - radius, y)
        distance = math.hypot(x - center_x, y - center_y)
        if distance > radius:
            return center_x + (x - center_x) * radius / distance, center_y + (y - center_y) * radius / distance
    return near_x, near_y


@compiled
def puck_gap(c, x, y):
    """Distance from the puck's rim to the nearest board, post or net, and the normal that leads away from it.

    Negative when the puck is in it. Far from every board the distance is a lower bound.
    """
    r = c.puck_radius_m
    side_x, side_y = math.copysign(1.0, x), math.copysign(1.0, y)
    ax, ay = abs(x), abs(y)
    if ay < c.half_goal_m and ax > c.half_length_m - r:
        if ax <= c.half_length_m:
            dx, dy = ax - c.half_length_m, ay - c.half_goal_m
            distance = math.hypot(dx, dy)
            if distance > 0.0:
                return distance - r, side_x * dx / distance, side_y * dy / distance
            return -r, -side_x, 0.0
        to_side, to_back = c.half_goal_m - ay - r, c.half_length_m + c.goal_depth_m - ax - r
        if to_side < to_back:
            return to_side, 0.0, -side_y
        return to_back, -side_x, 0.0
    radius = max(c.corner_radius_m, r)
    over_x, over_y = ax - (c.half_length_m - radius), ay - (c.half_width_m - radius)
    if over_x > 0.0 and over_y > 0.0:
        distance = math.hypot(over_x, over_y)
        return radius - distance - r, -side_x * over_x / distance, -side_y * over_y / distance
    to_side, to_end = c.half_width_m - ay - r, c.half_length_m - ax - r
    if to_side < to_end:
        return to_side, 0.0, -side_y
    return to_end, -side_x, 0.0


@compiled
def puck_hit(c, x, y, ux, uy, reach_m):
    """Path length to the first board on a straight way of `reach_m` along (ux, uy), and the board's normal.

    Infinite when there is none. A board that is touched already counts only when the way leads into it.
    """
    r = c.puck_radius_m
    sx, sy = (1.0 if ux >= 0.0 else -1.0), (1.0 if uy >= 0.0 else -1.0)
    mx, my, dx, dy = sx * x, sy * y, abs(ux), abs(uy)
    best, nx, ny = math.inf, 0.0, 0.0
    end_x, end_y = mx + dx * reach_m, my + dy * reach_m
    radius = max(c.corner_radius_m, r)
    straight_x, straight_y = c.half_length_m - radius, c.half_width_m - radius
    arc = radius - r

    if dy > 0.0 and end_y > c.half_width_m - r:
        s = (c.half_width_m - r - my) / dy
        at_x = mx + dx * s
        if s > -_TOUCHING_M and abs(at_x) <= straight_x and s < best:
            best, nx, ny = s, 0.0, -1.0
    if dx > 0.0 and end_x > c.half_length_m - r:
        s = (c.half_length_m - r - mx) / dx
        at_y = my + dy * s
        if s > -_TOUCHING_M and c.half_goal_m <= abs(at_y) <= straight_y and s < best:
            best, nx, ny = s, -1.0, 0.0
        best, nx, ny = _goal_hit(c, mx, my, dx, dy, best, nx, ny)
    # A way can end in the corner that it leads to, and graze the two beside it.
    if end_x > straight_x and end_y > straight_y:
        best, nx, ny = _arc_hit(mx - straight_x, my - straight_y, dx, dy, arc, 1.0, 1.0, best, nx, ny)
    if end_x > straight_x and my < -straight_y:
        best, nx, ny = _arc_hit(mx - straight_x, my + straight_y, dx, dy, arc, 1.0, -1.0, best, nx, ny)
    if end_y > straight_y and mx < -straight_x:
        best, nx, ny = _arc_hit(mx + straight_x, my - straight_y, dx, dy, arc, -1.0, 1.0, best, nx, ny)
    if best > reach_m:
        return math.inf, 0.0, 0.0
    return max(0.0, best), sx * nx, sy * ny


@compiled
def _arc_hit(px, py, dx, dy, radius, side_x, side_y, best, nx, ny):
    """Leaving a circle from inside, within the quadrant that the corner occupies."""
    along = px * dx + py * dy
    inside = radius * radius - (px * px + py * py)
    under_root = along * along + inside
    if under_root < 0.0:
        return best, nx, ny
    s = -along + math.sqrt(under_root)
    hit_x, hit_y = px + dx * s, py + dy * s
    if s < -_TOUCHING_M or s >= best or side_x * hit_x < 0.0 or side_y * hit_y < 0.0:
        return best, nx, ny
    if radius <= _TOUCHING_M:
        # A square corner has two walls, which are met as walls.
        return s, (-side_x if dx > dy else 0.0), (0.0 if dx > dy else -side_y)
    return s, -hit_x / radius, -hit_y / radius


@compiled
def _goal_hit(c, mx, my, dx, dy, best, nx, ny):
    """Posts, side nets and back net of the goal that the way leads to."""
    r = c.puck_radius_m
    for side in (-1.0, 1.0):
        px, py = mx - c.half_length_m, my - side * c.half_goal_m
        along = px * dx + py * dy
        apart = px * px + py * py - r * r
        if along < 0.0 and along * along >= apart:
            s = -along - math.sqrt(along * along - apart)
            hit_x, hit_y = px + dx * s, py + dy * s
            # Only the quarter of a post that faces the ice and the opening can be met.
            if -_TOUCHING_M < s < best and hit_x <= 0.0 and side * hit_y <= 0.0:
                best, nx, ny = s, hit_x / r, hit_y / r
    half_mouth = c.half_goal_m - r
    if dy > 0.0:
        s = (half_mouth - my) / dy
        if -_TOUCHING_M < s < best and mx + dx * s >= c.half_length_m:
            best, nx, ny = s, 0.0, -1.0
    s = (c.half_length_m + c.goal_depth_m - r - mx) / dx
    if -_TOUCHING_M < s < best and abs(my + dy * s) <= half_mouth + _TOUCHING_M:
        best, nx, ny = s, -1.0, 0.0
    return best, nx, ny
