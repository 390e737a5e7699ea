"""Skills one by one: what they order, and that what they reckon is right."""

from __future__ import annotations

import math

import numpy as np
import pytest
from headless import alone, body, put
from views import HOCKEY, view_of

from robohockey_core.actions import Dribble, Go, Kick
from robohockey_core.angles import difference
from robohockey_core.geometry import Point, Segment, clearance, distance
from robohockey_core.league import load_league
from robohockey_match.drills import DRILLS
from robohockey_match.run_command import match_league
from robohockey_strategy import reckoning
from robohockey_strategy.skills import Shot, Skills


def skills_for(puck, puck_speed=(0.0, 0.0), **scene) -> Skills:
    skills = Skills(scene.get("league", HOCKEY))
    skills.look(view_of(puck, puck_speed, **scene))
    return skills


def go_of(order) -> Go:
    return next(action for action in order if isinstance(action, Go))


def kick_of(order) -> Kick | None:
    return next((action for action in order if isinstance(action, Kick)), None)


# --- what is reckoned


@pytest.mark.parametrize("name", ["micro_hockey", "mirosot_5v5"])
@pytest.mark.parametrize("speed", [(0.8, 0.3), (-0.4, 1.1), (0.1, 0.0)])
def test_a_puck_is_foreseen_as_it_slides_and_bounces(name, speed):
    league = load_league(name)
    world = alone(league)
    put(world, puck=body(0.1, 0.2, vx=speed[0], vy=speed[1]))
    foreseen = np.array((0.1, 0.2, *speed))
    numbers = Skills(league).numbers
    for _ in range(20):
        reckoning.roll(numbers, foreseen, 0.04)
        world.step(40)
    assert math.dist(foreseen[:2], world.body("puck").pose[:2]) < 0.03


def test_the_meeting_point_is_the_first_that_the_robot_reaches_in_time():
    skills = skills_for((-0.5, 0.3), (0.6, 0.0), blue_1=(0.3, -0.1, 1.5))
    meeting = skills.meeting(1)
    assert 0.1 < meeting.time_s < 1.0
    assert meeting.place.x_m > -0.4 and meeting.place.y_m == pytest.approx(0.3, abs=1e-9)
    row = np.array((0.3, -0.1, 1.5, 0.0, 0.0))
    gap_m = distance(Point(0.3, -0.1), meeting.place) - skills.contact_m
    assert reckoning.drive_s(skills.numbers, gap_m, 0.0) <= meeting.time_s
    assert reckoning.reach_s(skills.numbers, row, *meeting.place) >= meeting.time_s - 0.25


def test_a_puck_at_rest_is_met_where_it_is():
    assert skills_for((0.2, 0.1), blue_1=(-0.3, 0.0)).meeting(1).place == (0.2, 0.1)


def test_the_shot_goes_through_the_widest_open_angle():
    free = skills_for((0.0, 0.0), blue_1=(-0.2, 0.0)).shot_from(Point(0.0, 0.0))
    assert free.aim_rad == pytest.approx(0.0) and free.open_rad == pytest.approx(math.atan(0.175), abs=1e-6)
    kept = skills_for((0.0, 0.0), blue_1=(-0.2, 0.0), red_0=(0.93, 0.05)).shot_from(Point(0.0, 0.0))
    assert kept.aim_rad < -0.03 and 0.0 < kept.open_rad < free.open_rad
    wall = {f"red_{n}": (0.5, -0.15 + 0.06 * n) for n in range(6)}
    assert skills_for((0.0, 0.0), blue_1=(-0.2, 0.0), **wall).shot_from(Point(0.0, 0.0)).open_rad == 0.0


def test_gaps_between_blockers_agree_with_a_scan():
    random = np.random.default_rng(2)
    for _ in range(200):
        blockers = np.column_stack([random.uniform(0.2, 1.0, 4), random.uniform(-0.5, 0.5, 4), np.full(4, 0.045)])
        aim, half = reckoning.widest_gap(0.0, 0.0, -0.3, 0.3, blockers, 0.025)
        angles = np.linspace(-0.3, 0.3, 4001)
        away = angles[:, None] - np.arctan2(blockers[:, 1], blockers[:, 0])
        shut = np.abs(away) < np.arcsin(0.07 / np.hypot(blockers[:, 0], blockers[:, 1]))
        runs, longest = 0, 0
        for is_open in ~shut.any(axis=1):
            runs = runs + 1 if is_open else 0
            longest = max(longest, runs)
        assert 2.0 * half == pytest.approx(longest * 0.6 / 4000, abs=0.002)
        if half > 0.002:
            assert not shut[np.abs(angles - aim).argmin()].any()


