# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Models' inputs and linear models, made of feature columns, by tf.contrib.layers."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf
from tf1mem.v1.contrib.framework.variables import model_variable
from tf1mem.v1.contrib.layers import embedding_ops
from tf1mem.v1.contrib.layers import feature_column as fc
from tf1mem.v1.contrib.layers.layers import _inner_flatten


class _Transformer(fc._LazyBuilderByColumnsToTensor):
    """Transforms each column once, however many others are made of it."""

    def transform(self, feature_column: Any) -> Any:
        """What a column is transformed into.

        Args:
            feature_column: The column.
        """
        return self.get(feature_column)


def check_feature_columns(feature_columns: Any) -> None:
    """Refuses columns of which two have the same key.

    Args:
        feature_columns: The columns.

    Raises:
        ValueError: They are in a dict, or two are the same.
    """
    if isinstance(feature_columns, dict):
        raise ValueError("Expected feature_columns to be iterable, found dict.")
    seen = set()
    for column in feature_columns:
        if column.key in seen:
            raise ValueError(
                f"Duplicate feature column key found for column: {column.name}. Leave one of the two out, or make them "
                "differ in more than a function."
            )
        seen.add(column.key)


def _in_order(feature_columns: Any) -> list[Any]:
    return sorted(set(feature_columns), key=lambda column: str(column.key))


def _with_global_variables(collections: Any) -> Any:
    return list({*collections, tf.GraphKeys.GLOBAL_VARIABLES}) if collections else collections


def _maybe_reshape_input_tensor(tensor: Any, column_name: str, output_rank: int) -> Any:
    """A tensor, dense or sparse, with so many dimensions: the last are made one, or there is one more."""
    sparse = isinstance(tensor, tf.SparseTensor)
    rank = tensor.get_shape().ndims
    if rank is None and sparse:
        rank = tensor.dense_shape.shape.as_list()[0]
    if rank is None:
        raise ValueError(f"Column {column_name}: how many dimensions its tensor has is not known. Set its shape.")
    if output_rank > rank + 1:
        raise ValueError(
            f"Column {column_name}: its tensor has {rank} dimensions, not {output_rank}. Sequences have 3, others 2."
        )
    if output_rank < rank:
        return _inner_flatten(tensor, output_rank)
    if output_rank == rank:
        return tensor
    if sparse:
        return tf.sparse_reshape(tensor, tf.concat([tensor.dense_shape, [1]], 0))
    return tf.expand_dims(tensor, -1)


def _input_from_feature_columns(
    columns_to_tensors: Any,
    feature_columns: Any,
    weight_collections: Any,
    trainable: bool,
    scope: Any,
    output_rank: int,
    default_name: str,
    cols_to_outs: Any = None,
) -> Any:
    tensors = columns_to_tensors.copy()
    check_feature_columns(feature_columns)
    if cols_to_outs is not None and not isinstance(cols_to_outs, dict):
        raise ValueError(f"cols_to_outs: {type(cols_to_outs)} takes no columns. Give a dict.")
    with tf.variable_scope(scope, default_name=default_name, values=tensors.values()):
        outputs = []
        transformer = _Transformer(tensors)
        collections = _with_global_variables(weight_collections)
        for column in _in_order(feature_columns):
            with tf.variable_scope(None, default_name=column.name, values=tensors.values()):
                transformed = transformer.transform(column)
                if output_rank == 3:
                    transformed = tf.contrib.framework.nest.map_structure(
                        lambda tensor, name=column.name: _maybe_reshape_input_tensor(tensor, name, output_rank),
                        transformed,
                    )
                outputs.append(_input_of(column, transformed, collections, trainable, output_rank))
            if cols_to_outs is not None:
                cols_to_outs[column] = outputs[-1]
        return tf.concat(outputs, output_rank - 1)


def _input_of(column: Any, transformed: Any, collections: Any, trainable: bool, output_rank: int) -> Any:
    """A column's part of the input."""
    try:
        arguments = column._deep_embedding_lookup_arguments(transformed)
    except NotImplementedError as no_embedding:
        try:
            return column._to_dnn_input_layer(transformed, collections, trainable, output_rank=output_rank)
        except ValueError as error:
            raise ValueError(
                f"Error creating input layer for column: {column.name}.\n{error}, {no_embedding}"
            ) from error
    return fc._embeddings_from_arguments(column, arguments, collections, trainable, output_rank=output_rank)


