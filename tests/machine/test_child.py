"""A Python that tf1mem starts for its own work imports nothing from the current folder, whatever files are there."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.matrix.proof import in_ci_or_proof
from tf1mem.gpusim import values_library
from tf1mem.machine import child
from tf1mem.machine.tensorflow import installed_version

# Names of modules in the current folder; each one records its name when it is imported, and ends the process.
NAMES = (
    "tf1mem json os pickle shutil ctypes numpy tensorflow sitecustomize multiprocessing importlib contextlib".split()
)
HOSTILE = """
print("taken:", __file__, flush=True)
open(__file__ + ".taken", "w").close()
raise SystemExit("a file of the current folder's was imported")
"""
TF1MEM = [sys.executable, "-c", "import sys; del sys.path[0]; from tf1mem.__main__ import main; sys.exit(main())"]


@pytest.fixture
def hostile(tmp_path, monkeypatch):
    """Changes to a folder with such files; returns a function that returns the names of those that were imported."""
    here = tmp_path / "here"
    here.mkdir()
    for name in NAMES:
        (here / f"{name}.py").write_text(HOSTILE, encoding="utf-8")
    monkeypatch.chdir(here)
    return lambda: sorted(path.name for path in here.glob("*.taken"))


def paths():
    return {"where": [path for path in sys.path if os.path.realpath(path) == os.path.realpath(os.curdir)]}


@pytest.mark.parametrize("with_site", [True, False])
@pytest.mark.parametrize("python_path", in_ci_or_proof(["", os.pathsep, ".", "HERE"], ["", "HERE"]))
def test_a_question_imports_nothing_from_the_current_folder(hostile, monkeypatch, with_site, python_path):
    tests = str(Path(__file__).parent)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([python_path.replace("HERE", os.getcwd()), tests]))
    answer = child.ask("tf1mem.machine.nvml.answer", 60, with_site=with_site)
    assert answer.state == child.ANSWERED, answer.stderr
    assert hostile() == []


def test_other_folders_of_pythonpath_stay(hostile, monkeypatch, tmp_path):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["", str(tmp_path), ".", "below"]))
    assert child.without_this_folder()["PYTHONPATH"] == os.pathsep.join([str(tmp_path), "below"])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["", "."]))
    assert "PYTHONPATH" not in child.without_this_folder()


def test_the_script_that_compiles_values_imports_nothing_from_the_current_folder(hostile, tmp_path):
    script = values_library.write_script(tmp_path, None)
    done = subprocess.run(
        ["sh", str(script), "/nowhere/libtensorflow_framework.so.2"], capture_output=True, encoding="utf-8", check=False
    )
    assert hostile() == [], done.stdout
    assert done.stdout == ""
    assert "TensorFlow's headers are not in /nowhere/include" in done.stderr or "compiler" in done.stderr


def test_a_measurement_imports_nothing_from_the_current_folder(hostile, tmp_path):
    from tf1mem.estimating.exchange import Exchange
    from tf1mem.estimating.measurement import Worker

    worker = Worker(child.without_this_folder(), 120)
    try:
        answer = worker.run(Exchange(str(tmp_path)), trace=True, nodes=True, device="cpu")
    finally:
        worker.close()
    assert hostile() == []
    # It got as far as reading the step, which doesn't exist.
    assert "KeyError" in answer["message"] or "graph.pb" in answer["message"], answer


@pytest.mark.parametrize("with_tf1mem", [True, False])
def test_a_script_run_by_the_doctor_imports_from_its_own_folder_alone(hostile, tmp_path, with_tf1mem):
    from tf1mem.doctor.watch.watching import run

    script = tmp_path / "there" / "train.py"
    script.parent.mkdir()
    script.with_name("beside.py").write_text("SAID = 'beside'", encoding="utf-8")
    script.write_text(
        "import json, sys, beside\nprint(json.dumps([beside.SAID, sys.path[0], sys.argv]), file=open('said', 'w'))\n",
        encoding="utf-8",
    )
    ran = run([str(script), "one"], with_tf1mem=with_tf1mem, quiet_stdout=True)
    assert (hostile(), ran.status) == ([], 0)
    assert json.loads(Path("said").read_text(encoding="utf-8")) == ["beside", str(script.parent), [str(script), "one"]]


@pytest.mark.skipif(sys.version_info < (3, 10), reason="codemod and check are for Python 3.10 and up")
@pytest.mark.parametrize(
    ("command", "message"), [(["codemod", "--jobs", "2"], "import tf1mem.v1 as tf"), (["check"], "verdict")]
)
def test_codemod_and_check_import_nothing_from_the_current_folder(hostile, tmp_path, command, message):
    tree = tmp_path / "tree"
    tree.mkdir()
    for number in range(3):
        (tree / f"{number}.py").write_text("import tensorflow as tf\ntf.Session()\n", encoding="utf-8")
    done = subprocess.run([*TF1MEM, *command, str(tree)], capture_output=True, encoding="utf-8", check=False)
    assert hostile() == [], done.stdout
    assert message in done.stdout, done.stdout + done.stderr


AFRESH = """
import os, threading, time

