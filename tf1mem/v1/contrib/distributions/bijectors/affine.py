# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Affine transformations of vectors (tf.contrib.distributions.bijectors)."""

from __future__ import annotations

from typing import Any

from tensorflow.python.ops.distributions.bijector_impl import Bijector

import tf1mem.v1 as tf


class Affine(Bijector):  # type: ignore[misc]
    """Computes `scale @ x + shift` for vectors; the scale is the sum of the scale arguments.

    Args:
        shift: `[..., size]` float tensor; None for 0.
        scale_identity_multiplier: `[...]` float tensor, the multiple of the identity; 1 without diagonal and triangle.
        scale_diag: `[..., size]` float tensor, a diagonal.
        scale_tril: `[..., size, size]` float tensor, a lower triangular matrix.
        scale_perturb_factor: `[..., size, rank]` float tensor, V in the term V @ D @ transpose(V).
        scale_perturb_diag: `[..., rank]` float tensor, the diagonal of D; 1 by default.
        validate_args: True to check at run time that the scale is invertible.
        name: Name of the bijector.

    Raises:
        TypeError: Shift and scale have different dtypes.
        ValueError: `scale_perturb_diag` comes without `scale_perturb_factor`.
    """

    def __init__(
        self,
        shift: Any = None,
        scale_identity_multiplier: Any = None,
        scale_diag: Any = None,
        scale_tril: Any = None,
        scale_perturb_factor: Any = None,
        scale_perturb_diag: Any = None,
        validate_args: bool = False,
        name: str = "affine",
    ) -> None:
        if scale_perturb_diag is not None and scale_perturb_factor is None:
            raise ValueError("scale_perturb_diag: this needs a scale_perturb_factor, which must be specified.")
        arguments = [shift, scale_identity_multiplier, scale_diag, scale_tril, scale_perturb_factor, scale_perturb_diag]
        with tf.name_scope(name), tf.name_scope("init", values=arguments):
            shift, multiplier, diag, tril, factor, update = (
                None if each is None else tf.convert_to_tensor(each) for each in arguments
            )
            self._is_number = diag is None and tril is None and factor is None
            if self._is_number:
                unit = tf.ones([], tf.float32 if shift is None else shift.dtype)
                self._scale = unit if multiplier is None else multiplier
            else:
                self._scale = _operator(multiplier, diag, tril, factor, update)
            if shift is not None and shift.dtype.base_dtype != self._scale.dtype.base_dtype:
                raise TypeError(
                    f"shift: its dtype is {shift.dtype}, the scale's is {self._scale.dtype}. Give both the same dtype."
                )
        self._shift = shift
        super().__init__(
            forward_min_event_ndims=1,
            is_constant_jacobian=True,
            dtype=self._scale.dtype.base_dtype,
            validate_args=validate_args,
            name=name,
        )

    @property
    def shift(self) -> Any:
        """Returns the shift, `[..., size]`, or None."""
        return self._shift

    @property
    def scale(self) -> Any:
        """Returns the scale: a number of shape `[...]`, or a LinearOperator."""
        return self._scale

    def _checks(self) -> list[Any]:
        if not self.validate_args:
            return []
        if not self._is_number:
            return [self.scale.assert_non_singular()]
        zero = tf.zeros([], self.scale.dtype)
        return [tf.assert_none_equal(self.scale, zero, message="scale_identity_multiplier: it is 0. Give another.")]

    def _forward(self, x: Any) -> Any:
        with tf.control_dependencies(self._checks()):
            y = x * self.scale if self._is_number else self.scale.matvec(x)
        return y if self.shift is None else y + self.shift

    def _inverse(self, y: Any) -> Any:
        x = y if self.shift is None else y - self.shift
        with tf.control_dependencies(self._checks()):
            return x / self.scale if self._is_number else self.scale.solvevec(x)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        if not self._is_number:
            return self.scale.log_abs_determinant()
        return tf.log(tf.abs(self.scale)) * tf.cast(tf.shape(x)[-1], self.scale.dtype)


def _operator(multiplier: Any, diag: Any, tril: Any, factor: Any, update: Any) -> Any:
    """Returns the LinearOperator of the scale: the sum of the parts that aren't None."""
    if diag is not None and multiplier is not None:
        diag += multiplier[..., tf.newaxis]
    if tril is not None:
        matrix = tf.matrix_band_part(tril, -1, 0)
        added = diag if diag is not None or multiplier is None else multiplier[..., tf.newaxis]
        if added is not None:
            matrix = tf.matrix_set_diag(matrix, tf.matrix_diag_part(matrix) + added)
        scale = tf.linalg.LinearOperatorLowerTriangular(matrix, is_non_singular=True)
    elif diag is not None:
        scale = tf.linalg.LinearOperatorDiag(diag, is_non_singular=True)
    else:
        size = tf.dimension_value(factor.shape[-2]) or tf.shape(factor)[-2]
        unit = tf.ones([], factor.dtype)
        scale = tf.linalg.LinearOperatorScaledIdentity(size, unit if multiplier is None else multiplier)
    if factor is None:
        return scale
    return tf.linalg.LinearOperatorLowRankUpdate(
        scale,
        u=factor,
        diag_update=update,
        is_diag_update_positive=update is None,
        is_non_singular=True,
        is_self_adjoint=True,
        is_positive_definite=True,
        is_square=True,
    )
