"""The import statements of a program's files are rewritten to import `tf1mem.v1`; all others are left alone."""

from __future__ import annotations

import ast
import sys

import pytest

from tf1mem.runner.module_names import ROOTS, new_name
from tf1mem.runner.program_imports import compile_rewritten, rewrite

LEFT_ALONE = [
    "import os, tensorflow_probability, tf_keras, tensorflow_estimator as tfe, tensorflowjs, keras_applications",
    "from tensorflow_probability import distributions",
    "from . import tensorflow",
    "from .tensorflow import x",
    "from .keras import layers",
    "from .. import keras",
    "import mine.tensorflow",
    "import tensorflow.compat.v2 as tf",
    "import tensorflow.compat.v2",
    "from tensorflow.compat.v2 import function",
    "from tensorflow.compat import v2",
    "from tensorflow.compat import v2 as tf2",
    "'import tensorflow as tf'",
    "print(tensorflow)",
    "import tensorboard",
    "import tensorboard.backend.event_processing.event_accumulator as e",
    "from tensorboard import program",
    "from tensorboard.plugins.hparams import api",
    "from tensorboard.plugins import hparams",
]

REWRITTEN = [
    ("import tensorflow", "import tf1mem.v1 as tensorflow"),
    ("import tensorflow as tf", "import tf1mem.v1 as tf"),
    ("import tensorflow as T, os as o", "import tf1mem.v1 as T, os as o"),
    ("import tensorflow.x.y as z", "import tf1mem.v1.x.y as z"),
    ("import tensorflow.x.y", "import tf1mem.v1.x.y as tensorflow, tf1mem.v1 as tensorflow"),
    ("import tensorflow.compat.v1 as tf", "import tf1mem.v1 as tf"),
    ("import tensorflow.compat.v1", "import tf1mem.v1 as tensorflow"),
    ("import tensorflow.compat.v1.keras as k", "import tf1mem.v1.keras as k"),
    ("import tensorflow.compat as c", "import tf1mem.v1.compat as c"),
    ("import tensorflow_core as tf", "import tf1mem.v1 as tf"),
    ("import tf_slim as slim", "import tf1mem.v1.contrib.slim as slim"),
    ("from tf_slim.nets import vgg", "from tf1mem.v1.contrib.slim.nets import vgg"),
    (
        "from tensorboard.plugins import projector, hparams",
        "from tf1mem.v1.contrib.tensorboard.plugins import projector\nfrom tensorboard.plugins import hparams",
    ),
    (
        "from tensorboard import plugins, program",
        "from tf1mem.v1.contrib.tensorboard import plugins\nfrom tensorboard import program",
    ),
    (
        "from tensorboard.plugins.projector import ProjectorConfig",
        "from tf1mem.v1.contrib.tensorboard.plugins.projector import ProjectorConfig",
    ),
    (
        "import tensorboard.plugins.projector",
        "import tf1mem.v1.contrib.tensorboard.plugins.projector as tensorboard, tf1mem.v1.contrib.tensorboard as "
        "tensorboard",
    ),
    ("import keras", "import tf1mem.v1.keras_alone as keras"),
    ("import keras as K", "import tf1mem.v1.keras_alone as K"),
    (
        "import keras.backend.tensorflow_backend",
        "import tf1mem.v1.keras_alone.backend.tensorflow_backend as keras, tf1mem.v1.keras_alone as keras",
    ),
    ("import keras.backend as K", "import tf1mem.v1.keras_alone.backend as K"),
    ("from tensorflow import a", "from tf1mem.v1 import a"),
    ("from tensorflow import a as b, c", "from tf1mem.v1 import a as b, c"),
    ("from tensorflow import *", "from tf1mem.v1 import *"),
    ("from tensorflow.x import y", "from tf1mem.v1.x import y"),
    ("from tensorflow.python.client import device_lib", "from tf1mem.v1.python.client import device_lib"),
    ("from tensorflow.core.protobuf import config_pb2", "from tf1mem.v1.core.protobuf import config_pb2"),
    ("from tensorflow_core.python.client import session", "from tf1mem.v1.python.client import session"),
    ("from tensorflow.compat.v1 import Session", "from tf1mem.v1 import Session"),
    ("from tensorflow.compat.v1.keras import backend as K", "from tf1mem.v1.keras import backend as K"),
    ("from tensorflow.compat.v1 import *", "from tf1mem.v1 import *"),
    ("from tensorflow.compat import v1 as tf", "from tf1mem import v1 as tf"),
    ("from tensorflow.compat import v1", "from tf1mem import v1"),
    ("from tensorflow.compat import as_str", "from tf1mem.v1.compat import as_str"),
    (
        "from tensorflow.compat import as_str, v1, v2 as tf2",
        "from tf1mem.v1.compat import as_str\nfrom tf1mem import v1\nfrom tensorflow.compat import v2 as tf2",
    ),
    ("from keras.layers import Dense", "from tf1mem.v1.keras_alone.layers import Dense"),
    ("from keras import backend as K", "from tf1mem.v1.keras_alone import backend as K"),
    ("def f():\n    import tensorflow as tf", "def f():\n    import tf1mem.v1 as tf"),
    ("async def f():\n    import keras", "async def f():\n    import tf1mem.v1.keras_alone as keras"),
    ("class A:\n    import tensorflow as tf", "class A:\n    import tf1mem.v1 as tf"),
    (
        "try:\n    import tensorflow.compat.v1 as tf\nexcept ImportError:\n    import tensorflow as tf",
        "try:\n    import tf1mem.v1 as tf\nexcept ImportError:\n    import tf1mem.v1 as tf",
    ),
    (
        "try:\n    pass\nexcept E:\n    pass\nelse:\n    import tensorflow\nfinally:\n    import keras",
        "try:\n    pass\nexcept E:\n    pass\nelse:\n    import tf1mem.v1 as tensorflow\n"
        "finally:\n    import tf1mem.v1.keras_alone as keras",
    ),
    (
        "if a:\n    pass\nelif b:\n    import tensorflow as tf\nelse:\n    from keras import x",
        "if a:\n    pass\nelif b:\n    import tf1mem.v1 as tf\nelse:\n    from tf1mem.v1.keras_alone import x",
    ),
    ("for a in b:\n    import keras as k", "for a in b:\n    import tf1mem.v1.keras_alone as k"),
    ("while a:\n    import keras as k", "while a:\n    import tf1mem.v1.keras_alone as k"),
    ("with a:\n    import keras as k", "with a:\n    import tf1mem.v1.keras_alone as k"),
]


