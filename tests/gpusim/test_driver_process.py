"""The driver from its first call to its last: before cuInit, after a fork, without a machine."""

from __future__ import annotations

import subprocess
import sys

import pytest
from driver_programs import GIB, run

from tests.processes.environment import LIMIT_S, clean

# Every function that works only once the driver is started, with valid arguments.
CALLS = """
pointer = ctypes.create_string_buffer(4096)
calls = {name: [1 if letter == "i" else 0 if letter in "dzuqBH" else pointer for letter in letters]
         for name, letters in SIGNATURES.items()
         if name not in ("cuInit", "cuDriverGetVersion", "cuGetErrorName", "cuGetErrorString", "cuGetProcAddress",
                         "cuGetProcAddress_v2", "cuGetExportTable", "cuTensorMapEncodeTiled")}
"""


def test_nothing_works_before_the_driver_is_started(tmp_path):
    done = run(
        CALLS
        + """
version = c_int()
out(cu.cuDriverGetVersion(byref(version)), version.value)
out({name: cu.__getattr__(name)(*arguments) for name, arguments in calls.items()})
ok(cu.cuInit(0))
out(cu.cuInit(0), cu.cuInit(1))
""",
        tmp_path,
    )
    version, before, after = done.printed
    assert version == ["SUCCESS", 13000]
    assert {name: result for name, result in before.items() if result != "NOT_INITIALIZED"} == {}
    assert after == ["SUCCESS", "INVALID_VALUE"]


def test_functions_without_a_current_context(tmp_path):
    done = run(
        CALLS
        + """
ok(cu.cuInit(0))
out({name: cu.__getattr__(name)(*arguments) for name, arguments in calls.items()
     if name.startswith(("cuMem", "cuCtx", "cuStream", "cuEvent", "cuPointer", "cuModule", "cuLaunch", "cuLink"))})
""",
        tmp_path,
    )
    succeeded = {name for name, result in done.printed[0].items() if result == "SUCCESS"}
    assert succeeded <= {"cuCtxGetCurrent", "cuThreadExchangeStreamCaptureMode"}
    for name in ("cuMemAlloc_v2", "cuMemFree_v2", "cuMemGetInfo_v2", "cuCtxSynchronize", "cuCtxGetDevice",
                 "cuCtxPopCurrent_v2", "cuStreamCreate", "cuEventCreate", "cuMemcpyHtoD_v2", "cuMemsetD8_v2",
                 "cuMemHostAlloc", "cuMemAllocAsync", "cuModuleLoadData", "cuStreamSynchronize"):  # fmt: skip
        assert done.printed[0][name] == "INVALID_CONTEXT", name


def test_a_fork_of_a_process_that_started_the_driver_cannot_use_the_driver(tmp_path):
    done = run(
        """
start()
address = alloc(1000)
child = os.fork()
if child == 0:
    count, current = c_int(), c_void_p()
    out(cu.cuInit(0), cu.cuDeviceGetCount(byref(count)), alloc(1), cu.cuMemFree_v2(address), cu.cuCtxSynchronize())
    sys.exit()
os.waitpid(child, 0)
out(cu.cuMemFree_v2(address))
""",
        tmp_path,
    )
    assert done.printed == [["NOT_INITIALIZED"] * 5, "SUCCESS"]
    assert len(done.events("start")) == len(done.events("exit")) == 1
    assert not done.events("killed")


def test_a_child_of_a_process_that_only_loaded_the_driver_can(tmp_path):
    done = run(
        """
cu.cuDriverGetVersion(byref(c_int()))
for _ in range(3):
    child = os.fork()
    if child == 0:
        start()
        out(type(alloc(1000)).__name__)
        sys.exit()
    os.waitpid(child, 0)
""",
        tmp_path,
    )
    assert done.printed == ["int"] * 3
    assert len({line["pid"] for line in done.events("exit")}) == 3


def test_many_threads_start_the_driver_at_once(tmp_path):
    done = run(
        """
barrier = threading.Barrier(16)
def work():
    barrier.wait()
    results.append(cu.cuInit(0))
results = []
threads = [threading.Thread(target=work) for _ in range(16)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
out(results)
""",
        tmp_path,
    )
    assert done.printed == [["SUCCESS"] * 16]
    assert len(done.events("start")) == 1


def test_exec_gives_the_memory_back(tmp_path):
    done = run(
        """
if os.environ.get("SECOND"):
    start()
    out(info())
else:
    start()
    alloc(2**29)
    os.environ["SECOND"] = "1"
    os.execv(sys.executable, [sys.executable, "-c", open("/proc/self/cmdline").read().split("\\0")[2]])
""",
        tmp_path,
        gpus=("1GiB",),
    )
    assert done.printed == [[GIB, GIB]]
    assert [line["reserved"] for line in done.events("killed")] == [GIB // 2]


@pytest.fixture(scope="module")
def libraries():
    from tf1mem.gpusim.build import library_folder

    return library_folder()


@pytest.mark.parametrize(
    ("machine", "message"),
    [
        (None, "TF1MEM_SIM_MACHINE is not set"),
        ("{folder}/none", "No such file or directory"),
        ("{folder}", "Is a directory"),
        ("{folder}/short", "was not written by this version of tf1mem"),
        ("{folder}/other", "was not written by this version of tf1mem"),
    ],
)
def test_without_a_machine_stderr_has_the_reason_once(tmp_path, libraries, machine, message):
    from tf1mem.gpusim.machine import Machine

    (tmp_path / "short").write_bytes(b"tf1mem machine\n\0")
    import ctypes

    (tmp_path / "other").write_bytes(bytes(ctypes.sizeof(Machine)))
    environ = clean(LD_LIBRARY_PATH=str(libraries))
    if machine:
        environ["TF1MEM_SIM_MACHINE"] = machine.format(folder=tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", "import ctypes; c = ctypes.CDLL('libcuda.so.1'); print(c.cuInit(0), c.cuInit(0))"],
        env=environ, capture_output=True, encoding="utf-8", timeout=LIMIT_S, check=True,
    )  # fmt: skip
    assert done.stdout.split() == ["100", "100"]
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_an_unwritable_trace_is_reported_once(tmp_path):
    run(
        """
import subprocess
environ = dict(os.environ, TF1MEM_SIM_TRACE="/proc/none/trace")
code = "import ctypes; c = ctypes.CDLL('libcuda.so.1'); print(c.cuInit(0))"
done = subprocess.run([sys.executable, "-c", code], env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
assert done.stdout == b"0\\n" and done.stderr.count(b"\\n") == 1 and b"/proc/none/trace" in done.stderr, done
""",
        tmp_path,
    )
