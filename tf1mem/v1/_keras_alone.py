"""Makes Keras 2 of TensorFlow 2 compute as standalone Keras did, in programs that use layers or models of `keras`.

Standalone Keras and `tf.keras` were two packages in the time of TensorFlow 1. Where they differ, a program for
standalone Keras gets what that did:

- The first layer of a class is `dense_1`, so that weights are loaded by the names under which they were saved.
- Seeds that a program doesn't give are drawn from NumPy's generator: for first weights, dropout and noise.
- Optimizers have its defaults and rules (`_keras_alone_optimizers.py`).
- So do losses and metrics (`_keras_alone_losses.py`).
- An activity regularizer's loss isn't divided by the size of the batch.
- `fit` shuffles the order of the epoch before, and an epoch's losses and metrics are means of the batches'
  (`_keras_alone_loops.py`).
- Programs can append metrics to a compiled model's lists (`_keras_alone_metrics.py`).
- Moving averages of a batch norm have no bias towards their first values; that of the variance is of an unbiased one.
- A Session initializes all variables of the graph, not Keras's alone.
- Variables are listed and named as there (`_keras_alone_variables.py`).
- Outputs have the shapes that a program's layers state (`_keras_alone_shapes.py`).
- Nodes have lists of tensors and layers, also of one.
- A layer's `name`, `trainable_weights`, `non_trainable_weights`, `inbound_nodes` and `outbound_nodes` can be set.

A process has one Keras of TensorFlow, so that `tf.keras` computes like this, too, in a program that uses both, which is
warned of (`_keras_1.py`).
"""

from __future__ import annotations

import functools
import threading
from importlib import import_module
from typing import Any, Callable

from tf1mem.hooks.wrappers import put, put_around_once
from tf1mem.v1 import (
    _keras_alone_initializers,
    _keras_alone_loops,
    _keras_alone_losses,
    _keras_alone_metrics,
    _keras_alone_optimizers,
    _keras_alone_shapes,
    _keras_alone_variables,
)
from tf1mem.v1._keras_package import keras_file
from tf1mem.v1._namespace import ROOT

_SEEDS = 10_000_000  # standalone Keras draws a seed below this number


_begun = threading.Event()


def is_in_use() -> bool:
    """Returns True if the program uses standalone Keras."""
    return _begun.is_set()


def compute_as_standalone() -> None:
    """Makes Keras compute as standalone Keras did, from now on, in the whole process."""
    if _begun.is_set():  # TensorFlow's modules look into all modules as they load, and so call it from within
        return
    _begun.set()
    keras: Any = import_module(ROOT + ".keras")
    file_of_keras = functools.partial(keras_file, keras.Model)
    files = [file_of_keras(file) for file in ("engine.base_layer", "engine.base_layer_v1")]
    layers = [file.Layer for file in files if file is not None]
    training = [file_of_keras(file) for file in ("engine.training_v1", "engine.training")]
    functional = file_of_keras("engine.functional")
    for owner in (*layers, getattr(functional, "Functional", None)):
        put_around_once(owner, "_init_set_name", _counting_from_one)
    for layer in layers:
        put_around_once(layer, "_handle_activity_regularization", _for_whole_batches)
        for name in ("trainable_weights", "non_trainable_weights", "inbound_nodes", "outbound_nodes"):
            put(layer, name, getattr(layer, name).setter(functools.partial(_set_list, f"_{name}")))
        put(layer, "name", layer.name.setter(_set_name))
    node = getattr(file_of_keras("engine.node"), "Node", None)
    if isinstance(getattr(node, "input_tensors", None), property):  # TensorFlow 2.0's Keras calls layers by them
        for name in ("input_tensors", "output_tensors", "inbound_layers"):
            put(node, name, property(functools.partial(_flat, getattr(node, name).fget)))
        for name in ("input_shapes", "output_shapes"):
            put(node, name, property(functools.partial(_single, getattr(node, name).fget)))
    of_program = functools.lru_cache(maxsize=None)(functools.partial(_is_of_program, keras.Model))
    _keras_alone_variables.list_as_standalone(keras, layers, of_program)
    backends = [file_of_keras("backend"), keras.backend, import_module(ROOT + ".keras.backend")]
    _keras_alone_shapes.state_as_standalone(keras, backends, layers, of_program)
    put_around_once(keras.layers.Dropout, "call", _drawing_a_seed)
    backend = file_of_keras("backend")
    put_around_once(backend, "_get_variables", _with_all_of_graph)
    put_around_once(keras.layers.BatchNormalization, "call", _normalizing)
    initializers = file_of_keras("initializers")
    for owner in (initializers, keras.initializers):
        put_around_once(owner, "deserialize", _deserializing_initializers)
    _keras_alone_losses.compute_as_standalone(keras, file_of_keras)
    _keras_alone_loops.loop_as_standalone(file_of_keras)
    _keras_alone_metrics.append_as_standalone(
        next(file.Model for file in training if hasattr(getattr(file, "Model", None), "_get_training_eval_metrics"))
    )
    optimizers = file_of_keras("optimizers")
    for owner in (optimizers, keras.optimizers):
        put_around_once(owner, "deserialize", _keras_alone_optimizers.deserialize)


def _counting_from_one(own: Callable[..., None]) -> Callable[..., None]:
    """Returns `_init_set_name` that names the first object of a class with the number 1."""

    def _init_set_name(self: Any, name: Any, zero_based: bool = True) -> None:
        own(self, name, zero_based=False)

    return _init_set_name


