"""Configs are read into Settings, or refused if TensorFlow 1 refuses them; this needs no TensorFlow."""

from __future__ import annotations

import json
import math

import pytest

import tf1mem
from tf1mem.errors import SettingError, SettingTypeError, Tf1memError, UnknownFieldError
from tf1mem.settings.settings import Settings
from tf1mem.settings.values import VirtualDevices, parse_visible


def gpu(**options):
    return {"gpu_options": options}


def virtual(*entries, **options):
    return gpu(experimental={"virtual_devices": list(entries)}, **options)


def test_an_empty_config_has_no_settings():
    assert Settings.of(None).values == {}
    assert Settings.of({}).values == {}


def test_a_dict_is_flattened_to_dotted_names():
    settings = Settings.of(
        {
            "gpu_options": {"allow_growth": True, "per_process_gpu_memory_fraction": 0.4},
            "allow_soft_placement": True,
            "device_count": {"GPU": 0},
            "graph_options": {"rewrite_options": {"constant_folding": "OFF"}, "optimizer_options": {"opt_level": -1}},
        }
    )
    assert settings.values == {
        "gpu_options.allow_growth": True,
        "gpu_options.per_process_gpu_memory_fraction": 0.4,
        "allow_soft_placement": True,
        "device_count": {"GPU": 0},
        "graph_options.rewrite_options.constant_folding": "OFF",
        "graph_options.optimizer_options.opt_level": "L0",
    }


def test_defaults_that_are_written_out_are_kept_apart():
    settings = Settings.of({"gpu_options": {"allow_growth": False}, "log_device_placement": False})
    assert settings.values == {}
    assert settings.spelled_defaults == ("gpu_options.allow_growth", "log_device_placement")


def test_protobufs_json_spelling_is_understood():
    settings = Settings.of({"gpuOptions": {"allowGrowth": True}, "allowSoftPlacement": True})
    assert set(settings.values) == {"gpu_options.allow_growth", "allow_soft_placement"}


def test_virtual_devices():
    settings = Settings.of(virtual({"memory_limit_mb": [2048, 1024]}, {"memory_limit_mb": 512}))
    assert settings.get("gpu_options.experimental.virtual_devices") == (
        VirtualDevices((2048.0, 1024.0)),
        VirtualDevices((512.0,)),
    )


@pytest.mark.parametrize(
    ("text", "gpus"), [("0", (0,)), ("1,0", (1, 0)), (" 0 , 1 ", (0, 1)), ("10,2", (10, 2)), ("007", (7,))]
)
def test_visible_device_list(text, gpus):
    assert parse_visible(text) == gpus
    assert Settings.of(gpu(visible_device_list=text)).visible_gpus == gpus


@pytest.mark.parametrize("text", ["", " "])
def test_an_empty_visible_device_list_means_all(text):
    assert Settings.of(gpu(visible_device_list=text)).visible_gpus is None


@pytest.mark.parametrize("text", ["0,0", "a", "-1", "0,", ",", "1;0", "0x1", "²", "1.0", "GPU-0"])
def test_a_bad_visible_device_list_is_refused(text):
    with pytest.raises(SettingError, match="visible_device_list"):
        Settings.of(gpu(visible_device_list=text))


@pytest.mark.parametrize("fraction", [-0.1, math.nan, math.inf, -math.inf, 10**400])
def test_a_bad_fraction_is_refused(fraction):
    with pytest.raises(SettingError, match="per_process_gpu_memory_fraction"):
        Settings.of(gpu(per_process_gpu_memory_fraction=fraction))


@pytest.mark.parametrize("fraction", ["0.4", True, [0.4], {}])
def test_a_fraction_of_the_wrong_type_is_refused(fraction):
    with pytest.raises(SettingTypeError, match=r"per_process_gpu_memory_fraction.*not a number"):
        Settings.of(gpu(per_process_gpu_memory_fraction=fraction))


@pytest.mark.parametrize("fraction", [0, 0.0, 1, 1e-9])
def test_odd_fractions_that_tf1_takes(fraction):
    assert Settings.of(gpu(per_process_gpu_memory_fraction=fraction))


