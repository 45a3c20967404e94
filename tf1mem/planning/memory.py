"""How much memory of each GPU: a fraction, limits, growth, and how they get in each other's way."""

from __future__ import annotations

from typing import Any, Iterator, Mapping, Sequence

from tf1mem.errors import SettingError
from tf1mem.machine.cuda import Gpu
from tf1mem.planning import memory_pages as pages
from tf1mem.planning.situation import LACKING, Situation
from tf1mem.planning.steps import (
    ENVIRONMENT,
    IN_THE_SESSION,
    MIB,
    NONE,
    SESSION,
    TF_CONFIG,
    Step,
)
from tf1mem.settings import fields
from tf1mem.settings.settings import FRACTION, GROWTH, VIRTUAL

_IN_MIB = "whole MiB, less than 1 MiB below TF1's; "
_IN_PAGES = "in whole pages of 2 MiB{}: from 2.22 on TensorFlow loses any other cap"


def steps(at: Situation) -> Iterator[Step]:
    """A fraction, limits, growth: growth last, since a limit changes its way."""
    _check_virtual(at)
    for path, decide in ((FRACTION, _fraction), (VIRTUAL, _virtual), (GROWTH, _growth)):
        if path not in at.settings.values or path in at.planned:
            continue
        at.planned.add(path)
        if at.no_gpu:
            yield at.nothing_to_act_on(path)
        elif at.counts().get("GPU") == 0 and not at.for_session:
            yield at.step(path, NONE, "", "no GPU is in use: device_count hides them")
        elif at.is_late(path):
            yield at.late_step(path)
        elif at.has_tf_config:
            yield from decide(at)


