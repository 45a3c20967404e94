# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Insertion of fake quantization after weights and activations."""

from __future__ import annotations

import logging
from typing import Any, Iterator, NamedTuple

import tf1mem.v1 as tf
from tf1mem.v1.contrib.quantize import common, graph_matcher, input_to_ops, quant_ops

_LOG = logging.getLogger("tensorflow")

_LAYERS = "Conv2D|MatMul|DepthwiseConv2dNative"
_ADDS = "Add|AddV2"
_RELUS = ("Relu", "Relu6")
_ACTIVATIONS = (*_RELUS, "Identity")
_ARITHMETIC = ("Add", "AddV2", "Mul")
_PASS_THROUGH = ("Reshape", "Identity", "BatchToSpaceND", "SpaceToBatchND", "MaxPool", "Max")
_FAKE_QUANTS = ("FakeQuantWithMinMaxVars", "FakeQuantWithMinMaxArgs", "FakeQuantWithMinMaxVarsPerChannel")


def Quantize(  # noqa: N802
    graph: Any,
    is_training: bool,
    weight_bits: int = 8,
    activation_bits: int = 8,
    symmetric: bool = False,
    ema_decay: float = 0.999,
    quant_delay: int | None = None,
    vars_collection: Any = tf.GraphKeys.GLOBAL_VARIABLES,
    scope: str | None = None,
) -> None:
    """Quantizes weights and activations of a graph's layers; Jacob et al., 2017, arXiv:1712.05877.

    Args:
        graph: The tf.Graph, which is changed.
        is_training: True to update the ranges by the values.
        weight_bits: Number of bits of weights.
        activation_bits: Number of bits of activations.
        symmetric: True for ranges that are symmetric about zero.
        ema_decay: Decay of the moving averages of activations' ranges, from 0 to 1.
        quant_delay: Number of steps before quantization starts.
        vars_collection: Collection of the ranges' variables.
        scope: Scope to rewrite; None rewrites the whole graph.

    Raises:
        ValueError: A consumer of a quantized op doesn't take the op's first output.
    """
    scope = scope + "/" if scope and not scope.endswith("/") else scope
    consumers_of = input_to_ops.InputToOps(graph).ConsumerOperations
    common_options = {"ema_decay": ema_decay, "quant_delay": quant_delay, "vars_collection": vars_collection}
    finished_ops = set()

    def activation(context: str, name: str, op: Any, **options: Any) -> None:
        """Inserts fake quantization, which keeps the shape, between an activation's op and its consumers."""
        _InsertQuantOp(
            context,
            name,
            op,
            consumers_of(op),
            is_training,
            bits=activation_bits,
            symmetric=symmetric,
            producer_scope=scope,
            **common_options,
            **options,
        )
        finished_ops.add(op)

    for layer in _FindLayersToQuantize(graph):
        context = _context(layer.layer_op.name)
        # Ops after a bypass don't belong to the layer alone, so they get the outer scope.
        outer = _context(context) if layer.bypass_op is not None else context
        if layer.weight_tensor is not None:
            _InsertQuantOp(
                context,
                "weights_quant",
                layer.weight_tensor.op,
                consumers_of(layer.weight_tensor.op),
                is_training,
                moving_avg=False,
                narrow_range=True,
                bits=weight_bits,
                symmetric=symmetric,
                consumer_scope=scope,
                **common_options,
            )
        if layer.activation_op is not None:
            activation(outer, "act_quant", layer.activation_op, init_min=0.0)
        if layer.bypass_op is not None:
            activation(context, "conv_quant", layer.bias_add_op, consumer_scope=scope)
            if not _is_consumed_by(consumers_of(layer.bypass_op), _ACTIVATIONS, layer.bypass_op):
                activation(outer, "add_quant", layer.bypass_op, consumer_scope=scope)
        post_bypass = layer.post_activation_bypass_op
        if post_bypass is not None and not _is_consumed_by(consumers_of(post_bypass), _RELUS, post_bypass):
            activation(_context(post_bypass.name), "post_activation_bypass_quant", post_bypass)

    consumers_of = input_to_ops.InputToOps(graph).ConsumerOperations
    for op in graph.get_operations():
        if _CheckIfQuantizableOp(op, finished_ops):
            _InsertQuantOp(
                op.name,
                f"activation_{op.type}_quant",
                op,
                consumers_of(op),
                is_training,
                bits=activation_bits,
                producer_scope=scope,
                **common_options,
            )


