"""`tf1mem estimate` with the installed TensorFlow."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from packaging.version import Version

from tests.processes.environment import LIMIT_S, clean
from tests.processes.schemas import valid
from tf1mem.__main__ import main
from tf1mem.machine.tensorflow import installed_version

CODE = """
import os
import tensorflow as tf

print("GPUs:", os.environ["CUDA_VISIBLE_DEVICES"])

def step(images, weights):
    return tf.reduce_sum(tf.matmul(images, weights))

def build():
    return step, ((512, 1024), "float32")
"""


@pytest.mark.proof
def test_a_limit_that_is_too_low(tmp_path):
    (tmp_path / "model.py").write_text(CODE)
    arguments = ["model.py:build", "--spec", "1024x2048", "--limit", "8MiB", "--format", "json"]
    done = subprocess.run(
        [sys.executable, "-m", "tf1mem", "estimate", *arguments],
        capture_output=True, check=False, encoding="utf-8", timeout=LIMIT_S, cwd=str(tmp_path), env=clean(),
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    figures = valid("estimate", json.loads(done.stdout))
    assert (figures["step"], figures["fits"]) == ("step", False)
    assert figures["inputs"] == 4 * (512 * 1024 + 1024 * 2048)
    assert figures["peak"] >= figures["inputs"] + 4 * 512 * 2048
    lines = done.stderr.splitlines()
    assert "GPUs: -1" in lines  # the imported module's output is in stderr, not in the JSON; it sees no GPU
    assert lines[-1] == "tf1mem estimate: it doesn't fit: {:,} MiB of 8 MiB".format(figures["limit_mib"])


SCANNED = """
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Input((2**20,)), tf.keras.layers.Activation("relu")])
"""


@pytest.mark.proof
@pytest.mark.skipif(Version("2.21") > (installed_version() or Version("0")), reason="once is enough")
def test_the_largest_batch_size_that_fits(tmp_path):
    (tmp_path / "model.py").write_text(SCANNED)
    arguments = ["model.py:model", "--batch-size", "largest", "--limit", "60MiB"]
    done = subprocess.run(
        [sys.executable, "-m", "tf1mem", "estimate", *arguments],
        capture_output=True, check=False, encoding="utf-8", timeout=LIMIT_S, cwd=str(tmp_path), env=clean(),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    head, *rows = done.stdout.splitlines()
    assert head.split() == ["batch", "size", "peak", "limit", "to", "ask", "for", "fits"]
    fits = {int(row.split()[0]): row.split()[-1] for row in rows}
    best = max(size for size, word in fits.items() if word == "yes")
    assert {size: word == "yes" for size, word in fits.items()} == {size: size <= best for size in fits}
    assert 2 <= best < 60 // 4  # an example takes 4 MiB: its output takes the place of its input
    assert fits[best + 1] == "no"
    last = done.stderr.splitlines()[-1]
    assert last == f"tf1mem estimate: it fits with batch size {best}, and not with {best + 1}"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["model.py:build", "--limit", "8GB"], "8GiB"),
        (["model.py:step", "--spec", "512,1024"], "Write it as 32x784:float32"),
        (["model.py:model", "--batch-size", "8,0"], "several: 8,16,32"),
        (["model.py:model", "--batch-size", "largest"], "without --limit"),
        (["model.py:model", "--batch-size", "8,16", "--spec", "32x784"], "a spec has the batch size"),
        ([], "Missing argument 'FILE:NAME'. See tf1mem estimate --help"),
    ],
)
def test_bad_usage(capsys, args, message):
    assert main(["estimate", *args]) == 2
    out, err = capsys.readouterr()
    assert (out, err.startswith("tf1mem: error: "), message in err) == ("", True, True)
