"""Files that only Python 2 can parse do the same under `tf1mem run` as under Python 2.7."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
import warnings
import zipfile
from textwrap import dedent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.era.recording import HERE, is_of_python2, programs, recorded
from tests.processes.environment import LIMIT_S, clean
from tf1mem.era import before_python3, python2, repair_notes
from tf1mem.era.python2 import names, runtime_functions_if_guessed
from tf1mem.runner.program_imports import compile_rewritten

pytest.importorskip("fissix")

IN_PYTHON_2 = [program for program in programs() if is_of_python2(program) and not program.name.startswith("before")]

# The lines that importing pkg.mod prints.
IN_PACKAGE = ["sub.mod pkg.sub.mod", "sub", f"beside beside {os.sep} True pkg.sub.mod"]

# File -> its text. Most are Python 2; new.py and mentions.py are Python 3, and three.py is neither.
TREE = {
    "main.py": """
        import sys
        from pkg import mod
        import new
        print >>sys.stderr, "main", mod.half, new.half
        """,
    "new.py": "half: float = 7 / 2\nprint('new', list(map(str, [1])), range(1))\n",
    "pkg/__init__.py": "",
    "pkg/json.py": "where = 'beside'\n",
    "pkg/sub/__init__.py": "import mod\nprint 'sub'\n",
    "pkg/sub/mod.py": "print 'sub.mod', __name__\n",
    "pkg/mod.py": """
        import json, os
        import sub.mod
        import sub.mod as again
        from json import where
        print json.where, where, os.sep, sub.mod is again, again.__name__
        half = 7 / 2
        """,
    "pkg/absolute.py": "from __future__ import absolute_import\nimport json\nprint json.dumps(1)\n",
    "pkg/__main__.py": "import mod\nprint mod.half, map(str, [__name__]), __package__\n",
    "spawn.py": """
        import multiprocessing

        def half(n):
            return n / 2, map(str, [n])

        if __name__ == "__main__":
            context = multiprocessing.get_context("spawn")
            pool = context.Pool(1)
            print pool.map(half, [7])
            pool.close()
            pool.join()
        """,
    "marked.py": "#!/usr/bin/env python2\nimport new\nprint(7 / 2, map(abs, [-1]))\n",
    "fails.py": """
        def inner(x):
            if x <> 1: pass
            return ({}
                    [x])

        def outer((a,
                   b)):
            print "going", \\
                inner(a)

        outer((1,
               2))
        """,
    "guessed.py": """
        # Python 3 compiles this, and has no xrange: the file is taken for Python 2.
        def halves(n):
            return [i / 2 for i in xrange(n)]

        print("%s %s" % (halves(1), map(abs, [-1])))
        n = 4 / 2
        print("%s %s %s" % (halves(4), 9 / 4, n))
        """,
    "arrays.py": """
        import numpy as np

        a = np.arange(4) * 2
        print([(a / 2).tolist(), (a / 2.5)[1].tolist(), unicode(1) == "1"])
        a[0] = 1
        a /= 2
        a[1:] /= 2
        a[:] /= 1
        b = a.reshape(2, 2)
        b[1, ::2] /= 1
        b[...] /= 1
        print(a.tolist())
        """,
    "shifts.py": "import sys\nprint >>sys.stderr, 'x'\nprint 'y'\n",
    "mentions.py": '"""Mentions Python 2:\n\nprint >>f, \'x\'\nprint \'x\'\n"""\nprint("spoken")\n',
    "three.py": "x: int = 1\nprint 'neither'\n",
    "no_fissix/fissix.py": "raise ImportError('none here')\n",
}


