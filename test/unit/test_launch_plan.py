"""The launch plan: who runs, who owns what, and what is refused."""

from __future__ import annotations

import dataclasses

import pytest

from robohockey_core.checked import InputError
from robohockey_core.launch_plan import (
    NODE_CLASSES,
    NodeSpec,
    check_one_voice,
    load_match,
    match_from_values,
    match_values,
    plan,
)
from robohockey_match.match_json import match_from_json, match_to_json
from robohockey_match.rehearse_command import rehearsal


def names(match):
    return [spec.name for spec in plan(match)]


def spec_of(match, name):
    return next(spec for spec in plan(match) if spec.name == name)


def real(link="/dev/ttyUSB0", **more):
    return {"backend": "real", "link": link, **more}


def all_real():
    robots = {f"{team}/{n}": real(address=n + 3 * (team == "red")) for team in ("blue", "red") for n in range(3)}
    return match_from_values({"mode": "real", "robots": robots}, "match:")


def mixed(**more):
    robots = {"blue/0": real(address=7), "red/1": real(link="socket://localhost:4000")}
    return match_from_values({"mode": "mixed", "robots": robots, **more}, "match:")


def test_a_simulated_match_has_physics_and_no_driver():
    assert names(load_match()) == [
        "physics",
        "tracker",
        "referee",
        "blue_strategy",
        "blue_motion",
        "red_strategy",
        "red_motion",
        "web_view",
    ]


def test_only_a_wholly_simulated_match_runs_on_simulated_time():
    for match, simulated in ((load_match(), True), (mixed(), False), (all_real(), False)):
        for spec in plan(match):
            if spec.name == "physics":
                assert spec.parameters["publish_clock"] is simulated
                assert spec.parameters["use_sim_time"] is False
            else:
                assert spec.parameters["use_sim_time"] is simulated, spec.name


def test_a_real_match_has_drivers_and_no_physics():
    match = all_real()
    assert "physics" not in names(match)
    driver = spec_of(match, "robot_driver_0")
    assert driver.parameters["owns"] == ["blue/0", "blue/1", "blue/2", "red/0", "red/1", "red/2"]
    assert driver.parameters["addresses"] == [0, 1, 2, 3, 4, 5]


def test_in_a_mixed_match_physics_owns_the_rest():
    match = mixed()
    assert spec_of(match, "physics").parameters["owns"] == ["blue/1", "blue/2", "red/0", "red/2", "puck"]
    assert spec_of(match, "robot_driver_0").parameters["owns"] == ["blue/0"]
    assert spec_of(match, "robot_driver_0").parameters["addresses"] == [7]
    assert spec_of(match, "robot_driver_1").parameters["owns"] == ["red/1"]


def test_robots_that_share_a_link_speak_by_turns_unless_the_match_file_says_otherwise():
    assert spec_of(mixed(), "robot_driver_0").parameters["frames"] == "single"
    shared = spec_of(all_real(), "robot_driver_0").parameters
    assert (shared["frames"], shared["baud_rate"]) == ("group", 115200)
    robots = {"blue/0": real(), "blue/1": real(address=1)}
    links = {"/dev/ttyUSB0": {"baud_rate": 57600, "frames": "single"}}
    match = match_from_values({"mode": "mixed", "robots": robots, "links": links}, "match:")
    chosen = spec_of(match, "robot_driver_0").parameters
    assert (chosen["frames"], chosen["baud_rate"]) == ("single", 57600)
    assert match_from_values(match_values(match), "match:") == match


def test_a_real_puck_is_not_simulated():
    match = mixed(puck="real")
    assert "puck" not in spec_of(match, "physics").parameters["owns"]


def test_every_joint_has_exactly_one_owner_in_every_mode():
    for match in (load_match(), mixed(), all_real()):
        owned = [body for spec in plan(match) for body in spec.parameters.get("owns", ()) if body != "puck"]
        assert sorted(owned) == sorted(f"{team}/{n}" for team in ("blue", "red") for n in range(3))


