"""Runs programs on simulated GPUs, each in a fork of a Python that has imported TensorFlow."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from tests.conformance import cases, simulator
from tests.processes.warm import WarmPythons

from .shapes import WITHOUT_GPUS

HERE = Path(__file__).resolve().parent
GPUS = (2**30, 2**30)


def observe(pythons: WarmPythons, shape: str, source: bytes, mode: str = "") -> dict[str, Any]:
    """Runs a program, and returns the settings that TensorFlow got; see observed.py.

    Args:
        pythons: The warm Pythons.
        shape: The name of the program's shape.
        source: The program.
        mode: "graph" for TensorFlow 1's graph mode.

    Raises:
        AssertionError: The program ended without a record, or didn't end.
    """
    with tempfile.TemporaryDirectory(prefix="differential-") as name:
        folder = Path(name)
        program, notes, output = folder / "program.py", folder / "notes.json", folder / "output.txt"
        program.write_bytes(source)
        arguments = [str(HERE / "observed.py"), str(program), str(notes), *([mode] if mode else [])]
        with simulator.machine(folder, GPUS) as environment:
            if shape in WITHOUT_GPUS:
                environment["CUDA_VISIBLE_DEVICES"] = "-1"
            python = pythons.having(["tf1mem", "tensorflow"], cases.environment())
            python.submit(arguments, folder=folder, out=output, err=output, env=environment).status()
        text = output.read_text("utf-8", "replace")[-3000:]
        assert notes.exists(), f"{shape}:\n{text}"
        return dict(json.loads(notes.read_text("utf-8")), output=text)