def _is_consumed_by(consumers: Any, kinds: Any, op: Any) -> bool:
    if not any(consumer.type in kinds for consumer in consumers):
        return False
    _LOG.info("%s is left as it is: the activation after it is quantized.", op.name)
    return True


def _CheckIfQuantizableOp(src_op: Any, quantized_ops: Any) -> bool:  # noqa: N802
    """Returns true if an op adds or multiplies a quantized value and its output isn't quantized otherwise."""
    if src_op in quantized_ops or src_op.type not in _ARITHMETIC:
        return False
    if len(src_op.outputs) == 1:
        consumers = src_op.outputs[0].consumers()
        if len(consumers) == 1 and consumers[0].type in _RELUS:
            return False
    for t in src_op.inputs:
        op = t.op
        while op.type in _PASS_THROUGH:
            op = op.inputs[0].op
        if op.type == "FakeQuantWithMinMaxVars" or op.name.find("delayed_quant/Merge") > 0:
            return True
        if op.type in _ARITHMETIC and any(_CheckIfQuantizableOp(each.op, quantized_ops) for each in op.inputs):
            return True
    return False


class _LayerMatch(NamedTuple):
    """Holds a layer, its weights, its activation, and the additions of bypasses (skip connections) before and after."""

    layer_op: Any
    weight_tensor: Any
    activation_op: Any
    bypass_op: Any = None
    post_activation_bypass_op: Any = None
    bias_add_op: Any = None


def _FindLayersToQuantize(graph: Any) -> list[_LayerMatch]:  # noqa: N802
    """Returns the layers of a graph, each once."""
    op, one_of = graph_matcher.OpTypePattern, graph_matcher.OneofPattern

    def in_any_order(kinds: str, *inputs: Any) -> Any:
        return op(kinds, inputs=list(inputs), ordered_inputs=False)

    variable = op("Variable|VariableV2")
    partition = op("Identity", inputs=[variable])
    partitions = op("ConcatV2", inputs=[partition, "*", "*"])
    weight = op("Identity", inputs=[one_of([partition, partitions, variable])])
    resource, folded = op("ReadVariableOp"), op("Mul")
    layer = in_any_order(_LAYERS, "*", one_of([weight, resource, folded]))
    batch_to_space = op("BatchToSpaceND", inputs=[layer, "*", "*"])
    output = one_of([batch_to_space, layer])
    # The result of folding a batch norm: see fold_batch_norms.
    folded_add = in_any_order(_ADDS, in_any_order(_ADDS, in_any_order("Mul", "*", output), "*"), "*")
    identity = op("Identity", inputs=[folded_add])
    bias_add = in_any_order(_ADDS + "|BiasAdd", output, "*")
    bypass = in_any_order(_ADDS, one_of([bias_add, folded_add, identity]), "*")
    activation = op("|".join(_ACTIVATIONS), inputs=[one_of([bias_add, folded_add, identity, bypass, layer])])
    post_bypass = in_any_order(_ADDS, "*", activation)
    depthwise_alone = in_any_order(_LAYERS, output, "*")

    layer_matches: dict[Any, _LayerMatch] = {}

    def matches(pattern: Any, *weights: Any) -> Iterator[tuple[Any, Any, Any]]:
        """Yields each match of a pattern, its layer's op, and the layer's weights, a tensor of any shape."""
        for match in graph_matcher.GraphMatcher(pattern).match_graph(graph):
            tensors = (match.get_tensor(each) for each in weights)
            yield match, match.get_op(layer), next((t for t in tensors if t is not None), None)

    def first_op(match: Any, *patterns: Any) -> Any:
        """Returns the op of the first pattern that is part of the match, or None."""
        return next((each for each in map(match.get_op, patterns) if each is not None), None)

    # The most specific pattern comes first.
    for pattern in (post_bypass, activation):
        for match, layer_op, tensor in matches(pattern, weight, resource, folded):
            activation_op = match.get_op(activation)
            if layer_op in layer_matches or (pattern is activation and _feeds_batch_norm(activation_op)):
                continue
            layer_matches[layer_op] = _LayerMatch(
                layer_op,
                tensor,
                activation_op,
                match.get_op(bypass),
                match.get_op(post_bypass),
                first_op(match, bias_add, folded_add),
            )
    for match, layer_op, tensor in matches(one_of([bias_add, folded_add]), weight, resource, folded):
        layer_matches.setdefault(layer_op, _LayerMatch(layer_op, tensor, first_op(match, bias_add, folded_add)))
    for _, layer_op, tensor in matches(depthwise_alone, weight, resource):
        layer_matches.setdefault(layer_op, _LayerMatch(layer_op, tensor, layer_op))
    return list(layer_matches.values())


