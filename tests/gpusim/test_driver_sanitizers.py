"""Runs all parts of the driver at once, from many threads, under the address and undefined-behavior sanitizers."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.processes.environment import LIMIT_S
from tf1mem.gpusim import machine
from tf1mem.gpusim.gpus import lineup
from tf1mem.gpusim.simulated_libraries import SOURCES

STRESS = Path(__file__).with_name("driver_stress.c")
FLAGS = "-std=c11 -g -O1 -Wall -Wextra -Werror -pthread -fsanitize=address,undefined -fno-sanitize-recover=all".split()


def compile_(*arguments: str) -> None:
    done = subprocess.run(
        [os.environ.get("CC", "cc"), *FLAGS, *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout


@pytest.mark.proof
def test_the_driver_is_clean(tmp_path: Path) -> None:
    library = str(tmp_path / "libcuda.so.1")
    sources = sorted(map(str, (SOURCES / "driver").rglob("*.c")))
    compile_(
        "-I",
        str(SOURCES),
        "-fPIC",
        "-fvisibility=hidden",
        "-shared",
        "-Wl,-soname,libcuda.so.1",
        *sources,
        "-ldl",
        "-o",
        library,
    )
    compile_("-I", str(SOURCES), str(STRESS), library, "-Wl,-rpath," + str(tmp_path), "-o", str(tmp_path / "stress"))
    machine.create(tmp_path / "machine", lineup(["8GiB", "80GiB"]))
    environ = {name: value for name, value in os.environ.items() if name not in ("CUDA_VISIBLE_DEVICES", "LD_PRELOAD")}
    environ.update(TF1MEM_SIM_MACHINE=str(tmp_path / "machine"), TF1MEM_SIM_TRACE=str(tmp_path / "trace"))
    done = subprocess.run(
        [str(tmp_path / "stress")], env=environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        encoding="utf-8", timeout=LIMIT_S, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    assert done.stdout == ""
