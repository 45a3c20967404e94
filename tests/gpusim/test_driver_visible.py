"""CUDA_VISIBLE_DEVICES: which GPUs a process sees, and in which order."""

from __future__ import annotations

import json

import pytest
from driver_programs import run

GPUS = (
    "1GiB,uuid=GPU-11111111-0000-0000-0000-000000000000",
    "2GiB,uuid=GPU-11112222-0000-0000-0000-000000000000",
    "3GiB,uuid=GPU-33333333-0000-0000-0000-000000000000",
    "4GiB,uuid=GPU-44444444-0000-0000-0000-000000000000",
)

# From the CUDA programming guide's table of environment variables. The cases with repeats, signs, spaces and mixed
# lists follow what PyTorch found out about the driver; see `visible.c`.
CASES = [
    (None, [0, 1, 2, 3]),
    ("", []),
    ("-1", []),
    ("none", []),
    ("NoDevFiles", []),
    ("0", [0]),
    ("3", [3]),
    ("2,1", [2, 1]),
    ("3,2,1,0", [3, 2, 1, 0]),
    ("0,2,-1,1", [0, 2]),
    ("0,4,1", [0]),
    ("4,0", []),
    ("99999999999999999999", []),
    ("0,two,1", [0]),
    ("0,,1", [0]),
    (",0", []),
    ("0,", [0]),
    ("0,0", []),
    ("0,1,2,1", []),
    ("0,-1,0", [0]),
    ("0,9,0", [0]),
    (" 1, 2", [1, 2]),
    ("1 ,2", [1, 2]),
    ("2,+3,-0,1", [2, 3, 0, 1]),
    ("1gpu2,2ampere", [1, 2]),
    ("0x1", [0]),
    ("GPU-33333333-0000-0000-0000-000000000000", [2]),
    ("GPU-44444444,GPU-33333333", [3, 2]),
    ("GPU-4", [3]),
    ("GPU-1111", []),
    ("GPU-11112", [1]),
    ("GPU-4,GPU-1111,GPU-3", [3]),
    ("GPU-3,GPU-5,GPU-4", [2]),
    ("GPU-4,GPU-44", []),
    ("GPU-", []),
    ("gpu-4", []),
    ("44444444", []),
    ("GPU-4,2", [3]),
    ("2,GPU-4", [2]),
    ("GPU-33333333-0000-0000-0000-0000000000001", []),
    ("MIG-33333333", []),
]

PROGRAM = """
cases = json.loads(os.environ["CASES"])
for value in cases:
    # The variable is read once in a process, at cuInit.
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.environ.pop("CUDA_VISIBLE_DEVICES", None)
        if value is not None:
            os.environ["CUDA_VISIBLE_DEVICES"] = value
        started = cu.cuInit(0)
        os.environ["CUDA_VISIBLE_DEVICES"] = "1"
        again = cu.cuInit(0)
        count, size, seen = c_int(), c_size_t(), []
        counted = cu.cuDeviceGetCount(byref(count))
        for device in range(count.value):
            ok(cu.cuDeviceTotalMem_v2(byref(size), device))
            seen.append(size.value // 2**30 - 1)
        os.write(writer, json.dumps([started, again, counted, seen]).encode())
        os._exit(0)
    os.close(writer)
    out(json.loads(os.read(reader, 1000).decode()))
    os.waitpid(child, 0)
"""


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """Returns the finished program, and a dict from a value of CUDA_VISIBLE_DEVICES to what CUDA answered."""
    done = run(PROGRAM, tmp_path_factory.mktemp("visible"), gpus=GPUS, CASES=json.dumps([value for value, _ in CASES]))
    return done, dict(zip((value for value, _ in CASES), done.printed))


@pytest.mark.parametrize(("value", "gpus"), CASES)
def test_visible_gpus(results, value, gpus):
    init, second_init, counted, listed = results[1][value]
    assert listed == gpus
    assert init == second_init == ("SUCCESS" if gpus else "NO_DEVICE")
    assert counted == ("SUCCESS" if gpus else "NOT_INITIALIZED")


def test_the_trace_has_the_variable_and_the_visible_gpus(results):
    assert [(line["visible"], line["gpus"]) for line in results[0].events("start")] == CASES
