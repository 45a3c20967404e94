"""Only the places of a file that need a repair are rewritten; the rest of the file stays as it was."""

from __future__ import annotations

import ast
import sys
import traceback

import pytest

from tf1mem.era import LIBRARIES, mentioned, repairs
from tf1mem.era.rewriting import repair
from tf1mem.runner.program_imports import compile_rewritten

pytestmark = pytest.mark.skipif(sys.version_info < (3, 11), reason="what older Pythons still have")

LEFT_ALONE = [
    "import numpy as np\nx = np.int32(1), np.zeros(3), np.floating",
    "import numpy as np\nclass A:\n    def f(self, data):\n        return self.int, data.load('x'), self.np.bool",
    "import numpy as np\nnp.bool = bool\ndel np.bool",
    "import numpy as np\nnp.array([1, 2]), np.array([-1, 2.5]), np.array(x, dtype=float), np.array(x, 'f4')",
    "import numpy as np\nnp.load('x', allow_pickle=True), np.load('x', None, True), np.load",
    "import numpy as np\nnp.vstack([a, b]), np.vstack((a, b)), np.stack([x for x in y])",
    "from numpy import *",
    "from .numpy import bool",
    "import collections\ncollections.OrderedDict()",
    "import json\njson.loads(s)",
    "open('rU'), open('x', 'r')",
    "from codecs import open\nopen('x', 'rU')",
    "import random\nrandom.sample([1], 1)",
    "import numpy\nint('3'), int(x, 8), float(), float(len(x)), int(line.split()), print(x), int",
    "import numpy\ndef int(x): pass\nint(x)",
]

SITES = "from tf1mem.era import sites as __tf1mem_era__\n"
REWRITTEN = [
    ("import numpy as np\nx = np.bool", "import numpy as np\nx = __tf1mem_era__.owner(np, 'bool').bool"),
    ("import numpy\nnumpy.lib.pad(x)", "import numpy\n__tf1mem_era__.owner(numpy.lib, 'pad').pad(x)"),
    ("from mine import *\nnp.Inf", "from mine import *\n__tf1mem_era__.owner(np, 'Inf').Inf"),
    ("import numpy as np\nnp.array([[1], a])", "import numpy as np\n__tf1mem_era__.owner(np, 'array').array([[1], a])"),
    (
        "np.float(1) .tostring()",
        "__tf1mem_era__.owner(__tf1mem_era__.owner(np, 'float').float(1), 'tostring').tostring()",
    ),
    (
        "from numpy import zeros, bool as b",
        "from numpy import zeros\nb = __tf1mem_era__.member('numpy', 'bool')",
    ),
    (
        "def f():\n    from collections import Mapping",
        "def f():\n    Mapping = __tf1mem_era__.member('collections', 'Mapping')",
    ),
    (
        "import scipy.misc.pilutil as p, os",
        "p = __tf1mem_era__.module('scipy.misc.pilutil')\nimport os",
    ),
    ("import scipy.misc.pilutil", "import scipy\n__tf1mem_era__.module('scipy.misc.pilutil')"),
    ("import scipy.misc\nscipy.misc.imread", "import scipy.misc\n__tf1mem_era__.owner(scipy.misc, 'imread').imread"),
    (
        "open(x, 'rU')",
        "__tf1mem_era__.builtin('open', lambda: open)(x, 'rU')",
    ),
    ("import numpy\nint(x[0])", "import numpy\n__tf1mem_era__.builtin('int', lambda: int)(x[0])"),
]  # fmt: skip


def wanted(source):
    return list(repairs.needed_repairs(source.encode(), mentioned(source.encode())))


def rewritten(source):
    tree = ast.parse(source)
    changed = repair(tree, wanted(source))
    assert changed == (ast.unparse(tree) != ast.unparse(ast.parse(source)))
    compile(tree, "x", "exec")
    return ast.unparse(tree)


