"""A config and the call that takes it get TensorFlow 2's names; other TensorFlow 1 names remain, and are counted."""

from __future__ import annotations

import pytest

from tests.codemod.trees import build, codemod
from tf1mem.codemod import rewrite
from tf1mem.codemod.trees.outcomes import Tally
from tf1mem.codemod.trees.phrases import summary
from tf1mem.codemod.trees.work import outcome_of

HEAD = "import tensorflow as tf\n"
# Calls that take a config.
TAKERS = (
    "with tf.Session(config=config) as sess:\n    pass\n",
    "sess = tf.InteractiveSession(config=config)\n",
    "sess = tf.train.MonitoredTrainingSession(config=config)\n",
    "server = tf.train.Server(cluster, config=config)\n",
)


@pytest.mark.parametrize("to", ["apply", "native"])
@pytest.mark.parametrize("taker", TAKERS)
def test_a_call_and_its_config_get_the_same_spelling(to, taker):
    source = HEAD + "config = tf.ConfigProto(gpu_options=tf.GPUOptions(allow_growth=True))\n" + taker
    result = rewrite(source.encode(), to=to)
    after = result.source.decode().replace("tf.compat.v1.", "")
    assert not [name for name in ("tf.Session", "tf.Int", "tf.train", "tf.Conf", "tf.GPU") if name in after]
    assert result.tf1_names == 0


@pytest.mark.parametrize("to", ["apply", "native"])
def test_all_sessions_of_a_file_get_the_same_name(to):
    source = HEAD + "sess = tf.Session(config=tf.ConfigProto())\nother = tf.InteractiveSession(graph=graph)\n"
    result = rewrite(source.encode(), to=to)
    assert b"tf.Session" not in result.source
    assert b"other = tf.compat.v1.InteractiveSession(graph=graph)" in result.source


def left(body: str, to: str = "apply") -> int:
    """Returns the number of TensorFlow 1 names that remain in a file with a Session and this body."""
    return rewrite((HEAD + "sess = tf.Session(config=config)\n" + body).encode(), to=to).tf1_names


def test_remaining_names_are_counted():
    assert left("x = tf.placeholder(tf.float32)\ntf.global_variables_initializer().run()\n") == 2
    assert left("x = tf.contrib.layers.flatten(x)\n", to="native") == 1
    assert left("x = tf.compat.v1.placeholder(tf.float32)\ny = tf.constant(1)\n") == 0
    assert left("if hasattr(tf, 'placeholder'):\n    x = tf.placeholder(tf.float32)\n") == 0
    assert left("x = tf.placeholder(tf.float32)\n", to="shim") == 0
    assert rewrite(b"import tensorflow.compat.v1 as tf\nx = tf.Session(config=c)\n", to="apply").tf1_names == 0


@pytest.mark.parametrize("to", ["apply", "native"])
def test_names_are_counted_in_files_without_settings_too(tmp_path, to):
    build(tmp_path, {"a.py": (HEAD + "x = tf.placeholder(tf.float32)\nwith tf.Session():\n    pass\n").encode()})
    done = codemod("--to", to, "a.py", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout.startswith(b"a.py:2:5: TFM008 TensorFlow 2 has tf.placeholder, tf.Session only in compat.v1\n")
    nothing, names = done.stderr.decode().splitlines()
    assert nothing.startswith("1 file looked at, nothing to change")
    assert names.startswith("2 names of TensorFlow 1 remain")


@pytest.mark.parametrize("mode", ["show", "check", "write"])
def test_the_summary_counts_remaining_names_and_the_commands_for_them(mode):
    source = (HEAD + "sess = tf.Session(config=config)\nx = tf.placeholder(tf.float32)\ny = tf.log(x)\n").encode()
    tally = Tally()
    tally.add(outcome_of("a.py", "python", source, rewrite(source, to="apply"), diff=False))
    (line,) = [line for line in summary(tally, mode) if "TensorFlow 1" in line]
    assert line.startswith("2 names of TensorFlow 1 remain")
    assert "--to shim" in line
    assert "tf_upgrade_v2" in line
