"""Moves the TensorFlow tasks of a public benchmark of code migration from TensorFlow 1.15.5 to this TensorFlow.

DIR is a checkout of xdshen-ai/Benchmark-of-Code-Migration. Each task has a program for TensorFlow 1.15 that prints
what a function returns for three inputs. Each program runs on TensorFlow 1.15.5, twice, and on this TensorFlow as it
is, by `tf1mem run`, after each target of `tf1mem codemod`, after tf_upgrade_v2, and as a language model's answers in
DIR/output rewrote it. Its output has to be 1.15.5's. README.md says how outputs are compared.

Usage: python -m benchmarks.migrations DIR [--old-python PATH] [--only TASK …] [--jobs N] [--seconds N] [--json FILE]
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from concurrent.futures import TimeoutError as Late
from pathlib import Path
from typing import Any, Iterator, NamedTuple

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]

from tests.processes.environment import clean  # noqa: E402
from tests.processes.warm import WarmPython, exit_status  # noqa: E402
from tf1mem.errors import Tf1memError  # noqa: E402
from tf1mem.verifying import old, printed  # noqa: E402
from tf1mem.verifying.comparing import compare_points  # noqa: E402
from tf1mem.verifying.sides import SETTLED  # noqa: E402

FILES = ("easy_code.jsonl", "hard_code.jsonl")
TARGETS = ("shim", "apply", "native")
# The ways to this TensorFlow, in the order of the table.
WAYS = {
    "plain": "as it is",
    "run": "`tf1mem run`, untouched",
    **{to: f"`tf1mem codemod --to {to}`" for to in TARGETS},
    "upgrade": "`tf_upgrade_v2`",
    "switched": "`tf_upgrade_v2`, and a line by hand: `tf.compat.v1.disable_v2_behavior()`",
}
ANSWERS = "answers of "

# Outcomes on 1.15.5. The table counts the programs that run there.
RUNS, VARIES = "runs", "varies"
# Outcomes here; the last three are possible on 1.15.5, too.
SAME, DIFFERS = "same", "differs"
ERROR, STOPPED, LATE = "reports an error", "stops", "still runs"

# The programs catch what the function raises, and print it behind this.
_ERROR = "error:"
_INPUTS = "# Input data"
_IMPORT = re.compile(r"^import tensorflow.* as tf\b.*$", re.MULTILINE)
_FENCED = re.compile(r"```(?:python)?\n(.*?)```", re.DOTALL)
_LONGEST, _SIDE = 120, 60  # characters of a line that shows an outcome, and of one of two lines


class Task(NamedTuple):
    """A task of the benchmark.

    Attributes:
        program: The source of the program.
        recorded: The output that the benchmark recorded.
    """

    program: str
    recorded: str


class Output(NamedTuple):
    """The end of a program.

    Attributes:
        status: The exit status; None if it exceeded the time limit.
        text: The text that it printed.
        last: The last line of its standard error.
    """

    status: int | None
    text: str
    last: str


def main() -> int:
    """Runs the programs, and prints the table; returns 130 after Ctrl-C, 1 if a tool failed, else 0."""
    parser = argparse.ArgumentParser(prog="benchmarks.migrations", description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, metavar="DIR", help="a checkout of Benchmark-of-Code-Migration")
    parser.add_argument("--old-python", metavar="PATH", help="a Python with TensorFlow 1.15.5")
    parser.add_argument("--only", nargs="+", default=[], metavar="TASK", help="code_ids, which run again")
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, help="programs at a time (default: one for each core)"
    )
    parser.add_argument("--seconds", type=float, default=30, help="the time limit of each program (default: 30)")
    parser.add_argument("--json", type=Path, help="keeps the outcomes of each task; another run goes on from them")
    options = parser.parse_args()
    try:
        tasks, unfit = read(options.folder)
        unknown = sorted(set(options.only) - set(tasks))
        if unknown:
            raise ValueError(f"{options.folder} has no task {unknown[0]} from TensorFlow 1 to 2")
        kept = json.loads(options.json.read_text("utf-8")) if options.json and options.json.exists() else {}
        answers = read_answers(options.folder, tasks)
        python = old.find(options.old_python)
    except (OSError, ValueError, Tf1memError) as error:
        parser.error(str(error))
    kept.setdefault("tasks", {})
    kept.update(unfit=unfit, answers=sum(map(len, answers.values())))
    chosen = options.only or [name for name in tasks if name not in kept["tasks"]]
    try:
        with tempfile.TemporaryDirectory(prefix="migrations-") as folder:
            programs = rewritten({name: tasks[name].program for name in chosen}, Path(folder))
            for way, sources in answers.items():
                programs[way] = {name: source for name, source in sources.items() if name in chosen}
            with Machines(python, Path(folder), options.seconds) as machines:
                for number, (name, outcomes) in enumerate(_judged(tasks, programs, machines, options.jobs), 1):
                    kept["tasks"][name] = outcomes
                    _keep(kept, options.json)
                    _progress(number, len(chosen))
    except KeyboardInterrupt:
        print("\ninterrupted; with --json the next run goes on from here", file=sys.stderr)
        return 130
    except RuntimeError as error:
        print(error, file=sys.stderr)
        return 1
    _keep(kept, options.json)
    show(kept)
    return 0


def read(folder: Path) -> tuple[dict[str, Task], int]:
    """Reads the TensorFlow tasks.

    Args:
        folder: The benchmark's checkout.

    Returns:
        The tasks from TensorFlow 1 to 2 by their code_id; and the number of those from 2 to 1, whose programs are not
        for TensorFlow 1.

    Raises:
        ValueError: The folder isn't the benchmark, or a file of it has another form.
    """
    tasks: dict[str, Task] = {}
    unfit = 0
    for file in FILES:
        path = folder / "eval_data" / file
        if not path.is_file():
            wrong = "isn't a folder" if not folder.is_dir() else f"has no eval_data/{file}"
            raise ValueError(f"{folder} {wrong}: DIR is a checkout of xdshen-ai/Benchmark-of-Code-Migration")
        for number, row in _rows(path):
            try:
                if row["package"] != "tensorflow":
                    continue
                if not re.sub("^tensorflow", "", row["origin_version"]).startswith("1."):
                    unfit += 1
                    continue
                tasks[row["code_id"]] = Task(_source(row["solution_function_script"]), row["message"])
            except (KeyError, TypeError) as error:
                raise ValueError(f"{path}, line {number}: no {error}") from None
    return tasks, unfit


def read_answers(folder: Path, tasks: dict[str, Task]) -> dict[str, dict[str, str]]:
    """Returns "answers of MODEL" -> code_id -> the program with the model's first answer in place of the function."""
    answers: dict[str, dict[str, str]] = {}
    for path in sorted(folder.glob("output/*/*_eval.jsonl")):
        for _, row in _rows(path):
            task, answer = tasks.get(row.get("code_id", "")), row.get("code_fixed")
            if task and answer and _INPUTS in task.program:
                inputs = task.program[task.program.index(_INPUTS) :]
                sources = answers.setdefault(ANSWERS + path.parent.name, {})
                sources.setdefault(row["code_id"], _source(answer).rstrip() + "\n\n" + inputs)
    return answers


