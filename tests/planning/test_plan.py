"""Each setting takes the right route on every TensorFlow; plans are made without TensorFlow."""

from __future__ import annotations

from dataclasses import replace

import pytest

import tf1mem
from tf1mem.errors import SettingError, TensorFlowTooOldError
from tf1mem.machine.cuda import CudaGpu
from tf1mem.machine.eager_context import TAKEN
from tf1mem.machine.runtime import suppose
from tf1mem.planning.plan import make
from tf1mem.planning.steps import SCHEMA, shown
from tf1mem.settings.settings import Settings

GIB = 2**30
FRACTION = "gpu_options.per_process_gpu_memory_fraction"
GROWTH = "gpu_options.allow_growth"
VISIBLE = "gpu_options.visible_device_list"
VIRTUAL = "gpu_options.experimental.virtual_devices"
# The step of a plan for calls without a config, such as Servers: every plan has it, and some list it as a line.
OTHERS = "(without a config)"


def gpu(**options):
    return {"gpu_options": options}


def routes(config, version, gpus=(8 * GIB, 8 * GIB)):
    """Returns pairs of a setting and its route, in the plan's order."""
    plan = tf1mem.plan(config, tensorflow=version, gpus=gpus)
    return [(step.setting, step.route) for step in plan.steps[1:] if step.setting != OTHERS]


def step(config, version, setting, route, gpus=(8 * GIB, 8 * GIB)):
    """Returns the step of a setting on a route; fails unless there is exactly one."""
    plan = tf1mem.plan(config, tensorflow=version, gpus=gpus)
    (match,) = [step for step in plan.steps if (step.setting, step.route) == (setting, route)]
    return match


@pytest.mark.parametrize("version", ["2.0.4", "2.1.4", "2.4.4", "2.10.1", "2.15.1", "2.18.1", "2.21.0", "2.22.0rc0"])
def test_growth_is_a_documented_call_on_tf2(version):
    assert routes(gpu(allow_growth=True), version) == [(GROWTH, "tf.config")]


@pytest.mark.parametrize(
    ("version", "route"),
    [("2.0.4", "tf.config"), ("2.1.4", "eager config"), ("2.4.4", "tf.config"), ("2.14.1", "tf.config"),
     ("2.15.0", "eager config"), ("2.21.0", "eager config")],
)  # fmt: skip
def test_a_fraction_goes_to_the_byte_where_a_config_reaches_the_context(version, route):
    assert routes(gpu(per_process_gpu_memory_fraction=0.05), version) == [(FRACTION, route)]


@pytest.mark.parametrize(("limit", "lines"), [(1024.0, 1), (2048.0, 0)])
def test_a_limit_that_the_program_set_by_tf_config_and_that_is_replaced_has_a_line(limit, lines):
    split = gpu(experimental={"virtual_devices": [{"memory_limit_mb": [2048]}]})
    name = "/physical_device:GPU:0"
    runtime = replace(suppose("2.21.0", [8 * GIB]), context=TAKEN, limits={name: (limit,)})
    steps = [step for step in make(Settings.of(split), runtime).steps if name in step.reason]
    assert [(str(step.value), step.route) for step in steps] == [("[1024]", "none")] * lines


@pytest.mark.parametrize(
    ("limits", "parts"),
    [
        ({}, []),
        ({0: (512,)}, []),
        ({0: (300,)}, ["replaces it"]),
        ({1: (512,)}, ["GPU:1 keeps the limits that the program itself set on it, [512] MiB"]),
        (
            {0: (400,), 1: (300, 200)},
            ["replaces it", "GPU:1 keeps the limits that the program itself set on it, [300, 200]"],
        ),
    ],
)
def test_limits_that_the_program_set_are_compared_gpu_by_gpu(limits, parts):
    split = gpu(experimental={"virtual_devices": [{"memory_limit_mb": [512]}, {"memory_limit_mb": []}]})
    names = {f"/physical_device:GPU:{number}": sizes for number, sizes in limits.items()}
    for version in ("2.10.1", "2.15.1") if limits else ("2.15.1",):
        runtime = replace(suppose(version, [8 * GIB] * 2), context=TAKEN, limits=names)
        lines = [step.reason for step in make(Settings.of(split), runtime).steps if "the program itself" in step.reason]
        assert len(lines) == len(parts)
        assert all(part in line for part, line in zip(parts, lines))


