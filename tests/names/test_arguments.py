"""The arguments that the codemod knows to have changed are those that TensorFlow's own tf_upgrade_v2 rewrites."""

from __future__ import annotations

import re

import pytest

from tf1mem.codemod import rewrite
from tf1mem.names import arguments, tf1_names, tf2_names
from tf1mem.names.arguments import orders

upgrade = pytest.importorskip("tensorflow.tools.compatibility.tf_upgrade_v2")

# Names that tf_upgrade_v2 edits or comments on, though the arguments don't change the meaning -> the reason.
_SAME = {
    # arguments.WRITES and arguments.PARTITIONED have rules of their own for the step, the writer and the partitions.
    **dict.fromkeys([*arguments.WRITES, *arguments.PARTITIONED], "has a remark of its own"),
    "nn.safe_embedding_lookup_sparse": "usually takes one table; a partition_strategy shows the other calls",
    "keras.models.save_model": "in TensorFlow 1, Keras of that time is meant; the file's ending says the format",
    "math.l2_normalize": "dim is axis in both: compat.v1 takes either",
    "linalg.l2_normalize": "the same",
    "nn.l2_normalize": "the same",
    "distribute.MirroredStrategy": "only its datasets are of version 2: its members get a remark",
    "debugging.assert_integer": "returns nothing in eager mode, and in a graph nobody uses the result",
    "debugging.assert_type": "the same",
    **dict.fromkeys(
        ["initializers.ones", "initializers.zeros", "ones_initializer", "zeros_initializer"],
        "takes any arguments in TensorFlow 2 and ignores them: the dtype is that of the variable",
    ),
}
_KERAS = re.compile(r"keras\.initializers\.")


def spec():
    return upgrade.TFAPIChangeSpec(import_rename=False, upgrade_compat_v1_import=True)


def functions() -> list[str]:
    """Returns the functions that tf_upgrade_v2 edits, or comments on, because of their arguments."""
    changes = spec()
    tables = (
        changes.function_keyword_renames, changes.function_reorders, changes.function_transformers,
        changes.function_arg_warnings, changes.function_warnings,
    )  # fmt: skip
    return sorted({name[3:] for table in tables for name in table if name.startswith("tf.")})


def test_every_function_of_tf_upgrade_v2_is_known():
    """Each function is gone in TensorFlow 2, or is recognized by a keyword or a position, or is listed in `_SAME`."""
    unknown = [
        name
        for name in functions()
        if not (tf1_names.gone(name) or tf2_names.lacking(name))
        and not tf1_names.v1_only_keywords(name) and orders(name) is None
        and name not in _SAME and not _KERAS.match(name)
    ]  # fmt: skip
    assert unknown == []


def test_every_order_of_tf_upgrade_v2_is_known():
    """The rule checks all positions that tf_upgrade_v2 converts to keywords because the orders differ."""
    reordered = [
        name[3:]
        for name in spec().function_reorders
        if name.startswith("tf.") and not tf1_names.gone(name[3:]) and not tf2_names.lacking(name[3:])
    ]
    assert [name for name in reordered if orders(name) is None] == []


def test_every_renamed_keyword_moves_a_file():
    """A keyword that the newest TensorFlow's tf_upgrade_v2 renames is recognized as TensorFlow 1's."""
    for name, renamed in sorted(spec().function_keyword_renames.items()):
        dotted = name[3:]
        if not name.startswith("tf.") or tf1_names.gone(dotted) or tf2_names.lacking(dotted):
            continue
        gone = [old for old in renamed if old in tf1_names.v1_only_keywords(dotted)]
        for old in gone:
            result = rewrite(f"import tensorflow as tf\nx = tf.{dotted}({old}=1)\n".encode(), to="shim")
            assert b"tf1mem.v1" in result.source, (dotted, old)


