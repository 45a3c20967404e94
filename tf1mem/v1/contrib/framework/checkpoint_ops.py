# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Initializers that read a matrix from a checkpoint and reorder its rows and columns by vocabularies."""

from __future__ import annotations

from typing import Any, Callable

from tensorflow.python.training import checkpoint_ops

import tf1mem.v1 as tf

load_and_remap_matrix_initializer = checkpoint_ops._load_and_remap_matrix_initializer
load_embedding_initializer = checkpoint_ops._load_embedding_initializer


def load_linear_multiclass_bias_initializer(
    ckpt_path: str,
    bias_tensor_name: str,
    new_class_vocab_size: int,
    old_class_vocab_file: str,
    new_class_vocab_file: str,
    num_class_oov_buckets: int = 0,
    initializer: Any = None,
    max_rows_in_memory: int = -1,
) -> Any:
    """Returns an initializer of a `[num_classes, 1]` bias, one value for each class, from a checkpoint.

    A class of the new vocabulary gets the value that it had in the checkpoint, at whatever place.

    Args:
        ckpt_path: Path of the checkpoint.
        bias_tensor_name: Name of the bias in the checkpoint.
        new_class_vocab_size: Number of classes in the new vocabulary.
        old_class_vocab_file: Vocabulary of the checkpoint.
        new_class_vocab_file: New vocabulary.
        num_class_oov_buckets: Number of buckets for unknown classes.
        initializer: Initializer of classes that the checkpoint lacks; zeros by default.
        max_rows_in_memory: Maximum number of rows to read at once; -1 for all.
    """
    return load_and_remap_matrix_initializer(
        ckpt_path=ckpt_path,
        old_tensor_name=bias_tensor_name,
        new_row_vocab_size=new_class_vocab_size,
        new_col_vocab_size=1,
        old_row_vocab_file=old_class_vocab_file,
        new_row_vocab_file=new_class_vocab_file,
        num_row_oov_buckets=num_class_oov_buckets,
        initializer=tf.zeros_initializer() if initializer is None else initializer,
        max_rows_in_memory=max_rows_in_memory,
    )


def load_variable_slot_initializer(
    ckpt_path: str,
    old_tensor_name: str,
    primary_partition_info: Any,
    new_row_vocab_size: int,
    new_col_vocab_size: int,
    old_row_vocab_file: str | None = None,
    new_row_vocab_file: str | None = None,
    old_col_vocab_file: str | None = None,
    new_col_vocab_file: str | None = None,
    num_row_oov_buckets: int = 0,
    num_col_oov_buckets: int = 0,
    initializer: Any = None,
    max_rows_in_memory: int = -1,
) -> Callable[..., Any]:
    """Returns an initializer of an optimizer's slot, a `[rows, columns]` matrix, from a checkpoint.

    It takes the arguments of `load_and_remap_matrix_initializer`; the slot is partitioned as its variable is.

    Args:
        primary_partition_info: Partition of the variable.
    """
    matrix_initializer = load_and_remap_matrix_initializer(
        ckpt_path=ckpt_path,
        old_tensor_name=old_tensor_name,
        new_row_vocab_size=new_row_vocab_size,
        new_col_vocab_size=new_col_vocab_size,
        old_row_vocab_file=old_row_vocab_file,
        new_row_vocab_file=new_row_vocab_file,
        old_col_vocab_file=old_col_vocab_file,
        new_col_vocab_file=new_col_vocab_file,
        num_row_oov_buckets=num_row_oov_buckets,
        num_col_oov_buckets=num_col_oov_buckets,
        initializer=initializer,
        max_rows_in_memory=max_rows_in_memory,
    )

    def slot_initializer(shape: Any, dtype: Any = tf.float32, partition_info: Any = None) -> Any:
        """Reads the slot's partition of this shape."""
        return matrix_initializer(shape, dtype, partition_info=primary_partition_info)

    return slot_initializer
