# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Networks of layers, the predecessors of Keras's models in eager execution."""

from __future__ import annotations

import inspect
import os
import re
import weakref
from collections import defaultdict
from typing import Any, Callable, Dict

import numpy as np

import tf1mem.v1 as tf

_Counts = Dict[str, int]

# Graph -> scope -> name -> number of top-level networks with that name.
_name_counts: Any = weakref.WeakKeyDictionary()


def _unique(name: str, counts: _Counts, avoid: Any) -> str:
    """Returns the name, with the first number that makes it unique if it is taken."""
    while True:
        unique_name = f"{name}_{counts[name]}" if counts[name] else name
        counts[name] += 1
        if unique_name not in avoid:
            return unique_name


def _snake_case(name: str) -> str:
    snake = re.sub(r"([a-z])([A-Z])", r"\1_\2", re.sub(r"(.)([A-Z][a-z0-9]+)", r"\1_\2", name)).lower()
    return "private" + snake if snake.startswith("_") else snake


def _scope_counts() -> Any:
    from tensorflow.python.ops import variable_scope

    return dict(variable_scope.get_variable_scope_store().variable_scopes_count)


def _scope_in(around: Any, name: str) -> Any:
    """Creates a scope with a name, and a number if the name is taken."""
    with tf.variable_scope(around), tf.variable_scope(None, use_resource=True, default_name=name) as scope:
        return scope