def test_a_lane_is_shut_when_an_opponent_can_reach_it():
    start, end = Point(0.0, 0.0), Point(0.8, 0.0)
    assert skills_for((0.0, 0.0), red_1=(0.4, 0.3)).lane_is_open(start, end, 0.8)
    assert not skills_for((0.0, 0.0), red_1=(0.4, 0.08)).lane_is_open(start, end, 0.8)
    near_the_lane = skills_for((0.0, 0.0), red_1=(0.4, 0.15))
    assert near_the_lane.lane_is_open(start, end, 4.0) and not near_the_lane.lane_is_open(start, end, 0.8)


# --- what is ordered


def test_a_way_leads_round_robots_and_on_request_round_the_puck():
    skills = skills_for((0.5, 0.5), blue_1=(-0.5, 0.0), red_1=(0.0, 0.02))
    go = go_of(skills.go(1, Point(0.5, 0.0)))
    assert clearance(Segment(Point(-0.5, 0.0), Point(go.x_m, go.y_m)), Point(0.0, 0.02)) >= skills.berth_m
    past_puck = skills_for((0.0, 0.0), blue_1=(-0.5, 0.0))
    assert go_of(past_puck.go(1, Point(0.5, 0.0))).x_m == 0.5
    go = go_of(past_puck.go(1, Point(0.5, 0.0), round_puck=True))
    assert clearance(Segment(Point(-0.5, 0.0), Point(go.x_m, go.y_m)), Point(0.0, 0.0)) > past_puck.contact_m


def test_who_contests_the_puck_drives_at_it_through_an_opponent_but_never_one_in_its_crease():
    def way_to(puck, opponent, contests):
        skills = Skills(HOCKEY, contests=contests)
        skills.look(view_of(puck, blue_1=(puck[0] - 0.4, puck[1]), red_1=opponent))
        (go, *_) = skills.intercept(1)
        return Point(go.x_m, go.y_m)

    for puck, opponent, contests, straight in (
        ((0.2, 0.0), (0.1, 0.01), False, False),
        ((0.2, 0.0), (0.1, 0.01), True, True),
        ((0.95, 0.0), (0.85, 0.01), True, False),
    ):
        via = way_to(puck, opponent, contests)
        assert (abs(via.y_m) < 0.01) == straight, (puck, opponent, contests, via)


def test_from_behind_it_drives_through_the_puck_and_kicks_when_it_faces_the_aim():
    order = skills_for((0.2, 0.0), blue_1=(0.0, 0.0)).shoot(1)
    go, kick = go_of(order), kick_of(order)
    assert go.x_m > 0.2 and go.arrive_vx_m_s > 1.0 and kick.power == 1.0
    assert 0.02 < kick.within_rad < 0.2


def test_from_the_side_it_gets_behind_where_there_is_no_dribbler():
    league = load_league("mirosot_5v5")
    skills = skills_for((0.0, 0.0), league=league, blue_1=(0.3, 0.05))
    go = go_of(skills.strike(1, Shot(0.0, 0.1)))
    assert clearance(Segment(Point(0.3, 0.05), Point(go.x_m, go.y_m)), Point(0.0, 0.0)) > skills.contact_m
    assert kick_of(skills.strike(1, Shot(0.0, 0.1))) is None


def test_from_the_side_it_takes_hold_where_there_is_a_dribbler():
    order = skills_for((0.3, 0.0), blue_1=(0.6, 0.0, math.pi)).shoot(1)
    assert any(isinstance(action, Dribble) for action in order) and kick_of(order) is None


def test_it_does_not_drive_a_puck_towards_our_own_goal():
    before_our_goal = skills_for((-0.5, 0.0), blue_1=(-0.2, 0.0, math.pi))
    go = go_of(before_our_goal.shoot(1))
    assert clearance(Segment(Point(-0.2, 0.0), Point(go.x_m, go.y_m)), Point(-0.5, 0.0)) > before_our_goal.contact_m


