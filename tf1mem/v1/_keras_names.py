"""Gives Keras's variables TensorFlow 1's names, on TensorFlow 2, so that TensorFlow 1's checkpoints can be restored.

TensorFlow 1 built and called a recurrent layer's cell in the layer's scope: `lstm/kernel`. TensorFlow 2 gives the cell
a scope, `lstm/lstm_cell/kernel`. It also splits a class name into words differently, for the default name of a layer.
"""

from __future__ import annotations

import functools
import inspect
import operator
import re
import threading
from typing import Any, Callable, Iterable

from tf1mem.hooks.wrappers import put_around
from tf1mem.machine.modules import loaded_module
from tf1mem.v1._keras_package import keras_file


@functools.lru_cache(maxsize=None)
def keep(keras: Any) -> None:
    """Makes Keras 2's layers name their variables as TensorFlow 1 did.

    Args:
        keras: The TF1 API of Keras 2.
    """
    for recurrent in (keras.layers.RNN, keras.layers.StackedRNNCells):
        put_around(recurrent, "build", _builds_cells_as_parts)
        put_around(recurrent, "call", _calls_cells_as_parts)
    for file in ("utils.generic_utils", "engine.base_layer", "engine.base_layer_v1"):
        module = keras_file(keras.Model, file)
        if module is not None and module.to_snake_case("AB1") != "a_b1":
            put_around(module, "to_snake_case", _with_tf1_words)


def _builds_cells_as_parts(build: Callable[..., None]) -> Callable[..., None]:
    """Returns a recurrent layer's `build`, wrapped so that its cells are built in the layer's name scope."""

    def wrapped(self: Any, *args: Any, **kwargs: Any) -> Any:
        ops: Any = loaded_module("python.framework.ops")
        if ops.executing_eagerly_outside_functions() and hasattr(getattr(self, "cell", self), "cells"):
            return build(self, *args, **kwargs)  # Outside a graph, names of stacked cells would collide.
        scope = ops.get_name_scope()

        def in_scope(cell: Any) -> Callable[..., None]:
            build = cell.build

            def build_in_scope(*args: Any, **kwargs: Any) -> None:
                with ops.name_scope_v2(scope + "/" if scope else ""):
                    build(*args, **kwargs)

            return build_in_scope

        return _with_cells(self, "build", in_scope, functools.partial(build, self, *args, **kwargs))

    return wrapped


def _calls_cells_as_parts(call: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a recurrent layer's `call`, wrapped so that it runs its cells' `call` without their name scopes."""

    def wrapped(self: Any, *args: Any, **kwargs: Any) -> Any:
        act = functools.partial(call, self, *args, **kwargs)
        return _with_cells(self, "__call__", operator.attrgetter("call"), act)

    wrapped.__signature__ = inspect.signature(call)  # type: ignore[attr-defined]  # Keras inspects it.
    return wrapped


_LOCK = threading.Lock()
# (id of a cell, name of a replaced method) -> the cell's attribute before, or None; one entry for each open call.
_under_way: dict[tuple[int, str], list[Any]] = {}


def _with_cells(layer: Any, name: str, make: Callable[[Any], Callable[..., Any]], act: Callable[[], Any]) -> Any:
    """Replaces a method of a layer's cells, calls `act`, restores the method, and returns the result of `act`.

    The replacement holds in all threads. The lock isn't held during `act`: there, threads of several replicas that
    build the same layer wait for each other.

    Args:
        layer: The recurrent layer, or stack of cells.
        name: Name of the method.
        make: Returns the replacement for a cell.
        act: Builds or calls the layer.
    """
    cells = [(vars(cell), (id(cell), name), cell) for cell in _cells(layer)]
    with _LOCK:
        for names, key, cell in cells:
            attributes = _under_way.setdefault(key, [])
            attributes.append(names.get(name))
            if len(attributes) == 1:
                names[name] = make(cell)  # in __dict__, because Keras tracks attributes that are set
    try:
        return act()
    finally:
        with _LOCK:
            for names, key, _ in cells:
                before = _under_way[key].pop()
                if not _under_way[key]:
                    del names[name], _under_way[key]
                    if before is not None:
                        names[name] = before


def _cells(layer: Any) -> Iterable[Any]:
    """Returns the cells of a recurrent layer or of a stack of cells that are layers themselves, each once."""
    cells = [layer.cell] if hasattr(layer, "cell") else layer.cells
    return {id(cell): cell for cell in cells if hasattr(cell, "build") and hasattr(cell, "call")}.values()


def _with_tf1_words(to_snake_case: Callable[[str], str]) -> Callable[[str], str]:
    """Returns a `to_snake_case` that keeps digits with the capital before them: ConvLSTM2D becomes conv_lst_m2d."""

    def with_tf1_words(name: str) -> str:
        for word in ("(.)([A-Z][a-z0-9]+)", "([a-z])([A-Z])"):
            name = re.sub(word, r"\1_\2", name)
        return to_snake_case(name.lower())

    return with_tf1_words
