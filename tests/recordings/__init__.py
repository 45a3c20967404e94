"""Lists the recordings of real TensorFlows in the repository: the scripts that make them, and the TensorFlows."""

from __future__ import annotations

from typing import NamedTuple

from tf1mem.machine.versions import TESTED

TF1 = [row.version for row in TESTED if row.version.startswith("1.")]
# The TensorFlow with which all others are compared, and the newest stable one.
TRUTH = "1.15.5"
NEWEST = [row.version for row in TESTED if row.version != "candidate"][-1]


class Recording(NamedTuple):
    """A script that records what a TensorFlow does, and that checks its recording with --check.

    Attributes:
        script: The module.
        versions: The TensorFlows that it records, in that order.
        arguments: The arguments that make the script record a version, by version; none by default.
    """

    script: str
    versions: tuple[str, ...]
    arguments: dict[str, tuple[str, ...]]


RECORDINGS = (
    Recording("tests.conformance.recording", (TRUTH,), {}),
    Recording("tests.settings.recording", (TRUTH,), {}),
    Recording("tests.names.generating", (*TF1, NEWEST), dict.fromkeys(TF1, ("--record",))),
    Recording("tests.codemod.differential.recording", (TRUTH,), {}),
    Recording("tests.programs.recording", (TRUTH,), {}),
    Recording("tests.v1.contrib.recording", (TRUTH,), {}),
    Recording("tests.v1.saved.recording", (TRUTH,), {}),
    # Each run notes what its TensorFlow has; the last one, on the newest, writes the table from all notes.
    Recording("tests.v1.internals.recording", tuple(row.version for row in TESTED), {}),
    Recording("tests.v1.names", tuple(row.version for row in TESTED), {}),
    Recording("tests.machine.wheels", tuple(row.version for row in TESTED if row.gpu_build), {}),
    Recording("tests.v1.seeds.counting", (TRUTH,), {}),
    Recording("tests.v1.seeds.graphs", (TRUTH,), {}),
)
