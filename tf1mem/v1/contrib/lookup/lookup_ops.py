# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""The functions and tables of tf.contrib.lookup whose names or arguments differ from those of tf.lookup.

The other names of tf.contrib.lookup are TensorFlow's own: tf1mem/names/data/contrib.txt lists them.
"""

from __future__ import annotations

from typing import Any, Optional

# The public tf.lookup lacks some of the functions that are called below, and the base class of HashTable.
from tensorflow.python.ops import lookup_ops

import tf1mem.v1 as tf


def string_to_index_table_from_file(
    vocabulary_file: Any = None,
    num_oov_buckets: int = 0,
    vocab_size: Any = None,
    default_value: int = -1,
    hasher_spec: Any = lookup_ops.FastHashSpec,
    name: Optional[str] = None,
) -> Any:
    """Returns a table from the lines of a file to their numbers; its `lookup` returns a tensor of the keys' shape.

    Args:
        vocabulary_file: Path of the file.
        num_oov_buckets: Number of ids for unknown strings; 0 gives them `default_value`.
        vocab_size: Number of lines to use; None uses all.
        default_value: Id of unknown strings.
        hasher_spec: HasherSpec that maps unknown strings to ids.
        name: Name scope of the ops.
    """
    return lookup_ops.index_table_from_file(
        vocabulary_file, num_oov_buckets, vocab_size, default_value, hasher_spec, key_dtype=tf.string, name=name
    )


def string_to_index_table_from_tensor(
    mapping: Any,
    num_oov_buckets: int = 0,
    default_value: int = -1,
    hasher_spec: Any = lookup_ops.FastHashSpec,
    name: Optional[str] = None,
) -> Any:
    """Returns a table from strings to their indices; its `lookup` returns a tensor of the keys' shape.

    Args:
        mapping: `[num_strings]` string tensor.
        num_oov_buckets: Number of ids for unknown strings; 0 gives them `default_value`.
        default_value: Id of unknown strings.
        hasher_spec: HasherSpec that maps unknown strings to ids.
        name: Name scope of the ops.

    Raises:
        ValueError: `mapping` doesn't hold strings.
    """
    with tf.name_scope(name, "string_to_index") as scope:
        mapping = tf.convert_to_tensor(mapping)
    if mapping.dtype.base_dtype != tf.string:
        raise ValueError("string_to_index_table_from_tensor: mapping has no strings. Give a tensor of strings.")
    return index_table_from_tensor(mapping, num_oov_buckets, default_value, hasher_spec, name=scope)


def index_table_from_tensor(
    mapping: Any,
    num_oov_buckets: int = 0,
    default_value: int = -1,
    hasher_spec: Any = lookup_ops.FastHashSpec,
    dtype: Any = tf.string,
    name: Optional[str] = None,
) -> Any:
    """Returns a table from values to their indices; its `lookup` returns a tensor of the keys' shape.

    Args:
        mapping: `[num_values]` tensor of strings or integers.
        num_oov_buckets: Number of ids for unknown values; 0 gives them `default_value`.
        default_value: Id of unknown values.
        hasher_spec: HasherSpec that maps unknown values to ids.
        dtype: Dtype of the values.
        name: Name scope of the ops.

    Raises:
        ValueError: `mapping` is None.
    """
    if mapping is None:
        raise ValueError("mapping must be specified.")
    return lookup_ops.index_table_from_tensor(
        vocabulary_list=mapping,
        num_oov_buckets=num_oov_buckets,
        default_value=default_value,
        hasher_spec=hasher_spec,
        dtype=dtype,
        name=name,
    )


def string_to_index(tensor: Any, mapping: Any, default_value: int = -1, name: Optional[str] = None) -> Any:
    """Returns the indices of strings, an int64 tensor of the same shape.

    Args:
        tensor: String tensor of any shape.
        mapping: `[num_strings]` string tensor.
        default_value: Index of unknown strings.
        name: Name scope of the ops.
    """
    return index_table_from_tensor(mapping=mapping, default_value=default_value, name=name).lookup(tensor)


def index_to_string_table_from_tensor(mapping: Any, default_value: str = "UNK", name: Optional[str] = None) -> Any:
    """Returns a table from indices to strings; its `lookup` returns a tensor of the keys' shape.

    Args:
        mapping: `[num_strings]` string tensor.
        default_value: String of indices out of range.
        name: Name scope of the ops.

    Raises:
        ValueError: `mapping` is None.
    """
    if mapping is None:
        raise ValueError("mapping must be specified.")
    return lookup_ops.index_to_string_table_from_tensor(vocabulary_list=mapping, default_value=default_value, name=name)


def index_to_string(tensor: Any, mapping: Any, default_value: str = "UNK", name: Optional[str] = None) -> Any:
    """Returns the strings at indices, a string tensor of the same shape.

    Args:
        tensor: Integer tensor of any shape.
        mapping: `[num_strings]` string tensor.
        default_value: String of indices out of range.
        name: Name scope of the ops.
    """
    return index_to_string_table_from_tensor(mapping=mapping, default_value=default_value, name=name).lookup(tensor)


class HashTable(lookup_ops.InitializableLookupTableBase):  # type: ignore[misc]
    """A table from keys to values, which an op fills once; its `lookup` returns a tensor of the keys' shape.

    Args:
        initializer: Table initializer, with keys and values.
        default_value: Value of unknown keys, a scalar.
        shared_name: Name under which sessions share the table; None doesn't share it.
        name: Name scope of the ops.
    """

    def __init__(self, initializer: Any, default_value: Any, shared_name: Any = None, name: Any = None) -> None:
        # Set before the base class's __init__, which creates the table.
        self._initializer = initializer
        self._default_value = default_value
        self._shared_name = shared_name
        self._name = name or "hash_table"
        self._table_name: Optional[str] = None
        super().__init__(default_value, initializer)
        self._value_shape = self._default_value.get_shape()

    def _create_resource(self) -> Any:
        table = tf.raw_ops.HashTableV2(
            shared_name=self._shared_name,
            key_dtype=self._initializer.key_dtype,
            value_dtype=self._initializer.value_dtype,
            name=self._name,
        )
        self._table_name = None if tf.executing_eagerly() else table.op.name.split("/")[-1]
        return table

    @property
    def initializer(self) -> Any:
        """Returns the op that fills the table with its keys and values, both `[num_keys]`."""
        return self._init_op

    @property
    def init(self) -> Any:
        """Returns the op that fills the table with its keys and values, both `[num_keys]`: `initializer`."""
        return self.initializer

    @property
    def name(self) -> Any:
        """Returns the last part of the name of the table's op."""
        return self._table_name

    def export(self, name: Optional[str] = None) -> Any:
        """Returns the keys and values of the table.

        Args:
            name: Name scope of the ops.

        Returns:
            `[num_keys]` tensor of keys, and `[num_keys]` tensor of values.
        """
        with tf.name_scope(name, f"{self.name}_Export", [self.resource_handle]) as scope:
            keys, values = tf.raw_ops.LookupTableExportV2(
                table_handle=self.resource_handle, Tkeys=self._key_dtype, Tvalues=self._value_dtype, name=scope
            )
        values.set_shape(keys.get_shape().concatenate(self._value_shape))
        return keys, values