def input_from_feature_columns(
    columns_to_tensors: Any,
    feature_columns: Any,
    weight_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
    cols_to_outs: Any = None,
) -> Any:
    """The input of a net: what the columns make of the features, side by side in the order of the columns' keys.

    Args:
        columns_to_tensors: Name of a feature -> a tensor, dense or sparse; or a column -> what it is transformed into.
        feature_columns: The columns.
        weight_collections: Collections that variables go to.
        trainable: Whether they are trained.
        scope: The variable scope.
        cols_to_outs: A dict that gets what each column has made.

    Returns:
        A tensor: [batch, numbers].

    Raises:
        ValueError: Two columns are the same, or one is none for a net.
    """
    return _input_from_feature_columns(
        columns_to_tensors, feature_columns, weight_collections, trainable, scope, 2, "input_from_feature_columns",
        cols_to_outs,
    )  # fmt: skip


def sequence_input_from_feature_columns(
    columns_to_tensors: Any,
    feature_columns: Any,
    weight_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
) -> Any:
    """The input of a recurrent net: [batch, steps, numbers]; see `input_from_feature_columns` for the arguments.

    Raises:
        ValueError: A column is none for sequences, or is made of one: buckets, crosses and scattered embeddings.
    """
    for column in feature_columns:
        if not isinstance(column, _OF_SEQUENCES):
            raise ValueError(
                f"FeatureColumn type {type(column).__name__} is not currently supported for sequence data."
            )
    for column in _with_ancestors(feature_columns):
        if isinstance(column, _OF_NO_SEQUENCES):
            raise ValueError(
                f"Column {column.name} is of type {type(column).__name__}, which is not currently supported for "
                "sequences."
            )
    return _input_from_feature_columns(
        columns_to_tensors, feature_columns, weight_collections, trainable, scope, 3,
        "sequence_input_from_feature_columns",
    )  # fmt: skip


_OF_SEQUENCES = (fc._OneHotColumn, fc._EmbeddingColumn, fc._RealValuedColumn, fc._RealValuedVarLenColumn)
_OF_NO_SEQUENCES = (fc._ScatteredEmbeddingColumn, fc._BucketizedColumn, fc._CrossedColumn)


def _with_ancestors(columns: Any) -> list[Any]:
    """The columns, and those that they are made of."""
    found: list[Any] = []
    ahead = list(columns)
    while ahead:
        column = ahead.pop(0)
        found.append(column)
        if isinstance(column, (fc._WeightedSparseColumn, fc._OneHotColumn, fc._EmbeddingColumn)):
            ahead.append(column.sparse_id_column)
        elif isinstance(column, fc._BucketizedColumn):
            ahead.append(column.source_column)
        elif isinstance(column, fc._CrossedColumn):
            ahead.extend(column.columns)
    return found


def _looked_up(
    name: str, args: Any, vocab_size: int, num_outputs: int, trainable: bool, collections: Any, weights: Any
) -> tuple[list[Any], Any]:
    """A linear model's weights, as a list of their parts, and what they give for the ids."""
    variable = model_variable(
        "weights",
        shape=[vocab_size, num_outputs],
        dtype=tf.float32,
        initializer=args.initializer,
        trainable=trainable,
        collections=collections,
    )
    parts = embedding_ops.parts_of(variable)
    found = embedding_ops.safe_embedding_lookup_sparse(
        parts, args.input_tensor, sparse_weights=weights, combiner=args.combiner, name=name
    )
    return parts, found


def _with_bias(predictions: Any, num_outputs: int, trainable: bool, collections: Any) -> tuple[Any, Any]:
    bias = model_variable(
        "bias_weight",
        shape=[num_outputs],
        initializer=tf.zeros_initializer(),
        trainable=trainable,
        collections=_with_global_variables(collections),
    )
    return tf.nn.bias_add(predictions, bias), bias