class Network:
    """Groups layers that are called together, usually on `[batch, ...]` tensors.

    Subclasses call `track_layer` and implement `call`.

    Args:
        name: Name of the variables' scope; the class name by default, with a number if it is taken.

    Raises:
        ValueError: The name is a VariableScope, or contains a slash.
    """

    def __init__(self, name: str | None = None) -> None:
        if isinstance(name, tf.VariableScope):
            raise ValueError("VariableScopes are not valid Network names.")
        if name is not None and "/" in name:
            raise ValueError("Forward slashes ('/') are not allowed in Network names.")
        self._name = name
        self._layers: list[Any] = []
        self._owned: dict[str, Any] = {}
        self._counts: _Counts = defaultdict(int)
        self._parent: Any = None  # a weak reference; None before it is known, False for a top-level network
        self._scope: Any = None
        self._scope_around = tf.get_variable_scope()
        self._scopes_before = _scope_counts()
        self.built = False

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs `call` in the network's scope.

        Args:
            *args: Arguments of `call`.
            **kwargs: Keyword arguments of `call`.
        """
        self._set_scope()
        reuse = True if self.built else None
        with tf.variable_scope(self._scope, reuse=reuse, auxiliary_name_scope=False) as scope, tf.name_scope(
            scope.original_name_scope
        ):
            outputs = self.call(*args, **kwargs)
        self.built = True
        return outputs

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """Computes the network's outputs, tensors of any shape."""
        raise NotImplementedError

    @property
    def name(self) -> str:
        """Returns the name of the network.

        Raises:
            ValueError: The network has no name yet: it was neither tracked nor called.
        """
        if self._name is None:
            raise ValueError(
                "name: the network has none yet. Call the network, or give it to another network's track_layer, first."
            )
        return self._name

    @property
    def scope_name(self) -> str:
        """Returns the name of the variables' scope.

        Raises:
            ValueError: The network has no scope yet.
        """
        if self._scope is None:
            raise ValueError(f"No name available for layer scope because the layer {self._name} has not been used yet.")
        return str(self._scope.name)

    def _finalize_name(self, parent: Network | None) -> None:
        if not self._name:
            if parent is not None:
                counts, avoid = parent._counts, parent._owned
            else:
                scopes = _name_counts.setdefault(tf.get_default_graph(), {})
                counts = scopes.setdefault(self._scope_around.name, defaultdict(int))
                around = self._scope_around.name + "/" if self._scope_around.name else ""
                avoid = {name[len(around) :]: 1 for name in self._scopes_before if name and name.startswith(around)}
            self._name = _unique(_snake_case(type(self).__name__), counts, avoid)
        if self._parent is None or (self._parent and self._parent() is None):
            self._parent = False if parent is None else weakref.ref(parent)

    def _set_scope(self) -> None:
        """Creates the scopes of the network and its layers at the first call."""
        if self._scope is not None:
            return
        parent = self._parent() if self._parent else None
        if parent is None:
            self._finalize_name(None)
            around = self._scope_around
        else:
            parent._set_scope()
            around = parent._scope
        scope = _scope_in(around, self.name)
        prefix, _, leaf = scope.name.rpartition("/")
        if leaf != self.name or f"{around.name}/{self.name}" in self._scopes_before:
            raise ValueError(
                f"A Network named '{self.name}' already exists (or a variable_scope was created with this name). "
                "Names must be unique."
            )
        self._scope = scope
        if parent is None and prefix:
            self._name = scope.name
        for layer in self._layers:
            if not isinstance(layer, Network):
                self._set_scope_of(layer)

    def _set_scope_of(self, layer: Any) -> None:
        if layer._scope is None:
            parent = layer._tfe_parent() if hasattr(layer, "_tfe_parent") else None
            if parent is None:
                raise ValueError(
                    f"The parent of a Layer added to Network {self.name} was garbage collected before the Layer was "
                    "built. Keep the Network that it was added to first."
                )
            parent._set_scope()
            if layer._scope is None:
                layer._scope = _scope_in(parent._scope, layer.name)

    def track_layer(self, layer: Any) -> Any:
        """Adds a layer, whose variables become the network's, and returns it.

        Args:
            layer: A tf.layers.Layer or Network, with variables of any shape.

        Raises:
            RuntimeError: `Network.__init__` wasn't called.
            TypeError: `layer` is neither a layer nor a network.
            ValueError: The network has a layer of that name already.
        """
        if not hasattr(self, "_layers"):
            raise RuntimeError("track_layer: Network.__init__ wasn't called. Call it before the first layer.")
        if not isinstance(layer, (Network, tf.layers.Layer)):
            raise TypeError(f"Network.track_layer() passed type {type(layer)}, not a tf.layers.Layer")
        if isinstance(layer, Network):
            layer._finalize_name(self)
            parent = layer._parent() if layer._parent else None
        else:
            layer._use_resource_variables = True
            if not layer.built and (not hasattr(layer, "_tfe_parent") or layer._tfe_parent() is None):
                if layer._name != layer._base_name:  # its name was derived from its class
                    layer._name = _unique(_snake_case(type(layer).__name__), self._counts, self._owned)
                    layer._base_name = layer._name
                layer._tfe_parent = weakref.ref(self)
            parent = layer._tfe_parent() if hasattr(layer, "_tfe_parent") else None
        if not layer.built and parent is self:
            if self._owned.get(layer.name) is layer:
                return layer
            if layer.name in self._owned:
                raise ValueError(f"Attempt to add two Layers with the name '{layer.name}' to the same Network.")
            self._owned[layer.name] = layer
        self._layers.append(layer)
        return layer

    def get_layer(self, name: str | None = None, index: int | None = None) -> Any:
        """Returns a layer by its name or its index.

        Args:
            name: Name of the layer; excludes `index`.
            index: Index of the layer in the order of `track_layer`.

        Raises:
            ValueError: Both or neither of the arguments are set, or there is no such layer.
        """
        if index is not None:
            if name is not None:
                raise ValueError("Exactly one of 'index' or 'name' must be provided")
            if index >= len(self._layers):
                raise ValueError(
                    f"Was asked to retrieve layer at index {index} but model only has {len(self._layers)} layers."
                )
            return self._layers[index]
        if not name:
            raise ValueError("get_layer: name and index are both missing. Give one of them.")
        for layer in self._layers:
            if layer.name == name:
                return layer
        raise ValueError("No such layer: " + name)

    def _of_layers(self, attribute: str) -> list[Any]:
        return [element for layer in self._layers for element in getattr(layer, attribute)]

    @property
    def layers(self) -> list[Any]:
        """Returns the layers."""
        return self._layers

    @property
    def losses(self) -> list[Any]:
        """Returns the losses of the layers, scalar tensors (shape `[]`)."""
        return self._of_layers("losses")

    @property
    def weights(self) -> list[Any]:
        """Returns the variables of the layers, of any shape."""
        return self._of_layers("weights")

    @property
    def trainable_weights(self) -> list[Any]:
        """Returns the trainable variables of the layers, of any shape."""
        return self._of_layers("trainable_weights")

    @property
    def non_trainable_weights(self) -> list[Any]:
        """Returns the variables of the layers that aren't trainable, of any shape."""
        return self._of_layers("non_trainable_weights")

    variables = weights
    trainable_variables = trainable_weights
    non_trainable_variables = non_trainable_weights

    @property
    def trainable(self) -> bool:
        """Returns True; a network can't be frozen."""
        return True

    @trainable.setter
    def trainable(self, value: bool) -> None:
        if not value:
            raise AttributeError("cannot mark Network as not trainable")

    def add_variable(self, *args: Any, **kwargs: Any) -> Any:
        """Raises an error: the variables of a Network belong to its layers."""
        raise RuntimeError("add_variable not supported in Network class: make the variable in a layer")

    def add_loss(self, *args: Any, **kwargs: Any) -> Any:
        """Raises an error: the losses of a Network belong to its layers."""
        raise RuntimeError("add_loss is not supported in Network class: add the loss in a layer")