def _for_whole_batches(own: Callable[..., None]) -> Callable[..., None]:
    """Returns `_handle_activity_regularization` that adds the regularizer's loss for a whole batch."""

    def _handle_activity_regularization(self: Any, inputs: Any, outputs: Any) -> None:
        if self._activity_regularizer:
            tf = import_module(ROOT)
            for output in tf.nest.flatten(outputs):
                self.add_loss(self._activity_regularizer(output), inputs=inputs)

    return _handle_activity_regularization


def _set_list(attribute: str, layer: Any, values: Any) -> None:
    """Sets a layer's own weights, as layers of Keras 1 did in `build`, or its nodes."""
    setattr(layer, attribute, list(values))


def _is_of_program(model: Any, layer_class: Any) -> bool:
    """Returns True if a class of layers, none of models, is neither Keras's nor tf1mem's.

    Args:
        model: Keras's class of models.
        layer_class: The class of layers.
    """
    own = {name.partition(".")[0] for name in (__name__, model.__module__)}
    return not issubclass(layer_class, model) and layer_class.__module__.partition(".")[0] not in own


def _flat(own: Callable[[Any], Any], node: Any) -> list[Any]:
    """Returns the tensors or layers of a node of Keras's graph, as a list also if there is one.

    Args:
        own: TensorFlow 2's function, which returns one itself.
        node: The node.
    """
    values: list[Any] = import_module(ROOT).nest.flatten(own(node))
    return values


def _single(own: Callable[[Any], Any], node: Any) -> Any:
    """Returns the shapes of a node, or the one that there is, also that of an input.

    Args:
        own: TensorFlow 2's function, which returns an input's shape in a list.
        node: The node.
    """
    shapes = own(node)
    return shapes[0] if isinstance(shapes, list) and len(shapes) == 1 else shapes


def _set_name(layer: Any, name: str) -> None:
    """Renames a layer or a model."""
    layer._name = name


def _with_all_of_graph(own: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a backend's `_get_variables` that returns all global variables of the graph."""

    def _get_variables(graph: Any = None) -> Any:
        tf = import_module(ROOT)
        graph = graph or tf.get_default_graph()
        return [*own(graph), *graph.get_collection(tf.GraphKeys.GLOBAL_VARIABLES)]

    return _get_variables


def _normalizing(own: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a batch norm's `call` whose moving averages are standalone Keras's."""

    def call(self: Any, inputs: Any, training: Any = None) -> Any:
        axes = self.axis if isinstance(self.axis, (list, tuple)) else [self.axis]
        if self.renorm or self.virtual_batch_size is not None or self.adjustment is not None or len(axes) > 1:
            return own(self, inputs, training)  # standalone Keras has none of these
        tf = import_module(ROOT)
        K = tf.keras.backend  # noqa: N806 - as everyone calls it
        rank = K.ndim(inputs)
        axis = axes[0] % rank
        reduced = [each for each in range(rank) if each != axis]
        sizes = [1] * rank
        sizes[axis] = K.int_shape(inputs)[axis]

        def of_inference() -> Any:
            parts = [self.moving_mean, self.moving_variance, self.beta, self.gamma]
            if axis != rank - 1:
                mean, variance, beta, gamma = (None if part is None else K.reshape(part, sizes) for part in parts)
                return tf.nn.batch_normalization(inputs, mean, variance, beta, gamma, self.epsilon)
            return K.batch_normalization(inputs, *parts, axis=axis, epsilon=self.epsilon)

        if isinstance(training, (bool, int)) and not training:
            return of_inference()
        normed, mean, variance = K.normalize_batch_in_training(
            inputs, self.gamma, self.beta, reduced, epsilon=self.epsilon
        )
        count = K.cast(K.prod([K.shape(inputs)[each] for each in reduced]), "float32")
        # The unbiased estimate, which fused kernels have made of it already: standalone Keras does it again.
        variance *= count / (count - (1 + self.epsilon))
        for average, value in ((self.moving_mean, mean), (self.moving_variance, variance)):
            self.add_update([K.moving_average_update(average, value, self.momentum)])
        return K.in_train_phase(normed, of_inference, training=training)

    return call


def _drawing_a_seed(own: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a Dropout's `call` that draws a seed if the layer has none; Keras draws those of other layers already."""

    # Arguments by name: a layer whose `call` takes any gets the mask, too.
    def call(self: Any, inputs: Any, training: Any = None) -> Any:
        if self.seed is not None or not 0 < self.rate < 1:
            return own(self, inputs, training=training)
        generator = getattr(self, "_random_generator", None)  # from TensorFlow 2.8 on
        owner, name = (self, "seed") if generator is None else (generator, "_seed")
        setattr(owner, name, _drawn())
        try:
            return own(self, inputs, training=training)
        finally:
            setattr(owner, name, None)

    return call


def _drawn() -> int:
    import numpy as np

    return int(np.random.randint(_SEEDS))


def _deserializing_initializers(own: Callable[..., Any]) -> Callable[..., Any]:
    """Returns Keras's `initializers.deserialize`, wrapped so that it makes standalone Keras's initializers."""

    def deserialize(config: Any, custom_objects: Any = None, **options: Any) -> Any:
        if isinstance(config, str):  # up to TensorFlow 2.5 a name comes as it is
            config = {"class_name": config, "config": {}}
        name = config.get("class_name")
        if name in _keras_alone_initializers.initializers() and name not in (custom_objects or {}):
            return _initializer(config)
        return own(config, custom_objects, **options)

    return deserialize


def _initializer(config: dict[str, Any]) -> Any:
    """Returns the initializer of a config; `tf.keras` has saved some with a dtype."""
    arguments = {name: value for name, value in config["config"].items() if name != "dtype"}
    if str(arguments.get("distribution")).endswith("truncated_normal"):
        arguments["distribution"] = "normal"
    return _keras_alone_initializers.initializers()[config["class_name"]](**arguments)
