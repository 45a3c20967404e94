# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Feature columns: what becomes of a feature on its way into a model, by tf.contrib.layers.

They are older than tf.feature_column's, and differ from them in what they take; `tf.feature_column.input_layer` takes
both. A column's class and fields make its key, and columns are taken in the order of their keys.
"""

from __future__ import annotations

import math
from collections import namedtuple
from typing import Any, Iterable, NamedTuple, Sequence

# The classes that tf.feature_column knows a column by are public nowhere.
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
    """What a linear model looks up."""

    input_tensor: Any
    weight_tensor: Any
    vocab_size: int
    initializer: Any
    combiner: str


class _DeepEmbeddingLookupArguments(NamedTuple):
    """What the first layer of a net looks up."""

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
    """What all columns have.

    A subclass has a `name`, a `config` (feature -> how it is parsed) and `_transform_feature`.
    """

    @property
    def key(self) -> str:
        """What columns are sorted by."""
        return str(self)

    @property
    def _parse_example_spec(self) -> Any:
        return self.config  # type: ignore[attr-defined]

    def insert_transformed_feature(self, columns_to_tensors: dict[Any, Any]) -> None:
        """Transforms the column's feature.

        Args:
            columns_to_tensors: Name of a feature -> what was parsed; column -> what it was transformed into.
        """
        columns_to_tensors[self] = self._transform_feature(_LazyBuilderByColumnsToTensor(columns_to_tensors))

    def _transform_feature(self, inputs: Any) -> Any:
        raise NotImplementedError(f"{self}: this column has no transformation.")

    def _to_dnn_input_layer(
        self, input_tensor: Any, weight_collections: Any = None, trainable: bool = True, output_rank: int = 2
    ) -> Any:
        raise ValueError(f"{self}: this column is no input of a net.")

    def _deep_embedding_lookup_arguments(self, input_tensor: Any) -> Any:
        raise NotImplementedError(f"{self}: this column has no embedding.")

    def _wide_embedding_lookup_arguments(self, input_tensor: Any) -> Any:
        raise NotImplementedError(f"{self}: this column has no ids.")

    def _to_dense_tensor(self, input_tensor: Any) -> Any:
        raise NotImplementedError(f"{self}: this column has no numbers.")

    def _checkpoint_path(self) -> Any:
        """The checkpoint that the column's weights come from, and their name there."""
        return None

    def _key_without(self, left_out: str) -> str:
        """The key of a column with a function: a function's address would change it from run to run."""
        fields = zip(self._fields, self)  # type: ignore[attr-defined, call-overload]
        return "{}({})".format(
            type(self).__name__, ", ".join(f"{name}={value}" for name, value in fields if name != left_out)
        )


class _LazyBuilderByColumnsToTensor:
    """Features, and columns that are transformed when they are first asked for."""

    def __init__(self, columns_to_tensors: dict[Any, Any]) -> None:
        self._columns_to_tensors = columns_to_tensors

    def get(self, key: Any) -> Any:
        """What a feature or a column is.

        Args:
            key: A feature's name, or a column.

        Raises:
            KeyError: There is no such feature.
            TypeError: The key is neither.
        """
        if key not in self._columns_to_tensors:
            if isinstance(key, str):
                raise KeyError(f"features: there is no {key!r}. Give it, or leave its column out.")
            if not isinstance(key, _FeatureColumn):
                raise TypeError(f"{key}: this is neither a feature's name nor a column of contrib.")
            key.insert_transformed_feature(self._columns_to_tensors)
        return self._columns_to_tensors[key]


