# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Optimizers outside of TensorFlow's graph, such as SciPy's."""

from __future__ import annotations

import logging
from typing import Any, Callable

import numpy as np

import tf1mem.v1 as tf

_LOG = logging.getLogger("tensorflow")


class ExternalOptimizerInterface:
    """Base class of optimizers that minimize a Python function; a subclass defines `_minimize`.

    Args:
        loss: Scalar tensor (shape `[]`).
        var_list: Variables; all trainable variables by default.
        equalities: Scalar tensors that have to be 0.
        inequalities: Scalar tensors that have to be 0 or more.
        var_to_bounds: Variable -> (minimum, maximum); numbers, or arrays that broadcast to its shape.
        **optimizer_kwargs: Arguments of the optimizer.
    """

    def __init__(
        self,
        loss: Any,
        var_list: Any = None,
        equalities: Any = None,
        inequalities: Any = None,
        var_to_bounds: Any = None,
        **optimizer_kwargs: Any,
    ) -> None:
        self._loss = loss
        self._equalities = equalities or []
        self._inequalities = inequalities or []
        self._vars = tf.trainable_variables() if var_list is None else list(var_list)
        self._packed_bounds = None if var_to_bounds is None else self._pack_bounds(var_to_bounds)
        self._update_placeholders = [tf.placeholder(var.dtype) for var in self._vars]
        self._var_updates = [
            var.assign(tf.reshape(placeholder, _shape(var)))
            for var, placeholder in zip(self._vars, self._update_placeholders)
        ]
        self.optimizer_kwargs = optimizer_kwargs
        self._packed_var = self._pack(self._vars)
        self._packed_loss_grad = self._packed_gradients(loss)
        self._packed_equality_grads = [self._packed_gradients(each) for each in self._equalities]
        self._packed_inequality_grads = [self._packed_gradients(each) for each in self._inequalities]
        ends = np.cumsum([0] + [int(np.prod(_shape(var))) for var in self._vars]).tolist()
        self._packing_slices = [slice(start, end) for start, end in zip(ends[:-1], ends[1:])]

    def minimize(
        self,
        session: Any = None,
        feed_dict: Any = None,
        fetches: Any = None,
        step_callback: Any = None,
        loss_callback: Any = None,
        **run_kwargs: Any,
    ) -> None:
        """Minimizes the loss, and assigns the minimum to the variables.

        Args:
            session: Session; the default session by default.
            feed_dict: Feed dict of every run.
            fetches: Tensors (of any shape) whose values `loss_callback` receives.
            step_callback: Function called after each step with all variables as a vector of shape `[size]`.
            loss_callback: Function called with the values of `fetches` after each evaluation of the loss.
            **run_kwargs: Arguments of the `session.run` that assigns the variables.
        """
        session = session or tf.get_default_session()
        feed_dict, fetches = feed_dict or {}, fetches or []

        def functions(tensors: Any) -> Any:
            """Returns functions from a vector of shape `[size]` to the tensors' values."""
            return [self._make_eval_func(each, session, feed_dict, fetches) for each in tensors]

        minimum = self._minimize(
            initial_val=session.run(self._packed_var),
            loss_grad_func=self._make_eval_func(
                [self._loss, self._packed_loss_grad], session, feed_dict, fetches, loss_callback
            ),
            equality_funcs=functions(self._equalities),
            equality_grad_funcs=functions(self._packed_equality_grads),
            inequality_funcs=functions(self._inequalities),
            inequality_grad_funcs=functions(self._packed_inequality_grads),
            packed_bounds=self._packed_bounds,
            step_callback=step_callback or (lambda xk: None),
            optimizer_kwargs=self.optimizer_kwargs,
        )
        values = [minimum[part] for part in self._packing_slices]
        session.run(self._var_updates, feed_dict=dict(zip(self._update_placeholders, values)), **run_kwargs)

    def _minimize(
        self,
        initial_val: Any,
        loss_grad_func: Callable[[Any], Any],
        equality_funcs: Any,
        equality_grad_funcs: Any,
        inequality_funcs: Any,
        inequality_grad_funcs: Any,
        packed_bounds: Any,
        step_callback: Any,
        optimizer_kwargs: Any,
    ) -> Any:
        """Minimizes over a vector of all variables, of shape `[size]`.

        Args:
            initial_val: The initial vector.
            loss_grad_func: Function from a vector to the loss and its gradient.
            equality_funcs: Functions from a vector to the value of an equality constraint.
            equality_grad_funcs: Functions from a vector to the gradient of an equality constraint.
            inequality_funcs: Functions from a vector to the value of an inequality constraint.
            inequality_grad_funcs: Functions from a vector to the gradient of an inequality constraint.
            packed_bounds: List of (minimum, maximum) for each element, or None.
            step_callback: Function to call after each step with the vector.
            optimizer_kwargs: Keyword arguments of the constructor.

        Returns:
            The vector of the minimum.
        """
        raise NotImplementedError("To use ExternalOptimizerInterface, subclass it and implement _minimize()")

    def _pack_bounds(self, var_to_bounds: Any) -> list[tuple[Any, Any]]:
        packed: list[tuple[Any, Any]] = []
        for var in self._vars:
            least, greatest = var_to_bounds.get(var, (-np.inf, np.inf))
            packed.extend(zip(np.broadcast_to(least, _shape(var)).flat, np.broadcast_to(greatest, _shape(var)).flat))
        return packed

    @classmethod
    def _pack(cls, tensors: Any) -> Any:
        """Returns all elements of the tensors as a vector."""
        flat = [tf.reshape(tensor, [-1]) for tensor in tensors]
        return tf.concat(flat, 0) if len(flat) > 1 else flat[0] if flat else None

    def _packed_gradients(self, tensor: Any) -> Any:
        pairs = zip(self._vars, tf.gradients(tensor, self._vars))
        return self._pack([tf.zeros_like(var) if grad is None else grad for var, grad in pairs])

    def _make_eval_func(
        self, tensors: Any, session: Any, feed_dict: Any, fetches: Any, callback: Any = None
    ) -> Callable[[Any], Any]:
        """Returns a function from a vector of all variables to a list of the tensors' values.

        The function also calls `callback`, if there is one, with the values of `fetches`.
        """
        tensors = tensors if isinstance(tensors, list) else [tensors]

        def evaluate(x: Any) -> Any:
            """Returns the tensors' values at a vector of shape `[size]`."""
            fed = {var: x[part].reshape(_shape(var)) for var, part in zip(self._vars, self._packing_slices)}
            values = session.run(tensors + fetches, feed_dict={**fed, **feed_dict})
            if callable(callback):
                callback(*values[len(tensors) :])
            return values[: len(tensors)]

        return evaluate


