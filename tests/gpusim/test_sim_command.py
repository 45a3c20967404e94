"""`tf1mem sim` as a command, and `simulation` in a program: processes on the simulated driver."""

from __future__ import annotations

import fcntl
import io
import json
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import textwrap
import time
import xml.etree.ElementTree as ElementTree
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.processes.environment import LIMIT_S
from tf1mem.doctor.checkup.installed import inner_folder
from tf1mem.errors import SimulationError
from tf1mem.gpusim import commands, watching
from tf1mem.gpusim.launching import simulation
from tf1mem.gpusim.machine import read as read_machine
from tf1mem.gpusim.trace import Event, read

ROOT = str(Path(__file__).resolve().parent.parent.parent)
MIB, GIB = 2**20, 2**30

# A program that reserves memory through the driver, as TensorFlow's allocator does.
DRIVER = """
import ctypes, os, sys, time

cuda = ctypes.CDLL("libcuda.so.1")

def call(name, *arguments):
    return getattr(cuda, name)(*arguments)

def gpus():
    count = ctypes.c_int()
    assert call("cuInit", 0) in (0, 100)
    call("cuDeviceGetCount", ctypes.byref(count))
    return count.value

def use(ordinal):
    device, context = ctypes.c_int(), ctypes.c_void_p()
    assert call("cuInit", 0) == 0
    assert call("cuDeviceGet", ctypes.byref(device), ordinal) == 0
    assert call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device) == 0
    assert call("cuCtxSetCurrent", context) == 0

def reserve(mib):
    pointer = ctypes.c_uint64()
    return call("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(mib << 20))
"""


@pytest.fixture(scope="module", autouse=True)
def signals_as_in_a_terminal():
    """Restores signals that a shell in the background, or nohup, makes its children ignore."""
    usual = (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP)
    ignored = [number for number in usual if signal.getsignal(number) == signal.SIG_IGN]
    for number in ignored:
        signal.signal(number, signal.default_int_handler)
    yield
    for number in ignored:
        signal.signal(number, signal.SIG_IGN)


@pytest.fixture
def program(tmp_path):
    """Returns a function that writes a program and returns its path."""

    def write(code, name="program.py"):
        path = tmp_path / name
        path.write_text(DRIVER + textwrap.dedent(code))
        return str(path)

    return write


def variables(**more):
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("TF1MEM_SIM_M")}
    return {**inherited, "PYTHONPATH": ROOT, **more}


def command(*args):
    return [sys.executable, "-m", "tf1mem", "sim", *args]