def test_two_publishers_of_one_name_are_refused():
    twins = [NodeSpec("physics", name, "", {}, ("joint_states: blue/0/left_wheel",)) for name in ("physics", "driver")]
    with pytest.raises(InputError, match=r"joint_states: blue/0/left_wheel would have 2 publishers: physics, driver"):
        check_one_voice(twins)


def test_mode_sim_overrides_real_robots_of_the_file():
    match = dataclasses.replace(mixed(), mode="sim")
    assert not any(name.startswith("robot_driver") for name in names(match))


def test_namespace_moves_every_node_and_robots_keep_legal_names():
    match = match_from_values({"namespace": "rink_2", "robots": {"blue/0": {"omni_camera": True}}}, "match:")
    specs = plan(match)
    assert all(spec.namespace.startswith("rink_2") for spec in specs)
    assert any(spec.namespace == "rink_2/blue/robot_0/omni" and spec.executable == "omni_unwarp" for spec in specs)


def test_strategies_reach_their_team():
    match = load_match(blue="idle", red="chaser")
    assert spec_of(match, "blue_strategy").parameters["strategy"] == "idle"
    assert spec_of(match, "red_strategy").parameters["strategy"] == "chaser"


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"league": "micro_hocky"}, "did you mean micro_hockey"),
        ({"mode": "fake"}, "mode = 'fake': must be one of sim, real, mixed"),
        ({"robots": {"blue/3": {}}}, "unknown robot; micro_hockey has blue/0 to blue/2"),
        ({"robots": {"blue/0": {"bakend": "real"}}}, "did you mean backend"),
        ({"robots": {"blue/0": "real"}}, "must be a table"),
        ({"robots": ["blue/0"]}, "must be a table such as"),
        ({"mode": "real"}, "no link for blue/0, blue/1"),
        ({"mode": "mixed"}, "no robot is real"),
        ({"mode": "mixed", "robots": {"blue/0": {"backend": "real"}}}, "no link for blue/0"),
        ({"mode": "mixed", "robots": {"blue/0": real(), "red/0": real()}}, "blue/0 and red/0 share address 0 on /dev/ttyUSB0"),
        ({"links": ["/dev/ttyUSB0"]}, "links = ['/dev/ttyUSB0']: must be a table such as"),
        ({"links": {"/dev/ttyUSB0": 9600}}, "links./dev/ttyUSB0 = 9600: must be a table"),
        ({"links": {"/dev/ttyUSB0": {"baud": 9600}}}, "did you mean baud_rate"),
        (
            {"mode": "mixed", "robots": {"blue/0": real()}, "links": {"/dev/ttyUSB1": {}}},
            "links./dev/ttyUSB1: no real robot of this match has that link; did you mean /dev/ttyUSB0?",
        ),
        ({"view_port": 0}, "view_port = 0: must be at least 1"),
        ({"strategy": "x"}, "unknown key"),
    ],
)
def test_mistakes_are_told_in_one_line(values, says):
    with pytest.raises(InputError) as error:
        plan(match_from_values(values, "my.yaml:"))
    assert says in str(error.value)
    assert "\n" not in str(error.value)


def test_a_match_file_is_overridden_by_what_is_given(tmp_path):
    path = tmp_path / "match.yaml"
    path.write_text("league: mirosot_5v5\nblue: idle\n")
    match = load_match(path, red="idle", blue=None, namespace="")
    assert (match.league, match.blue, match.red) == ("mirosot_5v5", "idle", "idle")


def test_a_match_survives_the_command_line():
    match = mixed()
    assert match_from_json(match_to_json(match)) == match


def test_parameters_on_the_command_line_keep_their_type():
    arguments = NodeSpec("x", "x", "ns", {"a": "it's", "b": True, "c": 1.0, "d": [1, 2], "e": ["p", "q"]}, ()).ros_arguments()
    values = [argument for argument in arguments if ":=" in argument]
    assert values[:2] == ["__node:=x", "__ns:=/ns"]
    assert values[2:7] == ["a:='it''s'", "b:=true", "c:=1.0", "d:=[1, 2]", "e:=['p', 'q']"]


