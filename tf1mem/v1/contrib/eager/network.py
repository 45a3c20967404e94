# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Networks of layers, as eager execution had them before Keras's models."""

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

# Graph -> scope -> how often a name was taken there by networks that are in no other.
_taken: Any = weakref.WeakKeyDictionary()


def _unique(name: str, counts: _Counts, avoid: Any) -> str:
    """The name, with the first number that makes it another than all before."""
    while True:
        found = f"{name}_{counts[name]}" if counts[name] else name
        counts[name] += 1
        if found not in avoid:
            return found


def _snake_case(name: str) -> str:
    found = re.sub(r"([a-z])([A-Z])", r"\1_\2", re.sub(r"(.)([A-Z][a-z0-9]+)", r"\1_\2", name)).lower()
    return "private" + found if found.startswith("_") else found


def _scope_counts() -> Any:
    from tensorflow.python.ops import variable_scope

    return dict(variable_scope.get_variable_scope_store().variable_scopes_count)


def _scope_in(around: Any, name: str) -> Any:
    """A new scope of a name, with a number where it is taken."""
    with tf.variable_scope(around), tf.variable_scope(None, use_resource=True, default_name=name) as scope:
        return scope


class Network:
    """Layers that are called together; what derives from it tracks its layers, and has `call`.

    Args:
        name: Of its variables' scope; its class's by default, with a number where that is taken.

    Raises:
        ValueError: The name is a scope, or has a slash.
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
        self._parent: Any = None  # a weak reference; None until it is known, False for none
        self._scope: Any = None
        self._scope_around = tf.get_variable_scope()
        self._scopes_before = _scope_counts()
        self.built = False

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the layers.

        Args:
            *args: What `call` takes.
            **kwargs: The same.
        """
        self._set_scope()
        reuse = True if self.built else None
        with tf.variable_scope(self._scope, reuse=reuse, auxiliary_name_scope=False) as scope, tf.name_scope(
            scope.original_name_scope
        ):
            found = self.call(*args, **kwargs)
        self.built = True
        return found

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """What the network computes."""
        raise NotImplementedError

    @property
    def name(self) -> str:
        """Its name.

        Raises:
            ValueError: It has none yet: it is neither tracked nor called.
        """
        if self._name is None:
            raise ValueError(
                "name: the network has none yet. Call the network, or give it to another network's track_layer, first."
            )
        return self._name

    @property
    def scope_name(self) -> str:
        """Its variables' scope.

        Raises:
            ValueError: It has none yet.
        """
        if self._scope is None:
            raise ValueError(f"No name available for layer scope because the layer {self._name} has not been used yet.")
        return str(self._scope.name)

    def _finalize_name(self, parent: Network | None) -> None:
        if not self._name:
            if parent is not None:
                counts, avoid = parent._counts, parent._owned
            else:
                scopes = _taken.setdefault(tf.get_default_graph(), {})
                counts = scopes.setdefault(self._scope_around.name, defaultdict(int))
                around = self._scope_around.name + "/" if self._scope_around.name else ""
                avoid = {name[len(around) :]: 1 for name in self._scopes_before if name and name.startswith(around)}
            self._name = _unique(_snake_case(type(self).__name__), counts, avoid)
        if self._parent is None or (self._parent and self._parent() is None):
            self._parent = False if parent is None else weakref.ref(parent)

    def _set_scope(self) -> None:
        """Makes its variables' scope, and those of its layers, the first time."""
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
        """Has a layer's variables counted among the network's, and returns the layer.

        Args:
            layer: A tf.layers.Layer, or a Network.

        Raises:
            RuntimeError: `Network.__init__` wasn't called.
            TypeError: It is neither.
            ValueError: There is one of its name already.
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
                if layer._name != layer._base_name:  # its name was made of its class's
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
        """A layer.

        Args:
            name: Its name, or
            index: its number, in the order in which they were tracked.

        Raises:
            ValueError: Both are given, or none, or there is no such layer.
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
        return [found for layer in self._layers for found in getattr(layer, attribute)]

    @property
    def layers(self) -> list[Any]:
        """Its layers."""
        return self._layers

    @property
    def losses(self) -> list[Any]:
        """Its layers' losses."""
        return self._of_layers("losses")

    @property
    def weights(self) -> list[Any]:
        """Its layers' variables."""
        return self._of_layers("weights")

    @property
    def trainable_weights(self) -> list[Any]:
        """Those that are trained."""
        return self._of_layers("trainable_weights")

    @property
    def non_trainable_weights(self) -> list[Any]:
        """Those that are not."""
        return self._of_layers("non_trainable_weights")

    variables = weights
    trainable_variables = trainable_weights
    non_trainable_variables = non_trainable_weights

    @property
    def trainable(self) -> bool:
        """True."""
        return True

    @trainable.setter
    def trainable(self, value: bool) -> None:
        if not value:
            raise AttributeError("cannot mark Network as not trainable")

    def add_variable(self, *args: Any, **kwargs: Any) -> Any:
        """Is not for a Network, whose variables are its layers'."""
        raise RuntimeError("add_variable not supported in Network class: make the variable in a layer")

    def add_loss(self, *args: Any, **kwargs: Any) -> Any:
        """Is not for a Network, whose losses are its layers'."""
        raise RuntimeError("add_loss is not supported in Network class: add the loss in a layer")


