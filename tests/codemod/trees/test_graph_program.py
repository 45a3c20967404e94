"""In a folder whose main scripts all disable eager mode, target shim moves files that it leaves alone elsewhere."""

from __future__ import annotations

import json

import pytest

from tests.codemod.trees import build, codemod
from tf1mem.codemod import rewrite
from tf1mem.codemod.trees.graph_program import is_for_graphs
from tf1mem.codemod.trees.walk import walk

MAIN = b"import model\nimport tensorflow as tf\nif __name__ == '__main__':\n    print(tf.Session().run(model.f()))\n"
SWITCHES = b"import tensorflow as tf\ndef main():\n    tf.compat.v1.disable_v2_behavior()\nmain()\n"
TF2 = b"import tensorflow as tf\nif __name__ == '__main__':\n    print(tf.constant(1))\n"
# Files that the target leaves alone elsewhere.
LIBRARIES = {
    "model.py": b"import tensorflow.compat.v1 as tf\ndef f():\n    return tf.placeholder_with_default(1, [])\n",
    "eager.py": b"import tensorflow as tf\ndef f():\n    return tf.executing_eagerly() or tf.contrib.rnn.LSTMCell(1)\n",
    "lazy.py": b"def f():\n    import tensorflow as tf\n    return tf.get_variable('x', [1])\n",
}


@pytest.mark.parametrize(
    ("scripts", "expected"),
    [
        ({"main.py": MAIN}, True),
        ({"main.py": SWITCHES}, True),
        ({"main.py": MAIN, "export.py": TF2}, False),
        ({"main.py": MAIN, "model_test.py": TF2, "test_model.py": TF2}, True),
        ({"main.py": MAIN.replace(b"tensorflow", b"tf1mem.v1")}, True),
        ({"main.py": MAIN, "tool.py": b"import numpy\nif __name__ == '__main__':\n    print(numpy.pi)\n"}, True),
        ({}, False),
    ],
)
def test_main_scripts_decide_if_a_folder_is_for_graphs(tmp_path, scripts, expected):
    build(tmp_path, {**LIBRARIES, **scripts})
    assert is_for_graphs(walk([str(tmp_path)])) is expected


def test_the_main_script_decides_for_the_other_files(tmp_path):
    build(tmp_path, {**LIBRARIES, "main.py": MAIN})
    done = codemod("--check", "--format", "json", tmp_path)
    assert {file["path"].rpartition("/")[2] for file in json.loads(done.stdout)["files"] if file["changes"]} == {
        "main.py", *LIBRARIES
    }  # fmt: skip
    for library in LIBRARIES.values():  # alone, it may be a part of any program
        alone = rewrite(library)
        assert (alone.changes, [remark.code for remark in alone.remarks]) == ((), ["TFM102"])
    assert codemod("--write", tmp_path).returncode == 0
    again = codemod("--check", tmp_path)
    assert again.returncode == 0, again.stdout
