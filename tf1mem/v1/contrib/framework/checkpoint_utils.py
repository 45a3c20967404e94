# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Functions that read checkpoints, with the argument names of tf.contrib.framework."""

from __future__ import annotations

from typing import Any, Mapping

import tf1mem.v1 as tf


def load_checkpoint(filepattern: str) -> Any:
    """Returns the reader that `tf.train.load_checkpoint` returns: it has variables' names, dtypes, shapes and values.

    Args:
        filepattern: Path of the checkpoint, or its folder.
    """
    return tf.train.load_checkpoint(filepattern)


def load_variable(checkpoint_dir: str, name: str) -> Any:
    """Returns a variable's value in a checkpoint, an array of the variable's shape.

    Args:
        checkpoint_dir: Path of the checkpoint, or its folder.
        name: Name of the variable in the checkpoint.
    """
    return tf.train.load_variable(checkpoint_dir, name)


def list_variables(checkpoint_dir: str) -> list[tuple[str, list[int]]]:
    """Returns the names in a checkpoint, sorted, with their shapes."""
    names_and_shapes: list[tuple[str, list[int]]] = tf.train.list_variables(checkpoint_dir)
    return names_and_shapes


def init_from_checkpoint(checkpoint_dir: str, assignment_map: Mapping[str, Any]) -> None:
    """Makes variables start with a checkpoint's values, which must have the variables' shapes.

    It calls `tf.train.init_from_checkpoint`.

    Args:
        checkpoint_dir: Path of the checkpoint, or its folder.
        assignment_map: Name in the checkpoint -> a variable, its name or the list of its parts; or a scope of the
            checkpoint -> a scope of the graph, both with a slash at the end: "there/" -> "here/".
    """
    tf.train.init_from_checkpoint(checkpoint_dir, assignment_map)
