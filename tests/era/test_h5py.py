"""`h5py.File` without a mode opens as h5py 2 did."""

from __future__ import annotations

import subprocess
import sys

from tests.processes.environment import clean

PROGRAM = """
import os
import h5py
from h5py import File

with h5py.File("new.h5") as file:
    file["a"] = [1, 2]
with File("new.h5") as file:
    file["b"] = list(file["a"])
with h5py.File("new.h5", "r") as file:
    print(file.mode, sorted(file))
with h5py.File(name="new.h5", mode="r") as file:
    print(file.mode, isinstance(file, h5py.File), issubclass(h5py.File, h5py.Group))
with h5py.File("core.h5", driver="core") as file:
    file["c"] = 3
    print(file.mode, file.driver)
with open("text.h5", "w") as text:
    text.write("no HDF5")
for name in ("text.h5", "none/new.h5"):
    try:
        h5py.File(name)
    except OSError as error:
        print("OSError", os.path.exists(name))
"""


def test_a_file_without_a_mode(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    command = [sys.executable, "-m", "tf1mem", "run", "--report", "program.py"]
    done = subprocess.run(command, cwd=tmp_path, env=clean(), capture_output=True, encoding="utf-8", check=False)
    assert done.stdout.splitlines() == ["r ['a', 'b']", "r True True", "r+ core", "OSError True", "OSError False"], (
        done.stderr
    )
    assert "repaired: h5py.File without a mode at program.py:6, which h5py 3.0 opens for reading" in done.stderr