def test_gpus_that_the_program_hid_are_given_nothing():
    runtime = replace(suppose("2.15.1", [2 * GIB, 4 * GIB]), context=TAKEN, shown=(1,))
    half = make(Settings.of(gpu(per_process_gpu_memory_fraction=0.5)), runtime)
    assert [step.args[0] for step in half.steps if step.action == "logical_gpus"] == [(({"memory_limit": 2048},),)]
    limits = [{"memory_limit_mb": [size]} for size in (200, 300, 400)]
    for entries in (limits[1:2], limits[:2]):  # entries for the visible GPUs, or for all GPUs
        planned = make(Settings.of(gpu(experimental={"virtual_devices": entries})), runtime)
        assert [step.args[0] for step in planned.steps if step.action == "logical_gpus"] == [
            (({"memory_limit": 300},),)
        ]
    with pytest.raises(SettingError, match="3 entries, but this process uses 1 GPU"):
        make(Settings.of(gpu(experimental={"virtual_devices": limits})), runtime)


def test_on_2_10_a_session_would_bring_back_the_gpus_that_the_program_hid():
    split = gpu(experimental={"virtual_devices": [{"memory_limit_mb": [512]}, {"memory_limit_mb": []}]})
    runtime = replace(suppose("2.10.1", [8 * GIB] * 3), context=TAKEN, shown=(0, 2))
    (line,) = [step for step in make(Settings.of(split), runtime).steps if step.setting == VIRTUAL]
    assert (line.action, line.loud) == ("hand", True)


def test_on_2_10_growth_beside_split_cpus_is_not_dropped():
    config = gpu(
        allow_growth=True, experimental={"virtual_devices": [{"memory_limit_mb": [256, 256]}, {"memory_limit_mb": []}]}
    )
    runtime = replace(suppose("2.10.1", [8 * GIB] * 2), context=TAKEN)
    steps = make(Settings.of(dict(config, device_count={"CPU": 2})), runtime).steps
    assert [step.route for step in steps if step.setting == GROWTH] == ["environment"]


def test_a_limit_of_the_program_is_not_left_beside_a_fraction():
    runtime = replace(suppose("2.21.0", [8 * GIB]), limits={"/physical_device:GPU:0": (1024,)})
    steps = make(Settings.of(gpu(per_process_gpu_memory_fraction=0.25)), runtime).steps
    lines = [(step.route, str(step.value)) for step in steps if step.setting != OTHERS][1:]
    assert lines == [("tf.config", "0.25"), ("none", "[1024]")]


def test_beside_logical_devices_of_the_program_growth_and_a_fraction_go_another_way():
    """If any device is split, even the CPU, TensorFlow drops growth and refuses a fraction in the eager context."""
    runtime = replace(suppose("2.21.0", [8 * GIB]), splits=True)
    steps = make(Settings.of(gpu(per_process_gpu_memory_fraction=0.25, allow_growth=True)), runtime).steps
    assert {step.setting: step.route for step in steps if step.setting in (FRACTION, GROWTH)} == {
        FRACTION: "tf.config",
        GROWTH: "eager config",
    }
    steps = make(Settings.of(gpu(allow_growth=True)), runtime).steps
    assert [step.route for step in steps if step.setting == GROWTH] == ["eager config"]


def test_a_fraction_in_whole_mib_is_cut_not_rounded():
    fraction = step(
        gpu(per_process_gpu_memory_fraction=0.05), "2.4.4", FRACTION, "tf.config", [8 * GIB, 10_000 * 2**20 + 1]
    )
    assert fraction.args == ((({"memory_limit": 409},), ({"memory_limit": 500},)),)
    assert "gpus[0], [tf.config.LogicalDeviceConfiguration(memory_limit=409)]" in fraction.call
    assert "gpus[1], [tf.config.LogicalDeviceConfiguration(memory_limit=500)]" in fraction.call


def test_a_fraction_to_the_byte_says_how_many():
    fraction = step(gpu(per_process_gpu_memory_fraction=0.05), "2.21.0", FRACTION, "eager config")
    assert "429,496,576 bytes" in fraction.reason  # TF 1.15.5 reserves this on 8 GiB


