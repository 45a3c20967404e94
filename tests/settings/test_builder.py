"""`tf1mem.config` makes a ConfigProto of keyword arguments, `tf1mem.from_env` of variables; both refuse bad values."""

from __future__ import annotations

import os

import pytest

import tf1mem
from tf1mem.errors import EnvironmentVariableError, SettingError, SettingTypeError
from tf1mem.settings.builder import split
from tf1mem.settings.settings import Settings

pytestmark = pytest.mark.usefixtures("tensorflow_version")


def values(config):
    return dict(Settings.of(config).values)


def limits(config):
    return [list(entry.memory_limit_mb) for entry in config.gpu_options.experimental.virtual_devices]


def test_nothing_is_an_empty_configproto():
    import tensorflow as tf

    config = tf1mem.config()
    assert isinstance(config, tf.compat.v1.ConfigProto)
    assert values(config) == {}


def test_each_keyword():
    assert values(
        tf1mem.config(
            allow_growth=True,
            memory_fraction=0.4,
            visible_gpus=[1, 0],
            soft_placement=True,
            log_placement=True,
            threads=(2, 3),
            jit=True,
        )
    ) == {
        "gpu_options.allow_growth": True,
        "gpu_options.per_process_gpu_memory_fraction": 0.4,
        "gpu_options.visible_device_list": "1,0",
        "allow_soft_placement": True,
        "log_device_placement": True,
        "intra_op_parallelism_threads": 2,
        "inter_op_parallelism_threads": 3,
        "graph_options.optimizer_options.global_jit_level": "ON_1",
    }


def test_managed_memory():
    expected = {
        "gpu_options.per_process_gpu_memory_fraction": 1.5,
        "gpu_options.experimental.use_unified_memory": True,
    }
    assert values(tf1mem.config(memory_fraction=1.5, managed_memory=True)) == expected
    assert values(tf1mem.config(memory_fraction=[1.5, 1.5], managed_memory=True)) == expected
    assert values(tf1mem.from_env({"TF1MEM_MEMORY_FRACTION": "1.5", "TF1MEM_MANAGED_MEMORY": "1"})) == expected


def test_one_number_of_threads_is_those_inside_an_op():
    assert values(tf1mem.config(threads=4)) == {"intra_op_parallelism_threads": 4}


def test_limits_come_once_for_each_gpu():
    assert limits(tf1mem.config(memory_limit_mib=2048, visible_gpus=[1, 0])) == [[2048], [2048]]
    assert limits(tf1mem.config(memory_limit_mib=2048, visible_gpus=[3])) == [[2048]]


def test_a_split_is_of_the_first_gpu_or_of_each():
    assert limits(tf1mem.config(split_mib=[2048, 1024], visible_gpus=[0])) == [[2048, 1024]]
    assert limits(tf1mem.config(split_mib=[2048, 1024], visible_gpus=[0, 1])) == [[2048, 1024], []]
    assert limits(tf1mem.config(split_mib=[[512], [256, 256]], visible_gpus=[0, 1])) == [[512], [256, 256]]
    hidden = [split([512], 3, (1, 2)), split([[512], [256]], 3, (0, 2)), split([[1], [2], [3]], 3, (0, 2))]
    assert [[entry.get("memory_limit_mb") for entry in entries] for entries in hidden] == [
        [None, [512], None],
        [[512], None, [256]],
        [[1], [2], [3]],
    ]


def test_equal_shares_are_one_fraction():
    assert values(tf1mem.config(memory_fraction=[0.4, 0.4])) == {"gpu_options.per_process_gpu_memory_fraction": 0.4}


def test_an_empty_list_hides_every_gpu():
    assert values(tf1mem.config(visible_gpus=[])) == {"device_count": {"GPU": 0}}


@pytest.mark.parametrize(
    ("keywords", "says"),
    [
        ({"memory_fraction": 0.4, "memory_limit_mib": 100}, "memory_fraction with memory_limit_mib"),
        ({"memory_fraction": -1}, "per_process_gpu_memory_fraction"),
        ({"memory_fraction": [0.4, 0.0]}, "memory_fraction"),
        ({"memory_fraction": [0.4, 0.5], "visible_gpus": [70, 71]}, "memory_fraction"),
        ({"memory_limit_mib": 0}, "virtual_devices"),
        ({"split_mib": []}, "split_mib"),
        ({"split_mib": [[], [1]]}, "split_mib"),
        ({"visible_gpus": [0, 0]}, "visible_device_list"),
        ({"visible_gpus": [-1]}, "visible_device_list"),
        ({"threads": (1, 2, 3)}, "threads"),
    ],
)
def test_values_that_are_refused(keywords, says):
    with pytest.raises(SettingError, match=says):
        tf1mem.config(**keywords)


@pytest.mark.parametrize(
    "keywords",
    [
        {"memory_fraction": "0.4"},
        {"memory_limit_mib": "2GiB"},
        {"visible_gpus": 0},
        {"visible_gpus": ["0"]},
        {"split_mib": 2048},
        {"split_mib": ["a"]},
        {"threads": "4"},
        {"allow_growth": "yes"},
    ],
)
def test_types_that_are_refused(keywords):
    with pytest.raises(SettingTypeError):
        tf1mem.config(**keywords)