class Sequential(Network):
    """Calls layers and functions in turn, each with the output of its predecessor, usually `[batch, ...]`.

    Args:
        layers_funcs: List of layers and functions.
        name: Name of the variables' scope; the class name by default.
    """

    def __init__(self, layers_funcs: Any = None, name: str | None = None) -> None:
        super().__init__(name=name)
        self._steps: list[tuple[bool, Any]] = []
        for each in layers_funcs or ():
            self.add(each)

    def add(self, layer_func: Any) -> None:
        """Adds a layer or function.

        Args:
            layer_func: A tf.layers.Layer, a Network, or a function of one tensor, usually `[batch, ...]`; it may have
                an argument `training`.

        Raises:
            TypeError: `layer_func` is neither a layer nor callable.
        """
        if isinstance(layer_func, (Network, tf.layers.Layer)):
            self.track_layer(layer_func)
            function = layer_func.call
        elif callable(layer_func):
            function = layer_func
        else:
            raise TypeError(
                "Sequential.add() takes only tf.layers.Layer objects or callables; "
                f"not '{layer_func}' of type '{type(layer_func)}'."
            )
        self._steps.append(("training" in inspect.signature(function).parameters, layer_func))

    def call(self, inputs: Any, training: Any = None) -> Any:
        """Returns the output of the last layer, usually `[batch, ...]`.

        Args:
            inputs: Input of the first layer, usually a `[batch, ...]` tensor.
            training: Value for layers with an argument `training`; None leaves it out.
        """
        for takes_training, step in self._steps:
            inputs = step(inputs, training) if takes_training and training is not None else step(inputs)
        return inputs


def _session() -> Any:
    return None if tf.executing_eagerly() else tf.get_default_session()


def _shared_name(variable: Any) -> str:
    return str(variable.name.rpartition(":")[0])


def _map_of(network: Network, map_func: Callable[[str], str] | None) -> Callable[[str], str]:
    """Returns the map from variable names to checkpoint names; by default it removes the network's scope."""
    prefix = network.scope_name + "/"
    return map_func or (lambda name: name[len(prefix) :] if name.startswith(prefix) else name)


def _named(network: Network, map_func: Callable[[str], str]) -> dict[str, Any]:
    named: dict[str, Any] = {}
    for variable in network.variables:
        name = map_func(_shared_name(variable))
        if named.setdefault(name, variable) is not variable:
            raise ValueError(
                f"Two variables of the Network '{network.name}' get the name '{name}' in the checkpoint, "
                f"'{_shared_name(named[name])}' and '{_shared_name(variable)}'. Give a map_func, such as lambda n: n."
            )
    return named


