"""The driver's lines in the trace."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from driver_programs import run

from tf1mem.gpusim.launching import simulation
from tf1mem.gpusim.trace import read


def test_the_fields_of_each_line(tmp_path):
    done = run(
        """
context = start(1)
a = alloc(1000)
alloc(2000)
ok(cu.cuMemFree_v2(a))
""",
        tmp_path,
        gpus=("5000B", "2000B"),
        used="100B",
    )
    begin, context, reserve, refuse, free, end = done.trace
    assert {line["pid"] for line in done.trace} == {begin["pid"]}
    assert [line["time"] for line in done.trace] == sorted(line["time"] for line in done.trace)
    common = {"time", "pid", "event"}
    assert begin.keys() == common | {"visible", "gpus", "command", "where"}
    assert (begin["visible"], begin["gpus"]) == (None, [0, 1])
    assert begin["command"].startswith(sys.executable + " -c ")
    assert len(begin["command"]) <= 200
    assert (context["event"], context["gpu"]) == ("context", 1)
    amounts = {"gpu": 1, "kind": "device"}
    assert reserve == {
        **{key: reserve[key] for key in common}, **amounts, "event": "reserve", "bytes": 1000, "total": 1000,
        "in_use": 1100, "api": "cuMemAlloc", "where": reserve["where"],
    }  # fmt: skip
    assert refuse == {
        **{key: refuse[key] for key in common}, **amounts, "event": "refuse", "bytes": 2000, "total": 1000,
        "in_use": 1100,
        "free": 900, "api": "cuMemAlloc", "where": refuse["where"],
    }  # fmt: skip
    assert free == {
        **{key: free[key] for key in common}, **amounts, "event": "free", "bytes": 1000, "total": 0, "in_use": 100,
        "api": "cuMemFree",
    }  # fmt: skip
    assert end == {
        **{key: end[key] for key in common}, "event": "exit", "gpu": 1, "reserved": 0, "peak": 1000, "regions": 1,
        "refused": 1, "launches": 0, "computed": 0, "managed": 0,
    }  # fmt: skip


def test_tf1mem_reads_every_line(tmp_path):
    run("start(); alloc(10); alloc(2**60); cu.cuTensorMapEncodeTiled()", tmp_path)
    events = [event.event for event in read(tmp_path / "trace.jsonl")]
    assert events == ["start", "context", "reserve", "refuse", "unsupported", "exit"]


def test_an_unsupported_function_is_traced_once(tmp_path):
    done = run(
        "ok(cu.cuInit(0)); out([cu.cuTensorMapEncodeTiled() for _ in range(3)])",
        tmp_path,
    )
    assert done.printed == [["NOT_SUPPORTED"] * 3]
    assert done.unsupported == [("driver", "cuTensorMapEncodeTiled")]


# A program whose calls of CUDA are in functions, generators, lambdas, threads and a package named like Keras.
PROGRAM = """\
# -*- coding: utf-8 -*-
import ctypes, sys, threading
sys.path.insert(0, {packages!r})
import keras
cuda = ctypes.CDLL("libcuda.so.1")
cuda.cuInit(0)
context = ctypes.c_void_p()
cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
cuda.cuCtxSetCurrent(context)
address = ctypes.c_uint64()

def allocate():
    return cuda.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(10))  # line 13

def several():
    yield allocate()

allocate()
list(several())
[allocate() for _ in range(1)]
keras.layer(lambda: cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 1))  # line 21
keras.layer(cuda.cuMemAlloc_v2, ctypes.byref(address), ctypes.c_size_t(10))  # line 22
thread = threading.Thread(target=lambda: (cuda.cuCtxSetCurrent(context), allocate()))
thread.start()
thread.join()
"""


def test_the_line_is_the_programs_own(tmp_path):
    folder = tmp_path / "keras" / "été 文"  # a program's own folder may be named like a package
    folder.mkdir(parents=True)
    package = tmp_path / "packages" / "keras"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("from keras.engine import layer\n", encoding="utf-8")
    (package / "engine.py").write_text(
        "import functools\ndef _call(function, *arguments):\n    return function(*arguments)\n"
        "def layer(function, *arguments):\n    return functools.partial(_call, function)(*arguments)\n",
        encoding="utf-8",
    )
    program = folder / "train.py"
    program.write_text(PROGRAM.format(packages=str(tmp_path / "packages")), encoding="utf-8")
    trace = tmp_path / "trace.jsonl"
    with simulation(2, trace=trace) as machine:
        subprocess.run([sys.executable, str(program)], env=dict(os.environ, **machine.environment), check=True)
    events = read(trace)
    where = {event: [e.where for e in events if e.event == event] for event in ("start", "context", "reserve")}
    lines = lambda *numbers: [f"{program}:{number}" for number in numbers]  # noqa: E731
    assert where["start"] == lines(6)
    # A lambda of the program's own is its line too.
    assert where["context"] == lines(8, 21)
    assert where["reserve"] == lines(13, 13, 13, 22, 13)


def test_a_thread_that_runs_no_python_has_no_line(tmp_path):
    done = run(
        """
libc, driver = ctypes.CDLL(None), ctypes.CDLL("libcuda.so.1")
thread = c_uint64()
# cuInit(0) in a thread that C starts
assert libc.pthread_create(byref(thread), None, driver.cuInit, None) == 0
assert libc.pthread_join(thread, None) == 0
out(cu.cuDeviceGetCount(byref(c_int())))
""",
        tmp_path,
    )
    assert done.printed == ["SUCCESS"]
    assert "where" not in done.events("start")[0]


def test_a_line_with_a_cut_command_or_path_is_valid_json(tmp_path):
    done = run(
        "ok(cu.cuInit(0))",
        tmp_path,
        CUDA_VISIBLE_DEVICES="0,1," + 'x"\\\n' * 3000,
    )
    (begin,) = done.events("start")
    assert begin["gpus"] == [0]
    assert begin["visible"].startswith('0,1,x"\\\nx"\\\n')
    assert 400 < len(begin["visible"]) < 1200
    assert len(begin["command"]) == 200


def test_a_command_is_cut_between_characters(tmp_path):
    for extra in range(4):
        trace = tmp_path / "trace.jsonl"
        code = "import ctypes; ctypes.CDLL('libcuda.so.1').cuInit(0) #" + " " * extra + "\u6587" * 100
        with simulation(1, trace=trace) as machine:
            subprocess.run([sys.executable, "-c", code], env=dict(os.environ, **machine.environment), check=True)
        (begin, *_) = [json.loads(line) for line in trace.read_text(encoding="utf-8").splitlines()]
        assert begin["command"].endswith("\u6587")
        assert 197 < len(begin["command"].encode()) <= 200