class ScipyOptimizerInterface(ExternalOptimizerInterface):
    """Minimizes with scipy.optimize.minimize; variables may have any shape.

    The constructor takes the keyword arguments of scipy.optimize.minimize, except those that this class sets: bounds,
    constraints, jac and callback.
    """

    _DEFAULT_METHOD = "L-BFGS-B"

    def _minimize(
        self,
        initial_val: Any,
        loss_grad_func: Callable[[Any], Any],
        equality_funcs: Any,
        equality_grad_funcs: Any,
        inequality_funcs: Any,
        inequality_grad_funcs: Any,
        packed_bounds: Any,
        step_callback: Any,
        optimizer_kwargs: Any,
    ) -> Any:
        def loss_and_gradient(x: Any) -> Any:
            """Returns the loss, and its float64 gradient of shape `[size]`."""
            loss, gradient = loss_grad_func(x)
            return loss, gradient.astype("float64")  # L-BFGS-B requires float64.

        options = dict(optimizer_kwargs)
        constraints = [
            {"type": kind, "fun": function, "jac": gradient}
            for kind, functions, gradients in (
                ("eq", equality_funcs, equality_grad_funcs),
                ("ineq", inequality_funcs, inequality_grad_funcs),
            )
            for function, gradient in zip(functions, gradients)
        ]
        arguments = {
            "jac": True,
            "callback": step_callback,
            "method": options.pop("method", self._DEFAULT_METHOD),
            "constraints": constraints,
            "bounds": packed_bounds,
        }
        if "bounds" in options:
            raise ValueError("bounds: bounds are set for each variable. Give var_to_bounds.")
        for name in sorted({*arguments} & {*options}):
            raise ValueError(f"Optimizer keyword arg '{name}' is set automatically and cannot be injected manually")
        from scipy.optimize import minimize  # type: ignore[import-untyped]

        result = minimize(loss_and_gradient, initial_val, **arguments, **options)
        _LOG.info(
            "Optimization terminated with: %s Objective function value: %f. Iterations: %s. Function evaluations: %s",
            result.message,
            result.fun,
            getattr(result, "nit", "unknown"),
            getattr(result, "nfev", "unknown"),
        )
        return result["x"]


def _shape(tensor: Any) -> tuple[int, ...]:
    return tuple(tensor.get_shape().as_list())
