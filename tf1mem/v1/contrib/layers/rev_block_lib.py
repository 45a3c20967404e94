# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Reversible layers, and layers computed anew for their gradients, both to save memory, by tf.contrib.layers."""

from __future__ import annotations

import functools
import inspect
import re
from typing import Any, Callable, Iterable, Sequence

from tensorflow.python.ops.variables import Variable  # What tf.Variable is only one kind of.
from tensorflow.python.util import nest

import tf1mem.v1 as tf
from tf1mem.v1.contrib.framework.arg_scope import arg_scope, current_arg_scope

_OF_LAYER = re.compile(r".*revlayer_([0-9]*)/([fg])/.*")


def _called(function: Callable[..., Any], x: Any, side_input: Sequence[Any]) -> Any:
    return function(x, side_input) if side_input else function(x)


def _sums(*gradients: Iterable[Any]) -> list[Any]:
    """The sums of several lists of gradients, which may be None."""
    given = [[each for each in alike if each is not None] for alike in zip(*gradients)]
    return [tf.add_n(each) if each else None for each in given]


def _in_scope(function: Callable[..., Any], scope: str) -> Callable[..., Any]:
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        # Gradients are looked for by variable, and those of reference variables can't be found.
        with tf.variable_scope(scope, use_resource=True):
            return function(*args, **kwargs)

    return wrapped


