# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Tables whose arguments or names tf.lookup changed; HOMES has the others."""

from __future__ import annotations

from typing import Any, Optional

# Of all these tf.lookup has public names for a part only, and for HashTable's base under no name of version 1.
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
    """A table from the lines of a file to their numbers.

    Args:
        vocabulary_file: Its path.
        num_oov_buckets: How many ids there are for strings that aren't there; 0 gives them the default.
        vocab_size: Lines that are taken; None is all.
        default_value: Of strings that aren't there.
        hasher_spec: How they are hashed to ids.
        name: Of the ops.
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
    """A table from strings to their places.

    Args:
        mapping: The strings.
        num_oov_buckets: How many ids there are for strings that aren't there; 0 gives them the default.
        default_value: Of strings that aren't there.
        hasher_spec: How they are hashed to ids.
        name: Of the ops.

    Raises:
        ValueError: These are no strings.
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
    """A table from values to their places.

    Args:
        mapping: The values.
        num_oov_buckets: How many ids there are for values that aren't there; 0 gives them the default.
        default_value: Of values that aren't there.
        hasher_spec: How they are hashed to ids.
        dtype: Of the values.
        name: Of the ops.

    Raises:
        ValueError: No mapping is given.
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
    """The places of strings.

    Args:
        tensor: Strings.
        mapping: Where they are looked for.
        default_value: Of strings that aren't there.
        name: Of the ops.
    """
    return index_table_from_tensor(mapping=mapping, default_value=default_value, name=name).lookup(tensor)


def index_to_string_table_from_tensor(mapping: Any, default_value: str = "UNK", name: Optional[str] = None) -> Any:
    """A table from places to strings.

    Args:
        mapping: The strings.
        default_value: Of places that aren't there.
        name: Of the ops.

    Raises:
        ValueError: No mapping is given.
    """
    if mapping is None:
        raise ValueError("mapping must be specified.")
    return lookup_ops.index_to_string_table_from_tensor(vocabulary_list=mapping, default_value=default_value, name=name)


def index_to_string(tensor: Any, mapping: Any, default_value: str = "UNK", name: Optional[str] = None) -> Any:
    """The strings at places.

    Args:
        tensor: Places.
        mapping: The strings.
        default_value: Of places that aren't there.
        name: Of the ops.
    """
    return index_to_string_table_from_tensor(mapping=mapping, default_value=default_value, name=name).lookup(tensor)


class HashTable(lookup_ops.InitializableLookupTableBase):  # type: ignore[misc]
    """A table that is filled once, by an op.

    Args:
        initializer: Fills it.
        default_value: Of keys that aren't there.
        shared_name: Under which sessions share it.
        name: Of the ops.
    """

    def __init__(self, initializer: Any, default_value: Any, shared_name: Any = None, name: Any = None) -> None:
        # Before the base's own, which makes the table.
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
        """The op that fills it."""
        return self._init_op

    @property
    def init(self) -> Any:
        """The op that fills it."""
        return self.initializer

    @property
    def name(self) -> Any:
        """The last part of the table's op's name."""
        return self._table_name

    def export(self, name: Optional[str] = None) -> Any:
        """What is in it.

        Args:
            name: Of the ops.

        Returns:
            Keys and values.
        """
        with tf.name_scope(name, f"{self.name}_Export", [self.resource_handle]) as scope:
            keys, values = tf.raw_ops.LookupTableExportV2(
                table_handle=self.resource_handle, Tkeys=self._key_dtype, Tvalues=self._value_dtype, name=scope
            )
        values.set_shape(keys.get_shape().concatenate(self._value_shape))
        return keys, values
