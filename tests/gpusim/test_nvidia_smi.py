"""On a simulated machine, nvidia-smi shows the simulated GPUs' memory, and how much of it each process uses."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from tf1mem.gpusim.launching import simulation

# What GPUtil.getGPUs() runs (GPUtil 1.4.0, GPUtil.py).
GPUTIL = (
    "--query-gpu=index,uuid,utilization.gpu,memory.total,memory.used,memory.free,driver_version,name,gpu_serial,"
    "display_active,display_mode,temperature.gpu",
    "--format=csv,noheader,nounits",
)
# A program that calls nvidia-smi while it holds 512 MiB of GPU 0.
HOLDS = """
import ctypes, subprocess
cu = ctypes.CDLL("libcuda.so.1")
context, address = ctypes.c_void_p(), ctypes.c_uint64()
assert cu.cuInit(0) == cu.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == cu.cuCtxSetCurrent(context) == 0
assert cu.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(512 << 20)) == 0
query = "nvidia-smi --query-compute-apps=pid,used_memory,gpu_name --format=csv"
print(subprocess.check_output(query, shell=True, text=True))
print(subprocess.check_output(["nvidia-smi"], text=True))
"""


@pytest.fixture(scope="module")
def machine():
    with simulation(["T4", "8GiB"], used=["1GiB", "0B"]) as machine:
        yield machine


def answer(machine, *command):
    done = subprocess.run(
        command, env=dict(os.environ, **machine.environment), stdout=subprocess.PIPE, text=True, check=False
    )
    return done.returncode, done.stdout


def test_the_query_of_gputil(machine):
    status, text = answer(machine, "nvidia-smi", *GPUTIL)
    first, second = (line.split(", ") for line in text.splitlines())
    assert status == 0
    assert first[0] == "0"
    assert first[2:] == ["0", "15109", "1024", "14085", "580.00.00", "Tesla T4", "[N/A]", "Disabled", "Disabled", "30"]
    assert second[1] == machine.gpus[1].uuid
    assert second[3:6] == ["8192", "0", "8192"]


def test_csv_with_header_and_units(machine):
    query = ("--query-gpu=name,memory.used,utilization.gpu,compute_cap", "--format=csv")
    assert answer(machine, "nvidia-smi", "-i", "0", *query) == (
        0,
        "name, memory.used [MiB], utilization.gpu [%], compute_cap\nTesla T4, 1024 MiB, 0 %, 7.5\n",
    )


def test_a_running_programs_memory(machine):
    status, text = answer(machine, sys.executable, "-c", HOLDS)
    assert status == 0
    assert re.search(r"^pid, used_memory \[MiB\], gpu_name\n[0-9]+, 512 MiB, Tesla T4$", text, re.MULTILINE)
    assert re.search(r"Tesla T4 .* 1536MiB / 15109MiB", text)  # with the 1 GiB that was used before
    assert max(map(len, text.splitlines())) <= 80  # its tables fit into a terminal


@pytest.mark.parametrize(
    ("arguments", "status", "says"),
    [
        (("-L",), 0, "GPU 0: Tesla T4 (UUID: GPU-"),
        (("--query-gpu=name,foo", "--format=csv"), 2, 'Field "foo" is not a valid field to query.'),
        (("--query-gpu=name",), 2, '"--format=" switch is missing'),
        (("-L", "-i", "7"), 6, "No devices were found"),
        (("--nonsense",), 2, "Invalid combination of input arguments."),
    ],
)
def test_other_arguments_get_nvidia_smi_s_answers(machine, arguments, status, says):
    exit_status, text = answer(machine, "nvidia-smi", *arguments)
    assert exit_status == status
    assert text.startswith(says)


def test_tf1mem_sim_puts_its_nvidia_smi_first_on_the_path():
    command = [sys.executable, "-m", "tf1mem", "sim", "--gpu", "L4", "--no-values", "--", "nvidia-smi", "-L"]
    assert "GPU 0: NVIDIA L4" in subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
