"""The boards, as the puck's centre meets them: straight walls, rounded corners, posts and nets.

Everything is mirrored into the quadrant that the puck moves to, so each kind of surface is written once. Goals are
openings in the end boards; or, where the rink has room behind them, nets that stand free and have two sides.
"""

from __future__ import annotations

import math

from robohockey_core.compiled import compiled, merged
from robohockey_sim.rim import outline_gap, outline_hit

_TOUCHING_M = 1e-9


@compiled
def nearest_inside(c, x, y, margin_m):
    """The point within the rounded rink, `margin_m` from its boards, that is nearest to (x, y)."""
    half_length, half_width = c.board_half_length_m - margin_m, c.half_width_m - margin_m
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
    if _goals_stand_free(c):
        # The nearest of net and boards, whose sides go on behind the goal line.
        distance, nx, ny, _, _ = outline_gap(c.net, ax, ay)
        gap, bx, by = _board_gap(c, ax, ay)
        if distance - r < gap:
            gap, bx, by = distance - r, nx, ny
        return gap, side_x * bx, side_y * by
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
    gap, nx, ny = _board_gap(c, ax, ay)
    return gap, side_x * nx, side_y * ny


@compiled
def _board_gap(c, ax, ay):
    """The same for boards without goals, in the quadrant of positive x and y."""
    r = c.puck_radius_m
    radius = max(c.corner_radius_m, r)
    over_x, over_y = ax - (c.board_half_length_m - radius), ay - (c.half_width_m - radius)
    if over_x > 0.0 and over_y > 0.0:
        distance = math.hypot(over_x, over_y)
        return radius - distance - r, -over_x / distance, -over_y / distance
    to_side, to_end = c.half_width_m - ay - r, c.board_half_length_m - ax - r
    if to_side < to_end:
        return to_side, 0.0, -1.0
    return to_end, -1.0, 0.0


@merged
def _goals_stand_free(c):
    return c.board_half_length_m > c.half_length_m


@compiled
def at_net(c, x, y):
    """Whether a puck that touches something there touches a net."""
    if not _goals_stand_free(c):
        return abs(x) > c.half_length_m
    distance, _, _, _, _ = outline_gap(c.net, abs(x), y)
    return abs(x) > c.half_length_m and distance < c.puck_radius_m + 1e-6


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
    straight_x, straight_y = c.board_half_length_m - radius, c.half_width_m - radius
    arc = radius - r
    free = _goals_stand_free(c)

    if dy > 0.0 and end_y > c.half_width_m - r:
        s = (c.half_width_m - r - my) / dy
        at_x = mx + dx * s
        if s > -_TOUCHING_M and abs(at_x) <= straight_x and s < best:
            best, nx, ny = s, 0.0, -1.0
    if dx > 0.0 and end_x > c.board_half_length_m - r:
        s = (c.board_half_length_m - r - mx) / dx
        at_y = my + dy * s
        if s > -_TOUCHING_M and (free or c.half_goal_m <= abs(at_y)) and abs(at_y) <= straight_y and s < best:
            best, nx, ny = s, -1.0, 0.0
        if not free:
            best, nx, ny = _goal_hit(c, mx, my, dx, dy, best, nx, ny)
    if free:
        best, nx, ny = _net_hit(c, mx, my, dx, dy, reach_m, best, nx, ny)
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


@compiled
def _net_hit(c, mx, my, dx, dy, reach_m, best, nx, ny):
    """The nets of goals that stand free, from inside or outside, at either end."""
    r = c.puck_radius_m
    for side in (-1.0, 1.0):
        x, way_x = side * mx, side * dx
        distance, gx, gy, _, _ = outline_gap(c.net, x, my)
        if distance <= r + _TOUCHING_M:
            # Touching already: it counts only when the way leads into it.
            if way_x * gx + dy * gy < -1e-12 and best > 0.0:
                best, nx, ny = 0.0, side * gx, gy
            continue
        share = outline_hit(c.net, r, x, my, way_x * reach_m, dy * reach_m)
        if share * reach_m < best:
            best = share * reach_m
            _, gx, gy, _, _ = outline_gap(c.net, x + way_x * best, my + dy * best)
            nx, ny = side * gx, gy
    return best, nx, ny
