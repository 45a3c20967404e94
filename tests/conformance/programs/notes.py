"""Writes the notes of a running program: one JSON file, complete after every step.

This file doesn't import TensorFlow: `tf1mem run` would rewrite the import.
"""

from __future__ import annotations

import json
import os
import sys


class Notes:
    """The notes of one run of a program.

    Attributes:
        request: The settings and allocations for the program: "config", a dict in the shape of ConfigProto;
            "allocations", pairs of a logical GPU's number and a size in bytes; and "earlier_steps", pairs of a step's
            name and its config or None, which run before "config" is applied.
    """

    def __init__(self) -> None:
        """Reads the request from the JSON file that the command line names; notes.json is written beside that file."""
        path = sys.argv[1]
        with open(path, encoding="utf-8") as file:
            self.request = json.load(file)
        self._path = os.path.join(os.path.dirname(path), "notes.json")
        self._trace = os.environ.get("TF1MEM_SIM_TRACE", "")
        self._notes = {"limits": [], "steps": [], "error": None}

    @property
    def wants_eager(self) -> bool:
        """True if an eager op runs before the config is applied. TensorFlow 1 needs eager mode switched on for it."""
        return any(step == "eager op" for step, _ in self.request.get("earlier_steps", ()))

    def note_limits(self, limits: list[int]) -> None:
        """Notes the memory limit of each logical GPU in bytes, as TensorFlow reports it, in the order of the GPUs."""
        self._notes["limits"] = limits
        self.write()

    def note_allocation(self, gpu: int, allocate: object) -> None:
        """Allocates on a logical GPU; notes the outcome, and the trace's size in bytes before and after it."""
        trace_start = self._trace_size()
        try:
            allocate()
            outcome = "ok"
        except Exception as error:
            outcome = type(error).__name__
        self._notes["steps"].append([gpu, outcome, trace_start, self._trace_size()])
        self.write()

    def note_error(self, error: BaseException) -> None:
        """Notes an error that was raised while the config was applied or a step ran before it."""
        self._notes["error"] = [type(error).__name__, str(error)]
        self.write()

    def note(self, name: str, value: object) -> None:
        """Notes a further value under a name; it is compared with the value that TensorFlow 1.15.5 had."""
        self._notes[name] = value
        self.write()

    def _trace_size(self) -> int:
        return os.path.getsize(self._trace) if os.path.exists(self._trace) else 0

    def write(self) -> None:
        with open(self._path + ".part", "w", encoding="utf-8") as file:
            json.dump(self._notes, file)
        os.replace(self._path + ".part", self._path)
