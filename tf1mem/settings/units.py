"""Bytes as a person reads them."""

from __future__ import annotations

MIB = 2**20

_UNITS = (("TiB", 2**40), ("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10))


def size(count: int) -> str:
    """Bytes in the largest unit that there is one of, to four digits: "1.5 GiB"."""
    for unit, factor in _UNITS:
        if abs(count) >= factor:
            return f"{count / factor:.4g} {unit}"
    return f"{count} B"


def exactly(count: int) -> str:
    """The same with the number of bytes, where that says more: "1.5 GiB (1,610,612,736 bytes)"."""
    near = size(count)
    return near if near.endswith(" B") else f"{near} ({count:,} bytes)"


def gib(count: int) -> str:
    """Bytes as GiB, whatever their number: "0.5 GiB"."""
    return f"{count / 2**30:.4g} GiB"
