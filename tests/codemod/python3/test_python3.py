"""`tf1mem codemod --python3`: a translated file does the same in Python 3, and a second run changes nothing."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
import warnings
from textwrap import dedent

import pytest
from hypothesis import given, settings

from tests.era.recording import is_of_python2, programs, recorded
from tests.era.test_python2 import IN_PACKAGE, IN_PYTHON_2, STATEMENTS, TREE, by_tf1mem, output
from tests.processes.environment import LIMIT_S, clean

pytest.importorskip("fissix")
pytest.importorskip("tree_sitter")

from tf1mem.codemod.python3.rewriting import rewrite
from tf1mem.codemod.results import Result


def written(source, path=None):
    result = rewrite(source.encode(), "python", path)
    again = rewrite(result.source, "python", path)
    assert (again.source, again.changes, again.remarks) == (result.source, (), ())
    return result


def run(*command, cwd=None):
    return subprocess.run(
        [sys.executable, "-W", "ignore", *map(str, command)], cwd=cwd and str(cwd), env=clean(), capture_output=True,
        encoding="utf-8", check=False, timeout=LIMIT_S,
    )  # fmt: skip


@pytest.mark.parametrize("program", IN_PYTHON_2, ids=lambda path: path.stem)
def test_a_translated_program_prints_the_same(program, tmp_path):
    result = written(program.read_text(encoding="utf-8"))
    assert result.remarks == ()
    path = tmp_path / program.name
    path.write_bytes(result.source)
    done = run(path)
    assert done.stdout == recorded(program).read_text(encoding="utf-8"), done.stderr


def test_moved_names_get_their_new_module(tmp_path):
    (program,) = [path for path in programs() if is_of_python2(path) and path.name.startswith("before")]
    text, last = program.read_text(encoding="utf-8").rsplit("print(which", 1)
    result = written("#!/usr/bin/env python2\n" + text + "# print(which" + last)
    assert result.remarks == ()
    path = tmp_path / program.name
    path.write_bytes(result.source)
    done = run(path)
    assert done.stdout.splitlines() == recorded(program).read_text(encoding="utf-8").splitlines()[:-1], done.stderr
    assert b"urllib.parse.quote(" in result.source
    assert b"import urllib.error, urllib.parse, urllib.request\n" in result.source
    assert b"import sets" not in result.source


@settings(max_examples=40, deadline=None)
@given(STATEMENTS)
def test_random_programs_do_the_same_as_by_tf1mem_run(source):
    source = f"n = 1\nprint 'made'\n{source}\n"
    result = written(source)
    assert result.remarks == ()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        code = compile(result.source, "made", "exec", dont_inherit=True)
    assert output(code, {}) == by_tf1mem(source)


# Python 2 with a plain form in Python 3 -> that form.
PLAIN = [
    ("print 'a %d' % n  # said", "print('a %d' % n)  # said"),
    ("d = {}\nif d.has_key('k'): print 1", "d = {}\nif 'k' in d: print(1)"),
    ("def f(**d): return d.has_key(1)\nprint ''", "def f(**d): return 1 in d\nprint('')"),
    ("i = iter(x)\nprint ''; i.next()", "i = iter(x)\nprint(''); next(i)"),
    ("print `1`; x = len(y) / 2", "print(repr(1)); x = len(y) // 2"),
    ("for k, v in d.iteritems(): print 'k'", "for k, v in d.items(): print('k')"),
    ("for i in xrange(3): print 'k'", "for i in range(3): print('k')"),
    ("x = [len(i) / 2 for i in xrange(3)]", "x = [len(i) // 2 for i in range(3)]"),
    ("d = {}; x = range(3) + d.keys(); print ''", "d = {}; x = list(range(3)) + list(d.keys()); print('')"),
    ("x = sorted(d.keys()), map(f, y); print 0777", "x = sorted(d.keys()), list(map(f, y)); print(0o777)"),
    ("raise ValueError, 'a %s' % (\n    b)", "raise ValueError('a %s' % (\n    b))"),
    ("try: f()\nexcept E, e: print 'no'", "try: f()\nexcept E as e: print('no')"),
    ("import Queue, os\nprint 'x'; os.getcwdu()", "import queue as Queue\nimport os\nprint('x'); os.getcwd()"),
    (
        "from itertools import izip, tee\nprint ''",
        "from builtins import zip as izip\nfrom itertools import tee\nprint('')",
    ),
    ("import urllib2\nprint ''; urllib2.urlopen(u)", "import urllib.request\nprint(''); urllib.request.urlopen(u)"),
    ("g = lambda (a, (b, c)): a + c\nprint ''", "g = lambda a_b_c: a_b_c[0] + a_b_c[1][1]\nprint('')"),
    ("class A:\n    __metaclass__ = M\nprint ''", "class A(metaclass=M):\n    pass\nprint('')"),
    ("isinstance(x, (unicode, long)); print ''", "isinstance(x, (str, int)); print('')"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after"), PLAIN)
def test_plain_forms_of_python_3_are_used(before, after):
    result = written(before + "\n")
    assert (result.source.decode(), result.remarks) == (after + "\n", ())


# Programs, each with the output of Python 2.7.
MEANT = [
    (
        """
        class Params(object):
            def values(self): return {'a': 1}
        d = Params().values()
        print d['a'], {2: 3}.items(), {2: 3}.copy().values(), dict(a=1).keys()
        """,
        "1 [(2, 3)] [3] ['a']",
    ),
    (
        """
        class Data(object):
            def next(self): return 'batch'
            def has_key(self, key): return 'has ' + key
        class More(Data):
            def next(self): return 'more ' + super(More, self).next()
        def one(): yield 1
        data, other = More(), More()
        other.next = lambda: 'own'
        print data.next(), other.next(), iter('a').next(), one().next(), {1: 2}.iterkeys().next()
        print data.has_key('it'), {'it': 1}.has_key('it'), [one for one in [{}] if not one.has_key(2)]
        """,
        "more batch own a 1 1\nhas it True [{}]",
    ),
    (
        """
        def f(list, n):
            return map(str, list), range(n), zip(list, list), {1: 2}.keys()
        print f([1], 2)
        """,
        "(['1'], [0, 1], [(1, 1)], [1])",
    ),
    (
        """
        def f(data, iter):
            it = data.iteritems()
            return it.next()
        print f({1: 2}, 0)
        """,
        "(1, 2)",
    ),
    (
        """
        import string
        import os.path
        def norm(string): return string.lower(), string.split(' ')
        def joined():
            import string
            return string.join(['a', 'b'])
        print norm('A b'), string.upper('a'), joined(), os.getcwdu() == os.path.abspath('.')
        """,
        "('a b', ['A', 'b']) A a b True",
    ),
    (
        """
        class Names(object):
            commands, Queue = 'of its own', 1
        print Names().commands, Names.Queue
        """,
        "of its own 1",
    ),
    (
        """
        class It(object):
            def __iter__(self): return self
            def next(self): raise StopIteration
        print list(It())
        """,
        "[]",
    ),
    (
        """
        print (lambda (x, y): (lambda (x, y): x - y)((y, x)))((1, 5))
        print (lambda (a, b): (lambda a, c=b: (a, b, c))(a + 1))((1, 2))
        """,
        "4\n(2, 2, 2)",
    ),
    (
        """
        try:
            raise (ValueError, KeyError), 'first'
        except ValueError, error:
            print error
        """,
        "first",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("source", "printed"), MEANT)
def test_the_translation_prints_what_python_2_printed(source, printed):
    result = written(dedent(source).lstrip())
    assert result.remarks == ()
    assert output(compile(result.source, "made", "exec", dont_inherit=True), {}) == printed + "\n"


def test_helpers_of_tf1mem_are_imported():
    after = """
        "doc"
        from __future__ import absolute_import
        from tf1mem.era.python2.kept import print
        from tf1mem.era.python2 import kept as python2
        import b  # beside
        x = python2.divided((y + 1), z)  # half
        x = python2.divided_in_place(x, python2.divided(a, b))
        print(x, end=" ")
        """
    before = """
        "doc"
        from __future__ import absolute_import
        import b  # beside
        x = (y + 1) / z  # half
        x /= a / b
        print x,
        """
    assert written(dedent(before)).source.decode() == dedent(after)


@pytest.mark.parametrize(
    ("source", "line", "message"),
    [
        ("f = g\nf().x /= 2\nprint 1\n", 2, "/= on a target with a call"),
        ("print 1\nh = lambda (a, b): [a for a in b]\n", 2, "a lambda that unpacks an argument"),
        ("class A:\n    __metaclass__ = type(B)\nprint 1\n", 2, "__metaclass__ that isn't a name"),
        ("python2 = 1\nx = y / z\nprint 1\n", 1, "python2 is a name in the file"),
        ("x = 1\ny = = 2\n", 2, "neither Python 2 nor Python 3 accepts it"),
        ("print 1\nx: int = 2\n", 1, "it mixes Python 2's syntax with Python 3's"),
        ("print '\xe4'\n".encode("latin-1"), 1, "it can't be decoded"),
        ("print x,\ndef f():\n    from os import *\n", 3, "would not compile (import * only allowed at module level)"),
        ("x = y / z\nprint 'a'  # tf1mem: skip\n", 2, "a comment protects a line that Python 3 refuses"),
        ("from __future__ import division\nx = xrange(3)\nimport urllib2\n", 2, "xrange exists only in Python 2"),
        ("x = reduce(max, long(3))\n", 1, "long exists only in Python 2"),
        ("import os, urllib2\n", 1, "urllib2 exists only in Python 2"),
        ("from itertools import izip, tee\n", 1, "itertools.izip exists only in Python 2"),
    ],
)
def test_a_line_that_cannot_be_translated_gets_a_remark(source, line, message):
    result = rewrite(source if isinstance(source, bytes) else source.encode(), "python")
    (remark,) = result.remarks
    assert (remark.code, remark.line) == ("TFM003", line)
    assert message in remark.message


NEUTRAL = [
    "x = 7 / 2\nprint(x)\n",
    "",
    "def f(x): return x.has_key(1)\n",
    "try: import urllib2\nexcept ImportError: import urllib.request as urllib2\n",
    "try: import queue\nexcept ImportError: import Queue as queue\n",
    "import sys\nif sys.version_info[0] > 2: xrange = range\nfor i in xrange(3): pass\n",
    "text = unicode if PY2 else str\n",
    "from six.moves import xrange\nx = xrange(3), six.moves.urllib2\n",
    "from compat import *\nx = unicode(1)\n",
    "x = xrange(3)  # tf1mem: skip\n",
]


@pytest.mark.parametrize("source", NEUTRAL)
def test_python_3_is_left_alone(source):
    result = rewrite(source.encode(), "python")
    assert (result.source, result.remarks) == (source.encode(), ())


def test_a_module_of_the_program_is_not_taken_for_python_2s(tmp_path):
    (tmp_path / "commands.py").touch()
    paths = [str(tmp_path / folder / "a.py") for folder in ("", "in")]
    assert [rewrite(b"import commands\n", "python", path).remarks for path in paths] == [(), ()]


def test_a_comment_keeps_a_statement():
    source = """
        import urllib2  # tf1mem: skip
        x = (a / b +
             c)  # tf1mem: skip
        for one in d.iteritems():  # tf1mem: skip
            print('a'); y = a / b
        class A(B / 2):  # tf1mem: skip
            def next(self): return xrange(3)
        z = unicode(1), `2`
        """
    after = """
        from tf1mem.era.python2.kept import unicode
        from tf1mem.era.python2 import kept as python2
        import urllib2  # tf1mem: skip
        x = (a / b +
             c)  # tf1mem: skip
        for one in d.iteritems():  # tf1mem: skip
            print('a'); y = python2.divided(a, b)
        class A(B / 2):  # tf1mem: skip
            def next(self): return range(3)
        z = unicode(1), repr(2)
        """
    assert written(dedent(source)).source.decode().strip() == dedent(after).strip()


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1"])
def test_encoding_and_line_ends_stay(encoding, end):
    lines = [f"# -*- coding: {encoding.replace('-sig', '')} -*-", "print u'\xe4',", "", "x = 1  # \xfc"]
    result = rewrite(end.join(lines).encode(encoding), "python")
    lines[1] = "from tf1mem.era.python2.kept import print" + end + "print(u'\xe4', end=\" \")"
    assert result.source == end.join(lines).encode(encoding)


def test_a_notebooks_cells_are_one_program():
    cells = [["%matplotlib inline\n", "print 'a', 7 / 2"], ["!ls\n", "print '\xfc',"]]
    shape = '{{"cells": [{}], "metadata": {{}}, "nbformat": 4, "nbformat_minor": 2}}'
    cells_as_json = [
        '{{"cell_type": "code", "metadata": {{}}, "outputs": [], "source": {}}}'.format(str(cell).replace("'", '"'))
        for cell in ([line.replace("'", "\u2019") for line in lines] for lines in cells)
    ]
    source = shape.format(", ".join(cells_as_json)).replace("\u2019", "'").encode()
    result = rewrite(source, "notebook")
    assert b'"from tf1mem.era.python2.kept import print\\n", "print(\'a\', 7 // 2)"' in result.source
    assert [(change.cell, change.line) for change in result.changes] == [(1, 2), (2, 2)]
    assert rewrite(result.source, "notebook").changes == ()


def notebook(metadata, *cells):
    cells_as_json = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": text} for text in cells]
    return json.dumps({"cells": cells_as_json, "metadata": metadata, "nbformat": 4, "nbformat_minor": 2}).encode()


def test_a_python_2_notebook_is_translated_as_a_whole():
    metadata = {"kernelspec": {"display_name": "Python 2", "language": "python", "name": "python2"}}
    metadata["language_info"] = {"name": "python", "version": "2.7.13"}
    result = rewrite(notebook(metadata, "y = 7 / 2\n", "x = map(str, [1])\n"), "notebook")
    after = json.loads(result.source)
    assert [cell["source"] for cell in after["cells"]] == ["y = 7 // 2\n", "x = list(map(str, [1]))\n"]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    assert after["metadata"] == {"kernelspec": kernel, "language_info": {"name": "python", "version": "3.0"}}
    assert rewrite(result.source, "notebook") == Result(result.source)


def test_a_python_2_cell_in_a_python_3_notebook_gets_a_remark():
    source = notebook({"kernelspec": {"name": "python3"}}, "y = 7 / 2\n", "exec 'y = 7'\n")
    result = rewrite(source, "notebook")
    assert (result.source, [remark.cell for remark in result.remarks]) == (source, [2])


@pytest.fixture
def tree(tmp_path):
    for name, text in TREE.items():
        if name.startswith(("main", "new", "pkg")):
            path = tmp_path / name
            path.parent.mkdir(exist_ok=True, parents=True)
            path.write_text(dedent(text).lstrip(), encoding="utf-8")
    return tmp_path


def test_the_command_shows_checks_and_writes(tree):
    from tf1mem.__main__ import main

    def run_codemod(*arguments):
        out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()) as err:
            status = main(["codemod", "--python3", *arguments])
        return status, out.buffer.getvalue().decode(), err.getvalue()

    before = {path: path.read_bytes() for path in tree.rglob("*.py")}
    status, shown, err = run_codemod(str(tree))
    assert (status, {path: path.read_bytes() for path in before}) == (1, before)
    assert "-from json import where\n" in shown
    assert "+from .json import where\n" in shown
    assert "6 would change" in err
    assert run_codemod("--check", str(tree))[0] == 1
    status, _, err = run_codemod("--write", str(tree))
    assert (status, run_codemod("--check", str(tree))[0]) == (0, 0), err
    assert (tree / "new.py").read_bytes() == before[tree / "new.py"]
    done = run("main.py", cwd=tree)
    assert done.stdout.splitlines() == [*IN_PACKAGE, "new ['1'] range(0, 1)"], done.stderr
    assert done.stderr == "main 3 3.5\n"
    for option in (["--to", "shim"], ["--only", "TFM101"], ["--docs"]):
        status, _, err = run_codemod(*option, str(tree))
        assert (status, f"--python3 with {option[0]}: leave one of them out" in err) == (2, True)


def test_a_module_of_a_package_gets_a_name_that_is_not_in_use(tmp_path):
    for name in ("__init__.py", "c.py"):
        (tmp_path / "b").mkdir(exist_ok=True)
        (tmp_path / "b" / name).touch()
    (tmp_path / "__init__.py").touch()
    result = rewrite(b"b_c = 1\nimport b.c\nprint b_c\n", "python", str(tmp_path / "a.py"))
    assert b"\nfrom .b import c as b_c_\n" in result.source


SCRIPTS = {
    "__init__.py": "",
    "resnet_train.py": "import config\nfrom config import (\n    half)\ndef train(): print 'train', half, __name__\n",
    "config.py": "half = 7 / 2\nprint 'config', __name__\n",
    "of_package.py": "import config\nprint 'of', config.__name__\n",
    "train_cifar.py": """
        import os, sys
        from resnet_train import train
        if __name__ == "__main__":
            train()
            print config_of()
        def later(): import resnet_train; return 1
        """.replace("            print config_of()\n", ""),
    "both.py": "import resnet_train, os  # beside\nif __name__ == '__main__': print os.sep\nresnet_train.train()\n",
    "asks_both.py": "import both\nprint both.__name__\n",
}


def test_a_script_in_a_package_runs_both_ways(tmp_path):
    folder = tmp_path / "pkg"
    folder.mkdir()
    for name, text in SCRIPTS.items():
        (folder / name).write_text(dedent(text).lstrip(), encoding="utf-8")
    for name in SCRIPTS:
        result = written((folder / name).read_text(encoding="utf-8"), str(folder / name))
        assert result.remarks == ()
        (folder / name).write_bytes(result.source)
    assert "\nfrom resnet_train import train\n" in (folder / "train_cifar.py").read_text(encoding="utf-8")
    assert "from . import config\n" in (folder / "of_package.py").read_text(encoding="utf-8")
    expected = ["config config", "train 3 resnet_train"]
    assert run("train_cifar.py", cwd=folder).stdout.splitlines() == expected
    assert run(folder / "both.py", cwd=tmp_path).stdout.splitlines() == [expected[0], os.sep, expected[1]]
    done = run("-c", "import pkg.of_package, pkg.asks_both", cwd=tmp_path)
    assert done.stdout.splitlines() == [
        "config pkg.config", "of pkg.config", "train 3 pkg.resnet_train", "pkg.both"
    ], done.stderr  # fmt: skip


ERRORS = """
import errno, socket, select, os
class Itself(Exception):
    message = "own"