def _rewritten(source: str, roots=frozenset(ROOTS)) -> tuple:
    tree = ast.parse(source)
    changed = rewrite(tree, roots)
    compile(tree, "x", "exec")
    return changed, ast.dump(tree)


@pytest.mark.parametrize("source", LEFT_ALONE)
def test_imports_of_other_modules_are_left_alone(source):
    assert _rewritten(source) == (False, ast.dump(ast.parse(source)))


@pytest.mark.parametrize(("source", "expected"), REWRITTEN)
def test_imports_of_tensorflow_are_rewritten(source, expected):
    assert _rewritten(source) == (True, ast.dump(ast.parse(expected)))


@pytest.mark.parametrize(("source", "expected"), REWRITTEN)
def test_twice_is_once(source, expected):
    assert _rewritten(expected) == (False, ast.dump(ast.parse(expected)))


def test_only_the_roots_that_are_wanted():
    source = "import tensorflow as tf, keras"
    assert _rewritten(source, frozenset(["tensorflow"]))[1] == ast.dump(ast.parse("import tf1mem.v1 as tf, keras"))
    assert _rewritten(source, frozenset())[0] is False


def test_match_and_except_star():
    for source in ("match 1:\n    case 1:\n        import keras", "try:\n    pass\nexcept* E:\n    import keras"):
        try:
            tree = ast.parse(source)
        except SyntaxError:  # this Python is older than the statement
            continue
        assert rewrite(tree, frozenset(ROOTS))
        compile(tree, "x", "exec")


def test_lines_and_columns_stay():
    source = "x = 1; import tensorflow.a.b\nif x: from tensorflow.compat import (\n    v1,\n    v2)\n"
    tree = ast.parse(source)
    places = {(node.lineno, node.col_offset) for node in ast.walk(tree) if hasattr(node, "lineno")}  # type: ignore[attr-defined]
    rewrite(tree, frozenset(ROOTS))
    for node in ast.walk(tree):
        if hasattr(node, "lineno"):
            assert (node.lineno, node.col_offset) in places  # type: ignore[attr-defined]


def test_nothing_to_rewrite_is_no_code():
    def never():
        raise AssertionError("must not be called")

    assert compile_rewritten(b"import os", "x", never, False) is None
    assert compile_rewritten(b"import tensorflow", "x", frozenset, False) is None


@pytest.mark.parametrize(
    "source",
    [
        "# -*- coding: latin-1 -*-\nimport tensorflow as tf\nx = '\u00e4'".encode("latin-1"),
        b"\xef\xbb\xbfimport tensorflow as tf\nx = '\xc3\xa4'",
        b"import tensorflow as tf\r\nx = '\xc3\xa4'\r\n",
    ],
)
def test_encodings(source):
    code = compile_rewritten(source, "x", lambda: frozenset(ROOTS), False)
    assert code is not None
    assert "\u00e4" in code.co_consts


def test_an_expression_as_deep_as_python_itself_takes(caplog):
    source = b"import tensorflow as tf\nx = " + b" + ".join([b"a"] * 1500)
    compile(source, "x", "exec")
    code = compile_rewritten(source, "deep.py", lambda: frozenset(ROOTS), False)
    if sys.version_info[:2] == (3, 12):
        assert code is None
        assert "deep.py runs unchanged" in caplog.text
    else:
        assert code is not None


def test_our_future_imports_are_not_the_programs():
    code = compile_rewritten(b"import keras\ndef f(a: 1 + 1): pass", "x", lambda: frozenset(ROOTS), False)
    assert code is not None
    assert not code.co_flags & __import__("__future__").annotations.compiler_flag


def test_a_new_name_of_nested_compat_modules():
    assert new_name("tensorflow.compat.v1.compat.v1.train", frozenset(ROOTS)) == "tf1mem.v1.train"
    assert new_name("tensorflow.compat.v1.compat.v2", frozenset(ROOTS)) is None
    assert new_name("tensorflow2", frozenset(ROOTS)) is None
