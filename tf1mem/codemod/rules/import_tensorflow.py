"""A file that uses a name that TensorFlow 2 has lost imports TensorFlow 1's API from tf1mem.v1, on every TensorFlow.

The config stays as it is and is read when the program runs, so flags, `**options`, setattr and text protos keep
working. A file stays as it is if it is for TensorFlow 2 already, uses only names that TensorFlow 2 has, or tests the
version and has a branch for each. TFM102 reports other files that stay. Names that moved within `tensorflow.python`
are changed, too.
"""

from __future__ import annotations

from typing import Iterator

from tree_sitter import Node

from tf1mem.codemod.claims import ClaimKind, Claims
from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.findings import Rewrite, rewrite
from tf1mem.codemod.results import Edit
from tf1mem.codemod.rules import Example, Rule
from tf1mem.codemod.source.edits import replace
from tf1mem.codemod.source.paths import HOME, dotted_text, shim_module
from tf1mem.codemod.source.syntax import import_items, imported_module
from tf1mem.codemod.targets import plain

_MOVED = f"imports from {HOME}"

rule = Rule(
    "TFM101",
    to=("shim",),
    examples=(
        Example("import tensorflow as tf\nx = tf.constant(1)\n"),
        Example("import tensorflow as tf\ngpus = tf.config.list_physical_devices('GPU')\n"),
        Example("import tf1mem.v1 as tf\nsess = tf.Session()\n"),
        Example("import tensorflow as np\nprint('np.Session')  # np.Session\n"),
        Example("import tensorflow as tf\nif tf.__version__ < '2':\n    sess = tf.Session()\nelse:\n    pass\n"),
        Example(
            "import tensorflow as tf\ntry:\n    s = tf.Session()\n"
            "except AttributeError:\n    s = tf.compat.v1.Session()\n"
        ),
        Example("import tensorflow as tf\ndef f(tf):\n    return tf.Session()\n"),
        Example(
            "import tensorflow.compat.v1 as tf1\nimport tensorflow.compat.v2 as tf\n"
            "@tf.function\ndef f():\n    return tf1.train.AdamOptimizer(0.1)\n"
        ),
        Example("import tensorflow as tf\ntf.enable_v2_behavior()\ntf.test.main()\n"),
        Example(
            "import tensorflow as tf\nif tf.__version__ > '1.4':\n    from tensorflow import keras\n"
            "else:\n    from tensorflow.contrib import keras\nkeras.callbacks.Callback()\n"
        ),
        Example(
            "try:\n    from tensorflow.compat.v1 import ConfigProto\nexcept ImportError:\n"
            "    from tensorflow import ConfigProto\nprint(ConfigProto)\n"
        ),
        Example("import tensorflow as tf\nsess = tf.Session()\n", "import tf1mem.v1 as tf\nsess = tf.Session()\n"),
        Example(
            "import tensorflow as tf\nif not hasattr(self, name) or self.model_VERSION == 3:\n"
            "    with tf.variable_scope(name):\n        pass\n",
            "import tf1mem.v1 as tf\nif not hasattr(self, name) or self.model_VERSION == 3:\n"
            "    with tf.variable_scope(name):\n        pass\n",
        ),
        Example("import tensorflow as T\nT.placeholder(1)\n", "import tf1mem.v1 as T\nT.placeholder(1)\n"),
        Example("import tensorflow\ntensorflow.Session()\n", "import tf1mem.v1 as tensorflow\ntensorflow.Session()\n"),
        Example(
            "import os, tensorflow as tf, sys\nconfig = tf.ConfigProto()\n",
            "import os, tf1mem.v1 as tf, sys\nconfig = tf.ConfigProto()\n",
        ),
        Example(
            "import os, \\\n    tensorflow as tf\ntf.Session()\n", "import os, \\\n    tf1mem.v1 as tf\ntf.Session()\n"
        ),
        Example(
            "import tensorflow as tf\ny = tf.reduce_sum(x, keep_dims=True)\n",
            "import tf1mem.v1 as tf\ny = tf.reduce_sum(x, keep_dims=True)\n",
        ),
        Example(
            "import tensorflow.compat.v1 as tf\ntf.disable_v2_behavior()\ntf.placeholder(1)\n",
            "import tf1mem.v1 as tf\ntf.disable_v2_behavior()\ntf.placeholder(1)\n",
        ),
        Example(
            "from tensorflow.compat import v1 as tf\ntf.layers.dense(x, 1)\n",
            "from tf1mem import v1 as tf\ntf.layers.dense(x, 1)\n",
        ),
        Example(
            "from tensorflow import Session, ConfigProto\nSession(config=ConfigProto())\n",
            "from tf1mem.v1 import Session, ConfigProto\nSession(config=ConfigProto())\n",
        ),
        Example(
            "from tensorflow.python.client.session import Session\nSession()\n",
            "from tf1mem.v1 import Session\nSession()\n",
        ),
        Example("import tensorflow as tf\ntf.flags.FLAGS\n", "import tf1mem.v1 as tf\ntf.flags.FLAGS\n"),
        Example(
            "import tensorflow.contrib.slim as slim\nslim.conv2d(x)\n",
            "import tf1mem.v1.contrib.slim as slim\nslim.conv2d(x)\n",
        ),
        Example(
            "import tensorflow.contrib.slim\ntensorflow.contrib.slim.conv2d(x)\n",
            "import tf1mem.v1 as tensorflow, tf1mem.v1.contrib.slim\ntensorflow.contrib.slim.conv2d(x)\n",
        ),
        Example(
            "def f():\n    import tensorflow as tf\n    return tf.Session()\nf()\n",
            "def f():\n    import tf1mem.v1 as tf\n    return tf.Session()\nf()\n",
        ),
        Example(
            "try:\n    import tensorflow.compat.v1 as tf\nexcept ImportError:\n    import tensorflow as tf\n"
            "tf.disable_v2_behavior()\n",
            "try:\n    import tf1mem.v1 as tf\nexcept ImportError:\n    import tf1mem.v1 as tf\n"
            "tf.disable_v2_behavior()\n",
        ),
        Example(
            "import tensorflow as tf\nif tf.__version__ >= '2':\n    tf = tf.compat.v1\n    tf.disable_v2_behavior()\n"
            "tf.Session()\n",
            "import tf1mem.v1 as tf\nif tf.__version__ >= '2':\n    tf = tf.compat.v1\n    tf.disable_v2_behavior()\n"
            "tf.Session()\n",
        ),
        Example(
            "import tensorflow.compat.v1 as tf\ntf.disable_eager_execution()\nwith tf.GradientTape() as t:\n    pass\n",
            "import tf1mem.v1 as tf\ntf.disable_eager_execution()\nwith tf.GradientTape() as t:\n    pass\n",
        ),
        Example(
            "import tensorflow as tf\ntf.enable_eager_execution()\nwith tf.GradientTape() as t:\n    pass\n",
            "import tf1mem.v1 as tf\ntf.enable_eager_execution()\nwith tf.GradientTape() as t:\n    pass\n",
        ),
        Example(
            "import tensorflow as tf\nfrom tensorflow.python.framework.ops import Tensor, get_default_graph\n"
            "from tensorflow.python.ops import embedding_ops\ntf.Session()\n",
            "import tf1mem.v1 as tf\nfrom tf1mem.v1.python.framework.ops import Tensor, get_default_graph\n"
            "from tensorflow.python.ops import embedding_ops\ntf.Session()\n",
        ),
        Example(
            "import tensorflow as tf\nfrom tensorflow.keras import layers\ntf.Session()\n",
            "import tf1mem.v1 as tf\nfrom tf1mem.v1.keras import layers\ntf.Session()\n",
        ),
    ),
)


