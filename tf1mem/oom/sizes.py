"""Bytes as a person reads them."""

from __future__ import annotations

from tf1mem.steps import MIB, gib

KIB = 2**10


def size(count: int) -> str:
    """Bytes in the unit that fits, such as "1.5 GiB"."""
    if count >= 2**40:
        return "{:.4g} TiB".format(count / 2**40)
    if count >= 2**30:
        return gib(count)
    if count >= MIB:
        return "{:.4g} MiB".format(count / MIB)
    if count >= KIB:
        return "{:.4g} KiB".format(count / KIB)
    return "{} B".format(count)


def exactly(count: int) -> str:
    """The same with the number of bytes: "1.5 GiB (1,610,612,736 bytes)"."""
    return "{} ({:,} bytes)".format(size(count), count) if count >= KIB else "{:,} bytes".format(count)
