"""Runs a program as `tf1mem run` does, with settings from outside: started.py PROGRAM CONFIG OVERRIDE, "-" for none."""

from __future__ import annotations

import os
import sys

from tf1mem import runner
from tf1mem.applying.outside import read_outside

path, *files = sys.argv[1:]
runner.launch(
    runner.script(path, []),
    outside=read_outside(*(None if file == "-" else file for file in files), os.environ),  # type: ignore[call-arg]
)