def _rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        try:
            yield number, json.loads(line)
        except ValueError as error:
            raise ValueError(f"{path}, line {number}: {error}") from None


def _source(text: str) -> str:
    fenced = _FENCED.search(text)
    return fenced[1] if fenced else text


def rewritten(programs: dict[str, str], folder: Path) -> dict[str, dict[str, str]]:
    """Returns way -> code_id -> the program's source for that way.

    Args:
        programs: The programs' sources by code_id.
        folder: A folder for copies, in which each tool rewrites all programs.

    Raises:
        RuntimeError: A tool failed.
    """
    if not programs:
        return {}
    sources = {"plain": programs, "run": programs}
    for to in TARGETS:
        _write(programs, folder / to)
        command = [sys.executable, "-m", "tf1mem", "codemod", "--to", to, "--write", "--no-cache", str(folder / to)]
        _tool(command, (0, 1))
        sources[to] = _read(folder / to, programs)
    _write(programs, folder / "before")
    command = [str(Path(sys.executable).with_name("tf_upgrade_v2")), "--intree", str(folder / "before")]
    _tool([*command, "--outtree", str(folder / "after"), "--reportfile", str(folder / "report.txt")], (0,))
    sources["upgrade"] = _read(folder / "after", programs)
    switch = r"\g<0>\ntf.compat.v1.disable_v2_behavior()"
    switched = {name: _IMPORT.sub(switch, source, count=1) for name, source in sources["upgrade"].items()}
    return {**sources, "switched": switched}


def _write(programs: dict[str, str], folder: Path) -> None:
    folder.mkdir(parents=True)
    for name, source in programs.items():
        (folder / f"{name}.py").write_text(source, "utf-8")


def _read(folder: Path, names: dict[str, str]) -> dict[str, str]:
    return {name: (folder / f"{name}.py").read_text("utf-8") for name in names}


