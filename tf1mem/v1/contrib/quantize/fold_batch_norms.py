# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Folding of batch norms into the weights of preceding layers, so that training quantizes the folded weights."""

from __future__ import annotations

from typing import Any, NamedTuple

from tensorflow.core.framework import attr_value_pb2
from tensorflow.python.framework.smart_cond import smart_cond

import tf1mem.v1 as tf
from tf1mem.v1.contrib.quantize import common, graph_matcher, input_to_ops

# Name of the registered gradient, `_fused_gradient`.
_GRADIENT = "FoldFusedBatchNormGrad"

# Name scope, within a layer's, of the ops of a batch norm that is composed of single ops.
_UNFUSED = "BatchNorm/batchnorm_1/"


class _BatchNormMatch(NamedTuple):
    """A batch norm, the layer before it, and their tensors; None for what it lacks, or folding doesn't need.

    Attributes:
        layer_op: Op of the layer: Conv2D, DepthwiseConv2dNative or MatMul.
        bn_op: Op of a fused batch norm.
        output_tensor: Output of the batch norm.
        input_tensor: Input of the layer.
        weight_tensor: Weights of the layer.
        gamma_tensor: Factor, `[channels]`.
        beta_tensor: Offset, `[channels]`.
        mean_tensor: Mean that normalizes, `[channels]`: the batch's in training.
        variance_tensor: Variance that normalizes, `[channels]`: the batch's in training.
        moving_mean_tensor: Moving average of the mean, `[channels]`.
        moving_variance_tensor: Moving average of the variance, `[channels]`.
        bn_decay_mean_tensor: `1 - decay` of the moving mean, of shape `[]`.
        bn_decay_var_tensor: `1 - decay` of the moving variance, of shape `[]`.
        batch_epsilon: Number added to the variance, a float or a tensor of shape `[]`.
        batch_to_space_op: BatchToSpaceND between a dilated layer and the batch norm.
    """

    layer_op: Any = None
    bn_op: Any = None
    output_tensor: Any = None
    input_tensor: Any = None
    weight_tensor: Any = None
    gamma_tensor: Any = None
    beta_tensor: Any = None
    mean_tensor: Any = None
    variance_tensor: Any = None
    moving_mean_tensor: Any = None
    moving_variance_tensor: Any = None
    bn_decay_mean_tensor: Any = None
    bn_decay_var_tensor: Any = None
    batch_epsilon: Any = None
    batch_to_space_op: Any = None


def FoldBatchNorms(graph: Any, is_training: bool, freeze_batch_norm_delay: int | None = None) -> None:  # noqa: N802
    """Folds all batch norms of a graph; Jacob et al., 2017, arXiv:1712.05877, section 3.2.

    Args:
        graph: The tf.Graph, which is changed.
        is_training: True if batch norms composed of single ops are in training; fused ones have an attribute for it.
        freeze_batch_norm_delay: Number of steps after which batch norms use and freeze their averages; None for never.

    Raises:
        ValueError: A layer can't be folded.
    """
    for match in _FindFusedBatchNorms(graph):
        _fold_fused(graph, match, freeze_batch_norm_delay)
    _FoldUnfusedBatchNorms(graph, is_training, freeze_batch_norm_delay)


