"""The virtual camera: noise, bias, delay, loss and occlusion as their numbers say; seeds, rewinding, and the noise presets."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from robohockey_core.checked import InputError, to_plain
from robohockey_core.joints import JointSample, bodies_of
from robohockey_core.league import League, load_league
from robohockey_core.names import PUCK, body_joints
from robohockey_core.noise_spec import NOISE_PRESETS, NoiseSpec
from robohockey_sim.virtual_tracking import VirtualTracking

BODIES = ("blue/0", "blue/1", "red/0", "red/1", PUCK)
ROBOTS = len(BODIES) - 1
FRAME_S = 0.02
FRAMES = 5000
PLACES = np.array([[-0.5, 0.2, 0.1], [-0.2, -0.3, -2.0], [0.5, 0.2, math.pi], [0.2, -0.3, 3.1], [0.0, 0.0, 0.0]])

# Loss counts and standard deviations of this many draws lie within five of their own standard errors.
SIGMAS = 5.0


def camera(seed: int = 1, bodies: tuple[str, ...] = BODIES, **noise: float) -> VirtualTracking:
    return VirtualTracking(replace(League(), noise=replace(NoiseSpec(), **noise)), bodies, seed)


def truth(stamp_s: float, places: np.ndarray = PLACES, bodies: tuple[str, ...] = BODIES) -> JointSample:
    return JointSample(stamp_s, tuple(j for body in bodies for j in body_joints(body)), places.ravel().copy())


def film(tracking: VirtualTracking, frames: int, places: np.ndarray = PLACES, first: int = 0) -> list[JointSample]:
    """Show still bodies for some frames; return all that came out."""
    return [s for i in range(first, first + frames) for s in tracking.see(truth(i * FRAME_S, places), i * FRAME_S)]


def errors(samples: list[JointSample], places: np.ndarray = PLACES) -> np.ndarray:
    """Seen minus true, [frame, body, axis], headings the short way round."""
    wrong = np.array([s.position.reshape(-1, 3) for s in samples]) - places
    wrong[:, :, 2] = np.remainder(wrong[:, :, 2] + math.pi, 2.0 * math.pi) - math.pi
    return wrong


def same_bits(a: list[JointSample], b: list[JointSample]) -> bool:
    def frozen(samples: list[JointSample]) -> list[tuple[float, tuple[str, ...], bytes]]:
        return [(s.stamp_s, s.names, s.position.tobytes()) for s in samples]

    return frozen(a) == frozen(b)


def assert_rate(count: int, draws: int, chance: float) -> None:
    assert abs(count - draws * chance) < SIGMAS * math.sqrt(draws * chance * (1.0 - chance))


def test_no_noise_is_the_truth_itself():
    frame = truth(1.5)
    seen = camera().see(frame, 1.5)
    assert len(seen) == 1
    assert seen[0] is frame
    assert camera().due(1.5) == []


def test_sigmas_are_those_asked_for_without_offset_or_link_between_frames():
    wrong = errors(film(camera(robot_sigma_m=0.0013, robot_sigma_rad=0.01, puck_sigma_m=0.0014), FRAMES))
    asked = np.array([[0.0013, 0.0013, 0.01]] * ROBOTS + [[0.0014, 0.0014, 0.0]])
    standard_error = asked / math.sqrt(FRAMES)
    assert wrong.shape == (FRAMES, len(BODIES), 3)
    assert (np.abs(wrong.std(axis=0) - asked) <= SIGMAS * standard_error / math.sqrt(2.0)).all()
    assert (np.abs(wrong.mean(axis=0)) <= SIGMAS * standard_error).all()
    columns = wrong.reshape(FRAMES, -1)[:, :-1]  # all but the puck's heading, which has no noise
    between_columns = np.corrcoef(columns.T) - np.eye(columns.shape[1])
    between_frames = [np.corrcoef(column[:-1], column[1:])[0, 1] for column in columns.T]
    assert np.abs(between_columns).max() < SIGMAS / math.sqrt(FRAMES)
    assert np.abs(between_frames).max() < SIGMAS / math.sqrt(FRAMES)
    # Gaussian: 68.3 % lie within one standard deviation.
    within = np.abs(columns) < asked.ravel()[:-1]
    assert_rate(int(within.sum()), within.size, math.erf(1.0 / math.sqrt(2.0)))


def test_headings_stay_wrapped():
    headings = np.array([s.position.reshape(-1, 3)[2, 2] for s in film(camera(robot_sigma_rad=0.1), 200)])
    assert (headings > -math.pi).all()
    assert (headings <= math.pi).all()
    assert min((headings > 3.0).sum(), (headings < -3.0).sum()) > 50  # true heading pi: seen on both sides


def test_bias_is_one_offset_of_all_bodies_constant_in_a_run():
    wrong = errors(film(camera(position_bias_m=0.02), 50))
    assert np.ptp(wrong, axis=(0, 1))[:2] == pytest.approx([0.0, 0.0], abs=1e-15)
    assert (wrong[:, :, 2] == 0.0).all()
    assert 0.0 < math.hypot(*wrong[0, 0, :2]) <= 0.02


def test_bias_is_uniform_over_a_disc_of_its_radius():
    runs = 2000
    offsets = np.array([errors(film(camera(seed, position_bias_m=0.02), 1))[0, 0, :2] for seed in range(runs)])
    lengths_m = np.hypot(*offsets.T)
    assert lengths_m.max() <= 0.02
    # A quarter of the disc's area lies within half its radius; x and y have a deviation of half the radius.
    assert_rate(int((lengths_m < 0.01).sum()), runs, 0.25)
    assert np.abs(offsets.mean(axis=0)).max() < SIGMAS * 0.01 / math.sqrt(runs)
    assert offsets.std(axis=0) == pytest.approx([0.01, 0.01], rel=SIGMAS / math.sqrt(2.0 * runs))


@pytest.mark.parametrize("delay_s", [0.001, 0.02, 0.035, 0.04, 0.1005])
def test_delay_is_exact_and_the_stamp_is_that_of_the_sight(delay_s):
    """Polled at every physics step, a frame comes out at the first step that is not before its time."""
    tracking = camera(vision_delay_s=delay_s)
    came_out: dict[int, list[JointSample]] = {}
    for step in range(1000):
        now_s = step * 0.001
        frame_is_taken = step % 20 == 0
        came_out[step] = tracking.see(truth(now_s, PLACES + 0.001 * step), now_s) if frame_is_taken else tracking.due(now_s)
    late_steps = math.ceil(round(delay_s / 0.001, 6))
    expected = {step + late_steps: step for step in range(0, 1000, 20) if step + late_steps < 1000}
    assert {step: [round(s.stamp_s / 0.001) for s in seen] for step, seen in came_out.items() if seen} == {
        late: [step] for late, step in expected.items()
    }
    for late, step in expected.items():
        assert came_out[late][0].position == pytest.approx((PLACES + 0.001 * step).ravel(), abs=1e-15)


def test_asked_only_once_a_frame_a_delay_between_frames_waits_for_the_next_one():
    tracking = camera(vision_delay_s=0.035)
    stamps = [[s.stamp_s for s in tracking.see(truth(i * FRAME_S), i * FRAME_S)] for i in range(5)]
    assert stamps == [[], [], [0.0], [FRAME_S], [2 * FRAME_S]]


def test_losses_are_those_asked_for_robots_and_puck_apart():
    samples = film(camera(robot_loss=0.02, puck_loss=0.05), FRAMES)
    seen = [bodies_of(s).keys() for s in samples]
    assert len(samples) == FRAMES
    assert_rate(sum(PUCK not in bodies for bodies in seen), FRAMES, 0.05)
    for robot in BODIES[:-1]:
        assert_rate(sum(robot not in bodies for bodies in seen), FRAMES, 0.02)
    assert_rate(sum(len({"blue/0", "blue/1"} & bodies) == 0 for bodies in seen), FRAMES, 0.02**2)
    for sample in samples:
        for body, state in bodies_of(sample).items():
            assert state.pose == pytest.approx(PLACES[BODIES.index(body)], abs=0.0)


def test_lost_frames_tell_nothing():
    stamps = [s.stamp_s for s in film(camera(frame_loss=0.1), FRAMES)]
    assert_rate(FRAMES - len(stamps), FRAMES, 0.1)
    assert stamps == sorted(set(stamps))
    assert film(camera(frame_loss=1.0), 100) == []


def test_certain_loss_leaves_an_empty_frame():
    samples = film(camera(robot_loss=1.0, puck_loss=1.0), 10)
    assert [(s.names, len(s.position)) for s in samples] == [((), 0)] * 10


@pytest.mark.parametrize(
    ("gap_m", "yaw_rad", "chance"),
    [(0.0049, 0.0, 0.3), (0.0051, 0.0, 0.0), (-0.02, 0.0, 0.3), (0.0049, math.pi / 4, 0.3), (0.0051, math.pi / 4, 0.0)],
)
def test_a_puck_close_to_a_robots_outline_is_hidden(gap_m, yaw_rad, chance):
    """The gap is measured from the rim of the puck to the body, at a side and at a corner."""
    league, places = League(), PLACES.copy()
    to_rim_m = league.robot.length_m / 2 if yaw_rad == 0.0 else league.robot.circumradius_m
    places[1] = [to_rim_m + league.puck.radius_m + gap_m, 0.0, yaw_rad]
    samples = film(camera(occlusion_loss=0.3, occlusion_m=0.005), FRAMES, places)
    hidden = sum(PUCK not in bodies_of(s) for s in samples)
    assert hidden == 0 if chance == 0.0 else abs(hidden - FRAMES * chance) < SIGMAS * math.sqrt(FRAMES * chance * (1 - chance))
    assert all(len(bodies_of(s).keys() - {PUCK}) == ROBOTS for s in samples)


def test_same_seed_same_bits_another_seed_others():
    realistic = to_plain(NOISE_PRESETS["realistic"])
    first, again, other = (film(camera(seed, **realistic), 300) for seed in (7, 7, 8))
    assert same_bits(first, again)
    assert not same_bits(first, other)


@pytest.mark.parametrize(
    "other",
    [
        {"robot_loss": 0.3},
        {"puck_loss": 0.3},
        {"frame_loss": 0.3},
        {"occlusion_loss": 0.5, "occlusion_m": 2.0},
        {"puck_sigma_m": 0.01},
        {"vision_delay_s": 0.1},
    ],
)
def test_one_effect_does_not_shift_the_draws_of_another(other):
    """What both cameras see of the robots has the same noise, frame by frame."""
    alone = {s.stamp_s: bodies_of(s) for s in film(camera(robot_sigma_m=0.001, robot_sigma_rad=0.01), 200)}
    together = {s.stamp_s: bodies_of(s) for s in film(camera(robot_sigma_m=0.001, robot_sigma_rad=0.01, **other), 200)}
    robots = [(stamp, body) for stamp, bodies in together.items() for body in bodies if body != PUCK]
    assert len(robots) > 400
    assert all(together[stamp][body] == alone[stamp][body] for stamp, body in robots)


def test_losses_do_not_depend_on_each_other_or_on_noise():
    def without_puck(**noise: float) -> list[float]:
        return [s.stamp_s for s in film(camera(puck_loss=0.2, **noise), 500) if PUCK not in bodies_of(s)]

    alone = without_puck()
    assert len(alone) > 50
    assert without_puck(robot_loss=0.2, robot_sigma_m=0.01, position_bias_m=0.02, occlusion_loss=0.9) == alone


def test_occlusion_shifts_no_other_loss_and_does_not_depend_on_the_way_there():
    """A puck that comes close at frame 100 meets the same chances as one that was close all the time."""

    def missed(body: str, samples: list[JointSample]) -> list[float]:
        return [s.stamp_s for s in samples if s.stamp_s >= 100 * FRAME_S and body not in bodies_of(s)]

    close = PLACES.copy()
    close[1, :2] = 0.0
    noise = {"robot_loss": 0.2, "occlusion_loss": 0.5}
    always, late = camera(**noise), camera(**noise)
    first, second = film(always, 300, close), film(late, 100) + film(late, 200, close, first=100)
    assert 60 < len(missed(PUCK, first)) < 140
    assert missed(PUCK, first) == missed(PUCK, second)
    assert missed("blue/0", first) == missed("blue/0", second) == missed("blue/0", film(camera(robot_loss=0.2), 300, close))


def test_snapshot_and_restore_go_on_bit_for_bit():
    tracking = camera(3, **to_plain(NOISE_PRESETS["realistic"]))
    film(tracking, 101)
    snapshot = tracking.snapshot()
    first = film(tracking, 200, first=101)
    film(tracking, 50, first=301)
    tracking.restore(snapshot)
    assert same_bits(film(tracking, 200, first=101), first)
    elsewhere = camera(99, **to_plain(NOISE_PRESETS["realistic"]))
    elsewhere.restore(snapshot)
    assert same_bits(film(elsewhere, 200, first=101), first)


def test_reset_begins_the_same_run_again():
    tracking = camera(3, **to_plain(NOISE_PRESETS["realistic"]))
    first = film(tracking, 100)
    tracking.reset()
    assert same_bits(film(tracking, 100), first)


def test_the_truth_is_left_as_it_was():
    frame = truth(0.0)
    camera(robot_sigma_m=0.1, position_bias_m=0.1, robot_loss=0.5).see(frame, 0.0)
    assert (frame.position == PLACES.ravel()).all()


def test_a_world_without_puck_or_without_robots_is_seen_too():
    realistic = to_plain(NOISE_PRESETS["realistic"])
    for bodies, rows in ((BODIES[:-1], slice(0, ROBOTS)), ((PUCK,), slice(ROBOTS, None))):
        tracking = camera(bodies=bodies, **realistic)
        seen = [s for i in range(100) for s in tracking.see(truth(i * FRAME_S, PLACES[rows], bodies), i * FRAME_S)]
        assert len(seen) > 90
        assert set().union(*(bodies_of(s).keys() for s in seen)) == set(bodies)


def test_a_frame_of_other_bodies_is_refused():
    with pytest.raises(ValueError, match="blue/1/x: no joint of a body that the camera looks for"):
        camera(bodies=("blue/0", PUCK)).see(truth(0.0), 0.0)


def test_a_robot_that_is_off_the_ice_is_not_seen_and_changes_nothing_for_the_others():
    """From frame 100 on blue/1 is missing; the others keep their noise and losses, and nothing hides the puck any more."""
    noise = {**to_plain(NOISE_PRESETS["realistic"]), "vision_delay_s": 0.0}
    beside = PLACES.copy()
    beside[1] = [League().robot.length_m / 2.0 + League().puck.radius_m, 0.0, 0.0]
    whole, short = camera(5, **noise), camera(5, **noise)
    there = [BODIES.index(body) for body in BODIES if body != "blue/1"]
    first, second = film(whole, 400, beside), film(short, 100, beside)
    rest = tuple(BODIES[row] for row in there)
    for i in range(100, 400):
        second += short.see(truth(i * FRAME_S, beside[there], rest), i * FRAME_S)
    hidden = 0
    for full, partial in zip(first[100:], second[100:], strict=True):
        seen, left = bodies_of(full), bodies_of(partial)
        assert "blue/1" not in left
        assert {name: state for name, state in seen.items() if name != "blue/1"}.items() <= left.items()
        hidden += len(left.keys() - seen.keys())
    assert 50 < hidden < 130  # of 300, with a chance of 0.3, less the puck's own losses
    assert camera().see(truth(0.0, beside[there], rest), 0.0)[0].names == truth(0.0, beside[there], rest).names


def test_a_frame_without_anybody_is_an_empty_frame():
    tracking = camera(**to_plain(NOISE_PRESETS["friendly"]))
    tracking.see(JointSample(1.0, ()), 1.0)
    (seen,) = tracking.due(1.0 + NOISE_PRESETS["friendly"].vision_delay_s)
    assert (seen.stamp_s, seen.names, len(seen.position)) == (1.0, (), 0)


@pytest.mark.parametrize("name", ["none", "friendly", "realistic"])
def test_what_a_camera_shows_under_a_preset_has_the_numbers_of_the_preset(name):
    """Noise, offset, loss and delay at once, measured from the detections alone."""
    spec, tracking = NOISE_PRESETS[name], camera(3, **to_plain(NOISE_PRESETS[name]))
    arrivals: list[tuple[float, JointSample]] = []
    for step in range(FRAMES * 20):
        now_s = step * 0.001
        seen = tracking.see(truth(now_s), now_s) if step % 20 == 0 else tracking.due(now_s)
        arrivals += [(now_s, sample) for sample in seen]
    assert all(now_s - sample.stamp_s == pytest.approx(spec.vision_delay_s, abs=1e-9) for now_s, sample in arrivals)
    frames = [bodies_of(sample) for _, sample in arrivals]
    for body, row in zip(BODIES, PLACES, strict=True):
        chance, sigma_m = (spec.puck_loss, spec.puck_sigma_m) if body == PUCK else (spec.robot_loss, spec.robot_sigma_m)
        poses = np.array([frame[body].pose for frame in frames if body in frame])
        missed = len(frames) - len(poses)
        assert abs(missed - len(frames) * chance) <= SIGMAS * math.sqrt(len(frames) * chance * (1.0 - chance))
        off = poses[:, :2] - row[:2]
        assert off.std(axis=0) == pytest.approx([sigma_m] * 2, rel=0.06, abs=1e-12)
        assert math.hypot(*off.mean(axis=0)) <= spec.position_bias_m + SIGMAS * sigma_m / math.sqrt(FRAMES)
        if body != PUCK:
            turned = np.remainder(poses[:, 2] - row[2] + math.pi, 2.0 * math.pi) - math.pi
            assert turned.std() == pytest.approx(spec.robot_sigma_rad, rel=0.06, abs=1e-12)


def test_a_negative_seed_is_refused():
    with pytest.raises(InputError, match="seed = -1: must be at least 0"):
        camera(seed=-1)


# The noise section of a league file.


def league_of(tmp_path, text: str) -> League:
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    return load_league(str(path))


def test_realistic_holds_the_numbers_of_its_source():
    noise = NOISE_PRESETS["realistic"]
    assert (noise.puck_sigma_m, noise.robot_sigma_m, noise.robot_sigma_rad) == (0.0014, 0.0013, 0.01)
    assert (noise.command_loss, noise.reply_loss, noise.puck_loss, noise.robot_loss) == (0.03, 0.1, 0.05, 0.02)
    assert (noise.vision_delay_s, noise.command_delay_s, noise.position_bias_m) == (0.035, 0.003, 0.02)


def test_each_preset_is_at_least_as_hard_as_the_one_before():
    none, friendly, realistic = (to_plain(NOISE_PRESETS[name]) for name in ("none", "friendly", "realistic"))
    for key in none.keys() - {"preset"}:
        assert none[key] <= friendly[key] <= realistic[key], key
    assert [name for name, spec in NOISE_PRESETS.items() if spec.preset != name] == []


def test_leagues_are_without_noise_unless_they_say_so(tmp_path):
    assert League().noise == NOISE_PRESETS["none"]
    assert league_of(tmp_path, "").noise == NOISE_PRESETS["none"]


def test_a_league_may_name_a_preset_and_override_single_numbers(tmp_path):
    assert league_of(tmp_path, "noise: {preset: realistic}").noise == NOISE_PRESETS["realistic"]
    mine = league_of(tmp_path, "noise: {puck_loss: 0.5, preset: realistic}").noise
    assert mine == replace(NOISE_PRESETS["realistic"], puck_loss=0.5)
    assert league_of(tmp_path, "noise: {puck_loss: 0.5}").noise == replace(NoiseSpec(), puck_loss=0.5)


def test_what_a_league_prints_reads_back_the_same(tmp_path):
    league = league_of(tmp_path, "noise: {preset: friendly, wheel_locks_per_s: 0.5}")
    printed = ", ".join(f"{key}: {value}" for key, value in to_plain(league.noise).items())
    assert league_of(tmp_path, f"noise: {{{printed}}}").noise == league.noise


CHANCES = ("frame_loss", "robot_loss", "puck_loss", "occlusion_loss", "command_loss", "reply_loss")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{preset: hard}", "noise.preset = 'hard': must be one of none, friendly, realistic"),
        ("{preset: [none]}", "noise.preset = ['none']: must be text"),
        ("realistic", "noise = 'realistic': must be a table of keys"),
        ("{puck_sigma_m: -0.001}", "noise.puck_sigma_m = -0.001: must be at least 0"),
        ("{robot_sigma_m: .nan}", "noise.robot_sigma_m = nan: must be finite"),
        ("{robot_sigma_rad: 4}", "noise.robot_sigma_rad = 4: must be at most 3"),
        ("{position_bias_m: 1}", "noise.position_bias_m = 1: must be at most 0.5"),
        ("{vision_delay_s: 35}", "noise.vision_delay_s = 35: must be at most 2"),
        ("{command_delay_s: -0.1}", "noise.command_delay_s = -0.1: must be at least 0"),
        ("{occlusion_m: near}", "noise.occlusion_m = 'near': must be a number"),
        ("{wheel_locks_per_s: 101}", "noise.wheel_locks_per_s = 101: must be at most 100"),
        ("{wheel_lock_s: 0}", "noise.wheel_lock_s = 0: must be above 0"),
        ("{puck_los: 0.1}", "noise.puck_los: unknown key; did you mean puck_loss?"),
        *((f"{{{key}: 1.01}}", f"noise.{key} = 1.01: must be at most 1") for key in CHANCES),
    ],
)
def test_bad_noise_is_told_with_key_and_limit(tmp_path, text, told):
    with pytest.raises(InputError) as error:
        league_of(tmp_path, f"noise: {text}")
    assert str(error.value).startswith(f"{tmp_path / 'mine.yaml'}: ")
    assert told in str(error.value)