class Sequential(Network):
    """Layers and functions, each called with what the one before it returned.

    Args:
        layers_funcs: The layers and functions.
        name: Of its variables' scope.
    """

    def __init__(self, layers_funcs: Any = None, name: str | None = None) -> None:
        super().__init__(name=name)
        self._steps: list[tuple[bool, Any]] = []
        for each in layers_funcs or ():
            self.add(each)

    def add(self, layer_func: Any) -> None:
        """Adds a layer or function.

        Raises:
            TypeError: It is neither.
        """
        if isinstance(layer_func, (Network, tf.layers.Layer)):
            self.track_layer(layer_func)
            called = layer_func.call
        elif callable(layer_func):
            called = layer_func
        else:
            raise TypeError(
                "Sequential.add() takes only tf.layers.Layer objects or callables; "
                f"not '{layer_func}' of type '{type(layer_func)}'."
            )
        self._steps.append(("training" in inspect.signature(called).parameters, layer_func))

    def call(self, inputs: Any, training: Any = None) -> Any:
        """Calls one after the other.

        Args:
            inputs: What the first is called with.
            training: What those get that take `training`.
        """
        for takes_training, step in self._steps:
            inputs = step(inputs, training) if takes_training and training is not None else step(inputs)
        return inputs


def _session() -> Any:
    return None if tf.executing_eagerly() else tf.get_default_session()


def _shared_name(variable: Any) -> str:
    return str(variable.name.rpartition(":")[0])


def _map_of(network: Network, map_func: Callable[[str], str] | None) -> Callable[[str], str]:
    """The names in a checkpoint: by default without the network's own scope."""
    prefix = network.scope_name + "/"
    return map_func or (lambda name: name[len(prefix) :] if name.startswith(prefix) else name)


def _named(network: Network, map_func: Callable[[str], str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for variable in network.variables:
        name = map_func(_shared_name(variable))
        if found.setdefault(name, variable) is not variable:
            raise ValueError(
                f"Two variables of the Network '{network.name}' get the name '{name}' in the checkpoint, "
                f"'{_shared_name(found[name])}' and '{_shared_name(variable)}'. Give a map_func, such as lambda n: n."
            )
    return found


def save_network_checkpoint(
    network: Network, save_path: str, global_step: Any = None, map_func: Callable[[str], str] | None = None
) -> Any:
    """Writes a network's variables to a checkpoint, and returns its path.

    Args:
        network: The network.
        save_path: What the path begins with, or a folder.
        global_step: A number for its end; the global step by default, if there is one.
        map_func: Turns a variable's name into that in the checkpoint; without the network's scope by default.

    Raises:
        ValueError: The network was never called, or two variables would have one name.
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
    """Reads a checkpoint into a network's variables, those too that it will make.

    Args:
        network: The network.
        save_path: The checkpoint's path, or its folder.
        map_func: What it was saved with.

    Raises:
        ValueError: Two variables would have one name.
    """
    network._finalize_name(None)
    network._set_scope()
    to_name = _map_of(network, map_func)
    if os.path.isdir(save_path):
        save_path = os.path.join(save_path, network.name.replace("/", "_"))
    there = _named(network, to_name)
    if there:
        tf.train.Saver(var_list=there).restore(sess=_session(), save_path=save_path)
    reader = tf.train.load_checkpoint(save_path)
    names = set(reader.get_variable_to_shape_map()) - set(there)
    if names:
        _restore_later(network, to_name, {name: reader.get_tensor(name) for name in names}, _session())


def _restore_later(network: Network, to_name: Callable[[str], str], values: dict[str, Any], session: Any) -> None:
    """Has variables of these names begin with these values."""

    def over(before: Any) -> Callable[..., Any]:
        def getter(getter: Any, name: str, *args: Any, **kwargs: Any) -> Any:
            make = getter if before is None else lambda *a, **k: before(getter, *a, **k)
            value = values.pop(to_name(name), None)
            if value is None or isinstance(kwargs.get("initializer"), np.ndarray):  # of a restoring after this one
                return make(name, *args, **kwargs)
            kwargs.update(initializer=np.asarray(value), shape=None)
            variable = make(name, *args, **kwargs)
            if session is not None:
                session.run(variable.initializer)
            return variable

        return getter

    for layer in network.layers:
        if isinstance(layer, Network):
            layer._set_scope()
            _restore_later(layer, to_name, values, session)
        elif not layer.built:
            network._set_scope_of(layer)
            layer._scope.set_custom_getter(over(layer._scope.custom_getter))
