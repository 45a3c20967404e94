"""Runs TensorFlow's own tests, from a checkout of its sources, on simulated GPUs.

Usage, from the root of the repository, with a Python that has the checkout's version of TensorFlow:
python -m tests.upstream --tensorflow CHECKOUT [--gpus N] [--run] [FILE ...]
python -m tests.upstream --tensorflow CHECKOUT --sessions [FILE ...]
python -m tests.upstream --tensorflow CHECKOUT --kernels [--gpus N] [--kept FOLDER] [--seconds N] [FILE ...]
python -m tests.upstream --tensorflow CHECKOUT --before PYTHON [--kept FOLDER] [--seconds N] FILE ...

A FILE is a path in the checkout. If a test ends the process, that is its outcome, and the tests after it run in a new
process. The exit status is 1 if a test failed or ended the process.

Without an option, the files are by default those about GPU settings.
--run        Each file runs as `tf1mem run` runs a program.
--sessions   By default files about Sessions, without a GPU. Each file runs under compat.v1 alone and by `tf1mem run`; a
             test that passes only under compat.v1 counts as a failure.
--kernels    By default some tests of kernels. Each file runs on the CPU and on N simulated GPUs that compute values.
             Tests that pass on the CPU but not on GPUs are printed, and so are failures of tests that the CPU skips
             because they are for GPUs. kernels.json records all.
--before     Files of a checkout of 1.15: each runs on 1.15, with the Python named, and here by `tf1mem run` and, except
             for contrib, under compat.v1 alone. counts.json records the numbers.
--seconds    The time limit of a file for each of its runs.
--kept       The folder that keeps the outcomes, so that the same command can continue after an interruption.

Tests of tf.distribute need two GPUs. Those that start processes also need portpicker, dill and tblib.

With --gpus 1 all tests of GPU settings pass, on 1.15 and on 2.21. With two GPUs, two failures are TensorFlow's own.
virtual_gpu_test.py gives its Session one of the GPUs and then lists the devices of all, which TensorFlow refuses. And
on 1.15 testGpuNone of config_test.py ends the process (SIGSEGV, SIGABRT) after testGpuMultiple: TensorFlow caches
scalars by value and device, not by context (TFE_TensorHandleCache in
tensorflow/python/eager/pywrap_tensor_conversion.cc), so the next context, which lacks the device, gets a tensor of the
previous context. This also happens with two virtual CPUs and no GPU.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import math
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as Late
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Iterator, Mapping, NamedTuple, Sequence

from tests.processes.environment import clean
from tests.processes.warm import WarmPython, exit_status
from tf1mem.gpusim.launching import simulation

WATCHED = Path(__file__).with_name("watched.py")
# The keys of this file:
# "passed": file -> the number of its tests that pass on the CPU, and that simulated GPUs don't skip.
# "for GPUs": file -> the number of its tests that the CPU skips, and that simulated GPUs don't; only if there are any.
# "lost": reason -> the tests of these two that don't pass on simulated GPUs.
# "in part": the files whose time was too short for all of their tests.
# "left out": reason -> the files that aren't counted.
KERNELS = Path(__file__).with_name("kernels.json")
NOT_KNOWN = "not looked into"
# A file of TensorFlow 1.15 -> the number of its tests that pass there; of these, the number that pass by tf1mem run on
# the newest TensorFlow; and a third number: of tests that stop at a name that tf1mem doesn't supply, for a file of
# contrib, or of tests that pass under compat.v1 alone, for any other file.
COUNTS = Path(__file__).with_name("counts.json")
# Files that test GPU settings.
GPU_TESTS = (
    "tensorflow/python/framework/config_test.py",
    "tensorflow/python/client/virtual_gpu_test.py",
    "tensorflow/python/client/session_list_devices_test.py",
    "tensorflow/python/client/device_lib_test.py",
)

# Files that test Sessions, and functions that take a Session's config.
SESSION_TESTS = (
    "tensorflow/python/client/session_test.py",
    "tensorflow/python/client/session_partial_run_test.py",
    "tensorflow/python/client/session_list_devices_test.py",
    "tensorflow/python/client/device_lib_test.py",
    "tensorflow/python/training/session_manager_test.py",
)

# Files that test kernels, one for each kind of kernel.
KERNEL_TESTS = tuple(
    f"tensorflow/python/kernel_tests/{name}_test.py"
    for name in (
        "array_ops/concat_op", "array_ops/scatter_nd_ops", "array_ops/slice_op", "array_ops/where_op",
        "linalg/cholesky_op", "linalg/matrix_solve_op", "math_ops/argmax_op", "math_ops/reduction_ops",
        "math_ops/segment_reduction_ops", "nn_ops/bias_op", "nn_ops/conv_ops", "nn_ops/pooling_ops",
        "nn_ops/softmax_op", "signal/fft_ops",
    )
)  # fmt: skip


def outcomes(
    file: Path,
    how: str,
    environment: Mapping[str, str],
    kept: Path | None = None,
    seconds: float = math.inf,
    python: str | WarmPython = sys.executable,
) -> dict[str, str]:
    """Runs the tests of a file; returns each one's outcome.

    An outcome is "passed", "failed", "skipped", "not supplied", or the way in which the test ended the process.

    Args:
        file: The file.
        how: The way to run it, as `watched.py` takes it.
        environment: The environment of its processes.
        kept: A file that keeps the outcomes: a test with an outcome there isn't run again. None to keep none.
        seconds: The time limit of the file. Tests that it leaves no time for have no outcome; a test that takes all of
            the time by itself "took too long".
        python: The Python that runs the file, or a warm Python that forks for it.
    """
    end = time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as folder:
        record = kept or Path(folder) / "outcomes.jsonl"
        record.touch()
        record.with_name(f"{record.name}.log").touch()
        # A test without an outcome was stopped.
        outcome_of = {name: outcome for name, outcome in dict(_lines(record)).items() if outcome}
        _keep(record, outcome_of)
        while outcome_of.pop(_ALL, None) is None:
            known = len(outcome_of)
            log = record.with_name(f"{record.name}.log")
            left = None if end == math.inf else max(1, end - time.monotonic())
            run = _forked if isinstance(python, WarmPython) else _run
            status = run(python, [str(WATCHED), str(record), how, str(file)], environment, folder, log, left)
            log_text = log.read_text(encoding="utf-8", errors="replace")
            outcome_of = {name: outcome or _ended(status) for name, outcome in _lines(record)}
            if status is None and len(outcome_of) > known + 1:
                outcome_of = {name: outcome for name, outcome in outcome_of.items() if outcome != _TOO_LONG}
            if not kept and ("failed" in outcome_of.values() or not outcome_of):
                print(log_text[-6000:])
            if status in (0, 1) or (status is not None and len(outcome_of) == known):  # 1: tests failed
                outcome_of[_ALL] = "ran"
            # By now the record also has the test that ended the process.
            _keep(record, outcome_of)
            if status is None:
                break
        return outcome_of


def _run(
    python: str, program: list[str], environment: Mapping[str, str], folder: str, log: Path, seconds: float | None
) -> int | None:
    """Runs a program, whose output goes to a file; returns its status, or None if it took too long."""
    with open(log, "wb") as out:
        try:
            return subprocess.run(
                [python, *program], cwd=folder, env=dict(environment), timeout=seconds, check=False,
                stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
            ).returncode  # fmt: skip
        except subprocess.TimeoutExpired:
            return None


def _forked(
    python: WarmPython,
    program: list[str],
    environment: Mapping[str, str],
    folder: str,
    log: Path,
    seconds: float | None,
) -> int | None:
    """Runs a program as `_run` does, in a fork of a Python that has imported TensorFlow."""
    running = python.submit(program, folder=Path(folder), out=log, err=log, env=environment)
    running.pid.result()  # the first one starts that Python
    try:
        return exit_status(running.result(seconds))
    except Late:
        os.kill(running.pid.result(), signal.SIGKILL)
        running.result()
        return None


_ALL = ""  # the key that says that all tests of a file have run
_CONTRIB = "tensorflow/contrib/"  # compat.v1 has no contrib
_TOO_LONG = "took too long"


def _lines(path: Path) -> list[tuple[str, str | None]]:
    lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return [(name.partition(" ")[0], outcome) for name, outcome in lines]  # as watched.py names them


def _keep(path: Path, outcome_of: Mapping[str, str]) -> None:
    path.write_text("".join(json.dumps(item) + "\n" for item in outcome_of.items()), encoding="utf-8")


def _ended(status: int | None) -> str:
    if status is None:
        return _TOO_LONG
    return f"ended by {signal.Signals(-status).name}" if status < 0 else f"ended with status {status}"


def _beside_compat_v1(checkout: Path, name: str) -> int:
    """Prints how many tests of a file pass under compat.v1 and by tf1mem; returns 1 if one passes only the first."""
    plain = clean(CUDA_VISIBLE_DEVICES="")
    theirs, ours = (
        {test for test, outcome in outcomes((checkout / name).resolve(), how, plain).items() if outcome == "passed"}
        for how in ("v1", "run")
    )
    print(f"{name}: {len(theirs)} pass under compat.v1, {len(ours)} by tf1mem run", flush=True)
    for test in sorted(theirs - ours):
        print(f"    {test}: passes under compat.v1 alone")
    return int(bool(theirs - ours) or not theirs)


@contextmanager
def changing(file: Path) -> Iterator[dict[str, Any]]:
    """Locks COUNTS or KERNELS while a `with` block changes its content; a block that raises changes nothing.

    Args:
        file: The path of COUNTS or of KERNELS.

    Yields:
        The content of the file, which the block changes.
    """
    # The folder is locked instead of the file, since the file is replaced.
    lock = os.open(file.parent, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        known = json.loads(file.read_text(encoding="utf-8"))
        yield known
        if file.name == COUNTS.name:
            lines = (f"{json.dumps(name)}: {counts}" for name, counts in sorted(known.items()))
            text = "{\n" + ",\n".join(lines) + "\n}\n"
        else:
            text = json.dumps(known, indent=1) + "\n"
        new = file.with_name(f"{file.name}.{os.getpid()}")
        new.write_text(text, encoding="utf-8")
        os.replace(new, file)
    finally:
        os.close(lock)


def _beside_1_15(checkout: Path, names: Sequence[str], before: str, kept: Path, seconds: float) -> None:
    """Runs files on TensorFlow 1.15, and here by `tf1mem run` and compat.v1; records how many tests pass."""
    for name in names:
        at, file = kept / name.replace("/", "."), (checkout / name).resolve()
        plain = clean(CUDA_VISIBLE_DEVICES="-1")
        theirs = outcomes(file, "python", plain, at.with_suffix(".before"), seconds, before)
        ours = outcomes(file, "run", plain, at.with_suffix(".here"), seconds)
        passed = [test for test, outcome in theirs.items() if outcome == "passed"]
        lost = [test for test in passed if ours.get(test) != "passed"]
        counts, alone = [len(passed), len(passed) - len(lost)], {}
        if name.startswith(_CONTRIB):
            counts.append(sum(ours.get(test) == "not supplied" for test in passed))
        else:
            alone = outcomes(file, "v1", plain, at.with_suffix(".v1"), seconds)
            counts.append(sum(alone.get(test) == "passed" for test in passed))
        third = "not supplied" if name.startswith(_CONTRIB) else "under compat.v1 alone"
        print(f"{name}: {counts[1]} of {counts[0]}, {counts[2]} {third}", flush=True)
        for test in lost:
            beside = ", passed under compat.v1 alone" if alone.get(test) == "passed" else ""
            print(f"    {test}: {ours.get(test, 'not run')}{beside}")
        with changing(COUNTS) as known:
            known[name] = counts


def _beside_the_cpu(checkout: Path, names: Sequence[str], gpus: int, kept: Path, seconds: float) -> int:
    """Runs files on the CPU and simulated GPUs; records the outcomes; returns the number of tests lost on the GPUs."""
    lost_count = 0
    with WarmPython(_IMPORTED, clean(simulator=True)) as python:
        for name in names:
            at, file = kept / name.replace("/", "."), (checkout / name).resolve()
            with simulation(["8GiB"] * gpus, values=True) as machine, ThreadPoolExecutor() as side_by_side:
                running = [
                    side_by_side.submit(outcomes, file, "python", where, at.with_suffix(kind), seconds, python)
                    for kind, where in ((".cpu", {"CUDA_VISIBLE_DEVICES": "-1"}), (".gpu", machine.environment))
                ]
                theirs, ours = (outcome_sets.result() for outcome_sets in running)
            comparison = _compared(theirs, ours)
            lost_count += len(comparison.lost)
            total = len(comparison.passed) + len(comparison.for_gpus)
            beside = f", {len(comparison.for_gpus)} of them skipped on the CPU" if comparison.for_gpus else ""
            beside += f", and {len(comparison.skipped)} skipped on a GPU alone" if comparison.skipped else ""
            print(f"{name}: {total - len(comparison.lost)} of {total}{beside}", flush=True)
            for test in comparison.lost:
                print(f"    {test}: {ours[test]}")
            whole = all(_ALL in dict(_lines(at.with_suffix(kind))) for kind in (".cpu", ".gpu"))
            _write_down(name, comparison, whole)
    return lost_count


class _Found(NamedTuple):
    """The tests of a file that ran on both the CPU and GPUs.

    Attributes:
        passed: The tests that pass on the CPU, and that aren't skipped on GPUs.
        for_gpus: The tests that are skipped on the CPU, and not on GPUs.
        skipped: The tests that pass on the CPU, and are skipped on GPUs.
        lost: The tests of `passed` and `for_gpus` that don't pass on GPUs.
    """

    passed: list[str]
    for_gpus: list[str]
    skipped: list[str]
    lost: list[str]


def _compared(theirs: Mapping[str, str], ours: Mapping[str, str]) -> _Found:
    """Compares the outcomes of tests on the CPU with those on GPUs."""
    by_both: dict[tuple[str, bool], list[str]] = {}
    for test, outcome in theirs.items():
        if test in ours:
            by_both.setdefault((outcome, ours[test] == "skipped"), []).append(test)
    passed, for_gpus, skipped = (
        by_both.get(of, []) for of in (("passed", False), ("skipped", False), ("passed", True))
    )
    lost = [test for test in passed + for_gpus if ours[test] != "passed"]
    return _Found(passed, for_gpus, skipped, lost)


_IMPORTED = ("tensorflow", "tensorflow.python.framework.test_util", "tensorflow.python.platform.test")


def _write_down(name: str, comparison: _Found, whole: bool) -> None:
    """Writes the outcomes of a file into KERNELS. A lost test that already has a reason there keeps it."""
    with changing(KERNELS) as known:
        _take_in(known, name, comparison, whole)


def _take_in(known: dict[str, Any], name: str, comparison: _Found, whole: bool) -> None:
    reasons = {test: reason for reason, tests in known["lost"].items() for test in tests}
    of_others = [test for test in reasons if test.partition(": ")[0] != name]
    tests = of_others + [f"{name}: {test}" for test in comparison.lost]
    by_reason: dict[str, list[str]] = {}
    for test in sorted(tests):
        by_reason.setdefault(reasons.get(test, NOT_KNOWN), []).append(test)
    known["lost"] = dict(sorted(by_reason.items()))
    for kind, count in (("passed", len(comparison.passed)), ("for GPUs", len(comparison.for_gpus))):
        counts = {**known[kind], name: count}
        known[kind] = {file: counts[file] for file in sorted(counts) if counts[file] or kind == "passed"}
    known["in part"] = sorted({*known["in part"], name} if not whole else {*known["in part"]} - {name})


def main() -> int:
    """Runs the files; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.upstream", description="TensorFlow's own tests.")
    parser.add_argument("--tensorflow", metavar="CHECKOUT", type=Path, required=True, help="TensorFlow's sources")
    parser.add_argument("--gpus", metavar="N", type=int, help="how many simulated GPUs; 2, for kernels 1")
    parser.add_argument("--run", action="store_true", help="as tf1mem run runs a program")
    parser.add_argument("--sessions", action="store_true", help="hold tf1mem run against compat.v1, without a GPU")
    parser.add_argument("--kernels", action="store_true", help="hold simulated GPUs that compute against the CPU")
    parser.add_argument("--before", metavar="PYTHON", help="hold tf1mem run against TensorFlow 1.15, which it has")
    parser.add_argument("--kept", metavar="FOLDER", type=Path, help="what became of tests so far")
    parser.add_argument("--seconds", metavar="N", type=float, default=600, help="for each file on each; 600")
    parser.add_argument("files", metavar="FILE", nargs="*", help="its path in the checkout")
    options = parser.parse_args()
    by_default = SESSION_TESTS if options.sessions else KERNEL_TESTS if options.kernels else GPU_TESTS
    options.files = options.files or list(by_default)
    missing = [name for name in options.files if not (options.tensorflow / name).is_file()]
    if missing:
        parser.error("{} hasn't {}".format(options.tensorflow, ", ".join(missing)))
    if options.sessions:
        return max([_beside_compat_v1(options.tensorflow, name) for name in options.files])
    if options.kernels or options.before:
        with tempfile.TemporaryDirectory() as folder:
            kept = options.kept or Path(folder)
            kept.mkdir(parents=True, exist_ok=True)
            if options.before:
                _beside_1_15(options.tensorflow, options.files, options.before, kept, options.seconds)
                return 0
            return min(1, _beside_the_cpu(options.tensorflow, options.files, options.gpus or 1, kept, options.seconds))
    good = True
    with simulation(options.gpus or 2) as machine:
        for name in options.files:
            environment = {**clean(), **machine.environment}
            how = "run" if options.run else "python"
            outcome_of = outcomes((options.tensorflow / name).resolve(), how, environment)
            counts = [f"{count} {outcome}" for outcome, count in Counter(outcome_of.values()).items()]
            print("{}: {}".format(name, ", ".join(counts) or "no test ran"), flush=True)
            for test, outcome in outcome_of.items():
                if outcome not in ("passed", "skipped"):
                    good = False
                    print(f"    {test}: {outcome}")
            good = good and bool(outcome_of)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
