"""The known reasons for different results."""

from __future__ import annotations

import pytest

from tf1mem.verifying import reasons
from tf1mem.verifying.unrolling import Op
from tf1mem.verifying.walking import Place


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
    op = Op("op", op_type, ["x"], ["op:0"], "", {}, [])
    reason = reasons.reason(Place(op, op, 1.0, 0.1, ([], []), {}, {}))
    assert reason is not None
    assert reason.says.startswith(beginning)
