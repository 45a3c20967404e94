"""Runs programs that run out of memory on simulated GPUs, all programs of a test module at once.

TensorFlow waits ten seconds for memory before it gives up, so the programs wait side by side: each runs in a fork of a
Python that has imported TensorFlow, on a separate machine.
"""

from __future__ import annotations

import json
import textwrap
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace

import pytest
from packaging.version import Version

from tests.processes.environment import clean
from tf1mem.gpusim.launching import simulation
from tf1mem.machine.tensorflow import installed_version

VERSION = installed_version() or Version("0")

START = """
import json, os, sys
import numpy as np
import tensorflow as tf
import tf1mem
from tf1mem import oom

tf1 = tf.compat.v1
MIB, GIB = 2**20, 2**30

# The code of a process without TensorFlow that holds 7 GiB of GPU 0 until a line comes on stdin.
HOLDER = '''
import ctypes
cuda = ctypes.CDLL("libcuda.so.1")
device, context, at = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_uint64()
assert not cuda.cuInit(0) and not cuda.cuDeviceGet(ctypes.byref(device), 0)
assert not cuda.cuCtxCreate_v2(ctypes.byref(context), 0, device)
assert not cuda.cuMemAlloc_v2(ctypes.byref(at), ctypes.c_size_t(7 * 2**30))
print("held", flush=True)
input()
'''

def exhaust(act):
    '''Returns the error that `act` raises, after tf1mem.explain_oom has explained it.'''
    try:
        with tf1mem.explain_oom():
            act()
    except Exception as error:
        return error
    raise SystemExit("no error")

def tell(error):
    '''Prints the error for the test, as a line of JSON.'''
    print(json.dumps({"note": oom.note_of(error), "type": type(error).__name__, "text": str(error)}))

def filling(mib):
    '''Returns an op on GPU 0 that takes `mib` MiB, and its feed.'''
    shape = tf1.placeholder(tf.int32, [2])
    with tf.device("/gpu:0"):
        total = tf.reduce_sum(tf1.fill(shape, 0.5))
    return total, {shape: [mib, MIB // 4]}
"""


@pytest.fixture(scope="module")
def outcomes(request, tmp_path_factory, warm_pythons):
    """Returns the outcome of each program of the module's PROGRAMS, by name.

    A program is its code, or a pair of its code and the options of its machine. `gpus` and `used` are those of
    `simulation`, `env` has further environment variables.

    An outcome has the program's stdout (`out`), its stderr (`err`) and its file (`script`), and of the error that it
    reports by `tell` the note of tf1mem (`note`), the class (`type`) and TensorFlow's message (`text`).
    """
    folder = tmp_path_factory.mktemp("programs")
    python = warm_pythons.having(["tf1mem", "tensorflow"], clean(simulator=True))
    awaited = []
    with ExitStack() as stack:
        for name, program in request.module.PROGRAMS.items():
            code, options = program if isinstance(program, tuple) else (program, {})
            script = folder / (name + ".py")
            script.write_text(START + textwrap.dedent(code), encoding="utf-8")
            out, err = _files(script)
            gpus, used = options.get("gpus", ("8GiB",)), options.get("used")
            machine = stack.enter_context(simulation(gpus, used=used, values=False))
            env = {**machine.environment, **options.get("env", {})}
            awaited.append(python.submit([str(script)], folder=folder, out=out, err=err, env=env))
        for program in awaited:
            program.status()
    return {name: _outcome(folder / (name + ".py")) for name in request.module.PROGRAMS}


def _files(script: Path) -> tuple[Path, Path]:
    return script.with_suffix(".out"), script.with_suffix(".err")


def _outcome(script: Path) -> SimpleNamespace:
    out, err = (file.read_text(encoding="utf-8") for file in _files(script))
    lines = [line for line in out.splitlines() if line.startswith('{"note"')]
    noted = json.loads(lines[-1]) if lines else {}
    return SimpleNamespace(
        out=out,
        err=err,
        script=script,
        note=noted.get("note") or "",
        text=noted.get("text", ""),
        type=noted.get("type"),
    )
