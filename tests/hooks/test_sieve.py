"""`tf1mem run` drops some lines of TensorFlow's log from stderr while TensorFlow starts and first runs; others stay."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.processes.environment import LIMIT_S, clean
from tf1mem.hooks.sieve import RUNS, STARTS, Filter

OLD = "2024-01-01 12:00:00.000000: "
ABSEIL = "0000 00:00:1795394631.554565    3497 "

# Lines that TensorFlow 1.15.5 to 2.22 wrote, with the phases in which they are dropped; False if they are dropped only
# on a machine without a CUDA driver.
LINES = [
    ("WARNING: All log messages before absl::InitializeLog() is called are written to STDERR", STARTS + RUNS, True),
    (f"{OLD}I tensorflow/core/platform/cpu_feature_guard.cc:142] Your CPU supports AVX2", STARTS, True),
    (f"I{ABSEIL}cudart_stub.cc:31] Could not find cuda drivers on your machine", STARTS, True),
    (f"{OLD}W tensorflow/stream_executor/platform/default/dso_loader.cc:55] Could not load libcuda", STARTS, False),
    (f"E{ABSEIL}cuda_platform.cc:52] failed call to cuInit: UNKNOWN ERROR (303)", STARTS, False),
    (f"E{ABSEIL}cuda_dnn.cc:8310] Unable to register cuDNN factory", STARTS, True),
    (f"I{ABSEIL}mlir_graph_optimization_pass.cc:437] MLIR V1 optimization pass is not enabled", STARTS + RUNS, True),
    (f"{OLD}I tensorflow/compiler/jit/xla_gpu_device.cc:99] Not creating XLA devices", STARTS + RUNS, True),
    (f"{OLD}W tensorflow/jit/mark_for_compilation_pass.cc:9] (One-time warning): Not using XLA:CPU", RUNS, True),
    # The program's own lines, and TensorFlow's lines that it has caused or requested: they are never dropped.
    (f"W{ABSEIL}op_kernel.cc:1845] INVALID_ARGUMENT: ValueError: mine", "", True),
    (f"{OLD}I tensorflow/core/common_runtime/placer.cc:54] a: (Const): /job:localhost", "", True),
    (f"I{ABSEIL}direct_session.cc:382] Device mapping: no known devices.", "", True),
    (f"F{ABSEIL}guard.cc:12] This library wants AVX", "", True),
    ("W1127 20:37:27.804421 140287963822976 deprecation.py:50] From train.py:1: it is deprecated", "", True),
    ("WARNING:tensorflow:my own", "", True),
    ("To enable the following instructions: read on", "", True),
    ("E is not the log's", "", True),
]  # fmt: skip


@pytest.mark.parametrize("phase", [STARTS, RUNS])
@pytest.mark.parametrize("has_driver", [False, True], ids=["no driver", "driver"])
def test_which_lines_are_dropped(phase, has_driver):
    drops = Filter(phase, has_driver).drops
    dropped = [line for line, _, _ in LINES if drops(line.encode())]
    assert dropped == [line for line, phases, always in LINES if phase in phases and (always or not has_driver)]


def test_a_record_is_dropped_with_its_further_lines():
    trace = f"E{ABSEIL}cuda_platform.cc:57] failed call to cuInit", "=== Source Location Trace: === "
    lines = [*trace, "external/xla/xla/stream_executor/cuda/cuda_status.cc:50", "", "", "mine"]
    drops = Filter(STARTS, has_driver=False).drops
    assert [line for line in lines if not drops(line.encode())] == ["", "mine"]


CODE = f"""
import os, sys, time
from tf1mem.hooks.sieve import STARTS, sieved
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
with sieved(STARTS):
    os.write(2, b"I{ABSEIL}cudart_stub.cc:31] no drivers\\n\\xff\\0partial")
    time.sleep(0.3)
    os.write(2, b" I{ABSEIL}cudart_stub.cc:31] is not at a line's beginning\\nend")
    {{}}
os.write(2, b", and after")
"""
PASSED = f"\xff\0partial I{ABSEIL}cudart_stub.cc:31] is not at a line's beginning\nend".encode("latin-1")
FORK = """
    pid = os.fork()
    if not pid:
        os.write(2, b", child")
        os._exit(0)
    os.waitpid(pid, 0)
    os.write(2, b", parent")
"""


@pytest.mark.parametrize(
    ("act", "passed"),
    [
        ("pass", b", and after"),
        ("os.abort()", b""),
        ("os._exit(1)", b""),
        ("os.kill(os.getpid(), 9)", b""),
        ("os.execv('/bin/sh', ['sh', '-c', 'echo , exec >&2; exit 1'])", b", exec\n"),
        ("sys.stderr = None", b", and after"),
    ],
    ids=["goes on", "aborts", "exits", "is killed", "becomes another", "replaces sys.stderr"],
)
def test_nothing_else_is_lost(act, passed):
    command = [sys.executable, "-c", CODE.format(act)]
    done = subprocess.run(command, capture_output=True, check=False, env=clean(), timeout=LIMIT_S)
    assert done.stderr == PASSED + passed
    assert (done.returncode == 0) == passed.endswith(b"after")


def test_a_fork_writes_to_stderr_itself():
    command = [sys.executable, "-c", CODE.format(FORK)]
    done = subprocess.run(command, capture_output=True, check=True, env=clean(), timeout=LIMIT_S)
    assert b", child" in done.stderr
    assert done.stderr.replace(b", child", b"") == PASSED + b", parent, and after"


def test_without_a_stderr_nothing_happens():
    code = "import os\nfrom tf1mem.hooks.sieve import STARTS, sieved\nwith sieved(STARTS):\n    os.dup(2)"
    command = ["sh", "-c", 'exec "$@" 2>&-', "sh", sys.executable, "-c", code]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, check=False, env=clean(), timeout=LIMIT_S)
    assert done.returncode == 1  # file descriptor 2 is still closed