@pytest.mark.parametrize(
    ("gpus", "route", "says"),
    [([8 * GIB] * 2, "eager config", "2 MiB (427,819,008 bytes)"), ([8 * GIB, 3 * GIB], "tf.config", "2 MiB:")],
)
def test_a_fraction_comes_in_whole_pages_on_2_22(gpus, route, says):
    fraction = step(gpu(per_process_gpu_memory_fraction=0.05), "2.22.0", FRACTION, route, gpus)
    assert says in fraction.reason


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("2.4.4", [(FRACTION, "tf.config"), (GROWTH, "environment")]),
        ("2.21.0", [(FRACTION, "eager config"), (GROWTH, "tf.config")]),
    ],
)
def test_growth_with_a_fraction(version, expected):
    assert routes(gpu(allow_growth=True, per_process_gpu_memory_fraction=0.4), version) == expected


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("2.4.4", [(VIRTUAL, "tf.config"), (GROWTH, "environment")]),
        ("2.21.0", [(GROWTH, "eager config"), (VIRTUAL, "tf.config")]),
    ],
)
def test_growth_with_a_limit_never_goes_to_tf_config_which_drops_it(version, expected):
    config = gpu(allow_growth=True, experimental={"virtual_devices": [{"memory_limit_mb": [1024]}]})
    assert routes(config, version, [8 * GIB]) == expected


@pytest.mark.parametrize(("version", "route"), [("2.4.4", "tf.config"), ("2.21.0", "eager config")])
def test_a_gpu_left_whole_beside_a_split_one_goes_by_a_config_proto_where_one_is_taken(version, route):
    config = gpu(experimental={"virtual_devices": [{"memory_limit_mb": [1024]}, {}]})
    assert routes(config, version, [8 * GIB, 8 * GIB]) == [(VIRTUAL, route)]


@pytest.mark.parametrize(
    ("sizes", "action", "loud"),
    [([[1024], []], "start_now", False), ([[], [1024]], "start_now", False), ([[512, 512], []], "hand", True)],
)
def test_on_2_10_a_gpu_left_whole_beside_a_limited_one_is_a_session_s_to_say(sizes, action, loud):
    """On 2.10 tf.config accepts limits only for all GPUs or none, and the eager context would see one of two parts."""
    config = gpu(allow_growth=True, experimental={"virtual_devices": [{"memory_limit_mb": parts} for parts in sizes]})
    assert (GROWTH, "tf.config") in routes(config, "2.10.1", [8 * GIB, 8 * GIB])
    line = step(config, "2.10.1", VIRTUAL, "session", [8 * GIB, 8 * GIB])
    assert (line.action, line.loud) == (action, loud)
    alike = gpu(experimental={"virtual_devices": [{"memory_limit_mb": [1024]}, {"memory_limit_mb": [1024]}]})
    assert routes(alike, "2.10.1", [8 * GIB, 8 * GIB]) == [(VIRTUAL, "tf.config")]


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("2.4.4", [("device_count", "tf.config"), (GROWTH, "environment")]),
        ("2.21.0", [(GROWTH, "eager config"), ("device_count", "tf.config")]),
    ],
)
def test_growth_with_logical_cpus_never_goes_to_tf_config_either(version, expected):
    config = dict(gpu(allow_growth=True), device_count={"CPU": 2})
    assert routes(config, version) == expected


def test_logical_cpus_rule_out_a_fraction_for_the_context():
    config = dict(gpu(per_process_gpu_memory_fraction=0.5), device_count={"CPU": 2})
    assert (FRACTION, "tf.config") in routes(config, "2.21.0")


# An option for a config with a fraction above 1, which says explicitly that managed memory is meant.
MANAGED = {"experimental": {"use_unified_memory": True}}


def test_a_fraction_above_1():
    assert (FRACTION, "eager config") in routes(gpu(per_process_gpu_memory_fraction=1.5, **MANAGED), "2.21.0")
    at_once = step(gpu(per_process_gpu_memory_fraction=1.5, **MANAGED), "2.4.4", FRACTION, "session")
    assert at_once.action == "start_now"
    assert "managed memory" in at_once.reason
    for version, route in (("2.21.0", "eager config"), ("1.13.2", "session")):
        config = gpu(per_process_gpu_memory_fraction=1.5, **MANAGED)
        assert "managed memory" in step(config, version, FRACTION, route).reason


def test_visible_gpus_in_order_and_out_of_it():
    assert routes(gpu(visible_device_list="0,1"), "2.21.0")[0] == (VISIBLE, "tf.config")
    assert routes(gpu(visible_device_list="1"), "2.21.0")[0] == (VISIBLE, "tf.config")
    reordered = step(gpu(visible_device_list="1,0"), "2.21.0", VISIBLE, "environment")
    assert reordered.call.startswith("CUDA_VISIBLE_DEVICES=1,0")


