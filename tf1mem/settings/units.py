"""Formats numbers of bytes for people."""

from __future__ import annotations

MIB = 2**20

# The binary units in bytes, the largest first.
UNITS = {"TiB": 2**40, "GiB": 2**30, "MiB": 2**20, "KiB": 2**10}


def size(count: int) -> str:
    """Returns bytes in the largest unit that isn't larger, to four digits: "1.5 GiB"."""
    for unit, factor in UNITS.items():
        if abs(count) >= factor:
            return f"{count / factor:.4g} {unit}"
    return f"{count} B"


def exactly(count: int) -> str:
    """Returns bytes like `size`, with the exact number behind a larger unit: "1.5 GiB (1,610,612,736 bytes)"."""
    near = size(count)
    return near if near.endswith(" B") else f"{near} ({count:,} bytes)"


def gib(count: int) -> str:
    """Returns bytes in GiB, whatever their number: "0.5 GiB"."""
    return f"{count / 2**30:.4g} GiB"
