"""Configs as protocol buffers: settings survive if a config is copied, its GPUs are renumbered, or it is reapplied."""

from __future__ import annotations

import multiprocessing

import pytest

from tf1mem.settings import protos
from tf1mem.settings.settings import Settings

pytestmark = pytest.mark.usefixtures("tensorflow_version")


@pytest.fixture
def config():
    import tensorflow as tf

    proto = tf.compat.v1.ConfigProto(allow_soft_placement=True, device_filters=["/job:ps"])
    proto.gpu_options.visible_device_list = "1,0"
    proto.gpu_options.experimental.virtual_devices.add().memory_limit_mb[:] = [1024, 512]
    proto.gpu_options.experimental.virtual_devices.add()
    proto.graph_options.rewrite_options.constant_folding = 2
    return proto


def test_unset_soft_placement_is_off_in_a_configproto_and_unchanged_by_plain_names():
    import tensorflow as tf

    import tf1mem

    empty = tf.compat.v1.ConfigProto()
    left = tf1mem.config(allow_growth=True)
    for settings, soft in (
        (empty, False),
        (empty.SerializeToString(), False),
        (tf.compat.v1.GPUOptions(allow_growth=True), False),
        (left, None),
        (copy(left), None),
        (left.SerializeToString(), None),
        (Settings.of(left).to_proto(), None),
        (tf1mem.from_env({"TF1MEM_ALLOW_GROWTH": "1"}), None),
        (tf1mem.from_env({"TF1MEM_SOFT_PLACEMENT": "false"}), False),
        (tf1mem.config(soft_placement=False), False),
        (tf1mem.config(soft_placement=True), True),
    ):
        assert Settings.of(settings).soft_placement is soft
        assert not Settings.of(settings).unknown
    left.allow_soft_placement = True
    assert Settings.of(left).soft_placement is True


def copy(config):
    return type(config).FromString(config.SerializeToString())


def test_a_renumbered_config_keeps_its_settings(config):
    expected, before = Settings.of(config), copy(config)
    protos.renumber(config, "0,1")
    assert config.gpu_options.visible_device_list == "0,1"  # Sessions read this field
    for form in (config, copy(config), config.SerializeToString()):
        assert Settings.of(form) == expected
        assert Settings.of(form).to_proto() == before
    assert Settings.of(config).unknown == ()


def test_a_list_that_the_program_changes_afterwards_counts(config):
    protos.renumber(config, "0,1")
    config.gpu_options.visible_device_list = "0,2"
    assert Settings.of(config).visible_gpus == (0, 2)


@pytest.mark.parametrize("forged", ['[[0.9, [], ""], [0.0, [], ""]]', "no JSON", "\xff" * 90, "", "[" * 9000])
def test_a_note_that_tf1mem_did_not_write_hides_nothing_and_has_a_line(config, forged):
    """A forged note in field 536870910, in which tf1mem keeps its own, hides no setting, and is listed as unknown."""
    del config.gpu_options.experimental.virtual_devices[:]
    config.gpu_options.per_process_gpu_memory_fraction = 0.9
    data = forged.encode("latin-1")
    field = b"\xf2\xff\xff\xff\x0f" + bytes([len(data) & 127 | 128, len(data) >> 7]) + data
    settings = Settings.of(config.SerializeToString() + field)
    assert settings.get("gpu_options.per_process_gpu_memory_fraction") == 0.9
    assert settings.unknown == ("ConfigProto#536870910",)


def test_a_child_process_accepts_notes_of_its_parent():
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(protos._signature, (1, "note")) == protos._signature(1, "note")


@pytest.mark.parametrize(
    "path",
    [
        "allow_soft_placement",
        "device_filters",
        "gpu_options.visible_device_list",
        "gpu_options.experimental.virtual_devices",
        "graph_options.rewrite_options.constant_folding",
    ],
)
def test_one_field_is_copied_and_no_other(config, path):
    target = type(config)()
    target.operation_timeout_in_ms = 7
    protos.copy_field(config, target, path)
    assert set(Settings.of(target).values) == {path, "operation_timeout_in_ms"}
    assert Settings.of(target).get(path) == Settings.of(config).get(path)


def test_every_kind_of_field_that_is_set_is_read(config):
    assert dict(Settings.of(config).values).keys() == {
        "allow_soft_placement",
        "device_filters",
        "gpu_options.visible_device_list",
        "gpu_options.experimental.virtual_devices",
        "graph_options.rewrite_options.constant_folding",
    }
