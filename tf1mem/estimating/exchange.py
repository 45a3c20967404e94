"""What passes between the process that asks and those that trace and measure: files in one folder."""

from __future__ import annotations

import json
import os
from typing import Any


class Exchange:
    """A folder with a step's graph, its description, values to feed, and answers.

    Args:
        folder: It is there already.
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def path(self, name: str) -> str:
        """A file of the folder."""
        return os.path.join(self.folder, name)

    def graph(self) -> bytes:
        """The step's GraphDef, as bytes."""
        with open(self.path("graph.pb"), "rb") as file:
            return file.read()

    def write_step(self, graph: bytes, step: dict[str, Any]) -> None:
        """Keeps a traced step: its GraphDef, and what to feed and run, which is the answer "step"."""
        with open(self.path("graph.pb"), "wb") as file:
            file.write(graph)
        self.write_answer("step", step)

    def write_answer(self, name: str, answer: dict[str, Any]) -> None:
        """Keeps an answer under a name."""
        with open(self.path(name + ".json"), "w", encoding="utf-8") as file:
            json.dump(answer, file)

    def read_answer(self, name: str) -> dict[str, Any]:
        """The answer under a name; empty where none was written."""
        try:
            with open(self.path(name + ".json"), encoding="utf-8") as file:
                answer: dict[str, Any] = json.load(file)
        except FileNotFoundError:
            return {}
        return answer

    def write_values(self, name: str, values: Any) -> None:
        """Keeps an array to feed."""
        import numpy as np

        np.save(self.path(name), values)

    def read_values(self, name: str) -> Any:
        """An array to feed."""
        import numpy as np

        return np.load(self.path(name + ".npy"))