def _feeds_batch_norm(op: Any) -> bool:
    """Returns true for the Identity, not an activation, that contrib's layers put before a fused batch norm."""
    if op.type != "Identity" or len(op.outputs) != 1:
        return False
    consumers = op.outputs[0].consumers()
    return len(consumers) == 1 and consumers[0].type in ("FusedBatchNorm", "FusedBatchNormV3")


def _is_quantized(tensor: Any) -> bool:
    pending = tensor.consumers()
    while pending:
        op = pending.pop()
        if op.type in _FAKE_QUANTS:
            return True
        if op.type in ("Reshape", "Identity"):
            pending.extend(consumer for t in op.outputs for consumer in t.consumers())
    return False


def _InsertQuantOp(  # noqa: N802
    context: str,
    name: str,
    producer: Any,
    consumers: Any,
    is_training: bool,
    moving_avg: bool = True,
    init_min: float = -6.0,
    init_max: float = 6.0,
    bits: int = 8,
    symmetric: bool = False,
    ema_decay: float = 0.999,
    quant_delay: int | None = None,
    vars_collection: Any = tf.GraphKeys.GLOBAL_VARIABLES,
    narrow_range: bool = False,
    producer_scope: str | None = None,
    consumer_scope: str | None = None,
) -> None:
    """Quantizes the output of an op for its consumers.

    Args:
        context: Scope of the new ops.
        name: Name of the new ops within the scope.
        producer: Op whose first output is quantized.
        consumers: Consumers of that output.
        is_training: True to update the range by the values.
        moving_avg: True for a moving average of the range, false for the last range.
        init_min: Initial lower end of the range.
        init_max: Initial upper end of the range.
        bits: Number of bits.
        symmetric: True for a range that is symmetric about zero.
        ema_decay: Decay of the moving average, from 0 to 1.
        quant_delay: Number of steps before quantization starts.
        vars_collection: Collection of the range's variables.
        narrow_range: True to leave out the lowest quantized value.
        producer_scope: Scope outside of which the producer isn't quantized; None for no limit.
        consumer_scope: Scope that has to contain all consumers, or the producer isn't quantized; None for no limit.

    Raises:
        ValueError: An op of `consumers` doesn't consume the output.
    """
    outside = [op for op in consumers if consumer_scope and not op.name.startswith(consumer_scope)]
    if outside or (producer_scope and not producer.name.startswith(producer_scope)):
        _LOG.info("%s/%s isn't quantized: it isn't all in scope %s", context, name, producer_scope or consumer_scope)
        return
    prefix = f"{context}/{name}" if context else name
    scope = tf.get_default_graph().get_name_scope()
    if scope:
        prefix = common.DropStringPrefix(prefix, scope + "/")
    inputs = producer.outputs[0]
    if _is_quantized(inputs):
        return
    options = {
        "init_min": init_min,
        "init_max": init_max,
        "is_training": is_training,
        "num_bits": bits,
        "symmetric": symmetric,
        "narrow_range": narrow_range,
        "vars_collection": vars_collection,
        "name_prefix": prefix,
    }
    if moving_avg:
        quantized = quant_ops.MovingAvgQuantize(inputs, ema_decay=ema_decay, **options)
    else:
        quantized = quant_ops.LastValueQuantize(inputs, **options)
    if quant_delay and quant_delay > 0:
        started = tf.greater_equal(common.CreateOrGetQuantizationStep(), quant_delay, name=prefix + "/activate_quant")
        always_quantized = quantized
        quantized = tf.cond(started, lambda: always_quantized, lambda: inputs, name=prefix + "/delayed_quant")
    if consumers and common.RerouteTensor(quantized, inputs, can_modify=consumers) < len(consumers):
        raise ValueError(f"No inputs quantized for ops: [{', '.join(op.name for op in consumers)}]")


def _context(name: str) -> str:
    """Returns the scope of a name."""
    return name.rpartition("/")[0]
