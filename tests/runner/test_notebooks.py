"""`tf1mem run notebook.ipynb`, with IPython and without."""

from __future__ import annotations

import json
import os
import sys
from importlib.util import find_spec

import pytest

from tests.matrix.proof import in_ci_or_proof
from tests.processes.environment import clean

CELLS = [
    "%tensorflow_version 1.x\n%matplotlib inline\nimport tensorflow as tf\nfrom helper import *",
    "said = !echo said\nconfig = tf.ConfigProto(intra_op_parallelism_threads=2)\n"
    "with tf.Session(config=config) as session:\n    three = session.run(tf.constant(3))\n"
    "print(said, three, tf.__name__, __name__, '__file__' in globals(), arguments())",
    "%%bash\necho from bash",
    "%time made = Mapping\n'shown'",
    "def fail():\n    return 1 / 0",
    "",
    "fail()",
    "print('never')",
]
HELPER = "import sys\nfrom collections import Mapping\n\ndef arguments():\n    return sys.argv[1:]\n"
ERROR = """Traceback (most recent call last):
  File "{0}:cell 7", line 1, in <module>
    fail()
  File "{0}:cell 5", line 2, in fail
    return 1 / 0"""


def notebook(*cells, **metadata):
    code = [{"cell_type": "code", "source": cell.splitlines(True), "outputs": [], "metadata": {}} for cell in cells]
    text = {"cell_type": "markdown", "source": "# Training"}
    return json.dumps({"nbformat": 4, "nbformat_minor": 4, "metadata": metadata, "cells": [text, *code]})


@pytest.fixture
def run(bench):
    """Returns a function that runs a notebook; with `ipython=False`, in a Python without IPython."""

    def done(*cells, ipython=True, options=(), metadata={}):  # noqa: B006
        if ipython and not find_spec("IPython"):
            pytest.skip("needs IPython")
        bench.write({"helper.py": HELPER, "old.ipynb": notebook(*cells, **metadata)})
        bench.write({"../without/sitecustomize.py": "import sys\nsys.modules['IPython'] = None\n"})
        paths = [clean()["PYTHONPATH"]] + ([] if ipython else [str(bench.directory.parent / "without")])
        env = {"PYTHONPATH": os.pathsep.join(paths), "IPYTHONDIR": str(bench.directory.parent / "ipython")}
        return bench.tf1mem("run", *options, "old.ipynb", "--epochs", "3", env=env)

    return done


def shown_path(bench):
    """Returns the notebook's path as tracebacks show it."""
    return str(bench.directory / "old.ipynb") if sys.version_info >= (3, 9) else "old.ipynb"


@pytest.mark.parametrize("ipython", in_ci_or_proof([True, False], [True]))
def test_cells_are_one_program(bench, run, ipython):
    done = run(*CELLS, ipython=ipython, options=["--report"])
    assert done.code == 1, done.err
    # Tracebacks name the cell and the line; cells are numbered in the order in which they run.
    plain = [line for line in done.err.splitlines() if line.strip(" ~^")]  # without the underlines of newer Pythons
    assert ERROR.format(shown_path(bench)) in "\n".join(plain)
    assert "never" not in done.out
    assert "intra_op_parallelism_threads" in done.err
    in_ipython = "['said']" if ipython else "None"
    assert f"{in_ipython} 3 tf1mem.v1 __main__ False ['--epochs', '3']\n" in done.out
    assert ("Out[4]: 'shown'\n" if ipython else "'shown'\n") in done.out
    if sys.version_info >= (3, 10):
        assert "repaired: collections.Mapping at helper.py:2" in done.err
    left_out = [line.partition("old.ipynb:")[2] for line in done.err.splitlines() if "IPython isn't" in line]
    why = "magic left out, since IPython isn't installed: "
    expected = [
        f"cell 1:1: {why}%tensorflow_version 1.x",
        f"cell 1:2: {why}%matplotlib inline",
        f"cell 2:1: {why}said = !echo said",
        "cell 3 is skipped: it is for %%bash, and IPython isn't installed",
        f"cell 4:1: {why}%time made = Mapping",
    ]
    assert left_out == ([] if ipython else expected)
    if ipython:
        assert "from bash\n" in done.out
        assert "%tensorflow_version 1.x has no effect: tf1mem gives TensorFlow 1's API" in done.out


@pytest.mark.skipif(sys.version_info < (3, 10), reason="nothing of Python's is gone yet")
def test_python_that_a_magic_runs_is_rewritten_too(bench, run):
    bench.write({"other.py": "import collections\nprint(collections.Sized)\n"})
    done = run("%time\n%run other.py\n", "%%capture said\nimport collections\nprint(collections.Set)", "print(said)")
    assert done.out.count("<class 'collections.abc.S") == 2, done


