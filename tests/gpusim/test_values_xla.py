"""Simulated GPUs run functions that XLA would compile, including those that Keras compiles in fit by default."""

from __future__ import annotations

import json
import subprocess
import sys
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
PATIENCE_S = 600  # a program that hangs is ended after this time

pytestmark = pytest.mark.skipif(Version("2.21") > VERSION, reason="shown there")


def losses(library, policy, *layers):
    """Returns the losses of each layer, on the CPU and on a simulated GPU."""
    command = [sys.executable, str(HERE / "layers_of_keras.py"), library, policy, *layers]
    with simulation(["8GiB"], values=True) as machine:
        ways = [clean(CUDA_VISIBLE_DEVICES="-1"), clean(**machine.environment)]
        running = [
            subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
            for env in ways
        ]
        by_device = []
        try:
            for process in running:
                stdout, stderr = process.communicate(timeout=PATIENCE_S)
                assert process.returncode == 0, stderr
                lines = [json.loads(line) for line in stdout.splitlines()]
                by_device.append({name: values for line in lines for name, values in line.items()})
        finally:
            for process in running:
                process.kill()
                process.wait()
    return by_device


def differing(cpu, gpu, close):
    return [name for name in cpu if name != "unknown" and not np.allclose(cpu[name], gpu[name], close, close)]


def test_functions_end_with_their_values(on_simulated_gpus):
    done, histories = on_simulated_gpus((HERE / "compiled_by_xla.py").read_text(encoding="utf-8"))
    lines = done.stdout.splitlines()
    assert [line for line in lines if not line.endswith(" True")] == []
    assert len(lines) == 13
    assert histories.not_computed == ()


@pytest.mark.fresh
def test_keras_trains_in_half_precision_and_with_loops():
    cpu, gpu = losses("keras", "mixed_float16", "Dense", "LSTM", "ConvLSTM2D")
    assert differing(cpu, gpu, 1e-2) == []
    assert len(cpu) > 3


@pytest.mark.fresh
@pytest.mark.parametrize("policy", ["float32", "mixed_float16"])
@pytest.mark.parametrize("library", ["keras", "tf_keras"])
def test_every_layer_of_keras_trains(library, policy, pytestconfig):
    if not pytestconfig.getoption("--whole"):
        pytest.skip("make proof has it")
    pytest.importorskip(library)
    cpu, gpu = losses(library, policy)
    assert gpu["unknown"] == []
    assert differing(cpu, gpu, 1e-3 if policy == "float32" else 3e-2) == []
