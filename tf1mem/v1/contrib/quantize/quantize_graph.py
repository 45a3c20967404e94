# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Rewriting of a graph for training and inference with quantization."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf
from tf1mem.v1.contrib.quantize import fold_batch_norms, quantize


def create_training_graph(input_graph: Any = None, quant_delay: int = 0) -> None:
    """Rewrites a graph for training with 8 bits, before gradients are added; Jacob et al., 2017, arXiv:1712.05877.

    Args:
        input_graph: The tf.Graph, which is changed; the default graph by default.
        quant_delay: Number of steps before quantization starts.

    Raises:
        ValueError: The graph has ops of an optimizer.
    """
    experimental_create_training_graph(input_graph, quant_delay=quant_delay)


def create_eval_graph(input_graph: Any = None) -> None:
    """Rewrites a graph for inference with 8 bits; Jacob et al., 2017, arXiv:1712.05877.

    Args:
        input_graph: The tf.Graph, which is changed; the default graph by default.

    Raises:
        ValueError: The graph has ops of an optimizer.
    """
    experimental_create_eval_graph(input_graph)


def experimental_create_training_graph(
    input_graph: Any = None,
    weight_bits: int = 8,
    activation_bits: int = 8,
    symmetric: bool = False,
    quant_delay: int | None = 0,
    freeze_bn_delay: int | None = None,
    scope: str | None = None,
) -> None:
    """Rewrites a graph for training like `create_training_graph`, with more options; see arXiv:1806.08342.

    Args:
        input_graph: The tf.Graph, which is changed; the default graph by default.
        weight_bits: Number of bits of weights.
        activation_bits: Number of bits of activations.
        symmetric: True for ranges that are symmetric about zero.
        quant_delay: Number of steps before quantization starts.
        freeze_bn_delay: Number of steps before batch norms freeze their averages; None never freezes them.
        scope: Scope to rewrite; None rewrites the whole graph.

    Raises:
        ValueError: The graph has ops of an optimizer.
    """
    _rewrite(input_graph, True, weight_bits, activation_bits, symmetric, quant_delay, freeze_bn_delay, scope)


def experimental_create_eval_graph(
    input_graph: Any = None,
    weight_bits: int = 8,
    activation_bits: int = 8,
    symmetric: bool = False,
    quant_delay: int | None = None,
    scope: str | None = None,
) -> None:
    """Rewrites a graph for inference like `create_eval_graph`, with more options; see arXiv:1806.08342.

    Args:
        input_graph: The tf.Graph, which is changed; the default graph by default.
        weight_bits: Number of bits of weights.
        activation_bits: Number of bits of activations.
        symmetric: True for ranges that are symmetric about zero.
        quant_delay: Number of steps before quantization starts.
        scope: Scope to rewrite; None rewrites the whole graph.

    Raises:
        ValueError: The graph has ops of an optimizer.
    """
    _rewrite(input_graph, False, weight_bits, activation_bits, symmetric, quant_delay, None, scope)


def _rewrite(
    graph: Any,
    is_training: bool,
    weight_bits: int,
    activation_bits: int,
    symmetric: bool,
    quant_delay: int | None,
    freeze_bn_delay: int | None,
    scope: str | None,
) -> None:
    """Folds the batch normalizations of a graph, and inserts the quantization ops."""
    graph = tf.get_default_graph() if graph is None else graph
    training = sorted({op.type for op in graph.get_operations() if _is_training(op.type)})
    if training:
        raise ValueError(f"Training op found in graph, exiting {training}: quantize before the optimizer is used")
    with graph.as_default():
        fold_batch_norms.FoldBatchNorms(graph, freeze_batch_norm_delay=freeze_bn_delay, is_training=is_training)
        quantize.Quantize(
            graph,
            is_training,
            quant_delay=quant_delay,
            weight_bits=weight_bits,
            activation_bits=activation_bits,
            symmetric=symmetric,
            scope=scope,
        )


def _is_training(op_type: str) -> bool:
    """Returns true for the type of an optimizer's op, for example ApplyAdam or ResourceSparseApplyFtrl."""
    return op_type.startswith(("Apply", "SparseApply", "ResourceApply", "ResourceSparseApply"))
