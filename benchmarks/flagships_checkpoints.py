"""Trains flagships on both sides, and has each side read the checkpoint that the other one wrote.

    python -m benchmarks.flagships_checkpoints DIR [NAME …] --old-python PATH [--seconds N] [--work FOLDER]

Repositories, data and programs are those of `benchmarks.flagships`. Both sides run at once; flagships_exchange.py says
what they exchange. A row is written into flagships_checkpoints.json as soon as both have ended.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any, Sequence

from benchmarks import flagships
from benchmarks.flagships_table import FLAGSHIPS, Flagship
from tf1mem.verifying.signals import ended_by_signals

HERE = Path(__file__).resolve().parent
ROWS = HERE / "flagships_checkpoints.json"
_DRIVER = HERE / "flagships_exchange.py"
_SIDES = ("old", "new")
# Losses of one batch and the same variables that differ by no more, relative to the largest, differ by rounding.
ROUNDING = 1e-5


def main(arguments: Sequence[str]) -> int:
    """Exchanges checkpoints; returns 1 if a side can't read the other's, or has other values or losses then."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.flagships_checkpoints", description=__doc__.splitlines()[0]
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="a folder with clones, each as owner+name")
    parser.add_argument("names", nargs="*", metavar="NAME", help="owner/name, or a part of it; by default all")
    parser.add_argument("--old-python", metavar="PATH", required=True, help="a Python with TensorFlow 1.15.5")
    parser.add_argument("--seconds", type=float, default=600, metavar="N", help="time limit of both (default: 600)")
    parser.add_argument("--work", type=Path, metavar="FOLDER", help="keep the repositories and checkpoints here")
    parser.add_argument(
        "--json", type=Path, default=ROWS, metavar="FILE", help="the file of rows (default: flagships_checkpoints.json)"
    )
    options = parser.parse_intermixed_args(arguments)
    chosen = flagships.select(options.names, FLAGSHIPS)
    flagships.check_clones(options.folder, chosen)
    wrong = 0
    for flagship in chosen:
        with tempfile.TemporaryDirectory(prefix="flagships-") as temporary:
            work = (options.work or Path(temporary)) / flagship.repository.replace("/", "+")
            shutil.rmtree(work, ignore_errors=True)
            row = exchanged(work, options.folder, flagship, options.old_python, options.seconds)
        flagships.write(options.json, {**flagships.read(options.json), flagship.repository: row}, FLAGSHIPS)
        wrong += not is_same(row)
        sides = "; ".join(f"{side}: {_says(row[side])}" for side in _SIDES)
        print(f"{flagship.repository}: {row['new'].get('variables')} variables; {sides}", flush=True)
    return int(bool(wrong))


def is_same(row: dict[str, Any]) -> bool:
    """Returns True if both sides read the other's checkpoint: the same values, and the same losses up to rounding."""
    return all(
        not row[side]["error"] and not row[side]["different"] and (row[side]["largest_ratio"] or 0) <= ROUNDING
        for side in _SIDES
    )  # a ratio of NaN is neither above nor below


def _says(side: dict[str, Any]) -> str:
    if side["error"] or side["different"]:
        return side["error"] or "other values: " + ", ".join(side["different"])
    return f"losses differ by {side['largest_ratio']:.1e}" if side["largest_ratio"] else "the same"


def exchanged(work: Path, folder: Path, flagship: Flagship, old_python: str, seconds: float) -> dict[str, Any]:
    """Trains a flagship on both sides at once, and returns the row of its checkpoints.

    Args:
        work: A folder that doesn't exist yet, for repositories and checkpoints.
        folder: The folder of the clones.
        flagship: The flagship.
        old_python: A Python with TensorFlow 1.15.5.
        seconds: The time limit of both sides, in seconds.

    Raises:
        SystemExit: The clone lacks the commit.
    """
    work = work.resolve()  # the processes have other current folders
    commands = {"old": [old_python], "new": [sys.executable, "-m", "tf1mem", "run"]}
    checkpoints = {side: work / side / "checkpoint" for side in _SIDES}
    processes = {}
    for side, other in (_SIDES, _SIDES[::-1]):
        checkpoints[side].mkdir(parents=True)
        copy, environment = flagships.prepared(work / side, folder, flagship, old_python)
        script, *arguments = flagship.command
        shutil.copy(_DRIVER, (copy / flagship.folder / script).parent)
        driver = str(Path(script).with_name(_DRIVER.name))
        parts = [driver, str(checkpoints[side]), str(checkpoints[other]), str(seconds), script, *arguments]
        processes[side] = (copy / flagship.folder, environment, [*commands[side], *parts])
    running: dict[str, subprocess.Popen[bytes]] = {}
    end = time.monotonic() + seconds
    with ended_by_signals():
        try:
            for side, process in processes.items():
                running[side] = _start(work / side, *process)
            # A side whose other side has failed would wait for its checkpoint.
            while any(each.poll() is None for each in running.values()) and time.monotonic() < end:
                has_ended = [side for side, each in running.items() if each.poll() is not None]
                if not all(_outcome(work / side).exists() for side in has_ended):
                    break
                time.sleep(0.5)
        finally:
            for each in running.values():
                try:
                    os.killpg(each.pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
                each.wait()
    return {
        "repository": flagship.repository,
        "release": flagship.release,
        "commit": flagship.commit,
        **{side: _result(work / side, process.returncode) for side, process in running.items()},
        "date": datetime.date.today().isoformat(),
        "tf1mem": version("tf1mem"),
    }


def _start(side: Path, where: Path, environment: dict[str, str], command: Sequence[str]) -> subprocess.Popen[bytes]:
    with open(side / "log.txt", "wb") as log:
        return subprocess.Popen(
            command, cwd=where, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
            start_new_session=True,
        )  # fmt: skip


def _outcome(side: Path) -> Path:
    return side / "checkpoint" / "result.json"


def _result(side: Path, status: int) -> dict[str, Any]:
    """Returns the outcome that a side wrote, with the last line of its output as the error if it wrote none."""
    if _outcome(side).exists():
        outcome: dict[str, Any] = json.loads(_outcome(side).read_text("utf-8"))
        return {"different": [], **outcome}
    lines = (side / "log.txt").read_text("utf-8", "replace").strip().splitlines()
    return {"different": [], "error": f"status {status}: {lines[-1] if lines else ''}"[:300]}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
