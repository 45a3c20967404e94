"""A table of the names that TensorFlow 1.0 removed, and their replacements, for programs older than 1.0.

`tf1mem run` supplies these names to such programs, and records them for its report; the codemod writes the new names.
A program that imports tf1mem.v1 itself doesn't get them: it is written for TensorFlow 1, which lacks them.
"""

from __future__ import annotations

from typing import Dict, Tuple

from tf1mem.names.rows import old_names, sections

Arguments = Tuple[Tuple[str, ...], Dict[str, str]]

# TensorFlow's own file that still has the summary ops of before 1.0.
_SUMMARIES = "python.ops.logging_ops"

OLD_NAMES = tuple(old_names(sections("before_1")[""]))

# Functions whose arguments have another order or other names today: the old order, by today's names, and old name ->
# new name.
ARGUMENTS: dict[str, Arguments] = {
    "batch_matmul": (
        ("a", "b", "adjoint_a", "adjoint_b", "name"),
        {"x": "a", "y": "b", "adj_x": "adjoint_a", "adj_y": "adjoint_b"},
    ),
    "select": (("condition", "x", "y", "name"), {"t": "x", "e": "y"}),
}


# "train.SummaryWriter" -> "summary.FileWriter"
TABLE = {old.path: old.new_path for old in OLD_NAMES}


def public(name: str) -> str:
    """Returns the public name that a name in TABLE has had since TensorFlow 1.0; TABLE may lead to a private one."""
    return TABLE[name].replace(_SUMMARIES, "contrib.deprecated")


# Functions that kept their names but not the order of their arguments, in the form of ARGUMENTS;
# tf1mem/v1/_before_1.py detects which order a call uses.
REORDERED: dict[str, Arguments] = {
    "concat": (("axis", "values", "name"), {"concat_dim": "axis"}),
    "image.resize_images": (
        ("images", "height", "width", "method", "align_corners"),
        {"new_height": "height", "new_width": "width"},
    ),
    "nn.sigmoid_cross_entropy_with_logits": (("logits", "labels", "name"), {"targets": "labels"}),
    "nn.softmax_cross_entropy_with_logits": (("logits", "labels", "dim", "name"), {}),
    "nn.sparse_softmax_cross_entropy_with_logits": (("logits", "labels", "name"), {}),
    "reverse": (("tensor", "axis", "name"), {"dims": "axis"}),
    "split": (
        ("axis", "num_or_size_splits", "value", "name"),
        {"split_dim": "axis", "num_split": "num_or_size_splits"},
    ),
}
