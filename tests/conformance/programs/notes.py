"""Writes the notes of a running program: one JSON file, complete after every step.

This file doesn't import TensorFlow: `tf1mem run` would rewrite the import.
"""

from __future__ import annotations

import json
import os
import sys


class Notes:
    """The notes of one case.

    Attributes:
        case: The request of the case: "config" in the shape of ConfigProto, and "allocations" as pairs of a GPU's
            number and bytes.
    """

    def __init__(self) -> None:
        """Reads the case that the command line names; its notes go beside it."""
        path = sys.argv[1]
        with open(path, encoding="utf-8") as file:
            self.case = json.load(file)
        self._path = os.path.join(os.path.dirname(path), "notes.json")
        self._trace = os.environ.get("TF1MEM_SIM_TRACE", "")
        self._noted = {"limits": [], "steps": [], "error": None}

    @property
    def wants_eager(self) -> bool:
        """True if an eager op comes before the config. TensorFlow 1 needs eager mode switched on for it."""
        return any(step == "eager op" for step, _ in self.case.get("earlier_steps", ()))

    def limits(self, limits: list[int]) -> None:
        """Notes the memory limit of each logical GPU in bytes, as TensorFlow reports it, in the order of the GPUs."""
        self._noted["limits"] = limits
        self.write()

    def step(self, gpu: int, allocate: object) -> None:
        """Makes an allocation on a logical GPU, and notes its outcome."""
        begin = self._traced()
        try:
            allocate()
            outcome = "ok"
        except Exception as error:
            outcome = type(error).__name__
        self._noted["steps"].append([gpu, outcome, begin, self._traced()])
        self.write()

    def failed(self, error: BaseException) -> None:
        """Notes the error that the config, or a step under it, raised."""
        self._noted["error"] = [type(error).__name__, str(error)]
        self.write()

    def note(self, name: str, value: object) -> None:
        """Notes a value under a name, to be compared like the rest."""
        self._noted[name] = value
        self.write()

    def _traced(self) -> int:
        return os.path.getsize(self._trace) if os.path.exists(self._trace) else 0

    def write(self) -> None:
        with open(self._path + ".part", "w", encoding="utf-8") as file:
            json.dump(self._noted, file)
        os.replace(self._path + ".part", self._path)
