"""Lists the scripts that record the behavior of real TensorFlows in the repository, and the versions they run on."""

from __future__ import annotations

from typing import NamedTuple

from tf1mem.machine.versions import TESTED

TF1 = [row.version for row in TESTED if row.version.startswith("1.")]
TRUTH = "1.15.5"  # the TensorFlow with which all others are compared
# The newest stable TensorFlow.
NEWEST = [row.version for row in TESTED if row.version != "candidate"][-1]


class Recording(NamedTuple):
    """A script that records the behavior of a TensorFlow, or with --check compares the recording with it.

    Attributes:
        script: Dotted name of the script's module.
        versions: Versions of TensorFlow on which to run the script, in order.
        arguments: Version -> the script's command-line arguments on that version; a missing version needs none.
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
