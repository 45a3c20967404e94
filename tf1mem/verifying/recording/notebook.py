"""The notes of a recorded process, and the two files that they are written to."""

from __future__ import annotations

import json
import os
from typing import Any, Mapping

from tf1mem.verifying.values import summary

NOTES, SAMPLES, FIRST = "notes.json", "samples.npz", "first.npz"
SCHEMA = 1
# What samples and first values may take together, in bytes.
ROOM = 200 << 20
# In a file of NumPy's a name is that of a file in an archive.
_SLASH = "|"


def read_first(path: str) -> dict[str, Any]:
    """Returns the first values of variables, by the variables' names, from a file that a `Notebook` wrote."""
    import numpy as np

    with np.load(path) as file:
        return {key.replace(_SLASH, "/"): file[key] for key in file.files}


class Notebook:
    """Notes of one process, in the order in which things happen.

    Args:
        folder: The folder that they are written to.
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.notes: dict[str, Any] = {
            "schema": SCHEMA,
            "runs": [],
            "first": {},
            "sessions": [],
        }
        self._samples: dict[str, Any] = {}
        self._whole: dict[str, Any] = {}
        self._taken = 0

    def keep(self, value: Any) -> dict[str, Any]:
        """Returns an array's figures; its sample is kept, by the name that the figures have under "sample"."""
        figures, sample = summary(value)
        if sample is not None and self._taken + sample.nbytes <= ROOM:
            self._taken += sample.nbytes
            figures["sample"] = f"s{len(self._samples)}"
            self._samples[figures["sample"]] = sample
        return figures

    def keep_whole(self, name: str, value: Any) -> None:
        """Keeps a variable's first value as it is, as long as there is room."""
        if self._taken + value.nbytes <= ROOM:
            self._taken += value.nbytes
            self._whole[name] = value
        elif "room" not in self.notes:
            self.notes["room"] = f"only part of the first values is kept: they are larger than {ROOM >> 20} MiB"

    def note_final(self, step: int, values: Mapping[str, Any]) -> None:
        """Notes variables after the last run that trains, as they would be before the next.

        Args:
            step: The count of runs that have trained.
            values: The variables' values, by their names.
        """
        kept = {"before:" + name: self.keep(value) for name, value in values.items()}
        self.note("runs", {"key": str(step), "trains": False, "values": kept, "jumps": []})

    def note(self, kind: str, what: Any) -> None:
        """Adds to one of the lists of notes."""
        self.notes.setdefault(kind, []).append(what)

    def write(self) -> None:
        """Writes all notes: the last file is there once the others are whole."""
        import numpy as np

        np.savez(os.path.join(self.folder, SAMPLES), **self._samples)
        if self._whole:
            whole = {name.replace("/", _SLASH): value for name, value in self._whole.items()}
            np.savez(os.path.join(self.folder, FIRST), **whole)
        path = os.path.join(self.folder, NOTES)
        with open(path + ".part", "w", encoding="utf-8") as file:
            json.dump(self.notes, file)
        os.replace(path + ".part", path)
