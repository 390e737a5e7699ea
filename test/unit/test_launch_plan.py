"""The launch plan: who runs, who owns what, and what is refused."""

from __future__ import annotations

import dataclasses

import pytest

from robohockey_core.checked import InputError
from robohockey_core.launch_plan import NODE_CLASSES, NodeSpec, check_one_voice, plan
from robohockey_core.league import load_league
from robohockey_core.match_file import load_match, match_from_values, match_values
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
    assert spec_of(match, "web_view").parameters["placed"] == spec_of(match, "physics").parameters["owns"]


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
        ({"vision": "omni"}, "micro_hockey plays on ice"),
        ({"cameras": {"source": "0"}}, "must be a list such as"),
        ({"cameras": [{"sorce": "0"}]}, "cameras[0].sorce: unknown key; did you mean source"),
        ({"cameras": [{"source": "0"}, {}]}, "all are real or all are simulated"),
        ({"camera": "0", "cameras": [{"source": "1"}]}, "give the one or the other"),
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
    robots = {"blue/1": {"omni_camera": True}}
    one = match_from_values({"league": "msl_omni", "vision": "omni", "robots": robots}, "match:")
    assert [name for name in names(one) if name.startswith("omni")] == [
        "omni_unwarp",
        "omni_camera_blue_1",
        "omni_detector_blue_1",
    ]
    all_of_them = names(load_match(league="msl_omni", vision="omni"))
    assert sum(name.startswith("omni_detector") for name in all_of_them) == len(load_league("msl_omni").robots())


def test_poses_from_omni_images_come_from_nobody_else():
    values = {"league": "msl_omni", "vision": "omni", "robots": {"blue/1": {"omni_camera": True}}}
    for match in (match_from_values(values, "match:"), load_match(league="msl_omni", vision="omni")):
        assert spec_of(match, "physics").parameters["detects"] is False
        assert not any(said.startswith("detections") for said in spec_of(match, "physics").says)
        assert "detections: blue/1/yaw" in spec_of(match, "omni_detector_blue_1").says


def test_beside_real_robots_the_physics_shows_what_no_real_omni_camera_sees():
    robots = {"blue/0": real(omni_camera=True), "red/0": {"omni_camera": True}}
    match = match_from_values({"league": "msl_omni", "mode": "mixed", "vision": "omni", "robots": robots}, "match:")
    assert [name for name in names(match) if name.startswith("omni_detector")] == ["omni_detector_blue_0"]
    assert [name for name in names(match) if name.startswith("omni_camera")] == ["omni_camera_red_0"]
    assert spec_of(match, "omni_detector_blue_0").parameters["bodies"] == ["blue/0"]
    said = spec_of(match, "physics").says
    assert "detections: red/0/x" in said and "detections: puck/x" in said
    assert "detections: blue/0/x" not in said


def test_omni_images_beside_an_overhead_camera():
    match = match_from_values({"vision": "overhead", "robots": {"blue/0": {"omni_camera": True}}}, "match:")
    assert {"overhead_camera", "overhead_detector", "omni_camera_blue_0", "omni_unwarp"} <= set(names(match))
    assert not any(name.startswith("omni_detector") for name in names(match))


def test_a_real_omni_camera_has_its_source_and_its_calibration():
    robots = {"blue/0": real(omni_source="/dev/video2", omni_calibration="mirror.yaml"), "blue/1": {"omni_source": "1"}}
    match = match_from_values({"league": "msl_omni", "mode": "mixed", "vision": "omni", "robots": robots}, "match:")
    assert spec_of(match, "camera_blue_0").parameters["source"] == "/dev/video2"
    assert spec_of(match, "camera_blue_0").parameters["robot"] == "blue/0"
    assert spec_of(match, "omni_unwarp").parameters["calibration"] == "mirror.yaml"
    assert spec_of(match, "omni_detector_blue_0").parameters["mirror"] == "mirror.yaml"
    assert not any(spec.name == "camera_blue_1" for spec in plan(match)), "a simulated robot's camera is simulated"
    alone = dataclasses.replace(match, mode="sim")
    assert "camera_blue_0" not in names(alone) and "omni_camera_blue_0" in names(alone)
    assert spec_of(alone, "omni_unwarp").parameters["calibration"] == ""


def test_several_overhead_cameras_each_with_its_size_and_rate():
    cameras = [
        {"source": "/dev/video0", "calibration": "left.yaml", "width_px": 1280, "height_px": 960, "frame_rate_hz": 60.0},
        {"source": "topic", "colors": "right_colors.yaml"},
    ]
    match = mixed(vision="overhead", cameras=cameras, colors="colors.yaml", marks="tags")
    camera, first, second = (spec_of(match, name) for name in ("camera", "overhead_detector", "overhead_detector_1"))
    assert [camera.parameters[key] for key in ("source", "width_px", "height_px", "frame_rate_hz")] == [
        "/dev/video0", 1280, 960, 60.0
    ]  # fmt: skip
    assert [spec.parameters["colors"] for spec in (first, second)] == ["colors.yaml", "right_colors.yaml"]
    assert (first.parameters["camera"], first.parameters["marks"]) == ("left.yaml", "tags")
    assert not first.remaps
    assert "overhead/image_raw:=overhead_1/image_raw" in second.ros_arguments()
    assert "camera_1" not in names(match), "a node of the user's publishes its images"
    assert match_from_json(match_to_json(match)) == match


def test_several_simulated_overhead_cameras():
    match = match_from_values({"vision": "overhead", "cameras": [{"calibration": "a.yaml"}, {"width_px": 1280}]}, "match:")
    first, second = spec_of(match, "overhead_camera"), spec_of(match, "overhead_camera_1")
    assert first.parameters["camera"] == "a.yaml" and not first.remaps
    assert second.parameters["width_px"] == 1280 and second.remaps == {"overhead/image_raw": "overhead_1/image_raw"}
    assert first.parameters["seed"] != second.parameters["seed"]


def test_an_overhead_detector_says_only_what_its_camera_sees():
    seen = {"vision": "overhead", "camera": "/dev/video0"}
    assert spec_of(mixed(**seen), "overhead_detector").parameters["bodies"] == ["blue/0", "red/1"]
    assert spec_of(mixed(**seen, puck="real"), "overhead_detector").parameters["bodies"] == ["blue/0", "red/1", "puck"]
    assert len(spec_of(load_match(vision="overhead"), "overhead_detector").parameters["bodies"]) == 7


def test_where_nothing_is_real_the_camera_is_simulated_too():
    match = dataclasses.replace(mixed(vision="overhead", camera="/dev/video0"), mode="sim")
    assert "overhead_camera" in names(match) and "camera" not in names(match)
    assert spec_of(match, "physics").parameters["detects"] is False


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