def sim(*args, **options):
    options.setdefault("env", variables())
    return subprocess.run(
        command(*args), capture_output=True, encoding="utf-8", timeout=LIMIT_S, check=False, **options
    )


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([], "name a command"),
        (["--"], "name a command"),
        (["--gpu", "8GB", "--", "touch", "x"], "Write 8GiB (8,589,934,592 bytes) or 8000000000B"),
        (["--gpu", "8", "--", "touch", "x"], "it has no unit"),
        (["--gpu", "8GiB,colour=red", "--", "touch", "x"], "colour=red"),
        (["--gpus", "0", "--", "touch", "x"], "1 to 16"),
        (["--gpus", "17", "--", "touch", "x"], "1 to 16"),
        (["--gpus", "17", "--gpu", "8GiB", "--", "touch", "x"], "1 to 16"),
        (["--gpus", "two", "--", "touch", "x"], "two"),
        (["--gpus", "2", "--gpu", "8GiB", "--gpu", "8GiB", "--", "touch", "x"], "--gpus with more than one --gpu"),
        (["--gpu", "8GiB", "--used", "9GiB", "--", "touch", "x"], "the GPU has 8 GiB"),
        (["--gpu", "8GiB", "--context", "9GiB", "--", "touch", "x"], "the GPU has 8 GiB"),
        (["--gpus", "3", "--context", "1MiB", "--context", "1MiB", "--", "touch", "x"], "contexts of 2 GPUs"),
        (["--gpus", "3", "--used", "1GiB", "--used", "1GiB", "--", "touch", "x"], "the machine has 3"),
        (["--trace", "nowhere/t.jsonl", "--", "touch", "x"], "nowhere/t.jsonl"),
        (["--trace", ".", "--", "touch", "x"], "is not a file"),
        (["--trace", "/dev/null", "--", "touch", "x"], "is not a file"),
        (["--plot", "nowhere/p.svg", "--", "touch", "x"], "nowhere/p.svg"),
        (["--plot", "p.gif", "--", "touch", "x"], "End it in .svg"),
        (["--trace", "same.svg", "--plot", "same.svg", "--", "touch", "x"], "are the same file"),
        (["--trace", "t.jsonl", "--plot", "nowhere/p.svg", "--", "touch", "x"], "nowhere/p.svg"),
        (["--html", "nowhere/p.html", "--", "touch", "x"], "--html nowhere/p.html: can't be written (No such file"),
        (["--trace", "same", "--html", "same", "--", "touch", "x"], "--trace and --html are the same file"),
        (["--unknown", "--", "touch", "x"], "--unknown"),
        (["--timeout", "0", "--", "touch", "x"], "--timeout"),
    ],
)
def test_bad_input_starts_nothing(tmp_path, args, message):
    done = sim(*args, cwd=str(tmp_path))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("tf1mem: error: ")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_bad_command_line_leaves_the_trace_alone(tmp_path):
    (tmp_path / "t.jsonl").write_text("of last time\n")
    assert sim("--trace", "t.jsonl", "--gpus", "0", "--", "true", cwd=str(tmp_path)).returncode == 2
    assert sim("--trace", "t.jsonl", "--", "no-such-command", cwd=str(tmp_path)).returncode == 127
    assert (tmp_path / "t.jsonl").read_text() == "of last time\n"


