"""Plans the memory of each GPU: a fraction, limits, growth, and how they exclude each other."""

from __future__ import annotations

from typing import Any, Iterator, Mapping, Sequence

from tf1mem.errors import SettingError
from tf1mem.machine.cuda import CudaGpu
from tf1mem.machine.runtime import FORCE_GROWTH
from tf1mem.planning import memory_pages
from tf1mem.planning.draft import LACKING, Draft
from tf1mem.planning.steps import CONFIG, ENVIRONMENT, IN_THE_SESSION, SESSION, Step, handed, nothing
from tf1mem.settings import fields
from tf1mem.settings.field_names import FRACTION, GROWTH, MANAGED, VIRTUAL
from tf1mem.settings.settings import Settings
from tf1mem.settings.units import MIB
from tf1mem.settings.values import VirtualDevices, listed

_IN_MIB = "whole MiB, less than 1 MiB below TF1's; "
_WITH_CPUS = "logical CPUs rule out a fraction"
_FOR_THE_BYTE = "to have it to the byte, import tf1mem before tensorflow, and apply before devices are listed"
_PARTLY = "tf.config may not split some GPUs and leave others whole"
# In this version LogicalDeviceConfiguration's ordinal defaults to 0, in every other to None. GPUs left whole have none,
# and the runtime refuses the mixture ("Device ordinals must be set for all virtual devices or none").
_ORDINAL_IS_0 = (2, 10)
_IN_PAGES = "in whole pages of 2 MiB{}: from 2.22 on TensorFlow loses any other cap"


def steps(draft: Draft) -> Iterator[Step]:
    """Yields the steps for a fraction, limits and growth: growth last, since a limit changes its route."""
    _check_virtual(draft)
    for path, decide in ((FRACTION, _fraction), (VIRTUAL, _virtual), (GROWTH, _growth)):
        if path not in draft.settings.values or path in draft.planned:
            continue
        draft.planned.add(path)
        if draft.no_gpu:
            yield draft.nothing_to_act_on(path)
        elif draft.counts().get("GPU") == 0 and not draft.for_session:
            yield nothing(path, draft.value(path), "no GPU is in use: device_count hides them", harmless=True)
        elif draft.is_late(path):
            yield draft.late_step(path)
        elif draft.has_tf_config:
            for step in decide(draft):
                yield step
                if step.action == "logical_gpus":
                    yield from _replaced_limits(draft, step)


def _replaced_limits(draft: Draft, step: Step) -> Iterator[Step]:
    """Yields remarks on limits that the program set by tf.config: the step replaces them, or leaves them in force."""
    for name, parts in zip(_names(draft, len(step.args[0])), step.args[0]):
        limits = draft.runtime.limits.get(name, ())
        if parts and limits not in ((), tuple(part["memory_limit"] for part in parts)):
            why = f"the program itself set this on {name}; {step.setting} replaces it"
            yield nothing(draft.call_name("set_logical_device_configuration"), VirtualDevices(limits), why)
        elif limits and not parts:
            why = f"{name} keeps the limits that the program itself set on it, {VirtualDevices(limits)} MiB"
            yield nothing(step.setting, step.value, why)


def _names(draft: Draft, count: int) -> Sequence[str]:
    """Returns the names of the GPUs that tf.config shows, in its order."""
    shown = draft.shown_by_program()
    numbers = sorted(draft.visible or range(count)) if shown is None else shown
    return [f"/physical_device:GPU:{gpu}" for gpu in numbers]


