"""Texts such as "8GiB" or "16GiB,name=V100" describe simulated GPUs, and wrong ones are refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tf1mem.errors import SimulationError
from tf1mem.gpusim.gpus import SimulatedGpu, lineup, parse, parse_size
from tf1mem.settings.units import size

GIB = 2**30


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("1B", 1),
        ("8589934593B", 8589934593),
        ("3KiB", 3072),
        ("10000MiB", 10_000 * 2**20),
        ("8GiB", 8 * GIB),
        ("8 GiB", 8 * GIB),
        (" 8gib ", 8 * GIB),
        ("1.5GiB", 3 * GIB // 2),
        ("1TiB", 1024 * GIB),
    ],
)
def test_a_size_is_read_to_the_byte(text, count):
    assert parse_size(text) == count


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("8GB", "Write 8GiB (8,589,934,592 bytes) or 8000000000B"),
        ("8G", "Write 8GiB (8,589,934,592 bytes) or 8000000000B"),
        ("10000MB", "Write 10000MiB (10,485,760,000 bytes) or 10000000000B"),
        ("8g", "powers of two or of ten"),
        ("8", "it has no unit. Write 8GiB, 8MiB or 8B"),
        ("8XB", "there is no unit 'xb'"),
        ("", "is not a size"),
        ("big", "is not a size"),
        ("-1GiB", "is not a size"),
        ("0.1KiB", "whole number of bytes"),
        ("1e3MiB", "is not a size"),
        ("٣GiB", "is not a size"),  # an Arabic digit
    ],
)
def test_an_invalid_size_is_refused(text, message):
    with pytest.raises(SimulationError) as caught:
        parse_size(text)
    assert message in str(caught.value)


@given(st.integers(min_value=0, max_value=2**46))
def test_bytes_are_kept(count):
    assert parse_size(f"{count}B") == count


def test_a_size_is_shown_in_its_largest_unit():
    counts = [0, 1023, 1024, 2**20, 429496576, 8 * GIB, 8 * GIB + 1, 10_000 * 2**20, 80 * 1024 * GIB]
    assert [size(count) for count in counts] == [
        "0 B", "1023 B", "1 KiB", "1 MiB", "409.6 MiB", "8 GiB", "8 GiB", "9.766 GiB", "80 TiB",
    ]  # fmt: skip


def test_a_gpu_from_text():
    assert parse("16GiB") == SimulatedGpu(16 * GIB)
    assert parse("16GiB, name=Tesla V100,cc=7.0") == SimulatedGpu(16 * GIB, "Tesla V100", 0, (7, 0))
    uuid = "GPU-12345678-1234-1234-1234-123456789abc"
    gpu = parse(f"1B,pci=0000:AF:00.0,uuid={uuid}")
    assert (gpu.total_bytes, gpu.pci_bus_id, gpu.uuid) == (1, "0000:af:00.0", uuid)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0B", "out of range"),
        ("65TiB", "out of range"),
        ("8GiB,", "is not a property of a GPU"),
        ("8GiB,memory=3", "is not a property of a GPU"),
        ("8GiB,cc=7.0,cc=8.0", "cc is given twice"),
        ("8GiB,cc=70", "with a point"),
        ("8GiB,cc=0.0", "no GPU has it"),
        ("8GiB,name=", "no driver reports such a name"),
        ("8GiB,name=" + 64 * "x", "no driver reports such a name"),
        ("8GiB,name=Grün", "no driver reports such a name"),
        ("8GiB,pci=1", "0000:01:00.0"),
        ("8GiB,uuid=1", "is not a GPU's"),
        ("A100", "can be several cards: NVIDIA A100-SXM4-40GB, NVIDIA A100-SXM4-80GB"),
        ("RTX 4099", "is neither a size nor a known card"),
        ("RTX 4099", "NVIDIA GeForce RTX 4090"),
        ("rtx", "is neither a size nor a known card"),
        ("3091", "it has no unit"),
        ("", "is not a size"),
    ],
)
def test_an_invalid_gpu_is_refused(text, message):
    with pytest.raises(SimulationError) as caught:
        parse(text)
    assert message in str(caught.value)


def test_each_gpu_gets_its_own_bus_id_and_uuid():
    gpus = lineup(16)
    assert [gpu.total_bytes for gpu in gpus] == [16 * GIB] * 16
    assert gpus[0].pci_bus_id == "0000:01:00.0"
    assert gpus[15].pci_bus_id == "0000:10:00.0"
    assert len({gpu.uuid for gpu in gpus}) == 16
    assert lineup(16) == gpus
    assert lineup(gpus) == gpus


def test_forms_of_a_lineup():
    expected = lineup(["8GiB"])
    assert lineup("8GiB") == lineup(SimulatedGpu(8 * GIB)) == lineup([SimulatedGpu(8 * GIB)]) == expected
    assert [gpu.total_bytes for gpu in lineup(["8GiB", SimulatedGpu(GIB)])] == [8 * GIB, GIB]


def test_used_memory_is_for_all_gpus_or_for_each():
    def used(*args):
        return [gpu.used_bytes for gpu in lineup(*args)]

    assert used(2) == [0, 0]
    assert used(2, "6GiB") == [6 * GIB] * 2
    assert used(2, 5) == [5, 5]
    assert used(["8GiB", "1GiB"], ["8GiB", 7]) == [8 * GIB, 7]
    assert used([SimulatedGpu(GIB, used_bytes=3), "1GiB"]) == [3, 0]


def test_context_bytes_are_for_all_gpus_or_for_each():
    def contexts(*args, **more):
        return [gpu.context_bytes for gpu in lineup(*args, **more)]

    assert contexts(2) == contexts(["RTX 3090", "8GiB"]) == [0, 0]
    assert contexts(["8GiB,context=300MiB", "1GiB"]) == [300 * 2**20, 0]
    assert contexts(2, context="1GiB") == [GIB] * 2
    assert contexts(["8GiB,context=300MiB", "1GiB"], context=[5, "1GiB"]) == [5, GIB]
    assert contexts(2, context=300 * 2**20) == [300 * 2**20] * 2
    for wrong in ("1GiB,context=1GB", "1GiB,context=2GiB"):
        with pytest.raises(SimulationError):
            parse(wrong)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0,), "a machine has 1 to 16"),
        ((-1,), "a machine has 1 to 16"),
        ((17,), "17 simulated GPUs"),
        ((["1GiB"] * 17,), "17 simulated GPUs"),
        (([],), "0 simulated GPUs"),
        ((["8GiB"], "9GiB"), "9 GiB used of a simulated GPU: the GPU has 8 GiB"),
        ((["8GiB"], -1), "used of a simulated GPU"),
        ((2, ["1GiB"] * 3), "used memory of 3 GPUs: the machine has 2"),
        ((1, None, 0.5), "contexts of 0.5: that is not a size. Give a whole number of bytes, or text"),
        ((2, None, [0, None]), "contexts of None: that is not a size"),
        ((1, True), "used memory of True: that is not a size"),
        ((["8GiB,pci=0000:02:00.0", "8GiB"],), "two GPUs have it"),
    ],
)
def test_an_invalid_lineup_is_refused(arguments, message):
    with pytest.raises(SimulationError) as caught:
        lineup(*arguments)
    assert message in str(caught.value)
