"""Reads recordings of processes, and packs those of an old side into one file."""

from __future__ import annotations

import json
import os
import zipfile
import zlib
from pathlib import Path
from typing import Any, Mapping

from tf1mem.errors import VerifyError
from tf1mem.verifying import array_records
from tf1mem.verifying.places import NO_ROOM
from tf1mem.verifying.recording.data import DATA
from tf1mem.verifying.recording.notes import FIRST, NOTES, SAMPLES, SCHEMA

PRINTED = "stdout"
_FILES = (NOTES, SAMPLES, FIRST, DATA)
# Only this many bytes of the printed text are kept.
PRINTED_ROOM = 1 << 20


class Recording:
    """The recording of one process.

    Attributes:
        notes: The notes, read from JSON.
        folder: The recording's folder.
    """

    def __init__(self, folder: Path) -> None:
        import numpy as np

        self.folder = folder
        self.notes: dict[str, Any] = json.loads((folder / NOTES).read_text(encoding="utf-8"))
        with np.load(folder / SAMPLES) as file:
            self._samples = {name: file[name] for name in file.files}

    @property
    def runs(self) -> dict[str, dict[str, Any]]:
        """The runs by key: "3" is the fourth training run, "3.1" the first run between the third and it."""
        return {run["key"]: run for run in self.notes["runs"]}

    @property
    def trained(self) -> int:
        """The number of training runs."""
        return sum(run["trains"] for run in self.notes["runs"])

    @property
    def is_eager(self) -> bool:
        """True if the program trained eagerly, so that there is no graph."""
        return bool(self.notes.get("eager"))

    @property
    def is_deep(self) -> bool:
        """True if tensors inside of loops and functions were recorded, too."""
        return "inside" in self.notes.get("trace", {})

    @property
    def tried_deep(self) -> bool:
        """True if these tensors were to be recorded, even if that failed."""
        return self.is_deep or "not_inside" in self.notes

    @property
    def first(self) -> Path:
        """The file with the initial values of variables."""
        return self.folder / FIRST

    @property
    def printed(self) -> str:
        """The beginning of the text that the program printed; "" if it wasn't kept."""
        try:
            with open(self.folder / PRINTED, "rb") as file:
                return file.read(PRINTED_ROOM).decode("utf-8", "replace")
        except FileNotFoundError:
            return ""

    @property
    def is_cut(self) -> bool:
        """True if the program printed more than is kept."""
        path = self.folder / PRINTED
        return path.exists() and path.stat().st_size >= PRINTED_ROOM

    @property
    def data(self) -> Path | None:
        """The file with the data of iterators and queues; None if it wasn't kept."""
        path = self.folder / DATA
        return path if path.exists() else None

    def sample(self, figures: Mapping[str, Any]) -> Any:
        """Returns the values of an array's sample, or None."""
        return self._samples.get(figures.get("sample", ""))


def distance(old: Recording, a: dict[str, Any], new: Recording, b: dict[str, Any]) -> float:
    """Returns the distance of two recorded arrays: see `array_records.distance`."""
    return array_records.distance(a, old.sample(a), b, new.sample(b))


def pack(file: Path, folders: Mapping[str, Path], about: Mapping[str, Any]) -> None:
    """Writes the recordings of an old side into one file.

    Args:
        file: The file, which is replaced.
        folders: Name, such as "base" -> the folder of a recording.
        about: Facts about the program, for JSON.

    Raises:
        VerifyError: The file can't be written.
    """
    part = file.with_name(file.name + ".part")
    try:
        with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("about.json", json.dumps({"schema": SCHEMA, **about}))
            for name, folder in folders.items():
                for kept in _FILES:
                    if (folder / kept).exists():
                        archive.write(folder / kept, f"{name}/{kept}")
                if (folder / PRINTED).exists():
                    with open(folder / PRINTED, "rb") as printed:
                        archive.writestr(f"{name}/{PRINTED}", printed.read(PRINTED_ROOM))
        part.replace(file)
    except OSError as error:
        raise VerifyError(f"--record {file}", f"can't be written ({error.strerror})", "Name a file that can") from None
    finally:
        if os.path.lexists(part):
            part.unlink()


def unpack(file: Path, folder: Path) -> dict[str, Any]:
    """Extracts the recordings from a file that `pack` wrote.

    Args:
        file: Path of the file.
        folder: The folder to extract to; each recording gets a folder of its name there.

    Returns:
        The facts about the program.

    Raises:
        VerifyError: The file isn't a recording, can't be read, or was written by another version of tf1mem.
    """
    try:
        with zipfile.ZipFile(file) as archive:
            about: dict[str, Any] = dict(json.loads(archive.read("about.json")))
            if about.get("schema") != SCHEMA:
                raise VerifyError(
                    f"--old {file}", "was recorded by another version of tf1mem", "Record it again by this one"
                )
            if f"base/{NOTES}" not in archive.namelist():
                raise KeyError
            for name in archive.namelist():
                if name.count("/") == 1 and name.split("/")[1] in {*_FILES, PRINTED} and ".." not in name:
                    archive.extract(name, folder)
    except OSError as error:
        if error.errno in NO_ROOM:
            raise
        raise VerifyError(f"--old {file}", f"can't be read ({error.strerror})", "Name a file of --record") from None
    except (zipfile.BadZipFile, zlib.error, EOFError, KeyError, TypeError, ValueError):
        fault = "is not a recording, or only a part of one"
        raise VerifyError(f"--old {file}", fault, "Name a file that `--record` wrote") from None
    return about
