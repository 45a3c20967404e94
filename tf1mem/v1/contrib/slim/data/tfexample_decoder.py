# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Decoding of tf.train.Examples into items: images, boxes, tensors."""

from __future__ import annotations

import abc
from typing import Any

import tf1mem.v1 as tf
from tf1mem.v1.contrib.slim.data.data_decoder import DataDecoder


class ItemHandler(abc.ABC):
    """Base class of handlers, which build an item, a tensor of any shape, from features of an Example.

    Args:
        keys: Name of the feature, or a list of names.
    """

    def __init__(self, keys: Any) -> None:
        self._keys = keys if isinstance(keys, (tuple, list)) else [keys]

    @property
    def keys(self) -> Any:
        """Returns the names of the features (of any shape) that `tensors_to_item` needs."""
        return self._keys

    @abc.abstractmethod
    def tensors_to_item(self, keys_to_tensors: Any) -> Any:
        """Returns the item, a tensor of any shape.

        Args:
            keys_to_tensors: Name of each feature -> its tensor.
        """


class ItemHandlerCallback(ItemHandler):
    """Builds an item with a function.

    Args:
        keys: Names of the features.
        func: Function from a dict, name -> tensor (of any shape), to the item.
    """

    def __init__(self, keys: Any, func: Any) -> None:
        super().__init__(keys)
        self._func = func

    def tensors_to_item(self, keys_to_tensors: Any) -> Any:
        """Returns the function's result, which may have any shape."""
        return self._func(keys_to_tensors)


class BoundingBox(ItemHandler):
    """Builds a `[boxes, 4]` tensor from four features.

    Args:
        keys: Names of the four features, in order; ymin, xmin, ymax and xmax by default.
        prefix: Prefix of each name.

    Raises:
        ValueError: The number of names isn't 4.
    """

    def __init__(self, keys: Any = None, prefix: str = "") -> None:
        if keys is None:
            keys = ["ymin", "xmin", "ymax", "xmax"]
        elif len(keys) != 4:
            raise ValueError(f"BoundingBox expects 4 keys but got {len(keys)}")
        super().__init__([prefix + key for key in keys])

    def tensors_to_item(self, keys_to_tensors: Any) -> Any:
        """Returns a tensor of shape `[boxes, 4]`."""
        sides = [keys_to_tensors[key] for key in self._keys]
        sides = [side.values if isinstance(side, tf.SparseTensor) else side for side in sides]
        return tf.transpose(tf.concat([tf.expand_dims(side, 0) for side in sides], 0))


class Tensor(ItemHandler):
    """Builds a dense tensor from a feature.

    Args:
        tensor_key: Name of the feature.
        shape_keys: Names of the features that hold the shape.
        shape: The shape, in place of `shape_keys`.
        default_value: Value of the missing elements of a sparse feature; 0 by default.

    Raises:
        ValueError: Both `shape_keys` and `shape` are set.
    """

    def __init__(self, tensor_key: str, shape_keys: Any = None, shape: Any = None, default_value: Any = 0) -> None:
        if shape_keys and shape is not None:
            raise ValueError("shape_keys, shape: both are set. Give only one of them.")
        if shape_keys and not isinstance(shape_keys, list):
            shape_keys = [shape_keys]
        self._tensor_key = tensor_key
        self._shape_keys = shape_keys
        self._shape = shape
        self._default_value = default_value
        super().__init__([tensor_key, *(shape_keys or ())])

    def tensors_to_item(self, keys_to_tensors: Any) -> Any:
        """Returns the tensor, reshaped if a shape is known."""
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
    """Builds a dense tensor from a feature whose values are looked up in a table.

    Args:
        tensor_key: Name of the feature.
        table: The lookup table.
        shape_keys: Names of the features that hold the shape.
        shape: The shape, in place of `shape_keys`.
        default_value: Key to look up for the missing elements of a sparse feature; "" by default.
    """

    def __init__(
        self, tensor_key: str, table: Any, shape_keys: Any = None, shape: Any = None, default_value: Any = ""
    ) -> None:
        self._table = table
        super().__init__(tensor_key, shape_keys, shape, default_value)

    def tensors_to_item(self, keys_to_tensors: Any) -> Any:
        """Returns the table's values, in the shape of the feature."""
        return self._table.lookup(super().tensors_to_item(keys_to_tensors))


class BackupHandler(ItemHandler):
    """Builds an item with a handler, or with another handler if the first item is empty (its shape has a 0).

    Args:
        handler: The first handler.
        backup: The other handler; its items have the rank and the dtype of the first handler's.

    Raises:
        ValueError: An argument isn't an ItemHandler.
    """

    def __init__(self, handler: ItemHandler, backup: ItemHandler) -> None:
        for role, item_handler in (("Primary", handler), ("Backup", backup)):
            if not isinstance(item_handler, ItemHandler):
                raise ValueError(f"{role} handler is of type {type(item_handler)} instead of ItemHandler")
        self._handler = handler
        self._backup = backup
        super().__init__(handler.keys + backup.keys)

    def tensors_to_item(self, keys_to_tensors: Any) -> Any:
        """Returns the first handler's item, or the other's if the shape of the first has a 0.

        Args:
            keys_to_tensors: Name of each feature of both handlers -> its tensor.
        """
        item = self._handler.tensors_to_item(keys_to_tensors)
        return tf.cond(
            tf.equal(tf.reduce_prod(tf.shape(item)), 0),
            lambda: self._backup.tensors_to_item(keys_to_tensors),
            lambda: item,
        )