# Lines each of which shows that a file is Python 3, even one that uses `unicode` in a function without calling it.
OF_PYTHON_3 = [
    "first, *rest = x",
    "x = [*a]",
    "x = {**a}",
    "f(*a, b)",
    "f(**a, b=1)",
    "class A(metaclass=M): pass",
    "x = 1_000",
    *(["def f(a, /): pass"] if sys.version_info >= (3, 8) else []),
    "def g():\n    yield\n    return 1",
    "gr\xf6\xdfe = 1",
    "open('x', newline='')",
    "os.makedirs('x', exist_ok=True)",
    "print('x', 1)",
    "print('x', end='')",
    "print(*x)",
    "print()",
    "show = print",
    "try: pass\nexcept E as e: raise F from e",
    "def f():\n    x = 1\n    def g():\n        nonlocal x",
    "def f(*, a): pass",
    "from helpers import is_py3",
    "x = PYTHON_VERSION",
    "x = IS_PYTHON_3",
    "x = isPy2",
    "if PYTHON3: pass",
    "print(sys.version)",
    "input = raw_input",
    "unicode = str",
    "text = unicode",
    "from compat import unicode",
    "hasattr(__builtins__, 'unicode')",
    "try: xrange\nexcept NameError: pass",
    "next(map(f, x))",
    "both = zip(x, y)\nnext(both)",
    "int(input())",
    "class A:\n    def __next__(self): pass",
    "subprocess.run(x)",
    "from functools import lru_cache",
    "max(x, default=1)",
]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Returns a function that runs a program of TREE, or one at a path, by `tf1mem run`."""
    folder = tmp_path_factory.mktemp("python2")
    for name, text in TREE.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(dedent(text).lstrip(), encoding="utf-8")

    def done(*arguments, **environment):
        return subprocess.run(
            [sys.executable, "-W", "ignore", "-m", "tf1mem", "run", *map(str, arguments)], cwd=str(folder),
            env=clean(**environment), capture_output=True, encoding="utf-8", check=False, timeout=LIMIT_S,
        )  # fmt: skip

    return done


@pytest.mark.parametrize("program", IN_PYTHON_2, ids=lambda path: path.stem)
def test_a_program_prints_the_output_of_python_2(program, run):
    done = run("--report", program)
    assert done.stdout == recorded(program).read_text(encoding="utf-8"), done.stderr
    assert f"{program}:" in done.stderr
    first = next(number for number, line in enumerate(program.open(encoding="utf-8"), 1) if line.startswith("print"))
    assert f"repaired: Python 2 at {program}:{first}, which Python 3.0 refuses" in done.stderr


def test_implicit_relative_imports_and_files_of_python_3_beside_files_of_python_2(run):
    done = run("--report", "main.py")
    assert done.stdout.splitlines() == [
        *IN_PACKAGE,
        "new ['1'] range(0, 1)",
    ], done.stderr
    first, *lines = done.stderr.splitlines()
    assert first == "main 3 3.5"
    assert [line for line in lines if line.startswith("repaired")] == [
        f"repaired: Python 2 at {os.path.join(*path)}:{line}, which Python 3.0 refuses"
        for *path, line in (
            ("main.py", 4),
            ("pkg", "mod.py", 5),
            ("pkg", "sub", "__init__.py", 2),
            ("pkg", "sub", "mod.py", 1),
        )
    ]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (
            ["-m", "pkg"],
            [*IN_PACKAGE, "3 ['__main__'] pkg"],
        ),
        (["-m", "pkg.absolute"], ["1"]),
        (["spawn.py"], ["[(3, ['7'])]"]),
        (["marked.py"], ["new ['1'] range(0, 1)", "(3, [1])"]),
    ],
)
def test_ways_to_run(run, arguments, expected):
    done = run(*arguments)
    assert done.stdout.splitlines() == expected, done.stderr


def test_a_file_that_uses_a_builtin_of_python_2_is_python_2(run):
    done = run("--report", "guessed.py")
    assert done.stdout == "[0] [1]\n[0, 0, 1, 1] 2 2\n", done.stderr
    assert "repaired: Python 2 at guessed.py:5, which Python 3.0 reads differently" in done.stderr
    message = "guessed.py:3: 1 / 2 is 0 as in Python 2, because of the builtins that the file uses."
    assert next(line for line in done.stderr.splitlines() if "as in Python 2" in line).startswith(message), done.stderr
    assert done.stderr.count("as in Python 2") == 1
    done = run("arrays.py")
    assert done.stdout == "[[0, 1, 2, 3], 0.8, True]\n[0, 0, 1, 1]\n", done.stderr
    assert "arrays.py:6: / divides integers as in Python 2" in done.stderr
    assert "as in Python 2" not in run("shifts.py").stderr
    assert "as in Python 2" not in run("-q", "arrays.py").stderr
    assert run("--as-is", "guessed.py").stderr.splitlines()[-1].startswith("NameError: name 'xrange'")


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("xrange(3)", True),
        ("def f(x):\n    return isinstance(x, basestring)", True),
        ("from __future__ import print_function\nif xrange(2): print('x', end='')", True),
        ("reload(sys)\ntry: import json\nexcept ImportError: import simplejson", True),
        ("f(a, k=1, *b, **c), xrange", True),
        ("print ('a %d' % 1), \nprint\nprint ('%d') % unicode(1)", True),
        ("import numpy as np\nnumpy_2d = shutil.copy2(unicode)", True),
        ("def g():\n    yield 1\n    return\nx = [10, '1_0', xrange]", True),
        ("reload(sys)\nprint('x', 1)", True),
        ("print('x', 1)\nfor i in xrange(3): pass", True),
        ("f = lambda: xrange\nprint('x', 1)", False),
        ("import io\nio.open('x', encoding='utf-8'), unicode", True),
        ("from __future__ import division\nxrange(3)", False),
        ("try: xrange\nexcept NameError: xrange = range\nxrange(3)", False),
        ("try:\n    text = unicode\nexcept NameError:\n    text = str", False),
        ("import sys\nif sys.version_info[0] > 2: xrange = range\nxrange(3)", False),
        ("import sys\nnew = sys.version_info > (3,)\ndef f(x): return x if new else unicode(x)", False),
        ("from six.moves import xrange\nxrange(3)", False),
        ("import six\nunicode('x')", False),
        ("from past.builtins import xrange\nxrange(3)", False),
        ("from compat import *\nxrange(3)", False),
        ("def f(xrange): return xrange(3)", False),
        ("import urllib.request\nraw_input()", False),
        ("open('x', encoding='utf-8').read(), unicode", False),
        ("class A(B):\n    def f(self): super().f(unicode)", False),
        ("print(f'{xrange}')", False),
        ("'xrange', x.unicode, f(unicode=1)  # xrange(3)", False),
        *((f"def old(s): return unicode(s)\n{line}", False) for line in OF_PYTHON_3),
        ("reduce(f, x), file, long, cmp", False),
        ("#!/usr/bin/env python3\ndef old(s): return unicode(s)", False),
    ],
)
def test_signs_that_a_file_is_python_2(source, expected):
    assert python2.is_marked(source.encode()) is expected
    assert (python2.translation(source.encode(), "x.py") is not None) is expected


def test_the_warning_about_a_guessed_division_has_no_effects(caplog, monkeypatch):
    np = pytest.importorskip("numpy")
    monkeypatch.setattr(runtime_functions_if_guessed, "_reported", set())

    class Own:
        dtype = property(lambda self: 1 / 0)
        copy = property(lambda self: 1 / 0)
        __itruediv__ = __truediv__ = lambda self, other: "own"

    class Mine(np.ndarray):  # type: ignore[name-defined]
        copy = property(lambda self: 1 / 0)

    assert runtime_functions_if_guessed.divided_in_place(np.arange(2.0), 2).tolist() == [0, 0.5]
    assert runtime_functions_if_guessed.divided_in_place(np.array([2, 4]).view(Mine), 2).tolist() == [1, 2]
    matrix = runtime_functions_if_guessed.divided(
        np.array([[4, 4, 4], [4, 4, 4]]).view(np.matrix), np.array([[2], [2]]).view(np.matrix)
    )
    assert matrix.tolist() == [[2, 2, 2], [2, 2, 2]]
    with pytest.raises(ZeroDivisionError):
        runtime_functions_if_guessed.divided(1, 0)
    with contextlib.suppress(ZeroDivisionError):
        assert runtime_functions_if_guessed.divided_in_place(Own(), 2) == "own"
    assert runtime_functions_if_guessed.divided(3 * 10**9999, 2) == 15 * 10**9998
    assert not caplog.messages
    assert runtime_functions_if_guessed.divided(np.array([3]), 2).tolist() == [1]
    assert len(caplog.messages) == 1
    assert "/ divides integers" in caplog.messages[0]


def test_tracebacks_show_the_file(run):
    lines = run("fails.py").stderr.splitlines()
    shown = [(line.split('"')[1].rpartition(os.sep)[2], line.split()[3], after.strip())
             for line, after in zip(lines, lines[1:]) if line.startswith("  File")]  # fmt: skip
    if sys.version_info >= (3, 9):  # from 3.9 on a traceback has the line where a call begins
        assert shown[0] == ("fails.py", "11,", "outer((1,")
        assert [frame[:2] for frame in shown[1:]] == [("fails.py", "9,"), ("fails.py", "3,")]
    assert all(name == "fails.py" for name, _, _ in shown)
    assert lines[-1] == "KeyError: 1"


def test_with_as_is_python_2_gets_pythons_own_error(run):
    done = run("--as-is", "main.py")
    assert done.returncode == 1
    assert "Missing parentheses in call to 'print'" in done.stderr or "invalid syntax" in done.stderr
    assert "repaired" not in done.stderr


def test_a_file_that_neither_python_parses_gets_pythons_own_error(run):
    done = run("three.py")
    assert (done.returncode, done.stdout) == (1, "")
    assert 'three.py", line 2' in done.stderr


def test_without_fissix_it_says_what_to_install(run):
    paths = os.pathsep.join([str((HERE / "..").resolve().parent), "no_fissix"])
    done = run("main.py", PYTHONPATH=paths)
    assert done.stderr.splitlines()[0] == "main.py is Python 2. For tf1mem to translate it: pip install tf1mem[cli]"
    assert "SyntaxError" in done.stderr
    done = run("shifts.py", PYTHONPATH=paths)
    assert [line for line in done.stderr.splitlines() if "pip install" in line] == [
        "shifts.py is Python 2. For tf1mem to translate it: pip install tf1mem[cli]"
    ]
    done = run("guessed.py", PYTHONPATH=paths)
    assert "guessed.py is Python 2. For tf1mem to translate it" in done.stderr
    assert done.stdout.startswith("[0.0] <map"), done.stderr
    done = run("mentions.py", PYTHONPATH=paths)
    assert (done.stdout, done.stderr) == ("spoken\n", "")


def test_a_zip_file_in_python_2_gets_pythons_own_error(run, tmp_path):
    path = tmp_path / "program.zip"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("__main__.py", "print 'x'\n")
    done = run(path)
    assert done.returncode == 1
    assert "SyntaxError" in done.stderr.splitlines()[-1]
    assert "__main__.py" in done.stderr
    assert not [line for line in done.stderr.splitlines() if "click" in line or "programs.py" in line], done.stderr


def test_numpy_takes_unicode_for_text():
    np = pytest.importorskip("numpy")
    kind = before_python3.unicode
    assert np.array(["ab"], dtype=kind).dtype == np.array(["ab"]).dtype
    assert np.array([1]).astype(kind).dtype.kind == "U"


def output(code, namespace):
    """Runs a module's code; returns the text that it prints, and its error."""
    stream = io.StringIO()
    with contextlib.redirect_stdout(stream):
        try:
            exec(code, {"__name__": "made", **namespace})
        except Exception as error:
            print(type(error).__name__, error)
    return stream.getvalue()


