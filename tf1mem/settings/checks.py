"""Refuses settings whose values are out of range or contradict each other; doesn't look at the machine."""

from __future__ import annotations

import math
from typing import Any, Mapping

from tf1mem.errors import SettingError
from tf1mem.settings.field_names import COUNT, FRACTION, INTRA_THREADS, VIRTUAL, VISIBLE
from tf1mem.settings.values import assignment, listed, parse_visible, shortened

# The largest fraction that is accepted (above 1 means managed memory): with larger ones, TensorFlow's number of bytes
# overflows.
_LARGEST_FRACTION = 1e6


def check(values: dict[str, Any]) -> None:
    """Checks the values of a config's fields, one by one and together, and normalizes `visible_device_list`.

    A list of visible GPUs loses its spaces; one without GPUs is removed.

    Args:
        values: The fields' dotted names -> their values; changed in place.

    Raises:
        SettingError: A value is out of its range, or contradicts another.
    """
    fraction = values.get(FRACTION, 0.0)
    if not 0 <= fraction <= _LARGEST_FRACTION:
        raise SettingError(
            f"{FRACTION}={fraction!r}",
            "is not a share of a GPU's memory",
            "Give a number above 0, such as 0.4; above 1 means managed memory, and 0 all memory",
        )
    if values.get(INTRA_THREADS, 0) < 0:
        raise SettingError(
            f"{INTRA_THREADS}={values[INTRA_THREADS]}",
            "is negative, which ends TensorFlow ('Check failed: num_threads >= 1')",
            "Give 1 or more, or 0 for one for each core; below 0 only inter_op_parallelism_threads has a meaning",
        )
    if VISIBLE in values:
        if not values[VISIBLE].strip():
            del values[VISIBLE]
        else:
            values[VISIBLE] = ",".join(str(gpu) for gpu in parse_visible(values[VISIBLE]))
    for device_type, count in values.get(COUNT, {}).items():
        if count < 0:
            raise SettingError(
                f"{COUNT}={{{shortened(repr(device_type))}: {count}}}",
                "is negative",
                "Give the number of devices to use; 0 hides them",
            )
    _check_virtual(values)


def _check_virtual(values: Mapping[str, Any]) -> None:
    """Checks the virtual devices, by themselves and with the other fields."""
    virtual = values.get(VIRTUAL, ())
    limits = [limit for entry in virtual for limit in entry.memory_limit_mb]
    setting = f"{VIRTUAL}={listed(virtual)}"
    for limit in limits:
        if not math.isfinite(limit) or limit < 1:
            reason = f"a limit of {limit:g} MiB leaves no memory"
            raise SettingError(setting, reason, "Give each limit as 1 MiB or more")
    if limits and FRACTION in values:
        raise SettingError(
            f"{setting} with {FRACTION}={values[FRACTION]:g}",
            "TensorFlow refuses the two together (InvalidArgumentError)",
            "Leave the fraction out: the virtual devices' limits set how much memory is used",
        )
    for entry in virtual:
        for name in ("priority", "device_ordinal"):
            numbers = getattr(entry, name)
            if any(not -(2**31) <= number < 2**31 for number in numbers):  # both fields are int32
                raise SettingError(setting, f"a {name} does not fit into the field", "Give a smaller number")
            if numbers and len(numbers) != len(entry.memory_limit_mb):
                raise SettingError(
                    setting,
                    f"{len(numbers)} {name} for {len(entry.memory_limit_mb)} limits",
                    f"Give {name} once for each memory_limit_mb, or not at all",
                )
    visible = values.get(VISIBLE)
    if virtual and visible and len(parse_visible(visible)) != len(virtual):
        raise SettingError(
            setting,
            f"{len(virtual)} entries, but {assignment(VISIBLE, visible)} names {len(parse_visible(visible))} GPUs",
            "Give one entry of virtual_devices for each visible GPU",
        )