def prepare(argument):
    return serve

def serve(batch):
    yield [(2 * job, os.getcwd()) for job in batch]

if __name__ == "__main__":
    from tf1mem.codemod.trees.workers import Workers

    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()  # so that a worker is no fork
    workers = Workers(1, prepare, None, died=print, swept=print)
    workers.give([1, 2], 0)
    answers = []
    while workers.busy:
        answers += workers.answers(wait=True)
    workers.stop()
    print(answers)
"""


@pytest.mark.skipif(sys.version_info < (3, 10), reason="codemod and check are for Python 3.10 and up")
def test_a_worker_that_is_no_fork_imports_nothing_from_the_current_folder(hostile, tmp_path):
    script = tmp_path / "there.py"
    script.write_text(AFRESH, encoding="utf-8")
    done = subprocess.run([sys.executable, str(script)], capture_output=True, encoding="utf-8", check=False)
    here = os.getcwd()
    assert (hostile(), done.stdout) == ([], f"{[(2, here), (4, here)]}\n"), done.stderr


@pytest.mark.proof
def test_an_estimate_imports_nothing_from_the_current_folder(hostile, tmp_path):
    file = tmp_path / "there" / "model.py"
    file.parent.mkdir()
    file.write_text("import json, tensorflow as tf\ndef step(x): return tf.reduce_sum(x)\n", encoding="utf-8")
    done = subprocess.run(
        [*TF1MEM, "estimate", f"{file}:step", "--spec", "8x4"], capture_output=True, encoding="utf-8", check=False
    )
    assert (hostile(), done.returncode) == ([], 0), done.stdout + done.stderr
    assert "MiB" in done.stdout


NEEDS_310 = pytest.mark.skipif(sys.version_info < (3, 10), reason="codemod and check are for Python 3.10 and up")


@pytest.mark.parametrize("command", ["plan", pytest.param("explain", marks=[NEEDS_310, pytest.mark.proof])])
def test_plan_and_explain_import_nothing_from_the_current_folder(hostile, tmp_path, command):
    (tmp_path / "settings.json").write_text('{"gpu_options": {"allow_growth": true}}', encoding="utf-8")
    about = str(tmp_path / "settings.json") if command == "plan" else "TFM402"
    done = subprocess.run([*TF1MEM, command, about], capture_output=True, encoding="utf-8", check=False)
    assert (hostile(), done.returncode) == ([], 0), done.stdout + done.stderr


def test_the_checkup_imports_nothing_from_the_current_folder(hostile):
    done = subprocess.run([*TF1MEM, "doctor"], capture_output=True, encoding="utf-8", check=False)
    assert hostile() == [], done.stdout
    assert str(installed_version()) in done.stdout, done.stdout + done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="simulated GPUs are for Linux")
def test_a_program_on_simulated_gpus_has_its_own_folder_alone(hostile):
    done = subprocess.run(
        [*TF1MEM, "sim", "--no-values", "--summary", "--", sys.executable, "-I", "-c", "print('ran')"],
        capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert (hostile(), done.returncode) == ([], 0), done.stderr
    assert "ran" in done.stdout


@pytest.mark.skipif(sys.platform != "linux", reason="the environment of another process is read on Linux")
def test_processes_in_the_middle_of_exec_are_ended(monkeypatch):
    """Popen returns before such a process has its environment: about once in 150 starts."""
    for number in range(400):
        with subprocess.Popen(["sleep", "60"], env={"MARK": str(number), "PATH": os.defpath}) as process:
            folder = f"/proc/{process.pid}"
            monkeypatch.setattr(child, "glob", lambda _, folder=folder: [folder])
            child.end_marked("MARK", str(number))
            try:
                assert process.wait(5) == -signal.SIGKILL, f"start {number}"
            finally:
                process.kill()
