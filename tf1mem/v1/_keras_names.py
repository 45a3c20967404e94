"""Keras's variables have TensorFlow 1's names, on TensorFlow 2, so that checkpoints of then are restored.

Recurrent layers built and called their cells as parts of themselves: `lstm/kernel`. Since then a cell has a scope of
its own, `lstm/lstm_cell/kernel`. And a layer without a name has its class's, whose words were told apart otherwise.
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
from tf1mem.v1._namespace import import_or_none


@functools.lru_cache(maxsize=None)
def keep(keras: Any) -> None:
    """Has the variables of Keras 2's layers named as TensorFlow 1 did.

    Args:
        keras: Its TF1 API.
    """
    for recurrent in (keras.layers.RNN, keras.layers.StackedRNNCells):
        put_around(recurrent, "build", _builds_cells_as_parts)
        put_around(recurrent, "call", _calls_cells_as_parts)
    package = keras.Model.__module__.partition(".engine.")[0]
    for file in ("utils.generic_utils", "engine.base_layer", "engine.base_layer_v1"):
        module: Any = import_or_none(f"{package}.{file}")
        if module is not None and module.to_snake_case("AB1") != "a_b1":
            put_around(module, "to_snake_case", _with_tf1_words)


def _builds_cells_as_parts(build: Callable[..., None]) -> Callable[..., None]:
    """Has a layer build its cells in the scope that it is in itself."""

    def of_layer(self: Any, *args: Any, **kwargs: Any) -> Any:
        ops: Any = loaded_module("python.framework.ops")
        if ops.executing_eagerly_outside_functions() and hasattr(getattr(self, "cell", self), "cells"):
            return build(self, *args, **kwargs)  # Only a graph would tell kernel of one cell from that of the next.
        scope = ops.get_name_scope()

        def in_scope(cell: Any) -> Callable[..., None]:
            build = cell.build

            def build_in_scope(*args: Any, **kwargs: Any) -> None:
                with ops.name_scope_v2(scope + "/" if scope else ""):
                    build(*args, **kwargs)

            return build_in_scope

        return _with_cells(self, "build", in_scope, functools.partial(build, self, *args, **kwargs))

    return of_layer


def _calls_cells_as_parts(call: Callable[..., Any]) -> Callable[..., Any]:
    """Has a layer call no more of its cells than `call`."""

    def of_layer(self: Any, *args: Any, **kwargs: Any) -> Any:
        act = functools.partial(call, self, *args, **kwargs)
        return _with_cells(self, "__call__", operator.attrgetter("call"), act)

    of_layer.__signature__ = inspect.signature(call)  # type: ignore[attr-defined]  # Keras asks what `call` takes.
    return of_layer


_LOCK = threading.Lock()
_under_way: dict[tuple[int, str], list[Any]] = {}
"""The id of a cell, and a method that it has another of -> for each call that needs it, what the cell had before."""


def _with_cells(layer: Any, name: str, make: Callable[[Any], Callable[..., Any]], act: Callable[[], Any]) -> Any:
    """What `act` returns, while the cells of a layer have another method, in all threads.

    No lock is held meanwhile: replicas that build a layer of theirs wait for each other in `act`.
    """
    cells = [(vars(cell), (id(cell), name), cell) for cell in _cells(layer)]
    with _LOCK:
        for names, key, cell in cells:
            before = _under_way.setdefault(key, [])
            before.append(names.get(name))
            if len(before) == 1:
                names[name] = make(cell)  # Not set as an attribute, of which Keras would make notes.
    try:
        return act()
    finally:
        with _LOCK:
            for names, key, _ in cells:
                own = _under_way[key].pop()
                if not _under_way[key]:
                    del names[name], _under_way[key]
                    if own is not None:
                        names[name] = own


def _cells(layer: Any) -> Iterable[Any]:
    """The cells of a recurrent layer, or of a stack of cells, that are layers themselves; each once."""
    cells = [layer.cell] if hasattr(layer, "cell") else layer.cells
    return {id(cell): cell for cell in cells if hasattr(cell, "build") and hasattr(cell, "call")}.values()


def _with_tf1_words(to_snake_case: Callable[[str], str]) -> Callable[[str], str]:
    """Counts the digits behind a capital to its word: ConvLSTM2D is conv_lst_m2d."""

    def with_tf1_words(name: str) -> str:
        for word in ("(.)([A-Z][a-z0-9]+)", "([a-z])([A-Z])"):
            name = re.sub(word, r"\1_\2", name)
        return to_snake_case(name.lower())

    return with_tf1_words