@pytest.mark.parametrize(
    ("cell", "code", "message"),
    [
        ("import sys\nsys.exit(3)", 3, ""),
        ("exit()", 0, ""),
        ("x = 1\nprint '", 1, "old.ipynb:cell 2\", line 2\n    print '\n"),
        ("%nowhere", 1, "Line magic function `%nowhere` not found"),
        ("%run broken.py\nexit()", 0, ""),
    ],
)
def test_a_notebook_ends_at_an_error_or_an_exit(bench, run, cell, code, message):
    bench.write({"broken.py": "1 / 0\n"})
    done = run("1", cell, "print('never')")
    assert (done.code, "never" in done.out) == (code, False), done
    assert message in done.err
    assert ("broken.py" in done.out) == ("broken" in cell)  # IPython prints to stdout an error after which it goes on


PYTHON_2 = {"language_info": {"name": "python", "version": "2.7.13"}}
IN_PYTHON_2 = [
    "from __future__ import print_function\nimport json",
    "print('a', 7 / 2, map(abs, [-1]), type(range(2)) is list, round(2.5))\nrange(2)",
    "print(u'b', end='')\nx, y = filter(None, [0, 3]), xrange(2)[1]\nx[0] /= 2\nprint(x, y, 0777, `y`)",
    "def half(n):\n    try:\n        print(input is raw_input)\n    except ValueError, e:\n        pass\n"
    "    return n / 2, zip([n], 'c')",
    "print(half(5))",
    "exec 'z = x'\nprint(z, json.dumps(sorted([1, 2], lambda a, b: cmp(b, a))))",
    "class It(object):\n    def next(self):\n        raise Exception, 'end'\nnext(It())",
]


@pytest.mark.parametrize("ipython", in_ci_or_proof([True, False], [True]))
def test_cells_in_python_2(bench, run, ipython):
    pytest.importorskip("fissix")
    done = run(*IN_PYTHON_2, ipython=ipython, options=["--report"], metadata=PYTHON_2)
    assert done.code == 1, done.err
    plain = [line for line in done.out.splitlines() if not line.startswith(("Out", "[0"))]
    assert plain == ["a 3 [1] True 3.0", "b[1] 1 511 1", "False", "(2, [(5, 'c')])", "[1] [2, 1]"]
    assert "[0, 1]\n" in done.out  # the value of a cell's last expression is shown
    name = "old.ipynb:cell 7"
    assert [line.strip() for line in done.err.splitlines() if name in line] == [
        f'File "{shown_path(bench)}:cell 7", line 4, in <module>',
        f'File "{shown_path(bench)}:cell 7", line 3, in next',
    ]
    cell = "cell In[1]" if ipython else "old.ipynb:cell 1"
    assert done.err.count(f"repaired: Python 2 at {cell}:1, which Python 3.0 reads differently\n") == 1


@pytest.mark.parametrize(
    ("cells", "says", "expected"),
    [
        (["print(7 / 2)"], "2.7.13", "3"),
        pytest.param(["print(7 / 2)"], "3.6.1", "3.5", marks=pytest.mark.proof),
        pytest.param(["print(7 / 2)"], "", "3.5", marks=pytest.mark.proof),
        (["print(7 / 2)", "print 5 / 2"], "", "3 2"),
        (["import urllib.request\nprint(7 / 2)", "print 5 / 2"], "", "3.5 2"),
        (["print(7 / 2)", "%time print 5 / 2, type(map(abs, [])) is list"], "3.6.1", "3.5 2 True"),
        (["%matplotlib inline\nprint(7 / 2)", "print(f'{5 / 2}')"], "2.7.13", "3.5 2.5"),
        (["print(7 / 2)", "if 1:\n    f = map\n    print 5 / 2", "print(f is map)"], "3.6.1", "3.5 2 False"),
    ],
)
def test_which_cells_are_python_2(run, cells, says, expected):
    pytest.importorskip("fissix")
    done = run(*cells, metadata={"language_info": {"name": "python", "version": says}})
    # What %time reports has a colon in each line; on a slow machine it also reports the times of parser and compiler.
    lines = [line for line in done.out.splitlines() if ":" not in line]
    assert (done.code, " ".join(lines)) == (0, expected), done


def test_a_file_that_is_no_python_notebook_is_refused(bench):
    bench.write({"empty.ipynb": "{}", "r.ipynb": notebook("x <- 1", kernelspec={"language": "R"})})
    for name, wrong in [("empty", "it isn't a notebook: it has no nbformat"), ("r", "in another language than Python")]:
        done = bench.tf1mem("run", f"{name}.ipynb")
        assert (done.code, done.out) == (2, "")
        assert f"tf1mem: error: tf1mem run {name}.ipynb: it is" in done.err
        assert wrong in done.err
