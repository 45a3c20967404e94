"""Repairs reach only the program's own files; the options `--as-is` and `--trust-data` change that."""

from __future__ import annotations

import os
import subprocess
import sys
from textwrap import dedent

import pytest

from tests.processes.environment import LIMIT_S, clean

pytest.importorskip("numpy", "2.3")

TREE = {
    "program/main.py": """
        import pickle, sys
        import numpy as np
        import installed, own
        from own import *

        class Data(object):
            def load(self, bool):
                return bool

        print(np.float is float, own.half, own.np.int is int, real is np, Data().load(1), np is installed.np)
        print(installed.seen(), sys.modules["numpy"] is np)
        print("imp" in sys.modules, "scipy" in sys.modules, "PIL" in sys.modules, "yaml" in sys.modules)
        """,
    "program/own.py": "import numpy as np\nreal = np\nhalf = np.float('0.5')\n",
    "site-packages/installed.py": """
        import numpy as np

        def seen():
            try:
                ragged = np.array([[1], [2, 3]])
            except ValueError:
                ragged = None
            return hasattr(np, "float"), hasattr(np.zeros(1), "tostring"), ragged, np.bool is np.bool_
        """,
    "program/spawn.py": """
        import multiprocessing
        import numpy as np

        def load(path):
            return np.float(np.load(path).item()["a"])

        if __name__ == "__main__":
            np.save("one.npy", np.array({"a": 1}))
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                print(pool.map(load, ["one.npy"]))
        """,
    "program/data.py": """
        import numpy as np, sys
        np.savez("a.npz", plain=np.arange(3), objects=np.array([{"a": 1}, None]))
        np.save("a.npy", np.array([{"a": 1}, None]))
        archive = np.load("a.npz")
        print(archive["plain"].tolist(), archive.files, type(archive).__name__)
        for load in (lambda: archive["objects"], lambda: np.load("a.npy"), lambda: np.load(open("a.npy", "rb"))):
            try:
                print(load().tolist())
            except ValueError as error:
                print(error)
        try:
            np.load("a.npy", allow_pickle=False)
        except ValueError as error:
            print(error)
        """,
}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Returns a function that runs a program of TREE by `tf1mem run`."""
    folder = tmp_path_factory.mktemp("era")
    for name, text in TREE.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(dedent(text).lstrip(), encoding="utf-8")

    def done(*arguments):
        paths = os.pathsep.join([clean()["PYTHONPATH"], str(folder / "site-packages")])
        return subprocess.run(
            [sys.executable, "-m", "tf1mem", "run", *arguments], cwd=str(folder / "program"),
            env=clean(PYTHONPATH=paths), capture_output=True, encoding="utf-8", check=False, timeout=LIMIT_S,
        )  # fmt: skip

    return done


def test_installed_packages_see_their_libraries_as_they_are(run):
    done = run("--report", "main.py")
    assert done.stdout.splitlines() == [
        "True 0.5 True True 1 True",
        "(False, False, None, True) True",
        "False False False False",
    ], done.stderr
    repaired = [line for line in done.stderr.splitlines() if line.startswith("repaired: ")]
    assert repaired == [
        "repaired: np.float at own.py:3, which NumPy 1.24 removed",
        "repaired: np.int at main.py:10, which NumPy 1.24 removed",
    ]


def test_as_is_repairs_nothing(run):
    done = run("--as-is", "--report", "main.py")
    assert done.returncode == 1
    assert 'own.py", line 3' in done.stderr
    assert "module 'numpy' has no attribute 'float'" in done.stderr
    assert "repaired" not in done.stderr


def test_pickles_need_the_flag_and_the_error_names_it(run):
    shut, opened = run("--report", "data.py"), run("--trust-data", "--report", "data.py")
    first, *others, last = shut.stdout.splitlines()
    assert first == "[0, 1, 2] ['plain', 'objects'] NpzFile", shut.stderr
    advice = "np.load of pickled objects: such data can run code when it is read. If you trust where it comes from, "
    assert others == [advice + "run the program by tf1mem run --trust-data"] * 3
    assert "repaired" not in shut.stderr
    assert opened.stdout.splitlines() == [first, *["[{'a': 1}, None]"] * 3, last]
    assert "--trust-data" not in last
    assert "repaired: np.load of pickled objects at data.py:6, which NumPy 1.16.3 no longer loads" in opened.stderr


def test_processes_that_start_afresh_have_the_same(run):
    done = run("--trust-data", "spawn.py")
    assert done.stdout == "[1.0]\n", done.stderr
