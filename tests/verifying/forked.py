"""Runs recorded processes as forks of a Python that has imported TensorFlow, which takes a second instead of five."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Mapping, Sequence

from tests.processes.schemas import valid
from tests.processes.warm import WarmPython, exit_status
from tf1mem.verifying.places import place_of
from tf1mem.verifying.sides import Ended, Process
from tf1mem.verifying.verify import Request, Verification

_SCRIPT = "import sys\nfrom tf1mem.verifying.recording.start import main\nmain(sys.argv[1])\n"


def forked(warm: WarmPython) -> type[Process]:
    """Returns a class that starts recorded processes as forks."""

    class Forked(Process):
        """A fork, or a new Python for a program of TensorFlow 2, which can't be a fork of one with `tf1mem.v1`."""

        _program: Any = None

        def start(self, command: Sequence[str], here: str, environment: Mapping[str, str]) -> None:
            if "import tensorflow" in Path(json.loads(command[-1])["program"]).read_text(encoding="utf-8"):
                super().start(command, here, environment)
                return
            script = self.folder / "start.py"
            script.write_text(_SCRIPT, encoding="utf-8")
            names = ("TF1MEM_TF1_SEEDS", "PYTHONHASHSEED")
            self._program = warm.submit(
                [str(script), command[-1]],
                folder=Path(here),
                out=self.folder / "stdout",
                err=self.folder / "stderr",
                env={name: environment.get(name) for name in names},
            )

        def poll(self) -> bool:
            return super().poll() if self._program is None else bool(self._program.done())

        def stop(self) -> None:
            if self._program is None:
                super().stop()
            else:
                self._program.result(300)

        def ended(self) -> Ended:
            if self._program is None:
                return super().ended()
            return self.as_ended(exit_status(self._program.result(300)))

    return Forked


def certificate(warm: WarmPython, folder: Path, old: str, new: str, **how: Any) -> dict[str, Any]:
    """Returns the certificate of two programs, both run by this Python.

    Args:
        warm: The Python that forks.
        folder: A folder for them.
        old: The source of the old side, which imports `tf1mem.v1`.
        new: The source of the new side.
        how: Further fields of the request.
    """
    files = folder / "files"
    files.mkdir(exist_ok=True)
    (files / "program.py").write_text(old, encoding="utf-8")
    (files / "new.py").write_text(new, encoding="utf-8")
    request = Request(str(files / "program.py"), [], str(files / "new.py"), one_cpu=False, **how)
    places = [place_of(str(files / name)) for name in ("program.py", "new.py")]
    python = None if request.old_file else sys.executable
    verification = Verification(request, *places, python, folder / "work", lambda processes: None, forked(warm))  # type: ignore[call-arg]
    result: dict[str, Any] = json.loads(json.dumps(verification.certificate(), default=str))
    return valid("verify", result)
