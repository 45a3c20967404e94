"""Selects the recordings of the installed TensorFlow; if there are none, no test runs."""

from __future__ import annotations

from tests.recordings import RECORDINGS
from tf1mem.machine.tensorflow import installed_version

VERSION = str(installed_version())
RECORDED = [recording.script for recording in RECORDINGS if VERSION in recording.versions]

collect_ignore = [] if RECORDED else ["test_recordings.py"]
