"""Transformations of images, by functions and by `ImageDataGenerator`, with TensorFlow 1's results.

Keras took these functions from the package keras_preprocessing, and from Keras 2.9 on has its own, with other results:
a shift of the width moves rows, rotations and zooms have another center, and a brightness is applied to values as they
are, so that images with values up to 1 become black. On TensorFlow 1 an image's values are scaled to 0 … 255 first.
Whitening adds `zca_epsilon` to variances there, to standard deviations in newer Keras.
"""

from __future__ import annotations

import functools
from importlib import import_module
from types import FunctionType
from typing import Any, Callable

import numpy as np

from tf1mem.hooks.wrappers import give, put_around_once, replace_everywhere
from tf1mem.v1._keras_package import keras_file


@functools.lru_cache(maxsize=None)
def transform_as_tf1(keras: Any) -> None:
    """Makes a Keras with its own functions for images compute TensorFlow 1's results.

    Args:
        keras: The TF1 API of Keras 2.
    """
    file = keras_file(keras.Model, "preprocessing.image")
    if not hasattr(file, "transform_matrix_offset_center"):
        return  # it calls keras_preprocessing, as TensorFlow 1 does
    replacements = {
        file.apply_affine_transform: apply_affine_transform,
        file.apply_brightness_shift: _scaling(file.apply_brightness_shift),
    }
    for function in (file.random_rotation, file.random_shear, file.random_shift, file.random_zoom):
        replacements[function] = _along_first_axes(function)
    replace_everywhere(replacements)
    put_around_once(file.ImageDataGenerator, "fit", _whitening)
    # TensorFlow 1's name of the matrix, which programs save and set.
    give(file.ImageDataGenerator, {"principal_components": property(_get_matrix, _set_matrix)})


def apply_affine_transform(  # noqa: PLR0917 - as Keras has them
    x: Any,
    theta: float = 0,
    tx: float = 0,
    ty: float = 0,
    shear: float = 0,
    zx: float = 1,
    zy: float = 1,
    row_axis: int = 0,
    col_axis: int = 1,
    channel_axis: int = 2,
    fill_mode: str = "nearest",
    cval: float = 0.0,
    order: int = 1,
) -> Any:
    """Returns an image that is rotated, shifted, sheared and zoomed about its center, as on TensorFlow 1.15.

    Args:
        x: Array with an image, `[rows, columns, channels]` in the order of the axes below.
        theta: Angle of the rotation in degrees.
        tx: Shift along the rows' axis in pixels.
        ty: Shift along the columns' axis in pixels.
        shear: Angle of the shear in degrees.
        zx: Factor of the zoom along the rows' axis; an image is enlarged by factors below 1.
        zy: Factor of the zoom along the columns' axis.
        row_axis: Axis of `x` with its rows.
        col_axis: Axis of `x` with its columns.
        channel_axis: Axis of `x` with its channels.
        fill_mode: "constant", "nearest", "reflect" or "wrap": the values of pixels from outside of the image.
        cval: Value of these pixels for "constant".
        order: Order of the spline that interpolates.

    Returns:
        Array with the shape and dtype of `x`; `x` itself if nothing changes.

    Raises:
        ModuleNotFoundError: SciPy, which Keras needs for transformations, is not installed.
    """
    matrix = np.identity(3)
    if theta != 0:
        angle = np.deg2rad(theta)
        matrix = matrix @ [[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]]
    if tx != 0 or ty != 0:
        matrix = matrix @ [[1, 0, tx], [0, 1, ty], [0, 0, 1]]
    if shear != 0:
        angle = np.deg2rad(shear)
        matrix = matrix @ [[1, -np.sin(angle), 0], [0, np.cos(angle), 0], [0, 0, 1]]
    if zx != 1 or zy != 1:
        matrix = matrix @ np.diag([zx, zy, 1])
    if np.array_equal(matrix, np.identity(3)):
        return x
    # TensorFlow 1 counts pixels from 1 here: the center is a pixel further than that of indices from 0.
    center = np.array([x.shape[row_axis], x.shape[col_axis]]) / 2 + 0.5
    offset = matrix[:2, 2] + center - matrix[:2, :2] @ center
    ndimage: Any = import_module("scipy.ndimage")
    channels = [
        ndimage.affine_transform(channel, matrix[:2, :2], offset, order=order, mode=fill_mode, cval=cval)
        for channel in np.rollaxis(x, channel_axis, 0)
    ]
    return np.rollaxis(np.stack(channels), 0, channel_axis + 1)


def _along_first_axes(own: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a copy of one of Keras's functions that takes an image's center from the first two axes.

    TensorFlow 1's functions don't hand their axes of rows and columns to `apply_affine_transform`: with channels first,
    the center is another point.
    """

    def transform(x: Any, row_axis: int = 0, col_axis: int = 1, **arguments: Any) -> Any:
        return apply_affine_transform(x, **arguments)

    names = {**own.__globals__, "apply_affine_transform": transform}
    return functools.update_wrapper(FunctionType(own.__code__, names, own.__name__, own.__defaults__), own)


def _scaling(own: Callable[..., Any]) -> Callable[..., Any]:
    """Returns `apply_brightness_shift` that always scales an image's values to 0 … 255 first."""

    def apply_brightness_shift(x: Any, brightness: float, scale: bool = True) -> Any:
        return own(x, brightness)  # newer Keras's generator passes False

    return apply_brightness_shift


def _whitening(own: Callable[..., None]) -> Callable[..., None]:
    """Returns `ImageDataGenerator.fit` that computes TensorFlow 1's matrix for `zca_whitening`."""

    def fit(self: Any, x: Any, augment: bool = False, rounds: int = 1, seed: int | None = None) -> None:
        if not self.zca_whitening:
            own(self, x, augment, rounds, seed)
            return
        x = np.array(x, dtype=self.dtype)
        if seed is not None:
            np.random.seed(seed)
        if self.rescale:
            x *= self.rescale
        if augment and x.ndim == 4:  # Keras refuses others
            x = np.array([self.random_transform(image) for _ in range(rounds) for image in x], dtype=self.dtype)
        rescale = self.rescale
        self.rescale, self.zca_whitening = None, False
        try:
            own(self, x)  # for the mean and the standard deviation
        finally:
            self.rescale, self.zca_whitening = rescale, True
        if self.featurewise_center:
            x -= self.mean
        if self.featurewise_std_normalization:
            x /= self.std + 1e-6
        features = x.reshape(len(x), -1)
        directions, variances, _ = np.linalg.svd(features.T @ features / len(x))
        _set_matrix(self, (directions / np.sqrt(variances + self.zca_epsilon)) @ directions.T)

    return fit


def _get_matrix(generator: Any) -> Any:
    return generator.zca_whitening_matrix


def _set_matrix(generator: Any, matrix: Any) -> None:
    generator.zca_whitening_matrix = matrix