def by_tf1mem(source):
    """Returns the output of a source in Python 2 that tf1mem translates."""
    code = compile_rewritten(source.encode(), "made.py", frozenset, True)
    assert code is not None
    return output(code, {"__builtins__": names.BUILTINS})


def by_lib2to3(source):
    """Returns the output of a source in Python 2 that lib2to3 translates."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        refactor = pytest.importorskip("lib2to3.refactor")
    tool = refactor.RefactoringTool(refactor.get_fixers_from_package("lib2to3.fixes"))
    return output(compile(str(tool.refactor_string(source, "made")), "made", "exec", dont_inherit=True), {})


VALUES = st.recursive(
    st.sampled_from(["0777", "10L", "'t'", "ur'\\d'", "7", "[1, 2]", "`1, 'a'`", "n", "{'k': 3}.keys()", "range(3)"]),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["<>", "==", "and", "or"]), inner).map(lambda it: "({} {} {})".format(*it)),
        inner.map("map(None, [{}])[0]".format),
        inner.map("zip([{}], 'x')[0]".format),
        inner.map("filter(None, [0, {}])".format),
        inner.map("{{'a': {}}}.has_key('a')".format),
        inner.map("[x for x in 1, {}]".format),
        inner.map("apply(repr, [{}])".format),
        inner.map("reduce(lambda a, b: (a, b), [{}], n)".format),
    ),
    max_leaves=4,
)
STATEMENTS = st.recursive(
    st.one_of(
        VALUES.map("print {}".format),
        VALUES.map("n = {}".format),
        st.tuples(VALUES, VALUES).map(lambda values: "print {}, ({})".format(*values)),
        VALUES.map('exec "n = %r" % ({},)'.format),
        VALUES.map("raise ValueError, str({})".format),
        VALUES.map("raise KeyError, (n, {})".format),
    ),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("\n".join),
        inner.map(lambda it: "try:\n" + indented(it) + "\nexcept (KeyError, ValueError), e:\n    print repr(e.args)"),
        inner.map(lambda body: "def f(p, (q, r)):\n" + indented(body.replace("n = ", "p = ")) + "\nf(1, (2, n))"),
        inner.map(lambda body: "for i in xrange(2):\n" + indented(body, "\t")),
    ),
    max_leaves=4,
)


def indented(text, by="    "):
    return "\n".join(by + line for line in text.split("\n"))


@pytest.mark.proof
@settings(max_examples=40, deadline=None)
@given(STATEMENTS)
def test_generated_programs_print_the_same_by_lib2to3(source):
    source = f"n = 1\nprint 'made'\n{source}\n"
    assert by_tf1mem(source) == by_lib2to3(source)


def test_exec_and_execfile_divide_as_their_file_does(tmp_path):
    path = tmp_path / "guessed.py"
    path.write_text("half = 7 / xrange(3)[2]\n", encoding="utf-8")
    plain = tmp_path / "plain.py"
    plain.write_text("half = 7 / 2\n", encoding="utf-8")
    source = f"""
exec "half = 7 / 2"
print half
execfile({str(path)!r})
print half
execfile({str(plain)!r})
print half
names = {{}}
exec "a = 1" in names
print sorted(name for name in names if name != "__builtins__")
"""
    assert by_tf1mem(source) == "3\n3\n3.5\n['a']\n"
    assert by_tf1mem("from __future__ import division\nexec 'print 7 / 2'\n") == "3.5\n"


def test_a_program_of_python_3_is_not_taken_for_python_2(monkeypatch):
    monkeypatch.setattr(repair_notes, "_lines", {})
    for source in (
        "print('x', 7 / 2)\n",
        "def f():\n    print(x)\n    global x\n",  # Python 3.5 compiles it
        "async def f(): await x\nprint 'x'\n",
        "f'{x}'\nprint 'x'\n",
        "def f(*, a): print a\n",
        "def f(a: int): print a\n",
        "x = = 1\n",
    ):
        with contextlib.suppress(SyntaxError):
            code = compile_rewritten(source.encode(), "x.py", frozenset, True)
            assert code is None or not python2.is_translated(code)
    assert not repair_notes.as_text()
    assert not python2.is_marked(b"#!/usr/bin/env python\n")
