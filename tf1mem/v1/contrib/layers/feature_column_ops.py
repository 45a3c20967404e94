# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Model inputs and linear models from feature columns (tf.contrib.layers)."""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf
from tf1mem.v1.contrib.framework.variables import model_variable
from tf1mem.v1.contrib.layers import embedding_ops
from tf1mem.v1.contrib.layers import feature_column as fc
from tf1mem.v1.contrib.layers.layers import _inner_flatten


class _Transformer(fc._LazyBuilderByColumnsToTensor):
    """Transforms each column once, even if several others depend on it."""

    def transform(self, feature_column: Any) -> Any:
        """Returns the transformed column, a tensor of any shape.

        Args:
            feature_column: Feature column of tf.contrib.layers.
        """
        return self.get(feature_column)


def check_feature_columns(feature_columns: Any) -> None:
    """Raises an error if two columns have the same key.

    Args:
        feature_columns: Iterable of FeatureColumns.

    Raises:
        ValueError: The columns are in a dict, or two keys are equal.
    """
    if isinstance(feature_columns, dict):
        raise ValueError("Expected feature_columns to be iterable, found dict.")
    names = set()
    for column in feature_columns:
        if column.key in names:
            raise ValueError(
                f"Duplicate feature column key found for column: {column.name}. Leave one of the two out, or make them "
                "differ in more than a function."
            )
        names.add(column.key)


def _sorted_by_key(feature_columns: Any) -> list[Any]:
    return sorted(set(feature_columns), key=lambda column: str(column.key))


def _with_global_variables(collections: Any) -> Any:
    return list({*collections, tf.GraphKeys.GLOBAL_VARIABLES}) if collections else collections


