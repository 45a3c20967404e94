"""Imports by a name in a string lead to tf1mem.v1 as import statements do."""

from __future__ import annotations

import ast
import sys
from types import ModuleType

import pytest

from tf1mem.runner import imports_by_name
from tf1mem.runner.imports_by_name import builtin_import, import_module, may_import, own_key, own_name, rewrite_calls
from tf1mem.runner.module_names import ROOTS

OURS = "__import__('tf1mem.runner.imports_by_name', fromlist=[''])"
NAMED = f"{OURS}.own_name"

LEFT_ALONE = [
    "import_module('.tensorflow', 'mine')",
    "import_module()",
    "import_module(*names)",
    "__import__('os')",
    "__import__('os', globals(), locals(), ['path'])",
    "find_spec('tensorflow')",
    "find_spec(name)",
    "patch(name)",
    "patch('mine.tensorflow')",
    "axes.patch.set_alpha(1)",
    "self.patch(url, data)",
    "setattr('tensorflow', 'x', 1)",
    "monkeypatch.setattr(tf.train, 'Saver', None)",
    "sys.modules[name]",
    "sys.modules[__name__]",
    "sys.modules['os']",
    "sys.modules['tensorflow'] = fake",
    "names.get('tensorflow')",
    "from importlib import import_module as imp\nimport imp\nimp.find_module('x')",
    "map(loader.import_module, names)",
]

REWRITTEN = [
    ("import_module('tensorflow')", "import_module('tf1mem.v1')"),
    ("importlib.import_module('tensorflow.keras')", "importlib.import_module('tf1mem.v1.keras')"),
    ("importlib.import_module('tensorflow.compat.v1')", "importlib.import_module('tf1mem.v1')"),
    ("import_module(name='keras')", "import_module(name='tf1mem.v1.keras_alone')"),
    ("import_module('.slim', package='tensorflow.contrib')", "import_module('.slim', package='tf1mem.v1.contrib')"),
    ("import_module(name)", f"import_module({NAMED}(name))"),
    ("import_module('tensorflow.' + name)", f"import_module({NAMED}('tensorflow.' + name))"),
    ("import_module(f(import_module(g)), p)", f"import_module({NAMED}(f(import_module({NAMED}(g)))), {NAMED}(p))"),
    ("from importlib import import_module as i\ni('keras')", "from importlib import import_module as i\n"
     "i('tf1mem.v1.keras_alone')"),
    ("from importlib import import_module as i\nmap(i, names)", f"from importlib import import_module as i\n"
     f"map({OURS}.import_module, names)"),
    ("load = importlib.import_module", f"load = {OURS}.import_module"),
    ("tf = __import__('tensorflow')", "tf = __import__('tf1mem.v1', fromlist=['__name__'])"),
    ("tf = __import__('tensorflow.contrib')", "tf = __import__('tf1mem.v1', fromlist=['__name__'])"),
    (
        "__import__('tensorboard.plugins.projector')",
        "__import__('tf1mem.v1.contrib.tensorboard', fromlist=['__name__'])",
    ),
    ("__import__('keras.layers', fromlist=['x'])", f"{OURS}.builtin_import('keras.layers', fromlist=['x'])"),
    ("__import__(name)", f"{OURS}.builtin_import(name)"),
    ("tf = pytest.importorskip('tensorflow', minversion='1.12')", "tf = pytest.importorskip('tf1mem.v1', "
     "minversion='1.12')"),
    ("pydoc.locate('tensorflow.Session')", "pydoc.locate('tf1mem.v1.Session')"),
    ("@mock.patch('tensorflow.train.Saver')\ndef test(): pass", "@mock.patch('tf1mem.v1.train.Saver')\n"
     "def test(): pass"),
    ("tf.test.mock.patch(name)", f"tf.test.mock.patch({NAMED}(name))"),
    ("from mock import patch as p\np(name)", f"from mock import patch as p\np({NAMED}(name))"),
    ("mock.patch.multiple('tensorflow.train', a=1)", "mock.patch.multiple('tf1mem.v1.train', a=1)"),
    ("monkeypatch.setattr('tensorflow.train.Saver', 1)", "monkeypatch.setattr('tf1mem.v1.train.Saver', 1)"),
    ("LazyLoader('contrib', globals(), 'tensorflow.contrib')", "LazyLoader('contrib', globals(), 'tf1mem.v1.contrib')"),
    ("importlib.util.find_spec('tensorflow.contrib')", "importlib.util.find_spec('tf1mem.v1.contrib')"),
    ("sys.modules['tensorflow'].x", f"sys.modules[{OURS}.own_key('tensorflow')].x"),
    ("sys.modules.get('keras', 1)", f"sys.modules.get({OURS}.own_key('keras'), 1)"),
]  # fmt: skip