def _tool(command: list[str], statuses: tuple[int, ...]) -> None:
    done = subprocess.run(command, env=clean(), capture_output=True, encoding="utf-8", check=False)
    if done.returncode not in statuses:
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}: {(done.stderr or done.stdout)[-2000:]}")


class Machines:
    """Runs programs on both TensorFlows, each in a process and a folder of its own.

    A process is a fork of one that has imported TensorFlow, as in the tests: an import takes ten times as long as such
    a program.

    Args:
        python: The Python with TensorFlow 1.15.5.
        folder: A folder for the programs' folders.
        seconds: The time limit for each program, in seconds.
    """

    def __init__(self, python: str, folder: Path, seconds: float) -> None:
        self._folder, self._seconds, self._is_over = folder, seconds, False
        environment = {**clean(), **SETTLED, "CUDA_VISIBLE_DEVICES": "-1"}
        self._here = WarmPython(["tensorflow"], environment)
        del environment["PYTHONPATH"]
        self._old = WarmPython(["tensorflow"], environment, python=python)

    def __enter__(self) -> Machines:
        """Returns itself."""
        return self

    def __exit__(self, *exception: object) -> None:
        """Ends the processes of both sides."""
        self.stop()

    def stop(self) -> None:
        """Ends the processes of both sides; further programs don't start."""
        self._is_over = True
        self._here.stop()
        self._old.stop()

    def output(self, source: str, *, is_old: bool = False, by_run: bool = False) -> Output:
        """Runs a program to its end.

        Args:
            source: The program's source.
            is_old: True for TensorFlow 1.15.5.
            by_run: True to run it as `tf1mem run` does.
        """
        with tempfile.TemporaryDirectory(dir=self._folder, prefix="program-") as name:
            folder = Path(name, "program")
            folder.mkdir()
            script, out, err = folder / "program.py", Path(name, "out"), Path(name, "err")
            script.write_text(source, "utf-8")
            if self._is_over:
                raise RuntimeError("the run is over")
            python = self._old if is_old else self._here
            program = python.submit([str(script)], folder=folder, out=out, err=err, env={"HOME": name}, by_run=by_run)
            pid = program.pid.result()
            try:
                status: int | None = exit_status(program.result(self._seconds))
            except Late:
                with contextlib.suppress(ProcessLookupError):  # it may have just ended
                    os.kill(pid, signal.SIGKILL)
                program.result()
                status = None
            lines = err.read_text("utf-8", "replace").strip().splitlines()
            return Output(status, out.read_text("utf-8", "replace"), lines[-1] if lines else "")