def _maybe_reshape_input_tensor(tensor: Any, column_name: str, output_rank: int) -> Any:
    """Reshapes a dense or sparse tensor to rank `output_rank`: flattens the innermost axes, or adds an axis."""
    sparse = isinstance(tensor, tf.SparseTensor)
    rank = tensor.get_shape().ndims
    if rank is None and sparse:
        rank = tensor.dense_shape.shape.as_list()[0]
    if rank is None:
        raise ValueError(f"Column {column_name}: the rank of its tensor is unknown. Set the tensor's shape.")
    if output_rank > rank + 1:
        raise ValueError(
            f"Column {column_name}: its tensor has {rank} dimensions, not {output_rank}; sequences have 3, others 2"
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
        for column in _sorted_by_key(feature_columns):
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
    """Returns a column's part of the input, a float tensor of rank `output_rank`: 2, or 3 for sequences."""
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
    """Returns the input of a network: the columns' dense tensors, concatenated in the order of the columns' keys.

    Args:
        columns_to_tensors: Dict of feature name -> tensor, dense or sparse; or of column -> transformed tensor.
        feature_columns: Iterable of feature columns of tf.contrib.layers.
        weight_collections: Collections that variables are added to, besides GLOBAL_VARIABLES.
        trainable: True to train the variables.
        scope: Variable scope.
        cols_to_outs: Dict that gets each column's part of the input, column -> tensor; None for none.

    Returns:
        `[batch, depth]` float tensor.

    Raises:
        ValueError: Two columns have the same key, a column can't be an input of a network, or `cols_to_outs` isn't a
            dict.
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
    """Returns the input of a recurrent network: the columns' dense tensors, concatenated over depth in order of keys.

    Args:
        columns_to_tensors: Dict of feature name -> tensor, dense or sparse; or of column -> transformed tensor.
        feature_columns: Iterable of feature columns of tf.contrib.layers.
        weight_collections: Collections that variables are added to, besides GLOBAL_VARIABLES.
        trainable: True to train the variables.
        scope: Variable scope.

    Returns:
        `[batch, time, depth]` float tensor.

    Raises:
        ValueError: A column, or a column that it is made of, doesn't support sequences: buckets, crosses and scattered
          embeddings don't. Or two columns have the same key.
    """
    for column in feature_columns:
        if not isinstance(column, _SEQUENCE_COLUMNS):
            raise ValueError(
                f"FeatureColumn type {type(column).__name__} is not currently supported for sequence data."
            )
    for column in _with_ancestors(feature_columns):
        if isinstance(column, _NO_SEQUENCE_COLUMNS):
            raise ValueError(
                f"Column {column.name} is of type {type(column).__name__}, which is not currently supported for "
                "sequences."
            )
    return _input_from_feature_columns(
        columns_to_tensors, feature_columns, weight_collections, trainable, scope, 3,
        "sequence_input_from_feature_columns",
    )  # fmt: skip


# Columns that can be inputs of a recurrent network, and columns that these must not be made of.
_SEQUENCE_COLUMNS = (fc._OneHotColumn, fc._EmbeddingColumn, fc._RealValuedColumn, fc._RealValuedVarLenColumn)
_NO_SEQUENCE_COLUMNS = (fc._ScatteredEmbeddingColumn, fc._BucketizedColumn, fc._CrossedColumn)


def _with_ancestors(columns: Any) -> list[Any]:
    """Returns the columns and all columns that they are made of."""
    columns_and_ancestors: list[Any] = []
    queue = list(columns)
    while queue:
        column = queue.pop(0)
        columns_and_ancestors.append(column)
        if isinstance(column, (fc._WeightedSparseColumn, fc._OneHotColumn, fc._EmbeddingColumn)):
            queue.append(column.sparse_id_column)
        elif isinstance(column, fc._BucketizedColumn):
            queue.append(column.source_column)
        elif isinstance(column, fc._CrossedColumn):
            queue.extend(column.columns)
    return columns_and_ancestors


def _look_up(
    name: str, args: Any, vocab_size: int, num_outputs: int, trainable: bool, collections: Any, weights: Any
) -> tuple[list[Any], Any]:
    """Makes a linear model's weights for ids.

    Returns:
        List of the variable's parts, and the `[batch, num_outputs]` sums of the ids' weights.
    """
    variable = model_variable(
        "weights",
        shape=[vocab_size, num_outputs],
        dtype=tf.float32,
        initializer=args.initializer,
        trainable=trainable,
        collections=collections,
    )
    parts = embedding_ops.parts_of(variable)
    sums = embedding_ops.safe_embedding_lookup_sparse(
        parts, args.input_tensor, sparse_weights=weights, combiner=args.combiner, name=name
    )
    return parts, sums


def _with_bias(predictions: Any, num_outputs: int, trainable: bool, collections: Any) -> tuple[Any, Any]:
    bias = model_variable(
        "bias_weight",
        shape=[num_outputs],
        initializer=tf.zeros_initializer(),
        trainable=trainable,
        collections=_with_global_variables(collections),
    )
    return tf.nn.bias_add(predictions, bias), bias


_HINT = "use weighted_sum_from_feature_columns"


def joint_weighted_sum_from_feature_columns(
    columns_to_tensors: Any,
    feature_columns: Any,
    num_outputs: int,
    weight_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
) -> Any:
    """Builds a linear model of columns of unweighted ids; the model's weights for all columns are in one variable.

    Args:
        columns_to_tensors: Dict of feature name -> tensor, dense or sparse; or of column -> transformed tensor.
        feature_columns: Iterable of feature columns of tf.contrib.layers.
        num_outputs: Number of outputs (sums) for each example.
        weight_collections: Collections that variables are added to, besides GLOBAL_VARIABLES.
        trainable: True to train the variables.
        scope: Variable scope.

    Returns:
        The `[batch, num_outputs]` sums, the list of the variable's parts, and the `[num_outputs]` bias.

    Raises:
        NotImplementedError: A column has numbers, not ids.
        ValueError: Two columns have the same key.
        AssertionError: A column's ids have weights, a combiner isn't "sum", or there is no column.
    """
    tensors = columns_to_tensors.copy()
    check_feature_columns(feature_columns)
    with tf.variable_scope(scope, "joint_weighted_sum_from_feature_columns", tensors.values()):
        transformer = _Transformer(tensors)
        lookups, sparse, size = [], [], 0
        for column in _sorted_by_key(feature_columns):
            transformed = transformer.transform(column)
            try:
                lookups.append(column._wide_embedding_lookup_arguments(transformed))
            except NotImplementedError:
                raise NotImplementedError(
                    f"Joint sums don't support columns of numbers, such as {column.name}: {_HINT}, or bucketized_column"
                ) from None
        assert lookups, "feature_columns: this is empty. Give one or more."
        for args in lookups:
            assert args.weight_tensor is None, f"Joint sums don't support weighted ids: {_HINT}"
            assert args.combiner == "sum", f"Joint sums support only the combiner 'sum': {_HINT}"
        for args in lookups:
            ids = args.input_tensor
            sparse.append(tf.SparseTensor(ids.indices, ids.values + size, ids.dense_shape))
            size += args.vocab_size
        joint = lookups[0]._replace(input_tensor=tf.sparse_concat(1, sparse), initializer=tf.zeros_initializer())
        with tf.variable_scope(None, "linear_weights", tensors.values()):
            variable, sums = _look_up("_weights", joint, size, num_outputs, trainable, weight_collections, None)
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
    """Builds a linear model: the sum of the features times weights, plus a bias.

    All variables start at zero, except for those of a column that names a checkpoint.

    Args:
        columns_to_tensors: Dict of feature name -> tensor, dense or sparse; or of column -> transformed tensor.
        feature_columns: Iterable of feature columns of tf.contrib.layers.
        num_outputs: Number of outputs (sums) for each example.
        weight_collections: Collections that variables are added to, besides GLOBAL_VARIABLES.
        trainable: True to train the variables.
        scope: Variable scope.

    Returns:
        The `[batch, num_outputs]` sums, a dict of columns -> list of a variable's parts, and the `[num_outputs]` bias.

    Raises:
        ValueError: Two columns have the same key, or a column can't be an input of a linear model.
    """
    tensors = columns_to_tensors.copy()
    check_feature_columns(feature_columns)
    with tf.variable_scope(scope, "weighted_sum_from_feature_columns", tensors.values()):
        sums, column_to_variable = [], {}
        transformer = _Transformer(tensors)
        for column in _sorted_by_key(feature_columns):
            transformed = transformer.transform(column)
            try:
                args = column._wide_embedding_lookup_arguments(transformed)
            except NotImplementedError:
                args = None
            except ValueError as error:
                raise ValueError(f"Error creating weighted sum for column: {column.name}.\n{error}") from error
            with tf.variable_scope(None, column.name, tensors.values()):
                if args is None:
                    variable, column_sums = _multiply(column, transformed, num_outputs, trainable, weight_collections)
                else:
                    variable, column_sums = _look_up(
                        column.name + "_weights", args, args.vocab_size, num_outputs, trainable, weight_collections,
                        args.weight_tensor,
                    )  # fmt: skip
            sums.append(tf.reshape(column_sums, (-1, num_outputs)))
            column_to_variable[column] = variable
            fc._maybe_restore_from_checkpoint(column._checkpoint_path(), variable)
        predictions, bias = _with_bias(tf.add_n(sums), num_outputs, trainable, weight_collections)
        return predictions, column_to_variable, bias


def _multiply(
    column: Any, transformed: Any, num_outputs: int, trainable: bool, collections: Any
) -> tuple[list[Any], Any]:
    """Makes a linear model's weights for numbers.

    Returns:
        List of the variable, and the `[batch, num_outputs]` products of the numbers and the weights.
    """
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
    """Parses tf.Examples into the features that columns need, and transforms them.

    Args:
        serialized: `[batch]` string tensor of serialized examples.
        feature_columns: Iterable of feature columns of tf.contrib.layers.
        name: Name of the op.
        example_names: `[batch]` string tensor of the examples' names, for error messages; None for none.

    Returns:
        Dict of feature name -> parsed tensor, and of column -> transformed tensor, dense or sparse.

    Raises:
        ValueError: Two columns have the same key.
    """
    check_feature_columns(feature_columns)
    spec = fc.create_feature_spec_for_parsing(feature_columns)
    tensors = tf.parse_example(serialized=serialized, features=spec, name=name, example_names=example_names)
    transformer = _Transformer(tensors)
    for column in _sorted_by_key(feature_columns):
        transformer.transform(column)
    return tensors  # type: ignore[no-any-return]


def transform_features(features: Any, feature_columns: Any) -> dict[Any, Any]:
    """Transforms features by columns.

    Args:
        features: Dict of feature name -> tensor of any shape, dense or sparse.
        feature_columns: Iterable of feature columns of tf.contrib.layers.

    Returns:
        Dict, column -> tensor, dense or sparse.

    Raises:
        ValueError: Two columns have the same key.
    """
    check_feature_columns(feature_columns)
    transformer = _Transformer(features.copy())
    return {column: transformer.transform(column) for column in _sorted_by_key(feature_columns)}


def parse_feature_columns_from_sequence_examples(
    serialized: Any,
    context_feature_columns: Any,
    sequence_feature_columns: Any,
    name: str | None = None,
    example_name: Any = None,
) -> Any:
    """Parses one tf.SequenceExample into the features that columns need.

    Args:
        serialized: String tensor of shape `[]`: the serialized example.
        context_feature_columns: Columns of the sequence as a whole; None for none.
        sequence_feature_columns: Columns of the sequence's steps; None for none.
        name: Name of the op.
        example_name: Name of the example, for error messages; None for none.

    Returns:
        Two dicts, name of a feature -> tensor, dense or sparse: the first for the sequence, the second for its steps.

    Raises:
        ValueError: There is more than one example, or two columns have the same key.
    """
    try:
        serialized = tf.reshape(serialized, [])
    except ValueError as error:
        raise ValueError(f"serialized must be one example: parse each, and batch the results. {error}") from error
    context_columns, step_columns = context_feature_columns or [], sequence_feature_columns or []
    check_feature_columns(context_columns)
    check_feature_columns(step_columns)
    return tf.parse_single_sequence_example(
        serialized,
        fc.create_feature_spec_for_parsing(context_columns),
        fc._create_sequence_feature_spec_for_parsing(step_columns, allow_missing_by_default=False),
        example_name,
        name,
    )


def infer_real_valued_columns(features: Any) -> list[Any]:
    """Returns a list with a column of numbers for each feature.

    Args:
        features: Dict of feature name -> `[batch, ...]` dense tensor, whose sizes are known except for the batch; or a
            single tensor, whose name becomes "".

    Raises:
        ValueError: A feature is sparse, or its dtype is neither integer nor floating.
    """
    named = features if isinstance(features, dict) else {"": features}
    return [_infer_real_valued_column_for_tensor(name, tensor) for name, tensor in named.items()]


def _infer_real_valued_column_for_tensor(name: str, tensor: Any) -> Any:
    if isinstance(tensor, tf.SparseTensor):
        raise ValueError(f"No column can be inferred for the sparse feature {name!r}: define one for it. {tensor}")
    if not (tensor.dtype.is_integer or tensor.dtype.is_floating):
        raise ValueError(
            f"Feature {name!r} is of {tensor.dtype}: columns on integer or non floating types are not supported by "
            f"default. Define one for it. {tensor}"
        )
    dimension = 1
    for size in tensor.shape.as_list()[1:]:
        dimension *= size
    return fc.real_valued_column(name, dimension=dimension, dtype=tensor.dtype)
