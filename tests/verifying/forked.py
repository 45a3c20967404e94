"""Runs recorded processes as forks of a Python that has imported TensorFlow, which takes a second instead of five."""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
from pathlib import Path
from typing import Any, Mapping, Sequence

from tests.processes.schemas import valid
from tests.processes.warm import WarmPython, exit_status
from tf1mem.verifying.places import place_of
from tf1mem.verifying.sides import Ended, Process
from tf1mem.verifying.verify import Request, Verification

_SCRIPT = "import sys\nfrom tf1mem.verifying.recording.start import main\nmain(sys.argv[1])\n"


class Kept:
    """Recordings of the old side, which several tests compare with other programs, so that each is made once.

    The key of a recording is a hash of everything that its process depends on: the job, the variables and every file of
    its folder. A process that starts from another's initial values or data, as the new side's does, is not kept.

    Args:
        folder: An empty folder for the recordings.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._statuses: dict[str, int] = {}

    def key(self, job: Mapping[str, Any], folder: str, variables: Mapping[str, str | None]) -> str:
        """Returns the key of a process that is about to start; "" if it isn't kept."""
        if job["first_values"] or job["data"]:
            return ""
        text = json.dumps([job, folder, variables], sort_keys=True).replace(job["folder"], "")
        digest = hashlib.sha256(text.encode())
        for path in sorted(path for path in Path(job["folder"]).rglob("*") if path.is_file()):
            digest.update(str(path.relative_to(job["folder"])).encode() + b"\0" + path.read_bytes())
        return digest.hexdigest()

    def keep(self, key: str, folder: Path, status: int) -> None:
        """Keeps the recording of a process that has ended."""
        if key and key not in self._statuses:
            shutil.copytree(str(folder), str(self._folder / key), symlinks=True)
            self._statuses[key] = status

    def copy(self, key: str, folder: Path) -> int | None:
        """Copies a recording into the folder of a process that would make it again; returns its status, or None."""
        if key in self._statuses:
            shutil.rmtree(str(folder))  # the recording has the same files, and more
            shutil.copytree(str(self._folder / key), str(folder), symlinks=True)
        return self._statuses.get(key)


def forked(warm: WarmPython, kept: Kept | None = None) -> type[Process]:
    """Returns a class that starts recorded processes as forks.

    Args:
        warm: The Python that forks.
        kept: The recordings to use in place of a process that would make the same; by default each process runs.
    """

    class Forked(Process):
        """A fork, or a new Python for a program of TensorFlow 2, which can't be a fork of one with `tf1mem.v1`."""

        _program: Any = None
        _key = ""
        _status: int | None = None  # as `os.waitpid` gives it

        def start(self, command: Sequence[str], folder: str, environment: Mapping[str, str]) -> None:
            job = json.loads(command[-1])
            if "import tensorflow" in Path(job["program"]).read_text(encoding="utf-8"):
                super().start(command, folder, environment)
                return
            script = self.folder / "start.py"
            script.write_text(_SCRIPT, encoding="utf-8")
            variables = {name: environment.get(name) for name in ("TF1MEM_TF1_SEEDS", "PYTHONHASHSEED")}
            if kept is not None:
                self._key = kept.key(job, folder, variables)
                self._status = kept.copy(self._key, self.folder)
            if self._status is not None:
                return
            self._program = warm.submit(
                [str(script), command[-1]],
                folder=Path(folder),
                out=self.folder / "stdout",
                err=self.folder / "stderr",
                env=variables,
            )

        def poll(self) -> bool:
            if self._status is not None:
                return True
            return super().poll() if self._program is None else bool(self._program.done())

        def stop(self) -> None:
            if self._program is not None:
                self._program.status()
            elif self._status is None:
                super().stop()

        def ended(self) -> Ended:
            if self._program is not None:
                self._status = self._program.status()
                if kept is not None:
                    kept.keep(self._key, self.folder, self._status)
            return super().ended() if self._status is None else self.as_ended(exit_status(self._status))

    return Forked


def certificate(
    warm: WarmPython, folder: Path, old: str, new: str, kept: Kept | None = None, **how: Any
) -> dict[str, Any]:
    """Returns the certificate of two programs, both run by this Python.

    Args:
        warm: The Python that forks.
        folder: A folder for them.
        old: The source of the old side, which imports `tf1mem.v1`.
        new: The source of the new side.
        kept: Recordings of the old side to use again; by default each of its processes runs. With them the new program
            gets a folder of its own, since a recording is of all files of a folder.
        how: Further fields of the request.
    """
    files = folder / "files"
    others = files if kept is None else folder / "others"
    for path, source in ((files / "program.py", old), (others / "new.py", new)):
        path.parent.mkdir(exist_ok=True)
        path.write_text(source, encoding="utf-8")
    request = Request(str(files / "program.py"), [], str(others / "new.py"), one_cpu=False, **how)
    places = [place_of(request.program), place_of(request.against)]
    python = None if request.old_file else sys.executable
    verification = Verification(request, *places, python, folder / "work", lambda processes: None, forked(warm, kept))  # type: ignore[call-arg]
    result: dict[str, Any] = json.loads(json.dumps(verification.certificate(), default=str))
    return valid("verify", result)