@pytest.mark.parametrize(
    ("spelling", "version"),
    [("tf.config.experimental.set_visible_devices", "2.0.4"), ("tf.config.set_visible_devices", "2.1.4")],
)
def test_calls_are_spelled_as_the_version_has_them(spelling, version):
    assert step(gpu(visible_device_list="1"), version, VISIBLE, "tf.config").call.startswith(spelling + "(")


@pytest.mark.parametrize(
    ("version", "capability", "variable", "expected"),
    [
        ("2.21.0", (8, 6), "", [(True, "")]),
        ("2.21.0", (8, 6), "false", [(False, "tf.config.experimental.enable_tensor_float_32_execution(False)")]),
        ("2.4.4", (9, 0), "", [(True, "")]),
        ("2.21.0", None, "False", [(False, "tf.config.experimental.enable_tensor_float_32_execution(False)")]),
        ("2.21.0", None, "", []),
        ("2.21.0", (7, 5), "false", []),
        ("2.3.4", (8, 6), "false", []),
        ("1.15.5", (8, 6), "false", []),
    ],
)
def test_tf32_has_a_line_on_gpus_that_compute_in_it(version, capability, variable, expected):
    runtime = suppose(version, [CudaGpu(8 * GIB, capability)])
    planned = make(Settings.of({}), replace(runtime, environment={"TF1MEM_TF32": variable}))
    assert [(step.value, step.call) for step in planned.steps if step.setting == "TF32"] == expected


def test_device_count():
    hidden = step({"device_count": {"GPU": 0}}, "2.21.0", "device_count", "tf.config")
    assert hidden.args == (None, 0)
    assert routes({"device_count": {"gpu": 0}}, "2.21.0")[0] == ("device_count", "none")
    assert routes({"device_count": {"gpu": 0}}, "1.15.5") == [("device_count", "none")]
    for_both = [("device_count", "tf.config"), ("device_count", "none")]
    assert routes({"device_count": {"GPU": 1, "CPU": 1}}, "2.21.0") == for_both
    assert routes({"device_count": {"CPU": 1}}, "2.21.0") == [("device_count", "none")]
    assert routes({"device_count": {"CPU": 1}}, "1.15.5") == [("device_count", "session")]


def test_soft_placement_is_said_on_tf2_unless_it_is_left_to_tensorflow():
    soft_off = [("allow_soft_placement", "tf.config")]
    assert routes({}, "2.21.0") == []
    assert routes(None, "2.21.0") == routes({"allow_soft_placement": False}, "2.21.0") == soft_off
    assert step(None, "2.21.0", "allow_soft_placement", "tf.config").args == (False,)
    assert step({"allow_soft_placement": True}, "2.21.0", "allow_soft_placement", "tf.config").args == (True,)
    assert routes(None, "1.15.5") == []


def test_tf1_is_a_matter_of_the_session_first():
    assert routes(gpu(allow_growth=True), "1.15.5") == [(GROWTH, "session"), (GROWTH, "tf.config")]
    assert routes(gpu(allow_growth=True), "1.13.2") == [(GROWTH, "session"), ("(all of these)", "session")]


@pytest.mark.parametrize(
    ("version", "kind"), [("1.13.1", True), ("1.14.0", True), ("2.0.0rc1", False), ("2.4.0+nv22.1", False),
                          ("2.22.0.dev20260101", False), ("2.4.0-tf", False), ("1.15.2 (custom)", True), (2.4, False)]
)  # fmt: skip
def test_versions_of_all_kinds(version, kind):
    assert tf1mem.plan({}, tensorflow=version).runtime.is_tf1 is kind


@pytest.mark.parametrize(("version", "untested"), [("2.22.0", False), ("2.23.0rc0", True), ("2.30", True), ("3", True)])
def test_a_version_newer_than_those_tested_has_a_line_that_says_so(version, untested):
    plan = tf1mem.plan({}, tensorflow=version)
    assert ("is tested on TensorFlow 1.13 to 2.22" in " ".join(str(plan).split())) is untested


@pytest.mark.parametrize("version", ["1.12.3", "0.12", "1.13.0.dev0"])
def test_an_old_version(version):
    if version == "1.13.0.dev0":
        assert tf1mem.plan({}, tensorflow=version)
    else:
        with pytest.raises(TensorFlowTooOldError):
            tf1mem.plan({}, tensorflow=version)


@pytest.mark.parametrize("version", ["", "two", object(), "v", "9" * 5000])
def test_no_version(version):
    with pytest.raises(SettingError, match="is not a version"):
        tf1mem.plan({}, tensorflow=version)


