"""Runs tests of TensorFlow's own, from a checkout of its sources, on simulated GPUs.

Usage, from the root of the repository, with the Python whose TensorFlow the checkout is of:
python -m tests.upstream --tensorflow CHECKOUT [--gpus N] [--run] [FILE ...]
python -m tests.upstream --tensorflow CHECKOUT --sessions [FILE ...]

A FILE is named by its path in the checkout; by default those about GPU settings. A test that ends the process is told,
and those after it run in a new one. The exit status is 1 if a test failed or ended the process. With --sessions
the files are by default those about Sessions, which want values, and so no simulated GPU; each is run under compat.v1
alone and by `tf1mem run`, and what passes there and not here is a failure.

With --gpus 1 all pass, on 1.15 and on 2.21. With two, this is TensorFlow's own: virtual_gpu_test.py gives its Session
one of the GPUs and then lists the devices of all, which TensorFlow refuses; and on 1.15 testGpuNone of config_test.py
ends the process (SIGSEGV, SIGABRT) after testGpuMultiple. TensorFlow keeps scalars for the whole process by value and
device (TFE_TensorHandleCache in tensorflow/python/eager/pywrap_tensor_conversion.cc), not by context: the next
context, which has no such device, is given a tensor of the one that is gone. It is so with two virtual CPUs and no
GPU, too.
"""

from __future__ import annotations

import argparse
import json
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Mapping

from tests.processes.environment import clean
from tf1mem.gpusim.launching import simulation

WATCHED = Path(__file__).with_name("watched.py")
# What tests settings of GPUs.
GPU_TESTS = (
    "tensorflow/python/framework/config_test.py",
    "tensorflow/python/client/virtual_gpu_test.py",
    "tensorflow/python/client/session_list_devices_test.py",
    "tensorflow/python/client/device_lib_test.py",
)

# What tests Sessions and what takes a config for one.
SESSION_TESTS = (
    "tensorflow/python/client/session_test.py",
    "tensorflow/python/client/session_partial_run_test.py",
    "tensorflow/python/client/session_list_devices_test.py",
    "tensorflow/python/client/device_lib_test.py",
    "tensorflow/python/training/session_manager_test.py",
)


def outcomes(file: Path, how: str, environment: Mapping[str, str]) -> dict[str, str]:
    """What became of each test of a file: "passed", "failed", "skipped", or how it ended the process.

    Args:
        file: The file.
        how: As `watched.py` takes it.
        environment: The environment of its processes.
    """
    found: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        told = Path(folder) / "outcomes.jsonl"
        told.touch()
        while True:
            known = len(found)
            with open(Path(folder) / "log.txt", "w+", encoding="utf-8", errors="replace") as log:
                done = subprocess.run(
                    [sys.executable, str(WATCHED), str(told), how, str(file)], cwd=folder, env=dict(environment),
                    stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, check=False,
                )  # fmt: skip
                log.seek(0)
                said = log.read()
            for name, outcome in map(json.loads, told.read_text(encoding="utf-8").splitlines()):
                found[name] = outcome or _ended(done.returncode)
            if "failed" in found.values() or not found:
                print(said[-6000:])
            if done.returncode in (0, 1) or len(found) == known:  # 1: tests failed
                return found
            # The one that ended the process is known by now.
            told.write_text("".join(json.dumps(item) + "\n" for item in found.items()), encoding="utf-8")


def _ended(status: int) -> str:
    return f"ended by {signal.Signals(-status).name}" if status < 0 else f"ended with status {status}"


def _beside_compat_v1(checkout: Path, name: str) -> int:
    """Says how many tests of a file pass, both ways; returns 1 where one passes under compat.v1 alone."""
    plain = clean(CUDA_VISIBLE_DEVICES="")
    theirs, ours = (
        {test for test, outcome in outcomes((checkout / name).resolve(), how, plain).items() if outcome == "passed"}
        for how in ("v1", "run")
    )
    print(f"{name}: {len(theirs)} pass under compat.v1, {len(ours)} by tf1mem run", flush=True)
    for test in sorted(theirs - ours):
        print(f"    {test}: passes under compat.v1 alone")
    return int(bool(theirs - ours) or not theirs)


def main() -> int:
    """Runs the files; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.upstream", description="TensorFlow's own tests.")
    parser.add_argument("--tensorflow", metavar="CHECKOUT", type=Path, required=True, help="TensorFlow's sources")
    parser.add_argument("--gpus", metavar="N", type=int, default=2, help="how many simulated GPUs; 2")
    parser.add_argument("--run", action="store_true", help="as tf1mem run runs a program")
    parser.add_argument("--sessions", action="store_true", help="hold tf1mem run against compat.v1, without a GPU")
    parser.add_argument("files", metavar="FILE", nargs="*", help="its path in the checkout")
    asked = parser.parse_args()
    asked.files = asked.files or list(SESSION_TESTS if asked.sessions else GPU_TESTS)
    missing = [name for name in asked.files if not (asked.tensorflow / name).is_file()]
    if missing:
        parser.error("{} hasn't {}".format(asked.tensorflow, ", ".join(missing)))
    if asked.sessions:
        return max([_beside_compat_v1(asked.tensorflow, name) for name in asked.files])
    good = True
    with simulation(asked.gpus) as machine:
        for name in asked.files:
            environment = {**clean(), **machine.environment}
            found = outcomes((asked.tensorflow / name).resolve(), "run" if asked.run else "python", environment)
            counts = [f"{count} {outcome}" for outcome, count in Counter(found.values()).items()]
            print("{}: {}".format(name, ", ".join(counts) or "no test ran"), flush=True)
            for test, outcome in found.items():
                if outcome not in ("passed", "skipped"):
                    good = False
                    print(f"    {test}: {outcome}")
            good = good and bool(found)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