_OF_ALL = "use weighted_sum_from_feature_columns"


def joint_weighted_sum_from_feature_columns(
    columns_to_tensors: Any,
    feature_columns: Any,
    num_outputs: int,
    weight_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
) -> Any:
    """A linear model whose weights are one variable, of columns of ids without weights.

    See `weighted_sum_from_feature_columns` for the arguments.

    Returns:
        The sums, the variable as a list of its parts, and the bias.

    Raises:
        NotImplementedError: A column is of numbers.
        AssertionError: A column has weights, or combines ids otherwise than by their sum.
    """
    tensors = columns_to_tensors.copy()
    check_feature_columns(feature_columns)
    with tf.variable_scope(scope, "joint_weighted_sum_from_feature_columns", tensors.values()):
        transformer = _Transformer(tensors)
        looked_up, sparse, size = [], [], 0
        for column in _in_order(feature_columns):
            transformed = transformer.transform(column)
            try:
                looked_up.append(column._wide_embedding_lookup_arguments(transformed))
            except NotImplementedError:
                raise NotImplementedError(
                    f"Joint sums are not of numbers, column {column.name}: {_OF_ALL}, or bucketized_column"
                ) from None
        assert looked_up, "feature_columns: there are none. Give one or more."
        for args in looked_up:
            assert args.weight_tensor is None, f"Joint sums are of ids without weights: {_OF_ALL}"
            assert args.combiner == "sum", f"Joint sums are of ids whose combiner is 'sum': {_OF_ALL}"
        for args in looked_up:
            ids = args.input_tensor
            sparse.append(tf.SparseTensor(ids.indices, ids.values + size, ids.dense_shape))
            size += args.vocab_size
        joint = looked_up[0]._replace(input_tensor=tf.sparse_concat(1, sparse), initializer=tf.zeros_initializer())
        with tf.variable_scope(None, "linear_weights", tensors.values()):
            variable, sums = _looked_up("_weights", joint, size, num_outputs, trainable, weight_collections, None)
        predictions, bias = _with_bias(sums, num_outputs, trainable, weight_collections)
        return predictions, variable, bias


def weighted_sum_from_feature_columns(
    columns_to_tensors: Any,
    feature_columns: Any,
    num_outputs: int,
    weight_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
) -> Any:
    """A linear model: the features' values times weights, which are zeros at first, and a bias.

    Args:
        columns_to_tensors: See `input_from_feature_columns`.
        feature_columns: The columns.
        num_outputs: How many sums there are for each example.
        weight_collections: Collections that variables go to.
        trainable: Whether they are trained.
        scope: The variable scope.

    Returns:
        The sums, a dict of the columns' variables as lists of their parts, and the bias.

    Raises:
        ValueError: Two columns are the same, or one is none for a linear model.
    """
    tensors = columns_to_tensors.copy()
    check_feature_columns(feature_columns)
    with tf.variable_scope(scope, "weighted_sum_from_feature_columns", tensors.values()):
        sums, column_to_variable = [], {}
        transformer = _Transformer(tensors)
        for column in _in_order(feature_columns):
            transformed = transformer.transform(column)
            try:
                args = column._wide_embedding_lookup_arguments(transformed)
            except NotImplementedError:
                args = None
            except ValueError as error:
                raise ValueError(f"Error creating weighted sum for column: {column.name}.\n{error}") from error
            with tf.variable_scope(None, column.name, tensors.values()):
                if args is None:
                    variable, found = _multiplied(column, transformed, num_outputs, trainable, weight_collections)
                else:
                    variable, found = _looked_up(
                        column.name + "_weights", args, args.vocab_size, num_outputs, trainable, weight_collections,
                        args.weight_tensor,
                    )  # fmt: skip
            sums.append(tf.reshape(found, (-1, num_outputs)))
            column_to_variable[column] = variable
            fc._maybe_restore_from_checkpoint(column._checkpoint_path(), variable)
        predictions, bias = _with_bias(tf.add_n(sums), num_outputs, trainable, weight_collections)
        return predictions, column_to_variable, bias