@pytest.mark.parametrize("gpus", [-1, True, "two", "2", [0], [None], [float("inf")], 1.5])
def test_no_number_of_gpus(gpus):
    with pytest.raises(SettingError, match="gpus="):
        tf1mem.plan({}, tensorflow="2.21.0", gpus=gpus)


@pytest.mark.parametrize(
    ("config", "says"),
    [
        (gpu(visible_device_list="7"), "there is no GPU 7: this process sees GPUs 0 to 1"),
        (gpu(experimental={"virtual_devices": [{"memory_limit_mb": [9000]}, {}]}), "9000 MiB is more than GPU 0 has"),
        (gpu(experimental={"virtual_devices": [{"memory_limit_mb": [5000, 5000]}, {}]}), "10000 MiB is more"),
        (gpu(experimental={"virtual_devices": [{"memory_limit_mb": [1]}]}), "1 entry, but this process uses 2 GPUs"),
        (
            dict(gpu(experimental={"virtual_devices": [{"memory_limit_mb": [1]}]}), device_count={"GPU": 0}),
            "1 entry, but this process uses 0 GPUs",
        ),
        (
            dict(gpu(experimental={"virtual_devices": [{"memory_limit_mb": [1]}]}), device_count={"GPU": 1}),
            "1 entry, but this process sees 2 GPUs",
        ),
        (gpu(per_process_gpu_memory_fraction=1e-5), "less than 1 MiB"),
    ],
)
def test_settings_that_these_gpus_cannot_have_are_refused(config, says):
    with pytest.raises(SettingError, match=says):
        tf1mem.plan(config, tensorflow="2.4.4", gpus=[8 * GIB, 8 * GIB])


@pytest.mark.parametrize("version", ["1.13.2", "1.15.5", "2.21.0"])
def test_without_gpus_every_gpu_setting_has_one_line_which_says_so(version):
    config = dict(
        gpu(allow_growth=True, per_process_gpu_memory_fraction=0.4, visible_device_list="7", allocator_type="BFC"),
        device_count={"GPU": 0},
    )
    plan = tf1mem.plan(config, tensorflow=version, gpus=0)
    by_setting = {}
    for step in plan.steps:
        by_setting.setdefault(step.setting, []).append((step.route, step.reason))
    for setting in (GROWTH, FRACTION, VISIBLE, "gpu_options.allocator_type"):
        assert by_setting[setting] == [("none", "no GPU here")]
    assert by_setting["device_count"] == [("none", "no GPU here")]


def test_steps_come_in_the_order_in_which_they_are_taken():
    config = {
        "gpu_options": {"visible_device_list": "0", "allow_growth": True},
        "graph_options": {"optimizer_options": {"global_jit_level": "ON_1"}, "place_pruned_graph": True},
        "intra_op_parallelism_threads": 2,
        "inter_op_parallelism_threads": 3,
        "log_device_placement": True,
    }
    assert [setting for setting, _ in routes(config, "2.21.0")] == [
        "graph_options.place_pruned_graph",  # set in the eager context's ConfigProto before anything reads it
        VISIBLE,
        GROWTH,
        "log_device_placement",
        "intra_op_parallelism_threads",
        "inter_op_parallelism_threads",
        "graph_options.optimizer_options.global_jit_level",
    ]


def test_cuda_starts_in_its_order_before_tf_config_and_a_session_made_at_once_comes_after_it():
    config = gpu(visible_device_list="1,0", allow_growth=True, per_process_gpu_memory_fraction=1.5, **MANAGED)
    actions = [step.action for step in tf1mem.plan(config, tensorflow="2.4.4", gpus=[8 * GIB, 8 * GIB]).steps]
    assert actions == ["", "cuda_order", "growth", "hand", "start_now", "set_default"]
    actions = [step.action for step in tf1mem.plan(config, tensorflow="2.21.0", gpus=[8 * GIB, 8 * GIB]).steps]
    assert actions == ["", "carry", "carry", "cuda_order", "growth", "set_default"]


@pytest.mark.parametrize(
    ("config", "gpus", "listed"),
    [
        (gpu(allow_growth=True), 1, True),
        (gpu(allow_growth=True), None, True),
        (gpu(allow_growth=True), 0, False),
        ({"device_count": {"GPU": 0}}, 1, True),
        ({"device_count": {"CPU": 2}, "log_device_placement": True}, 1, False),
        ({}, 1, False),
    ],
)
def test_the_config_for_other_sessions_has_a_line_if_it_configures_gpus(config, gpus, listed):
    plan = tf1mem.plan(config, tensorflow="2.21.0", gpus=gpus)
    assert (plan.steps[-1].setting, plan.steps[-1].action, plan.steps[-1].listed) == (OTHERS, "set_default", listed)
    assert (OTHERS in str(plan)) is listed


