"""`tf1mem run`: TF1 programs, run as they are on whichever TensorFlow is installed.

The program's own files are compiled with their imports of TensorFlow pointing at `tf1mem.v1`. Nothing of
TensorFlow or of Python is patched for that, and nothing is left to do while the program runs.
"""

from __future__ import annotations

from tf1mem.runner.heritage import Era
from tf1mem.runner.launcher import Refused, launch
from tf1mem.runner.programs import Program, module, script, standard_input

__all__ = ["Era", "Program", "Refused", "launch", "module", "script", "standard_input"]
