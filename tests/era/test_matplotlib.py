"""LaTeX's preamble as a list of lines is what matplotlib 3.4 made of it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.processes.environment import clean

pytest.importorskip("matplotlib")

PROGRAM = r"""
import matplotlib as mpl
mpl.use("agg")
import matplotlib.pyplot as plt

lines = [r"\usepackage{a}", r"\usepackage{b}"]
mpl.rcParams.update({"pgf.texsystem": "pdflatex", "pgf.preamble": lines})
print(repr(mpl.rcParams["pgf.preamble"]))
plt.rcParams["text.latex.preamble"] = lines + [
    r"\usepackage{c}",
]
print(repr(mpl.rcParams["text.latex.preamble"]))
plt.rc("text.latex", preamble=tuple(lines))
print(repr(mpl.rcParams["text.latex.preamble"]))
plt.rc("text", **{"latex.preamble": r"\usepackage{d}"})
print(repr(mpl.rcParams["text.latex.preamble"]))
print({"preamble": None, **{}}, {"a": ["preamble"]})
"""


def test_a_preamble_in_lines(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    command = [sys.executable, "-m", "tf1mem", "run", "--report", "program.py"]
    done = subprocess.run(command, cwd=tmp_path, env=clean(), capture_output=True, encoding="utf-8", check=False)
    two = "'\\\\usepackage{a}\\n\\\\usepackage{b}'"
    assert done.stdout.splitlines() == [
        two,
        two[:-1] + "\\n\\\\usepackage{c}'",
        two,
        "'\\\\usepackage{d}'",
        "{'preamble': None} {'a': ['preamble']}",
    ], done.stderr
    assert "repaired: LaTeX's preamble as a list of lines at program.py:7, which matplotlib 3.5" in done.stderr