def test_a_held_puck_turns_slowly_and_is_kicked_at_the_aim():
    skills = skills_for((0.0, 0.0), blue_1=(-0.0635, 0.0, 0.0))
    assert skills.holds(1)
    turning = go_of(skills.turn_with_puck(1, Shot(2.0, 0.1)))
    assert 0.0 < difference(turning.yaw_rad, 0.0) <= 0.5
    assert kick_of(skills.turn_with_puck(1, Shot(2.0, 0.1))) is None
    assert kick_of(skills.turn_with_puck(1, Shot(0.1, 0.1))) is not None


def test_near_our_goal_a_held_puck_is_turned_the_way_that_does_not_lead_past_it():
    for side in (1.0, -1.0):
        # Beside our goal and facing the boards behind it, a hair nearer to turning past the goal.
        yaw_rad = side * math.radians(-178.0)
        reach_m = HOCKEY.robot.length_m / 2.0 + HOCKEY.puck.radius_m
        front = (-0.9 + reach_m * math.cos(yaw_rad), side * 0.27 + reach_m * math.sin(yaw_rad))
        skills = Skills(HOCKEY)
        skills.look(view_of(front, blue_1=(-0.9, side * 0.27, yaw_rad)))
        for order in (skills.carry(1, Point(0.8, side * 0.3)), skills.turn_with_puck(1, Shot(0.0, 0.1))):
            assert math.sin(order[0].yaw_rad) * side > 0.0, "away from the goal's side"


def test_a_pass_leads_a_mate_that_moves_and_is_no_harder_than_needed():
    skills = skills_for((0.0, 0.0), blue_1=(-0.1, 0.0), blue_2=(0.6, 0.2))
    assert skills.pass_target(Point(0.0, 0.0), 2) == (0.6, 0.2)
    assert 0.0 < skills.pass_power(0.4) < skills.pass_power(1.2) < 1.0
    kick = kick_of(skills.pass_to(1, 2))
    assert kick is not None and kick.power == pytest.approx(skills.pass_power(math.hypot(0.6, 0.2)))


def test_the_keeper_goes_where_the_shot_will_cross():
    still = go_of(skills_for((0.0, 0.0), blue_0=(-0.93, 0.0)).block(0))
    assert still.y_m == pytest.approx(0.0)
    shot = go_of(skills_for((0.0, 0.0), (-1.5, 0.2), blue_0=(-0.93, 0.0)).block(0))
    assert shot.y_m == pytest.approx(0.2 / 1.5 * 0.9325, abs=0.01)
    wide = go_of(skills_for((0.0, 0.0), (-1.0, 1.0), blue_0=(-0.93, 0.0)).block(0))
    assert abs(wide.y_m) <= HOCKEY.rink.goal_width_m / 2.0


def test_a_clearance_never_leads_across_our_goal():
    for y in (-0.3, -0.1, 0.1, 0.3):
        skills = skills_for((-0.8, y), blue_0=(-0.93, y / 2.0, math.atan2(y / 2.0, 0.13)), red_1=(-0.5, 0.0))
        go = go_of(skills.clear(0))
        assert go.x_m > -0.95


def test_a_puck_that_rests_does_not_creep_by_noise():
    """Noise of the tracker's velocity is averaged out over the last decisions; a kick is believed at once."""
    skills, random = Skills(HOCKEY), np.random.default_rng(4)
    speeds = []
    for tick in range(60):
        place, noise = random.normal((0.1, 0.1), 0.002), random.normal(0.0, 0.08, 2)
        skills.look(view_of(tuple(place), tuple(noise), time_s=0.1 * tick, blue_1=(0.0, 0.0)))
        speeds.append(skills.puck.twist.speed_m_s)
    assert np.mean(speeds[5:]) < 0.03
    skills.look(view_of((0.2, 0.1), (1.5, 0.0), time_s=6.0, blue_1=(0.0, 0.0)))
    assert skills.puck.twist.speed_m_s > 1.0


# --- drills, a small version of `python -m bench.drills`


@pytest.mark.parametrize("drill", DRILLS, ids=lambda drill: drill.name)
def test_drills(drill):
    """Twenty seeds cannot tell 90 from 95 percent: the mark less two standard deviations of that many tries."""
    league, seeds = match_league("micro_hockey", "realistic"), range(1001, 1021)
    share = sum(drill.attempt(league, seed) for seed in seeds) / len(seeds)
    print(f"{drill.name}: {share:.0%}")
    assert share >= drill.mark - 2.0 * math.sqrt(drill.mark * (1.0 - drill.mark) / len(seeds))