@pytest.mark.parametrize(
    ("version", "call"),
    [
        ("1.14.0", "tf.train.Server(…), device_lib.list_local_devices(), tf.keras"),
        ("1.15.5", "tf.train.Server(…), device_lib.list_local_devices()"),
        ("2.21.0", "tf.distribute.Server(…), device_lib.list_local_devices()"),
    ],
)
def test_the_call_that_takes_a_default_config(version, call):
    assert step(gpu(allow_growth=True), version, OTHERS, "default config").call == call


def test_rewrite_options_that_tf_config_knows_and_those_it_does_not():
    config = {
        "graph_options": {
            "rewrite_options": {"remapping": "OFF", "loop_optimization": "AGGRESSIVE", "min_graph_nodes": -1}
        }
    }
    prefix = "graph_options.rewrite_options."
    planned = dict(routes(config, "2.21.0"))
    assert planned[prefix + "remapping"] == "tf.config"
    assert planned[prefix + "min_graph_nodes"] == "tf.config"
    assert planned[prefix + "loop_optimization"] == "eager config"
    assert dict(routes(config, "2.4.4"))[prefix + "loop_optimization"] == "session"


def test_settings_of_a_session_take_the_route_session():
    for path in ("isolate_session_state", "share_cluster_devices_in_session"):
        assert routes({path: True}, "2.21.0")[-1] == (path, "session")


def test_defaults_written_out_have_a_line_too():
    assert (GROWTH, "none") in routes(gpu(allow_growth=False), "2.21.0")


def test_the_table_fits_and_names_everything():
    config = dict(gpu(allow_growth=True, per_process_gpu_memory_fraction=0.4, visible_device_list="1,0"), jit=None)
    del config["jit"]
    plan = tf1mem.plan(config, tensorflow="2.4.4", gpus=2)
    for width in (60, 80, 200):
        text = plan.as_text(width)
        assert max(map(len, text.splitlines())) <= width
        joined = text.replace("\n", "").replace(" ", "")
        for step_shown in plan.steps[1:]:
            for part in (shown(step_shown.value), step_shown.route, step_shown.call, step_shown.reason):
                assert part.replace(" ", "") in joined
    assert str(plan).splitlines()[0].startswith("tf1mem")


def test_a_plan_as_plain_values():
    import json

    plain = json.loads(json.dumps(tf1mem.plan(gpu(allow_growth=True), tensorflow="2.21.0", gpus=[GIB]).as_dict()))
    assert plain["gpus"] == [GIB]
    assert (plain["schema"], plain["steps"][1]["setting"]) == (SCHEMA, GROWTH)


def test_plain_values_keep_their_types():
    import json

    config = {
        "gpu_options": {
            "allow_growth": True,
            "visible_device_list": "0,1",
            "allocator_type": "",
            "experimental": {"virtual_devices": [{"memory_limit_mb": [1024.5, 512]}, {}]},
        },
        "device_count": {"CPU": 2},
        "intra_op_parallelism_threads": 2,
    }
    as_json = json.loads(json.dumps(tf1mem.plan(config, tensorflow="2.21.0", gpus=2).as_dict()))
    assert {step["setting"]: step["value"] for step in as_json["steps"][1:-1]} == {
        GROWTH: True,
        VISIBLE: "0,1",
        "gpu_options.allocator_type": None,
        VIRTUAL: [{"memory_limit_mb": [1024.5, 512]}, {}],
        "device_count": {"CPU": 2},
        "intra_op_parallelism_threads": 2,
    }


def test_planning_another_machine_imports_no_tensorflow(python, tmp_path):
    (tmp_path / "settings.pbtxt").write_text("gpu_options { allow_growth: true }")
    out = python(
        """
        import sys, tf1mem
        tf1mem.plan("settings.pbtxt", tensorflow="2.21.0", gpus=2)
        tf1mem.plan({"gpu_options": {"allow_growth": True}}, tensorflow="2.21.0", gpus=2)
        print([name for name in ("tensorflow", "google.protobuf", "numpy") if name in sys.modules])
        """
    )
    assert out == "[]\n"
