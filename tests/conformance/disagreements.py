"""Lists the entries in which tf1mem does not yet do as TensorFlow 1 did, with reasons; their tests may fail (xfail)."""

from __future__ import annotations

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from .entries import Entry

# (entry, way, TensorFlow versions) -> the reason.
KNOWN: dict[tuple[str, str, str], str] = {}


def known(entry: Entry, way: str, version: Version) -> str | None:
    """Returns the reason why an entry is expected to differ, or None."""
    base = Version(version.base_version)
    for (name, known_way, versions), reason in KNOWN.items():
        if name == entry.name and known_way == way and base in SpecifierSet(versions):
            return reason
    return None