def _fraction(draft: Draft) -> Iterator[Step]:
    """Yields the step for a fraction: by the eager context's ConfigProto, by tf.config's limits, or by a Session."""
    fraction = draft.settings.get(FRACTION)
    used = draft.used_gpus()
    totals = None if used is None else [gpu.total_bytes for gpu in used]
    unknown = not draft.runtime.hypothetical and (totals is None or None in totals)
    paged = fraction <= 1 and memory_pages.are_needed(draft.runtime)
    # A ConfigProto's fraction would leave limits that the program itself has set in the eager context.
    replaces = bool(draft.runtime.limits) and fraction <= 1 and not unknown
    carries = draft.carries and not draft.splits and not replaces
    if carries and (not paged or unknown or memory_pages.same_size(used or ())):
        why = f"to the byte{_in_bytes(used, fraction)}; "
        why += above_one(draft.settings) if fraction > 1 else "tf.config knows whole MiB only"
        if paged:
            why = _IN_PAGES.format(_in_bytes(used, fraction, memory_pages.PAGE_MIB * MIB))
        yield draft.carry(FRACTION, why)
        return
    if fraction > 1 or unknown or not draft.can_call(fields.SET_LOGICAL_DEVICES):
        why = "the driver doesn't say how much memory there is" if unknown else LACKING
        if fraction > 1:
            why = above_one(draft.settings)
        if draft.runtime.is_tf1:
            why += "; a plain Session takes this config too"
            yield draft.step(FRACTION, SESSION, "tf.Session()", why, "give_to_sessions", (CONFIG,))
        else:
            why += ": only a ConfigProto can set it, and the eager context can't take one; starts the GPUs now"
            yield draft.step(FRACTION, SESSION, IN_THE_SESSION + " at once", why, "start_now", (CONFIG,))
        return
    draft.limited = True
    limits = [None if total is None else int(total * fraction) // MIB for total in totals or [None]]
    if paged:
        limits = [None if limit is None else memory_pages.whole_pages_mib(limit) for limit in limits]
    for limit in limits:
        if limit is not None and limit < 1:
            raise SettingError(f"{FRACTION}={fraction:g}", "is less than 1 MiB of a GPU", "Give a larger fraction")
    devices = draft.paired([({"memory_limit": limit},) for limit in limits])
    unsaid = f"int({fraction:g} * total / 2**20)"
    why = _IN_MIB + (_WITH_CPUS if draft.splits else _FOR_THE_BYTE)
    if paged:
        why = _IN_PAGES.format("")
    yield draft.call(FRACTION, _logical_call(draft, devices, unsaid), why, "logical_gpus", devices)


def _virtual(draft: Draft) -> Iterator[Step]:
    """Yields the step for virtual devices: by tf.config, the eager context's ConfigProto, or a Session."""
    if not draft.can_call(fields.SET_LOGICAL_DEVICES):
        yield from draft.otherwise(VIRTUAL, LACKING)
        return
    draft.limited = True
    virtual = draft.virtual_devices()
    sized = [bool(entry.memory_limit_mb) for entry in virtual]
    if any(sized) and not all(sized) and draft.carries and not draft.order_lost:
        yield draft.carry(VIRTUAL, _PARTLY)
        return
    if any(sized) and not all(sized) and _must_be_alike(draft):
        draft.limited = draft.splits
        yield _by_a_session(draft)
        return
    devices = []
    for entry in virtual:
        parts = []
        for place, limit in enumerate(entry.memory_limit_mb):
            part = {
                "memory_limit": memory_pages.whole_pages_mib(limit) if memory_pages.are_needed(draft.runtime) else limit
            }
            if entry.priority:
                part["experimental_priority"] = entry.priority[place]
            if entry.device_ordinal:
                part["experimental_device_ordinal"] = entry.device_ordinal[place]
            parts.append(part)
        devices.append(tuple(parts))
    paired = draft.paired(devices)
    yield draft.call(VIRTUAL, _logical_call(draft, paired), "the same logical devices", "logical_gpus", paired)


def _must_be_alike(draft: Draft) -> bool:
    """Returns True if tf.config can't split some of the GPUs and leave others whole: on 2.10, with several GPUs."""
    alone = len(draft.shown_by_program() or (0, 1)) < 2
    return draft.runtime.version.release[:2] == _ORDINAL_IS_0 and not alone and not draft.runtime.limits


def _by_a_session(draft: Draft) -> Step:
    """Returns the step for limits that neither tf.config nor the eager context's ConfigProto can express."""
    splits = any(len(entry.memory_limit_mb) > 1 for entry in draft.value(VIRTUAL))
    hidden = draft.shown_by_program() is not None
    if splits or draft.order_lost or hidden:  # the eager context would number the devices differently
        return handed(VIRTUAL, draft.value(VIRTUAL), f"{_PARTLY}; holds for Sessions, not for eager ops", loud=True)
    why = _PARTLY + ", and the eager context can't take a ConfigProto; starts the GPUs now"
    return draft.step(VIRTUAL, SESSION, IN_THE_SESSION + " at once", why, "start_now", (CONFIG,))


def _growth(draft: Draft) -> Iterator[Step]:
    dropped = "tf.config drops growth where it sets a limit" if draft.limited else LACKING
    if not draft.limited and draft.can_call(fields.SET_MEMORY_GROWTH):
        yield draft.call(GROWTH, fields.SET_MEMORY_GROWTH + "(gpu, True)", "for every visible GPU", "growth")
    elif draft.carries:
        yield draft.carry(GROWTH, dropped)
    else:
        call, why = f"os.environ['{FORCE_GROWTH}'] = 'true'", "; holds for every GPU, and child processes inherit it"
        yield draft.step(GROWTH, ENVIRONMENT, call, dropped + why, "force_growth")


def _check_virtual(draft: Draft) -> None:
    """Raises an error if the virtual devices don't fit the GPUs."""
    virtual, used, visible = draft.virtual_devices(), draft.used_gpus(), draft.shown_gpus()
    if not virtual or used is None or visible is None or draft.no_gpu:
        return
    setting = f"{VIRTUAL}={listed(virtual)}"
    # TensorFlow wants an entry for every visible GPU, and all of them in use (VerifyVirtualDeviceSettings in
    # tensorflow/core/common_runtime/gpu/gpu_device.cc).
    for verb, gpus in (("uses", used), ("sees", visible)):
        if len(virtual) != len(gpus):
            raise SettingError(
                setting,
                "{} {}, but this process {} {} GPU{}".format(
                    len(virtual), "entry" if len(virtual) == 1 else "entries", verb, len(gpus), "s"[: len(gpus) != 1]
                ),
                "Give one entry of virtual_devices for each GPU (an empty one leaves it whole)",
            )
    for place, (entry, gpu) in enumerate(zip(virtual, used)):
        total_mib = sum(entry.memory_limit_mb)
        if gpu.total_bytes is not None and total_mib * MIB > gpu.total_bytes:
            raise SettingError(
                setting,
                f"{total_mib:g} MiB is more than GPU {place} has ({gpu.total_bytes // MIB} MiB)",
                "Lower memory_limit_mb; only per_process_gpu_memory_fraction above 1 goes beyond the GPU",
            )


def _logical_call(draft: Draft, devices: Sequence[Sequence[Mapping[str, Any]]], unsaid: str = "") -> str:
    """Returns the calls for the logical devices of each GPU, as text.

    Args:
        draft: The plan in the making.
        devices: The arguments of each logical device, for each GPU; a limit of None isn't known here.
        unsaid: The text in place of such a limit.
    """
    make = draft.call_name("LogicalDeviceConfiguration")
    lists = []
    for parts in devices:
        limits = [unsaid if part["memory_limit"] is None else f"{part['memory_limit']:g}" for part in parts]
        lists.append("[{}]".format(", ".join(f"{make}(memory_limit={limit})" for limit in limits)))
    setter = draft.call_name("set_logical_device_configuration")
    if len(set(lists)) == 1:
        return f"{setter}(gpu, {lists[0]})"
    return "; ".join("{}(gpus[{}], {})".format(setter, *pair) for pair in enumerate(lists) if pair[1] != "[]")


def above_one(settings: Settings) -> str:
    """Returns the meaning of a fraction above 1, with the percentage that may have been meant."""
    fraction = settings.get(FRACTION)
    percent = f", {fraction:g} times the GPU's; for {fraction:g}% write {fraction / 100:g}"
    is_slip = 10 <= fraction <= 100 and not settings.get(MANAGED)
    return "above 1 means managed memory" + percent * is_slip


def _in_bytes(used: Sequence[CudaGpu] | None, fraction: float, pieces: int = 256) -> str:
    """Returns a fraction of the GPUs in bytes, in parentheses, rounded down to multiples of `pieces` bytes.

    The allocator's unit is 256 bytes, or a page.
    """
    if not used or any(gpu.total_bytes is None for gpu in used):
        return ""
    sizes = {int((gpu.total_bytes or 0) * fraction) // pieces * pieces for gpu in used}
    return " ({})".format(", ".join(f"{size:,} bytes" for size in sorted(sizes)))
