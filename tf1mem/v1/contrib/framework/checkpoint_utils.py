# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""What a checkpoint holds, by tf.contrib.framework, whose arguments have names of their own."""

from __future__ import annotations

from typing import Any, Mapping

import tf1mem.v1 as tf


def load_checkpoint(filepattern: str) -> Any:
    """A reader of a checkpoint: of that path, or the newest in that folder; see `tf.train.load_checkpoint`."""
    return tf.train.load_checkpoint(filepattern)


def load_variable(checkpoint_dir: str, name: str) -> Any:
    """The value that a checkpoint has for a name, as an array."""
    return tf.train.load_variable(checkpoint_dir, name)


def list_variables(checkpoint_dir: str) -> list[tuple[str, list[int]]]:
    """The names in a checkpoint, sorted, and their shapes."""
    found: list[tuple[str, list[int]]] = tf.train.list_variables(checkpoint_dir)
    return found


def init_from_checkpoint(checkpoint_dir: str, assignment_map: Mapping[str, Any]) -> None:
    """Has variables initialized from a checkpoint; see `tf.train.init_from_checkpoint`.

    Args:
        checkpoint_dir: The checkpoint's path, or its folder.
        assignment_map: A name in the checkpoint -> a variable, its name or its parts; or a scope ("there/") -> a scope.
    """
    tf.train.init_from_checkpoint(checkpoint_dir, assignment_map)
