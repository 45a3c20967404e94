"""Processes that leave the simulation: they use TensorFlow, and the simulator is not what they find as their CUDA.

The dynamic linker looks where LD_LIBRARY_PATH said when the process started its program (ld.so(8)), which is what
/proc/PID/environ keeps (proc(5)). Nobody is told when a program starts, so this is looked at from time to time.
"""

from __future__ import annotations

import os
import re
from typing import Iterable, Mapping

from tf1mem.gpusim.histories import Process
from tf1mem.gpusim.launching import LIBRARY_PATH

# Every process that has imported TensorFlow can execute it; what only reads the file, such as a linker, can't.
_TENSORFLOW = re.compile(rb"^\S+ ..x. .*/libtensorflow_framework\.so", re.MULTILINE)


class Strays:
    """The processes that left a simulation.

    Args:
        environment: The variables that put a process on it.

    Attributes:
        found: Those that were seen, by their number.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._libraries = os.fsencode(environment[LIBRARY_PATH].split(os.pathsep)[0])
        self.found: dict[int, Process] = {}

    def look(self, pids: Iterable[int]) -> None:
        """Looks at processes.

        Args:
            pids: Their numbers.
        """
        for pid in pids:
            try:
                if pid not in self.found and self._is_one(pid):
                    command = _of(pid, "cmdline").rstrip(b"\0").replace(b"\0", b" ")
                    self.found[pid] = Process(pid, 0.0, command.decode("utf-8", "replace")[:200])
            except OSError:
                pass  # it has ended, or is another user's

    def _is_one(self, pid: int) -> bool:
        variables = dict(line.partition(b"=")[::2] for line in _of(pid, "environ").split(b"\0"))
        folders = variables.get(LIBRARY_PATH.encode(), b"").split(os.pathsep.encode())
        return self._libraries not in folders and _TENSORFLOW.search(_of(pid, "maps")) is not None


def _of(pid: int, what: str) -> bytes:
    with open(f"/proc/{pid}/{what}", "rb") as file:
        return file.read()
