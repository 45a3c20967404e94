"""Calls that make a different number of ops than on TensorFlow 1.15.5; tests/v1/seeds/differing.py writes the rows.

`ROWS` maps a TensorFlow version to functions, and a function to the kinds of its calls that differ. A kind is written as
the features of its calls, separated by spaces: see `_differing.features_of`. "" stands for every call.
"""

# ruff: noqa: E501
# fmt: off
from __future__ import annotations

from typing import Any, Dict, List, Set

from packaging.version import Version


def table(version: Any) -> Dict[str, List[Set[str]]]:
    """Returns the rows that hold for a TensorFlow: the rows of the newest measured version up to that TensorFlow.

    Args:
        version: TensorFlow's version; None stands for the newest.

    Returns:
        Function -> the features of each kind of call that differs.
    """
    measured = [each for each in ROWS if version is None or Version(each) <= version]
    rows = ROWS[measured[-1]] if measured else {}
    return {name: [{*kind.split()} for kind in kinds] for name, kinds in rows.items()}


ROWS: Dict[str, Dict[str, List[str]]] = {
    "2.4.4": {
        "gradients of einsum": [""],
        "gradients of tensordot": [""],
        "nn.dynamic_rnn": ["cell=GridLSTMCell inputs=D", "cell=IntersectionRNNCell"],
    },
    "2.10.1": {
        "bincount": [""],
        "gradients of einsum": [""],
        "gradients of nn.swish": [""],
        "gradients of sign": [""],
        "gradients of tensordot": [""],
        "nn.dynamic_rnn": ["cell=GridLSTMCell inputs=D", "cell=IntersectionRNNCell"],
    },
    "2.15.1": {
        "gradients of einsum": [""],
        "gradients of nn.swish": [""],
        "gradients of sign": [""],
        "gradients of tensordot": [""],
        "layer BatchNormalization": ["renorm=t training=0"],
        "nn.dynamic_rnn": ["cell=GridLSTMCell inputs=D", "cell=IntersectionRNNCell"],
    },
    "2.18.1": {
        "gradients of einsum": [""],
        "gradients of nn.swish": [""],
        "gradients of sign": [""],
        "gradients of tensordot": [""],
        "layer BatchNormalization": ["renorm=t training=0"],
        "nn.dynamic_rnn": ["cell=GridLSTMCell inputs=D", "cell=IntersectionRNNCell"],
    },
    "2.21.0": {
        "gradients of einsum": [""],
        "gradients of nn.swish": [""],
        "gradients of sign": [""],
        "gradients of tensordot": [""],
        "layer BatchNormalization": ["renorm=t training=0"],
        "nn.dynamic_rnn": ["cell=GridLSTMCell inputs=D", "cell=IntersectionRNNCell"],
    },
}