HEAD = "import tensorflow as tf\n"
TF2 = "@tf.function\ndef f():\n    return 1\n"
# A call, and what target shim does to a file in which it is the only sign of TensorFlow 1: the file "moves" to
# tf1mem.v1, since the arguments are TensorFlow 1's; it "stays", since they mean the same in both; or it "gets a
# remark", since they may be either's.
CALLS = [
    ("tf.nn.dropout(x, keep_prob)", "moves"),
    ("tf.nn.dropout(x, self.keep_probability)", "moves"),
    ("tf.nn.dropout(x, 1.0 - self.dropout, seed=1)", "moves"),
    ("tf.nn.dropout(x, params['dropout_keep_prob'])", "moves"),
    ("tf.nn.dropout(x, keep_prob=0.5)", "moves"),
    ("tf.nn.dropout(x, 0.5)", "stays"),
    ("tf.nn.dropout(x, rate=0.1)", "stays"),
    ("tf.nn.dropout(x, rate=1 - keep)", "stays"),
    ("tf.nn.dropout(x, drop_rate)", "stays"),
    ("tf.nn.dropout(x, 1 - keep_prob)", "stays"),
    ("tf.nn.dropout(x, 0.1)", "gets a remark"),
    ("tf.nn.dropout(x, dropout)", "gets a remark"),
    ("tf.nn.sigmoid_cross_entropy_with_logits(None, labels, logits)", "moves"),
    ("tf.nn.softmax_cross_entropy_with_logits(None, y, x, -1)", "moves"),
    ("tf.nn.softmax_cross_entropy_with_logits(logits, y)", "moves"),
    ("tf.nn.softmax_cross_entropy_with_logits(labels, logits)", "stays"),
    ("tf.nn.softmax_cross_entropy_with_logits(labels=y, logits=x)", "gets a remark"),
    ("tf.nn.softmax_cross_entropy_with_logits(a, b)", "gets a remark"),
    ("tf.argmax(x, 1)", "stays"),
    ("tf.argmax(x, 1, 'best')", "moves"),
    ("tf.argmax(x, 1, tf.int32)", "stays"),
    ("tf.argmax(x, 1, what)", "gets a remark"),
    ("tf.shape(x, 'size')", "moves"),
    ("tf.shape(x, tf.int64)", "stays"),
    ("tf.name_scope(None, 'scope')", "moves"),
    ("tf.nn.moments(x, [0], None, True)", "stays"),
    ("tf.nn.moments(x, [0], None, 'moments')", "moves"),
    ("tf.nn.conv2d(x, w, s, 'SAME', True)", "moves"),
    ("tf.nn.conv2d(x, w, s, 'SAME', 'NHWC')", "stays"),
    ("tf.nn.embedding_lookup(t, ids, 'mod')", "moves"),
    ("tf.nn.embedding_lookup([a, b], ids)", "gets a remark"),
    ("tf.nn.embedding_lookup(t, ids)", "stays"),
    ("tf.transpose(x, [1, 0], 'turned')", "moves"),
    ("tf.transpose(x, [1, 0], True)", "stays"),
    ("tf.gather_nd(x, i, 1)", "stays"),
    ("tf.boolean_mask(x, m, 'kept')", "moves"),
    ("tf.math.in_top_k(predictions, targets, 3)", "moves"),
    ("tf.math.in_top_k(a, b, 3)", "gets a remark"),
    ("tf.summary.scalar('loss', x)", "gets a remark"),
    ("tf.summary.scalar('loss', x, step=1)", "stays"),
    ("tf.constant(1, tf.int32, [2], 'c', True)", "moves"),
    ("tf.convert_to_tensor(x, tf.float32, 'x')", "moves"),
    ("x.get_shape()[-1].value", "moves"),
    ("x.shape[1].value", "moves"),
    ("d.make_one_shot_iterator()", "moves"),
    ("tf.data.Dataset.range(3).batch(1).make_initializable_iterator()", "moves"),
    ("tf.compat.v1.data.Dataset.range(3).make_one_shot_iterator()", "stays"),
    ("tf.compat.v1.data.make_one_shot_iterator(d)", "stays"),
    ("tf.data.Iterator.from_structure(a, b)", "gets a remark"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "what"), CALLS)
def test_the_tensorflow_that_a_call_is_written_for(call, what):
    """Checks the call alone in a file, in a file for TensorFlow 2, and with the targets that don't import tf1mem.v1."""
    result = rewrite(f"{HEAD}y = {call}\n".encode(), to="shim")
    assert (b"tf1mem.v1" in result.source) == (what == "moves")
    assert bool(result.remarks) == (what == "gets a remark")
    stays = rewrite(f"{HEAD}{TF2}y = {call}\n".encode(), to="shim")
    assert not stays.changed
    if what != "gets a remark":
        assert bool(stays.remarks) == (what == "moves")
    for to in ("apply", "native"):
        left = rewrite(f"{HEAD}y = {call}\n".encode(), to=to)
        assert bool(left.remarks) == (what != "stays")