def _judged(
    tasks: dict[str, Task], programs: dict[str, dict[str, str]], machines: Machines, jobs: int
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields each task's code_id and outcomes, as soon as it is judged."""
    pool = ThreadPoolExecutor(max(1, jobs))
    try:
        running: set[Future[tuple[str, dict[str, Any]]]] = set()
        for name in programs.get("plain", {}):
            sources = {way: each[name] for way, each in programs.items() if name in each}
            running.add(pool.submit(_task, name, tasks[name], sources, machines))
        while running:
            done, running = wait(running, return_when=FIRST_COMPLETED)
            yield from (each.result() for each in done)
    except BaseException:
        machines.stop()  # ends the programs that the pool's threads wait for
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _task(name: str, task: Task, sources: dict[str, str], machines: Machines) -> tuple[str, dict[str, Any]]:
    first, second = (machines.output(task.program, is_old=True) for _ in range(2))
    before = judged_before(first, second)
    outcomes: dict[str, Any] = {"before": before, "recorded": difference(task.recorded, first.text) is None}
    if before[0] == RUNS:
        known: dict[tuple[str, bool], tuple[str, str]] = {}
        outcomes["ways"] = {}
        for way, source in sources.items():
            key = source, way == "run"
            if key not in known:
                known[key] = judged(first, machines.output(source, by_run=way == "run"))
            outcomes["ways"][way] = known[key]
    return name, outcomes


def judged_before(first: Output, second: Output) -> tuple[str, str]:
    """Returns a program's outcome on 1.15.5, from two runs, and the line that shows it."""
    failure = _failure(first)
    if failure:
        return failure
    apart = difference(first.text, second.text)
    return (VARIES, apart) if apart else (RUNS, "")


def judged(before: Output, here: Output) -> tuple[str, str]:
    """Returns a program's outcome here, and the line that shows it.

    Args:
        before: The end of the program on 1.15.5, where it runs.
        here: The end of the rewritten program on this TensorFlow.
    """
    failure = _failure(here)
    if failure:
        return failure
    apart = difference(before.text, here.text)
    return (DIFFERS, apart) if apart else (SAME, "")


def _failure(end: Output) -> tuple[str, str] | None:
    if end.status is None:
        return LATE, ""
    if end.status:
        return STOPPED, _shortened(end.last or f"status {end.status}")
    errors = [line for line in end.text.splitlines() if line.startswith(_ERROR)]
    if errors:
        return ERROR, _shortened(errors[0])
    return None if end.text.strip() else (STOPPED, "it prints nothing")


def _shortened(line: str) -> str:
    return re.sub("0x[0-9a-f]+", "0x…", line)[:_LONGEST]


def difference(before: str, here: str) -> str | None:
    """Returns the first difference of two outputs, compared as by `tf1mem verify` and also line by line, or None."""
    mine, theirs = (printed.points(text, "\0") for text in (before, here))
    comparison = compare_points(mine, [], theirs)
    lone = {side: [gap.name for gap in comparison.gaps if gap.side == side][:1] for side in ("old", "new")}
    if all(lone.values()):
        return _apart(lone["old"][0], lone["new"][0])
    for side, lines in lone.items():
        if lines:
            return f"only {'on 1.15.5' if side == 'old' else 'here'}: {_shortened(lines[0])}"
    for each in comparison.values:
        if each.differs:
            return _apart(each.name, each.new_name)
    return None if list(mine) == list(theirs) else "the same lines in another order"


def _apart(before: str, here: str) -> str:
    sides = (_shortened(line) for line in (before, here))
    return "{} on 1.15.5, {} here".format(*(side if len(side) <= _SIDE else side[:_SIDE] + "…" for side in sides))


def counted(kept: dict[str, Any]) -> tuple[Counter[str], dict[str, Counter[str]]]:
    """Returns the number of tasks by their outcome on 1.15.5; and for each way the number by the outcome here.

    Args:
        kept: The output of this benchmark.
    """
    ways: dict[str, Counter[str]] = {way: Counter() for way in WAYS}
    for task in kept["tasks"].values():
        for way, (outcome, _) in task.get("ways", {}).items():
            ways.setdefault(way, Counter())[outcome] += 1
    return Counter(task["before"][0] for task in kept["tasks"].values()), ways


COLUMNS = {SAME: "1.15.5's output", DIFFERS: "another output", ERROR: "an error", STOPPED: "stop", LATE: "still run"}


def rows(kept: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    """Yields the rows of the table: a way, and the number of programs with each outcome in `COLUMNS`."""
    for way, counts in counted(kept)[1].items():
        yield (WAYS.get(way, way), *(str(counts[outcome]) for outcome in COLUMNS))


def reasons(kept: dict[str, Any]) -> Iterator[tuple[str, str, int]]:
    """Yields a way, a line that shows why a program doesn't give 1.15.5's output, and the number of such programs."""
    counts = Counter(
        (way, line or outcome)
        for task in kept["tasks"].values()
        for way, (outcome, line) in task.get("ways", {}).items()
        if outcome != SAME
    )
    for way in [*WAYS, *sorted({way for way, _ in counts} - set(WAYS))]:
        for (name, line), number in counts.most_common():
            if name == way:
                yield WAYS.get(way, way), line, number


def show(kept: dict[str, Any]) -> None:
    """Prints the table, and why programs don't give 1.15.5's output."""
    before, _ = counted(kept)
    recorded = sum(task["recorded"] for task in kept["tasks"].values() if task["before"][0] == RUNS)
    print(f"{len(kept['tasks'])} tasks from TensorFlow 1 to 2; on 1.15.5: {dict(before)}")
    print(f"{recorded} of those that run there print what the benchmark recorded")
    print(f"{kept['answers']} answers to these tasks; {kept['unfit']} tasks from TensorFlow 2 to 1, left out")
    print("| way | {} |".format(" | ".join(COLUMNS.values())))
    print("|" + "---|" * (len(COLUMNS) + 1))
    for row in rows(kept):
        print("| {} |".format(" | ".join(row)))
    for way, line, number in reasons(kept):
        print(f"{way}: {number} x {line}")


def _keep(kept: dict[str, Any], file: Path | None) -> None:
    if file is None:
        return
    kept["tasks"] = dict(sorted(kept["tasks"].items()))
    new = file.with_name(file.name + ".new")
    new.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")
    os.replace(new, file)


def _progress(number: int, of: int) -> None:
    is_terminal = sys.stderr.isatty()
    if is_terminal or number == of or number % 10 == 0:
        end = "\r" if is_terminal and number < of else "\n"
        print(f"{number} of {of} tasks", end=end, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
