"""A table of the names that TensorFlow 1.0 removed, and their replacements, for programs older than 1.0.

`tf1mem run` supplies these names to such programs, and records them for its report; the codemod writes the new names.
A program that imports tf1mem.v1 itself doesn't get them: it is written for TensorFlow 1, which lacks them.
"""

from __future__ import annotations

from typing import Dict, Tuple

from tf1mem.machine.modules import dotted_name

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

# TensorFlow's own file that still has the summary ops of before 1.0.
_SUMMARIES = "python.ops.logging_ops"

# Namespace, its new namespace, and the names: "old=new", or one name that stayed the same.
HOMES = (
    ("", "", "complex_abs=abs inv=reciprocal list_diff=setdiff1d listdiff=setdiff1d mul=multiply neg=negative"),
    ("", "", "pack=stack sub=subtract unpack=unstack select=where batch_matmul=matmul"),
    ("", "", _BATCH),
    # tf.summary's functions derive the tag from a name; these take the tag itself.
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

# Functions whose arguments have another order or other names today: the old order, by today's names, and old name ->
# new name.
ARGUMENTS: dict[str, Arguments] = {
    "batch_matmul": (
        ("a", "b", "adjoint_a", "adjoint_b", "name"),
        {"x": "a", "y": "b", "adj_x": "adjoint_a", "adj_y": "adjoint_b"},
    ),
    "select": (("condition", "x", "y", "name"), {"t": "x", "e": "y"}),
}


def _read() -> dict[str, str]:
    entries = ((namespace, home, entry.partition("=")) for namespace, home, names in HOMES for entry in names.split())
    return {
        dotted_name(namespace, name): dotted_name(home, there or name) for namespace, home, (name, _, there) in entries
    }


# "train.SummaryWriter" -> "summary.FileWriter"
TABLE = _read()


def public(name: str) -> str:
    """Returns the public name that a name in TABLE has had since TensorFlow 1.0; TABLE may lead to a private one."""
    return TABLE[name].replace(_SUMMARIES, "contrib.deprecated")


# As ARGUMENTS, for functions that kept their names; tf1mem/v1/_before_1.py detects which order a call uses.
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
