"""Helpers for tests that write trees of files, and run the codemod on them as a process."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from pathlib import Path
from typing import Iterator

from tests.processes.environment import LIMIT_S

ROOT = Path(__file__).resolve().parents[3]
OLD = b"import tensorflow as tf\n\nconfig = tf.ConfigProto()\nsess = tf.Session(config=config)\n"
NEW = b"import tf1mem.v1 as tf\n\nconfig = tf.ConfigProto()\nsess = tf.Session(config=config)\n"
# A file that gets a remark, since it is Python 2.
OLD_PYTHON2 = OLD + b'print "ready"\n'
# A file that the codemod leaves as it is.
NOTHING = b"import numpy as np\n\nprint(np.pi)\n"


def build(folder: Path, files: dict[str, bytes]) -> Path:
    """Writes files below a folder, and returns the folder."""
    for name, source in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(source)
    return folder


def many(folder: Path, count: int) -> list[Path]:
    """Writes files that all differ, and that the codemod changes; returns their paths."""
    paths = []
    for number in range(count):
        path = folder / f"package{number % 20:02}" / f"module{number:04}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(old(number))
        paths.append(path)
    return paths


def old(number: int) -> bytes:
    """Returns the source of a file of `many`."""
    return OLD + b"# %d\n" % number * (1 + number % 7)


def new(number: int) -> bytes:
    """Returns the source of a file of `many` after the codemod."""
    return NEW + b"# %d\n" % number * (1 + number % 7)


def temporaries(folder: Path) -> list[str]:
    return [str(path) for path in folder.rglob(".tf1mem-*")]


def variables() -> dict[str, str]:
    """Returns the environment variables for a process of the codemod."""
    environment = {
        name: value for name, value in os.environ.items() if name not in ("FORCE_COLOR", "NO_COLOR", "COLUMNS")
    }
    return {**environment, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}


def command(*args: object) -> list[str]:
    return [sys.executable, "-m", "tf1mem", "codemod", *map(str, args)]


def codemod(*args: object, **options) -> subprocess.CompletedProcess:
    """Runs `tf1mem codemod`; output is bytes."""
    env = {**variables(), **options.pop("env", {})}
    return subprocess.run(command(*args), capture_output=True, check=False, timeout=LIMIT_S, env=env, **options)


def obey_permissions() -> None:
    """Makes the child process obey permission bits even if it runs as root; to be called before its exec.

    CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH are dropped from the bounding set; the exec that follows takes them from
    the process. Running as another user instead wouldn't do: that user may not be allowed to read this Python.
    """
    if os.geteuid() == 0:
        libc = ctypes.CDLL(None, use_errno=True)
        for capability in (1, 2):
            if libc.prctl(24, capability, 0, 0, 0):  # PR_CAPBSET_DROP
                raise OSError(ctypes.get_errno(), "PR_CAPBSET_DROP")


def processes_of(group: int) -> Iterator[int]:
    """Yields the processes of a process group that still live."""
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                fields = Path("/proc", entry, "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[2]) == group and fields[0] != "Z":
                yield int(entry)
