"""The simulated kicker: levels, reach and recharge."""

from __future__ import annotations

import pytest
from headless import alone, body, put

from robohockey_core.commands import WheelCommand
from robohockey_core.league import League, load_league
from robohockey_core.names import BLUE, PUCK, RobotId
from robohockey_sim.constants import GRAVITY_M_S2
from robohockey_sim.world import World

KICKER_RECHARGE_S = 0.5
HOCKEY = load_league("micro_hockey")
BLUE_0 = RobotId(BLUE, 0)
DT_S = HOCKEY.timing.physics_dt_s
RADIUS_M = HOCKEY.puck.radius_m
FRONT_M = HOCKEY.robot.length_m / 2.0


def kicked(power: float, puck_vx: float = 0.0, league: League = HOCKEY) -> World:
    world = alone(league)
    put(world, blue_0=body(-0.5, 0.3), puck=body(-0.5 + FRONT_M + league.puck.radius_m + 0.001, 0.3, vx=puck_vx))
    world.command(BLUE_0, WheelCommand((0.0, 0.0), kick_power=power))
    return world


@pytest.mark.parametrize(("power", "level"), [(1.0, 30), (0.5, 15), (1.0 / 30.0, 1), (0.02, 1), (0.51, 15)])
def test_a_kick_gives_the_speed_of_its_level(power, level):
    world = kicked(power)
    world.step(1)
    # The puck has slid for one step since.
    lost_m_s = HOCKEY.puck.sliding_friction * GRAVITY_M_S2 * DT_S
    assert world.body(PUCK).twist.vx_m_s == pytest.approx(HOCKEY.kicker.max_puck_speed_m_s * level / 30.0 - lost_m_s)


@pytest.mark.parametrize("power", [0.0, 0.01])
def test_level_0_does_nothing(power):
    world, left_alone = kicked(power, puck_vx=0.1), kicked(0.0, puck_vx=0.1)
    world.step(5)
    left_alone.step(5)
    assert world.body(PUCK) == left_alone.body(PUCK)
    world.command(BLUE_0, WheelCommand((0.0, 0.0), kick_power=1.0))
    world.step(1)
    assert world.body(PUCK).twist.vx_m_s == pytest.approx(HOCKEY.kicker.max_puck_speed_m_s, abs=1e-3)  # and it cost no charge


def test_a_league_without_kicker_does_not_catch_the_puck():
    league = load_league("mirosot_5v5")
    world, left_alone = kicked(1.0, 0.3, league), kicked(0.0, 0.3, league)
    world.step(5)
    left_alone.step(5)
    assert world.body(PUCK) == left_alone.body(PUCK)


def test_a_kick_never_slows_a_puck_that_leaves_faster():
    world = kicked(0.1, puck_vx=1.5)
    world.step(1)
    assert world.body(PUCK).twist.vx_m_s == pytest.approx(1.5, abs=0.01)


@pytest.mark.parametrize(("dx", "dy"), [(0.02, 0.0), (0.0, 0.08), (-2 * (FRONT_M + RADIUS_M) - 0.002, 0.0)])
def test_a_puck_out_of_reach_is_not_kicked(dx, dy):
    world = kicked(1.0)
    put(world, puck=body(-0.5 + FRONT_M + RADIUS_M + 0.001 + dx, 0.3 + dy))
    world.step(1)
    assert world.body(PUCK).twist.speed_m_s == 0.0


def test_a_kicker_must_recharge():
    world = kicked(1.0)
    world.step(1)
    recharge = round(KICKER_RECHARGE_S / DT_S)
    spot = body(-0.5 + FRONT_M + RADIUS_M + 0.001, 0.3)
    put(world, puck=spot)
    world.step(recharge - 2)
    assert world.body(PUCK) == spot
    world.step(3)
    assert world.body(PUCK).twist.vx_m_s > 1.9


def test_restore_remembers_a_kicker_that_was_charging():
    world = kicked(1.0)
    world.step(1)
    snapshot = world.snapshot()
    world.step(round(2.0 * KICKER_RECHARGE_S / DT_S))
    world.restore(snapshot)
    spot = body(-0.5 + FRONT_M + RADIUS_M + 0.001, 0.3)
    put(world, puck=spot)
    world.step(100)
    assert world.body(PUCK) == spot
