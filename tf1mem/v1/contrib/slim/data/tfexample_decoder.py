# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Decodes tf.train.Examples into items: images, boxes, tensors."""

from __future__ import annotations

import abc
from typing import Any

import tf1mem.v1 as tf
from tf1mem.v1.contrib.slim.data.data_decoder import DataDecoder


class ItemHandler(abc.ABC):
    """Makes an item of some of an Example's features.

    Args:
        keys: Name of the feature, or names.
    """

    def __init__(self, keys: Any) -> None:
        self._keys = keys if isinstance(keys, (tuple, list)) else [keys]

    @property
    def keys(self) -> Any:
        """Names of the features."""
        return self._keys

    @abc.abstractmethod
    def tensors_to_item(self, keys_to_tensors: Any) -> Any:
        """The item.

        Args:
            keys_to_tensors: Name of each feature -> its tensor.
        """


class ItemHandlerCallback(ItemHandler):
    """Makes an item by a function.

    Args:
        keys: Names of the features.
        func: Called with name -> tensor, it returns the item.
    """

    def __init__(self, keys: Any, func: Any) -> None:
        super().__init__(keys)
        self._func = func

    def tensors_to_item(self, keys_to_tensors: Any) -> Any:
        """What the function returns."""
        return self._func(keys_to_tensors)


class BoundingBox(ItemHandler):
    """Boxes, each a row of four numbers.

    Args:
        keys: Names of the four features, in order; by default ymin, xmin, ymax, xmax.
        prefix: Stands before each name.

    Raises:
        ValueError: There aren't four names.
    """

    def __init__(self, keys: Any = None, prefix: str = "") -> None:
        if keys is None:
            keys = ["ymin", "xmin", "ymax", "xmax"]
        elif len(keys) != 4:
            raise ValueError(f"BoundingBox expects 4 keys but got {len(keys)}")
        super().__init__([prefix + key for key in keys])

    def tensors_to_item(self, keys_to_tensors: Any) -> Any:
        """A tensor of shape [boxes, 4]."""
        sides = [keys_to_tensors[key] for key in self._keys]
        sides = [side.values if isinstance(side, tf.SparseTensor) else side for side in sides]
        return tf.transpose(tf.concat([tf.expand_dims(side, 0) for side in sides], 0))


class Tensor(ItemHandler):
    """A feature as a dense tensor.

    Args:
        tensor_key: Name of the feature.
        shape_keys: Names of features that hold its shape.
        shape: Or its shape.
        default_value: What stands where a sparse feature has nothing.

    Raises:
        ValueError: Both `shape_keys` and `shape` are given.
    """

    def __init__(self, tensor_key: str, shape_keys: Any = None, shape: Any = None, default_value: Any = 0) -> None:
        if shape_keys and shape is not None:
            raise ValueError("shape_keys, shape: both were given. Give one of them.")
        if shape_keys and not isinstance(shape_keys, list):
            shape_keys = [shape_keys]
        self._tensor_key = tensor_key
        self._shape_keys = shape_keys
        self._shape = shape
        self._default_value = default_value
        super().__init__([tensor_key, *(shape_keys or ())])

    def tensors_to_item(self, keys_to_tensors: Any) -> Any:
        """The tensor, in its shape where one is known."""
        tensor = keys_to_tensors[self._tensor_key]
        shape = self._shape
        if self._shape_keys:
            shape = tf.reshape(tf.stack([_dense(keys_to_tensors[key]) for key in self._shape_keys]), [-1])
        if not isinstance(tensor, tf.SparseTensor):
            return tensor if shape is None else tf.reshape(tensor, shape)
        if shape is not None:
            tensor = tf.sparse_reshape(tensor, shape)
        return tf.sparse_tensor_to_dense(tensor, self._default_value)


def _dense(tensor: Any) -> Any:
    return tf.sparse_tensor_to_dense(tensor) if isinstance(tensor, tf.SparseTensor) else tensor


class LookupTensor(Tensor):
    """A feature as a dense tensor, looked up in a table.

    Args:
        tensor_key: Name of the feature.
        table: The table.
        shape_keys: Names of features that hold its shape.
        shape: Or its shape.
        default_value: What stands where a sparse feature has nothing, before it is looked up.
    """

    def __init__(
        self, tensor_key: str, table: Any, shape_keys: Any = None, shape: Any = None, default_value: Any = ""
    ) -> None:
        self._table = table
        super().__init__(tensor_key, shape_keys, shape, default_value)

    def tensors_to_item(self, keys_to_tensors: Any) -> Any:
        """What the table has for the tensor's entries."""
        return self._table.lookup(super().tensors_to_item(keys_to_tensors))


class BackupHandler(ItemHandler):
    """Another handler's item where the first one's is empty.

    Args:
        handler: The first.
        backup: The other.

    Raises:
        ValueError: One isn't an ItemHandler.
    """

    def __init__(self, handler: ItemHandler, backup: ItemHandler) -> None:
        for role, given in (("Primary", handler), ("Backup", backup)):
            if not isinstance(given, ItemHandler):
                raise ValueError(f"{role} handler is of type {type(given)} instead of ItemHandler")
        self._handler = handler
        self._backup = backup
        super().__init__(handler.keys + backup.keys)

    def tensors_to_item(self, keys_to_tensors: Any) -> Any:
        """The item of one of them."""
        item = self._handler.tensors_to_item(keys_to_tensors)
        return tf.cond(
            tf.equal(tf.reduce_prod(tf.shape(item)), 0),
            lambda: self._backup.tensors_to_item(keys_to_tensors),
            lambda: item,
        )


