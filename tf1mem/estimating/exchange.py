"""Passes files between the calling process and the processes that trace and measure, in one folder."""

from __future__ import annotations

import json
import os
from typing import Any


class Exchange:
    """A folder with a step's graph, its description, values to feed, and answers.

    Args:
        folder: The path of an existing folder.
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def path(self, name: str) -> str:
        """Returns the path of a file in the folder."""
        return os.path.join(self.folder, name)

    def graph(self) -> bytes:
        """Reads the step's serialized GraphDef."""
        with open(self.path("graph.pb"), "rb") as file:
            return file.read()

    def write_step(self, graph: bytes, step: dict[str, Any]) -> None:
        """Writes a traced step: its GraphDef, and its feeds and targets as the answer "step"."""
        with open(self.path("graph.pb"), "wb") as file:
            file.write(graph)
        self.write_answer("step", step)

    def write_answer(self, name: str, answer: dict[str, Any]) -> None:
        """Writes an answer under a name."""
        with open(self.path(name + ".json"), "w", encoding="utf-8") as file:
            file.write(json.dumps(answer))  # json.dump would take ten times as long: it encodes in Python

    def read_answer(self, name: str) -> dict[str, Any]:
        """Reads the answer under a name; empty if none was written."""
        try:
            with open(self.path(name + ".json"), encoding="utf-8") as file:
                answer: dict[str, Any] = json.load(file)
        except FileNotFoundError:
            return {}
        return answer

    def write_values(self, name: str, values: Any) -> None:
        """Writes an array to feed."""
        import numpy as np

        np.save(self.path(name), values)

    def read_values(self, name: str) -> Any:
        """Reads an array to feed."""
        import numpy as np

        return np.load(self.path(name + ".npy"))
