"""The change that the doctor offers as a diff, and the parts that it leaves to the user."""

from __future__ import annotations

import sys
from importlib.util import find_spec

import pytest

from tf1mem.doctor.judges.ending import KERAS_GONE, NAME_GONE
from tf1mem.doctor.patches import patches

pytestmark = pytest.mark.skipif(
    sys.version_info < (3, 10) or find_spec("tree_sitter") is None, reason="the codemod isn't there"
)


def test_a_diff_that_leaves_the_program_on_keras_3_says_so(tmp_path):
    script = tmp_path / "old.py"
    script.write_text(
        "from keras.backend.tensorflow_backend import set_session\nfrom keras import layers\n"
        "import tensorflow as tf\nset_session(tf.Session(config=tf.ConfigProto()))\n"
    )
    (patch,) = patches([KERAS_GONE.finding("set_session is gone", "")], str(script))
    assert "+tf1mem.apply(" in patch.diff
    (left,) = patch.left
    assert left.startswith("line 2: ")
    assert "Keras 3" in left
    assert "`tf1mem run`" in left


def test_a_script_that_stays_gets_a_remark(tmp_path):
    script = tmp_path / "new.py"
    script.write_text("import tensorflow as tf\nwith tf.GradientTape():\n    tf.log(1.0)\n")
    (patch,) = patches([NAME_GONE.finding("log is gone", "")], str(script))
    assert (patch.diff, patch.why_not) == ("", "")
    assert "tf.compat.v1.log" in patch.left[0]
