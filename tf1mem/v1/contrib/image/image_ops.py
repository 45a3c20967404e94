# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Projective transformations of images (tf.contrib.image).

A transformation is the first eight numbers of a 3x3 matrix whose last element is 1. It maps a point (x, y, 1) of the
output to the point of the input that is shown there.
"""

from __future__ import annotations

from typing import Any

import tf1mem.v1 as tf
from tf1mem.v1._seeds import tf1_makes_more

# Dtypes of images that can be transformed.
_TYPES = (tf.uint8, tf.int32, tf.int64, tf.float16, tf.float32, tf.float64)

# Numbers of ops that TensorFlow 1's functions make more, since they compute the same parts again.
_TF1_OPS_OF_ROTATION, _TF1_OPS_OF_TRANSLATION, _TF1_OPS_OF_MATRICES = 51, 49, 6
# Those of a rotation for each size that is a tensor: `size - 1`, computed twice more.
_TF1_OPS_OF_A_SIZE = 4


def _as_batch(images: Any) -> Any:
    """Returns images as `[batch, height, width, channels]`.

    Raises:
        TypeError: The dtype isn't supported, or the rank isn't 2, 3 or 4.
    """
    if images.dtype.base_dtype not in _TYPES:
        raise TypeError(f"Invalid dtype {images.dtype}.")
    rank = images.shape.ndims
    if rank is None:
        raise TypeError("image_or_images: the rank isn't known. Set its shape.")
    if rank not in (2, 3, 4):
        raise TypeError(
            f"image_or_images: the rank is {rank}. Give 2 (rows, columns), 3 (with channels) or 4 (a batch)."
        )
    return images if rank == 4 else images[None] if rank == 3 else images[None, :, :, None]


def _of_rank(rank: int, batch: Any) -> Any:
    """Returns a batch with the rank of the images from which `_as_batch` made it."""
    return batch if rank == 4 else batch[0] if rank == 3 else batch[0, :, :, 0]


def rotate(images: Any, angles: Any, interpolation: str = "NEAREST", name: str | None = None) -> Any:
    """Rotates images counterclockwise around their centers; pixels that come from outside of an image are 0.

    Args:
        images: `[batch, height, width, channels]`, `[height, width, channels]` or `[height, width]` tensor.
        angles: Angles in radians: a scalar for all images, or `[batch]`.
        interpolation: "NEAREST" or "BILINEAR".
        name: Name scope.

    Returns:
        Tensor of the shape and dtype of the images.

    Raises:
        TypeError: Images or angles have an unsupported dtype or rank.
        ValueError: `interpolation` is another word.
    """
    with tf.name_scope(name, "rotate"):
        images = tf.convert_to_tensor(images)
        batch = _as_batch(images)
        height, width = (tf.cast(tf.shape(batch)[axis], tf.float32)[None] for axis in (1, 2))
        transforms = angles_to_projective_transforms(angles, height, width)
        return _of_rank(images.shape.ndims, transform(batch, transforms, interpolation=interpolation))


def translate(images: Any, translations: Any, interpolation: str = "NEAREST", name: str | None = None) -> Any:
    """Moves images; pixels that come from outside of an image are 0.

    Args:
        images: `[batch, height, width, channels]`, `[height, width, channels]` or `[height, width]` tensor.
        translations: Offsets [dx, dy] in pixels, to the right and down, of shape `[2]` or `[batch, 2]`.
        interpolation: "NEAREST" or "BILINEAR".
        name: Name scope.

    Returns:
        Tensor of the shape and dtype of the images.

    Raises:
        TypeError: Images or translations have an unsupported dtype or rank.
        ValueError: `interpolation` is another word.
    """
    with tf.name_scope(name, "translate"):
        return transform(images, translations_to_projective_transforms(translations), interpolation=interpolation)


def angles_to_projective_transforms(angles: Any, image_height: Any, image_width: Any, name: str | None = None) -> Any:
    """Returns the transformations, `[batch, 8]`, that rotate images counterclockwise around their centers.

    Args:
        angles: Angles in radians: a scalar, or `[batch]`.
        image_height: Height in pixels, a number or a float32 tensor of shape `[]`, `[1]` or that of the angles.
        image_width: Width in pixels, like the height.
        name: Name scope.

    Raises:
        TypeError: The rank of the angles is unknown or above 1.
    """
    with tf.name_scope(name, "angles_to_projective_transforms"):
        angles = tf.convert_to_tensor(angles, name="angles", dtype=tf.float32)
        if angles.shape.ndims not in (0, 1):
            raise TypeError("Angles should have rank 0 or 1.")
        angles = angles if angles.shape.ndims else angles[None]
        cos, sin = tf.cos(angles), tf.sin(angles)
        right, bottom = image_width - 1, image_height - 1
        x = (right - (cos * right - sin * bottom)) / 2.0
        y = (bottom - (sin * right + cos * bottom)) / 2.0
        zeros = tf.zeros_like(angles)
        numbers = sum(not hasattr(size, "op") for size in (image_height, image_width))
        tf1_makes_more(_TF1_OPS_OF_ROTATION - _TF1_OPS_OF_A_SIZE * numbers)
        return tf.stack([cos, -sin, x, sin, cos, y, zeros, zeros], axis=1)


def translations_to_projective_transforms(translations: Any, name: str | None = None) -> Any:
    """Returns the transformations, `[batch, 8]`, that move images.

    Args:
        translations: Offsets [dx, dy] in pixels, to the right and down, of shape `[2]` or `[batch, 2]`.
        name: Name scope.

    Raises:
        TypeError: The rank isn't 1 or 2.
    """
    with tf.name_scope(name, "translations_to_projective_transforms"):
        translations = tf.convert_to_tensor(translations, name="translations", dtype=tf.float32)
        if translations.shape.ndims is None:
            raise TypeError("translation_or_translations: the rank isn't known. Set its shape.")
        if translations.shape.ndims not in (1, 2):
            raise TypeError("Translations should have rank 1 or 2.")
        dx, dy = tf.unstack(translations[None] if translations.shape.ndims == 1 else translations, num=2, axis=1)
        ones, zeros = tf.ones_like(dx), tf.zeros_like(dx)
        tf1_makes_more(_TF1_OPS_OF_TRANSLATION)
        return tf.stack([ones, zeros, -dx, zeros, ones, -dy, zeros, zeros], axis=1)


def transform(
    images: Any,
    transforms: Any,
    interpolation: str = "NEAREST",
    output_shape: Any = None,
    name: str | None = None,
) -> Any:
    """Applies projective transformations to images; pixels that come from outside of an image are 0.

    Args:
        images: `[batch, height, width, channels]`, `[height, width, channels]` or `[height, width]` tensor.
        transforms: Transformations, of shape `[8]` (one for all images) or `[batch, 8]`.
        interpolation: "NEAREST" or "BILINEAR".
        output_shape: Height and width of the result, of shape `[2]`; those of the images by default.
        name: Name scope.

    Returns:
        Tensor of the rank and dtype of the images.

    Raises:
        TypeError: Images or transformations have an unsupported dtype or rank.
        ValueError: `output_shape` isn't of shape `[2]`, or `interpolation` is another word.
    """
    with tf.name_scope(name, "transform"):
        images = tf.convert_to_tensor(images, name="images")
        transforms = tf.convert_to_tensor(transforms, name="transforms", dtype=tf.float32)
        batch = _as_batch(images)
        if output_shape is None:
            size = tf.shape(batch)[1:3]
            known = tf.get_static_value(size)
            output_shape = size if known is None else known
        size = tf.convert_to_tensor(output_shape, tf.int32, name="output_shape")
        if not size.shape.is_compatible_with([2]):
            raise ValueError("output_shape must be a 1-D Tensor of 2 elements: new_height, new_width")
        if transforms.shape.ndims is None:
            raise TypeError("transform_or_transforms: the rank isn't known. Set its shape.")
        if transforms.shape.ndims not in (1, 2):
            raise TypeError("Transforms should have rank 1 or 2.")
        transforms = transforms[None] if transforms.shape.ndims == 1 else transforms
        if interpolation.upper() not in ("NEAREST", "BILINEAR"):
            raise ValueError(f'interpolation must be "NEAREST" or "BILINEAR", but received: {interpolation!r}')
        outputs = tf.raw_ops.ImageProjectiveTransformV2(
            images=batch, transforms=transforms, output_shape=size, interpolation=interpolation.upper()
        )
        return _of_rank(images.shape.ndims, outputs)


def _gradient(op: Any, grad: Any) -> list[Any]:
    """Returns the gradients of the op's inputs: the output's gradient transformed back, and None for the others."""
    inverse = tf.matrix_inverse(flat_transforms_to_matrices(op.inputs[1]))
    images_gradient = tf.raw_ops.ImageProjectiveTransformV2(
        images=grad,
        transforms=matrices_to_flat_transforms(inverse),
        output_shape=tf.shape(op.inputs[0])[1:3],
        interpolation=op.get_attr("interpolation"),
    )
    return [images_gradient, None, None]


try:
    tf.RegisterGradient("ImageProjectiveTransformV2")(_gradient)
except KeyError:
    pass  # TensorFlow has registered the same gradient; 2.0 doesn't


def compose_transforms(*transforms: Any) -> Any:
    """Returns a transformation, `[batch, 8]`, that does the same as several transformations in order.

    Args:
        *transforms: Transformations of shape `[8]` or `[batch, 8]`, the first of which is applied first.

    Raises:
        AssertionError: There is no transformation.
        ValueError: The rank of a transformation isn't 1 or 2.
    """
    assert transforms, "transforms cannot be empty"
    with tf.name_scope("compose_transforms"):
        composed = flat_transforms_to_matrices(transforms[0])
        for each in transforms[1:]:
            composed = tf.matmul(composed, flat_transforms_to_matrices(each))
        return matrices_to_flat_transforms(composed)


def flat_transforms_to_matrices(transforms: Any) -> Any:
    """Returns the matrices, `[batch, 3, 3]`, of transformations, `[8]` or `[batch, 8]`.

    Raises:
        ValueError: The rank isn't 1 or 2.
    """
    with tf.name_scope("flat_transforms_to_matrices"):
        transforms = tf.convert_to_tensor(transforms, name="transforms")
        if transforms.shape.ndims not in (1, 2):
            raise ValueError(f"Transforms should be 1D or 2D, got: {transforms}")
        rows = tf.reshape(transforms, [-1, 8])
        tf1_makes_more(_TF1_OPS_OF_MATRICES)
        return tf.reshape(tf.concat([rows, tf.ones_like(rows[:, :1])], axis=1), [-1, 3, 3])


def matrices_to_flat_transforms(transform_matrices: Any) -> Any:
    """Returns the transformations, `[batch, 8]`, of matrices, `[3, 3]` or `[batch, 3, 3]`, divided by the last element.

    Raises:
        ValueError: The rank isn't 2 or 3.
    """
    with tf.name_scope("matrices_to_flat_transforms"):
        matrices = tf.convert_to_tensor(transform_matrices, name="transform_matrices")
        if matrices.shape.ndims not in (2, 3):
            raise ValueError(f"Matrices should be 2D or 3D, got: {matrices}")
        rows = tf.reshape(matrices, [-1, 9])
        return (rows / rows[:, 8:9])[:, :8]