@pytest.mark.parametrize("source", LEFT_ALONE)
def test_left_alone(source):
    assert rewritten(source) == ast.unparse(ast.parse(source))


@pytest.mark.parametrize(("source", "expected"), REWRITTEN)
def test_rewritten(source, expected):
    assert rewritten(source) == ast.unparse(ast.parse(SITES + expected))


def test_the_docstring_and_the_future_come_first():
    source = '"""Text."""\nfrom __future__ import division\nimport numpy as np\nnp.bool'
    assert rewritten(source).split("\n")[:3] == ['"""Text."""', "from __future__ import division", SITES.strip()]


def test_lines_and_columns_are_the_files():
    source = "import numpy as np\n\nx = 1\ny = np.array([[1], [x]]) + (\n    np.float('no')\n)\n"
    tree = ast.parse(source)
    assert repair(tree, wanted(source))
    with pytest.raises(ValueError, match="'no'") as caught:
        exec(compile(tree, "x.py", "exec"), {})
    (frame,) = [frame for frame in traceback.extract_tb(caught.value.__traceback__) if frame.filename == "x.py"]
    assert (frame.lineno, frame.colno, frame.end_colno) == (5, 4, 18)


def test_the_words_of_a_library_find_all_of_its_repairs():
    for library in LIBRARIES:
        for needed in repairs.of_library(library):
            source = f"import {needed.owner or needed.name}, {library}\n{needed.what}('rU', encoding=text)".encode()
            assert needed in repairs.needed_repairs(source, mentioned(source)), needed


@pytest.mark.parametrize(
    ("source", "printed"),
    [
        ("globals().update(file='data.csv', cmp=lambda a, b: 'mine')\nprint(file, cmp(1, 2))", "data.csv mine"),
        ("def f():\n    any((file := f) == 'b' for f in 'ab')\n    print(file)\nf()", "b"),
        ("globals().update(long=None)\nprint(long)", "None"),
        ("globals().update(open=lambda name, mode: mode)\nprint(open('x', 'rU'))", "rU"),
        ("print(cmp(1, 2), long('3'))", "-1 3"),
        (
            "try:\n    print(nowhere(cmp))\nexcept NameError as error:\n    print(error)",
            "name 'nowhere' is not defined",
        ),
        ("try:\n    long\n    python = 2\nexcept Exception:\n    python = 3\nprint(python)", "3"),
        ("try:\n    {}.iteritems\n    python = 2\nexcept AttributeError:\n    python = 3\nprint(python)", "3"),
        ("try:\n    n = long('3')\nexcept Exception:\n    n = 0\nprint(n)", "3"),
        (
            "import pickle\nold = b'\\x80\\x02U\\x01\\xe9.'\ntry:\n    x = pickle.loads(old)\n"
            "except UnicodeDecodeError:\n    x = pickle.loads(old, encoding='bytes')\nprint(x)",
            "b'\\xe9'",
        ),
    ],
)
def test_names_and_tests_of_the_program_itself_keep_their_result(source, printed, capsys):
    tree = ast.parse(source)
    repair(tree, wanted(source))
    exec(compile(tree, "x.py", "exec"), {})
    assert capsys.readouterr().out == printed + "\n"


def test_a_file_that_needs_none_of_it_is_left_to_python():
    for source in (b"import os\nx = os.path", b"import time, json, numpy as np\ntime.time(), json.dumps, np.zeros(3)"):
        assert compile_rewritten(source, "x", frozenset, True) is None
    assert mentioned(b"import os\nx = os.path") == []
    assert (
        wanted("import sys\ndef __next__(x):  # the next unicode file, as long as there is one\n    return next(x)")
        == []
    )


def test_a_builtin_that_is_gone_is_found_wherever_a_value_stands():
    for use in ("{'a': X}", "{X: 1}", "isinstance(a, X)", "a or X", "type(a) is X", "lambda: X", "b = X", "X(a)"):
        assert [builtin.name for builtin in wanted(use.replace("X", "unicode"))] == ["unicode"], use
