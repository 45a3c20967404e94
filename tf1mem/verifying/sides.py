"""Starts the recorded process of a side, waits for it, and reads its recording."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from glob import escape, glob
from pathlib import Path
from typing import Callable, Collection, Mapping, NamedTuple, Sequence

from tf1mem.machine import child
from tf1mem.settings.variable_names import TF1_SEEDS
from tf1mem.verifying.places import Place, copy, is_below
from tf1mem.verifying.recording.job import Job
from tf1mem.verifying.recording.notes import NOTES
from tf1mem.verifying.recordings import Recording

# The variable that marks a side's process and all processes that it starts: its value is the recording's folder.
_MARK = "TF1MEM_VERIFY_SIDE"
_START = "from tf1mem.verifying.recording.start import main; main(sys.argv[1])"
# TensorFlow 2 sets this variable to "1" in each process that imports TensorFlow, and the processes that such a process
# starts, such as a shell in a notebook, inherit the variable. TensorFlow 1 would then behave as 2 does.
_BEHAVES_AS_2 = "TF2_BEHAVIOR"
# The most bytes of a side's stdout and stderr that are read.
_PRINTED, _ERROR_TEXT = 16 << 20, 4000
# Environment variables of both sides, so that only the program decides its numbers.
SETTLED = {
    "PYTHONHASHSEED": "0",
    "TF_ENABLE_ONEDNN_OPTS": "0",
    "TF_CUDNN_DETERMINISTIC": "1",
    "TF_DETERMINISTIC_OPS": "1",
    "NVIDIA_TF32_OVERRIDE": "0",
}


class Side(NamedTuple):
    """A program, and the Python that runs it.

    Attributes:
        name: "old" or "new".
        python: The interpreter.
        mode: "plain" or "run": see `Job`.
        place: The program's files.
        arguments: The program's arguments.
        environment: Environment variables in addition to this process's.
        packages: Installed packages that `tf1mem run` rewrites like the program's own files.
    """

    name: str
    python: str
    mode: str
    place: Place
    arguments: Sequence[str]
    environment: Mapping[str, str] = {}
    packages: Sequence[str] = ()


class Ended(NamedTuple):
    """A process that has ended.

    Attributes:
        recording: The recording, or None.
        status: The exit status; negative if a signal ended the process.
        printed: The end of its stdout.
        error_text: The end of its stderr.
    """

    recording: Recording | None
    status: int
    printed: str
    error_text: str


class Process:
    """A recorded process.

    Args:
        side: The program.
        folder: The folder for its recording, which is created.
        steps: The number of training runs after which it ends.
        cpu: The CPU that it is bound to; None for all.
        trace: The key of the run whose tensors are all recorded.
        deep: True to record the tensors of that run inside loops and branches, too.
        moved: The seed for moving each initial weight by one unit in the last place.
        first: A file with initial values.
        seed: The seed for graphs to which the program gives none.
        named_seeds: True to derive the seeds of ops from their names; see `Job`.
        keeps_data: True to keep the data of iterators and queues; see `Job`.
        data: A file with such data, which replaces the program's own.
        linked: Files that are linked into the copy of the program's folder; see `places.copy`.
    """

    def __init__(
        self,
        side: Side,
        folder: Path,
        *,
        steps: int,
        cpu: int | None = None,
        trace: str = "",
        deep: bool = False,
        moved: int = 0,
        first: Path | None = None,
        seed: int = 1,
        named_seeds: bool = False,
        keeps_data: bool = False,
        data: Path | None = None,
        linked: Collection[str] = (),
    ) -> None:
        self.side, self.folder, self._is_stopped = side, folder, False
        folder.mkdir(parents=True)
        root = copy(side.place, folder / "work", linked)
        job = Job(
            folder=str(folder),
            mode=side.mode,
            program=os.path.join(str(root), side.place.program),
            arguments=list(side.arguments),
            root=str(root),
            steps=steps,
            cpu=-1 if cpu is None else cpu,
            trace=trace,
            deep=deep,
            moved=moved,
            first_values="" if first is None else str(first),
            seed=seed,
            named_seeds=named_seeds,
            keeps_data=keeps_data,
            data="" if data is None else str(data),
            paths=search_path(side, root),
            packages=list(side.packages),
        )
        command = [side.python, *child.python(_START, json.dumps(job._asdict()))[1:]]
        environment = child.without_this_folder({**os.environ, **SETTLED, **side.environment})
        environment.update(child.LEFT_ALONE, PYTHONDONTWRITEBYTECODE="1", PYTHONUNBUFFERED="1")
        environment.pop(_BEHAVES_AS_2, None)
        (folder / "tmp").mkdir()  # the program's temporary files are removed with the recording
        environment.update({_MARK: str(folder), "TMPDIR": str(folder / "tmp")})
        if side.python != sys.executable:
            for name in ("PYTHONHOME", "PYTHONPATH"):
                environment.pop(name, None)
        elif "PYTHONPATH" in environment:  # here for tf1mem's own imports: the job has the program's entries
            entries = environment["PYTHONPATH"].split(os.pathsep)
            outside = [entry for entry in entries if not is_below(os.path.realpath(entry), side.place.root)]
            environment["PYTHONPATH"] = os.pathsep.join(outside)
        if named_seeds:
            environment[TF1_SEEDS] = "false"  # else tf1mem.v1 gives ops TensorFlow 1's seeds, by number and not by name
        if cpu is not None:
            environment.update(OMP_NUM_THREADS="1", TF_NUM_INTRAOP_THREADS="1", TF_NUM_INTEROP_THREADS="1")
        self.start(command, os.path.join(str(root), side.place.current), environment)

    def start(self, command: Sequence[str], folder: str, environment: Mapping[str, str]) -> None:
        """Starts the process.

        Args:
            command: The command line; the last argument is the job, as JSON.
            folder: The folder that it runs in.
            environment: The environment variables.
        """
        with open(self.folder / "stdout", "wb") as out, open(self.folder / "stderr", "wb") as err:
            self._child = subprocess.Popen(
                command,
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )

    @property
    def steps(self) -> int:
        """The number of training runs so far."""
        try:
            return int((self.folder / "steps").read_text(encoding="utf-8") or 0)
        except (OSError, ValueError):
            return 0

    def poll(self) -> bool:
        """Returns True if the process has ended."""
        return self._child.poll() is not None

    def stop(self) -> None:
        """Ends the process and all processes that it has started, those in other sessions, too."""
        if not self._is_stopped:
            child.end(self._child)
            end_started([self.folder])
            self._is_stopped = True

    def ended(self) -> Ended:
        """Waits for the process's end, and returns its results."""
        return self.as_ended(self._child.wait())

    def as_ended(self, status: int) -> Ended:
        """Returns the results of a process that has ended.

        Args:
            status: The exit status; negative if a signal ended the process.
        """
        recording = Recording(self.folder) if (self.folder / NOTES).exists() else None
        printed = _end_of(self.folder / "stdout", _PRINTED)
        return Ended(recording, status, printed, _end_of(self.folder / "stderr", _ERROR_TEXT))


