"""`python -m benchmarks.flagships` judges a small repository, on TensorFlow 1.15.5 and that of `make test`.

`flagships_checkpoints` has each of the two read the checkpoint that the other one wrote.
"""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.processes.environment import ROOT, clean
from tests.verifying.test_sides import NEW
from tests.verifying.test_sides import pytestmark as on_old

pytestmark = on_old
TRAIN = """\
import numpy as np
import tensorflow as tf
import helper
x = np.load("data.npy")
w = tf.get_variable("w", [3, 1], initializer=tf.truncated_normal_initializer(seed=2))
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0), name="loss")
train = tf.train.AdamOptimizer(helper.RATE).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(5):
        sess.run([train, loss])
    tf.train.Saver().save(sess, "model")
"""
SCRIPT = """\
import sys
import numpy as np
from benchmarks import flagships, flagships_checkpoints
from benchmarks.flagships_table import Flagship
def make(copy, old_python):
    np.save(str(copy / "data.npy"), np.random.RandomState(0).rand(8, 3).astype("f4"))
tiny = Flagship("me/tiny", sys.argv[1], "a line", ("train.py",), 5, make=make, beside=(("me/beside", sys.argv[2]),))
flagships.FLAGSHIPS = flagships_checkpoints.FLAGSHIPS = (tiny,)
sys.exit({"judge": flagships, "exchange": flagships_checkpoints}[sys.argv[3]].main(sys.argv[4:]))
"""


def _committed(folder, name, text):
    folder.mkdir(parents=True)
    (folder / name).write_text(text, encoding="utf-8")
    git = ["git", "-c", "user.name=me", "-c", "user.email=me@example.com", "-C", str(folder)]
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        subprocess.run([*git, *arguments], check=True)
    return subprocess.run([*git, "rev-parse", "HEAD"], check=True, stdout=subprocess.PIPE).stdout.decode().strip()


@pytest.fixture
def run(tmp_path):
    """Returns a function that runs a command of SCRIPT on a small repository, and returns its output and its row."""
    commits = [
        _committed(tmp_path / "clones" / "me+tiny", "train.py", TRAIN),
        _committed(tmp_path / "clones" / "me+beside", "helper.py", "RATE = 0.1\n"),
    ]

    def ran(name):
        rows = tmp_path / "rows.json"
        arguments = [str(tmp_path / "clones"), "--old-python", sys.executable, "--json", str(rows), "tiny"]
        ended = subprocess.run(
            [str(NEW), "-c", SCRIPT, *commits, name, *arguments],
            cwd=str(ROOT), env=clean(), capture_output=True, encoding="utf-8", check=False,
        )  # fmt: skip
        assert ended.returncode == 0, ended.stdout + ended.stderr
        (row,) = json.loads(rows.read_text(encoding="utf-8"))
        return ended.stdout, row, commits

    return ran


def test_a_repository_is_judged(run):
    shown, row, commits = run("judge")
    assert shown == "me/tiny: platinum\n"
    assert (row["old"]["tensorflow"][:4], row["new"]["tensorflow"][:2]) == ("1.15", "2.")
    assert (row["old"]["steps"], row["new"]["steps"], row["beside"]) == (5, 5, ["me/beside@" + commits[1][:12]])
    assert row["values"] > 20
    assert row["losses"]["name"] == "loss:0"
    assert row["losses"]["first"][0] > row["losses"]["last"][0]


def test_checkpoints_are_exchanged(run):
    shown, row, _ = run("exchange")
    assert shown.startswith("me/tiny: 5 variables; old: ")
    for side in ("old", "new"):  # w, two slots and two powers
        assert (row[side]["checkpoint"], row[side]["variables"], row[side]["elements"]) == ("model", 5, 11)
        assert (row[side]["error"], row[side]["different"], len(row[side]["losses"])) == ("", [], 1)
        assert row[side]["largest_ratio"] <= 1e-5