class _CategoricalColumn(_FeatureColumn, core._CategoricalColumn):
    """A column of ids.

    A subclass has a `length`, how many ids there are, and a `combiner`, how those of an example make one.
    """

    # namedtuples of its subclasses; named here, since core's class has abstract ones.
    name: Any
    length: Any
    combiner: Any

    def id_tensor(self, input_tensor: Any) -> Any:
        """The ids among what the column was transformed into."""
        return input_tensor

    def weight_tensor(self, input_tensor: Any) -> Any:
        """Their weights; None where they have none."""
        return None

    def _to_dnn_input_layer(
        self, input_tensor: Any, weight_collections: Any = None, trainable: bool = True, output_rank: int = 2
    ) -> Any:
        raise ValueError(
            f"{self}: ids alone are no input of a net. Make an embedding_column or a one_hot_column of them."
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
    """How a feature's values become ids.

    Args:
        vocabulary_file: A file with a value a line, or None.
        keys: The values, or None.
        num_oov_buckets: How many ids there are for values that aren't there; 0 gives them the default.
        vocab_size: How many values there are.
        default_value: The id of values that aren't there.
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
    """A column of ids that come of a feature's values; subclasses say how.

    Args:
        column_name: The feature.
        is_integerized: Whether its values are the ids.
        bucket_size: How many ids there are, without a lookup_config.
        lookup_config: A _SparseIdLookupConfig, without a bucket_size.
        combiner: "sum", "mean" or "sqrtn".
        dtype: The feature's type: tf.string or an integer type.

    Raises:
        TypeError: The lookup_config is something else.
        ValueError: Something is missing, or doesn't go together.
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
            raise ValueError(f"column_name: {column_name}, is_integerized: there is no bucket_size. Give one.")
        if is_integerized and not dtype.is_integer:
            raise ValueError(
                f"dtype must be an integer if is_integerized is True. dtype: {dtype}, column_name: {column_name}."
            )
        if dtype != tf.string and not dtype.is_integer:
            raise ValueError(f"dtype must be string or integer. dtype: {dtype}, column_name: {column_name}")
        if (bucket_size is None) == (not lookup_config):
            raise ValueError(f"One of bucket_size and lookup_config has to be set. column_name: {column_name}")
        if bucket_size is not None and bucket_size < 1:
            raise ValueError(f"column_name: {column_name}, bucket_size: {bucket_size} leaves no id. Give 1 or more.")
        if lookup_config and not isinstance(lookup_config, _SparseIdLookupConfig):
            raise TypeError(
                f"lookup_config has to be a _SparseIdLookupConfig, not {type(lookup_config)}. "
                f"column_name: {column_name}"
            )
        if lookup_config and lookup_config.vocabulary_file and lookup_config.vocab_size is None:
            raise ValueError(f"column_name: {column_name}, vocab_size: none was given. Give the number of lines.")
        return super().__new__(cls, column_name, is_integerized, bucket_size, lookup_config, combiner, dtype)

    @property
    def name(self) -> Any:
        """The feature's."""
        return self.column_name

    @property
    def length(self) -> Any:
        """How many ids there are."""
        if self.bucket_size is not None:
            return self.bucket_size
        return self.lookup_config.vocab_size + self.lookup_config.num_oov_buckets

    @property
    def config(self) -> Any:
        """How its feature is parsed."""
        return {self.column_name: tf.VarLenFeature(self.dtype)}

    def is_compatible(self, other_column: Any) -> bool:
        """Whether another column may have the same embedding."""
        if self.lookup_config and other_column.lookup_config:
            return bool(self.lookup_config == other_column.lookup_config)
        same_type = self.dtype == other_column.dtype or (self.dtype.is_integer and other_column.dtype.is_integer)
        compatible = bool(self.length == other_column.length and same_type)
        if compatible:
            tf.logging.warning("Columns %s and %s may have other vocabularies.", self.name, other_column.name)
        return compatible

    def _transform_feature(self, inputs: Any) -> Any:
        given = inputs.get(self.name)
        if not isinstance(given, tf.SparseTensor):
            # No id is below 0, and 0 is one.
            ignored = "" if given.dtype == tf.string else -1
            given = sparse_ops.dense_to_sparse_tensor(
                _reshape_real_valued_tensor(given, 2, self.name), ignore_value=ignored
            )
        return self._do_transform(given)

    def _do_transform(self, input_tensor: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no ids.")


def _strings(column: _SparseColumn, values: Any) -> Any:
    return tf.as_string(values) if column.dtype.is_integer else values


class _SparseColumnIntegerized(_SparseColumn):
    """See `sparse_column_with_integerized_feature`."""

    def _do_transform(self, input_tensor: Any) -> Any:
        ids = tf.mod(input_tensor.values, self.bucket_size, name="mod")
        return tf.SparseTensor(input_tensor.indices, ids, input_tensor.dense_shape)


def sparse_column_with_integerized_feature(
    column_name: str, bucket_size: int, combiner: str = "sum", dtype: Any = tf.int64
) -> Any:
    """A column of a feature whose values are ids.

    Args:
        column_name: The feature.
        bucket_size: How many ids there are; larger ones begin anew.
        combiner: How an example's several ids make one: "sum", "mean" or "sqrtn".
        dtype: The feature's, an integer type.

    Raises:
        ValueError: There is no id, or the type is no integer.
    """
    return _SparseColumnIntegerized(
        column_name, is_integerized=True, bucket_size=bucket_size, combiner=combiner, dtype=dtype
    )


class _SparseColumnHashed(_SparseColumn):
    """See `sparse_column_with_hash_bucket`."""

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
            return tf.SparseTensor(input_tensor.indices, ids, input_tensor.dense_shape)

        if not self.hash_keys:
            return with_ids(tf.string_to_hash_bucket_fast(values, self.bucket_size, name="lookup"))
        found = [with_ids(tf.string_to_hash_bucket_strong(values, self.bucket_size, key)) for key in self.hash_keys]
        return tf.sparse_concat(axis=1, sp_inputs=found, name="lookup")


def sparse_column_with_hash_bucket(
    column_name: str, hash_bucket_size: int, combiner: str = "sum", dtype: Any = tf.string, hash_keys: Any = None
) -> Any:
    """A column of a feature whose values are hashed to ids.

    Args:
        column_name: The feature.
        hash_bucket_size: How many ids there are.
        combiner: How an example's several ids make one: "sum", "mean" or "sqrtn".
        dtype: The feature's: tf.string or an integer type.
        hash_keys: Pairs of integers: each value gets an id by each.

    Raises:
        ValueError: There is no id, or the type or the keys are wrong.
    """
    return _SparseColumnHashed(
        column_name, bucket_size=hash_bucket_size, combiner=combiner, dtype=dtype, hash_keys=hash_keys
    )


class _SparseColumnKeys(_SparseColumn):
    """See `sparse_column_with_keys`."""

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
    """A column of a feature whose values are few, and known.

    Args:
        column_name: The feature.
        keys: The values; the id of each is its place.
        default_value: The id of values that aren't there; one below 0 is left out.
        combiner: How an example's several ids make one: "sum", "mean" or "sqrtn".
        dtype: The feature's: tf.string or an integer type.

    Raises:
        ValueError: The type is another.
    """
    keys = tuple(keys)
    lookup_config = _SparseIdLookupConfig(keys=keys, vocab_size=len(keys), default_value=default_value)
    return _SparseColumnKeys(column_name, lookup_config=lookup_config, combiner=combiner, dtype=dtype)


class _SparseColumnVocabulary(_SparseColumn):
    """See `sparse_column_with_vocabulary_file`."""

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
    """A column of a feature whose values are the lines of a file.

    Args:
        column_name: The feature.
        vocabulary_file: The file; the id of each line is its number.
        num_oov_buckets: How many ids there are for values that aren't there; 0 gives them the default.
        vocab_size: Lines that are taken.
        default_value: The id of values that aren't there; one below 0 is left out.
        combiner: How an example's several ids make one: "sum", "mean" or "sqrtn".
        dtype: The feature's: tf.string or an integer type.

    Raises:
        ValueError: There is no vocab_size, or the type is another.
    """
    if vocab_size is None:
        raise ValueError(f"column_name: {column_name}, vocab_size: none was given. Give the number of lines.")
    lookup_config = _SparseIdLookupConfig(vocabulary_file, None, num_oov_buckets, vocab_size, default_value)
    return _SparseColumnVocabulary(column_name, lookup_config=lookup_config, combiner=combiner, dtype=dtype)


class _WeightedSparseColumn(
    _CategoricalColumn, namedtuple("_WeightedSparseColumn", "sparse_id_column weight_column_name dtype")
):
    """See `weighted_sparse_column`."""

    @property
    def name(self) -> Any:
        """Of both features."""
        return f"{self.sparse_id_column.name}_weighted_by_{self.weight_column_name}"

    @property
    def length(self) -> Any:
        """How many ids there are."""
        return self.sparse_id_column.length

    @property
    def combiner(self) -> Any:
        """How the ids of an example make one."""
        return self.sparse_id_column.combiner

    @property
    def config(self) -> Any:
        """How its features are parsed."""
        return {**_get_feature_config(self.sparse_id_column), self.weight_column_name: tf.VarLenFeature(self.dtype)}

    @property
    def lookup_config(self) -> Any:
        """How values become ids."""
        return self.sparse_id_column.lookup_config

    def id_tensor(self, input_tensor: Any) -> Any:
        """The ids."""
        return input_tensor[0]

    def weight_tensor(self, input_tensor: Any) -> Any:
        """Their weights."""
        return input_tensor[1]

    def _transform_feature(self, inputs: Any) -> Any:
        ids, weights = inputs.get(self.sparse_id_column), inputs.get(self.weight_column_name)
        if not isinstance(weights, tf.SparseTensor):
            weights = sparse_ops.dense_to_sparse_tensor(weights)
        if not self.dtype.is_floating:
            weights = tf.cast(weights, tf.float32)
        return ids, weights

    def is_compatible(self, other_column: Any) -> bool:
        """Whether another column may have the same embedding."""
        if isinstance(other_column, _WeightedSparseColumn):
            other_column = other_column.sparse_id_column
        return bool(self.sparse_id_column.is_compatible(other_column))


def weighted_sparse_column(sparse_id_column: Any, weight_column_name: str, dtype: Any = tf.float32) -> Any:
    """A column of ids with weights, which are another feature.

    Args:
        sparse_id_column: The ids, by a `sparse_column_with_*`.
        weight_column_name: The weights' feature; it has as many values for each example as the ids' has.
        dtype: The weights', a type of numbers.

    Raises:
        ValueError: The type is another.
    """
    if not (dtype.is_integer or dtype.is_floating):
        raise ValueError(f"dtype is not convertible to float. Given {dtype}")
    return _WeightedSparseColumn(sparse_id_column, weight_column_name, dtype)


class _OneHotColumn(_FeatureColumn, core._DenseColumn, namedtuple("_OneHotColumn", "sparse_id_column")):
    """See `one_hot_column`."""

    @property
    def name(self) -> Any:
        """Of the ids' column."""
        return f"{self.sparse_id_column.name}_one_hot"

    @property
    def length(self) -> Any:
        """How many ids there are."""
        return self.sparse_id_column.length

    @property
    def config(self) -> Any:
        """How its feature is parsed."""
        return _get_feature_config(self.sparse_id_column)

    def insert_transformed_feature(self, columns_to_tensors: Any) -> None:
        """Leaves the ids as they are, unlike `_transform_feature`, which tf.feature_column's models take."""
        inputs = _LazyBuilderByColumnsToTensor(columns_to_tensors)
        columns_to_tensors[self] = inputs.get(self.sparse_id_column)

    def _to_dnn_input_layer(
        self, input_tensor: Any, weight_collections: Any = None, trainable: bool = False, output_rank: int = 2
    ) -> Any:
        ids = _inner_flatten(self.sparse_id_column.id_tensor(input_tensor), output_rank)
        weights = self.sparse_id_column.weight_tensor(input_tensor)
        if weights is not None:
            weighted = tf.sparse_merge(sp_ids=ids, sp_values=weights, vocab_size=self.length)
            # An id of -1 stands outside, and is cut off.
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
    """A column of vectors in which each id of an example has its place.

    Args:
        sparse_id_column: The ids, by a `sparse_column_with_*`, `weighted_sparse_column` or `crossed_column`.
    """
    return _OneHotColumn(sparse_id_column)


class _EmbeddedColumn(_FeatureColumn, core._DenseColumn):
    """A column of vectors that are looked up."""

    dimension: Any

    @property
    def key(self) -> str:
        """What columns are sorted by."""
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
    """See `embedding_column` and `shared_embedding_columns`."""

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
        """Of the ids' column."""
        shared = "" if self.shared_embedding_name is None else "_shared"
        return f"{self.sparse_id_column.name}{shared}_embedding"

    @property
    def length(self) -> Any:
        """How many ids there are."""
        return self.sparse_id_column.length if self.shared_vocab_size is None else self.shared_vocab_size

    @property
    def config(self) -> Any:
        """How its feature is parsed."""
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
        raise ValueError(f"{self}: embeddings are for nets. Give a linear model the ids' column.")


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
    """A column of vectors, one for each id, that a net learns.

    Args:
        sparse_id_column: The ids, by a `sparse_column_with_*`, `weighted_sparse_column` or `crossed_column`.
        dimension: How long a vector is.
        combiner: How an example's several vectors make one: "mean", "sum" or "sqrtn".
        initializer: The vectors'; by default small ones, by a truncated normal distribution.
        ckpt_to_load_from: A checkpoint that the vectors come from.
        tensor_name_in_ckpt: Their name there.
        max_norm: A length to which longer vectors are cut.
        trainable: Whether they are trained.

    Raises:
        ValueError: The initializer can't be called, or one of the checkpoint and the name is missing.
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
    """Columns whose ids have the same vectors; see `embedding_column` for the other arguments.

    Args:
        sparse_id_columns: The columns of ids, with the same ids.
        shared_embedding_name: The vectors' name; by default of the first three columns' names.

    Returns:
        A column for each.

    Raises:
        TypeError: These are no columns of ids.
        ValueError: There are none, or their ids aren't the same.
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
    """The same in whichever order the columns come: those without weights first."""
    plain = sorted((column for column in columns if isinstance(column, _SparseColumn)), key=lambda column: column.name)
    weighted = sorted((column for column in columns if column not in plain), key=lambda column: column.name)
    names = [column.name for column in plain + weighted]
    others = [f"plus_{len(names) - 3}_others"] if len(names) > 3 else []
    return "_".join([*names[:3], *others, "shared_embedding"])


class _ScatteredEmbeddingColumn(
    _EmbeddedColumn,
    namedtuple("_ScatteredEmbeddingColumn", "column_name size dimension hash_key combiner initializer"),
):
    """See `scattered_embedding_column`."""

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
        """Of the feature."""
        return f"{self.column_name}_scattered_embedding"

    @property
    def config(self) -> Any:
        """How its feature is parsed."""
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
    """A column of vectors without a vocabulary: a value and a place in the vector are hashed to a weight.

    Args:
        column_name: The feature, of strings.
        size: How many weights there are.
        dimension: How long a vector is.
        hash_key: Where hashing starts, such as SPARSE_FEATURE_CROSS_DEFAULT_HASH_KEY.
        combiner: How an example's several vectors make one: "mean", "sum" or "sqrtn".
        initializer: The weights'; by default small ones, by a truncated normal distribution.

    Raises:
        ValueError: A size isn't positive, or there is no such combiner.
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
    """Looks up what `_deep_embedding_lookup_arguments` says."""
    ids = _inner_flatten(args.input_tensor, output_rank)
    weights = None if args.weight_tensor is None else _inner_flatten(args.weight_tensor, output_rank)

    def variable(name: str, shape: list[int]) -> Any:
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
    """Numbers with so many dimensions: the last are made one, or there is one more."""
    rank = input_tensor.shape.ndims
    if rank is not None:
        if output_rank > rank + 1:
            raise ValueError(
                f"Column {column_name}: its tensor has {rank} dimensions, not {output_rank}: sequences 3, others 2."
            )
        if output_rank == rank + 1:
            return tf.expand_dims(input_tensor, -1, name="expand_dims")
        if output_rank == rank:
            return input_tensor
    return _inner_flatten(input_tensor, output_rank)


class _RealValuedVarLenColumn(
    _FeatureColumn, namedtuple("_RealValuedVarLenColumn", "column_name default_value dtype normalizer is_sparse")
):
    """See `_real_valued_var_len_column`."""

    @property
    def name(self) -> Any:
        """The feature's."""
        return self.column_name

    @property
    def config(self) -> Any:
        """How its feature is parsed."""
        if self.is_sparse:
            return {self.column_name: tf.VarLenFeature(self.dtype)}
        feature = tf.FixedLenSequenceFeature([], self.dtype, allow_missing=True, default_value=self.default_value)
        return {self.column_name: feature}

    @property
    def key(self) -> str:
        """What columns are sorted by."""
        return self._key_without("normalizer")

    @property
    def normalizer_fn(self) -> Any:
        """The function that its values go through."""
        return self.normalizer

    def _transform_feature(self, inputs: Any) -> Any:
        given = inputs.get(self.name)
        if self.normalizer is not None and self.is_sparse:
            given = tf.SparseTensor(given.indices, self.normalizer(given.values), given.dense_shape)
        elif self.normalizer is not None:
            given = self.normalizer(given)
        return tf.cast(given, tf.float32)

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
    """A column of as many numbers as an example has.

    Args:
        column_name: The feature.
        default_value: What shorter examples are filled with.
        dtype: The feature's, a type of numbers.
        normalizer: A function that the numbers go through.
        is_sparse: Whether they become a SparseTensor, which needs no filling.

    Raises:
        TypeError: The type is another.
        ValueError: A default_value is missing, or is more than a number.
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
    """See `real_valued_column`."""

    def __new__(
        cls, column_name: str, dimension: int, default_value: Any, dtype: Any, normalizer: Any
    ) -> _RealValuedColumn:
        default_value = None if default_value is None else tuple(default_value)
        return super().__new__(cls, column_name, dimension, default_value, dtype, normalizer)

    @property
    def name(self) -> Any:
        """The feature's."""
        return self.column_name

    @property
    def config(self) -> Any:
        """How its feature is parsed."""
        default_value = None if self.default_value is None else list(self.default_value)
        return {self.column_name: tf.FixedLenFeature([self.dimension], self.dtype, default_value)}

    @property
    def key(self) -> str:
        """What columns are sorted by."""
        return self._key_without("normalizer")

    @property
    def normalizer_fn(self) -> Any:
        """The function that its values go through."""
        return self.normalizer

    def _transform_feature(self, inputs: Any) -> Any:
        given = inputs.get(self.name)
        return tf.cast(given if self.normalizer is None else self.normalizer(given), tf.float32)

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
    """A column of numbers.

    Args:
        column_name: The feature.
        dimension: How many numbers an example has.
        default_value: What examples without the feature have: a number, or one for each place.
        dtype: The feature's, a type of numbers.
        normalizer: A function that the numbers go through.

    Raises:
        TypeError: The dimension is no integer, or the default_value is of another type.
        ValueError: The dimension isn't positive, the type is none of numbers, or the defaults are too many or too few.
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
    """See `bucketized_column`."""

    combiner = "sum"

    def __new__(cls, source_column: Any, boundaries: Any) -> _BucketizedColumn:
        if not isinstance(source_column, _RealValuedColumn):
            raise TypeError(f"source_column must be an instance of _RealValuedColumn. source_column: {source_column}")
        if not isinstance(boundaries, (list, tuple)) or not boundaries:
            raise ValueError(f"boundaries: {boundaries} has no buckets. Give a list of numbers.")
        if list(boundaries) != sorted(boundaries):
            raise ValueError(f"boundaries must be a sorted list. boundaries: {boundaries}")
        return super().__new__(cls, source_column, tuple(sorted(set(boundaries))))

    @property
    def name(self) -> Any:
        """Of the feature."""
        return f"{self.source_column.name}_bucketized"

    @property
    def length(self) -> Any:
        """How many buckets there are."""
        return len(self.boundaries) + 1

    @property
    def config(self) -> Any:
        """How its feature is parsed."""
        return self.source_column.config

    def _to_dnn_input_layer(
        self, input_tensor: Any, weight_collections: Any = None, trainable: bool = True, output_rank: int = 2
    ) -> Any:
        if output_rank != 2:
            raise ValueError(f"BucketizedColumn currently only supports output_rank=2, not {output_rank}")
        one_hot = tf.one_hot(tf.cast(input_tensor, tf.int64), self.length, 1.0, 0.0, name="one_hot")
        return tf.reshape(one_hot, [-1, self._num_buckets], name="reshape")

    def to_sparse_tensor(self, input_tensor: Any) -> Any:
        """The buckets as ids: those of the first number, those of the second number, and so on.

        Args:
            input_tensor: The buckets: [batch, dimension].
        """
        dimension = self.source_column.dimension
        batch = tf.shape(input_tensor, name="shape")[0]
        rows = tf.reshape(tf.tile(tf.expand_dims(tf.range(0, batch), 1), [1, dimension]), [-1])
        places = tf.tile(tf.range(0, dimension), [batch])
        indices = tf.cast(tf.transpose(tf.stack((rows, places))), tf.int64)
        ids = tf.reshape(input_tensor, [-1], name="reshape") + self.length * places
        return tf.SparseTensor(indices, ids, tf.cast(tf.stack([batch, dimension]), tf.int64))

    def id_tensor(self, input_tensor: Any) -> Any:
        """The buckets as ids."""
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
    """A column of the buckets that numbers fall into.

    Args:
        source_column: The numbers, by `real_valued_column`.
        boundaries: A sorted list. A number that equals one falls into the bucket above it.

    Raises:
        TypeError: The column is another.
        ValueError: There are no boundaries, or they aren't sorted.
    """
    return _BucketizedColumn(source_column, boundaries)


class _CrossedColumn(
    _CategoricalColumn,
    namedtuple("_CrossedColumn", "columns hash_bucket_size hash_key combiner ckpt_to_load_from tensor_name_in_ckpt"),
):
    """See `crossed_column`."""

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
            raise ValueError(f"columns: there is nothing to cross in {columns}. Give two or more.")
        if hash_bucket_size < 2:
            raise ValueError(f"hash_bucket_size: {hash_bucket_size} is too few ids. Give 2 or more.")
        _check_checkpoint(ckpt_to_load_from, tensor_name_in_ckpt)
        in_order = tuple(sorted(columns, key=lambda column: column.name))
        return super().__new__(
            cls, in_order, hash_bucket_size, hash_key, combiner, ckpt_to_load_from, tensor_name_in_ckpt
        )

    @property
    def name(self) -> Any:
        """Of the columns."""
        return "_X_".join(sorted(column.name for column in self.columns))

    @property
    def config(self) -> Any:
        """How its features are parsed."""
        return create_feature_spec_for_parsing(self.columns)

    @property
    def length(self) -> Any:
        """How many ids there are."""
        return self.hash_bucket_size

    def _checkpoint_path(self) -> Any:
        return None if self.ckpt_to_load_from is None else (self.ckpt_to_load_from, self.tensor_name_in_ckpt)

    def _leaves(self) -> list[Any]:
        found: list[Any] = []
        for column in self.columns:
            found.extend(column._leaves() if isinstance(column, _CrossedColumn) else [column])
        return found

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
    """A column of every combination of other columns' values, hashed to ids.

    Args:
        columns: At least two, by `sparse_column_with_*`, `bucketized_column` or `crossed_column`.
        hash_bucket_size: How many ids there are, at least 2.
        combiner: How an example's several ids make one: "sum", "mean" or "sqrtn".
        ckpt_to_load_from: A checkpoint that a linear model's weights come from.
        tensor_name_in_ckpt: Their name there.
        hash_key: Where hashing starts; None for another way of hashing, which TensorFlow 1 had first.

    Raises:
        TypeError: A column is another.
        ValueError: There are too few columns or ids, or one of the checkpoint and the name is missing.
    """
    return _CrossedColumn(columns, hash_bucket_size, hash_key, combiner, ckpt_to_load_from, tensor_name_in_ckpt)


def _get_feature_config(feature_column: Any) -> Any:
    if not isinstance(feature_column, _FeatureColumn):
        raise TypeError(f"feature_columns: {feature_column} is no column of contrib. Make one by tf.contrib.layers.")
    return feature_column.config  # type: ignore[attr-defined]


def create_feature_spec_for_parsing(feature_columns: Any) -> dict[str, Any]:
    """What tf.parse_example takes for columns: name of a feature -> how it is parsed.

    Args:
        feature_columns: The columns, or a dict of them.

    Raises:
        TypeError: One isn't contrib's.
    """
    columns = feature_columns.values() if isinstance(feature_columns, dict) else feature_columns
    found: dict[str, Any] = {}
    for column in columns:
        found.update(_get_feature_config(column))
    return found


def _create_sequence_feature_spec_for_parsing(
    sequence_feature_columns: Any, allow_missing_by_default: bool = False
) -> dict[str, Any]:
    """The same for the features of a sequence's steps."""
    found = {}
    for key, feature in create_feature_spec_for_parsing(sequence_feature_columns).items():
        if isinstance(feature, tf.VarLenFeature):
            found[key] = feature
            continue
        has_default = feature.default_value is not None
        if has_default:
            tf.logging.warning(
                "Found default value %s for feature %s. It is left out, and allow_missing is set.",
                feature.default_value,
                key,
            )
        found[key] = tf.FixedLenSequenceFeature(
            shape=feature.shape, dtype=feature.dtype, allow_missing=allow_missing_by_default or has_default
        )
    return found


def make_place_holder_tensors_for_base_features(feature_columns: Any) -> dict[str, Any]:
    """A placeholder for each feature of columns, sparse where it is parsed so.

    Args:
        feature_columns: The columns, or a dict of them.
    """

    def placeholder(name: str, feature: Any) -> Any:
        if isinstance(feature, tf.VarLenFeature):
            return tf.sparse_placeholder(feature.dtype, name=f"Placeholder_{name}")
        return tf.placeholder(feature.dtype, shape=(None, feature.shape[0]), name=f"Placeholder_{name}")

    spec = create_feature_spec_for_parsing(feature_columns)
    return {name: placeholder(name, feature) for name, feature in spec.items()}
