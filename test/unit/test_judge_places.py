"""Who proposes, who is placed, and for whom the referee waits before play goes on."""

from __future__ import annotations

from dataclasses import replace

import pytest
from judge_bench import (
    HOCKEY,
    LEAGUE,
    RESTART_S,
    STEP_S,
    Bench,
    playing,
    short,
)

from robohockey_core.geometry import distance
from robohockey_core.match_state import PLACE, PLAY
from robohockey_core.names import BLUE, PUCK, RED, RobotId
from robohockey_core.state import BodyState, Pose2D, Twist2D
from robohockey_referee.judge import Judge


def test_robots_that_drive_are_waited_for_by_name():
    bench = Bench(Judge(LEAGUE), obeys=False)
    bench.bodies["red/2"] = BodyState(Pose2D(0.0, 0.5))
    bench.run(RESTART_S + 1.0)
    state = bench.judge.state
    assert state.phase == PLACE and state.waiting_for == ("blue/1", "red/1", "red/2")
    assert state.explanation == bench.events[0].explanation and state.countdown_s > 0.0  # why it is so stays told
    for name in state.waiting_for:
        bench.bodies[name] = BodyState(state.places[name])
    assert bench.run(STEP_S) == ["play"]
    assert bench.judge.state.waiting_for == ()


def test_nobody_is_waited_for_without_end_except_the_puck():
    bench = Bench(Judge(LEAGUE), obeys=False)
    bench.run(RESTART_S + HOCKEY.restarts.place_limit_s + 0.2)
    assert bench.judge.state.phase == PLAY and "blue/1, red/1 did not get there in 20 s" in bench.judge.state.explanation
    bench = Bench(Judge(LEAGUE), obeys=False)
    bench.bodies[PUCK] = BodyState(Pose2D(0.2, 0.0))
    bench.run(RESTART_S + 3.0 * HOCKEY.restarts.place_limit_s)
    assert bench.judge.state.phase == PLACE and PUCK in bench.judge.state.waiting_for
    assert len(bench.placed) > 50  # asked for again and again


def test_a_robot_that_nobody_sees_is_not_waited_for():
    bench = Bench(Judge(LEAGUE))
    del bench.bodies["blue/2"]
    bench.obeys = False
    bench.run(RESTART_S - 0.5)
    bench.bodies |= {name: BodyState(bench.judge.state.places[name]) for name in ("blue/1", "red/1")}
    bench.run(0.7)
    assert bench.judge.state.phase == PLAY


def test_only_the_team_whose_turn_it_is_proposes():
    bench = Bench(Judge(LEAGUE))
    bench.look()
    wanted = Pose2D(-0.5, 0.5, 1.0)
    assert not bench.judge.propose(RED, {2: wanted})
    assert bench.judge.propose(BLUE, {2: wanted})
    bench.run(HOCKEY.restarts.turn_s)
    assert bench.judge.state.places["blue/2"] == wanted
    assert not bench.judge.propose(BLUE, {2: Pose2D(-0.4, 0.5)})
    assert bench.judge.propose(RED, {1: Pose2D(-0.5, 0.5, 0.0)})  # blue's half, and on blue/2
    rules = bench.run(HOCKEY.restarts.turn_s)
    assert rules == ["placement_corrected"] and "red/1 was proposed" in bench.events[-1].explanation
    assert bench.judge.state.places["red/1"].x_m > 0.0
    bench.until(PLAY)
    assert not bench.judge.propose(BLUE, {2: wanted})


@pytest.mark.parametrize("garbage", [None, 3, "blue", [1, 2], {"x": 1}, {0: None}, {1: "here"}, {2: (1,)}, {1: object()}])
def test_a_proposal_may_be_anything(garbage):
    bench = Bench(Judge(LEAGUE))
    bench.look()
    bench.judge.propose(BLUE, garbage)
    bench.until(PLAY)


