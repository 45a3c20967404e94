"""Which recordings are of the TensorFlow that is installed; where there is none, there is nothing to test."""

from __future__ import annotations

from tests.codemod import generating
from tests.conformance import recording
from tf1mem.machine.tensorflow import installed_version

# The scripts that record what TensorFlow says and does, each with the versions that it records.
SCRIPTS = {
    "tests.conformance.recording": (recording.TENSORFLOW,),
    "tests.codemod.differential.recording": (recording.TENSORFLOW,),
    "tests.codemod.generating": (*generating.TF1, generating.TF2),
}
VERSION = str(installed_version())
RECORDED = [name for name, versions in SCRIPTS.items() if VERSION.startswith(versions)]

collect_ignore = [] if RECORDED else ["test_recordings.py"]