@pytest.mark.parametrize(
    ("name", "status", "message"),
    [
        ("no-such-command", 127, "there is no such command"),
        ("./nothing", 127, "there is no such command"),
        ("script.py", 126, "Write -- tf1mem run script.py for a TF1 script, or -- python script.py"),
        ("./script.py", 126, "Write -- tf1mem run ./script.py for a TF1 script, or -- python ./script.py"),
        ("of-mine", 127, "write ./of-mine"),
        ("./of-mine", 126, "chmod +x ./of-mine"),
        ("./folder", 126, "is a directory"),
        ("./lost", 127, "the interpreter in its first line is not there"),
    ],
)
def test_commands_that_cannot_be_started(tmp_path, name, status, message):
    for script in ("script.py", "of-mine"):
        (tmp_path / script).write_text("print()")
    (tmp_path / "folder").mkdir()
    (tmp_path / "lost").write_text("#!/no/such/interpreter\n")
    (tmp_path / "lost").chmod(0o755)
    done = sim("--", name, cwd=str(tmp_path))
    assert (done.returncode, done.stdout) == (status, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_streams_arguments_and_status_pass_through(tmp_path):
    script = tmp_path / "script"
    script.write_text('read line; echo "$line $1"; echo complaint >&2; cat <&5; exit 7\n')  # no #!: sh runs it
    script.chmod(0o755)
    reader, writer = os.pipe()
    os.write(writer, b"from 5\n")
    os.close(writer)

    def as_5():
        os.dup2(reader, 5)

    done = sim("./script", "--summary", cwd=str(tmp_path), input="hello\n", close_fds=False, preexec_fn=as_5)
    os.close(reader)
    assert (done.returncode, done.stdout, done.stderr) == (7, "hello --summary\nfrom 5\n", "complaint\n")


def test_the_environment_is_kept():
    folder = "/some/folder"
    done = sim("sh", "-c", "echo $LD_LIBRARY_PATH $OF_MINE", env=variables(LD_LIBRARY_PATH=folder, OF_MINE="kept"))
    assert done.stdout.endswith(f":{folder} kept\n")


def test_a_program_sees_the_gpus_that_the_options_describe(program):
    path = program(
        """
        print(gpus())
        for ordinal in range(gpus()):
            use(ordinal)
            left, total = ctypes.c_size_t(), ctypes.c_size_t()
            call("cuMemGetInfo_v2", ctypes.byref(left), ctypes.byref(total))
            print(left.value, total.value)
        """
    )
    run = ["--", sys.executable, path]
    assert sim(*run).stdout == "1\n{0} {0}\n".format(16 * GIB)
    assert sim("--gpus", "2", *run).stdout == "2\n{0} {0}\n{0} {0}\n".format(16 * GIB)
    assert sim("--gpus", "2", "--gpu", "3B", *run).stdout == "2\n3 3\n3 3\n"
    done = sim("--gpu", "8GiB", "--gpu", "5B", "--used", "6GiB", "--used", "1B", *run)
    assert done.stdout == f"2\n{2 * GIB} {8 * GIB}\n4 5\n"
    done = sim("--gpu", "8GiB", "--gpu", "5B", "--used", "0B", "--context", "1GiB", "--context", "2B", *run)
    assert done.stdout == f"2\n{7 * GIB} {8 * GIB}\n3 5\n"
    assert sim("--gpus", "2", "--used", "15GiB", *run).stdout == "2\n{0} {1}\n{0} {1}\n".format(GIB, 16 * GIB)


def test_trace_summary_and_plot(tmp_path, program):
    path = program("use(0); assert reserve(3) == 0; assert reserve(6) == 2; sys.exit(4)")
    (tmp_path / "t.jsonl").write_text("of last time\n")
    done = sim(
        "--gpu", "8MiB", "--trace", "t.jsonl", "--summary", "--plot", "p.svg", "--html", "p.html",
        "--", sys.executable, path, cwd=str(tmp_path),
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (4, "")
    assert "refused 6 MiB (6,291,456 bytes) with 5 MiB (5,242,880 bytes) left" in " ".join(done.stderr.split())
    assert max(len(line) for line in done.stderr.splitlines()) <= 80
    assert "\x1b" not in done.stderr
    events = [event.event for event in read(tmp_path / "t.jsonl")]
    assert events == ["start", "context", "reserve", "refuse", "exit"]
    lines = [json.loads(line) for line in (tmp_path / "t.jsonl").read_text().splitlines()]
    assert {field for line in lines for field in line} <= set(Event._fields)
    assert lines[0]["command"] == f"{sys.executable} {path}"[:200]
    assert lines[2]["where"].startswith(path + ":")
    assert ElementTree.parse(str(tmp_path / "p.svg")).getroot().tag.endswith("svg")
    page = (tmp_path / "p.html").read_text(encoding="utf-8")
    for text in (
        "Exit status 4, 1 allocation refused",
        ">" + lines[2]["where"].replace(str(tmp_path) + "/", "") + "<",
        ">3 MiB (3,145,728 bytes)<",
        "<svg ",
    ):
        assert text in page


@pytest.mark.proof
def test_a_plot_without_a_trace_leaves_only_the_plot(tmp_path, program):
    path = program("use(0); assert reserve(3) == 0", "../program.py")
    done = sim("--plot", "p.PNG", "--", sys.executable, path, cwd=str(tmp_path))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert [it.name for it in tmp_path.iterdir()] == ["p.PNG"]


FULL = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))  # as on a disk that is full: EFBIG in place of ENOSPC
use(0)
for _ in range(50): assert reserve(1) == 0
assert reserve(100) == 2
os._exit(3)
"""


def test_a_trace_that_a_full_disk_cuts(tmp_path, program):
    full, after = program(FULL, "full.py"), program("use(0); assert reserve(7) == 0", "after.py")
    line = f"{sys.executable} {full}; {sys.executable} {after}"
    done = sim("--gpu", "80MiB", "--trace", "t.jsonl", "--summary", "--", "sh", "-c", line, cwd=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith("tf1mem sim: the trace is cut here: ")
    assert done.stderr.count("the trace is cut here") == 1
    assert "The trace is incomplete: one line could not be written" in " ".join(done.stderr.split())
    # The rows of both processes are complete, though the trace lacks a part of the first process.
    words = [line.split() for line in done.stderr.splitlines()]
    assert [row[1:] for row in words if len(row) == 9 and row[0].isdigit()] == [
        ["50", "50", "MiB", "50", "MiB", "52,428,800", "1", "0"],
        ["1", "7", "MiB", "7", "MiB", "7,340,032", "0", "0"],
    ]
    assert "it ended without closing the driver" in done.stderr
    assert (tmp_path / "t.jsonl").stat().st_size == 2000


def test_a_process_that_leaves_the_simulation_is_reported(tmp_path):
    folder = inner_folder(find_spec("tensorflow").submodule_search_locations[0])
    library = max(map(str, Path(folder).glob("libtensorflow_framework.so*")))
    script = tmp_path / "uses.py"
    script.write_text(f"import ctypes, sys, time\nctypes.CDLL({library!r})\ntime.sleep(float(sys.argv[1]))\n")
    (tmp_path / "reads.py").write_text(f"""import mmap, time
