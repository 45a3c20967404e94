"""Runs two commands in turn, each as a whole process, and compares their times pair by pair.

A machine's speed drifts while a benchmark runs. The two processes of a pair run one after the other, so the drift
falls on both, and their ratio is steadier than either time.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Callable

ROOT = Path(__file__).resolve().parents[1]


class CommandFailed(Exception):  # noqa: N818 - an outcome
    """A command ended with an error, so its time would mean nothing."""


@dataclass(frozen=True)
class Case:
    """Two commands, and the expected relation of their times.

    Attributes:
        name: A description in a few words.
        base: The command to compare with.
        ours: The command with tf1mem.
        target: The highest expected result of `compare`.
        compare: A function of the two times in seconds, the base's first, that returns a pair's figure.
        unit: The unit printed after that figure.
        pairs: The number of pairs to run, unless the command line sets it.
    """

    name: str
    base: list[str]
    ours: list[str]
    target: float
    compare: Callable[[float, float], float]
    unit: str
    pairs: int


@dataclass(frozen=True)
class Result:
    """The figures of one case, one for each pair.

    Attributes:
        case: The case.
        base_s: The base's times in seconds.
        ours_s: The times with tf1mem.
    """

    case: Case
    base_s: list[float]
    ours_s: list[float]

    @property
    def figures(self) -> list[float]:
        """Returns one figure for each pair, in the order in which they ran."""
        return [self.case.compare(base, ours) for base, ours in zip(self.base_s, self.ours_s)]

    @property
    def met(self) -> bool:
        """Returns True if the median is within the target."""
        return median(self.figures) <= self.case.target


def ratio(base_s: float, ours_s: float) -> float:
    return ours_s / base_s


def difference_ms(base_s: float, ours_s: float) -> float:
    return 1000 * (ours_s - base_s)


def measure(case: Case, pairs: int) -> Result:
    """Runs both commands alternately.

    Args:
        case: The commands.
        pairs: The number of pairs. One more pair runs first, which isn't counted: it fills the caches and compiles
            bytecode.

    Returns:
        The times.

    Raises:
        CommandFailed: A command failed.
    """
    base_s, ours_s = [], []
    for number in range(pairs + 1):
        base, ours = _seconds(case.base), _seconds(case.ours)
        if number:
            base_s.append(base)
            ours_s.append(ours)
        _show(f"{case.name}: pair {number} of {pairs}" if number else case.name + ": warm-up")
    _show("")
    return Result(case, base_s, ours_s)


def _seconds(command: list[str]) -> float:
    path = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    environ = dict(os.environ, PYTHONPATH=os.pathsep.join(path), TF_CPP_MIN_LOG_LEVEL="2")
    start = time.perf_counter()
    done = subprocess.run(
        command, env=environ, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False
    )
    seconds = time.perf_counter() - start
    if done.returncode:
        messages = done.stderr.decode(errors="replace").strip().splitlines() or ["no message"]
        raise CommandFailed("{} ended with {}: {}".format(" ".join(command)[:70], done.returncode, messages[-1]))
    return seconds


def _show(progress: str) -> None:
    if sys.stderr.isatty():
        sys.stderr.write("\r\033[K" + progress)
        sys.stderr.flush()