class RevBlock(tf.layers.Layer):  # type: ignore[misc]
    """Layers of which each adds to one half of its inputs a function of the other, and then the other way round.

    So the inputs can be computed from the outputs, and needn't be kept for the gradients.

    Args:
        f: The first function of each layer: one for all, or a list.
        g: The second, likewise.
        num_layers: How many layers.
        f_side_input: Tensors that each `f` takes, too, as a list.
        g_side_input: Tensors that each `g` takes.
        use_efficient_backprop: Whether inputs are computed anew for the gradients.
        name: The layer's name.
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
        for kind, given in (("f", f), ("g", g)):
            each = given if isinstance(given, list) else [given] * num_layers
            assert len(each) == num_layers
            functions[kind] = [_in_scope(function, f"revlayer_{at}/{kind}") for at, function in enumerate(each)]
        self.f, self.g = functions["f"], functions["g"]
        self.num_layers = num_layers
        self.f_side_input = list(f_side_input or [])
        self.g_side_input = list(g_side_input or [])
        self._efficient = use_efficient_backprop

    def build(self, _: Any) -> None:
        """Makes nothing: the functions make their variables when they are called."""
        self.built = True

    def call(self, inputs: Sequence[Any], forward: bool = True) -> tuple[Any, Any]:
        """The outputs of inputs; the inputs of outputs, if not `forward`."""
        scope = tf.get_variable_scope()
        before = len(scope.global_variables())
        found = self._forward(*inputs) if forward else self._backward(*inputs)
        trainable = {id(each) for each in scope.trainable_variables()}
        for variable in scope.global_variables()[before:]:
            (self._trainable_weights if id(variable) in trainable else self._non_trainable_weights).append(variable)
        return found

    def forward(self, x1: Any, x2: Any) -> Any:
        """The outputs of inputs."""
        return self([x1, x2])

    def backward(self, y1: Any, y2: Any) -> Any:
        """The inputs of outputs."""
        return self([y1, y2], forward=False)

    def _backward(self, y1: Any, y2: Any) -> tuple[Any, Any]:
        for f, g in zip(reversed(self.f), reversed(self.g)):
            x2 = y2 - _called(g, y1, self.g_side_input)
            y1, y2 = y1 - _called(f, x2, self.f_side_input), x2
        return y1, y2

    def _computed(self, x1: Any, x2: Any, f_side: Sequence[Any], g_side: Sequence[Any]) -> tuple[Any, Any]:
        for f, g in zip(self.f, self.g):
            x1 = x1 + _called(f, x2, f_side)
            x2 = x2 + _called(g, x1, g_side)
            if self._efficient:  # Else the graph could go on while both are still needed.
                x1, x2 = tf.tuple([x1, x2])
        return x1, x2

    def _forward(self, x1: Any, x2: Any) -> tuple[Any, Any]:
        number = len(self.f_side_input)
        if not self._efficient:
            return self._computed(x1, x2, self.f_side_input, self.g_side_input)
        scope = tf.get_variable_scope()

        @tf.custom_gradient  # type: ignore[untyped-decorator]
        def computed(x1: Any, x2: Any, *side: Any) -> Any:
            ys = self._computed(x1, x2, side[:number], side[number:])

            def gradient(*of_ys: Any, **given: Any) -> Any:
                return self._gradients(ys, of_ys, side, given.get("variables") or [], scope)

            return ys, gradient

        found: tuple[Any, Any] = computed(x1, x2, *self.f_side_input, *self.g_side_input)
        return found

    def _gradients(
        self, ys: Any, of_ys: Any, side: Sequence[Any], variables: Sequence[Any], scope: Any
    ) -> tuple[list[Any], list[Any]]:
        """The gradients of inputs, side inputs and variables, layer by layer from the last."""
        number = len(self.f_side_input)
        of: dict[tuple[int, str], list[Any]] = {}
        for variable in variables:
            found = _OF_LAYER.match(variable.name)
            assert found is not None
            of.setdefault((int(found.group(1)), found.group(2)), []).append(variable)
        of_variables: dict[int, Any] = {}
        of_f_side, of_g_side = [], []
        with tf.variable_scope(scope, reuse=True):
            for at in reversed(range(self.num_layers)):
                f_variables, g_variables = of.get((at, "f"), []), of.get((at, "g"), [])
                ys, of_ys, (of_f, f_side), (of_g, g_side) = _layer_backward(
                    ys, of_ys, self.f[at], self.g[at], f_variables, side[:number], g_variables, side[number:]
                )
                for each, gradient in zip([*f_variables, *g_variables], [*of_f, *of_g]):
                    of_variables[id(each)] = gradient
                of_f_side.append(f_side)
                of_g_side.append(g_side)
        of_inputs = [*of_ys, *_sums(*of_f_side), *_sums(*of_g_side)]
        return of_inputs, [of_variables.get(id(each)) for each in variables]


def _layer_backward(
    ys: Any,
    of_ys: Any,
    f: Callable[..., Any],
    g: Callable[..., Any],
    f_variables: list[Any],
    f_side: Sequence[Any],
    g_variables: list[Any],
    g_side: Sequence[Any],
) -> Any:
    """A layer's inputs from its outputs; and the gradients of inputs, variables and side inputs."""
    (y1, y2), (of_y1, of_y2) = ys, of_ys
    y1_alone = tf.stop_gradient(y1)
    g_side = [tf.stop_gradient(each) for each in g_side]
    of_second = _called(g, y1_alone, g_side)
    x2 = y2 - of_second
    x2_alone = tf.stop_gradient(x2)
    f_side = [tf.stop_gradient(each) for each in f_side]
    of_first = _called(f, x2_alone, f_side)
    x1 = y1 - of_first

    by_g = tf.gradients(of_second, [y1_alone, *g_variables, *g_side], of_y2)
    of_x1 = of_y1 + by_g[0]
    by_f = tf.gradients(of_first, [x2_alone, *f_variables, *f_side], of_x1)
    of_x2 = of_y2 + by_f[0]
    number = len(f_variables), len(g_variables)
    found = (
        (x1, x2),
        (of_x1, of_x2),
        (by_f[1 : 1 + number[0]], by_f[1 + number[0] :]),
        (by_g[1 : 1 + number[1]], by_g[1 + number[1] :]),
    )
    return nest.pack_sequence_as(found, tf.tuple(nest.flatten(found)))


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
    """A `RevBlock`, made and called; see there.

    Args:
        x1: One half of the inputs.
        x2: The other.
        is_training: Whether inputs are computed anew for the gradients.
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
    """A decorator: the function is computed anew for its gradients, so that nothing of it is kept until then.

    Args:
        fn: A function of tensors; it may take `is_recomputing`, which says whether it is the second time.
        use_data_dep: Whether the second time waits for the gradients by data, and not by control inputs alone.
        tupleize_grads: Whether gradients are handed on when all are there.

    Raises:
        ValueError: The function uses a tensor or a variable that it isn't given, whose gradient would be lost.
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
    tells = "is_recomputing" in inspect.signature(fn).parameters

    @functools.wraps(fn)
    def wrapped(*args: Any) -> Any:
        if not all(isinstance(each, tf.Tensor) for each in args):
            raise ValueError("recompute_grad: an input of the function is no tensor. Give tensors only.")

        @tf.custom_gradient  # type: ignore[untyped-decorator]
        def computed(*inputs: Any) -> Any:
            scope, arguments = tf.get_variable_scope(), current_arg_scope()
            outputs = fn(*inputs, **({"is_recomputing": False} if tells else {}))

            def gradient(*of_outputs: Any, **given: Any) -> Any:
                return _recomputed(of_outputs, inputs, list(given.get("variables") or []), scope, arguments)

            return outputs, gradient

        return computed(*args)

    def _recomputed(
        of_outputs: Sequence[Any], inputs: Sequence[Any], variables: list[Any], scope: Any, arguments: Any
    ) -> Any:
        there = [each for each in of_outputs if each is not None]
        with tf.control_dependencies(there):
            again = [tf.identity(each) for each in inputs]
            if use_data_dep:
                again = _after(there, again)
            with arg_scope(arguments), tf.variable_scope(scope, reuse=True):
                with tf.GradientTape() as tape:
                    outputs = fn(*again, **({"is_recomputing": True} if tells else {}))
                if {id(each) for each in tape.watched_variables()} != {id(each) for each in variables}:
                    raise ValueError(
                        "recompute_grad: computed again, the function took other variables than the first time. "
                        "The function likely makes a variable scope with a default name, which has been used before: "
                        "call it in a variable scope of its own each time."
                    )
        outputs = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
        found = tf.gradients(outputs, [*again, *variables], list(of_outputs))
        if tupleize_grads:
            found = _after([each for each in found if each is not None], found) if use_data_dep else tf.tuple(found)
        return found[: len(again)], found[len(again) :]

    return wrapped


def _after(first: Sequence[Any], then: Sequence[Any]) -> list[Any]:
    """Tensors that can't be computed before others: something too small to matter is added, which those decide."""
    total = tf.add_n([tf.reshape(tf.slice(each, [0] * each.shape.ndims, [1] * each.shape.ndims), []) for each in first])
    nothing = tf.stop_gradient(total * tf.constant(total.dtype.as_numpy_dtype(1e-37), total.dtype))
    return [None if each is None else tf.identity(each) + nothing for each in then]