@rule
def imports(facts: Facts, claims: Claims) -> Iterator[Rewrite]:
    """Yields rewrites of the import statements that move to tf1mem.v1."""
    for statement in facts.imports.statements:
        if not claims.has(ClaimKind.MOVED, statement) or claims.has(ClaimKind.NEEDLESS, statement):
            continue
        module = imported_module(statement)
        edits = [*_edit_import(facts, statement)] if module is None else _edit_from_import(facts, statement, module)
        if edits:
            yield rewrite(statement, _MOVED, *edits)


@rule.plainly
def plain_file(source: bytes) -> list[Rewrite] | None:
    """Returns the rewrites of a plain file's imports; None if the file isn't plain."""
    edits = None if b"tf1mem" in source else plain.edits(source)
    if edits is None:
        return None
    return [Rewrite(source.rfind(b"\n", 0, edit.start) + 1, _MOVED, (edit,)) for edit in edits]


def _edit_import(facts: Facts, statement: Node) -> Iterator[Edit]:
    for item in import_items(statement):
        path = dotted_text(facts.text(item.name))
        home = shim_module(path)
        if home is None or path.startswith(HOME):
            continue
        root = path.split(".", 1)[0]
        if item.alias is None:
            first = home if path == root else shim_module(root)
            home = f"{first} as {root}" + ("" if path == root else ", " + home)
        yield replace(item.name, home.encode())


def _edit_from_import(facts: Facts, statement: Node, module: Node) -> list[Edit]:
    path = dotted_text(facts.text(module))
    if path == "tensorflow.compat":
        items = [facts.text(item.name) for item in import_items(statement)]
        return [replace(module, b"tf1mem")] if items == [b"v1"] else []
    home = shim_module(path)
    return [] if home is None else [replace(module, home.encode())]
