"""Records the traces for the pictures: real programs on a simulated GPU, with TensorFlow's own allocator.

    python migration_guide/pictures/recording.py OLD/bin/python NEW/bin/python

The first Python has TensorFlow 1.15 and runs `program.py` as it is; the second has the newest TensorFlow and runs it by
`tf1mem run`. Both TensorFlows must be built for GPUs; this script runs in a third Python, or the second. It writes a
small trace for each run to `traces/`, from which `drawing.py` draws.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Iterator, NamedTuple, Sequence

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TRACES = HERE / "traces"
GPU = "8GiB"
# The pause between two steps, which separates the driver calls of one from those of the next.
PAUSE_SECONDS = 0.05
SETTINGS = {
    "nothing": [],
    "growth": ["--allow_growth"],
    "fraction": ["--memory_fraction=0.4"],
    "growth_and_fraction": ["--allow_growth", "--memory_fraction=0.4"],
}
SHARED_SETTINGS = {
    "nothing": [],
    "growth": ["--allow_growth"],
    "fraction": ["--memory_fraction=0.45"],
}
# The memory that the program holds in each step, in MiB. The last but one is more than 0.4 of the GPU.
ALONE = [(0, mib) for mib in (512, 1536, 2560, 1024, 3072, 3584, 512)]
# The memory in MiB that one of two programs holds from each step on.
SHARED = [(0, 1024), (1, 1024), (0, 3072), (1, 2048), (0, 5120), (1, 3072), (0, 1024), (1, 1024)]

KEPT = ("time", "event", "gpu", "bytes", "total", "in_use", "free", "kind")


class Recording(NamedTuple):
    """One run: its name, its arguments, and the memory of each step.

    Attributes:
        name: The trace's name, without the version.
        arguments: The arguments of `program.py`.
        steps: A pair (program, MiB) for each step.
    """

    name: str
    arguments: Sequence[str]
    steps: Sequence[tuple[int, int]]


def recordings() -> Iterator[Recording]:
    """Yields every run that a picture shows."""
    for name, arguments in SETTINGS.items():
        yield Recording("alone_" + name, arguments, ALONE)
    for name, arguments in SHARED_SETTINGS.items():
        yield Recording("shared_" + name, arguments, SHARED)


def record(recording: Recording, command: Sequence[str]) -> tuple[str, list[dict[str, Any]]]:
    """Records one run.

    Args:
        recording: The run.
        command: The command that runs `program.py`: a Python, and its options.

    Returns:
        TensorFlow's version, and the lines of the trace: the simulator's own about memory, and a line "step" after
        those of each step. Times are seconds since the first step; programs are numbered from 0.
    """
    from tf1mem.gpusim.launching import simulation

    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "trace.jsonl"
        with simulation([GPU], trace=trace, values=False) as machine:
            environment = {name: value for name, value in os.environ.items() if not name.startswith(("TF_", "TF1MEM_"))}
            environment.update(machine.environment, TF_CPP_MIN_LOG_LEVEL="3", PYTHONPATH=str(ROOT))
            program = [*command, str(HERE / "program.py"), *recording.arguments]
            count = 1 + max(program for program, _ in recording.steps)
            running = [_start(program, environment) for _ in range(count)]
            try:
                versions = {_answer(process)["tensorflow"] for process in running}
                steps = list(_conduct(recording.steps, running))
            finally:
                for process in running:
                    process.communicate()
            numbers = {process.pid: index for index, process in enumerate(running)}
        lines = [json.loads(line) for line in trace.read_text("utf-8").splitlines()]
    (version,) = versions
    memory = [line for line in lines if line["event"] in ("reserve", "free", "refuse")]
    start = steps[0]["started"]
    trace_lines = [_cleaned(line, numbers) for line in memory] + steps
    trace_lines.sort(key=lambda line: line["time"])
    for line in trace_lines:
        line["time"] = round(line["time"] - start, 3)
        line.pop("started", None)
    return version, trace_lines


def _start(program: Sequence[str], environment: dict[str, str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        program, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )


def _conduct(steps: Sequence[tuple[int, int]], running: Sequence[subprocess.Popen[str]]) -> Iterator[dict[str, Any]]:
    for program, mib in steps:
        started = time.time()
        stdin = running[program].stdin
        assert stdin is not None
        print(mib, file=stdin, flush=True)
        answer = _answer(running[program])
        ended = time.time()
        yield {"time": ended, "started": started, "pid": program, "event": "step", "asked_mib": mib, **answer}
        time.sleep(PAUSE_SECONDS)


def _answer(process: subprocess.Popen[str]) -> dict[str, Any]:
    for line in process.stdout or ():
        if line.startswith("{"):
            answer: dict[str, Any] = json.loads(line)
            return answer
    raise RuntimeError(f"program.py ended with status {process.wait()} before it answered")


def _cleaned(line: dict[str, Any], numbers: dict[int, int]) -> dict[str, Any]:
    # Leaves out facts about the machine, such as the paths of its files.
    kept = {name: line[name] for name in KEPT if name in line}
    return {**kept, "pid": numbers[line["pid"]]}


def path_of(recording: Recording, version: str) -> Path:
    """Returns the file of a run's trace."""
    return TRACES / f"{recording.name}_{version}.jsonl"


def main(pythons: Sequence[str]) -> None:
    """Records every run, on TensorFlow 1.15 and on the newest."""
    if len(pythons) != 2:
        sys.exit(__doc__)
    old, new = pythons
    TRACES.mkdir(exist_ok=True)
    written = []
    for command in ([old], [new, "-m", "tf1mem", "run"]):
        for recording in recordings():
            version, lines = record(recording, command)
            path = path_of(recording, version)
            path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
            written.append(path)
            print(path.relative_to(ROOT), flush=True)
    for path in set(TRACES.glob("*.jsonl")) - set(written):  # traces of versions that were once the newest
        path.unlink()


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    main(sys.argv[1:])