@pytest.fixture(autouse=True)
def _roots(monkeypatch):
    monkeypatch.setattr(imports_by_name, "_chosen_roots", [lambda: frozenset(ROOTS)])


def _rewritten(source: str) -> tuple:
    tree = ast.parse(source)
    changed = rewrite_calls(tree, frozenset(ROOTS))
    compile(tree, "x", "exec")
    return changed, ast.dump(tree)


@pytest.mark.parametrize("source", LEFT_ALONE)
def test_other_calls_are_left_alone(source):
    assert _rewritten(source) == (False, ast.dump(ast.parse(source)))


@pytest.mark.parametrize(("source", "expected"), REWRITTEN)
def test_names_of_tensorflow_are_rewritten(source, expected):
    assert _rewritten(source) == (True, ast.dump(ast.parse(expected)))
    assert may_import(source.encode(), mentions_root=True)


def test_without_a_root_in_the_file_only_names_from_elsewhere_count():
    assert may_import(b"importlib.import_module(args.backend)", mentions_root=False)
    assert not may_import(b"axes.patch.set_alpha(1)", mentions_root=False)


def test_lines_and_columns_stay():
    source = "x = 1; y = __import__('keras')\nz = [import_module(\n    name), sys.modules['gym']]\n"
    tree = ast.parse(source)
    places = {(node.lineno, node.col_offset) for node in ast.walk(tree) if hasattr(node, "lineno")}  # type: ignore[attr-defined]
    assert rewrite_calls(tree, frozenset(ROOTS))
    for node in ast.walk(tree):
        if hasattr(node, "lineno"):
            assert (node.lineno, node.col_offset) in places  # type: ignore[attr-defined]


def test_names_that_become_known_when_the_call_runs():
    assert own_name("tensorflow.train") == "tf1mem.v1.train"
    assert own_name("tensorflow:Session") == "tf1mem.v1:Session"
    assert own_name("tensorflow.compat.v2") == "tensorflow.compat.v2"
    assert [own_name(name) for name in ("os.path", "tf1mem.v1", ".x", "", None, 3)] == [
        "os.path",
        "tf1mem.v1",
        ".x",
        "",
        None,
        3,
    ]
    assert import_module("os.path") is sys.modules["os.path"]


@pytest.mark.skipif(sys.version_info < (3, 8), reason="pkg_resources is replaced where Python reads metadata itself")
def test_the_builtin_returns_the_root_or_the_module():
    own = import_module("pkg_resources")
    assert own.__name__ == "tf1mem.era.pkg_resources"
    assert builtin_import("pkg_resources") is builtin_import("pkg_resources", fromlist=["dummy"]) is own
    assert builtin_import("os.path") is sys.modules["os"]
    assert builtin_import("os.path", None, None, ["join"]) is sys.modules["os.path"]
    with pytest.raises(ModuleNotFoundError, match="no_such_module"):
        builtin_import("pkg_resources.no_such_module")


def test_a_module_that_the_program_put_there_stays(monkeypatch):
    monkeypatch.setitem(sys.modules, "tf1mem.v1.contrib.slim", ModuleType("slim"))
    assert own_key("tf_slim") == "tf1mem.v1.contrib.slim"
    fake = ModuleType("fake")
    fake.__spec__ = None
    monkeypatch.setitem(sys.modules, "tf_slim", fake)
    assert own_key("tf_slim") == "tf_slim"
    assert own_key("tensorflow.nothing") == "tensorflow.nothing"
