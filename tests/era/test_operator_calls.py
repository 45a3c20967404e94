"""Operators that may meet NumPy's numbers become calls; all others stay, and so does what only Python's text shows."""

from __future__ import annotations

import ast
import subprocess
import sys

import pytest

from tests.processes.environment import clean
from tf1mem.era import promotes_by_dtype
from tf1mem.era.operator_calls import promote

pytestmark = pytest.mark.skipif(not promotes_by_dtype(), reason="NumPy 1 promotes as NumPy 1 did")


def promoted(source):
    """Returns the texts of a module's statements after the edit."""
    tree = ast.parse(source)
    promote(tree)
    compile(tree, "x.py", "exec")
    return [ast.unparse(statement).replace("__tf1mem_operators__.", "") for statement in tree.body]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a + b * 2", ["add(a, mul(b, 2))"]),
        ("a @ b", ["a @ b"]),
        ("sum(x) / len(x)", ["truediv(of(sum)(x), len(x))"]),
        ("0 < a <= b", ["lt(0, a) and le(a, b)"]),
        ("0 < f(a) <= b", ["0 < f(a) <= b"]),
        ("a == 0.1", ["eq(a, 0.1)"]),
        ("a == 0.5", ["a == 0.5"]),  # the same number in all floating-point dtypes
        ("a in b and a is not None and a != 'x'", ["a in b and a is not None and (a != 'x')"]),
        ("'%d' % a + b", ["'%d' % a + b"]),
        ("[0] * n", ["[0] * n"]),
        ("len(a) // 2 + int(b)", ["len(a) // 2 + int(b)"]),
        ("a += b", ["a = iadd(a, b)"]),
        ("a.b[i] -= c", ["Item(a.b, i).change(isub, c)"]),
        ("a[f()] *= c", ["Item(a, f()).change(imul, c)"]),
        ("assert a == b + c", ["assert a == add(b, c)"]),
        ("x: int | None = a | b", ["x: int | None = or_(a, b)"]),
        ("Lambda(lambda x: x * 2)", ["Lambda(lambda x: x * 2)"]),
        ("a[1:, i] **= c", ["Item(a, (slice_(1, None, None), i)).change(ipow, c)"]),
        ("sum(1 for _ in x)", ["sum((1 for _ in x))"]),
        ("from c import *\nn = 1\nn * 2", ["from c import *", "n = 1", "mul(n, 2)"]),
    ],
)
def test_edits(before, after):
    assert promoted(before) == after


def test_names_that_only_hold_pythons_numbers():
    loop = "step = 0\nfor i in range(9):\n    for j, x in enumerate(y):\n        step += i * j\n        z = x * j"
    assert promoted(loop)[1].splitlines()[2:] == ["        step += i * j", "        z = mul(x, j)"]
    assert "iadd(step, i * j)" in promoted(loop + "\nstep = f()")[1]


def test_functions_that_others_compile_stay():
    numba = "from numba import jit\n@jit\ndef f(x):\n    return x * 2\ndef g(x):\n    return x * 2"
    assert [text.splitlines()[-1].strip() for text in promoted(numba)[1:]] == ["return x * 2", "return mul(x, 2)"]
    stored = "def f(x):\n    return x * 2\nmodel.add(keras.layers.Lambda(function=f, mask=lambda m: m + 1))"
    assert promoted(stored)[0].splitlines()[-1].strip() == "return x * 2"
    assert "m + 1" in promoted(stored)[1]


def test_private_members_keep_their_names():
    source = "class _A:\n    def add(self, x):\n        self.__total += x\n        self.__init__ += x"
    assert [text.strip() for text in promoted(source)[0].splitlines()[-2:]] == [
        "Member(self, '_A__total').change(iadd, x)",
        "Member(self, '__init__').change(iadd, x)",
    ]


def test_a_text_that_runs_with_builtins_of_its_own_stays(tmp_path):
    (tmp_path / "p.py").write_text("exec('y = x * 2', {'__builtins__': {}, 'x': 3})\nprint(2 ** len('ab'))\n")
    command = [sys.executable, "-m", "tf1mem", "run", "p.py"]
    done = subprocess.run(command, cwd=str(tmp_path), env=clean(), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "4\n"), done.stderr


def test_numpy_is_loaded_when_the_program_loads_it_and_warnings_name_its_lines(tmp_path):
    (tmp_path / "p.py").write_text(
        "import sys\nx = len(sys.argv) * 0.5\nprint('numpy' in sys.modules, x + y if x > 1 else x)\n"
        "import numpy as np\ndef half(a, b):\n    return a / b\nhalf(np.float32(1), np.float32(0))\n"
    )
    command = [sys.executable, "-m", "tf1mem", "run", "p.py"]
    done = subprocess.run(command, cwd=str(tmp_path), env=clean(), capture_output=True, text=True, check=False)
    assert done.stdout == "False 0.5\n"
    assert "p.py:6: RuntimeWarning: divide by zero" in done.stderr


def test_a_long_sum():
    """An expression of many terms is a tree as deep: it is rewritten without recursion, in little time."""
    tree = ast.parse(" + ".join(["a"] * 900))
    promote(tree)
    assert sum(isinstance(node, ast.BinOp) for node in ast.walk(tree)) == 0
