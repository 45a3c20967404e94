# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Reversible layers, and recomputation in the backward pass; both save memory (tf.contrib.layers)."""

from __future__ import annotations

import functools
import inspect
import re
from typing import Any, Callable, Iterable, Sequence

from tensorflow.python.ops.variables import Variable  # Base class of tf.Variable and of other kinds of variable.
from tensorflow.python.util import nest

import tf1mem.v1 as tf
from tf1mem.v1.contrib.framework.arg_scope import arg_scope, current_arg_scope

_LAYER_VARIABLE = re.compile(r".*revlayer_([0-9]*)/([fg])/.*")


def _call(function: Callable[..., Any], x: Any, side_input: Sequence[Any]) -> Any:
    """Returns the function's result for a tensor of any shape; side inputs are a second argument, if there are any."""
    return function(x, side_input) if side_input else function(x)


def _sums(*gradients: Iterable[Any]) -> list[Any]:
    """Returns the element-wise sums of several lists of gradients; entries may be None."""
    parts = [[each for each in summands if each is not None] for summands in zip(*gradients)]
    return [tf.add_n(each) if each else None for each in parts]


def _in_scope(function: Callable[..., Any], scope: str) -> Callable[..., Any]:
    """Returns the function, wrapped so that it is called in a variable scope with resource variables."""

    def wrapped(*args: Any, **kwargs: Any) -> Any:
        """Calls the function with its tensors, of any shape, in the variable scope."""
        # tf.custom_gradient supports only resource variables.
        with tf.variable_scope(scope, use_resource=True):
            return function(*args, **kwargs)

    return wrapped


class RevBlock(tf.layers.Layer):  # type: ignore[misc]
    """Reversible residual layers: `y1 = x1 + f(x2)`, `y2 = x2 + g(y1)`; Gomez et al. 2017, arXiv:1707.04585.

    The inputs are computed from the outputs in the backward pass, and needn't be stored.

    Args:
        f: The first function of the layers: one function for all, or a list with one for each. It maps a tensor (and
            `f_side_input`, as a second argument, if there is any) to a tensor of the same shape.
        g: The second function of the layers, in the same form.
        num_layers: Number of layers.
        f_side_input: List of tensors that each `f` also takes; None for none.
        g_side_input: List of tensors that each `g` also takes; None for none.
        use_efficient_backprop: True to recompute inputs in the backward pass.
        name: Name of the layer.
    """

    def __init__(
        self,
        f: Any,
        g: Any,
        num_layers: int = 1,
        f_side_input: Sequence[Any] | None = None,
        g_side_input: Sequence[Any] | None = None,
        use_efficient_backprop: bool = True,
        name: str = "revblock",
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, **kwargs)
        functions = {}
        for kind, function_or_list in (("f", f), ("g", g)):
            functions_of_kind = (
                function_or_list if isinstance(function_or_list, list) else [function_or_list] * num_layers
            )
            assert len(functions_of_kind) == num_layers
            functions[kind] = [
                _in_scope(function, f"revlayer_{layer}/{kind}") for layer, function in enumerate(functions_of_kind)
            ]
        self.f, self.g = functions["f"], functions["g"]
        self.num_layers = num_layers
        self.f_side_input = list(f_side_input or [])
        self.g_side_input = list(g_side_input or [])
        self._efficient = use_efficient_backprop

    def build(self, _: Any) -> None:
        """Makes no variables, whatever the inputs' shapes: the functions make them when they are called."""
        self.built = True

    def call(self, inputs: Sequence[Any], forward: bool = True) -> tuple[Any, Any]:
        """Returns the outputs of a pair of inputs, or the inputs of a pair of outputs if not `forward`.

        Args:
            inputs: Two tensors of equal shape.
            forward: False to compute inputs from outputs.
        """
        scope = tf.get_variable_scope()
        number_before = len(scope.global_variables())
        results = self._forward(*inputs) if forward else self._backward(*inputs)
        trainable = {id(each) for each in scope.trainable_variables()}
        for variable in scope.global_variables()[number_before:]:
            (self._trainable_weights if id(variable) in trainable else self._non_trainable_weights).append(variable)
        return results

    def forward(self, x1: Any, x2: Any) -> Any:
        """Returns the outputs `(y1, y2)`, which have the shape of the inputs."""
        return self([x1, x2])

    def backward(self, y1: Any, y2: Any) -> Any:
        """Returns the inputs `(x1, x2)`, which have the shape of the outputs."""
        return self([y1, y2], forward=False)

    def _backward(self, y1: Any, y2: Any) -> tuple[Any, Any]:
        for f, g in zip(reversed(self.f), reversed(self.g)):
            x2 = y2 - _call(g, y1, self.g_side_input)
            y1, y2 = y1 - _call(f, x2, self.f_side_input), x2
        return y1, y2

    def _residual_outputs(self, x1: Any, x2: Any, f_side: Sequence[Any], g_side: Sequence[Any]) -> tuple[Any, Any]:
        for f, g in zip(self.f, self.g):
            x1 = x1 + _call(f, x2, f_side)
            x2 = x2 + _call(g, x1, g_side)
            if self._efficient:  # Ties both halves together, so that no later layer runs before both are computed.
                x1, x2 = tf.tuple([x1, x2])
        return x1, x2

    def _forward(self, x1: Any, x2: Any) -> tuple[Any, Any]:
        number = len(self.f_side_input)
        if not self._efficient:
            return self._residual_outputs(x1, x2, self.f_side_input, self.g_side_input)
        scope = tf.get_variable_scope()

        @tf.custom_gradient  # type: ignore[untyped-decorator]
        def computed(x1: Any, x2: Any, *side: Any) -> Any:
            """Returns `(y1, y2)`, of the shapes of `x1` and `x2`, and the function that computes the gradients."""
            ys = self._residual_outputs(x1, x2, side[:number], side[number:])

            def gradient(*output_gradients: Any, **extra: Any) -> Any:
                """Returns the gradients of all inputs and those of the variables, each in the shape of its tensor."""
                return self._gradients(ys, output_gradients, side, extra.get("variables") or [], scope)

            return ys, gradient

        outputs: tuple[Any, Any] = computed(x1, x2, *self.f_side_input, *self.g_side_input)
        return outputs

    def _gradients(
        self, ys: Any, output_gradients: Any, side: Sequence[Any], variables: Sequence[Any], scope: Any
    ) -> tuple[list[Any], list[Any]]:
        """Computes gradients, layer by layer from the last.

        Returns:
            (gradients of the two inputs and of all side inputs, gradients of `variables`), each in its tensor's shape.
        """
        number = len(self.f_side_input)
        by_layer: dict[tuple[int, str], list[Any]] = {}
        for variable in variables:
            match = _LAYER_VARIABLE.match(variable.name)
            assert match is not None
            by_layer.setdefault((int(match.group(1)), match.group(2)), []).append(variable)
        variable_gradients: dict[int, Any] = {}
        f_side_gradients, g_side_gradients = [], []
        with tf.variable_scope(scope, reuse=True):
            for layer in reversed(range(self.num_layers)):
                f_variables, g_variables = by_layer.get((layer, "f"), []), by_layer.get((layer, "g"), [])
                ys, output_gradients, (f_gradients, f_side), (g_gradients, g_side) = _layer_backward(
                    ys,
                    output_gradients,
                    self.f[layer],
                    self.g[layer],
                    f_variables,
                    side[:number],
                    g_variables,
                    side[number:],
                )
                for each, gradient in zip([*f_variables, *g_variables], [*f_gradients, *g_gradients]):
                    variable_gradients[id(each)] = gradient
                f_side_gradients.append(f_side)
                g_side_gradients.append(g_side)
        input_gradients = [*output_gradients, *_sums(*f_side_gradients), *_sums(*g_side_gradients)]
        return input_gradients, [variable_gradients.get(id(each)) for each in variables]


