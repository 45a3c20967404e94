"""Optimizers of standalone Keras: its learning rates, its rules of updating, and the base class of programs' own ones.

The optimizers of `tf.keras` have other defaults (Adadelta: 0.001 in place of 1), clip each gradient by itself where
standalone Keras clips all of them by their common norm, and call other methods of classes that are derived from them.
"""

from __future__ import annotations

import functools
from importlib import import_module
from typing import Any, Callable, Mapping

from tf1mem.hooks.wrappers import put_around_once
from tf1mem.v1._keras_package import keras_file
from tf1mem.v1._namespace import ROOT

NAMES = ("SGD", "RMSprop", "Adagrad", "Adadelta", "Adam", "Adamax", "Nadam")
# The files of TensorFlow 2's Keras that have standalone Keras's optimizers, of the newest Keras first.
_FILES = ("optimizers.optimizer_v1", "optimizer_v1", "optimizers")


@functools.lru_cache(maxsize=None)
def optimizers() -> Mapping[str, Any]:
    """Returns standalone Keras's optimizers, and the base class `Optimizer`, by name."""
    keras: Any = import_module(ROOT + ".keras")
    files = (keras_file(keras.Model, file) for file in _FILES)
    owner: Any = next(file for file in files if hasattr(file, "TFOptimizer"))
    put_around_once(owner.Optimizer, "get_gradients", _clipping)
    members = {name: _with_both_rates(getattr(owner, name)) for name in NAMES}
    return {**members, "Optimizer": owner.Optimizer, "TFOptimizer": owner.TFOptimizer}


def _clipping(own: Callable[..., Any]) -> Callable[..., Any]:
    """Returns `get_gradients` that clips gradients by the norm of all of them, and then each by its values."""

    def get_gradients(self: Any, loss: Any, params: Any) -> Any:
        clips = {name: vars(self).pop(name) for name in ("clipnorm", "clipvalue") if name in vars(self)}
        try:
            gradients = own(self, loss, params)
        finally:
            vars(self).update(clips)
        tf = import_module(ROOT)
        if clips.get("clipnorm", 0) > 0:
            norm = tf.sqrt(sum(tf.reduce_sum(tf.square(gradient)) for gradient in gradients))
            gradients = [clip_norm(gradient, self.clipnorm, norm) for gradient in gradients]
        if clips.get("clipvalue", 0) > 0:
            gradients = [tf.clip_by_value(gradient, -self.clipvalue, self.clipvalue) for gradient in gradients]
        return gradients

    return get_gradients


def clip_norm(g: Any, c: float, n: Any) -> Any:
    """Returns a gradient that is clipped by a norm.

    Args:
        g: A gradient, tensor or IndexedSlices.
        c: The largest norm; 0 clips nothing.
        n: The norm of the gradient, or of all gradients together, a scalar.
    """
    if c <= 0:
        return g
    tf = import_module(ROOT)
    if isinstance(g, tf.IndexedSlices):
        return tf.IndexedSlices(clip_norm(g.values, c, n), g.indices, g.dense_shape)
    return tf.where(tf.broadcast_to(n >= c, tf.shape(g)), g * (c / n), g)


def _with_both_rates(optimizer: Any) -> Any:
    """Returns a class of optimizers that takes `lr`, or `learning_rate` as Keras 2.3 did."""

    def __init__(self: Any, *args: Any, **arguments: Any) -> None:  # noqa: N807
        if "learning_rate" in arguments:
            arguments["lr"] = arguments.pop("learning_rate")
        optimizer.__init__(self, *args, **arguments)

    def learning_rate(self: Any) -> Any:
        """The variable `lr`, by Keras 2.3's name."""
        return self.lr

    def get_updates(self: Any, loss: Any, params: Any) -> Any:
        return _counting_first(self.iterations, lambda: optimizer.get_updates(self, loss, params))

    def _create_all_weights(self: Any, params: Any) -> Any:
        # Called when a model is loaded, and when it is trained: the second call must not make them anew.
        ids, weights = vars(self).get("_tf1mem_weights", (None, None))
        if ids != [id(param) for param in params]:
            weights = optimizer._create_all_weights(self, params)
            self._tf1mem_weights = [id(param) for param in params], weights
        return weights

    names = {
        "__init__": functools.wraps(optimizer.__init__)(__init__),
        "get_updates": functools.wraps(optimizer.get_updates)(get_updates),
        "learning_rate": property(learning_rate),
    }
    if hasattr(optimizer, "_create_all_weights"):  # from TensorFlow 2.3 on
        names["_create_all_weights"] = _create_all_weights
    shown = {name: getattr(optimizer, name) for name in ("__module__", "__doc__", "__qualname__")}
    return type(optimizer.__name__, (optimizer,), {**shown, **names})


def _counting_first(iterations: Any, make: Callable[[], Any]) -> Any:
    """Returns the ops that update variables, made such that all of them read the number of steps with this one.

    Nothing orders counting and reading in standalone Keras, but in practice a step is counted first: Adam's first step
    is by 0.744 of its learning rate with Keras 2.2.5 and 2.3.1 on TensorFlow 1.15.5, as in a second step.

    Args:
        iterations: The variable that counts steps.
        make: Makes the ops, some of which read the variable.
    """
    graph = iterations.graph
    before = {id(op) for op in graph.get_operations()}
    updates = make()
    own = [op for op in graph.get_operations() if id(op) not in before and iterations.handle.op in _inputs(op)]
    counts = [op for op in own if op.type == "AssignAddVariableOp"]
    for read in (op for op in own if op.type == "ReadVariableOp"):
        if not set(counts) & set(read.control_inputs):
            read._add_control_inputs(counts)
            continue
        # TensorFlow 2's Adam and its kin count first, and take the number for that of this step, not of the next.
        for cast in (op for op in read.outputs[0].consumers() if op.type == "Cast"):
            uses = [(op, index) for op in cast.outputs[0].consumers() for index in range(len(op.inputs))]
            following = cast.outputs[0] + 1
            for op, index in uses:
                if op.inputs[index] is cast.outputs[0]:
                    op._update_input(index, following)
    return updates


def _inputs(op: Any) -> list[Any]:
    return [tensor.op for tensor in op.inputs]


def deserialize(own: Any) -> Any:
    """Returns Keras's `optimizers.deserialize`, wrapped so that configs lead to standalone Keras's optimizers."""

    def deserialize(config: Any, custom_objects: Any = None, **options: Any) -> Any:
        own_names = [*(custom_objects or {}), *import_module(ROOT + ".keras").utils.get_custom_objects()]
        if _is_standalone(config) and config["class_name"] not in own_names:
            return _from_config(config)
        return own(config, custom_objects, **options)

    return deserialize


def _by_lower_name() -> Mapping[str, Any]:
    return {name.lower(): optimizers()[name] for name in NAMES}


def _is_standalone(config: Any) -> bool:
    """Returns True for the config of an optimizer that standalone Keras has."""
    return str(config.get("class_name")).lower() in _by_lower_name()


def _from_config(config: Mapping[str, Any]) -> Any:
    """Returns the optimizer of a config, which standalone Keras or `tf.keras` has saved."""
    arguments = {name: value for name, value in config["config"].items() if name not in ("name", "centered")}
    return _by_lower_name()[config["class_name"].lower()](**arguments)