def _fold_fused(graph: Any, match: _BatchNormMatch, freeze_batch_norm_delay: int | None) -> None:
    """Replaces a layer and its fused batch normalization by a layer with scaled weights and a bias."""
    layer, bn = match.layer_op, match.bn_op
    scope, slash, _ = layer.name.rpartition("/")
    with graph.as_default(), graph.name_scope(scope + slash):
        with graph.name_scope(scope + slash + "BatchNorm_Fold" + slash):
            multiplier = match.gamma_tensor * tf.rsqrt(match.variance_tensor + bn.get_attr("epsilon"))
            bias = tf.subtract(match.beta_tensor, match.mean_tensor * multiplier, name="bias")
            scale = recip = offset = None
            if bn.get_attr("is_training"):
                scale, recip, offset = _ComputeBatchNormCorrections("", match, freeze_batch_norm_delay)
            if layer.type == "DepthwiseConv2dNative":
                channels = match.weight_tensor.get_shape().as_list()[2:4]
                multiplier = tf.reshape(multiplier, channels, name="scale_reshape")
                if scale is not None:
                    scale = tf.reshape(scale, channels, name="correction_reshape")
        weights = match.weight_tensor
        if scale is not None:
            weights = tf.multiply(scale, weights, name="correction_mult")
        weights = tf.multiply(weights, multiplier, name="mul_fold")
        output = _copy_of_layer(layer, match.input_tensor, weights, layer.name.split("/")[-1] + "_Fold")
        if match.batch_to_space_op is not None and layer.type == "DepthwiseConv2dNative":
            back = layer.outputs[0].consumers()[0]
            output = tf.batch_to_space_nd(output, *back.inputs[1:3], name=back.name.split("/")[-1] + "_Fold")
        if recip is not None:
            output = _add(tf.multiply(recip, output, name="post_conv_mul"), offset, "correction_add")
        folded = _add(output, bias, "add_fold")
        if not common.RerouteTensor(folded, match.output_tensor):
            raise ValueError(f"Folding batch norms failed, {match.output_tensor.name} had no outputs.")


def _FindFusedBatchNorms(graph: Any) -> list[_BatchNormMatch]:  # noqa: N802
    """Returns a match for each layer that is followed by a fused batch norm."""
    op, one_of = graph_matcher.OpTypePattern, graph_matcher.OneofPattern
    inputs, weights, gamma, beta, mean, variance, average, decay = (op("*") for _ in range(8))
    layer = op("Conv2D|DepthwiseConv2dNative|MatMul", inputs=[inputs, weights])
    back = op("BatchToSpaceND", inputs=[layer, "*", "*"])
    output = one_of([op("Identity", inputs=[one_of([back, layer])]), layer, back])
    flat = op("Reshape", inputs=[output, "*"])
    norm = op("FusedBatchNorm|FusedBatchNormV3", inputs=[one_of([flat, output]), gamma, beta, mean, variance])
    flat_norm = op("Reshape", inputs=[norm, "*"])
    # A moving average changes by the product of its distance from the new value and its decay rate.
    distance = op("Sub", inputs=[average, norm])
    updates = graph_matcher.GraphMatcher(op("Mul", inputs=[distance, decay]))
    layer_matches: dict[Any, _BatchNormMatch] = {}
    for match in graph_matcher.GraphMatcher(one_of([flat_norm, norm])).match_graph(graph):
        layer_op, bn_op = match.get_op(layer), match.get_op(norm)
        result = match.get_op(flat_norm) if layer_op.type == "MatMul" else bn_op
        # A fully connected layer needs the match with the Reshape after the batch norm, so others are skipped.
        if layer_op in layer_matches or result is None or not result.outputs[0].consumers():
            continue
        values = {"mean_tensor": match.get_tensor(mean), "variance_tensor": match.get_tensor(variance)}
        if bn_op.get_attr("is_training"):
            values = _training_moments(graph, bn_op, match.get_tensor(layer))
            for update in updates.match_graph(graph):
                distance_op = update.get_op(distance)
                for number, average_field, decay_field in (
                    (1, "moving_mean_tensor", "bn_decay_mean_tensor"),
                    (2, "moving_variance_tensor", "bn_decay_var_tensor"),
                ):
                    if distance_op.inputs[1] is bn_op.outputs[number]:
                        values[average_field], values[decay_field] = distance_op.inputs[0], update.get_tensor(decay)
        layer_matches[layer_op] = _BatchNormMatch(
            layer_op=layer_op,
            bn_op=bn_op,
            output_tensor=result.outputs[0],
            input_tensor=match.get_tensor(inputs),
            weight_tensor=match.get_tensor(weights),
            gamma_tensor=match.get_tensor(gamma),
            beta_tensor=match.get_tensor(beta),
            batch_epsilon=bn_op.get_attr("epsilon"),
            batch_to_space_op=match.get_op(back),
            **values,
        )
    return list(layer_matches.values())