def _layer_backward(
    ys: Any,
    output_gradients: Any,
    f: Callable[..., Any],
    g: Callable[..., Any],
    f_variables: list[Any],
    f_side: Sequence[Any],
    g_variables: list[Any],
    g_side: Sequence[Any],
) -> Any:
    """Computes a layer's inputs from its outputs, and the gradients.

    Returns:
        (x1, x2), their gradients, (gradients of `f_variables`, of `f_side`), (gradients of `g_variables`, of `g_side`).
    """
    (y1, y2), (y1_gradient, y2_gradient) = ys, output_gradients
    y1_input = tf.stop_gradient(y1)
    g_side = [tf.stop_gradient(each) for each in g_side]
    g_outputs = _call(g, y1_input, g_side)
    x2 = y2 - g_outputs
    x2_input = tf.stop_gradient(x2)
    f_side = [tf.stop_gradient(each) for each in f_side]
    f_outputs = _call(f, x2_input, f_side)
    x1 = y1 - f_outputs

    g_gradients = tf.gradients(g_outputs, [y1_input, *g_variables, *g_side], y2_gradient)
    x1_gradient = y1_gradient + g_gradients[0]
    f_gradients = tf.gradients(f_outputs, [x2_input, *f_variables, *f_side], x1_gradient)
    x2_gradient = y2_gradient + f_gradients[0]
    counts = len(f_variables), len(g_variables)
    results = (
        (x1, x2),
        (x1_gradient, x2_gradient),
        (f_gradients[1 : 1 + counts[0]], f_gradients[1 + counts[0] :]),
        (g_gradients[1 : 1 + counts[1]], g_gradients[1 + counts[1] :]),
    )
    return nest.pack_sequence_as(results, tf.tuple(nest.flatten(results)))