@pytest.mark.parametrize("settled", [False, True])
def test_a_robot_that_is_sent_off_before_a_restart_is_not_placed_or_waited_for(settled):
    bench = Bench(Judge(LEAGUE), obeys=False)
    bench.run(RESTART_S + 1.0 if settled else HOCKEY.restarts.turn_s + STEP_S)
    assert "blue/1" in bench.judge.state.places
    assert bench.judge.send("blue/1", off=True)
    assert "blue/1" not in bench.judge.state.places
    still_there = bench.bodies["blue/1"]
    bench.placed.clear()
    for _ in range(round((RESTART_S + 2.0) / STEP_S)):
        bench.time_s += STEP_S
        world = bench.world()
        # A real robot must be lifted off, and stays in sight until it is.
        bench.events += bench.judge.watch(replace(world, robots={**world.robots, RobotId(BLUE, 1): still_there}))
        assert "blue/1" not in (bench.judge.placements or {})
    assert "blue/1" not in bench.judge.state.waiting_for and "red/1" in bench.judge.state.waiting_for


def test_who_takes_the_part_of_a_shooter_that_is_sent_off_gets_a_place():
    bench = playing(short(halves=1, shoot_out_rounds=2, attempt_s=2.0))
    bench.until(PLACE)
    bench.run(RESTART_S - 0.5)
    assert "blue/1" in bench.judge.state.places
    bench.judge.send("blue/1", off=True)
    assert "blue/2" not in bench.judge.state.off
    bench.placed.clear()
    bench.until(PLAY)
    assert set(bench.placed[-1]) == {"blue/2", "red/0", PUCK}


@pytest.mark.parametrize(
    ("twist", "turned_rad", "off_m", "stands"),
    [
        (Twist2D(0.29), 0.0, 0.0, True),
        (Twist2D(0.31), 0.0, 0.0, False),
        (Twist2D(0.0, 0.0, 0.99), 0.0, 0.0, True),
        (Twist2D(0.0, 0.0, -1.01), 0.0, 0.0, False),
        (Twist2D(), 0.49, 0.0, True),
        (Twist2D(), -0.51, 0.0, False),
        (Twist2D(), 0.0, 0.2 * LEAGUE.robot.length_m - 0.0005, True),
        (Twist2D(), 0.0, 0.2 * LEAGUE.robot.length_m + 0.0005, False),
    ],
)
def test_a_robot_stands_when_it_is_there_and_turned_and_still(twist, turned_rad, off_m, stands):
    bench = Bench(Judge(LEAGUE), obeys=False)
    bench.run(RESTART_S - 0.5)
    places = bench.judge.state.places
    bench.bodies |= {name: BodyState(pose) for name, pose in places.items()}
    there = places["blue/1"]
    # Its direction may be any number of turns away.
    pose = Pose2D(there.x_m + off_m, there.y_m, there.yaw_rad + turned_rad + 6.283185307179586)
    bench.bodies["blue/1"] = BodyState(pose, twist)
    bench.run(1.0)
    state = bench.judge.state
    assert (state.phase, state.waiting_for) == ((PLAY, ()) if stands else (PLACE, ("blue/1",)))


def test_a_correction_names_a_robot_and_a_place_and_no_number_that_is_none():
    bench = Bench(Judge(LEAGUE))
    bench.look()
    bench.judge.propose(BLUE, {1: Pose2D(float("nan"), 0.0), 2: Pose2D(0.5, 0.0)})
    bench.run(HOCKEY.restarts.turn_s)
    event = next(event for event in bench.events if event.rule == "placement_corrected")
    assert event.robot == "blue/1" and event.place == bench.judge.state.places["blue/1"].point
    moved_m = distance(bench.judge.state.places["blue/2"].point, Pose2D(0.5, 0.0).point)
    assert event.evidence == {"blue/2": pytest.approx(moved_m)}
    assert bench.judge.state.last_event == "match_start"