def _training_moments(graph: Any, bn_op: Any, layer_tensor: Any) -> dict[str, Any]:
    """Returns the fields of the batch's mean and variance, and sets the batch norm's gradient to `_fused_gradient`."""
    bn_op._set_attr("_gradient_op_type", attr_value_pb2.AttrValue(s=_GRADIENT.encode()))
    mean = bn_op.outputs[1]
    scope, slash, _ = bn_op.name.rpartition("/")
    with tf.get_default_graph().name_scope(scope + slash):
        n = tf.cast(tf.size(layer_tensor) / tf.size(mean), tf.float32)
        # The op returns the unbiased variance, but normalizes by the biased variance.
        variance = tf.multiply(bn_op.outputs[2], (n - 1) / n, name="Undo_Bessel_Correction")
    return {"mean_tensor": mean, "variance_tensor": variance}


def _fused_gradient(op: Any, grad_y: Any, grad_mean: Any, grad_var: Any, *others: Any) -> Any:
    """Returns the gradient of a fused batch norm of which only the outputs mean and (unbiased) variance are used."""
    x = op.inputs[0]
    n = tf.cast(tf.size(x) / tf.size(grad_mean), tf.float32)
    return grad_mean / n + 2 * grad_var * (x - op.outputs[1]) / (n - 1), None, None, None, None


tf.RegisterGradient(_GRADIENT)(_fused_gradient)


def _ComputeBatchNormCorrections(  # noqa: N802
    context: str, match: _BatchNormMatch, freeze_batch_norm_delay: int | None
) -> tuple[Any, Any, Any]:
    """Returns the corrections for weights that are folded by moving averages, while outputs follow the batch's moments.

    Args:
        context: Prefix of the name scope of the ops: a scope with "/" at its end, or "".
        match: The batch norm.
        freeze_batch_norm_delay: Number of steps after which outputs follow the moving averages; None for never.

    Returns:
        Factor of the weights, factor of the layer's output, and offset of the layer's output.
    """
    with tf.get_default_graph().name_scope(context + "batch_norm_correction"):
        moving_rsqrt = tf.rsqrt(match.moving_variance_tensor + match.batch_epsilon)
        batch_rsqrt = tf.rsqrt(match.variance_tensor + match.batch_epsilon)
        scale = tf.identity(tf.divide(moving_rsqrt, batch_rsqrt, name="scale_compute"), name="correction_scale")
        recip = tf.reciprocal(scale, name="reciprocal_compute")
        offset = tf.multiply(
            match.gamma_tensor,
            match.mean_tensor * batch_rsqrt - match.moving_mean_tensor * moving_rsqrt,
            name="offset_compute",
        )
        frozen: Any = False
        if freeze_batch_norm_delay is not None:
            frozen = tf.greater_equal(
                common.CreateOrGetQuantizationStep(), freeze_batch_norm_delay, name="use_moving_average"
            )
        for decay, name in (
            (match.bn_decay_mean_tensor, "freeze_moving_mean"),
            (match.bn_decay_var_tensor, "freeze_moving_var"),
        ):
            consumers = list(decay.consumers())
            frozen_decay = smart_cond(frozen, lambda: 0.0, lambda decay=decay: decay, name=name)
            common.RerouteTensor(frozen_decay, decay, can_modify=consumers)
        recip_now = smart_cond(frozen, lambda: tf.ones(scale.shape), lambda: recip, name="correction_recip")
        # The branches look swapped, but TensorFlow 1 has them in this order.
        offset_now = smart_cond(frozen, lambda: offset, lambda: tf.zeros(offset.shape), name="correction_offset")
    return scale, recip_now, offset_now


