"""Detects processes that leave the simulation: they use TensorFlow, but their CUDA library isn't the simulator.

The dynamic linker uses LD_LIBRARY_PATH as it was when the process started its program (ld.so(8)), which
/proc/PID/environ keeps (proc(5)). There is no notification of a program's start, so this polls from time to time.
"""

from __future__ import annotations

import os
import re
from typing import Iterable, Mapping

from tf1mem.gpusim.histories import ProcessHistory
from tf1mem.gpusim.launching import LIBRARY_PATH

# A process that has imported TensorFlow maps it as executable; one that only reads the file, such as a linker, doesn't.
_TENSORFLOW = re.compile(rb"^\S+ ..x. .*/libtensorflow_framework\.so", re.MULTILINE)


class Strays:
    """The processes that left a simulation.

    Args:
        environment: The environment variables by which a process uses the simulated GPUs.

    Attributes:
        found: Pid -> process, for those detected so far.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._libraries = os.fsencode(environment[LIBRARY_PATH].split(os.pathsep)[0])
        self.found: dict[int, ProcessHistory] = {}

    def observe(self, pids: Iterable[int]) -> None:
        """Checks processes, and adds those that left the simulation to `found`.

        Args:
            pids: The process ids.
        """
        for pid in pids:
            try:
                if pid not in self.found and self._is_stray(pid):
                    command = _read_proc(pid, "cmdline").rstrip(b"\0").replace(b"\0", b" ")
                    self.found[pid] = ProcessHistory(pid, 0.0, command.decode("utf-8", "replace")[:200])
            except OSError:
                pass  # the process has ended, or is another user's

    def _is_stray(self, pid: int) -> bool:
        variables = dict(line.partition(b"=")[::2] for line in _read_proc(pid, "environ").split(b"\0"))
        folders = variables.get(LIBRARY_PATH.encode(), b"").split(os.pathsep.encode())
        return self._libraries not in folders and _TENSORFLOW.search(_read_proc(pid, "maps")) is not None


def _read_proc(pid: int, name: str) -> bytes:
    with open(f"/proc/{pid}/{name}", "rb") as file:
        return file.read()
