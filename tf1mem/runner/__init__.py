"""Runs TF1 programs unchanged, on whichever TensorFlow is installed: the command `tf1mem run`.

The program's own files are compiled with their imports of TensorFlow pointing at `tf1mem.v1`. TensorFlow isn't
patched for that.
"""

from __future__ import annotations

from tf1mem.runner.launcher import Refused, launch
from tf1mem.runner.process_setup import RepairOptions
from tf1mem.runner.programs import Program, module, script, standard_input

__all__ = ["Program", "Refused", "RepairOptions", "launch", "module", "script", "standard_input"]
