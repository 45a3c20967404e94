"""The notes of a recorded process, and the files that they are written to."""

from __future__ import annotations

import json
import os
import threading
from typing import Any, Iterable

from tf1mem.verifying.array_records import identity, measures

# The files of a recording: the notes, the arrays' samples, and the initial values of variables.
NOTES, SAMPLES, FIRST = "notes.json", "samples.npz", "first.npz"
SCHEMA = 2  # the version of these files; it rises when older ones can't be read any more
# The exit status of a process whose notes can't be written: EX_IOERR.
UNWRITTEN = 74
# The most bytes that samples and initial values may take together.
ROOM = 200 << 20
# Replaces "/" in names of variables, since a name in a .npz file is a file name.
_SLASH = "|"


def read_first(path: str) -> dict[str, Any]:
    """Returns the initial values of variables, by the variables' names, from a file that `Notes.write` wrote."""
    import numpy as np

    with np.load(path) as file:
        return {key.replace(_SLASH, "/"): file[key] for key in file.files}


def read_weights(path: str) -> list[str]:
    """Returns the names of trainable variables, in the order of their creation.

    Args:
        path: The file with the initial values; the notes are beside it.
    """
    with open(os.path.join(os.path.dirname(path), NOTES), encoding="utf-8") as file:
        first: dict[str, Any] = json.load(file)["first"]
    return [name for name, figures in first.items() if figures["trainable"]]


class Notes:
    """Collects the notes of one process, and the values that go with them.

    Args:
        folder: The folder that `write` writes the files to.

    Attributes:
        fields: The notes, as `write` writes them to the JSON file.
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.fields: dict[str, Any] = {
            "schema": SCHEMA,
            "runs": [],
            "first": {},
            "sessions": [],
            "ordered": [],
        }
        # Guards the values below: TensorFlow's threads add some of them.
        self._lock = threading.Lock()
        self._samples: dict[str, Any] = {}
        # An array's type, shape and checksum -> its measures: many arrays are recorded more than once.
        self._measured: dict[tuple[Any, ...], dict[str, Any]] = {}
        self._whole: dict[str, Any] = {}
        self._kept_bytes = 0

    def keep(self, value: Any) -> dict[str, Any]:
        """Keeps a sample of an array, if there is room.

        Args:
            value: An array, a number, bytes or text.

        Returns:
            The array's figures: the dicts of `identity` and, but for text, of `measures`. "sample" names the sample.
        """
        figures, flat = identity(value)
        if flat is None:
            return figures
        key = (figures["dtype"], tuple(figures["shape"]), figures["checksum"])
        if key not in self._measured:
            more, sample = measures(flat)
            with self._lock:
                if key not in self._measured:
                    if self._kept_bytes + sample.nbytes <= ROOM:
                        self._kept_bytes += sample.nbytes
                        more["sample"] = f"s{len(self._samples)}"
                        self._samples[more["sample"]] = sample
                    self._measured[key] = more
        return {**figures, **self._measured[key]}

    def keep_whole(self, name: str, value: Any) -> None:
        """Keeps a variable's whole initial value, an array, if there is room; else notes that there was none."""
        with self._lock:
            has_room = self._kept_bytes + value.nbytes <= ROOM
            if has_room:
                self._kept_bytes += value.nbytes
                self._whole[name] = value
        if not has_room and "room" not in self.fields:
            self.fields["room"] = f"only part of the initial values is kept: they are larger than {ROOM >> 20} MiB"

    def note_final(self, step: int, values: Iterable[tuple[str, Any]]) -> None:
        """Notes the variables after the last run that trains. They are compared as if another run followed.

        Args:
            step: The number of runs that have trained.
            values: Pairs of a variable's name and value.
        """
        kept = {"before:" + name: self.keep(value) for name, value in values}
        self.note("runs", {"key": str(step), "trains": False, "values": kept, "jumps": []})

    def note_config(self, config: Any) -> None:
        """Notes the text of a ConfigProto, or "" for None, unless it is noted already."""
        text = "" if config is None else str(config)
        if text not in self.fields["sessions"]:
            self.note("sessions", text)

    def note(self, kind: str, note: Any) -> None:
        """Appends a note to the list of its kind: "runs", "sessions", "restores"."""
        self.fields.setdefault(kind, []).append(note)

    def write(self) -> None:
        """Writes the files. The notes come last, so that once they exist the other files are complete."""
        import numpy as np

        np.savez(os.path.join(self.folder, SAMPLES), **self._samples)
        if self._whole:
            whole = {name.replace("/", _SLASH): value for name, value in self._whole.items()}
            np.savez(os.path.join(self.folder, FIRST), **whole)
        path = os.path.join(self.folder, NOTES)
        with open(path + ".part", "w", encoding="utf-8") as file:
            json.dump(self.fields, file)
        os.replace(path + ".part", path)