@pytest.mark.usefixtures("tensorflow_version")
@pytest.mark.parametrize(
    ("fraction", "managed", "message"),
    [
        (1.5, False, "above 1 means managed memory"),
        (4, False, "above 1 means managed memory"),  # 4% of a GPU is too little for anyone
        (40, False, "above 1 means managed memory, 40 times the GPU's; for 40% write 0.4"),
        (40, True, "above 1 means managed memory"),
    ],
)
def test_a_fraction_above_1_is_accepted_everywhere_as_by_tensorflow_1(fraction, managed, message, tmp_path):
    tree = gpu(per_process_gpu_memory_fraction=fraction, experimental={"use_unified_memory": managed})
    proto = Settings.of(tree).to_proto()
    environ = {"TF1MEM_MEMORY_FRACTION": str(fraction), "TF1MEM_MANAGED_MEMORY": str(managed)}
    forms = [
        tree, proto, proto.SerializeToString(), tf1mem.from_env(environ),
        tf1mem.config(memory_fraction=fraction, managed_memory=managed),
    ]  # fmt: skip
    for name, text in (
        ("f.json", json.dumps(tree)),
        ("f.yaml", json.dumps(tree)),
        ("f.pbtxt", str(proto)),
    ):
        (tmp_path / name).write_text(text, encoding="utf-8")
        forms.append(str(tmp_path / name))
    for form in forms:
        for version in ("1.15.5", "2.10.1", "2.21.0"):
            steps = tf1mem.plan(form, tensorflow=version, gpus=[2**30]).steps
            lines = [step.reason for step in steps if step.setting.endswith("memory_fraction")]
            assert any(message in line for line in lines), (form, lines)
            assert any("for 40% write 0.4" in line for line in lines) == ("write" in message), (form, lines)


@pytest.mark.parametrize(
    "tree",
    [
        {"gpu_options": {"experimental": {"virtual_devices": [{"memory_limit_mb": [1], "memoryLimitMb": [2]}]}}},
        {"gpu_options": {"experimental": {"virtualDevices": [{"priority": [1], "priority_": [2], "Priority": [1]}]}}},
        {"gpu_options": {"allow_growth": True}, "gpuOptions": {"visible_device_list": "0"}},
        {"gpu_options": {"allow_growth": True, "allowGrowth": None}},
        {"rpc_options": {"use_rpc_for_inprocess_master": True, "useRpcForInprocessMaster": False}},
        {"cluster_def": {"job": [{"name": "a"}, {"name": "b", "Name": "c", "_name": "d"}]}},
        {"graph_options": {"rewrite_options": {"custom_optimizers": [{"name": "a", "parameter_map": {
            "n": {"list": {"i": [1]}, "func": {"name": "f", "attr": {"a": {"type": 1, "Type": 2, "_type": 3}}}}}}]}}},
    ],
)  # fmt: skip
def test_two_spellings_of_one_field_are_an_error_however_deep(tree):
    with pytest.raises((SettingError, SettingTypeError), match=r"appears twice, in two spellings|no such field"):
        Settings.of(tree)


def test_names_that_a_program_gives_are_no_spellings_of_fields():
    tree = {
        "rewrite_options": {"custom_optimizers": [{"name": "a", "parameter_map": {"aB": {"i": 1}, "a_b": {"i": 2}}}]}
    }
    assert Settings.of({"graph_options": tree})
    assert Settings.of({"device_count": {"gPU": 1, "g_p_u": 2}})


def test_an_error_shows_the_beginning_of_a_value():
    long = 2**20
    for config in (
        gpu(visible_device_list="x" * long), gpu(visible_device_list=",".join(map(str, range(60_000))) + ",1"),
        {"k" * long: 1}, {"gpu_options": {"k" * long: 1}}, gpu(allow_growth="x" * long), gpu(allow_growth=10**5000),
        {"device_count": {"d" * long: -1}}, {"intra_op_parallelism_threads": 16**9999}, [[0] * 999] * 999,
        {1: "x" * long},
        gpu(experimental={"virtual_devices": [{"memory_limit_mb": [1] * 9000, "priority": [1]}]}),
        gpu(experimental={"virtual_devices": [{"memory_limit_mb": ["x" * long]}]}),
        gpu(experimental={"virtual_devices": [{"k" * long: 1}]}),
    ):  # fmt: skip
        with pytest.raises(Tf1memError) as caught:
            Settings.of(config)
        assert len(str(caught.value)) < 500, str(caught.value)[:1000]


