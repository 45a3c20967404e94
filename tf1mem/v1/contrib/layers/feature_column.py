# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Feature columns (tf.contrib.layers), which describe how features become a model's inputs.

They are older than the columns of tf.feature_column and take other arguments; `tf.feature_column.input_layer` accepts
both. Columns are sorted by their keys; a key is a string of the column's class and fields.
"""

from __future__ import annotations

import math
from collections import namedtuple
from typing import Any, Iterable, NamedTuple, Sequence

# The base classes of tf.feature_column's columns have no public names.
from tensorflow.python.feature_column import feature_column as core
from tensorflow.python.ops import lookup_ops

import tf1mem.v1 as tf
from tf1mem.v1.contrib.framework.variables import model_variable
from tf1mem.v1.contrib.layers import embedding_ops, sparse_ops
from tf1mem.v1.contrib.layers.bucketization_op import bucketize
from tf1mem.v1.contrib.layers.layers import _inner_flatten
from tf1mem.v1.contrib.layers.sparse_feature_cross_op import sparse_feature_cross
from tf1mem.v1.contrib.lookup.lookup_ops import index_table_from_tensor

InputLayer = core.InputLayer


class _LinearEmbeddingLookupArguments(NamedTuple):
    """The arguments of a linear model's weight lookup."""

    input_tensor: Any
    weight_tensor: Any
    vocab_size: int
    initializer: Any
    combiner: str


class _DeepEmbeddingLookupArguments(NamedTuple):
    """The arguments of an embedding lookup for a neural network."""

    input_tensor: Any
    weight_tensor: Any
    vocab_size: int
    initializer: Any
    combiner: str
    dimension: int
    shared_embedding_name: Any
    hash_key: Any
    max_norm: Any
    trainable: bool


class _FeatureColumn:
    """Base class of all columns.

    A subclass has a `name`, a `config` (dict, feature -> its parsing spec) and `_transform_feature`.
    """

    @property
    def key(self) -> str:
        """Returns the text by which columns are sorted; it decides the order of the `[batch, length]` outputs."""
        return str(self)

    @property
    def _parse_example_spec(self) -> Any:
        return self.config  # type: ignore[attr-defined]

    def insert_transformed_feature(self, columns_to_tensors: dict[Any, Any]) -> None:
        """Transforms the column's feature and adds the result to the dict, with the column as its key.

        Args:
            columns_to_tensors: Dict of feature name -> parsed tensor of any shape, and of column -> transformed tensor.
        """
        columns_to_tensors[self] = self._transform_feature(_LazyBuilderByColumnsToTensor(columns_to_tensors))

    def _transform_feature(self, inputs: Any) -> Any:
        raise NotImplementedError(f"{self}: this column has no transformation.")

    def _to_dnn_input_layer(
        self, input_tensor: Any, weight_collections: Any = None, trainable: bool = True, output_rank: int = 2
    ) -> Any:
        raise ValueError(f"{self}: this column can't be the input of a network.")

    def _deep_embedding_lookup_arguments(self, input_tensor: Any) -> Any:
        raise NotImplementedError(f"{self}: this column has no embedding.")

    def _wide_embedding_lookup_arguments(self, input_tensor: Any) -> Any:
        raise NotImplementedError(f"{self}: this column has no ids.")

    def _to_dense_tensor(self, input_tensor: Any) -> Any:
        raise NotImplementedError(f"{self}: this column has no numbers.")

    def _checkpoint_path(self) -> Any:
        """Returns the checkpoint to restore the column's weights from, and their name in it; or None."""
        return None

    def _key_without(self, excluded: str) -> str:
        """Returns the key without a field that is a function: the function's address would differ from run to run."""
        fields = zip(self._fields, self)  # type: ignore[attr-defined, call-overload]
        return "{}({})".format(
            type(self).__name__, ", ".join(f"{name}={value}" for name, value in fields if name != excluded)
        )


class _LazyBuilderByColumnsToTensor:
    """Maps features' names and columns to tensors; a column is transformed on first access."""

    def __init__(self, columns_to_tensors: dict[Any, Any]) -> None:
        self._columns_to_tensors = columns_to_tensors

    def get(self, key: Any) -> Any:
        """Returns the tensor (any shape) of a feature or a column.

        Args:
            key: Name of a feature, or a column.

        Raises:
            KeyError: There is no such feature.
            TypeError: The key is neither a name nor a column.
        """
        if key not in self._columns_to_tensors:
            if isinstance(key, str):
                raise KeyError(f"features: {key!r} is missing. Add it, or leave its column out.")
            if not isinstance(key, _FeatureColumn):
                raise TypeError(f"{key}: this is neither a feature's name nor a column of contrib.")
            key.insert_transformed_feature(self._columns_to_tensors)
        return self._columns_to_tensors[key]


class _CategoricalColumn(_FeatureColumn, core._CategoricalColumn):
    """Base class of columns of ids.

    A subclass has a `length`, the number of ids, and a `combiner`, which reduces the ids of an example.
    """

    # Fields of the subclasses' namedtuples, declared here because they are abstract in core's class.
    name: Any
    length: Any
    combiner: Any

    def id_tensor(self, input_tensor: Any) -> Any:
        """Returns the ids, a `[batch, length]` SparseTensor, from the transformed column."""
        return input_tensor

    def weight_tensor(self, input_tensor: Any) -> Any:
        """Returns the ids' weights, a `[batch, length]` SparseTensor, or None."""
        return None

    def _to_dnn_input_layer(
        self, input_tensor: Any, weight_collections: Any = None, trainable: bool = True, output_rank: int = 2
    ) -> Any:
        raise ValueError(
            f"{self}: ids alone can't be the input of a network. Make an embedding_column or a one_hot_column of them."
        )

    def _wide_embedding_lookup_arguments(self, input_tensor: Any) -> Any:
        return _LinearEmbeddingLookupArguments(
            input_tensor=self.id_tensor(input_tensor),
            weight_tensor=self.weight_tensor(input_tensor),
            vocab_size=self.length,
            initializer=tf.zeros_initializer(),
            combiner=self.combiner,
        )

    @property
    def _num_buckets(self) -> Any:
        return self.length

    def _get_sparse_tensors(self, inputs: Any, weight_collections: Any = None, trainable: Any = None) -> Any:
        transformed = inputs.get(self)
        return core._CategoricalColumn.IdWeightPair(self.id_tensor(transformed), self.weight_tensor(transformed))


class _SparseIdLookupConfig(
    namedtuple("_SparseIdLookupConfig", "vocabulary_file keys num_oov_buckets vocab_size default_value")
):
    """The mapping of a feature's values to ids.

    Args:
        vocabulary_file: File with one value per line, or None.
        keys: The values, or None.
        num_oov_buckets: Number of ids for unknown values; 0 to give them `default_value`.
        vocab_size: Number of values.
        default_value: Id of unknown values.
    """

    def __new__(
        cls,
        vocabulary_file: Any = None,
        keys: Any = None,
        num_oov_buckets: int = 0,
        vocab_size: int | None = None,
        default_value: int = -1,
    ) -> _SparseIdLookupConfig:
        return super().__new__(cls, vocabulary_file, keys, num_oov_buckets, vocab_size, default_value)