def _copy_of_layer(op: Any, inputs: Any, weights: Any, name: str) -> Any:
    """Returns the output of a copy of a layer with other operands.

    Raises:
        ValueError: The layer's type can't be folded, or the operands' shapes don't match.
    """
    if op.type == "MatMul":
        _check_shapes(op.name, inputs, weights, 2, 1, 0)
        transposed = {name: op.get_attr(name) for name in ("transpose_a", "transpose_b")}
        return tf.matmul(inputs, weights, name=name, **transposed)
    if op.type not in ("Conv2D", "DepthwiseConv2dNative"):
        raise ValueError(f"Cannot handle operation of type: {op.type}")
    _check_shapes(op.name, inputs, weights, 4, 3, 2)
    options = {"strides": op.get_attr("strides"), "padding": tf.compat.as_str(op.get_attr("padding")), "name": name}
    if op.type == "DepthwiseConv2dNative":
        return tf.nn.depthwise_conv2d(inputs, weights, **options)
    return tf.nn.conv2d(
        inputs,
        weights,
        use_cudnn_on_gpu=op.get_attr("use_cudnn_on_gpu"),
        data_format=op.get_attr("data_format").decode(),
        dilations=op.get_attr("dilations"),
        **options,
    )


def _add(x: Any, y: Any, name: str) -> Any:
    """Adds by the op Add, which TensorFlow 1's converters look for; `tf.add` creates AddV2."""
    return tf.raw_ops.Add(x=x, y=y, name=name)


def _check_shapes(name: str, inputs: Any, weights: Any, rank: int, of_inputs: int, of_weights: int) -> None:
    """Raises a ValueError if a rank isn't `rank`, or the inputs' axis `of_inputs` isn't as long as that of weights."""
    input_shape, weight_shape = inputs.get_shape(), weights.get_shape()
    if len(input_shape) != rank or len(weight_shape) != rank or input_shape[of_inputs] != weight_shape[of_weights]:
        raise ValueError(f"Incompatible shapes for op {name} inputs: {input_shape} and {weight_shape}")


def _FoldUnfusedBatchNorms(graph: Any, is_training: bool, freeze_batch_norm_delay: int | None) -> None:  # noqa: N802
    """Folds batch norms that are composed of single ops."""
    input_map = input_to_ops.InputToOps(graph)
    for bn in common.BatchNormGroups(graph):
        if not graph.get_operation_by_name(f"{bn}{_UNFUSED}add_1").outputs[0].consumers():
            continue
        root = graph.get_operation_by_name(f"{bn}{_UNFUSED}Rsqrt")
        has_scaling = sum(op.type == "Mul" for op in input_map.ConsumerOperations(root)) == 1
        original, folded = _create_folded(graph, bn, has_scaling, freeze_batch_norm_delay, is_training)
        # The consumer is an activation, or an addition outside the layer's scope.
        consumer = common.GetEndpointActivationOp(graph, bn)
        if consumer is None:
            outer = bn.rpartition("/")[0].rpartition("/")[0]
            consumer = graph.get_operation_by_name(f"{outer}/AddV2" if outer else "AddV2")
        if common.RerouteTensor(folded, original, can_modify=[consumer]) != 1:
            raise ValueError(f"Unexpected inputs to op: {consumer.name}")


