"""Makes Keras 2 of TensorFlow 2 list and name variables as standalone Keras did.

- All weights of layers are in the collection of trainable variables: standalone Keras made a moving average like any
  other variable. What a program computes from `tf.trainable_variables()` includes them.
- `Model.weights` has the trainable weights first. `get_weights` and `set_weights` go by layers.
- A model's training puts the variables of its optimizer into a scope of the optimizer's class.
- `trainable` of a model is its own: it doesn't set that of its layers, none of which is trained while it is False. A
  training updates the moving averages of what is trainable when it first runs, not when the model was compiled. So in a
  GAN those of a discriminator stay that is frozen between the two.
- Variables and layers that a program's own layer keeps in attributes aren't the layer's weights: a program adds what it
  trains. TensorFlow 2 trains a variable such as a loss's factor, which a callback sets.
"""

from __future__ import annotations

import functools
import threading
from importlib import import_module
from typing import Any, Callable

from tf1mem.hooks.wrappers import put, put_around, put_around_once
from tf1mem.v1 import _keras_alone_optimizers
from tf1mem.v1._keras_package import keras_file
from tf1mem.v1._namespace import ROOT

# Lists of a model's losses and updates, which programs empty.
_LISTS = ("_losses", "_per_input_losses", "_updates", "_per_input_updates")

# Attributes of Keras's layers that consist of layers, whose weights are theirs.
_PARTS = ("layer", "forward_layer", "backward_layer", "cell", "cells")


def list_as_standalone(keras: Any, layers: list[Any], of_program: Callable[[Any], bool]) -> None:
    """Makes models and layers list and name their variables as standalone Keras did.

    Args:
        keras: The TF1 API of Keras 2.
        layers: Keras's base classes of layers.
        of_program: Returns True for a class of layers that is the program's own.
    """
    for layer in layers:
        put_around_once(layer, "add_weight", _among_the_trainable)
        put_around_once(layer, "__setattr__", functools.partial(_tracking_parts, of_program, keras.layers))
    graphs = keras_file(keras.Model, "engine.training_v1")  # the base class of models in graph mode
    models = [owner for model in (keras.Model, getattr(graphs, "Model", None)) if model for owner in model.__mro__]
    for owner in dict.fromkeys([*models, *layers]):
        if isinstance(vars(owner).get("weights"), property) and hasattr(owner, "_assert_weights_created"):
            put(owner, "weights", property(_with_trainable_first(owner.weights.fget)))
        for name in ("get_weights", "set_weights"):
            if name in vars(owner):
                put_around_once(owner, name, _by_layers)
        if "_make_train_function" in vars(owner):
            put_around_once(owner, "_make_train_function", _in_scope_of_optimizer)
            put_around(owner, "_make_train_function", _updating_what_is_trainable)
    for layer in layers:
        put(layer, "trainable", layer.trainable.setter(_own_trainable(keras.Model, layer.trainable.fset)))
        put(layer, "updates", property(_without_frozen(keras.Model, layer.updates.fget)))


