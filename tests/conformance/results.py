"""Writes and reads the results for the table: a JSON file for each version and way."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

from packaging.version import Version

from tf1mem.machine.versions import TESTED

from . import cases
from .comparing import ON_PURPOSE
from .entries import LATE as LATE_ERROR
from .entries import ORDER_LOST, Entry
from .rules import is_whole

FOLDER = cases.ROOT / "build" / "conformance"


# The releases that are compared, and the others of the matrix.
COMPARED = tuple(row.release for row in TESTED if row.gpu_build)
NOT_COMPARED = {
    "{}.{}".format(*row.release): "the matrix has a build without CUDA" for row in TESTED if not row.gpu_build
}

# The kinds of results of an entry.
SAME = "the same"
BY_RULE = "the same, but for what TensorFlow itself changed"
BELOW = "the cap rounded down"
REFUSED = "refused, as TensorFlow 1 did"
LATE = "too late, and said so"
WARNED = "not to be had so late, and said so"
PURPOSE = "otherwise on purpose"
DIFFERENT = "different"


def kind(entry: Entry, truth: dict[str, Any], observation: dict[str, Any]) -> str:
    """Returns the kind of result of an entry that passes the comparison."""
    if entry.name in ON_PURPOSE:
        return PURPOSE
    if observation.get("error", [""])[0] == LATE_ERROR:
        return LATE
    if "error" in observation:
        return REFUSED
    compared = ("limits", "physical", "regions", "outcomes")
    if all(observation[name] == truth[name] for name in compared):
        return SAME
    if entry.apply_outcome == ORDER_LOST and observation["physical"] != truth["physical"]:
        return WARNED
    capped = [
        place
        for place in range(len(observation["limits"]))
        if not is_whole(entry.effective_config or entry.config, place)
    ]
    return BELOW if any(observation["limits"][place] < truth["limits"][place] for place in capped) else BY_RULE


def write(version: Version, way: str, kinds: dict[str, str]) -> None:
    """Writes the kind of result of every entry on a version, in a way."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / f"{version}-{way}.json"
    run = {"tensorflow": str(version), "way": way, "date": date.today().isoformat(), "entries": kinds}
    path.write_text(json.dumps(run, indent=1) + "\n", encoding="utf-8")


def read() -> list[dict[str, Any]]:
    """Returns the content of all result files, sorted by version."""
    records = [json.loads(path.read_text("utf-8")) for path in FOLDER.glob("*.json")]
    return sorted(records, key=lambda kept: Version(kept["tensorflow"]))