def test_positional_arguments_are_refused():
    with pytest.raises(TypeError):
        tf1mem.config(True)  # type: ignore[call-arg]


# --- environment variables -------------------------------------------------------------------------------------


def test_an_empty_environment():
    assert values(tf1mem.from_env({})) == {}
    assert values(tf1mem.from_env({"TF1MEM_ALLOW_GROWTH": "", "VISIBLE_GPU": " "})) == {}


def test_the_process_environment_is_the_default(monkeypatch):
    for name in list(os.environ):
        if name.startswith("TF1MEM_") or name in ("VISIBLE_GPU", "MEMORY_LIMIT_MB"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("TF1MEM_ALLOW_GROWTH", "true")
    assert values(tf1mem.from_env()) == {"gpu_options.allow_growth": True}


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({"TF1MEM_ALLOW_GROWTH": "1"}, {"gpu_options.allow_growth": True}),
        ({"TF1MEM_ALLOW_GROWTH": "FALSE"}, {}),
        ({"TF1MEM_MEMORY_FRACTION": "0.4"}, {"gpu_options.per_process_gpu_memory_fraction": 0.4}),
        ({"TF1MEM_VISIBLE_GPUS": "1,0"}, {"gpu_options.visible_device_list": "1,0"}),
        ({"VISIBLE_GPU": "1"}, {"gpu_options.visible_device_list": "1"}),
        ({"VISIBLE_GPU": "1", "TF1MEM_VISIBLE_GPUS": "0"}, {"gpu_options.visible_device_list": "0"}),
        ({"TF1MEM_VISIBLE_GPUS": "-1"}, {"device_count": {"GPU": 0}}),
        ({"TF1MEM_SOFT_PLACEMENT": "yes"}, {"allow_soft_placement": True}),
        ({"TF1MEM_LOG_PLACEMENT": "on"}, {"log_device_placement": True}),
    ],
)
def test_variables(environ, expected):
    assert values(tf1mem.from_env(environ)) == expected


def test_variables_with_sizes():
    assert limits(tf1mem.from_env({"TF1MEM_MEMORY_LIMIT_MB": "2048", "VISIBLE_GPU": "0"})) == [[2048]]
    assert limits(tf1mem.from_env({"MEMORY_LIMIT_MB": "1024.5", "VISIBLE_GPU": "0"})) == [[1024.5]]
    both = {"MEMORY_LIMIT_MB": "1", "TF1MEM_MEMORY_LIMIT_MB": "2", "VISIBLE_GPU": "0"}
    assert limits(tf1mem.from_env(both)) == [[2]]
    assert limits(tf1mem.from_env({"TF1MEM_SPLIT_MB": "2048, 1024;512", "VISIBLE_GPU": "0,1"})) == [[2048, 1024], [512]]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("TF1MEM_ALLOW_GROWTH", "maybe"),
        ("TF1MEM_MEMORY_FRACTION", "40%"),
        ("TF1MEM_MEMORY_FRACTION", "nan"),
        ("TF1MEM_MEMORY_FRACTION", "-0.1"),
        ("TF1MEM_MEMORY_LIMIT_MB", "2GiB"),
        ("TF1MEM_MEMORY_LIMIT_MB", "0"),
        ("TF1MEM_MEMORY_LIMIT_MB", "inf"),
        ("MEMORY_LIMIT_MB", "lots"),
        ("TF1MEM_VISIBLE_GPUS", "0,0"),
        ("TF1MEM_VISIBLE_GPUS", "a"),
        ("VISIBLE_GPU", "0,-2"),
        ("TF1MEM_SPLIT_MB", "1,,2"),
        ("TF1MEM_SPLIT_MB", "-1"),
        ("TF1MEM_SOFT_PLACEMENT", "2"),
        ("TF1MEM_LOG_PLACEMENT", "ja"),
        ("TF1MEM_ALLOW_GROWTH", True),
    ],
)
def test_a_malformed_variable_is_named(name, text):
    with pytest.raises(EnvironmentVariableError) as caught:
        tf1mem.from_env({name: text, "TF1MEM_SOFT_PLACEMENT" if name != "TF1MEM_SOFT_PLACEMENT" else "X": "1"})
    assert str(caught.value).startswith(f"{name}={text!r}")


def test_a_misspelled_variable_is_warned_of(caplog):
    assert values(tf1mem.from_env({"TF1MEM_ALLOW_GROWHT": "true"})) == {}
    assert "did you mean TF1MEM_ALLOW_GROWTH?" in caplog.text


def test_variables_that_contradict_each_other_are_all_named():
    with pytest.raises(EnvironmentVariableError) as caught:
        tf1mem.from_env({"TF1MEM_MEMORY_FRACTION": "0.4", "MEMORY_LIMIT_MB": "100"})
    assert "TF1MEM_MEMORY_FRACTION='0.4'" in str(caught.value)
    assert "MEMORY_LIMIT_MB='100'" in str(caught.value)
