"""Settings from outside a program (`--config`, `--override`, variables): which one takes precedence."""

from __future__ import annotations

import pytest

from tf1mem.applying.outside import Origin, apply_override, read_outside
from tf1mem.applying.report import OVERRIDDEN
from tf1mem.errors import EnvironmentVariableError
from tf1mem.settings.settings import Settings

FRACTION = "gpu_options.per_process_gpu_memory_fraction"
VIRTUAL = "gpu_options.experimental.virtual_devices"
SPLIT = {"gpu_options": {"experimental": {"virtual_devices": [{"memory_limit_mb": [1024]}]}}}


def over(config, rules):
    settings = Settings.of(config)
    held, proto, lines = apply_override(settings, settings.to_proto(), Origin("--override r.json", Settings.of(rules)))
    assert Settings.of(proto).values == held.values
    assert {line.outcome for line in lines} <= {OVERRIDDEN}
    return held, {line.step.setting: line.why for line in lines}


@pytest.mark.usefixtures("tensorflow_version")
@pytest.mark.parametrize(
    ("config", "rules", "values", "overridden"),
    [
        ({"device_count": {"GPU": 2}, "log_device_placement": True}, {"device_count": {"GPU": 1}},
         {"device_count": {"GPU": 1}, "log_device_placement": True}, ["device_count"]),
        ({}, {"operation_timeout_in_ms": 2}, {"operation_timeout_in_ms": 2}, ["operation_timeout_in_ms"]),
        ({"intra_op_parallelism_threads": 2}, {"intra_op_parallelism_threads": 2}, {"intra_op_parallelism_threads": 2},
         []),
        ({"gpu_options": {"allow_growth": True}}, {"gpu_options": {"allow_growth": False}}, {},
         ["gpu_options.allow_growth"]),
        (SPLIT, {"gpu_options": {"per_process_gpu_memory_fraction": 0.3}}, {FRACTION: 0.3}, [FRACTION, VIRTUAL]),
    ],
)  # fmt: skip
def test_an_override_takes_effect_and_each_replaced_setting_has_a_line(config, rules, values, overridden):
    held, lines = over(config, rules)
    assert dict(held.values) == values
    assert list(lines) == overridden
    assert all(why.startswith("--override r.json overrides the program, and sets ") for why in lines.values())


@pytest.mark.usefixtures("tensorflow_version")
def test_a_split_that_is_put_above_a_fraction_takes_its_place():
    held, lines = over({"gpu_options": {"per_process_gpu_memory_fraction": 0.9}}, SPLIT)
    assert list(held.values) == [VIRTUAL]
    assert list(lines) == [VIRTUAL, FRACTION]


def test_variables_give_way_to_a_file_and_are_checked_at_once(tmp_path):
    file = tmp_path / "c.json"
    file.write_text("{}")
    environ = {"TF1MEM_MEMORY_FRACTION": "0.3", "MEMORY_LIMIT_MB": "512", "TF1MEM_ALLOW_GROWTH": ""}
    settings = read_outside(None, None, environ)
    assert (settings.config.name, settings.config.file, settings.unused) == ("TF1MEM_MEMORY_FRACTION", None, {})
    settings = read_outside(str(file), None, environ)
    assert (settings.config.file.values, settings.unused) == ({}, {"TF1MEM_MEMORY_FRACTION": "0.3"})
    assert read_outside(None, None, {"MEMORY_LIMIT_MB": "512", "TF1MEM_SIM_CACHE": "/x"}) is None
    with pytest.raises(EnvironmentVariableError, match="TF1MEM_MEMORY_FRACTION='40%'"):
        read_outside(None, str(file), {"TF1MEM_MEMORY_FRACTION": "40%"})


def test_the_wish_for_no_tf32_is_applied_without_any_settings():
    assert read_outside(None, None, {"TF1MEM_TF32": "true"}) is None
    assert read_outside(None, None, {"TF1MEM_TF32": "false"}) == (None, None, {})


def test_a_misspelled_variable_is_warned_of(caplog):
    assert (
        read_outside(None, None, {"TF1MEM_MEMORY_FRACTON": "0.4", "TF1MEM_SIM_CACHE": "/x", "TF1MEM_ALLOW_GROWTH": ""})
        is None
    )
    assert caplog.messages == [
        "TF1MEM_MEMORY_FRACTON='0.4': no effect (tf1mem reads no variable of this name; did you mean "
        "TF1MEM_MEMORY_FRACTION?)"
    ]
