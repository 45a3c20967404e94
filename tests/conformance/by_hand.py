"""Entries written by hand: configs that TensorFlow 1 refuses, that hide every GPU, or that have odd spellings."""

from __future__ import annotations

from typing import Any, Iterator

from .entries import GIB, MACHINES, MIB, Entry, allocations_for, mib

TWO, SIZES, ONE = MACHINES["two alike"], MACHINES["two sizes"], MACHINES["one GPU"]


def options(**settings: Any) -> dict[str, Any]:
    """Returns a ConfigProto, as a dict, with these GPU options."""
    return {"gpu_options": settings}


def visible(text: str) -> dict[str, Any]:
    """Returns a ConfigProto, as a dict, with a visible_device_list."""
    return options(visible_device_list=text)


def fraction(share: float, **settings: Any) -> dict[str, Any]:
    """Returns a ConfigProto, as a dict, with a fraction and further GPU options."""
    return options(per_process_gpu_memory_fraction=share, **settings)


def virtual(*limits: tuple[float, ...], **settings: Any) -> dict[str, Any]:
    """Returns a ConfigProto, as a dict, with virtual devices: for each GPU their limits in MiB."""
    devices = [{"memory_limit_mb": list(entry)} for entry in limits]
    return options(experimental={"virtual_devices": devices}, **settings)


def with_count(config: dict[str, Any], **counts: int) -> dict[str, Any]:
    """Returns a ConfigProto with a device_count added."""
    return dict(config, device_count=counts)


def entries() -> Iterator[Entry]:
    """Yields the entries: first those of `_REFUSED`, each with one small allocation, then those of `_ACCEPTED`."""
    for words, config, gpus, cuda in _REFUSED:
        yield Entry(words, config, gpus, cuda, ((0, 3 * MIB),))
    for words, config, gpus, cuda, allocations in _ACCEPTED:
        yield Entry(words, config, gpus, cuda, allocations)


# Name, config, GPUs and CUDA_VISIBLE_DEVICES. TensorFlow 1 refuses these configs or finds no GPU, except that it takes
# the negative fraction.
_REFUSED = (
    ("virtual devices with a fraction", virtual((300,), per_process_gpu_memory_fraction=0.4), ONE, None),
    ("virtual devices for one GPU of two", virtual((300,)), TWO, None),
    ("virtual devices for two GPUs of one", virtual((300,), (300,)), ONE, None),
    ("virtual devices for one GPU, two listed", virtual((300,), visible_device_list="0,1"), TWO, None),
    ("virtual devices with count GPU:0", with_count(virtual((300,), (300,)), GPU=0), TWO, None),
    ("virtual devices with count GPU:1", with_count(virtual((300,), (300,)), GPU=1), TWO, None),
    ("virtual devices for one GPU with count GPU:1", with_count(virtual((300,)), GPU=1), TWO, None),
    ("visible GPU that is not there", visible("2"), TWO, None),
    ("visible GPU that is not there, second", visible("0,2"), TWO, None),
    ("visible GPU that CUDA hides", visible("1"), TWO, "0"),
    ("visible GPU twice", visible("0,0"), TWO, None),
    ("visible GPU negative", visible("-1"), TWO, None),
    ("visible GPU by a word", visible("first"), TWO, None),
    ("visible list with an empty entry", visible("0,"), TWO, None),
    ("fraction negative", fraction(-0.5), ONE, None),
    ("CUDA empty", {}, TWO, ""),
    ("CUDA empty; growth", options(allow_growth=True), TWO, ""),
    ("CUDA empty; virtual devices", virtual((300,)), TWO, ""),
    ("CUDA -1; fraction 0.4", fraction(0.4), TWO, "-1"),
    ("CUDA -1; visible 0", visible("0"), TWO, "-1"),
    ("CUDA 5: none that is there", {}, TWO, "5"),
)
# Entries with their allocations, the last of which must be refused. If the GPU's size refuses it, and no limit, it is
# larger than that of `allocations_for`.
_ACCEPTED = (
    ("CUDA 0,5: one that is there, one not", {}, TWO, "0,5", allocations_for(mib(TWO[0]), True)),
    ("CUDA 1, 0 with a space; growth", options(allow_growth=True), TWO, "1, 0", allocations_for(mib(*TWO), True)),
    ("visible 1, 0 with a space", visible("1, 0"), SIZES, None, allocations_for(mib(*SIZES[::-1]), True)),
    ("CUDA 1,0; visible 1; two sizes", visible("1"), SIZES, "1,0", allocations_for(mib(SIZES[0]), True)),
    ("a limit beyond the GPU", virtual((2000,)), ONE, None, (*allocations_for([1000], False)[:-1], (0, 2 * GIB))),
    ("virtual devices beyond the GPU", virtual((1000, 1000)), ONE, None, allocations_for([1000, 400], False)),
    (
        "virtual devices, none on the second",
        virtual((300,), ()),
        TWO,
        None,
        (*allocations_for([300], False)[:-1], (1, 4 * GIB)),
    ),
    ("one virtual device of part of a MiB", virtual((300.75,)), ONE, None, allocations_for([300], False)),
    ("fraction 0.4; two logical CPUs", with_count(fraction(0.4), CPU=2), ONE, None, allocations_for([614], False)),
    (
        "fraction 0.4; growth; two logical CPUs",
        with_count(fraction(0.4, allow_growth=True), CPU=2),
        ONE,
        None,
        allocations_for([614], False),
    ),
    (
        "spread over two by an entry each",
        virtual((400, 200), (300,), visible_device_list="1,0"),
        SIZES,
        None,
        allocations_for([400, 200, 300], False),
    ),
)
