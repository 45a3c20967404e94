# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Rewriting a graph for training with quantization, and for running after it."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf
from tf1mem.v1.contrib.quantize import fold_batch_norms, quantize


def create_training_graph(input_graph: Any = None, quant_delay: int = 0) -> None:
    """Rewrites a graph so that it trains for eight bits: to be called before gradients are made.

    Args:
        input_graph: The graph; the default one unless given.
        quant_delay: After how many steps quantizing begins.

    Raises:
        ValueError: It has ops of optimizers already.
    """
    experimental_create_training_graph(input_graph, quant_delay=quant_delay)


def create_eval_graph(input_graph: Any = None) -> None:
    """Rewrites a graph so that it runs with eight bits.

    Args:
        input_graph: The graph; the default one unless given.

    Raises:
        ValueError: It has ops of optimizers.
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
    """`create_training_graph` with more to choose.

    Args:
        input_graph: The graph; the default one unless given.
        weight_bits: How many bits weights have.
        activation_bits: How many bits activations have.
        symmetric: Whether ranges are the same on both sides of zero.
        quant_delay: After how many steps quantizing begins.
        freeze_bn_delay: After how many steps batch norms hold their averages; None for never.
        scope: Where; None for everywhere.

    Raises:
        ValueError: It has ops of optimizers already.
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
    """`create_eval_graph` with more to choose. Its arguments are `experimental_create_training_graph`'s."""
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
    """Whether an op is an optimizer's: ApplyAdam, ResourceSparseApplyFtrl …."""
    return op_type.startswith(("Apply", "SparseApply", "ResourceApply", "ResourceSparseApply"))
