"""Plans for TensorFlow 2.22 and up have caps in whole pages; tests/conformance shows that these caps hold."""

from __future__ import annotations

import pytest

from tf1mem.machine.runtime import suppose
from tf1mem.planning import memory_pages
from tf1mem.settings import protos
from tf1mem.settings.field_names import FRACTION, VIRTUAL
from tf1mem.settings.settings import Settings

GIB, MIB = 2**30, 2**20
# A GPU's size, an odd number, so that no fraction of it is a whole number of pages.
ODD = 85_899_345_921


def gpu(**options):
    return {"gpu_options": options}


def in_pages(tree, gpus, version="2.22.0", count=None):
    config = protos.from_tree(tree)
    runtime = suppose(version, gpus)
    used = None if runtime.gpus is None else runtime.gpus[:count]
    caps = memory_pages.caps(Settings.of(config), runtime, used)
    return config, config if caps is None else protos.with_memory(config, *caps)


@pytest.mark.parametrize(("limit", "whole"), [(2, 2), (3, 2), (1, 2), (2048, 2048), (300.75, 300), (301.5, 300)])
def test_a_limit_is_rounded_down_to_whole_pages(limit, whole):
    assert memory_pages.whole_pages_mib(limit) == whole


@pytest.mark.parametrize("fraction", [0.05, 0.1, 1 / 3, 0.4, 0.5, 0.9, 0.999, 1.0])
@pytest.mark.parametrize("total", [8 * GIB, 10_000 * 10**6, ODD])
def test_a_fraction_comes_to_the_pages_below_it_on_gpus_of_one_size(fraction, total):
    _, rounded = in_pages(gpu(per_process_gpu_memory_fraction=fraction), [total, total])
    share = rounded.gpu_options.per_process_gpu_memory_fraction
    assert share <= 1  # above it means managed memory
    cap = int(total * share)  # as gpu_device.cc computes it
    assert cap % (2 * MIB) == 0
    assert 0 <= int(total * fraction) - cap < 2 * MIB


def test_on_gpus_that_differ_each_has_a_limit_of_its_own():
    _, rounded = in_pages(gpu(per_process_gpu_memory_fraction=0.1), [8 * GIB, 3 * GIB])
    assert rounded.gpu_options.per_process_gpu_memory_fraction == 0
    devices = rounded.gpu_options.experimental.virtual_devices
    assert [list(entry.memory_limit_mb) for entry in devices] == [[818], [306]]
    assert rounded.gpu_options.visible_device_list == ""


def test_gpus_that_device_count_leaves_out_are_not_visible_beside_limits():
    tree = dict(gpu(per_process_gpu_memory_fraction=0.1, visible_device_list="2,0,1"), device_count={"GPU": 2})
    _, rounded = in_pages(tree, [8 * GIB, 3 * GIB, 8 * GIB], count=2)
    assert rounded.gpu_options.visible_device_list == "2,0"
    assert len(rounded.gpu_options.experimental.virtual_devices) == 2


def test_virtual_devices_are_rounded_and_keep_the_rest():
    devices = [{"memory_limit_mb": [301, 2048]}, {}]
    options = {"virtual_devices": devices, "use_unified_memory": True}
    _, rounded = in_pages(gpu(experimental=options, allow_growth=True), [8 * GIB, 8 * GIB])
    first, second = rounded.gpu_options.experimental.virtual_devices
    assert list(first.memory_limit_mb) == [300, 2048]
    assert list(second.memory_limit_mb) == []
    assert rounded.gpu_options.allow_growth
    assert rounded.gpu_options.experimental.use_unified_memory


@pytest.mark.parametrize(
    ("tree", "gpus", "version"),
    [
        (gpu(per_process_gpu_memory_fraction=0.4), [8 * GIB], "2.21.0"),
        (gpu(per_process_gpu_memory_fraction=1.5), [8 * GIB], "2.22.0"),
        (gpu(per_process_gpu_memory_fraction=0.4), 1, "2.22.0"),
        (gpu(allow_growth=True), [8 * GIB], "2.22.0"),
        (gpu(experimental={"virtual_devices": [{"memory_limit_mb": [300, 2048]}]}), [8 * GIB], "2.22.0"),
    ],
)
def test_a_config_without_limits_to_round_is_unchanged(tree, gpus, version):
    config, rounded = in_pages(tree, gpus, version)
    assert rounded is config


@pytest.mark.parametrize(
    "tree",
    [
        gpu(per_process_gpu_memory_fraction=0.1, allow_growth=True),
        gpu(per_process_gpu_memory_fraction=0.1, visible_device_list="1, 0"),
        dict(gpu(per_process_gpu_memory_fraction=0.1, visible_device_list="1,0"), device_count={"GPU": 2}),
    ],
)
@pytest.mark.parametrize("gpus", [[8 * GIB, 8 * GIB], [8 * GIB, 3 * GIB]])
def test_a_rounded_config_still_reads_as_the_original(tree, gpus):
    config, rounded = in_pages(tree, gpus)
    assert rounded is not config
    assert Settings.of(rounded) == Settings.of(config)
    protos.renumber(rounded, rounded.gpu_options.visible_device_list[::-1])
    assert Settings.of(rounded) == Settings.of(config)


def test_later_changes_to_a_rounded_config_take_effect():
    _, rounded = in_pages(gpu(per_process_gpu_memory_fraction=0.1), [8 * GIB])
    rounded.gpu_options.per_process_gpu_memory_fraction = 0.2
    assert Settings.of(rounded).get(FRACTION) == 0.2
    _, rounded = in_pages(gpu(experimental={"virtual_devices": [{"memory_limit_mb": [301]}]}), [8 * GIB])
    rounded.gpu_options.experimental.virtual_devices[0].memory_limit_mb[0] = 77
    assert Settings.of(rounded).get(VIRTUAL)[0].memory_limit_mb == (77,)
