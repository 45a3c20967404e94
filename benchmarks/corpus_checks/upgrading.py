"""Runs TensorFlow's own converter, tf_upgrade_v2, on files of a corpus, to compare it with the codemod."""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Sequence

PROGRAM = Path(__file__).resolve().parent / "upgrading_program.py"


def upgrade(python: str, paths: Sequence[Path], seconds_a_file: int) -> dict[str, Any]:
    """Runs tf_upgrade_v2 on some files, one by one.

    One process imports TensorFlow and then converts file by file, so that the import, which takes seconds, counts only
    once: "start_cpu_seconds" has its time. A user who calls the command for each file pays that time for each; this is
    necessary because the command, called for a whole tree, ends at the first file that it can't convert. A file that
    takes too long, or that ends the process, counts as failed, and a new process goes on with the next file.

    Args:
        python: A Python with a TensorFlow.
        paths: The files.
        seconds_a_file: The time limit for one file, in seconds.

    Returns:
        The outcome of each file, "outcome" and "cpu_seconds", and the totals.
    """
    done: list[dict[str, Any]] = []
    version, start = "", 0.0
    with tempfile.TemporaryDirectory() as folder:
        while len(done) < len(paths):
            remaining = [str(path) for path in paths[len(done) :]]
            process = subprocess.Popen(
                [python, str(PROGRAM), folder, str(seconds_a_file)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8",
            )  # fmt: skip
            output, _ = process.communicate("\n".join(remaining))
            lines = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
            if not lines:
                return {"error": f"{python} has no tf_upgrade_v2 that starts"}
            version, start = lines[0]["tensorflow"], lines[0]["start_cpu_seconds"]
            done += lines[1:]
            if len(done) < len(paths):
                done.append({"outcome": "ended the process", "cpu_seconds": float(seconds_a_file), "bytes": 0})
    outcomes: dict[str, int] = {}
    for record in done:
        outcomes[record["outcome"]] = outcomes.get(record["outcome"], 0) + 1
    return {
        "tensorflow": version,
        "files": len(done),
        "bytes": sum(path.stat().st_size for path in paths),
        "start_cpu_seconds": start,
        "cpu_seconds": sum(record["cpu_seconds"] for record in done),
        "outcomes": outcomes,
    }
