"""Shapes of outputs that a program's layers state, as standalone Keras knew them.

Standalone Keras takes the shape of a layer's output from `compute_output_shape`, and that of a Lambda layer from its
`output_shape`; `K.int_shape` returns it. `tf.keras` has what TensorFlow infers, which may be less: after `tf.py_func`,
or after an op whose result depends on values. TensorFlow itself learns a stated shape only where it knows no number of
dimensions, or where one of Keras's own layers takes the output: a shape that a program states may be wrong where
standalone Keras made no use of it.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Callable

from tf1mem.hooks.wrappers import put_around, put_around_once
from tf1mem.v1._namespace import ROOT

_STATED = "_tf1mem_stated_shape"  # attribute of a tensor


def state_as_standalone(keras: Any, backends: list[Any], layers: list[Any], of_program: Callable[[Any], bool]) -> None:
    """Makes the outputs of a program's layers, and of layers that follow, have the shapes that the layers state.

    Args:
        keras: The TF1 API of Keras 2.
        backends: The modules with `int_shape`.
        layers: Keras's base classes of layers.
        of_program: Returns True for a class of layers that is the program's own.
    """

    def stating(own: Callable[..., Any]) -> Callable[..., Any]:
        def __call__(self: Any, inputs: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N807
            is_lambda = isinstance(self, keras.layers.Lambda)
            states = of_program(_class_with_shape(type(self))) or (is_lambda and self._output_shape is not None)
            stated = [each for each in import_module(ROOT).nest.flatten(inputs) if hasattr(each, _STATED)]
            if not is_lambda and not of_program(type(self)):
                for each in stated:
                    each.set_shape([None, *getattr(each, _STATED)[1:]])
            outputs = own(self, inputs, *args, **kwargs)
            if states or (stated and is_lambda):
                _state(type(self).compute_output_shape if states else _of_function, self, inputs, outputs)
            return outputs

        return __call__

    for layer in layers:
        put_around_once(layer, "__call__", stating)
    for backend in backends:
        put_around(backend, "int_shape", _returning_stated)


def _returning_stated(own: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Returns `int_shape` that returns the shape that a layer has stated."""

    def int_shape(x: Any) -> Any:
        return getattr(x, _STATED, None) or own(x)

    return int_shape


def _class_with_shape(layer_class: Any) -> Any:
    """Returns the class whose `compute_output_shape` a class of layers has."""
    return next(each for each in layer_class.__mro__ if "compute_output_shape" in vars(each))


def _of_function(layer: Any, shapes: Any) -> Any:
    """Returns the shapes of a Lambda layer's outputs for inputs of given shapes."""
    tf = import_module(ROOT)
    with tf.Graph().as_default():
        is_list = isinstance(shapes, list)
        inputs = [tf.placeholder(tf.float32, shape) for shape in (shapes if is_list else [shapes])]
        outputs = layer.function(inputs if is_list else inputs[0], **(layer.arguments or {}))
        return tf.nest.map_structure(lambda output: tuple(output.shape.as_list()), outputs)


def _state(compute: Callable[[Any, Any], Any], layer: Any, inputs: Any, outputs: Any) -> None:
    """Notes the shapes of outputs that a layer states, where TensorFlow knows less.

    A shape that contradicts TensorFlow's, or that the layer can't compute, changes nothing.

    Args:
        compute: Returns the shapes of the layer's outputs for those of its inputs.
        layer: The layer.
        inputs: Tensors that the layer has taken.
        outputs: Tensors that the layer has returned.
    """
    tf = import_module(ROOT)
    tensors = tf.nest.flatten(outputs)
    if all(each.shape.rank is not None and None not in each.shape.as_list()[1:] for each in tensors):
        return
    try:
        shapes = compute(layer, tf.nest.map_structure(tf.keras.backend.int_shape, inputs))
    except Exception:
        return
    if not isinstance(shapes, list) or (shapes and not isinstance(shapes[0], (tuple, list, tf.TensorShape))):
        shapes = [shapes]
    for tensor, shape in zip(tensors, shapes):
        sizes = tf.TensorShape(shape)
        if not sizes.rank or not tensor.shape.is_compatible_with([None, *sizes.as_list()[1:]]):
            continue
        if tensor.shape.rank is None:
            tensor.set_shape([None, *sizes.as_list()[1:]])
        else:
            setattr(tensor, _STATED, tuple(sizes.as_list()))
