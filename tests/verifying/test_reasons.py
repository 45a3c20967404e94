"""The known reasons for different results."""

from __future__ import annotations

import pytest

from tests.verifying.forked import certificate
from tests.verifying.planted import new
from tf1mem.verifying import reasons
from tf1mem.verifying.unrolling import Op
from tf1mem.verifying.walking import DifferingOps

WARM = ("tf1mem.v1", "tf1mem.verifying.recording.start")
# Its initial weights are singular vectors, whose sign depends on NumPy's LAPACK.
PROGRAM = """\
import numpy as np
import tensorflow as tf

w = tf.get_variable("w", initializer=np.linalg.svd(np.arange(9.0).reshape(3, 3))[0].astype("f4"))
loss = tf.reduce_mean((w - 1.0) ** 2)
train = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run([train, loss])
"""


def test_the_reason_of_a_constant(warm, tmp_path):
    other_sign = PROGRAM.replace("[0].astype", "[0].__neg__().astype")
    difference = certificate(warm, tmp_path, new(PROGRAM), new(other_sign), steps=1)["first_difference"]
    assert difference["kind"] == "first values"
    assert "w:0 starts from other values" in difference["message"]
    assert "LAPACK" in difference["reason"]


@pytest.mark.parametrize(
    ("op_type", "beginning"),
    [
        ("ResizeBilinear", "Resizing: "),
        ("CropAndResize", "Cropping: "),
        ("Softmax", "Softmax: "),
        ("SparseSoftmaxCrossEntropyWithLogits", "The loss takes other labels"),
        ("FusedBatchNormV3", "Batch norm: "),
        ("Digamma", "Digamma at 0"),
    ],
)
def test_the_reason_of_an_op_type(op_type, beginning):
    op = Op("op", op_type, inputs=["x"], outputs=["op:0"], line="", attributes={}, arguments=[])
    differing = DifferingOps(op, op, apart=1.0, limit=0.1, between=([], []), constants={}, attributes={})
    reason = reasons.reason(differing)
    assert reason is not None
    assert reason.says.startswith(beginning)