def search_path(side: Side, root: Path) -> list[str]:
    """Returns the folders of PYTHONPATH for a side's program.

    Those in the program's folder lead into its copy. Folders with installed packages, or with a standard library, are
    left out for another Python.

    Args:
        side: The side whose program is run.
        root: The folder in which the program will run: the copy of `side.place.root`.
    """
    paths = []
    for entry in os.environ["PYTHONPATH"].split(os.pathsep) if os.environ.get("PYTHONPATH") else ():
        path = os.path.realpath(entry)  # an empty entry is the current folder
        if is_below(path, side.place.root):
            paths.append(os.path.normpath(os.path.join(str(root), os.path.relpath(path, side.place.root))))
        elif side.python == sys.executable or not _is_of_one_python(path):
            paths.append(path)
    return paths


def _is_of_one_python(folder: str) -> bool:
    """Returns True if a folder belongs to one Python: it has installed packages, or a standard library."""
    return (
        os.path.basename(folder) in ("site-packages", "dist-packages")
        or os.path.exists(os.path.join(folder, "os.py"))
        or bool(glob(os.path.join(escape(folder), "*.dist-info")))
    )


def end_started(folders: Sequence[Path]) -> None:
    """Ends all processes of some sides, those that were being started, too.

    Args:
        folders: The folders of the sides' recordings.
    """
    for folder in folders:
        child.end_marked(_MARK, str(folder))


def _end_of(file: Path, size: int) -> str:
    """Returns the last bytes of a file as text."""
    with open(file, "rb") as opened:
        opened.seek(max(0, os.fstat(opened.fileno()).st_size - size))
        return opened.read().decode("utf-8", "replace")


def wait(
    processes: Sequence[Process], show: Callable[[Sequence[Process]], None], check: Callable[[], None]
) -> list[Ended]:
    """Waits for processes; if interrupted, ends all of them.

    Args:
        processes: Processes that were started.
        show: Called with the processes from time to time.
        check: Called from time to time, and at the end; an exception from it ends all processes.
    """
    import time

    try:
        while not all(process.poll() for process in processes):
            show(processes)
            check()
            time.sleep(0.1)
        check()
    finally:
        for process in processes:
            process.stop()
    return [process.ended() for process in processes]
