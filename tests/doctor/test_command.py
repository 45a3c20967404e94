"""`tf1mem doctor` as a command: its output, the streams and signals that it passes on, and errors."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
from runs import ROOT, codes, tf1mem

from tests.processes.environment import LIMIT_S, clean
from tf1mem.doctor import judges

PLAIN = """
import sys
print("to stdout", sys.argv[1:], __name__, __file__, sys.path[0])
print("to stderr", file=sys.stderr)
import os
assert "PYTHONPATH" not in os.environ or "within" not in os.environ["PYTHONPATH"]
assert not any("TF1MEM_DOCTOR" in name for name in os.environ)
assert not any("tf1mem" in name for name in sys.modules if not name.startswith("_")), sorted(sys.modules)
sys.exit(7)
"""


@pytest.fixture
def script(tmp_path):
    def write(code, name="script.py"):
        (tmp_path / name).write_text(textwrap.dedent(code), encoding="utf-8")
        return name

    return write


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--", "nowhere.py"], "there is no such file"),
        (["nowhere.py"], "there is no such file"),
        (["--sim", "8GB", "--", "script.py"], "8GiB"),
        (["--sim", "", "--", "script.py"], "8GiB"),
        (["--gpu", "8GB", "--", "script.py"], "8GiB"),
        (["--gpus", "2", "--gpu", "8GiB", "--gpu", "8GiB", "--", "script.py"], "--gpus with more than one --gpu"),
        (["--gpus", "2"], "name it after --"),
        (["--sim", "8GiB"], "name it after --"),
        (["--with-tf1mem"], "name it after --"),
        (["--", "python", "script.py"], "Name the script itself"),
        (["--", "-m"], "name a module"),
        (["--", "."], "__main__"),
        (["--unknown"], "--unknown"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_arguments(tmp_path, script, arguments, message):
    script("open('ran', 'w')")
    done = tf1mem("doctor", *arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("tf1mem: error: ")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "ran").exists()


def test_a_script_runs_as_it_is(tmp_path, script):
    name = script(PLAIN)
    done = tf1mem("doctor", "--", name, "--json", "x y", cwd=tmp_path)
    bare = subprocess.run(
        [sys.executable, name, "--json", "x y"], cwd=str(tmp_path), env=clean(), capture_output=True,
        encoding="utf-8", check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (bare.returncode, bare.stdout) == (7, done.stdout)
    assert done.stderr.startswith(bare.stderr + "\ntf1mem ")
    assert "exit status 7" in done.stderr
    assert "TFD223 note" in done.stderr
    assert max(map(len, done.stderr.splitlines())) <= 80
    assert "\x1b" not in done.stderr


def test_an_error_passes_through(tmp_path, script):
    name = script("def fail():\n    raise KeyError('mine')\n\nfail()\n")
    done = tf1mem("doctor", "--", name, cwd=tmp_path)
    bare = subprocess.run([sys.executable, name], cwd=str(tmp_path), env=clean(), capture_output=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith(bare.stderr.decode())
    assert "TFD220 note  KeyError at script.py:2: 'mine'" in done.stderr


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (
            "class Odd(Exception):\n    def __str__(self):\n        raise TypeError\n\nraise Odd(1)\n",
            "Odd at script.py:5: <exception str() failed>",
        ),
        (
            "import sys\nsys.excepthook = lambda *error: print('own hook', file=sys.stderr)\nraise KeyError('mine')\n",
            "KeyError at script.py:3: 'mine'",
        ),
        (
            "import sys\ntry:\n    1 / 0\nexcept Exception:\n    sys.excepthook(*sys.exc_info())\n{}['mine']\n",
            "KeyError at script.py:6: 'mine'",
        ),
    ],
    ids=["no text", "own hook", "hook called"],
)
def test_an_odd_error_passes_through(tmp_path, script, code, message):
    name = script(code)
    done = tf1mem("doctor", "--", name, cwd=tmp_path)
    bare = subprocess.run([sys.executable, name], cwd=str(tmp_path), env=clean(), capture_output=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith(bare.stderr.decode() + "\ntf1mem ")
    assert "TFD220 note  " + message in done.stderr


def test_the_status_is_the_scripts_if_stderr_is_closed(tmp_path, script):
    command = [sys.executable, "-m", "tf1mem", "doctor", "--", script("import sys\nsys.exit(3)\n")]
    closed = subprocess.run(["sh", "-c", 'exec "$@" 2>&-', "sh", *command], cwd=str(tmp_path), env=clean(), check=False)
    assert closed.returncode == 3


@pytest.mark.parametrize("simulated", [[], ["--sim", "8GiB"]], ids=["", "sim"])
def test_a_script_that_clears_the_temporary_folder(tmp_path, script, simulated):
    folder = tmp_path / "temporary"
    folder.mkdir()
    name = script("import os, shutil, sys\nshutil.rmtree(os.environ['TMPDIR'])\nsys.exit(3)\n")
    done = tf1mem("doctor", *simulated, "--", name, cwd=tmp_path, TMPDIR=str(folder))
    assert done.returncode == 3
    assert "TFD228 note" in done.stderr


def test_a_module_and_an_own_sitecustomize(tmp_path, script):
    script("import sys\nprint('mine', file=sys.stderr)", "sitecustomize.py")
    script("print('module', __name__)", "module.py")
    path = os.pathsep.join([clean()["PYTHONPATH"], str(tmp_path)])
    done = tf1mem("doctor", "--format", "json", "--", "-m", "module", cwd=tmp_path, PYTHONPATH=path)
    assert json.loads(done.stdout)["exit_status"] == 0
    # Once for tf1mem's own process, once for the script's.
    assert done.stderr == "mine\nmine\nmodule __main__\n"


@pytest.mark.skipif(sys.platform != "linux", reason="signals pass through on Linux")
def test_ctrl_c(tmp_path, script):
    import fcntl
    import pty
    import termios

    name = script("import time\nprint('ready', flush=True)\ntime.sleep(60)\n")
    keyboard, terminal = pty.openpty()

    def begin():
        fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)  # a controlling terminal, which sends SIGINT to both processes
        signal.signal(signal.SIGINT, signal.default_int_handler)

    try:
        process = subprocess.Popen(
            [sys.executable, "-m", "tf1mem", "doctor", "--", name], cwd=str(tmp_path), env=clean(),
            encoding="utf-8", stdin=terminal, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
            preexec_fn=begin,  # noqa: PLW1509
        )  # fmt: skip
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.2)
        os.write(keyboard, b"\x03")
        _, stderr = process.communicate(timeout=LIMIT_S)
    finally:
        os.close(keyboard)
        os.close(terminal)
    assert "KeyboardInterrupt" in stderr
    # From 3.8 on an interrupted Python ends by the signal.
    ended = (-signal.SIGINT, "ended by SIGINT") if sys.version_info >= (3, 8) else (1, "exit status 1")
    assert process.returncode == ended[0]
    assert ended[1] in stderr


@pytest.mark.skipif(sys.platform != "linux", reason="signals pass through on Linux")
def test_ctrl_c_during_the_checkup():
    process = subprocess.Popen(
        [sys.executable, "-m", "tf1mem", "doctor"], env=clean(), encoding="utf-8", stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # noqa: PLW1509
    )  # fmt: skip
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    while process.poll() is None and not children.read_text().strip():
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)
    outputs = process.communicate(timeout=LIMIT_S)
    assert process.returncode == 130
    assert "Traceback" not in "".join(outputs)


def test_a_script_that_is_killed(tmp_path, script):
    done = tf1mem("doctor", "--format", "json", "--", script("import os\nos.kill(os.getpid(), 9)"), cwd=tmp_path)
    assert done.returncode == -9
    assert codes(json.loads(done.stdout)) == ["TFD226"]
    assert "dmesg" in json.loads(done.stdout)["findings"][0]["remedy"]


def test_colours_are_for_terminals_without_no_color(tmp_path, script):
    name = script("pass")
    for args, more, coloured in (([], {}, True), ([], {"NO_COLOR": "1"}, False), (["--color", "never"], {}, False)):
        shown = on_a_terminal(*args, "--", name, cwd=tmp_path, **more)
        assert "TFD223" in shown
        assert ("\x1b[" in shown) is coloured


def on_a_terminal(*arguments, cwd, **more):
    """Runs the doctor with a terminal as stderr; returns its output there."""
    pty = pytest.importorskip("pty", reason="Windows has no terminals of this kind")
    reader, writer = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "tf1mem", "doctor", *arguments], cwd=str(cwd), stdout=subprocess.DEVNULL, stderr=writer,
        env=clean(TERM="xterm", COLUMNS="80", **more),
    )  # fmt: skip
    os.close(writer)
    output = b""
    try:
        while True:
            part = os.read(reader, 4096)
            if not part:
                break
            output += part
    except OSError:  # on Linux, reading fails once the other side is closed
        pass
    os.close(reader)
    assert process.wait() == 0
    return output.decode()


@pytest.mark.proof
def test_progress_is_cleared_at_the_end(tmp_path):
    parts = on_a_terminal(cwd=tmp_path).split("\r")
    assert [part.strip() for part in parts if part.strip()] == [
        "tf1mem doctor: asking the CUDA driver …",
        "tf1mem doctor: importing TensorFlow in a separate process …",
    ]
    assert parts[-2:] == [" " * 79, ""]


@pytest.mark.parametrize(
    ("code", "status"), [("pass", 0), ("import os\nos._exit(0)", 1), ("import sys\nsys.exit(5)", 5)]
)
def test_strictly(tmp_path, script, code, status):
    name = script(code)
    done = tf1mem("doctor", "--strict", "--quiet", "--", name, cwd=tmp_path)
    assert done.returncode == status
    assert done.stderr.startswith("Findings: ")
    assert "GPU memory" not in done.stderr


@pytest.mark.parametrize("simulated", [[], ["--sim", "8GiB"]], ids=["", "sim"])
def test_the_page_of_a_script_that_fails_early_has_no_gpus(tmp_path, script, simulated):
    done = tf1mem("doctor", *simulated, "--", script("import sys\n\n1 / 0\n"), cwd=tmp_path)
    assert done.returncode == 1
    page = done.stderr.partition("doctor: script.py")[2]
    assert "TFD220 note  ZeroDivisionError at script.py:3" in page
    assert "GPU" not in page


def test_each_kind_is_used_in_its_own_file():
    kinds = judges.kinds()
    assert len({kind.code for kind in kinds}) == len(kinds)
    for path in sorted((ROOT / "tf1mem" / "doctor" / "judges").glob("*.py")):
        source = path.read_text(encoding="utf-8")
        declared = re.findall(r"^([A-Z_0-9]+) = Kind\.", source, re.MULTILINE)
        used = set(re.findall(r"\b[A-Z_0-9]+\b", re.sub(r"^[A-Z_0-9]+ = Kind\.", "", source, flags=re.MULTILINE)))
        assert set(declared) <= used, path