def save_network_checkpoint(
    network: Network, save_path: str, global_step: Any = None, map_func: Callable[[str], str] | None = None
) -> Any:
    """Writes a network's variables to a checkpoint, and returns its path.

    Args:
        network: A network that has been called, with variables of any shape.
        save_path: Prefix of the path, or a folder.
        global_step: Number for the suffix of the path, an int or an integer tensor; the global step by default, if the
            program has a global step.
        map_func: Function from a variable's name to its name in the checkpoint; by default it removes the network's
            scope.

    Returns:
        Path of the checkpoint.

    Raises:
        ValueError: The network was never called, or two variables have the same name in the checkpoint.
    """
    if not network.built:
        raise ValueError(
            "Attempt to save the Network before it was first called. It has no variables yet: call it first."
        )
    if global_step is None:
        global_step = tf.train.get_global_step()
    if os.path.isdir(save_path):
        save_path = os.path.join(save_path, network.name.replace("/", "_"))
    saver = tf.train.Saver(_named(network, _map_of(network, map_func)))
    return saver.save(sess=_session(), save_path=save_path, write_meta_graph=False, global_step=global_step)


def restore_network_checkpoint(network: Network, save_path: str, map_func: Callable[[str], str] | None = None) -> None:
    """Restores a network's variables from a checkpoint, including variables that are created later.

    Args:
        network: The network; its variables must have the shapes of the checkpoint's values.
        save_path: Path of the checkpoint, or its folder.
        map_func: Function from a variable's name to its name in the checkpoint; by default it removes the network's
            scope.

    Raises:
        ValueError: Two variables have the same name in the checkpoint.
    """
    network._finalize_name(None)
    network._set_scope()
    to_name = _map_of(network, map_func)
    if os.path.isdir(save_path):
        save_path = os.path.join(save_path, network.name.replace("/", "_"))
    existing = _named(network, to_name)
    if existing:
        tf.train.Saver(var_list=existing).restore(sess=_session(), save_path=save_path)
    reader = tf.train.load_checkpoint(save_path)
    names = set(reader.get_variable_to_shape_map()) - set(existing)
    if names:
        _restore_later(network, to_name, {name: reader.get_tensor(name) for name in names}, _session())


def _restore_later(network: Network, to_name: Callable[[str], str], values: dict[str, Any], session: Any) -> None:
    """Makes variables that are created later start with a checkpoint's values.

    Args:
        network: The network that creates them.
        to_name: Function from a variable's name to its name in the checkpoint.
        values: Name in the checkpoint -> value; used values are removed.
        session: Session that runs the variables' initializers; None in eager execution.
    """

    def override(custom_getter: Any) -> Callable[..., Any]:
        """Returns a custom getter that initializes variables with `values`, of the same shapes, around another one."""

        def restoring_getter(getter: Any, name: str, *args: Any, **kwargs: Any) -> Any:
            """Returns a new variable, with the checkpoint's value and shape if the checkpoint has its name."""
            make = getter if custom_getter is None else lambda *a, **k: custom_getter(getter, *a, **k)
            value = values.pop(to_name(name), None)
            if value is None or isinstance(kwargs.get("initializer"), np.ndarray):  # a later restore has set it
                return make(name, *args, **kwargs)
            kwargs.update(initializer=np.asarray(value), shape=None)
            variable = make(name, *args, **kwargs)
            if session is not None:
                session.run(variable.initializer)
            return variable

        return restoring_getter

    for layer in network.layers:
        if isinstance(layer, Network):
            layer._set_scope()
            _restore_later(layer, to_name, values, session)
        elif not layer.built:
            network._set_scope_of(layer)
            layer._scope.set_custom_getter(override(layer._scope.custom_getter))