def _create_folded(
    graph: Any, context: str, has_scaling: bool, freeze_batch_norm_delay: int | None, is_training: bool
) -> tuple[Any, Any]:
    """Returns the output of a batch norm that is composed of single ops, and its folded replacement.

    Args:
        graph: The tf.Graph.
        context: Name scope of the batch norm's layer, with "/" at its end, or "".
        has_scaling: True if the batch norm has a gamma.
        freeze_batch_norm_delay: Number of steps after which batch norms use and freeze their averages; None for never.
        is_training: True if the batch norm is in training.

    Raises:
        ValueError: The layer's type can't be folded, or a shape changed.
    """

    def of_norm(name: str) -> Any:
        """Returns the batch norm's op of a name within its scope, such as "Rsqrt"."""
        return graph.get_operation_by_name(f"{context}{_UNFUSED}{name}")

    multiply_op = of_norm("mul_1" if has_scaling else "mul")
    layer, back = multiply_op.inputs[0].op, None
    if layer.type == "BatchToSpaceND":
        back, layer = layer, layer.inputs[0].op
    if layer.type not in ("DepthwiseConv2dNative", "Conv2D", "MatMul"):
        raise ValueError(f"Cannot handle operation of type: {layer.type}")
    weights, multiplier = layer.inputs[1], multiply_op.inputs[1]
    scale = recip = offset = None
    match = _GetBatchNormParams(graph, context, has_scaling)
    if is_training:
        scale, recip, offset = _ComputeBatchNormCorrections(context, match, freeze_batch_norm_delay)
    if layer.type == "DepthwiseConv2dNative":
        channels = weights.get_shape().as_list()[2:4]
        of_scale = of_norm("mul" if has_scaling else "Rsqrt").outputs[0]
        multiplier = tf.reshape(of_scale, channels, context + "scale_reshape")
        if scale is not None:
            scale = tf.reshape(scale, channels, context + "correction_reshape")
    if scale is not None:
        with tf.device(multiply_op.device):
            weights = tf.multiply(scale, weights, context + "correction_mult")
    folded_weights = tf.multiply(weights, multiplier, name=context + "mul_fold")
    output = _copy_of_layer(layer, layer.inputs[0], folded_weights, layer.name + "_Fold")
    if back is not None:
        output = tf.batch_to_space_nd(output, *back.inputs[1:3], name=back.name + "_Fold")
    if offset is not None:
        with tf.device(output.device):
            output = tf.multiply(recip, output, context + "post_conv_mul")
            output = _add(output, offset, context + "correction_add")
    shift_op = of_norm("add_1")
    folded = _add(output, shift_op.inputs[1], context + "add_fold")
    for name, before, after in (("mul_fold", weights, folded_weights), ("add_fold", output, folded)):
        if not before.get_shape().is_compatible_with(after.get_shape()):
            raise ValueError(
                f"{name} should not change tensor shape: input {before.get_shape()}, output {after.get_shape()}"
            )
    return shift_op.outputs[0], folded


def _GetBatchNormParams(graph: Any, context: str, has_scaling: bool) -> _BatchNormMatch:  # noqa: N802
    """Looks up, by their names, the tensors of a batch norm that is composed of single ops."""
    resource = tf.get_variable_scope().use_resource
    read = "/Read/ReadVariableOp" if resource else "/read"
    moving_mean = _FindMatchingTensor(graph, "BatchNorm/moving_mean" + read, context)
    if has_scaling:
        gamma = _FindMatchingTensor(graph, "BatchNorm/gamma" + (read if resource else ""), context)
    else:
        gamma = tf.ones(moving_mean.shape)
    return _BatchNormMatch(
        gamma_tensor=gamma,
        mean_tensor=_FindMatchingTensor(graph, "BatchNorm/moments/Squeeze", context),
        variance_tensor=_FindMatchingTensor(graph, "BatchNorm/moments/Squeeze_1", context),
        moving_mean_tensor=moving_mean,
        moving_variance_tensor=_FindMatchingTensor(graph, "BatchNorm/moving_variance" + read, context),
        bn_decay_mean_tensor=_FindMatchingTensor(graph, "BatchNorm/AssignMovingAvg/decay", context),
        bn_decay_var_tensor=_FindMatchingTensor(graph, "BatchNorm/AssignMovingAvg_1/decay", context),
        batch_epsilon=_FindMatchingTensor(graph, _UNFUSED + "add/y", context),
    )


def _FindMatchingTensor(graph: Any, match_pattern: str, scope: str) -> Any:  # noqa: N802
    """Returns the output of the op whose name ends with a suffix and has the most parts in common with a scope.

    Args:
        graph: The tf.Graph.
        match_pattern: The suffix, such as "BatchNorm/gamma".
        scope: The scope; a name without a part of it doesn't match, unless it is "".

    Returns:
        Tensor, or None if no op matches.
    """
    within = set(scope.split("/"))
    shared = {
        op.name: len(within.intersection(op.name.split("/")))
        for op in graph.get_operations()
        if op.name.endswith(match_pattern)
    }
    shared = {name: count for name, count in shared.items() if count or not scope}
    return graph.get_tensor_by_name(max(shared, key=shared.__getitem__) + ":0") if shared else None
