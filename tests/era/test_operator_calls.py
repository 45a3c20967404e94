"""Operators that may meet NumPy's numbers become calls; all others stay, and so does what only Python's text shows."""

from __future__ import annotations

import ast
import sys

import pytest

from tf1mem.era import promotes_by_dtype

pytestmark = pytest.mark.skipif(not promotes_by_dtype(), reason="NumPy 1 promotes as NumPy 1 did")
if sys.version_info >= (3, 9):
    from tf1mem.era.operator_calls import promote


def promoted(source):
    """Returns a module's text after the edit, without the import of the operators."""
    tree = ast.parse(source)
    promote(tree)
    compile(tree, "x.py", "exec")
    return [
        ast.unparse(statement).replace("__tf1mem_operators__.", "")
        for statement in tree.body
        if "__tf1mem_operators__" not in str(getattr(statement, "names", "") and ast.unparse(statement))
    ]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a + b * 2", ["add(a, mul(b, 2))"]),
        ("a @ b", ["a @ b"]),
        ("sum(x) / len(x)", ["truediv(sum(x), len(x))"]),
        ("0 < a <= b", ["lt(0, a) and le(a, b)"]),
        ("0 < f(a) <= b", ["0 < f(a) <= b"]),
        ("a == 0.1", ["eq(a, 0.1)"]),
        ("a == 0.5", ["a == 0.5"]),  # the same number in all floating-point dtypes
        ("a in b and a is not None and a != 'x'", ["a in b and a is not None and (a != 'x')"]),
        ("'%d' % a + b", ["'%d' % a + b"]),
        ("[0] * n", ["[0] * n"]),
        ("len(a) // 2 + int(b)", ["len(a) // 2 + int(b)"]),
        ("a += b", ["a = iadd(a, b)"]),
        ("a.b[i] -= c", ["a.b[i] = isub(a.b[i], c)"]),
        ("a[f()] *= c", ["__tf1mem_part_0__ = f()", "a[__tf1mem_part_0__] = imul(a[__tf1mem_part_0__], c)"]),
        ("assert a == b + c", ["assert a == add(b, c)"]),
        ("x: int | None = a | b", ["x: int | None = or_(a, b)"]),
        ("Lambda(lambda x: x * 2)", ["Lambda(lambda x: x * 2)"]),
        ("sum = f\nsum(x)", ["sum = f", "sum(x)"]),
        ("from numpy import *\nsum(x)", ["from numpy import *", "sum(x)"]),
        ("pow(a, 2, 3)", ["pow(a, 2, 3)"]),
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
    stored = "def f(x):\n    return x * 2\nmodel.add(keras.layers.Lambda(f))"
    assert promoted(stored)[0].splitlines()[-1].strip() == "return x * 2"


def test_a_long_sum():
    """An expression of many terms is a tree as deep: it is rewritten without recursion, in little time."""
    tree = ast.parse(" + ".join(["a"] * 900))
    promote(tree)
    assert sum(isinstance(node, ast.BinOp) for node in ast.walk(tree)) == 0
