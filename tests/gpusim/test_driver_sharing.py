"""Several processes on the same GPUs: memory of one process isn't available to others until that process ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from contextlib import contextmanager

import pytest
from cuda_programs import PRELUDE
from driver_programs import DRIVER, GIB

from tests.processes.environment import LIMIT_S, clean
from tf1mem.gpusim import machine
from tf1mem.gpusim.launching import simulation

# Prints the free memory once it holds its own, and then waits for a line on stdin.
HOLD = """
start()
address = alloc(int(os.environ["HOLD"]))
print("holding", flush=True)
sys.stdin.readline()
"""


class Machine:
    """A simulated machine, and programs on it that run side by side."""

    def __init__(self, simulated) -> None:
        self.simulated = simulated
        self.processes = []

    def begin(self, code, **env):
        process = subprocess.Popen(
            [sys.executable, "-c", PRELUDE + DRIVER + textwrap.dedent(code)],
            env=clean(**self.simulated.environment, **env),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            universal_newlines=True,
        )
        self.processes.append(process)
        return process

    def holder(self, count, code=HOLD, **env):
        process = self.begin(code, HOLD=str(count), **env)
        assert process.stdout.readline() == "holding\n"
        return process

    def run(self, code, **env):
        output, _ = self.begin(code, **env).communicate(timeout=LIMIT_S)
        return [json.loads(line) for line in output.splitlines()]

    @property
    def state(self):
        return machine.read(self.simulated.machine)

    def lines(self, event):
        with open(str(self.simulated.trace), encoding="utf-8") as file:
            return [line for line in map(json.loads, file) if line["event"] == event]


@pytest.fixture
def shared(tmp_path):
    @contextmanager
    def make(gpus, **more):
        with simulation(gpus, trace=tmp_path / "trace.jsonl", **more) as simulated:
            running = Machine(simulated)
            try:
                yield running
            finally:
                for process in running.processes:
                    if process.poll() is None:
                        process.kill()
                    process.communicate()

    return make


def test_memory_of_one_process_is_not_available_to_others(shared):
    with shared(("1000B", "1000B"), used=["100B", "0B"]) as it:
        first, second = it.holder(400), it.holder(300)
        assert it.state.in_use == (800, 0)
        assert sorted((usage.pid, usage.reserved) for usage in it.state.usages) == sorted(
            [(first.pid, 400), (second.pid, 300)]
        )
        assert it.run("start(); out(info(), alloc(201), type(alloc(200)).__name__, info())") == [
            [[200, 1000], "OUT_OF_MEMORY", "int", [0, 1000]]
        ]
        # All memory of the other GPU is free.
        assert it.run("start(1); out(info())") == [[1000, 1000]]
        first.communicate("go on\n")
        assert it.run("start(); out(info())") == [[600, 1000]]
        assert [(line["reserved"], line["peak"]) for line in it.lines("exit")][-1] == (0, 0)
        assert it.lines("killed") == []


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV])
def test_a_killed_processs_memory_is_freed(shared, how):
    with shared(("1000B",)) as it:
        process = it.holder(900)
        assert it.run("start(); out(info()[0])") == [100]
        process.send_signal(how)
        process.wait()
        assert it.run("start(); out(type(alloc(1000)).__name__)") == ["int"]
        (line,) = it.lines("killed")
        assert (line["pid"], line["gpu"], line["reserved"], line["peak"], line["regions"]) == (
            process.pid,
            0,
            900,
            900,
            1,
        )


def test_a_zombie_holds_nothing(shared):
    with shared(("1000B",)) as it:
        process = it.holder(900)
        process.kill()  # it stays a zombie, since nothing waits for it
        deadline = time.monotonic() + LIMIT_S
        while it.run("start(); out(info()[0])") != [1000] and time.monotonic() < deadline:
            pass
        assert it.state.in_use == (0,)


def test_a_running_process_finds_that_another_was_killed(shared):
    with shared(("1000B",)) as it:
        survivor = it.holder(100, HOLD + "out(info()[0], type(alloc(900)).__name__)")
        victim = it.holder(900)
        victim.kill()
        victim.wait()
        assert survivor.communicate("go on\n")[0] == '[900, "int"]\n'


def test_os_exit_frees_the_memory_too(shared):
    with shared(("1000B",)) as it:
        it.run("start(); alloc(900); os._exit(0)")
        assert [usage.reserved for usage in machine.reap(it.simulated.machine, it.simulated.trace)] == [900]
        assert [line["reserved"] for line in it.lines("killed")] == [900]
        assert machine.reap(it.simulated.machine, it.simulated.trace) == ()


def test_a_process_killed_while_it_holds_the_lock(shared):
    with shared(("1000B",)) as it:
        busy = "start()\nprint('holding', flush=True)\nwhile True: ok(cu.cuMemFree_v2(alloc(int(os.environ['HOLD']))))"
        for _ in range(10):
            processes = [it.holder(100, busy) for _ in range(2)]
            time.sleep(0.01)
            for process in processes:
                process.kill()
                process.wait()
        assert it.run("start(); out(info())") == [[1000, 1000]]
        assert it.state.in_use == (0,)


def test_many_processes_and_threads_never_exceed_the_gpu(shared):
    code = """
    context = start()
    print("holding", flush=True)
    sys.stdin.readline()
    def work(addresses):
        ok(cu.cuCtxSetCurrent(context))
        for step in range(80):
            address = alloc(7)
            addresses.append(address) if isinstance(address, int) else refused.append(address)
            if step < 40 and step % 5 == 4 and addresses:
                ok(cu.cuMemFree_v2(addresses.pop()))
    lists, refused = [[] for _ in range(4)], []
    threads = [threading.Thread(target=work, args=(addresses,)) for addresses in lists]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    out(sum(map(len, lists)), sorted(set(refused)))
    sys.stdin.readline()
    """
    with shared(("1000B",)) as it:
        processes = [it.holder(0, code) for _ in range(6)]
        for process in processes:
            process.stdin.write("go on\n")
            process.stdin.flush()
        counts = [json.loads(process.stdout.readline()) for process in processes]
        count = sum(number for number, _ in counts)
        assert count == 1000 // 7
        assert all(refused in ([], ["OUT_OF_MEMORY"]) for _, refused in counts)
        assert it.state.in_use == (7 * count,)
        assert sorted(usage.reserved for usage in it.state.usages) == sorted(7 * number for number, _ in counts)
        for process in processes:
            process.communicate("go on\n")
    # The memory in use in each line follows from the lines before it, also those of other processes.
    in_use = 0
    for line in it.lines("reserve") and [json.loads(text) for text in it.simulated.trace.read_text().splitlines()]:
        if line["event"] in ("reserve", "free"):
            in_use += line["bytes"] if line["event"] == "reserve" else -line["bytes"]
            assert line["in_use"] == in_use <= 1000
        elif line["event"] == "refuse":
            assert line["free"] == 1000 - in_use < line["bytes"]
        elif line["event"] == "exit":
            in_use -= line["reserved"]
    assert in_use == 0


def test_too_many_processes_are_reported(shared):
    with shared(("1000B",)) as it:
        # All other records are those of a living process: this one.
        with open("/proc/self/stat", "rb") as file:
            started = int(file.read().rsplit(b")", 1)[1].split()[19])
        with machine._opened(it.simulated.machine) as mapped:
            for record in mapped.processes:
                record.pid, record.start_time = os.getpid(), started
            mapped.process_count = machine.MOST_PROCESSES
        assert it.run("out(cu.cuInit(0))") == ["SYSTEM_NOT_READY"]


def test_memory_belongs_to_the_visible_gpus(shared):
    with shared(("1GiB", "2GiB")) as it:
        it.holder(GIB // 2, CUDA_VISIBLE_DEVICES="1")
        assert it.state.in_use == (0, GIB // 2)
        assert [usage.gpu for usage in it.state.usages] == [1]