@pytest.mark.parametrize("count", [-1, -(2**31)])
def test_threads_that_end_tensorflow_are_refused(count):
    with pytest.raises(SettingError, match=f"intra_op_parallelism_threads={count} is negative"):
        Settings.of({"intra_op_parallelism_threads": count})
    assert Settings.of({"inter_op_parallelism_threads": count})  # all ops run in the caller's thread


@pytest.mark.parametrize(
    ("config", "soft"),
    [
        (None, False), ({}, None), ({"allow_soft_placement": None}, None), ({"allow_soft_placement": False}, False),
        ({"allow_soft_placement": True}, True), (gpu(allow_growth=True), None),
    ],
)  # fmt: skip
def test_soft_placement_that_a_dict_leaves_out_is_left_to_tensorflow(config, soft):
    assert Settings.of(config).soft_placement is soft


@pytest.mark.parametrize("limit", [0, -1, math.nan, math.inf, 0.5])
def test_a_bad_limit_is_refused(limit):
    with pytest.raises(SettingError, match="virtual_devices"):
        Settings.of(virtual({"memory_limit_mb": [limit]}))


def test_virtual_devices_with_a_fraction_are_refused():
    with pytest.raises(SettingError, match="InvalidArgumentError"):
        Settings.of(virtual({"memory_limit_mb": [1024]}, per_process_gpu_memory_fraction=0.4))


def test_virtual_devices_must_match_the_visible_list():
    with pytest.raises(SettingError, match="2 GPUs"):
        Settings.of(virtual({"memory_limit_mb": [1024]}, visible_device_list="0,1"))


def test_a_priority_must_match_its_limits():
    with pytest.raises(SettingError, match="priority"):
        Settings.of(virtual({"memory_limit_mb": [1024, 1024], "priority": [0]}))


@pytest.mark.parametrize(
    ("tree", "nearest"),
    [
        ({"gpu_options": {"alow_growth": True}}, "gpu_options.allow_growth"),
        ({"allow_growth": True}, "gpu_options.allow_growth"),
        ({"allow_softplacement": True}, "allow_soft_placement"),
        ({"gpu_option": {}}, "gpu_options"),
        ({"gpu_options": {"visible_devices_list": "0"}}, "gpu_options.visible_device_list"),
    ],
)
def test_an_unknown_field_names_the_nearest(tree, nearest):
    with pytest.raises(UnknownFieldError, match=f"Did you mean {nearest}"):
        Settings.of(tree)


@pytest.mark.parametrize(
    "tree",
    [
        {"gpu_options": True},
        {"gpu_options": {"allow_growth": "yes"}},
        {"gpu_options": {"allow_growth": 1}},
        {"device_count": 0},
        {"device_count": {"GPU": "0"}},
        {"device_filters": "/job:ps"},
        {"intra_op_parallelism_threads": 2.5},
        {"gpu_options": {"visible_device_list": 0}},
        {"gpu_options": {"experimental": {"virtual_devices": {"memory_limit_mb": [1]}}}},
    ],
)
def test_wrong_types_are_refused(tree):
    with pytest.raises(SettingTypeError):
        Settings.of(tree)


@pytest.mark.parametrize(
    "tree", [{"device_count": {"GPU": -1}}, {"graph_options": {"rewrite_options": {"remapping": "YES"}}}]
)
def test_values_out_of_range_are_refused(tree):
    with pytest.raises(SettingError):
        Settings.of(tree)


@pytest.mark.parametrize("config", [True, 1, 0.4, object(), object, [], {1, 2}, lambda: None])
def test_objects_that_are_no_config_are_refused(config):
    with pytest.raises(SettingTypeError, match=r"tf\.ConfigProto"):
        Settings.of(config)


def test_errors_are_of_the_builtin_kind_that_fits():
    for tree, kind in (({"nonsense": 1}, ValueError), ({"gpu_options": 1}, TypeError)):
        with pytest.raises(kind) as caught:
            Settings.of(tree)
        assert isinstance(caught.value, Tf1memError)
        assert caught.value.remedy in str(caught.value)


@pytest.mark.parametrize(
    "tree",
    [
        gpu(per_process_gpu_memory_fraction=1e300),
        virtual({"memory_limit_mb": [10**400]}),
        virtual({"memory_limit_mb": [1], "priority": [10**400]}),
        gpu(visible_device_list="9" * 5000),
        {"allowSoftPlacement": True, "allow_soft_placement": False},
    ],
)
def test_huge_numbers_and_fields_named_twice_are_refused(tree):
    with pytest.raises(SettingError):
        Settings.of(tree)