def test_every_planned_executable_has_a_node_class():
    for match in (load_match(markers=True), mixed(), all_real()):
        assert {spec.executable for spec in plan(match)} <= NODE_CLASSES.keys()


def test_poses_from_overhead_images_come_from_nobody_else():
    match = load_match(vision="overhead")
    assert {"overhead_camera", "overhead_detector"} <= set(names(match))
    assert spec_of(match, "physics").parameters["detects"] is False
    assert not any(said.startswith("detections") for said in spec_of(match, "physics").says)


def test_a_real_camera_takes_the_place_of_the_simulated_one():
    robots = {f"{team}/{n}": real(address=n + 3 * (team == "red")) for team in ("blue", "red") for n in range(3)}
    values = {"mode": "real", "robots": robots, "vision": "overhead"}
    match = match_from_values({**values, "camera": "/dev/video0", "calibration": "a.yaml"}, "match:")
    assert spec_of(match, "camera").parameters["source"] == "/dev/video0"
    assert spec_of(match, "overhead_detector").parameters["camera"] == "a.yaml"
    assert "overhead_camera" not in names(match)
    with pytest.raises(InputError, match="`camera` must name a real one"):
        plan(match_from_values(values, "match:"))


def test_omni_cameras_on_those_who_carry_one_or_on_all():
    one = match_from_values({"vision": "omni", "robots": {"blue/1": {"omni_camera": True}}}, "match:")
    assert [name for name in names(one) if name.startswith("omni")] == [
        "omni_unwarp",
        "omni_detector_blue_1",
        "omni_camera_blue_1",
    ]
    assert sum(name.startswith("omni_detector") for name in names(load_match(vision="omni"))) == 6


class TestRehearsal:
    def bodies_said(self, specs, executable):
        (spec,) = (spec for spec in specs if spec.executable == executable)
        return {said.split()[1].rpartition("/")[0] for said in spec.says if said.startswith("detections:")}

    def test_all_bodies_in_the_plant_make_a_real_match(self, tmp_path):
        specs = plan(rehearsal("micro_hockey", [], tmp_path, shared=True, shows="images"))
        names = [spec.executable for spec in specs]
        assert names.count("robot_driver") == 1 and names.count("overhead_detector") == 1
        assert not {"physics", "overhead_camera", "camera"} & set(names)
        assert not any(spec.parameters["use_sim_time"] for spec in specs)

    @pytest.mark.parametrize(
        ("bodies", "puck"), [(["blue/0", "red/1"], "sim"), (["blue/0", "puck"], "real"), (["puck"], "real")]
    )
    def test_some_make_a_mixed_one_and_every_body_is_seen_once(self, tmp_path, bodies, puck):
        match = rehearsal("micro_hockey", bodies, tmp_path, shared=False, shows="images")
        assert (match.mode, match.puck) == ("mixed", puck)
        specs = plan(match)
        assert self.bodies_said(specs, "overhead_detector") == {*bodies, *([] if puck == "sim" else ["puck"])}
        assert len(self.bodies_said(specs, "physics")) == 7 - len(bodies)
        assert [spec.executable for spec in specs].count("robot_driver") == sum(b != "puck" for b in bodies)
        assert not next(spec for spec in specs if spec.executable == "physics").parameters["publish_clock"]

    def test_all_real_robots_may_have_a_simulated_puck(self, tmp_path):
        robots = [f"{team}/{n}" for team in ("blue", "red") for n in range(3)]
        specs = plan(rehearsal("micro_hockey", robots, tmp_path, shared=True, shows="images"))
        assert self.bodies_said(specs, "physics") == {"puck"}

    def test_a_body_that_is_none_is_refused(self, tmp_path):
        with pytest.raises(InputError, match="blue/9"):
            rehearsal("micro_hockey", ["blue/9"], tmp_path, shared=True, shows="images")