class SparseTensor(ItemHandler):
    """Builds a sparse tensor from two features: the last index of each element, and its value.

    Args:
        indices_key: Name of the indices; "indices" by default.
        values_key: Name of the values; "values" by default.
        shape_key: Name of the feature that holds the shape.
        shape: The shape, in place of `shape_key`; the shape of the indices by default.
        densify: True to build a dense tensor.
        default_value: Value of the missing elements of a dense tensor; 0 by default.
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
        """Returns the tensor, sparse or dense, of the shape that the constructor's arguments determine.

        Args:
            keys_to_tensors: Name of each feature -> its tensor; indices and values are SparseTensors.
        """
        indices, values = keys_to_tensors[self._indices_key], keys_to_tensors[self._values_key]
        shape = self._shape or indices.dense_shape
        if self._shape_key:
            shape = _dense(keys_to_tensors[self._shape_key])
        rank = tf.shape(indices.indices)[1]
        # The last index of a parsed feature only counts its values; the indices feature holds the positions.
        before_last = tf.slice(indices.indices, [0, 0], tf.stack([-1, rank - 1]))
        last = tf.reshape(tf.cast(indices.values, tf.int64), [-1, 1])
        tensor = tf.SparseTensor(tf.concat([before_last, last], 1), values.values, shape)
        return tf.sparse_tensor_to_dense(tensor, self._default_value) if self._densify else tensor


class Image(ItemHandler):
    """Decodes an image to `[height, width, channels]`.

    Args:
        image_key: Name of the feature with the encoded bytes; "image/encoded" by default.
        format_key: Name of the feature with the format; "image/format" by default.
        shape: Shape of the image, if it is known.
        channels: Number of channels; 3 by default.
        dtype: Dtype of the pixels: "raw" bytes are read as this dtype, other images are cast to it.
        repeated: True if the feature holds several images.
        dct_method: Argument of `tf.image.decode_jpeg`.
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
        """Returns a `[height, width, channels]` image, or a `[batch, height, width, channels]` tensor if `repeated`."""
        encoded, image_format = keys_to_tensors[self._image_key], keys_to_tensors[self._format_key]
        if self._repeated:
            return tf.map_fn(lambda each: self._decode(each, image_format), encoded, dtype=self._dtype)
        return self._decode(encoded, image_format)

    def _decode(self, encoded: Any, image_format: Any) -> Any:
        def decode_jpeg() -> Any:
            """Returns a decoded JPEG, `[height, width, channels]`."""
            image = tf.image.decode_jpeg(encoded, channels=self._channels, dct_method=self._dct_method)
            return tf.cast(image, self._dtype)

        def decode_other() -> Any:
            """Returns a decoded PNG, GIF or BMP, `[height, width, channels]`."""
            return tf.cast(tf.image.decode_image(encoded, channels=self._channels), self._dtype)

        def decode() -> Any:
            """Returns an image, `[height, width, channels]`, decoded by the format of its bytes."""
            # The bytes decide, because the format feature may be wrong.
            return tf.cond(tf.image.is_jpeg(encoded), decode_jpeg, decode_other, name="cond_jpeg")

        is_raw = tf.logical_or(tf.equal(image_format, "raw"), tf.equal(image_format, "RAW"))
        raw = (is_raw, lambda: tf.decode_raw(encoded, out_type=self._dtype))
        image = tf.case([raw], default=decode, exclusive=True)
        image.set_shape([None, None, self._channels])
        return image if self._shape is None else tf.reshape(image, self._shape)


class TFExampleDecoder(DataDecoder):
    """Decodes serialized Examples.

    Args:
        keys_to_features: Name of each feature -> tf.FixedLenFeature (with its shape) or tf.VarLenFeature.
        items_to_handlers: Name of each item -> its ItemHandler.
    """

    def __init__(self, keys_to_features: Any, items_to_handlers: Any) -> None:
        self._keys_to_features = keys_to_features
        self._items_to_handlers = items_to_handlers

    def list_items(self) -> list[Any]:
        """Returns the names of all items, tensors of any shape that `decode` can return."""
        return list(self._items_to_handlers)

    def decode(self, serialized_example: Any, items: Any = None) -> list[Any]:
        """Returns the tensors (of any shape) of some items.

        Args:
            serialized_example: Serialized Example, a string tensor of shape `[]`.
            items: List of the items' names; all by default.
        """
        example = tf.parse_single_example(serialized_example, self._keys_to_features)
        for key in sorted(self._keys_to_features):
            feature = self._keys_to_features[key]
            if isinstance(feature, tf.FixedLenFeature):
                example[key] = tf.reshape(example[key], feature.shape)
        handlers = [self._items_to_handlers[item] for item in items or self._items_to_handlers]
        return [handler.tensors_to_item({key: example[key] for key in handler.keys}) for handler in handlers]
