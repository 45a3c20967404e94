"""Where tf1mem is not yet what TensorFlow 1 was: named, with the reason, and expected to fail until it is mended."""

from __future__ import annotations

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from .entries import Entry

# Entry, way, TensorFlow versions: the reason.
KNOWN: dict[tuple[str, str, str], str] = {}


def known(entry: Entry, way: str, version: Version) -> str | None:
    """The reason why an entry is expected to differ, or None."""
    base = Version(version.base_version)
    for (name, known_way, versions), reason in KNOWN.items():
        if name == entry.name and known_way == way and base in SpecifierSet(versions):
            return reason
    return None