def _multiplied(
    column: Any, transformed: Any, num_outputs: int, trainable: bool, collections: Any
) -> tuple[list[Any], Any]:
    """The same as `_looked_up` for numbers."""
    numbers = _maybe_reshape_input_tensor(column._to_dense_tensor(transformed), column.name, output_rank=2)
    weight = model_variable(
        "weight",
        shape=[numbers.shape.as_list()[1], num_outputs],
        initializer=tf.zeros_initializer(),
        trainable=trainable,
        collections=collections,
    )
    return [weight], tf.matmul(numbers, weight, name="matmul")


def parse_feature_columns_from_examples(
    serialized: Any, feature_columns: Any, name: str | None = None, example_names: Any = None
) -> dict[Any, Any]:
    """The features that columns need, parsed from tf.Examples, and what each column transforms them into.

    Args:
        serialized: The examples, a vector of strings.
        feature_columns: The columns.
        name: The op's.
        example_names: The examples' names, a vector of strings.

    Returns:
        Name of a feature, or a column -> a tensor, dense or sparse.
    """
    check_feature_columns(feature_columns)
    spec = fc.create_feature_spec_for_parsing(feature_columns)
    tensors = tf.parse_example(serialized=serialized, features=spec, name=name, example_names=example_names)
    transformer = _Transformer(tensors)
    for column in _in_order(feature_columns):
        transformer.transform(column)
    return tensors  # type: ignore[no-any-return]


def transform_features(features: Any, feature_columns: Any) -> dict[Any, Any]:
    """What each column transforms the features into.

    Args:
        features: Name of a feature -> a tensor, dense or sparse.
        feature_columns: The columns.

    Returns:
        Column -> a tensor, dense or sparse.
    """
    check_feature_columns(feature_columns)
    transformer = _Transformer(features.copy())
    return {column: transformer.transform(column) for column in _in_order(feature_columns)}


def parse_feature_columns_from_sequence_examples(
    serialized: Any,
    context_feature_columns: Any,
    sequence_feature_columns: Any,
    name: str | None = None,
    example_name: Any = None,
) -> Any:
    """The features that columns need, parsed from one tf.SequenceExample.

    Args:
        serialized: The example, a string.
        context_feature_columns: The columns of what the whole sequence has; None for none.
        sequence_feature_columns: The columns of what its steps have; None for none.
        name: The op's.
        example_name: The example's name.

    Returns:
        A dict of each: name of a feature -> a tensor, dense or sparse.

    Raises:
        ValueError: There is more than one example.
    """
    try:
        serialized = tf.reshape(serialized, [])
    except ValueError as error:
        raise ValueError(f"serialized must be one example: batch what was parsed. {error}") from error
    of_context, of_steps = context_feature_columns or [], sequence_feature_columns or []
    check_feature_columns(of_context)
    check_feature_columns(of_steps)
    return tf.parse_single_sequence_example(
        serialized,
        fc.create_feature_spec_for_parsing(of_context),
        fc._create_sequence_feature_spec_for_parsing(of_steps, allow_missing_by_default=False),
        example_name,
        name,
    )


def infer_real_valued_columns(features: Any) -> list[Any]:
    """A column of numbers for each feature.

    Args:
        features: Name of a feature -> a dense tensor; or a tensor, whose name is "" then.

    Raises:
        ValueError: A feature is sparse, or is none of numbers.
    """
    named = features if isinstance(features, dict) else {"": features}
    return [_infer_real_valued_column_for_tensor(name, tensor) for name, tensor in named.items()]


def _infer_real_valued_column_for_tensor(name: str, tensor: Any) -> Any:
    if isinstance(tensor, tf.SparseTensor):
        raise ValueError(f"No column is found for the sparse feature {name!r}: define one for it. {tensor}")
    if not (tensor.dtype.is_integer or tensor.dtype.is_floating):
        raise ValueError(
            f"Feature {name!r} is of {tensor.dtype}: columns on integer or non floating types are not supported by "
            f"default. Define one for it. {tensor}"
        )
    dimension = 1
    for size in tensor.shape.as_list()[1:]:
        dimension *= size
    return fc.real_valued_column(name, dimension=dimension, dtype=tensor.dtype)
