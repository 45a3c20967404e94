"""`%load_ext tf1mem` in a real kernel."""

from __future__ import annotations

import os
import sys

import pytest

from tests.processes.environment import LIMIT_S, clean

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")

# Files in the notebook's folder; the installed packages are in site-packages.
FILES = {
    "helper.py": "import tensorflow as tf\nfrom collections import Mapping\n",
    "other.py": "import collections, tensorflow\nprint(collections.Sized, tensorflow.__name__)\n",
    "site-packages/library.py": "import tensorflow as tf\n",
    "site-packages/installed.py": "import tensorflow as tf\n",
}
# Pairs of a cell and a part of its output; "" for no output, or for warnings at an import.
CELLS = [
    ("%load_ext tf1mem", ""),
    ("%tensorflow_version 1.x", "%tensorflow_version 1.x has no effect: tf1mem gives TensorFlow 1's API on TensorFlow"),
    ("%tf1mem --with-package library", ""),
    ("import numpy as np, sys\nimport tensorflow as tf", ""),
    ("config = tf.ConfigProto(intra_op_parallelism_threads=2)\n"
     "with tf.Session(config=config) as session:\n    print(session.run(tf.constant(3)), tf.__name__)", "3 tf1mem.v1"),
    ("import helper, installed, library\nprint(*(one.tf is tf for one in (helper, library, installed)))",
     "True True False"),
    ("%time import collections\nprint(collections.Set)", "<class 'collections.abc.Set'>"),
    ("%run other.py", "<class 'collections.abc.Sized'> tf1mem.v1"),
    ("%%time\nimport tensorflow\nprint(tensorflow is tf)", "True"),
    ("%tf1mem --with-package installed", "UsageError: --with-package installed: it is loaded already"),
    ("%tf1mem --with-package nowhere", "UsageError: --with-package nowhere: there is no such package"),
    ("np.save('a.npy', np.array([{}]))\nnp.load('a.npy')", "where it comes from, run %tf1mem --trust-data"),
    ("%tf1mem --trust-data\nlen(np.load('a.npy'))", "1"),
    ("%load_ext tf1mem", "already loaded"),
    ("%reload_ext tf1mem", ""),
    ("%tf1mem", "by --with-package: library\n"),
]  # fmt: skip
# Parts of the last cell's output, the report.
SAID_AT_LAST = ["intra_op_parallelism_threads  2"]
if sys.version_info >= (3, 10):
    SAID_AT_LAST += ["repaired: collections.Mapping at helper.py:2", "at cell In[7]:2"]


@pytest.fixture
def run(tmp_path):
    """Returns a function that runs cells in a kernel and returns the output of each, errors included."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)

    def said(cells):
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
        client = nbclient.NotebookClient(
            notebook, timeout=LIMIT_S, kernel_name="python3", allow_errors=True,
            resources={"metadata": {"path": str(tmp_path)}},
        )  # fmt: skip
        paths = os.pathsep.join([clean()["PYTHONPATH"], str(tmp_path / "site-packages")])
        env = clean(PYTHONPATH=paths, IPYTHONDIR=str(tmp_path / "ipython"), TF_CPP_MIN_LOG_LEVEL="3")
        client.execute(env=env)
        return ["".join(map(_text, cell.outputs)) for cell in notebook.cells]

    return said


def _text(output):
    if output.output_type == "error":
        return f"{output.ename}: {output.evalue}"
    return output.get("text") or output.data["text/plain"]


def test_cells_are_what_a_script_is_to_tf1mem_run(run):
    outputs = run([cell for cell, _ in CELLS])
    for (cell, expected), text in zip(CELLS, outputs):
        assert expected in text, (cell, text)
        assert expected or not text or "import" in cell, (cell, text)
    for expected in SAID_AT_LAST:
        assert expected in outputs[-1], outputs[-1]


@pytest.mark.proof
def test_after_tensorflow_was_imported_the_kernel_has_to_restart(run):
    outputs = run(["import tensorflow as tf", "%load_ext tf1mem", "print(tf.__name__)"])
    assert "UsageError: %load_ext tf1mem: TensorFlow was imported before it" in outputs[1]
    assert "Restart the kernel" in outputs[1]
    assert outputs[2] == "tensorflow\n"


@pytest.mark.proof
def test_cells_in_python_2(run):
    pytest.importorskip("fissix")
    outputs = run([
        "%load_ext tf1mem", "print(7 / 2)", "print 7 / 2, map(abs, [-1])\nf = zip", "print(7 / 2, f is zip, range(1))",
        "%tf1mem --python2", "print(7 / 2, range(1))", "x = 1\nraise ValueError, 'end'", "%tf1mem",
    ])  # fmt: skip
    assert outputs[1] == "3.5\n"
    assert "3 [1]\n" in outputs[2]
    assert "cell In[3] is Python 2, and is treated as such" in outputs[2]
    assert "%tf1mem --python2 treats all cells as Python 2" in outputs[2]
    assert outputs[3] == "3.5 False range(0, 1)\n"
    assert outputs[4:7] == ["", "(3, [0])\n", "ValueError: end"]
    assert "repaired: Python 2 at cell In[3]:1, which Python 3.0 refuses" in outputs[7]