def rev_block(
    x1: Any,
    x2: Any,
    f: Any,
    g: Any,
    num_layers: int = 1,
    f_side_input: Sequence[Any] | None = None,
    g_side_input: Sequence[Any] | None = None,
    is_training: bool = True,
) -> Any:
    """Makes and calls a block of reversible layers: `y1 = x1 + f(x2)`, `y2 = x2 + g(y1)`; arXiv:1707.04585.

    Args:
        x1: First half of the inputs, a tensor of any shape.
        x2: Second half, of the same shape.
        f: The first function of the layers: one function for all, or a list with one for each. It maps a tensor (and
            `f_side_input`, as a second argument, if there is any) to a tensor of the same shape.
        g: The second function of the layers, in the same form.
        num_layers: Number of layers.
        f_side_input: List of tensors that each `f` also takes; None for none.
        g_side_input: List of tensors that each `g` also takes; None for none.
        is_training: True to recompute inputs in the backward pass.

    Returns:
        Two tensors of the shape of the inputs.
    """
    block = RevBlock(
        f,
        g,
        num_layers,
        f_side_input,
        g_side_input,
        use_efficient_backprop=is_training,
        _reuse=tf.get_variable_scope().reuse,
    )
    return block.forward(x1, x2)


def recompute_grad(fn: Any = None, use_data_dep: Any = False, tupleize_grads: bool = False) -> Any:
    """Decorates a function: the backward pass calls it again, so that no intermediate result has to be stored.

    Args:
        fn: Function of tensors of any shape. If it has an argument `is_recomputing`, that is True in the backward pass.
            None to return a decorator with the other arguments.
        use_data_dep: True to delay the recomputation by a data dependency on the gradients, not only by control inputs.
        tupleize_grads: True to return the gradients only when all are computed.

    Returns:
        A function of the same tensors with the same outputs. It raises ValueError if an input is no tensor, and in the
        backward pass if `fn` then uses other variables.

    Raises:
        ValueError: The function closes over a tensor or a variable, whose gradient would be lost.
    """
    if fn is None:
        return lambda function: recompute_grad(function, use_data_dep, tupleize_grads)
    closure = zip(fn.__code__.co_freevars, fn.__closure__ or ()) if hasattr(fn, "__code__") else ()
    for name, cell in closure:
        if isinstance(cell.cell_contents, (tf.Tensor, Variable)):
            raise ValueError(
                f"fn decorated with @recompute_grad closes over Tensor {cell.cell_contents.name} "
                f"(local variable name: {name}). No gradient is computed for it: make it an input of fn."
            )
    takes_is_recomputing = "is_recomputing" in inspect.signature(fn).parameters

    @functools.wraps(fn)
    def wrapped(*args: Any) -> Any:
        """Calls the function with tensors of any shape; returns its outputs, whose gradient computes it again."""
        if not all(isinstance(each, tf.Tensor) for each in args):
            raise ValueError("recompute_grad: an input of the function is no tensor. Give tensors only.")

        @tf.custom_gradient  # type: ignore[untyped-decorator]
        def computed(*inputs: Any) -> Any:
            """Returns the function's outputs, of any shape, and the function that computes the gradients."""
            scope, arguments = tf.get_variable_scope(), current_arg_scope()
            outputs = fn(*inputs, **({"is_recomputing": False} if takes_is_recomputing else {}))

            def gradient(*output_gradients: Any, **extra: Any) -> Any:
                """Returns the gradients of all inputs and those of the variables, each in the shape of its tensor."""
                return _backprop(output_gradients, inputs, list(extra.get("variables") or []), scope, arguments)

            return outputs, gradient

        return computed(*args)

    def _backprop(
        output_gradients: Sequence[Any], inputs: Sequence[Any], variables: list[Any], scope: Any, arguments: Any
    ) -> Any:
        present = [each for each in output_gradients if each is not None]
        with tf.control_dependencies(present):
            inputs_again = [tf.identity(each) for each in inputs]
            if use_data_dep:
                inputs_again = _with_dependency(present, inputs_again)
            with arg_scope(arguments), tf.variable_scope(scope, reuse=True):
                with tf.GradientTape() as tape:
                    outputs = fn(*inputs_again, **({"is_recomputing": True} if takes_is_recomputing else {}))
                if {id(each) for each in tape.watched_variables()} != {id(each) for each in variables}:
                    raise ValueError(
                        "recompute_grad: the recomputed function used other variables than the first call. "
                        "The function likely makes a variable scope with a default name, which has been used before: "
                        "call it in a variable scope of its own each time."
                    )
        outputs = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
        gradients = tf.gradients(outputs, [*inputs_again, *variables], list(output_gradients))
        if tupleize_grads:
            gradients = (
                _with_dependency([each for each in gradients if each is not None], gradients)
                if use_data_dep
                else tf.tuple(gradients)
            )
        return gradients[: len(inputs_again)], gradients[len(inputs_again) :]

    return wrapped


def _with_dependency(first: Sequence[Any], then: Sequence[Any]) -> list[Any]:
    """Returns the tensors `then`, which wait for `first`: a negligible number, computed from `first`, is added."""
    total = tf.add_n([tf.reshape(tf.slice(each, [0] * each.shape.ndims, [1] * each.shape.ndims), []) for each in first])
    negligible = tf.stop_gradient(total * tf.constant(total.dtype.as_numpy_dtype(1e-37), total.dtype))
    return [None if each is None else tf.identity(each) + negligible for each in then]