with open({library!r}, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ):
    time.sleep(1.5)
""")
    line = (
        f"{sys.executable} uses.py 0; export LD_LIBRARY_PATH=/usr/local/cuda/lib64; {sys.executable} reads.py & "
        f"{sys.executable} uses.py 6 b; wait; ls"  # sim looks at it several times in 6 s
    )
    done = sim("--summary", "--", "sh", "-c", line, cwd=str(tmp_path))
    assert done.returncode == 0
    words = " ".join(done.stderr.split())
    assert words.count("Not on these GPUs: process ") == 1
    assert f"{sys.executable} uses.py 6 b. It uses TensorFlow and left the simulation" in words


def test_a_shell_script_that_starts_several_processes(tmp_path, program):
    taker = program("use(0); assert reserve(6) == 0; print('took', flush=True); time.sleep(60)", "taker.py")
    late = program("use(0); print(reserve(3)); os._exit(0)", "late.py")
    script = tmp_path / "all.sh"
    script.write_text(
        f"mkfifo ready; {sys.executable} {taker} > ready & taker=$!; read line < ready\n"
        f"{sys.executable} {late}; kill -9 $taker; wait $taker; {sys.executable} {late}; exit 3\n"
    )
    done = sim(
        "--gpu", "8MiB", "--trace", "t.jsonl", "--summary", "--", "bash", "all.sh", cwd=str(tmp_path)
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (3, "2\n0\n"), done.stderr
    assert "3 processes" in done.stderr
    assert done.stderr.count("it ended without closing the driver") == 3
    ends = [(event.event, event.reserved) for event in read(tmp_path / "t.jsonl") if event.event in ("exit", "killed")]
    assert sorted(ends) == [("killed", 0), ("killed", 3 * MIB), ("killed", 6 * MIB)]


def test_a_process_that_stays_behind(tmp_path, program):
    path = program("use(0); assert reserve(3) == 0; open('ready', 'w').close(); time.sleep(60)")
    line = f"{sys.executable} {path} >log 2>&1 & echo $! > pid; while [ ! -e ready ]; do sleep 0.02; done"
    done = sim("--gpu", "8MiB", "--summary", "--", "sh", "-c", line, cwd=str(tmp_path))
    os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)
    assert done.returncode == 0
    assert "still running" in done.stderr
    assert "3 MiB" in done.stderr
    assert "?" not in done.stderr.replace(str(tmp_path), "")


@pytest.mark.proof
def test_sim_within_sim(program):
    path = program("print(gpus())")
    inner = command("--gpus", "3", "--", sys.executable, path)
    done = sim("--summary", "--", *inner)
    assert (done.returncode, done.stdout) == (0, "3\n")
    assert "the outer simulation doesn't see what it does" in done.stderr
    assert "0 processes" in done.stderr


@pytest.mark.parametrize("name", ["SIGTERM", "SIGKILL", "SIGSEGV", "SIGINT", "SIGPIPE", "SIGUSR1"])
def test_death_by_a_signal(name):
    done = sim("--summary", "--", "sh", "-c", f"kill -{name[3:]} $$")
    assert done.returncode == -getattr(signal, name)
    assert "1 simulated GPU" in done.stderr


@pytest.mark.proof
def test_a_python_that_crashes_says_where():
    crash = [sys.executable, "-c", "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)"]
    done = sim("--", *crash, env=variables())
    assert (done.returncode, "Segmentation fault" in done.stderr) == (-signal.SIGSEGV, True), done.stderr
    assert 'File "<string>", line 1' in done.stderr
    assert sim("--", *crash, env=variables(PYTHONFAULTHANDLER="")).stderr == ""


def started(*args, **options):
    options.setdefault("env", variables())
    child = subprocess.Popen(
        command(*args), stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", **options
    )
    assert child.stdout.readline() == "ready\n"
    return child


@pytest.mark.parametrize("name", ["HUP", "INT", "QUIT", "TERM", "USR1", "USR2", "ALRM"])
def test_signals_are_passed_on_to_the_command(name):
    child = started("--", "sh", "-c", f"trap 'echo got; exit 5' {name}; echo ready; while :; do sleep 0.02; done")
    child.send_signal(getattr(signal, "SIG" + name))
    assert child.communicate(timeout=LIMIT_S) == ("got\n", "")
    assert child.returncode == 5


def test_a_signal_that_the_command_does_not_expect():
    child = started("--", "sh", "-c", "echo ready; exec sleep 60")
    child.send_signal(signal.SIGTERM)
    child.communicate(timeout=LIMIT_S)
    assert child.returncode == -signal.SIGTERM


def test_killed_with_its_command(tmp_path):
    # The folder of a killed simulation stays until the next simulation: here, below the test's own folder.
    line = "echo ready; echo $$ > pid; exec sleep 60"
    (tmp_path / "tf1mem-sim-of-somebody").mkdir()
    child = started("--summary", "--", "sh", "-c", line, cwd=str(tmp_path), env=variables(TMPDIR=str(tmp_path)))
    wait_for(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text().endswith("\n"))
    pid = int((tmp_path / "pid").read_text())
    child.kill()
    child.communicate(timeout=LIMIT_S)  # the pipe closes when the command is gone
    wait_for(lambda: not alive(pid))
    left = [path for path in tmp_path.glob("tf1mem-sim-*") if path.name != "tf1mem-sim-of-somebody"]
    assert len(left) == 2
    for path in left:
        os.utime(str(path), (1, 1))
    assert sim("--", "true", env=variables(TMPDIR=str(tmp_path))).returncode == 0
    assert [path.name for path in tmp_path.glob("tf1mem-sim-*")] == ["tf1mem-sim-of-somebody"]


def wait_for(condition):
    end = time.monotonic() + 300
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize("last", ["true", "kill -TERM $$", "kill -KILL $$"])
def test_nothing_is_left_behind(tmp_path, last):
    line = f"test -e $TF1MEM_SIM_MACHINE && echo there; {last}"
    done = sim("--summary", "--", "sh", "-c", line, env=variables(TMPDIR=str(tmp_path)))
    assert done.stdout == "there\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("status", "expected"), [(0, 2), (5, 5)])
def test_a_command_that_clears_the_temporary_folder(tmp_path, status, expected):
    line = f"rm -r {tmp_path}/*; exit {status}"
    done = sim("--summary", "--", "sh", "-c", line, env=variables(TMPDIR=str(tmp_path)))
    assert done.returncode == expected
    assert done.stderr.startswith("tf1mem: error: ")
    assert done.stderr.count("\n") == 1


def test_a_time_limit(tmp_path):
    line = "sleep 60 & echo $! > pid; wait"
    done = sim("--summary", "--no-values", "--timeout", "1.5", "--", "sh", "-c", line, cwd=str(tmp_path))
    assert (done.returncode, done.stdout) == (124, "")
    assert not alive(int((tmp_path / "pid").read_text()))  # the process that the shell had started has ended, too
    assert done.stderr.startswith(f"tf1mem sim: sh -c '{line}' did not end within 1.5 seconds (--timeout)")
    assert "With --no-values no value is computed: a program that waits for one" in " ".join(done.stderr.split())
    assert "1 simulated GPU, 0 processes on it" in done.stderr


def test_a_time_limit_while_values_are_computed():
    done = sim("--timeout", "0.5", "--", "sleep", "60")
    assert done.returncode == 124
    assert done.stderr == "tf1mem sim: sleep 60 did not end within 0.5 seconds (--timeout), and was ended\n"


@pytest.mark.proof
def test_required_values_need_a_cxx_compiler():
    done = sim("--values", "--", "true", env=variables(CXX="no-such-c++"))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(
        "tf1mem: error: simulated GPUs need a C++ compiler, and CXX=no-such-c++ is not found. Install one ("
    )
    assert sim("--", "true", env=variables(CXX="no-such-c++")).stderr == ""


def test_a_command_that_ignores_sigterm_is_killed(monkeypatch):
    monkeypatch.setattr(commands, "GRACE_S", 0.2)
    with commands.signals_held(), pytest.raises(commands.TimeUp):
        commands.run(["sh", "-c", "trap '' TERM; while :; do sleep 0.02; done"], os.environ, seconds=0.5)


def in_a_terminal(args, type_in, **options):
    """Runs a command in a terminal of 24 by 80, and types when it has printed "ready"; returns output and status."""
    pid, terminal = pty.fork()
    if pid == 0:
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        os.execve(args[0], args, variables(**options))
    out = b""
    while True:
        try:
            piece = os.read(terminal, 4096)
        except OSError:
            piece = b""
        if not piece:
            break
        out += piece
        if type_in and b"ready" in out and out.endswith(b"\n"):
            os.write(terminal, type_in)
            type_in = b""
    os.close(terminal)
    status = os.waitpid(pid, 0)[1]
    return out.decode(), -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


COUNTS_INTERRUPTS = """
import signal, sys, time
count = 0
def interrupted(*_):
    global count
    count += 1
