"""Builds the wheel of the checkout with the simulator compiled for this machine, which is like that of `make dist`."""

from __future__ import annotations

import platform
import subprocess
import sys
from pathlib import Path

import wheels
from tests.processes.environment import ROOT
from tf1mem.gpusim.build import library_folder


def build(folder: Path) -> Path:
    """Returns the path of the wheel.

    Args:
        folder: The folder to build in; nothing is left in the checkout.
    """
    temporary = ["egg_info", "--egg-base", str(folder), "build", "--build-base", str(folder / "build")]
    command = [sys.executable, "setup.py", "--quiet", *temporary, "bdist_wheel", "--dist-dir", str(folder / "dist")]
    subprocess.run([*command, "--bdist-dir", str(folder / "bdist")], cwd=str(ROOT), capture_output=True, check=True)
    (plain,) = (folder / "dist").iterdir()
    return wheels.with_libraries(plain, library_folder(), (f"linux_{platform.machine()}",))
