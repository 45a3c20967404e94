"""The words by which an environment variable switches something off."""

from __future__ import annotations

from typing import Mapping

OFF = ("0", "false", "no", "off")


def is_off(environ: Mapping[str, str], name: str) -> bool:
    """Returns True if a variable is set to one of `OFF`, in any case and with any space around it."""
    return environ.get(name, "").strip().lower() in OFF
