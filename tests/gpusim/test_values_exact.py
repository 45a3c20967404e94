"""Without oneDNN, a simulated GPU computes the CPU's values to the bit, also where Grappler put channels first."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from packaging.version import Version

from tests.processes.environment import LIMIT_S, clean
from tf1mem.gpusim.launching import simulation
from tf1mem.machine.tensorflow import installed_version

VERSION = installed_version() or Version("0")
HERE = Path(__file__).parent
# The smallest net of each kind, with the smallest pictures that all of them take. ConvNeXt is missing: its convolutions
# have groups, for whose gradients TensorFlow has no CPU kernel.
NETS = [
    "DenseNet121", "EfficientNetB0", "EfficientNetV2B0", "InceptionResNetV2", "InceptionV3", "MobileNet",
    "MobileNetV2", "MobileNetV3Small", "NASNetMobile", "ResNet50", "ResNet50V2", "VGG16", "Xception",
]  # fmt: skip
SIZE = 75

pytestmark = pytest.mark.fresh


def run(*arguments: str, **env: str) -> str:
    """Runs a program of this folder without oneDNN; returns what it printed."""
    done = subprocess.run(
        [sys.executable, str(HERE / arguments[0]), *arguments[1:]], env=clean(TF_ENABLE_ONEDNN_OPTS="0", **env),
        capture_output=True, encoding="utf-8", timeout=LIMIT_S, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.proof
def test_a_function_has_the_cpus_values_to_the_bit():
    with simulation(["8GiB"], values=True) as machine:
        lines = run("exact.py", **machine.environment).splitlines()
    assert [line for line in lines if "differs" in line] == []
    assert len(lines) == 9


@pytest.mark.skipif(Version("2.21") > VERSION, reason="shown there")
@pytest.mark.proof
@pytest.mark.parametrize("name", NETS)
def test_a_step_of_a_net_has_the_cpus_values_to_the_bit(name, tmp_path):
    files = [str(tmp_path / "cpu.npz"), str(tmp_path / "gpu.npz")]
    run("applications_of_keras.py", name, str(SIZE), files[0], CUDA_VISIBLE_DEVICES="-1")
    with simulation(["8GiB"], values=True) as machine:
        run("applications_of_keras.py", name, str(SIZE), files[1], **machine.environment)
    with np.load(files[0]) as cpu, np.load(files[1]) as gpu:
        differing = [name for name in cpu if cpu[name].tobytes() != gpu[name].tobytes()]
        assert (len(gpu), differing) == (len(cpu), [])
        assert len(cpu) > 50
