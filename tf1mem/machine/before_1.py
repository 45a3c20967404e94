"""Names that TensorFlow 1.0 took out, and what they are since: for programs that are older.

`tf1mem run` gives these programs what they ask for, and notes it for its report; the codemod writes the new names.
Whoever imports tf1mem.v1 himself writes for TensorFlow 1, which hasn't got them.
"""

from __future__ import annotations

from typing import Dict, Tuple

from tf1mem.machine.modules import below

Arguments = Tuple[Tuple[str, ...], Dict[str, str]]

_BATCH = (
    "batch_cholesky=cholesky batch_cholesky_solve=cholesky_solve batch_fft=fft batch_fft2d=fft2d batch_fft3d=fft3d "
    "batch_ifft=ifft batch_ifft2d=ifft2d batch_ifft3d=ifft3d batch_matrix_band_part=matrix_band_part "
    "batch_matrix_determinant=matrix_determinant batch_matrix_diag=matrix_diag batch_matrix_diag_part=matrix_diag_part "
    "batch_matrix_inverse=matrix_inverse batch_matrix_set_diag=matrix_set_diag batch_matrix_solve=matrix_solve "
    "batch_matrix_solve_ls=matrix_solve_ls batch_matrix_transpose=matrix_transpose "
    "batch_matrix_triangular_solve=matrix_triangular_solve batch_self_adjoint_eig=self_adjoint_eig "
    "batch_self_adjoint_eigvals=self_adjoint_eigvals batch_svd=svd"
)

# TensorFlow's own file that has them still.
_SUMMARIES = "python.ops.logging_ops"

# Namespace, where its names are since, and the names: "old=new", or the same under the same name.
HOMES = (
    ("", "", "complex_abs=abs inv=reciprocal list_diff=setdiff1d listdiff=setdiff1d mul=multiply neg=negative"),
    ("", "", "pack=stack sub=subtract unpack=unstack select=where batch_matmul=matmul"),
    ("", "", _BATCH),
    # tf.summary's make a tag of a name, and these take the tag.
    (
        "",
        _SUMMARIES,
        "audio_summary histogram_summary image_summary merge_all_summaries merge_summary scalar_summary",
    ),
    ("image", "image", "per_image_whitening=per_image_standardization"),
    ("nn", "", "seq2seq=contrib.legacy_seq2seq"),
    ("nn", "nn", "bidirectional_rnn=static_bidirectional_rnn deconv2d=conv2d_transpose"),
    ("nn", "nn", "rnn=static_rnn state_saving_rnn=static_state_saving_rnn"),
    ("train", "summary", "SummaryWriter=FileWriter"),
)

# Of those that take their arguments in another order, or by other names: the order then, by today's names, and the old
# names.
ARGUMENTS: dict[str, Arguments] = {
    "batch_matmul": (
        ("a", "b", "adjoint_a", "adjoint_b", "name"),
        {"x": "a", "y": "b", "adj_x": "adjoint_a", "adj_y": "adjoint_b"},
    ),
    "select": (("condition", "x", "y", "name"), {"t": "x", "e": "y"}),
}


def _read() -> dict[str, str]:
    entries = ((namespace, home, entry.partition("=")) for namespace, home, names in HOMES for entry in names.split())
    return {below(namespace, name): below(home, there or name) for namespace, home, (name, _, there) in entries}


# "train.SummaryWriter" -> "summary.FileWriter"
TABLE = _read()


def public(name: str) -> str:
    """The name to write since TensorFlow 1.0."""
    return TABLE[name].replace(_SUMMARIES, "contrib.deprecated")


# The same of functions that are there still; tf1mem/v1/_before_1.py tells the orders apart.
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