class SparseTensor(ItemHandler):
    """A sparse tensor from two features: the last index of each entry, and its value.

    Args:
        indices_key: Name of the indices; by default "indices".
        values_key: Name of the values; by default "values".
        shape_key: Name of a feature that holds the shape.
        shape: Or the shape; by default the shape of the indices.
        densify: Whether to make it dense.
        default_value: What stands where a dense one has nothing.
    """

    def __init__(
        self,
        indices_key: str | None = None,
        values_key: str | None = None,
        shape_key: str | None = None,
        shape: Any = None,
        densify: bool = False,
        default_value: Any = 0,
    ) -> None:
        self._indices_key = indices_key or "indices"
        self._values_key = values_key or "values"
        self._shape_key = shape_key
        self._shape = shape
        self._densify = densify
        self._default_value = default_value
        super().__init__([self._indices_key, self._values_key, *([shape_key] if shape_key else [])])

    def tensors_to_item(self, keys_to_tensors: Any) -> Any:
        """The tensor, sparse or dense."""
        indices, values = keys_to_tensors[self._indices_key], keys_to_tensors[self._values_key]
        shape = self._shape or indices.dense_shape
        if self._shape_key:
            shape = _dense(keys_to_tensors[self._shape_key])
        rank = tf.shape(indices.indices)[1]
        # A feature's own last index counts its entries; where they stand is what the other feature says.
        before_last = tf.slice(indices.indices, [0, 0], tf.stack([-1, rank - 1]))
        last = tf.reshape(tf.cast(indices.values, tf.int64), [-1, 1])
        tensor = tf.SparseTensor(tf.concat([before_last, last], 1), values.values, shape)
        return tf.sparse_tensor_to_dense(tensor, self._default_value) if self._densify else tensor


class Image(ItemHandler):
    """A decoded image.

    Args:
        image_key: Name of the feature with its bytes; by default "image/encoded".
        format_key: Name of the feature with its format; by default "image/format".
        shape: Its shape, if it is known.
        channels: Its channels.
        dtype: Type of the pixels. "raw" bytes are read as this type, others are cast to it.
        repeated: Whether the feature holds several images.
        dct_method: As of `tf.image.decode_jpeg`.
    """

    def __init__(
        self,
        image_key: str | None = None,
        format_key: str | None = None,
        shape: Any = None,
        channels: int = 3,
        dtype: Any = tf.uint8,
        repeated: bool = False,
        dct_method: str = "",
    ) -> None:
        self._image_key = image_key or "image/encoded"
        self._format_key = format_key or "image/format"
        self._shape = shape
        self._channels = channels
        self._dtype = dtype
        self._repeated = repeated
        self._dct_method = dct_method
        super().__init__([self._image_key, self._format_key])

    def tensors_to_item(self, keys_to_tensors: Any) -> Any:
        """The image, or the images."""
        encoded, image_format = keys_to_tensors[self._image_key], keys_to_tensors[self._format_key]
        if self._repeated:
            return tf.map_fn(lambda each: self._decode(each, image_format), encoded, dtype=self._dtype)
        return self._decode(encoded, image_format)

    def _decode(self, encoded: Any, image_format: Any) -> Any:
        def decode_jpeg() -> Any:
            image = tf.image.decode_jpeg(encoded, channels=self._channels, dct_method=self._dct_method)
            return tf.cast(image, self._dtype)

        def decode_other() -> Any:
            return tf.cast(tf.image.decode_image(encoded, channels=self._channels), self._dtype)

        def decode() -> Any:
            # By its bytes: the feature may be wrong about the format.
            return tf.cond(tf.image.is_jpeg(encoded), decode_jpeg, decode_other, name="cond_jpeg")

        is_raw = tf.logical_or(tf.equal(image_format, "raw"), tf.equal(image_format, "RAW"))
        raw = (is_raw, lambda: tf.decode_raw(encoded, out_type=self._dtype))
        image = tf.case([raw], default=decode, exclusive=True)
        image.set_shape([None, None, self._channels])
        return image if self._shape is None else tf.reshape(image, self._shape)


class TFExampleDecoder(DataDecoder):
    """Decodes serialized Examples.

    Args:
        keys_to_features: Name of each feature -> tf.FixedLenFeature or tf.VarLenFeature.
        items_to_handlers: Name of each item -> its ItemHandler.
    """

    def __init__(self, keys_to_features: Any, items_to_handlers: Any) -> None:
        self._keys_to_features = keys_to_features
        self._items_to_handlers = items_to_handlers

    def list_items(self) -> list[Any]:
        """The names of all items."""
        return list(self._items_to_handlers)

    def decode(self, serialized_example: Any, items: Any = None) -> list[Any]:
        """The tensors of some items.

        Args:
            serialized_example: A serialized Example.
            items: Their names; by default all.
        """
        example = tf.parse_single_example(serialized_example, self._keys_to_features)
        for key in sorted(self._keys_to_features):
            feature = self._keys_to_features[key]
            if isinstance(feature, tf.FixedLenFeature):
                example[key] = tf.reshape(example[key], feature.shape)
        handlers = [self._items_to_handlers[item] for item in items or self._items_to_handlers]
        return [handler.tensors_to_item({key: example[key] for key in handler.keys}) for handler in handlers]
