"""Simulated GPUs run functions that XLA would compile, including those that Keras compiles in fit by default."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest
from packaging.version import Version

from tests.processes.environment import clean
from tf1mem.gpusim.launching import simulation
from tf1mem.machine.tensorflow import installed_version

VERSION = installed_version() or Version("0")
WARM = ["tensorflow"]
HERE = Path(__file__).parent
STUCK_S = 120  # a process that uses no CPU time for so many seconds hangs; on a loaded machine it is only slow
LIMIT_S = 1800  # seconds of CPU time, for a hang in which a thread polls

pytestmark = pytest.mark.skipif(Version("2.21") > VERSION, reason="shown there")


def losses(library, policy, *layers):
    """Returns the losses of each layer on the CPU and on a simulated GPU."""
    command = [sys.executable, str(HERE / "layers_of_keras.py"), library, policy, *layers]
    with simulation(["8GiB"], values=True) as machine, contextlib.ExitStack() as stack:
        running = []
        for env in (clean(CUDA_VISIBLE_DEVICES="-1"), clean(**machine.environment)):
            stdout, stderr = (stack.enter_context(tempfile.TemporaryFile("w+", encoding="utf-8")) for _ in range(2))
            process = stack.enter_context(subprocess.Popen(command, env=env, stdout=stdout, stderr=stderr))
            stack.callback(process.kill)
            running.append((process, stdout, stderr))
        return [ended(*each) for each in running]


def ended(process, stdout, stderr):
    """Returns what a process printed, by layer, once it has ended."""
    used, since = 0.0, time.monotonic()
    while process.poll() is None:
        time.sleep(0.2)
        now = processor_seconds(process.pid)
        if now > used:
            used, since = now, time.monotonic()
        assert time.monotonic() < since + STUCK_S, f"hangs: {printed(stderr)}"
        assert used < LIMIT_S, f"goes on and on: {printed(stderr)}"
    assert process.returncode == 0, printed(stderr)
    return {name: values for line in printed(stdout).splitlines() for name, values in json.loads(line).items()}


def processor_seconds(pid):
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def printed(file):
    file.seek(0)
    return file.read()


def differing(cpu, gpu, close):
    return [name for name in cpu if name != "unknown" and not np.allclose(cpu[name], gpu[name], close, close)]


@pytest.mark.proof
def test_functions_end_with_their_values(on_simulated_gpus):
    done, histories = on_simulated_gpus((HERE / "compiled_by_xla.py").read_text(encoding="utf-8"))
    lines = done.stdout.splitlines()
    assert [line for line in lines if not line.endswith(" True")] == []
    assert len(lines) == 14
    assert histories.not_computed == ()


@pytest.mark.proof
@pytest.mark.fresh
def test_keras_trains_in_half_precision_and_with_loops():
    cpu, gpu = losses("keras", "mixed_float16", "Dense", "LSTM", "ConvLSTM2D")
    assert differing(cpu, gpu, 1e-2) == []
    assert len(cpu) > 3


@pytest.mark.proof
@pytest.mark.fresh
@pytest.mark.parametrize("policy", ["float32", "mixed_float16"])
@pytest.mark.parametrize("library", ["keras", "tf_keras"])
def test_every_layer_of_keras_trains(library, policy):
    pytest.importorskip(library)
    cpu, gpu = losses(library, policy)
    assert gpu["unknown"] == []
    assert differing(cpu, gpu, 1e-3 if policy == "float32" else 3e-2) == []