def _fraction(at: Situation) -> Iterator[Step]:
    fraction = at.settings.get(FRACTION)
    used = at.used_gpus()
    totals = None if used is None else [gpu.total_bytes for gpu in used]
    unknown = not at.runtime.hypothetical and (totals is None or None in totals)
    paged = fraction <= 1 and pages.are_needed(at.runtime)
    if at.carries and not at.splits_cpu and (not paged or unknown or pages.same_size(used or ())):
        why = f"to the byte{_shares(used, fraction)}; tf.config knows whole MiB only"
        yield at.carry(FRACTION, _IN_PAGES.format(_shares(used, fraction, pages.PAGE_MIB * MIB)) if paged else why)
        return
    if fraction > 1 or unknown or not at.can_call(fields.LOGICAL):
        why = "the driver doesn't say how much memory there is" if unknown else LACKING
        if fraction > 1:
            why = "above 1 means managed memory"
        if at.runtime.is_tf1:
            why += "; a plain Session takes this config too"
            yield at.step(FRACTION, SESSION, "tf.Session()", why, "make_default", ("config",))
        else:
            why += ": only a ConfigProto can say it, and the eager context can't be given one; starts the GPUs now"
            yield at.step(FRACTION, SESSION, IN_THE_SESSION + " at once", why, "start_now", ("config",))
        return
    at.limited = True
    limits = [None if total is None else int(total * fraction) // MIB for total in totals or [None]]
    if paged:
        limits = [None if limit is None else pages.whole_mib(limit) for limit in limits]
    for limit in limits:
        if limit is not None and limit < 1:
            raise SettingError(
                f"{FRACTION}={fraction:g}",
                "is less than 1 MiB of a GPU",
                "Give a larger fraction",
            )
    devices = at.paired([({"memory_limit": limit},) for limit in limits])
    unsaid = f"int({fraction:g} * total / 2**20)"
    yield at.step(
        FRACTION,
        TF_CONFIG,
        _logical_call(at, devices, unsaid),
        _IN_PAGES.format("") if paged else _IN_MIB + _no_proto(at),
        "logical_gpus",
        (devices,),
    )


def _no_proto(at: Situation) -> str:
    if at.splits_cpu:
        return "logical CPUs rule out a fraction"
    return "for the byte import tf1mem before tensorflow, and apply before devices are listed"


def _virtual(at: Situation) -> Iterator[Step]:
    if not at.can_call(fields.LOGICAL):
        yield from at.otherwise(VIRTUAL, LACKING)
        return
    at.limited = True
    virtual = at.settings.get(VIRTUAL)
    sized = [bool(entry.memory_limit_mb) for entry in virtual]
    if any(sized) and not all(sized) and at.carries and not at.order_lost:
        # With LogicalDeviceConfiguration's ordinal of 0 (TensorFlow 2.10) the GPUs left whole have none, which the
        # runtime refuses: "Device ordinals must be set for all virtual devices or none".
        yield at.carry(VIRTUAL, "tf.config may not split some GPUs and leave others whole")
        return
    devices = []
    for entry in virtual:
        parts = []
        for place, limit in enumerate(entry.memory_limit_mb):
            part = {"memory_limit": pages.whole_mib(limit) if pages.are_needed(at.runtime) else limit}
            if entry.priority:
                part["experimental_priority"] = entry.priority[place]
            if entry.device_ordinal:
                part["experimental_device_ordinal"] = entry.device_ordinal[place]
            parts.append(part)
        devices.append(tuple(parts))
    yield at.step(
        VIRTUAL,
        TF_CONFIG,
        _logical_call(at, at.paired(devices)),
        "the same logical devices",
        "logical_gpus",
        (at.paired(devices),),
    )


def _growth(at: Situation) -> Iterator[Step]:
    dropped = "tf.config drops growth where it sets a limit" if at.limited else LACKING
    if not at.limited and at.can_call(fields.GROWTH):
        yield at.step(GROWTH, TF_CONFIG, fields.GROWTH + "(gpu, True)", "for every visible GPU", "growth")
    elif at.carries:
        yield at.carry(GROWTH, dropped)
    else:
        yield at.step(
            GROWTH,
            ENVIRONMENT,
            "os.environ['TF_FORCE_GPU_ALLOW_GROWTH'] = 'true'",
            dropped + "; holds for every GPU, and child processes inherit it",
            "force_growth",
        )


def _check_virtual(at: Situation) -> None:
    virtual, used, visible = at.settings.get(VIRTUAL, ()), at.used_gpus(), at.shown_gpus()
    if not virtual or used is None or visible is None or at.no_gpu:
        return
    asked = "{}={}".format(VIRTUAL, ", ".join(str(entry) for entry in virtual))
    # TensorFlow wants an entry for every visible GPU, and all of them in use (VerifyVirtualDeviceSettings in
    # tensorflow/core/common_runtime/gpu/gpu_device.cc).
    for verb, gpus in (("uses", used), ("sees", visible)):
        if len(virtual) != len(gpus):
            raise SettingError(
                asked,
                "{} {}, but this process {} {} GPU{}".format(
                    len(virtual), "entry" if len(virtual) == 1 else "entries", verb, len(gpus), "s"[: len(gpus) != 1]
                ),
                "Give one entry of virtual_devices for each GPU (an empty one leaves it whole)",
            )
    for place, (entry, gpu) in enumerate(zip(virtual, used)):
        wanted = sum(entry.memory_limit_mb)
        if gpu.total_bytes is not None and wanted * MIB > gpu.total_bytes:
            raise SettingError(
                asked,
                f"{wanted:g} MiB is more than GPU {place} has ({gpu.total_bytes // MIB} MiB)",
                "Lower memory_limit_mb; only per_process_gpu_memory_fraction above 1 goes beyond the GPU",
            )


def _logical_call(at: Situation, devices: Sequence[Sequence[Mapping[str, Any]]], unsaid: str = "") -> str:
    """The calls for the logical devices of each GPU; `unsaid` stands for limits that depend on the GPU."""
    make = at.call_name("LogicalDeviceConfiguration")
    lists = [
        "[{}]".format(
            ", ".join(
                "{}(memory_limit={:g})".format(make, part["memory_limit"])
                if part["memory_limit"] is not None
                else f"{make}(memory_limit={unsaid})"
                for part in parts
            )
        )
        for parts in devices
    ]
    setter = at.call_name("set_logical_device_configuration")
    if len(set(lists)) == 1:
        return f"{setter}(gpu, {lists[0]})"
    return "; ".join("{}(gpus[{}], {})".format(setter, *pair) for pair in enumerate(lists) if pair[1] != "[]")


def _shares(used: Sequence[Gpu] | None, fraction: float, pieces: int = 256) -> str:
    """What a fraction comes to in bytes, in brackets, rounded down to pieces: the allocator's 256 bytes, or pages."""
    if not used or any(gpu.total_bytes is None for gpu in used):
        return ""
    sizes = {int((gpu.total_bytes or 0) * fraction) // pieces * pieces for gpu in used}
    return " ({})".format(", ".join(f"{size:,} bytes" for size in sorted(sizes)))