class _SparseColumn(
    _CategoricalColumn,
    namedtuple("_SparseColumn", "column_name is_integerized bucket_size lookup_config combiner dtype"),
):
    """Base class of columns whose ids come from a feature's values.

    Args:
        column_name: Name of the feature.
        is_integerized: True if the values are the ids.
        bucket_size: Number of ids; None with a `lookup_config`.
        lookup_config: A _SparseIdLookupConfig; None with a `bucket_size`.
        combiner: "sum", "mean" or "sqrtn".
        dtype: Dtype of the feature: tf.string or an int dtype.

    Raises:
        TypeError: `lookup_config` is of another type.
        ValueError: An argument is missing, or two contradict each other.
    """

    def __new__(
        cls,
        column_name: str,
        is_integerized: bool = False,
        bucket_size: int | None = None,
        lookup_config: Any = None,
        combiner: str = "sum",
        dtype: Any = tf.string,
    ) -> _SparseColumn:
        if is_integerized and bucket_size is None:
            raise ValueError(f"column_name: {column_name}, bucket_size: this is missing. is_integerized needs it.")
        if is_integerized and not dtype.is_integer:
            raise ValueError(
                f"dtype must be an integer if is_integerized is True. dtype: {dtype}, column_name: {column_name}."
            )
        if dtype != tf.string and not dtype.is_integer:
            raise ValueError(f"dtype must be string or integer. dtype: {dtype}, column_name: {column_name}")
        if (bucket_size is None) == (not lookup_config):
            raise ValueError(f"One of bucket_size and lookup_config has to be set. column_name: {column_name}")
        if bucket_size is not None and bucket_size < 1:
            raise ValueError(f"column_name: {column_name}, bucket_size: {bucket_size} is too small. Give 1 or more.")
        if lookup_config and not isinstance(lookup_config, _SparseIdLookupConfig):
            raise TypeError(
                f"lookup_config has to be a _SparseIdLookupConfig, not {type(lookup_config)}. "
                f"column_name: {column_name}"
            )
        if lookup_config and lookup_config.vocabulary_file and lookup_config.vocab_size is None:
            raise ValueError(f"column_name: {column_name}, vocab_size: this is missing. Give the number of lines.")
        return super().__new__(cls, column_name, is_integerized, bucket_size, lookup_config, combiner, dtype)

    @property
    def name(self) -> Any:
        """Returns the feature's name."""
        return self.column_name

    @property
    def length(self) -> Any:
        """Returns the number of ids: the depth of a one-hot `[batch, length]`."""
        if self.bucket_size is not None:
            return self.bucket_size
        return self.lookup_config.vocab_size + self.lookup_config.num_oov_buckets

    @property
    def config(self) -> Any:
        """Returns the feature's parsing spec, a dict, for a SparseTensor `[batch, values]`."""
        return {self.column_name: tf.VarLenFeature(self.dtype)}

    def is_compatible(self, other_column: Any) -> bool:
        """Returns True if another column can share this column's `[length, dimension]` embeddings.

        Columns with vocabularies share them if the vocabularies are equal. Other columns do if they have the same
        number of ids, and both have strings or both have ints.

        Args:
            other_column: A column made by a `sparse_column_with_*`.
        """
        if self.lookup_config and other_column.lookup_config:
            return bool(self.lookup_config == other_column.lookup_config)
        same_type = self.dtype == other_column.dtype or (self.dtype.is_integer and other_column.dtype.is_integer)
        compatible = bool(self.length == other_column.length and same_type)
        if compatible:
            tf.logging.warning("Columns %s and %s may have different vocabularies.", self.name, other_column.name)
        return compatible

    def _transform_feature(self, inputs: Any) -> Any:
        feature = inputs.get(self.name)
        if not isinstance(feature, tf.SparseTensor):
            # -1 marks a missing value: ids are never negative, and 0 is an id.
            ignore_value = "" if feature.dtype == tf.string else -1
            feature = sparse_ops.dense_to_sparse_tensor(
                _reshape_real_valued_tensor(feature, 2, self.name), ignore_value=ignore_value
            )
        return self._do_transform(feature)

    def _do_transform(self, input_tensor: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no ids.")


def _strings(column: _SparseColumn, values: Any) -> Any:
    return tf.as_string(values) if column.dtype.is_integer else values


class _SparseColumnIntegerized(_SparseColumn):
    """The column that `sparse_column_with_integerized_feature` returns."""

    def _do_transform(self, input_tensor: Any) -> Any:
        ids = tf.mod(input_tensor.values, self.bucket_size, name="mod")
        return tf.SparseTensor(input_tensor.indices, ids, input_tensor.dense_shape)


def sparse_column_with_integerized_feature(
    column_name: str, bucket_size: int, combiner: str = "sum", dtype: Any = tf.int64
) -> Any:
    """A column of a `[batch, length]` feature whose ints are the ids.

    Args:
        column_name: Name of the feature.
        bucket_size: Number of ids; larger values are taken modulo this number.
        combiner: Reduction of an example's ids: "sum" (default), "mean" or "sqrtn".
        dtype: Int dtype of the feature.

    Raises:
        ValueError: `bucket_size` is below 1, or the dtype isn't an int dtype.
    """
    return _SparseColumnIntegerized(
        column_name, is_integerized=True, bucket_size=bucket_size, combiner=combiner, dtype=dtype
    )


class _SparseColumnHashed(_SparseColumn):
    """The column that `sparse_column_with_hash_bucket` returns."""

    hash_keys: Any

    def __new__(
        cls,
        column_name: str,
        is_integerized: bool = False,
        bucket_size: int | None = None,
        lookup_config: Any = None,
        combiner: str = "sum",
        dtype: Any = tf.string,
        hash_keys: Any = None,
    ) -> _SparseColumnHashed:
        if hash_keys is not None:
            if not isinstance(hash_keys, list) or not hash_keys:
                raise ValueError(f"hash_keys must be a non-empty list. hash_keys: {hash_keys}")
            for pair in hash_keys:
                if not (isinstance(pair, list) and len(pair) == 2 and all(isinstance(key, int) for key in pair)):
                    raise ValueError(f"Each element of hash_keys must be a pair of integers. Element: {pair}")
        column = super().__new__(cls, column_name, is_integerized, bucket_size, lookup_config, combiner, dtype)
        column.hash_keys = hash_keys
        return column

    def _do_transform(self, input_tensor: Any) -> Any:
        values = _strings(self, input_tensor.values)

        def with_ids(ids: Any) -> Any:
            """Returns the ids in the shape of the input."""
            return tf.SparseTensor(input_tensor.indices, ids, input_tensor.dense_shape)

        if not self.hash_keys:
            return with_ids(tf.string_to_hash_bucket_fast(values, self.bucket_size, name="lookup"))
        ids_by_key = [
            with_ids(tf.string_to_hash_bucket_strong(values, self.bucket_size, key)) for key in self.hash_keys
        ]
        return tf.sparse_concat(axis=1, sp_inputs=ids_by_key, name="lookup")


def sparse_column_with_hash_bucket(
    column_name: str, hash_bucket_size: int, combiner: str = "sum", dtype: Any = tf.string, hash_keys: Any = None
) -> Any:
    """A column of a `[batch, length]` feature whose values are hashed to ids.

    Args:
        column_name: Name of the feature.
        hash_bucket_size: Number of ids.
        combiner: Reduction of an example's ids: "sum" (default), "mean" or "sqrtn".
        dtype: Dtype of the feature: tf.string or an int dtype.
        hash_keys: Pairs of ints; a value gets one id for each pair.

    Raises:
        ValueError: `hash_bucket_size` is below 1, or the dtype or the keys are unsupported.
    """
    return _SparseColumnHashed(
        column_name, bucket_size=hash_bucket_size, combiner=combiner, dtype=dtype, hash_keys=hash_keys
    )


class _SparseColumnKeys(_SparseColumn):
    """The column that `sparse_column_with_keys` returns."""

    def _do_transform(self, input_tensor: Any) -> Any:
        table = index_table_from_tensor(
            mapping=tuple(self.lookup_config.keys),
            default_value=self.lookup_config.default_value,
            dtype=self.dtype,
            name="lookup",
        )
        return table.lookup(input_tensor)


def sparse_column_with_keys(
    column_name: str, keys: Iterable[Any], default_value: int = -1, combiner: str = "sum", dtype: Any = tf.string
) -> Any:
    """A column of a `[batch, length]` feature with a known list of values.

    Args:
        column_name: Name of the feature.
        keys: The values; an id is a position in this list.
        default_value: Id of unknown values; a negative id is ignored.
        combiner: Reduction of an example's ids: "sum" (default), "mean" or "sqrtn".
        dtype: Dtype of the feature: tf.string or an int dtype.

    Raises:
        ValueError: The dtype is unsupported.
    """
    keys = tuple(keys)
    lookup_config = _SparseIdLookupConfig(keys=keys, vocab_size=len(keys), default_value=default_value)
    return _SparseColumnKeys(column_name, lookup_config=lookup_config, combiner=combiner, dtype=dtype)


class _SparseColumnVocabulary(_SparseColumn):
    """The column that `sparse_column_with_vocabulary_file` returns."""

    def _do_transform(self, input_tensor: Any) -> Any:
        table = lookup_ops.index_table_from_file(
            vocabulary_file=self.lookup_config.vocabulary_file,
            num_oov_buckets=self.lookup_config.num_oov_buckets,
            vocab_size=self.lookup_config.vocab_size,
            default_value=self.lookup_config.default_value,
            name=self.name + "_lookup",
        )
        strings = _strings(self, input_tensor.values)
        return table.lookup(tf.SparseTensor(input_tensor.indices, strings, input_tensor.dense_shape))


def sparse_column_with_vocabulary_file(
    column_name: str,
    vocabulary_file: str,
    num_oov_buckets: int = 0,
    vocab_size: int | None = None,
    default_value: int = -1,
    combiner: str = "sum",
    dtype: Any = tf.string,
) -> Any:
    """A column of a `[batch, length]` feature whose values are the lines of a file.

    Args:
        column_name: Name of the feature.
        vocabulary_file: Path of the file; an id is a line number, from 0 on.
        num_oov_buckets: Number of ids for unknown values; 0 to give them `default_value`.
        vocab_size: Number of lines to use.
        default_value: Id of unknown values; a negative id is ignored.
        combiner: Reduction of an example's ids: "sum" (default), "mean" or "sqrtn".
        dtype: Dtype of the feature: tf.string or an int dtype.

    Raises:
        ValueError: `vocab_size` is missing, or the dtype is unsupported.
    """
    if vocab_size is None:
        raise ValueError(f"column_name: {column_name}, vocab_size: this is missing. Give the number of lines.")
    lookup_config = _SparseIdLookupConfig(vocabulary_file, None, num_oov_buckets, vocab_size, default_value)
    return _SparseColumnVocabulary(column_name, lookup_config=lookup_config, combiner=combiner, dtype=dtype)


class _WeightedSparseColumn(
    _CategoricalColumn, namedtuple("_WeightedSparseColumn", "sparse_id_column weight_column_name dtype")
):
    """The column that `weighted_sparse_column` returns."""

    @property
    def name(self) -> Any:
        """Returns the column's name, "IDS_weighted_by_WEIGHTS", of two features with the shape `[batch, values]`."""
        return f"{self.sparse_id_column.name}_weighted_by_{self.weight_column_name}"

    @property
    def length(self) -> Any:
        """Returns the number of ids: the depth of a weighted one-hot `[batch, length]`."""
        return self.sparse_id_column.length

    @property
    def combiner(self) -> Any:
        """Returns the combiner of the ids' column, which reduces the `[ids, num_outputs]` weights of an example.

        It is "sum" (the default of columns), "mean" or "sqrtn".
        """
        return self.sparse_id_column.combiner

    @property
    def config(self) -> Any:
        """Returns the features' parsing specs, a dict, for SparseTensors `[batch, values]`."""
        return {**_get_feature_config(self.sparse_id_column), self.weight_column_name: tf.VarLenFeature(self.dtype)}

    @property
    def lookup_config(self) -> Any:
        """Returns the mapping of the feature's values, `[batch, values]`, to ids of the same shape."""
        return self.sparse_id_column.lookup_config

    def id_tensor(self, input_tensor: Any) -> Any:
        """Returns the ids, a `[batch, length]` SparseTensor."""
        return input_tensor[0]

    def weight_tensor(self, input_tensor: Any) -> Any:
        """Returns the weights, a `[batch, length]` SparseTensor."""
        return input_tensor[1]

    def _transform_feature(self, inputs: Any) -> Any:
        ids, weights = inputs.get(self.sparse_id_column), inputs.get(self.weight_column_name)
        if not isinstance(weights, tf.SparseTensor):
            weights = sparse_ops.dense_to_sparse_tensor(weights)
        if not self.dtype.is_floating:
            weights = tf.cast(weights, tf.float32)
        return ids, weights

    def is_compatible(self, other_column: Any) -> bool:
        """Returns True if another column, with weights or not, can share the `[length, dimension]` embeddings."""
        if isinstance(other_column, _WeightedSparseColumn):
            other_column = other_column.sparse_id_column
        return bool(self.sparse_id_column.is_compatible(other_column))


def weighted_sparse_column(sparse_id_column: Any, weight_column_name: str, dtype: Any = tf.float32) -> Any:
    """A column of ids with weights from another feature, both `[batch, length]`.

    Args:
        sparse_id_column: Column of ids, made by a `sparse_column_with_*`.
        weight_column_name: Name of the weights' feature, which has one value for each id.
        dtype: Number dtype of the weights.

    Raises:
        ValueError: The dtype isn't a number dtype.
    """
    if not (dtype.is_integer or dtype.is_floating):
        raise ValueError(f"dtype is not convertible to float. Given {dtype}")
    return _WeightedSparseColumn(sparse_id_column, weight_column_name, dtype)


class _OneHotColumn(_FeatureColumn, core._DenseColumn, namedtuple("_OneHotColumn", "sparse_id_column")):
    """The column that `one_hot_column` returns."""

    @property
    def name(self) -> Any:
        """Returns the column's name, "IDS_one_hot"; the column's output is `[batch, length]`."""
        return f"{self.sparse_id_column.name}_one_hot"

    @property
    def length(self) -> Any:
        """Returns the number of ids: the depth of the one-hot `[batch, length]`."""
        return self.sparse_id_column.length

    @property
    def config(self) -> Any:
        """Returns the parsing specs of the ids' column, a dict, usually for one SparseTensor `[batch, values]`."""
        return _get_feature_config(self.sparse_id_column)

    def insert_transformed_feature(self, columns_to_tensors: Any) -> None:
        """Adds the `[batch, length]` ids unchanged; tf.feature_column's models call `_transform_feature` instead."""
        inputs = _LazyBuilderByColumnsToTensor(columns_to_tensors)
        columns_to_tensors[self] = inputs.get(self.sparse_id_column)

    def _to_dnn_input_layer(
        self, input_tensor: Any, weight_collections: Any = None, trainable: bool = False, output_rank: int = 2
    ) -> Any:
        ids = _inner_flatten(self.sparse_id_column.id_tensor(input_tensor), output_rank)
        weights = self.sparse_id_column.weight_tensor(input_tensor)
        if weights is not None:
            weighted = tf.sparse_merge(sp_ids=ids, sp_values=weights, vocab_size=self.length)
            # The slice removes ids of -1, which lie outside the shape.
            weighted = tf.sparse_slice(weighted, tf.zeros_like(weighted.dense_shape), weighted.dense_shape)
            dense = tf.sparse_tensor_to_dense(weighted)
            return tf.reshape(dense, tf.concat([tf.shape(dense)[:-1], [self.length]], axis=0))
        dense_ids = tf.sparse_tensor_to_dense(ids, default_value=-1)
        one_hot = tf.one_hot(dense_ids, depth=self.length, on_value=1.0, off_value=0.0)
        return tf.reduce_sum(one_hot, axis=[output_rank - 1])

    @property
    def _variable_shape(self) -> Any:
        return tf.TensorShape([self.length])

    def _get_dense_tensor(self, inputs: Any, weight_collections: Any = None, trainable: Any = None) -> Any:
        return inputs.get(self)

    def _transform_feature(self, inputs: Any) -> Any:
        return self._to_dnn_input_layer(inputs.get(self.sparse_id_column))


def one_hot_column(sparse_id_column: Any) -> Any:
    """A column of multi-hot vectors, `[batch, number of ids]`: each id of an example sets its position.

    Args:
        sparse_id_column: Column made by a `sparse_column_with_*`, `weighted_sparse_column` or `crossed_column`.
    """
    return _OneHotColumn(sparse_id_column)


class _EmbeddedColumn(_FeatureColumn, core._DenseColumn):
    """Base class of embedding columns, whose outputs are `[batch, dimension]`."""

    dimension: Any

    @property
    def key(self) -> str:
        """Returns the sort key without the initializer; it decides the order of the `[batch, dimension]` outputs."""
        return self._key_without("initializer")

    @property
    def _variable_shape(self) -> Any:
        return tf.TensorShape([self.dimension])

    def _get_dense_tensor(self, inputs: Any, weight_collections: Any = None, trainable: Any = None) -> Any:
        arguments = self._deep_embedding_lookup_arguments(inputs.get(self))
        return _embeddings_from_arguments(self, arguments, weight_collections, trainable)


def _check_initializer(initializer: Any, column_name: str) -> None:
    if initializer is not None and not callable(initializer):
        raise ValueError(f"column_name: {column_name}, initializer: {initializer} can't be called. Give a function.")


def _check_checkpoint(ckpt_to_load_from: Any, tensor_name_in_ckpt: Any) -> None:
    if (ckpt_to_load_from is None) != (tensor_name_in_ckpt is None):
        raise ValueError(
            f"ckpt_to_load_from={ckpt_to_load_from} and tensor_name_in_ckpt={tensor_name_in_ckpt} need each other: "
            "set both or none"
        )


class _EmbeddingColumn(
    _EmbeddedColumn,
    namedtuple(
        "_EmbeddingColumn",
        "sparse_id_column dimension combiner initializer ckpt_to_load_from tensor_name_in_ckpt shared_embedding_name "
        "shared_vocab_size max_norm trainable",
    ),
):
    """The column that `embedding_column` and `shared_embedding_columns` return."""

    def __new__(
        cls,
        sparse_id_column: Any,
        dimension: int,
        combiner: str = "mean",
        initializer: Any = None,
        ckpt_to_load_from: Any = None,
        tensor_name_in_ckpt: Any = None,
        shared_embedding_name: Any = None,
        shared_vocab_size: Any = None,
        max_norm: Any = None,
        trainable: bool = True,
    ) -> _EmbeddingColumn:
        _check_initializer(initializer, sparse_id_column.name)
        _check_checkpoint(ckpt_to_load_from, tensor_name_in_ckpt)
        if initializer is None:
            initializer = tf.truncated_normal_initializer(mean=0.0, stddev=1 / math.sqrt(sparse_id_column.length))
        return super().__new__(
            cls, sparse_id_column, dimension, combiner, initializer, ckpt_to_load_from, tensor_name_in_ckpt,
            shared_embedding_name, shared_vocab_size, max_norm, trainable,
        )  # fmt: skip

    @property
    def name(self) -> Any:
        """Returns the column's name, "IDS_embedding" or "IDS_shared_embedding"; its output is `[batch, dimension]`."""
        shared = "" if self.shared_embedding_name is None else "_shared"
        return f"{self.sparse_id_column.name}{shared}_embedding"

    @property
    def length(self) -> Any:
        """Returns the number of ids: the rows of the embedding's `[length, dimension]` weights."""
        return self.sparse_id_column.length if self.shared_vocab_size is None else self.shared_vocab_size

    @property
    def config(self) -> Any:
        """Returns the parsing specs of the ids' column, a dict, usually for one SparseTensor `[batch, values]`."""
        return _get_feature_config(self.sparse_id_column)

    def _transform_feature(self, inputs: Any) -> Any:
        return inputs.get(self.sparse_id_column)

    def _deep_embedding_lookup_arguments(self, input_tensor: Any) -> Any:
        return _DeepEmbeddingLookupArguments(
            input_tensor=self.sparse_id_column.id_tensor(input_tensor),
            weight_tensor=self.sparse_id_column.weight_tensor(input_tensor),
            vocab_size=self.length,
            dimension=self.dimension,
            initializer=self.initializer,
            combiner=self.combiner,
            shared_embedding_name=self.shared_embedding_name,
            hash_key=None,
            max_norm=self.max_norm,
            trainable=self.trainable,
        )

    def _checkpoint_path(self) -> Any:
        return None if self.ckpt_to_load_from is None else (self.ckpt_to_load_from, self.tensor_name_in_ckpt)

    def _wide_embedding_lookup_arguments(self, input_tensor: Any) -> Any:
        raise ValueError(f"{self}: a linear model can't use embeddings. Give it the column of ids.")


def embedding_column(
    sparse_id_column: Any,
    dimension: int,
    combiner: str = "mean",
    initializer: Any = None,
    ckpt_to_load_from: Any = None,
    tensor_name_in_ckpt: Any = None,
    max_norm: Any = None,
    trainable: bool = True,
) -> Any:
    """A column of trained embeddings, one for each id; its output has the shape `[batch, dimension]`.

    Args:
        sparse_id_column: Column made by a `sparse_column_with_*`, `weighted_sparse_column` or `crossed_column`.
        dimension: Length of an embedding.
        combiner: Reduction of an example's embeddings: "mean" (default), "sum" or "sqrtn".
        initializer: Initializer of the embeddings; by default a truncated normal, stddev `1 / sqrt(number of ids)`.
        ckpt_to_load_from: Checkpoint to restore the embeddings from.
        tensor_name_in_ckpt: Name of the embeddings in the checkpoint.
        max_norm: Norm to which longer embeddings are clipped.
        trainable: True to train the embeddings.

    Raises:
        ValueError: The initializer isn't callable, or only one of checkpoint and name is set.
    """
    return _EmbeddingColumn(
        sparse_id_column, dimension, combiner, initializer, ckpt_to_load_from, tensor_name_in_ckpt,
        max_norm=max_norm, trainable=trainable,
    )  # fmt: skip


def shared_embedding_columns(
    sparse_id_columns: Sequence[Any],
    dimension: int,
    combiner: str = "mean",
    shared_embedding_name: Any = None,
    initializer: Any = None,
    ckpt_to_load_from: Any = None,
    tensor_name_in_ckpt: Any = None,
    max_norm: Any = None,
    trainable: bool = True,
) -> Any:
    """Columns with shared embeddings; outputs are `[batch, dimension]`; see `embedding_column`.

    Args:
        sparse_id_columns: List of columns with the same ids.
        shared_embedding_name: Name of the embeddings; by default made of the names of the first three columns.

    Returns:
        A tuple of columns, one for each column of ids; a list if there is only one.

    Raises:
        TypeError: A column isn't a column of ids.
        ValueError: The list is empty, or the columns have different ids.
    """
    if not isinstance(sparse_id_columns, Sequence) or isinstance(sparse_id_columns, str):
        raise TypeError(f"sparse_id_columns must be a list or a tuple, not {type(sparse_id_columns)}.")
    if not sparse_id_columns:
        raise ValueError("sparse_id_columns must have at least one element.")
    for column in sparse_id_columns:
        if not isinstance(column, (_SparseColumn, _WeightedSparseColumn)):
            raise TypeError(f"sparse_id_columns must be _SparseColumn or _WeightedSparseColumn, but {column} is not.")
    shared_vocab_size = None
    first = sparse_id_columns[0]
    if len(sparse_id_columns) > 1:
        weighted = isinstance(first, _WeightedSparseColumn)
        for column in sparse_id_columns[1:]:
            if not (first.is_compatible(column) if weighted else column.is_compatible(first)):
                raise ValueError(f"The input sparse id columns are not compatible: {first.name}, {column.name}.")
        shared_embedding_name = shared_embedding_name or _shared_name(sparse_id_columns)
        shared_vocab_size = first.length
    columns = [
        _EmbeddingColumn(
            column, dimension, combiner, initializer, ckpt_to_load_from, tensor_name_in_ckpt, shared_embedding_name,
            shared_vocab_size, max_norm, trainable,
        )
        for column in sparse_id_columns
    ]  # fmt: skip
    return columns if len(columns) == 1 else tuple(columns)


def _shared_name(columns: Sequence[Any]) -> str:
    """Returns a name that doesn't depend on the order of the columns; columns without weights come first."""
    plain = sorted((column for column in columns if isinstance(column, _SparseColumn)), key=lambda column: column.name)
    weighted = sorted((column for column in columns if column not in plain), key=lambda column: column.name)
    names = [column.name for column in plain + weighted]
    others = [f"plus_{len(names) - 3}_others"] if len(names) > 3 else []
    return "_".join([*names[:3], *others, "shared_embedding"])


class _ScatteredEmbeddingColumn(
    _EmbeddedColumn,
    namedtuple("_ScatteredEmbeddingColumn", "column_name size dimension hash_key combiner initializer"),
):
    """The column that `scattered_embedding_column` returns."""

    def __new__(
        cls,
        column_name: str,
        size: int,
        dimension: int,
        hash_key: Any,
        combiner: str = "sqrtn",
        initializer: Any = None,
    ) -> _ScatteredEmbeddingColumn:
        _check_initializer(initializer, column_name)
        if initializer is None:
            initializer = tf.truncated_normal_initializer(mean=0.0, stddev=0.1)
        return super().__new__(cls, column_name, size, dimension, hash_key, combiner, initializer)

    @property
    def name(self) -> Any:
        """Returns the column's name, "FEATURE_scattered_embedding"; its output is `[batch, dimension]`."""
        return f"{self.column_name}_scattered_embedding"

    @property
    def config(self) -> Any:
        """Returns the feature's parsing spec, a dict, for a string SparseTensor `[batch, values]`."""
        return {self.column_name: tf.VarLenFeature(tf.string)}

    def _transform_feature(self, inputs: Any) -> Any:
        return inputs.get(self.column_name)

    def _deep_embedding_lookup_arguments(self, input_tensor: Any) -> Any:
        return _DeepEmbeddingLookupArguments(
            input_tensor=input_tensor,
            weight_tensor=None,
            vocab_size=self.size,
            initializer=self.initializer,
            combiner=self.combiner,
            dimension=self.dimension,
            shared_embedding_name=None,
            hash_key=self.hash_key,
            max_norm=None,
            trainable=True,
        )


def scattered_embedding_column(
    column_name: str, size: int, dimension: int, hash_key: Any, combiner: str = "mean", initializer: Any = None
) -> Any:
    """A column of embeddings without a vocabulary: a hash picks one of `size` weights for each component.

    Chen et al. 2015, arXiv:1504.04788.

    Args:
        column_name: Name of the feature, a string feature.
        size: Number of weights.
        dimension: Length of an embedding; the output has the shape `[batch, dimension]`.
        hash_key: Start value of the hash, such as SPARSE_FEATURE_CROSS_DEFAULT_HASH_KEY.
        combiner: Reduction of an example's embeddings: "mean" (default), "sum" or "sqrtn".
        initializer: Initializer of the weights; by default a truncated normal with stddev 0.1.

    Raises:
        ValueError: `size` or `dimension` is below 1, or `combiner` is unknown.
    """
    if dimension < 1 or size < 1:
        raise ValueError(
            f"dimension and size must be greater than 0. dimension: {dimension}, size: {size}, "
            f"column_name: {column_name}"
        )
    if combiner not in ("mean", "sqrtn", "sum"):
        raise ValueError(
            f"combiner must be one of 'mean', 'sqrtn' or 'sum'. combiner: {combiner}, column_name: {column_name}"
        )
    return _ScatteredEmbeddingColumn(column_name, size, dimension, hash_key, combiner, initializer)


def _embeddings_from_arguments(
    column: Any, args: Any, weight_collections: Any, trainable: Any, output_rank: int = 2
) -> Any:
    """Looks up the embeddings that `_deep_embedding_lookup_arguments` describes."""
    ids = _inner_flatten(args.input_tensor, output_rank)
    weights = None if args.weight_tensor is None else _inner_flatten(args.weight_tensor, output_rank)

    def variable(name: str, shape: list[int]) -> Any:
        """Makes a float32 model variable: `[ids, dimension]` embeddings, or `[size]` weights for hashed values."""
        return model_variable(
            name,
            shape=shape,
            dtype=tf.float32,
            initializer=args.initializer,
            trainable=trainable and args.trainable,
            collections=weight_collections,
        )

    if args.hash_key:
        return embedding_ops.scattered_embedding_lookup_sparse(
            variable("weights", [args.vocab_size]),
            ids,
            args.dimension,
            hash_key=args.hash_key,
            combiner=args.combiner,
            name="lookup",
        )
    shape = [args.vocab_size, args.dimension]
    if args.shared_embedding_name is None:
        embeddings = variable("weights", shape)
    else:
        shared = tf.get_collection_ref("SHARED_EMBEDDING_COLLECTION_" + args.shared_embedding_name.upper())
        if not shared:
            shared.append(variable(args.shared_embedding_name, shape))
        [embeddings] = shared
        if embeddings.get_shape().as_list() != shape:
            raise ValueError(
                f"The embedding {args.shared_embedding_name} of column {column.name} has the shape "
                f"{embeddings.get_shape()} already, not {shape}: give other columns another shared_embedding_name"
            )
    parts = embedding_ops.parts_of(embeddings)
    _maybe_restore_from_checkpoint(column._checkpoint_path(), parts)
    return embedding_ops.safe_embedding_lookup_sparse(
        parts,
        ids,
        sparse_weights=weights,
        combiner=args.combiner,
        name=column.name + "weights",
        max_norm=args.max_norm,
    )


def _maybe_restore_from_checkpoint(checkpoint_path: Any, variable: list[Any]) -> None:
    if checkpoint_path is not None:
        path, name = checkpoint_path
        tf.train.init_from_checkpoint(path, {name: variable[0] if len(variable) == 1 else variable})


def _reshape_real_valued_tensor(input_tensor: Any, output_rank: int, column_name: Any = None) -> Any:
    """Reshapes numbers to rank `output_rank`: flattens the innermost axes, or adds an axis."""
    rank = input_tensor.shape.ndims
    if rank is not None:
        if output_rank > rank + 1:
            raise ValueError(
                f"Column {column_name}: its tensor has {rank} dimensions, not {output_rank}; sequences have 3, others 2"
            )
        if output_rank == rank + 1:
            return tf.expand_dims(input_tensor, -1, name="expand_dims")
        if output_rank == rank:
            return input_tensor
    return _inner_flatten(input_tensor, output_rank)


class _RealValuedVarLenColumn(
    _FeatureColumn, namedtuple("_RealValuedVarLenColumn", "column_name default_value dtype normalizer is_sparse")
):
    """The column that `_real_valued_var_len_column` returns."""

    @property
    def name(self) -> Any:
        """Returns the feature's name."""
        return self.column_name

    @property
    def config(self) -> Any:
        """Returns the feature's parsing spec, a dict, for a tensor `[batch, values]`, sparse or padded."""
        if self.is_sparse:
            return {self.column_name: tf.VarLenFeature(self.dtype)}
        feature = tf.FixedLenSequenceFeature([], self.dtype, allow_missing=True, default_value=self.default_value)
        return {self.column_name: feature}

    @property
    def key(self) -> str:
        """Returns the sort key of the column."""
        return self._key_without("normalizer")

    @property
    def normalizer_fn(self) -> Any:
        """Returns the function that is applied to `[batch, values]` numbers before they become float32, or None.

        From a SparseTensor the function gets only the values, which have the shape `[total number of values]`.
        """
        return self.normalizer

    def _transform_feature(self, inputs: Any) -> Any:
        feature = inputs.get(self.name)
        if self.normalizer is not None and self.is_sparse:
            feature = tf.SparseTensor(feature.indices, self.normalizer(feature.values), feature.dense_shape)
        elif self.normalizer is not None:
            feature = self.normalizer(feature)
        return tf.cast(feature, tf.float32)

    def _to_dnn_input_layer(
        self, input_tensor: Any, weight_collections: Any = None, trainable: bool = True, output_rank: int = 2
    ) -> Any:
        return _reshape_real_valued_tensor(self._to_dense_tensor(input_tensor), output_rank, self.name)

    def _to_dense_tensor(self, input_tensor: Any) -> Any:
        if self.is_sparse:
            raise ValueError(f"Set is_sparse to False if you want a dense Tensor for column_name: {self.name}")
        return input_tensor


def _real_valued_var_len_column(
    column_name: str,
    default_value: Any = None,
    dtype: Any = tf.float32,
    normalizer: Any = None,
    is_sparse: bool = False,
) -> Any:
    """A column of numbers whose count differs from example to example.

    Args:
        column_name: Name of the feature.
        default_value: Number that shorter examples are padded with.
        dtype: Number dtype of the feature.
        normalizer: Function applied to the numbers.
        is_sparse: True for a SparseTensor, which needs no padding.

    Raises:
        TypeError: The dtype isn't a number dtype.
        ValueError: `default_value` is missing, or isn't a scalar.
    """
    if not (dtype.is_integer or dtype.is_floating):
        raise TypeError(f"dtype must be convertible to float. dtype: {dtype}, column_name: {column_name}")
    if default_value is None and not is_sparse:
        raise ValueError(f"default_value must be provided when is_sparse=False. column_name: {column_name}")
    if isinstance(default_value, list):
        raise ValueError(f"Only scalar default value. default_value: {default_value}, column_name: {column_name}")
    if default_value is not None:
        default_value = int(default_value) if dtype.is_integer else float(default_value)
    return _RealValuedVarLenColumn(column_name, default_value, dtype, normalizer, is_sparse)


class _RealValuedColumn(
    _FeatureColumn,
    core._DenseColumn,
    namedtuple("_RealValuedColumn", "column_name dimension default_value dtype normalizer"),
):
    """The column that `real_valued_column` returns."""

    def __new__(
        cls, column_name: str, dimension: int, default_value: Any, dtype: Any, normalizer: Any
    ) -> _RealValuedColumn:
        default_value = None if default_value is None else tuple(default_value)
        return super().__new__(cls, column_name, dimension, default_value, dtype, normalizer)

    @property
    def name(self) -> Any:
        """Returns the feature's name."""
        return self.column_name

    @property
    def config(self) -> Any:
        """Returns the feature's parsing spec, a dict, for a tensor `[batch, dimension]`."""
        default_value = None if self.default_value is None else list(self.default_value)
        return {self.column_name: tf.FixedLenFeature([self.dimension], self.dtype, default_value)}

    @property
    def key(self) -> str:
        """Returns the sort key of the column."""
        return self._key_without("normalizer")

    @property
    def normalizer_fn(self) -> Any:
        """Returns the function that is applied to `[batch, dimension]` numbers before they become float32, or None."""
        return self.normalizer

    def _transform_feature(self, inputs: Any) -> Any:
        feature = inputs.get(self.name)
        return tf.cast(feature if self.normalizer is None else self.normalizer(feature), tf.float32)

    def _to_dnn_input_layer(
        self, input_tensor: Any, weight_collections: Any = None, trainable: bool = True, output_rank: int = 2
    ) -> Any:
        return _reshape_real_valued_tensor(tf.cast(input_tensor, tf.float32), output_rank, self.name)

    def _to_dense_tensor(self, input_tensor: Any) -> Any:
        return input_tensor

    @property
    def _variable_shape(self) -> Any:
        return tf.TensorShape([self.dimension])

    def _get_dense_tensor(self, inputs: Any, weight_collections: Any = None, trainable: Any = None) -> Any:
        return inputs.get(self)


def real_valued_column(
    column_name: str, dimension: int = 1, default_value: Any = None, dtype: Any = tf.float32, normalizer: Any = None
) -> Any:
    """A column of numbers, `[batch, dimension]`.

    Args:
        column_name: Name of the feature.
        dimension: Count of numbers in an example.
        default_value: Value of examples without the feature: a number, or a list of `dimension` numbers.
        dtype: Number dtype of the feature.
        normalizer: Function applied to the numbers.

    Raises:
        TypeError: `dimension` isn't an int, or `default_value` doesn't fit the dtype.
        ValueError: `dimension` is below 1, the dtype isn't a number dtype, or `default_value` has another length.
    """
    if not isinstance(dimension, int):
        raise TypeError(f"dimension must be an integer. dimension: {dimension}, column_name: {column_name}")
    if dimension < 1:
        raise ValueError(f"dimension must be greater than 0. dimension: {dimension}, column_name: {column_name}")
    if not (dtype.is_integer or dtype.is_floating):
        raise ValueError(f"dtype must be convertible to float. dtype: {dtype}, column_name: {column_name}")
    if default_value is not None:
        defaults = default_value if isinstance(default_value, list) else [default_value] * dimension
        if len(defaults) != dimension:
            raise ValueError(
                f"The length of default_value must be equal to dimension. default_value: {default_value}, "
                f"dimension: {dimension}, column_name: {column_name}"
            )
        if not all(isinstance(value, int if dtype.is_integer else (int, float)) for value in defaults):
            raise TypeError(
                f"default_value must be compatible with dtype. default_value: {default_value}, dtype: {dtype}, "
                f"column_name: {column_name}"
            )
        default_value = defaults if dtype.is_integer else [float(value) for value in defaults]
    return _RealValuedColumn(column_name, dimension, default_value, dtype, normalizer)


class _BucketizedColumn(
    _CategoricalColumn, core._DenseColumn, namedtuple("_BucketizedColumn", "source_column boundaries")
):
    """The column that `bucketized_column` returns."""

    combiner = "sum"

    def __new__(cls, source_column: Any, boundaries: Any) -> _BucketizedColumn:
        if not isinstance(source_column, _RealValuedColumn):
            raise TypeError(f"source_column must be an instance of _RealValuedColumn. source_column: {source_column}")
        if not isinstance(boundaries, (list, tuple)) or not boundaries:
            raise ValueError(f"boundaries: {boundaries} is no list of numbers. Give a list with one or more.")
        if list(boundaries) != sorted(boundaries):
            raise ValueError(f"boundaries must be a sorted list. boundaries: {boundaries}")
        return super().__new__(cls, source_column, tuple(sorted(set(boundaries))))

    @property
    def name(self) -> Any:
        """Returns the column's name, "NUMBERS_bucketized"; its output is `[batch, dimension * length]`."""
        return f"{self.source_column.name}_bucketized"

    @property
    def length(self) -> Any:
        """Returns the number of buckets of one number; the one-hot output is `[batch, dimension * length]`."""
        return len(self.boundaries) + 1

    @property
    def config(self) -> Any:
        """Returns the source column's parsing spec, a dict, for a tensor `[batch, dimension]`."""
        return self.source_column.config

    def _to_dnn_input_layer(
        self, input_tensor: Any, weight_collections: Any = None, trainable: bool = True, output_rank: int = 2
    ) -> Any:
        if output_rank != 2:
            raise ValueError(f"BucketizedColumn currently only supports output_rank=2, not {output_rank}")
        one_hot = tf.one_hot(tf.cast(input_tensor, tf.int64), self.length, 1.0, 0.0, name="one_hot")
        return tf.reshape(one_hot, [-1, self._num_buckets], name="reshape")

    def to_sparse_tensor(self, input_tensor: Any) -> Any:
        """Returns the buckets as ids; each position of the feature has ids of its own.

        Args:
            input_tensor: `[batch, dimension]` int tensor of buckets.

        Returns:
            `[batch, dimension]` SparseTensor of ids.
        """
        dimension = self.source_column.dimension
        batch = tf.shape(input_tensor, name="shape")[0]
        rows = tf.reshape(tf.tile(tf.expand_dims(tf.range(0, batch), 1), [1, dimension]), [-1])
        positions = tf.tile(tf.range(0, dimension), [batch])
        indices = tf.cast(tf.transpose(tf.stack((rows, positions))), tf.int64)
        ids = tf.reshape(input_tensor, [-1], name="reshape") + self.length * positions
        return tf.SparseTensor(indices, ids, tf.cast(tf.stack([batch, dimension]), tf.int64))

    def id_tensor(self, input_tensor: Any) -> Any:
        """Returns the buckets as ids, a `[batch, dimension]` SparseTensor."""
        return self.to_sparse_tensor(input_tensor)

    def _wide_embedding_lookup_arguments(self, input_tensor: Any) -> Any:
        return super()._wide_embedding_lookup_arguments(input_tensor)._replace(vocab_size=self._num_buckets)

    def _transform_feature(self, inputs: Any) -> Any:
        return bucketize(inputs.get(self.source_column), boundaries=list(self.boundaries), name="bucketize")

    @property
    def _num_buckets(self) -> Any:
        return self.length * self.source_column.dimension

    @property
    def _variable_shape(self) -> Any:
        return tf.TensorShape([self._num_buckets])

    def _get_dense_tensor(self, inputs: Any, weight_collections: Any = None, trainable: Any = None) -> Any:
        return self._to_dnn_input_layer(inputs.get(self), weight_collections, trainable)


def bucketized_column(source_column: Any, boundaries: Any) -> Any:
    """A column of the buckets that numbers fall into, `[batch, dimension]`.

    Args:
        source_column: Column made by `real_valued_column`.
        boundaries: Sorted list of numbers; a value equal to a boundary falls into the bucket above it.

    Raises:
        TypeError: The source column is of another kind.
        ValueError: `boundaries` is empty or not sorted.
    """
    return _BucketizedColumn(source_column, boundaries)


class _CrossedColumn(
    _CategoricalColumn,
    namedtuple("_CrossedColumn", "columns hash_bucket_size hash_key combiner ckpt_to_load_from tensor_name_in_ckpt"),
):
    """The column that `crossed_column` returns."""

    def __new__(
        cls,
        columns: Any,
        hash_bucket_size: int,
        hash_key: Any,
        combiner: str = "sum",
        ckpt_to_load_from: Any = None,
        tensor_name_in_ckpt: Any = None,
    ) -> _CrossedColumn:
        for column in columns:
            if not isinstance(column, (_SparseColumn, _CrossedColumn, _BucketizedColumn)):
                raise TypeError(
                    "columns must be a set of _SparseColumn, _CrossedColumn, or _BucketizedColumn instances. "
                    f"(column {column} is a {type(column).__name__})"
                )
        if len(columns) < 2:
            raise ValueError(f"columns: {columns} is too few to cross. Give two or more.")
        if hash_bucket_size < 2:
            raise ValueError(f"hash_bucket_size: {hash_bucket_size} is too few ids. Give 2 or more.")
        _check_checkpoint(ckpt_to_load_from, tensor_name_in_ckpt)
        in_order = tuple(sorted(columns, key=lambda column: column.name))
        return super().__new__(
            cls, in_order, hash_bucket_size, hash_key, combiner, ckpt_to_load_from, tensor_name_in_ckpt
        )

    @property
    def name(self) -> Any:
        """Returns the column's name, such as "a_X_b": the crossed columns' sorted names."""
        return "_X_".join(sorted(column.name for column in self.columns))

    @property
    def config(self) -> Any:
        """Returns the parsing specs of the crossed features, a dict.

        A bucketized feature is a tensor `[batch, dimension]`, any other one a SparseTensor `[batch, values]`.
        """
        return create_feature_spec_for_parsing(self.columns)

    @property
    def length(self) -> Any:
        """Returns the number of ids: the rows of a linear model's `[length, num_outputs]` weights."""
        return self.hash_bucket_size

    def _checkpoint_path(self) -> Any:
        return None if self.ckpt_to_load_from is None else (self.ckpt_to_load_from, self.tensor_name_in_ckpt)

    def _leaves(self) -> list[Any]:
        leaves: list[Any] = []
        for column in self.columns:
            leaves.extend(column._leaves() if isinstance(column, _CrossedColumn) else [column])
        return leaves

    def _transform_feature(self, inputs: Any) -> Any:
        features = [
            column.to_sparse_tensor(inputs.get(column))
            if isinstance(column, _BucketizedColumn)
            else inputs.get(column.name)
            for column in self._leaves()
        ]
        return sparse_feature_cross(
            features, hashed_output=True, num_buckets=self.hash_bucket_size, hash_key=self.hash_key, name="cross"
        )


def crossed_column(
    columns: Any,
    hash_bucket_size: int,
    combiner: str = "sum",
    ckpt_to_load_from: Any = None,
    tensor_name_in_ckpt: Any = None,
    hash_key: Any = None,
) -> Any:
    """A column of all combinations of other columns' values, hashed to `[batch, combinations]` ids.

    Args:
        columns: Two or more columns made by `sparse_column_with_*`, `bucketized_column` or `crossed_column`.
        hash_bucket_size: Number of ids, 2 or more.
        combiner: Reduction of an example's ids: "sum" (default), "mean" or "sqrtn".
        ckpt_to_load_from: Checkpoint to restore a linear model's weights from.
        tensor_name_in_ckpt: Name of the weights in the checkpoint.
        hash_key: Start value of the hash; None for TensorFlow 1's older hash.

    Raises:
        TypeError: A column is of another kind.
        ValueError: There are too few columns or ids, or only one of checkpoint and name is set.
    """
    return _CrossedColumn(columns, hash_bucket_size, hash_key, combiner, ckpt_to_load_from, tensor_name_in_ckpt)


def _get_feature_config(feature_column: Any) -> Any:
    if not isinstance(feature_column, _FeatureColumn):
        raise TypeError(f"feature_columns: {feature_column} is no column of contrib. Make one by tf.contrib.layers.")
    return feature_column.config  # type: ignore[attr-defined]


def create_feature_spec_for_parsing(feature_columns: Any) -> dict[str, Any]:
    """Returns a dict, feature name -> parsing spec: the argument `features` of tf.parse_example for columns.

    The spec is a VarLenFeature, a FixedLenFeature of shape `[dimension]`, or a FixedLenSequenceFeature of shape `[]`.

    Args:
        feature_columns: Iterable of columns, or a dict with columns as values.

    Raises:
        TypeError: A column isn't contrib's.
    """
    columns = feature_columns.values() if isinstance(feature_columns, dict) else feature_columns
    specs: dict[str, Any] = {}
    for column in columns:
        specs.update(_get_feature_config(column))
    return specs


def _create_sequence_feature_spec_for_parsing(
    sequence_feature_columns: Any, allow_missing_by_default: bool = False
) -> dict[str, Any]:
    """Returns the parsing specs for the features of a sequence's steps."""
    specs = {}
    for key, feature in create_feature_spec_for_parsing(sequence_feature_columns).items():
        if isinstance(feature, tf.VarLenFeature):
            specs[key] = feature
            continue
        has_default = feature.default_value is not None
        if has_default:
            tf.logging.warning(
                "Found default value %s for feature %s. It is left out, and allow_missing is set.",
                feature.default_value,
                key,
            )
        specs[key] = tf.FixedLenSequenceFeature(
            shape=feature.shape, dtype=feature.dtype, allow_missing=allow_missing_by_default or has_default
        )
    return specs


def make_place_holder_tensors_for_base_features(feature_columns: Any) -> dict[str, Any]:
    """Returns a dict, feature name -> placeholder: sparse, or of shape `[batch, dimension]`.

    Args:
        feature_columns: The columns, or a dict with them as values.
    """

    def placeholder(name: str, feature: Any) -> Any:
        """Makes a sparse placeholder, or one of shape `[None, dimension]`."""
        if isinstance(feature, tf.VarLenFeature):
            return tf.sparse_placeholder(feature.dtype, name=f"Placeholder_{name}")
        return tf.placeholder(feature.dtype, shape=(None, feature.shape[0]), name=f"Placeholder_{name}")

    spec = create_feature_spec_for_parsing(feature_columns)
    return {name: placeholder(name, feature) for name, feature in spec.items()}