def _among_the_trainable(own: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a layer's `add_weight` that adds a new variable of a graph to the collection of trainable ones."""

    def add_weight(self: Any, *args: Any, **kwargs: Any) -> Any:
        variable = own(self, *args, **kwargs)
        tf = import_module(ROOT)
        graph = tf.get_default_graph()
        every, trainable = (
            graph.get_collection_ref(name) for name in (tf.GraphKeys.GLOBAL_VARIABLES, tf.GraphKeys.TRAINABLE_VARIABLES)
        )
        # A variable that was only looked up isn't the last one.
        if every and every[-1] is variable and not (trainable and trainable[-1] is variable):
            trainable.append(variable)
        return variable

    return add_weight


def _tracking_parts(
    of_program: Callable[[Any], bool], layers: Any, own: Callable[[Any, str, Any], None]
) -> Callable[[Any, str, Any], None]:
    """Returns a layer's `__setattr__` that takes nothing for weights of a program's layer but the parts of a container.

    Args:
        of_program: Returns True for a class of layers that is the program's own.
        layers: Keras's namespace of layers.
        own: TensorFlow 2's method.
    """

    def __setattr__(self: Any, name: str, value: Any) -> None:  # noqa: N807
        kind = type(self)
        is_part = name in _PARTS and issubclass(kind, (layers.Wrapper, layers.RNN, layers.StackedRNNCells))
        if (name in _LISTS or (not is_part and of_program(kind))) and not hasattr(kind, name):
            object.__setattr__(self, name, value)
        else:
            own(self, name, value)

    return __setattr__


class _Listing(threading.local):
    """The model whose weights a thread lists by layers; None if it lists none so."""

    model: Any = None


_listing = _Listing()


def _with_trainable_first(own: Callable[[Any], list[Any]]) -> Callable[[Any], list[Any]]:
    """Returns the function of `Model.weights` that lists trainable weights first.

    Args:
        own: The function of TensorFlow 2's property, which lists weights by layers.
    """

    def weights(self: Any) -> list[Any]:
        """The model's weights: the trainable ones, and then the others."""
        by_layers = own(self)  # raises an error if the model isn't built
        if _listing.model is self:
            return by_layers
        ordered = {id(weight): weight for weight in (*self.trainable_weights, *self.non_trainable_weights, *by_layers)}
        return list(ordered.values())

    return weights


def _by_layers(own: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a model's `get_weights` or `set_weights`, for which `weights` goes by layers."""

    def with_weights_by_layers(self: Any, *args: Any, **kwargs: Any) -> Any:
        before, _listing.model = _listing.model, self
        try:
            return own(self, *args, **kwargs)
        finally:
            _listing.model = before

    return with_weights_by_layers


def _in_scope_of_optimizer(own: Callable[[Any], None]) -> Callable[[Any], None]:
    """Returns a model's `_make_train_function` that makes the optimizer's variables in a scope of its class."""

    def _make_train_function(self: Any) -> None:
        optimizer = self.optimizer
        if not isinstance(optimizer, _keras_alone_optimizers.optimizers()["Optimizer"]):
            return own(self)
        get_updates = optimizer.get_updates

        def in_scope(*args: Any, **kwargs: Any) -> Any:
            with import_module(ROOT).keras.backend.name_scope(type(optimizer).__name__):
                return get_updates(*args, **kwargs)

        put(optimizer, "get_updates", in_scope)
        try:
            return own(self)
        finally:
            del optimizer.get_updates  # uncovers the method of its class

    return _make_train_function


def _updating_what_is_trainable(own: Callable[[Any], None]) -> Callable[[Any], None]:
    """Returns a model's `_make_train_function` by which layers that aren't trainable now update nothing."""

    def _make_train_function(self: Any) -> None:
        vars(self)["_compiled_trainable_state"] = self._get_trainable_state()  # an attribute would be tracked
        return own(self)

    return _make_train_function


def _own_trainable(model: Any, own: Callable[[Any, bool], None]) -> Callable[[Any, bool], None]:
    """Returns the setter of `trainable` that leaves the layers of a model as they are.

    Args:
        model: Keras's class of models.
        own: TensorFlow 2's setter, which also sets the layers inside.
    """

    def trainable(self: Any, value: bool) -> None:
        if isinstance(self, model):
            self._trainable = value
        else:
            own(self, value)

    return trainable


def _without_frozen(model: Any, own: Callable[[Any], list[Any]]) -> Callable[[Any], list[Any]]:
    """Returns the function of a layer's `updates` that leaves out those in models that aren't trainable.

    Args:
        model: Keras's class of models.
        own: TensorFlow 2's function.
    """

    def updates(self: Any) -> list[Any]:
        """The updates of the layer and of those inside that are trainable, or stateful."""
        if not hasattr(self, "_flatten_layers"):
            return own(self)  # older ones ask each model, and leave them out
        frozen = [each for each in self._flatten_layers() if isinstance(each, model) and not each.trainable]
        hidden = {id(layer): layer for each in frozen for layer in each._flatten_layers()}
        states = [(layer, layer._trainable) for layer in hidden.values()]
        for layer, _ in states:
            layer._trainable = False
        try:
            return own(self)
        finally:
            for layer, state in states:
                layer._trainable = state

    return updates
