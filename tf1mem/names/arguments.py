"""Functions whose arguments have another order, or another meaning, in TensorFlow 2 than in TensorFlow 1.

The orders are generated from TensorFlow 1.15.5 and 2.21 themselves by tests/names/generating.py.
tests/names/test_arguments.py proves that they include all that TensorFlow's own tf_upgrade_v2 rewrites.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from tf1mem.names.rows import sections

# Names of arguments that take a text, a dtype, or True and False: a literal of that kind shows which argument is meant.
TEXTS = frozenset(
    "name message msg scope default_name partition_strategy data_format padding unit combiner tag".split()
)
TYPES = frozenset("dtype dtype_hint preferred_dtype out_type output_type output_dtype Targmax".split())
FLAGS = frozenset(
    "keep_dims keepdims strict conjugate use_cudnn_on_gpu align_corners preserve_aspect_ratio antialias verify_shape"
    " validate_indices trainable validate_shape merge_repeated deterministic optimize expand_nonconcat_dim"
    " expand_nonconcat_dims output_is_sparse narrow_range colocate_gradients_with_ops gate_gradients name_is_scope"
    " include_batch_in_index allow_fast_lookup uniform_noise ctc_merge_repeated time_major logits_time_major".split()
)
# The words that text arguments accept.
WORDS = {
    "padding": frozenset(["SAME", "VALID"]),
    "partition_strategy": frozenset(["mod", "div"]),
    "unit": frozenset(["BYTE", "UTF8_CHAR"]),
    "combiner": frozenset(["mean", "sqrtn", "sum"]),
    "data_format": frozenset(["NHWC", "NCHW", "NWC", "NCW", "NDHWC", "NCDHW", "channels_first", "channels_last"]),
}
# Pairs of names of one argument, beside those that tf_upgrade_v2 knows.
_SAME = frozenset(
    {("tensor", "data"), ("values", "data"), ("device_name_or_function", "device_name"), ("inputs", "logits"),
     ("virtual_devices", "logical_devices"), ("value_structure", "element_spec")}
)  # fmt: skip
# The first argument of cross entropies, which a call must not pass: TensorFlow 1.0 made all others keywords by it.
SENTINEL = "_sentinel"
# Functions -> the least number of arguments that a call for TensorFlow 1 has. A call with fewer is for TensorFlow 2.
NEEDED = {"test.compute_gradient": 4, "saved_model.load": 3}
# Functions that do something else in TensorFlow 2 with equal arguments, so that no argument shows a call's TensorFlow:
# summaries, which need a step there, and lookups in a list of partitions, which it divides differently.
WRITES = frozenset("summary.audio summary.histogram summary.image summary.scalar summary.text".split())
PARTITIONED = {
    "nn.embedding_lookup": 0,
    "nn.embedding_lookup_sparse": 0,
    "nn.nce_loss": 0,
    "nn.sampled_softmax_loss": 0,
}
# Functions with other results in TensorFlow 2, measured with 2.21 -> what they do there, and what in TensorFlow 1.
BY_DEFAULT = {
    "image.resize": ("samples at the centers of pixels", "at their corners"),
    "nn.softmax_cross_entropy_with_logits": ("has gradients of its labels", "none"),
    "strings.split": ("returns a RaggedTensor", "a SparseTensor"),
}


class Orders(NamedTuple):
    """The orders of a function's arguments in TensorFlow 1 and 2.

    Attributes:
        tf1: Names of the arguments in TensorFlow 1.
        tf2: Names of the arguments in TensorFlow 2.
        first: The first position that has another meaning in the other version, or that only TensorFlow 1 has.
    """

    tf1: tuple[str, ...]
    tf2: tuple[str, ...]
    first: int


def orders(dotted: str) -> Orders | None:
    """Returns a function's orders of arguments; None if positions mean the same, or are unknown.

    Args:
        dotted: Name without "tensorflow", such as "nn.dropout".
    """
    return _read().get(dotted)


def is_same(first: str, second: str) -> bool:
    """Returns True if two names are names of one argument."""
    return first == second or (first, second) in _SAME


@lru_cache(maxsize=None)
def _read() -> dict[str, Orders]:
    """Returns the table of functions whose arguments differ between TensorFlow 1 and 2."""
    table = {}
    for name, *words in sections("arguments")[""]:
        middle = words.index("/")
        old, tf2 = words[:middle], tuple(words[middle + 1 :])
        renamed = [word.split("=") for word in old]
        # A renamed argument is listed by its new name if it has kept its position.
        tf1 = tuple(
            names[-1] if place < len(tf2) and names[-1] == tf2[place] else names[0]
            for place, names in enumerate(renamed)
        )
        first = next(
            (
                place
                for place, name_in_tf1 in enumerate(tf1)
                if place >= len(tf2) or not is_same(name_in_tf1, tf2[place])
            ),
            len(tf1),
        )
        if first < max(len(tf1), len(tf2)):
            table[name] = Orders(tf1, tf2, first)
    return table
