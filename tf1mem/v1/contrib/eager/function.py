# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""tf.contrib.eager.defun, which makes functions that run as graphs."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import tf1mem.v1 as tf


def defun(
    func: Any = None,
    input_signature: Any = None,
    autograph: bool = True,
    experimental_autograph_options: Any = None,
) -> Any:
    """Returns a function that runs as a graph, traced anew for each combination of dtypes and shapes.

    Args:
        func: The function; None makes this a decorator.
        input_signature: TensorSpecs of the arguments (dtypes and shapes), for a single graph.
        autograph: True to convert Python's conditions and loops to ops.
        experimental_autograph_options: See tf.function.
    """
    options = {
        "input_signature": input_signature,
        "autograph": autograph,
        "experimental_autograph_options": experimental_autograph_options,
    }
    # TensorFlow's own defun, until 2.12, creates variables in each graph; tf.function only in the first.
    tensorflow_defun = getattr(import_module("tensorflow.python.eager.function"), "defun", None)
    if tensorflow_defun is not None:
        return tensorflow_defun(func, **options)
    return tf.function(func, **options) if func is not None else lambda function: tf.function(function, **options)