signal.signal(signal.SIGINT, interrupted)
print("ready", sys.stdin.isatty(), sys.stderr.isatty(), flush=True)
end = time.monotonic() + 60
while not count and time.monotonic() < end:
    time.sleep(0.02)
time.sleep(0.3)
sys.exit(count)
"""


def test_ctrl_c_reaches_the_command_once():
    out, status = in_a_terminal(command("--summary", "--", sys.executable, "-c", COUNTS_INTERRUPTS), b"\x03")
    assert "ready True True" in out
    assert status == 1
    assert "1 simulated GPU" in out


def test_ctrl_c_ends_a_command_that_expects_none():
    _, status = in_a_terminal(command("--", "sh", "-c", "echo ready; exec sleep 60"), b"\x03")
    assert status == -signal.SIGINT


def test_the_summary_on_a_terminal(program):
    path = program("use(0); assert reserve(3) == 0")
    out, status = in_a_terminal(command("--summary", "--", sys.executable, path), b"", TERM="xterm", COLUMNS="80")
    assert status == 0
    assert "\x1b[1m" in out
    assert "3,145,728" in out


WATCHED = "print('a line', flush=True); use(0); assert reserve(3) == 0; assert reserve(9) == 2; time.sleep(6)"


def test_a_live_table_below_the_commands_output(program):
    path = program(WATCHED)
    args = command("--gpu", "8MiB,name=V100", "--used", "2MiB", "--watch", "--", sys.executable, path)
    out, status = in_a_terminal(args, b"", TERM="xterm")
    assert status == 0
    assert "a line\r\n" in out
    plain = re.sub(r"\x1b\[[0-9;]*[mK]", "", out)
    assert re.search(r" 0 +5MiB / 8MiB +\[\|{13} {7}\] +V100", plain)
    named = " ".join(map(os.path.basename, (sys.executable, path)))
    assert re.search(rf" 0 +\d+ +3MiB +3MiB +1 +0 +{named}", plain)
    # The command's lines scroll above the table, which begins below them; at the end they have the whole terminal.
    *regions, last = re.findall(r"\x1b\[(?:1;(\d+))?r", out)
    assert last == ""
    assert min(map(int, re.findall(r"\x1b\[(\d+);1H", out))) == min(map(int, regions)) + 1
    assert out.endswith("\x1b[r\x1b8\x1b[J")


def test_a_log_has_a_line_when_something_has_changed(program, monkeypatch):
    monkeypatch.setattr(watching, "EVERY_S", 0)
    log = io.StringIO()
    path = program("use(0); assert reserve(3) == 0; print(flush=True); input(); reserve(2); print(flush=True); input()")
    with simulation(["8MiB", "4MiB"]) as machine:
        watch = watching.Watch(machine.machine, log)
        watch.observe()
        child = subprocess.Popen(
            [sys.executable, path], env=dict(os.environ, **machine.environment), stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )  # fmt: skip
        for _ in range(2):
            child.stdout.readline()
            watch.observe()
            watch.observe()
            child.stdin.write(b"\n")
            child.stdin.flush()
        child.communicate()
        watch.observe()
        watch.close()
    other_gpu = "GPU 1: 0 B of 4 MiB, 0 processes"
    assert re.sub(r"\d+ s", "0 s", log.getvalue()).splitlines() == [
        f"tf1mem sim: after 0 s, GPU 0: 3 MiB of 8 MiB, 1 process; {other_gpu}",
        f"tf1mem sim: after 0 s, GPU 0: 5 MiB of 8 MiB, 1 process; {other_gpu}",
        f"tf1mem sim: after 0 s, GPU 0: 0 B of 8 MiB, 0 processes; {other_gpu}",
    ]


@pytest.mark.proof
def test_a_reader_of_stderr_that_goes_away():
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(command("--summary", "--", "sh", "-c", "exit 6"), stderr=writer, env=variables(), check=False)
    os.close(writer)
    assert done.returncode == 6


def test_a_simulation_in_a_program_has_processes_a_trace_and_an_end(tmp_path, program):
    path = program("use(1); assert reserve(3) == 0; time.sleep(60)")
    with simulation(["8MiB", "16MiB"], trace=tmp_path / "t.jsonl", used=[MIB, "2MiB"]) as machine:
        assert [gpu.used_bytes for gpu in machine.gpus] == [MIB, 2 * MIB]
        child = subprocess.Popen([sys.executable, path], env=dict(os.environ, **machine.environment))
        wait_for(lambda: read_machine(machine.machine).in_use == (MIB, 5 * MIB))
        child.kill()
        child.wait()
        machine.reap()
        assert read_machine(machine.machine).in_use == (MIB, 2 * MIB)
        assert read(machine.trace)[-1].event == "killed"
    assert not machine.machine.parent.exists()
    assert (tmp_path / "t.jsonl").exists()


def test_simulation_without_a_trace(program):
    path = program("print(gpus())")
    with simulation(2) as machine:
        assert machine.trace is None
        environment = dict(os.environ, TF1MEM_SIM_TRACE="/nowhere/t.jsonl")
        environment.update(machine.environment)
        done = subprocess.run([sys.executable, path], env=environment, capture_output=True, check=True)
    assert (done.stdout, done.stderr) == (b"2\n", b"")


def test_an_impossible_simulation(tmp_path, monkeypatch):
    with pytest.raises(SimulationError, match="can't be written"), simulation(1, tmp_path / "nowhere" / "t"):
        pass
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    with pytest.raises(SimulationError, match="Set TMPDIR"), simulation(1):
        pass


def test_a_fork_does_not_end_the_simulation():
    context = simulation(1)
    machine = context.__enter__()
    pid = os.fork()
    if pid == 0:
        try:
            context.__exit__(None, None, None)
        finally:
            os._exit(0)
    os.waitpid(pid, 0)
    assert machine.machine.exists()
    context.__exit__(None, None, None)
    assert not machine.machine.exists()
