"""Ops on simulated GPUs inside TensorFlow, under the address and undefined-behavior sanitizers.

The test takes more than a minute, mostly in the compiler, so only `make proof` runs it.
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from packaging.version import Version

from tests.gpusim.test_values import DILATED, OPS, RECURRENT, SPARSE, START, STRAYS, TRAINING
from tests.gpusim.test_values_together import GRAPH, WORKERS
from tests.processes.environment import LIMIT_S, clean
from tf1mem.gpusim.launching import simulation
from tf1mem.machine.tensorflow import installed_version

VERSION = installed_version() or Version("0")
CHECKS = (
    "address", "alignment", "bool", "bounds", "enum", "float-cast-overflow", "integer-divide-by-zero", "shift",
    "signed-integer-overflow", "unreachable",
)  # fmt: skip
# If Abseil detects the address sanitizer, its containers get another layout than in TensorFlow. So the macro is unset.
FLAGS = "-fsanitize={} -fno-sanitize-recover=all -U__SANITIZE_ADDRESS__ -g1".format(",".join(CHECKS))
PARTS = (START, OPS, STRAYS, RECURRENT, DILATED, SPARSE, TRAINING)
PROGRAMS = ("".join(PARTS) + 'losses("/gpu:0")\n', GRAPH, WORKERS)


def runtime(name: str) -> str:
    """Returns the path of a sanitizer's library, which a process has to load before all others."""
    command = ["g++", f"-print-file-name={name}"]
    return subprocess.run(command, stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout.strip()


@pytest.mark.skipif(Version("2.21") > VERSION, reason="once is enough: the sources are the same")
@pytest.mark.proof
@pytest.mark.fresh
def test_the_library_of_values_is_clean(tmp_path):
    program = tmp_path / "program.py"
    with simulation(["8GiB", "8GiB"], values=True) as machine:
        environment = clean(
            **machine.environment,
            CXX=f"g++ {FLAGS}",
            TF1MEM_SIM_CACHE=str(tmp_path / "cache"),
            LD_PRELOAD=os.pathsep.join(map(runtime, ("libasan.so", "libubsan.so"))),
            ASAN_OPTIONS="detect_leaks=0",  # Python and TensorFlow leak
        )
        for text in PROGRAMS:
            program.write_text(text + 'print("The end.")\n', encoding="utf-8")
            done = subprocess.run(
                [sys.executable, str(program)], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                encoding="utf-8", timeout=LIMIT_S, check=False,
            )  # fmt: skip
            assert done.returncode == 0, done.stdout
            assert done.stdout.endswith("The end.\n"), done.stdout