def caught(error):
    try:
        raise error
    except (EnvironmentError, socket.error, select.error), e:
        number, text = e
        return e[0], e[1], e[-1], e[:1], number, text, list(e), [one for one in e], e.message
    except (ValueError, KeyError), e:
        return e[0], e.message, 7 / e[0], 7 in e
    except Exception, e:
        return e[0], e.message, list(e), max(*e)
for error in (OSError(2, "no"), IOError(2, "no", "file"), socket.error(3, "gone"), socket.timeout(4, "late"),
              ValueError(2), KeyError(3), TypeError("a", "b"), Itself("x", "y")):
    for one in caught(error): print one,
    print
try: os.listdir("/nowhere")
except OSError, e: pass
print e[0] == errno.ENOENT, e[1]
"""


def test_an_error_has_python_2s_items_and_message(tmp_path):
    (tmp_path / "errors.py").write_text(ERRORS, encoding="utf-8")
    as_it_is = run("-m", "tf1mem", "run", "errors.py", cwd=tmp_path)
    (tmp_path / "errors.py").write_bytes(rewrite(ERRORS.encode(), "python").source)
    done = run("errors.py", cwd=tmp_path)
    assert done.stdout == as_it_is.stdout, as_it_is.stderr
    assert done.stdout.splitlines() == [
        "2 no no (2,) 2 no [2, 'no'] [2, 'no'] ",
        "2 no no (2,) 2 no [2, 'no'] [2, 'no'] ",
        "3 gone gone (3,) 3 gone [3, 'gone'] [3, 'gone'] ",
        "4 late late (4,) 4 late [4, 'late'] [4, 'late'] ",
        "2 2 3 False",
        "3 3 2 False",
        "a  ['a', 'b'] b",
        "x own ['x', 'y'] y",
        "True No such file or directory",
    ], done.stderr  # as Python 2.7.18 has it


@pytest.mark.parametrize("line", [
    "float(a) / float(b)", "a / float(b)", "1.0 * a / b", "-x / 3", "(x + n) / n", "y / n", "total / n",
    "np.float32(n) / n", "np.zeros(3) / n", "v.astype('float32') / 255", "np.array(v, dtype=np.float32) / n",
    "math.sqrt(n) / n", "math.pi / n", "time() / n", "tf.cast(v, tf.float32) / n", "abs(x) / n", "one / two",
    "(x if n else y) / n",
])  # fmt: skip
def test_divisions_of_floats_stay(line):
    head = (
        "import math, numpy as np, tensorflow as tf\nfrom time import time\nx = 0.5\ny = x / n\none, two = 1., n\n"
        "total = 0.0\nfor n in v: total += n\n"
    )
    result = written(f"{head}print 'made'\nz = {line}\n")
    assert result.source.decode().endswith(f"\nz = {line}\n")


@pytest.mark.parametrize("line", [
    "a / b", "n / 2", "np.zeros(3, int) / n", "np.zeros(3, dtype=np.int32) / n", "v.astype(int) / 255", "args / n",
    "np.array(v) / n", "sum(v) / n", "x / n", "'%d' % 2. / n", "own(n) / n", "sqrt(n) / n", "max(1.0, n) / n",
    "count / n", "there / n", "mixed / n",
])  # fmt: skip
def test_other_divisions_are_translated(line):
    head = (
        "from settings import *\nimport numpy as np\nx = 1.0\nx = n\n"
        "count += 1\nthere = back * 2\nback = there\nmixed = 1.0\nmixed = count\n"
        "def args(args=1.0, float=own): return float(n) / n\n"
    )
    result = written(f"{head}print 'made'\nz = {line}\n")
    assert b"\nz = python2.divided(" in result.source or b"\nz = n // 2" in result.source
    assert b"return python2.divided(float(n), n)" in result.source


@pytest.mark.parametrize("line", [
    "from __future__ import annotations", "print('a', end='')", "print(*v)", "n = 1_000", "show = print",
    "from __future__ import generator_stop", "n: int = 1", "print(f'{v}')",
])  # fmt: skip
def test_a_python_2_shebang_alone_is_no_python_2(line):
    source = f"#!/usr/bin/env python2.7\n{line}\nz = a / b\n"
    assert written(source) == Result(source.encode())
    assert b"z = python2.divided(a, b)" in written(source.replace(line, "n = 1")).source
