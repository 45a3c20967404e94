"""Programs that use tf.contrib.image."""

import numpy as np

from tests.v1.contrib.values import numbers


def rotated_images(tf):
    x = tf.get_variable("x", initializer=numbers(2, 4, 5, 3))
    images = []
    for interpolation in ("NEAREST", "BILINEAR"):
        images += [
            tf.contrib.image.rotate(x, 0.3, interpolation),
            tf.contrib.image.rotate(x, [0.3, -1.2], interpolation),
            tf.contrib.image.translate(x, [1.5, -1.0], interpolation),
            tf.contrib.image.translate(x[0], [1.0, 2.0], interpolation),
            tf.contrib.image.transform(x[0, :, :, 0], [1.0, 0.2, 0.5, -0.1, 0.9, 0.2, 0.05, 0.02], interpolation),
            tf.contrib.image.transform(x, [0.5, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0], interpolation, [8, 10]),
        ]
    return [images, [each.shape for each in images]]


def rotated_integer_images(tf):
    x = tf.constant((numbers(4, 5, 1) * 100 + 100).astype(np.uint8))
    unknown = tf.placeholder_with_default(numbers(2, 4, 5, 1), [None, None, None, 1])
    images = [
        tf.contrib.image.rotate(x, 0.5),
        tf.contrib.image.rotate(x, 0.5, "BILINEAR"),
        tf.contrib.image.rotate(unknown, [0.5, 1.0], "BILINEAR"),
    ]
    for wrong in (
        lambda: tf.contrib.image.rotate(tf.zeros([2]), 0.5),
        lambda: tf.contrib.image.rotate(x, [[0.5]]),
        lambda: tf.contrib.image.rotate(tf.cast(x, tf.bool), 0.5),
        lambda: tf.contrib.image.transform(x, tf.zeros([1, 1, 8])),
        lambda: tf.contrib.image.transform(x, tf.zeros([8]), output_shape=[2]),
    ):
        try:
            images.append(wrong())
        except (TypeError, ValueError) as error:
            images.append(type(error))
    return images


def transformations(tf):
    turned = tf.contrib.image.angles_to_projective_transforms([0.3, 0.5], 4.0, 5.0)
    moved = tf.contrib.image.translations_to_projective_transforms([[1.0, 2.0], [0.5, -0.5]])
    return [
        turned,
        moved,
        tf.contrib.image.compose_transforms(turned, moved, turned),
        tf.contrib.image.flat_transforms_to_matrices(moved),
        tf.contrib.image.matrices_to_flat_transforms(tf.constant(numbers(3, 3))),
    ]


def warped_images(tf):
    x = tf.get_variable("x", initializer=numbers(2, 5, 6, 2))
    flow = tf.get_variable("flow", initializer=numbers(2, 5, 6, 2, seed=1) * 3)
    start = tf.constant([[[1.0, 1.0], [3.0, 4.0]]] * 2)
    end = tf.constant([[[1.5, 1.2], [2.5, 4.0]]] * 2)
    return [
        tf.contrib.image.dense_image_warp(x, flow),
        tf.contrib.image.sparse_image_warp(x, start, end, num_boundary_points=1),
        tf.contrib.image.sparse_image_warp(x, start, end, interpolation_order=1, num_boundary_points=2),
    ]


def splines(tf):
    points, values = tf.constant(numbers(2, 6, 2)), tf.constant(numbers(2, 6, 3, seed=1))
    queries = tf.constant(numbers(2, 4, 2, seed=2))
    return [
        tf.contrib.image.interpolate_spline(points, values, queries, order, weight)
        for order, weight in ((1, 0.0), (2, 0.0), (3, 0.01), (4, 0.1), (6, 0.1))
    ]
