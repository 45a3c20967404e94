"""The command `tf1mem verify`: the old side is TensorFlow 1.15.5, the new side the development environment's."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.processes.environment import ROOT, clean
from tests.processes.schemas import valid
from tests.verifying.planted import BASE, PLANTED, planted
from tf1mem.machine.tensorflow import installed_version

NEW = ROOT / ".venv" / "bin" / "python"
pytestmark = pytest.mark.skipif(installed_version().release[0] > 1, reason="make matrix has it, on TensorFlow 1.15.5")

EAGER = """\
import tensorflow as tf
tf.enable_eager_execution()
tf.set_random_seed(1)
w = tf.Variable(tf.random_normal([4, 1], seed=2))
optimizer = tf.train.AdamOptimizer(0.1)
for step in range(5):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((tf.matmul(tf.ones([2, 4]), w) - 1.0) ** 2)
    gradient = tape.gradient(loss, [w])
    optimizer.apply_gradients(zip(gradient, [w]))
"""
KERAS = """\
import numpy as np
import tensorflow as tf
tf.set_random_seed(1)
x = np.random.rand(48, 10).astype("float32")
model = tf.keras.Sequential([
    tf.keras.layers.Dense(16, activation="relu", input_shape=(10,)),
    tf.keras.layers.BatchNormalization(),
    tf.keras.layers.Dropout(0.3),
    tf.keras.layers.Dense(1, activation="sigmoid"),
])
model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
model.fit(x, x.sum(1) > 5, batch_size=16, epochs=2, verbose=0)
"""
WAITS = """\
import os, subprocess, sys
child = subprocess.Popen(["sleep", "3600"], start_new_session=True)
with open(sys.argv[1] + ".part", "w") as file:
    file.write(str(child.pid))
os.replace(sys.argv[1] + ".part", sys.argv[1])
child.wait()
"""


def verify(folder, *arguments):
    """Runs the command in a folder; returns its status, its JSON or None, and its stderr."""
    command = [str(NEW), "-m", "tf1mem", "verify", "--format", "json", "--old-python", sys.executable, *arguments]
    done = subprocess.run(command, cwd=str(folder), env=clean(), capture_output=True, encoding="utf-8", check=False)
    return done.returncode, valid("verify", json.loads(done.stdout)) if done.stdout else None, done.stderr


@pytest.mark.parametrize(
    ("source", "steps"),
    [
        pytest.param(BASE, 6, id="session"),
        pytest.param(KERAS, 6, id="keras", marks=pytest.mark.proof),
        pytest.param(EAGER, 5, id="eager", marks=pytest.mark.proof),
    ],
)
def test_an_equal_program(source, steps, tmp_path):
    (tmp_path / "program.py").write_text(source, encoding="utf-8")
    status, result, complaint = verify(tmp_path, "--html", "page.html", "program.py")
    assert (status, result["verdict"]) == (0, "same"), (result["reason"], result["first_difference"], complaint)
    assert result["old"]["versions"]["tensorflow"].startswith("1.15.")
    assert result["new"]["versions"]["tensorflow"].startswith("2.")
    assert result["old"]["steps"] == result["new"]["steps"] == steps
    assert "Not compared" not in " ".join(result["notes"])  # tf1mem's own processes aren't the program's
    assert (tmp_path / "page.html").read_text(encoding="utf-8").count("<h2>") > 3
    assert sorted(path.name for path in tmp_path.iterdir()) == ["page.html", "program.py"]


def test_a_different_program(tmp_path):
    each = next(each for each in PLANTED if each.name == "epsilon of Adam")
    (tmp_path / "program.py").write_text(BASE, encoding="utf-8")
    (tmp_path / "new.py").write_text(planted(each), encoding="utf-8")
    status, result, _ = verify(tmp_path, "--against", "new.py", "program.py")
    assert (status, result["verdict"]) == (1, "different")
    assert "epsilon 1e-08 has become 0.001 (program.py:33; now new.py:33)" in result["first_difference"]["message"]


def test_a_recorded_old_side(tmp_path):
    (tmp_path / "program.py").write_text(EAGER, encoding="utf-8")
    assert verify(tmp_path, "--record", "old.rec", "--steps", "3", "program.py")[0] == 0
    command = [str(NEW), "-m", "tf1mem", "verify", "--old", "old.rec", "program.py"]
    done = subprocess.run(command, cwd=str(tmp_path), env=clean(), capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("program.py: the same\n")
    assert "3 steps" in done.stdout


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("print(1)", "the old side never ran a step that trains"),
        ("raise ValueError('boom \\x1b[31m')", "ValueError: boom"),
        ("import os; os.kill(os.getpid(), 9)", "the old side left no recording (signal 9: killed"),
        ("input()", "EOFError: EOF when reading a line. Its standard input is empty"),
    ],
)
def test_programs_that_cannot_be_compared(source, reason, tmp_path):
    (tmp_path / "program.py").write_text(source, encoding="utf-8")
    status, result, _ = verify(tmp_path, "program.py")
    assert (status, result["verdict"]) == (2, "not compared")
    assert reason in result["reason"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_all_processes(number, tmp_path):
    """One of the processes is in another session, and leaves its number in a file outside of the copies."""
    started, temporary = tmp_path / "started", tmp_path / "temporary"
    temporary.mkdir()
    (tmp_path / "program.py").write_text(WAITS, encoding="utf-8")
    command = [str(NEW), "-m", "tf1mem", "verify", "--old-python", sys.executable, "program.py", str(started)]
    verifying = subprocess.Popen(command, cwd=str(tmp_path), env=clean(TMPDIR=str(temporary)))
    with verifying:
        until(lambda: started.exists() or verifying.poll() is not None)
        verifying.send_signal(number)
    assert verifying.returncode == {signal.SIGINT: 130, signal.SIGTERM: 143}[number]
    assert list(temporary.iterdir()) == []
    until(lambda: not Path("/proc", started.read_text(encoding="utf-8")).exists())


def until(is_so):
    end = time.monotonic() + 300
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_an_invalid_old_python(tmp_path):
    (tmp_path / "program.py").write_text("print(1)", encoding="utf-8")
    status, result, complaint = verify(tmp_path, "--old-python", str(NEW), "program.py")
    assert (status, result) == (2, None)
    assert "has TensorFlow 2." in complaint
    assert "--make-old" in complaint
