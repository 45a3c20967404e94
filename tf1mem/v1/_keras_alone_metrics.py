"""The lists `metrics_names` and `metrics_tensors` of standalone Keras's models, to which programs append.

A program that appends a name and a tensor to a compiled model sees the tensor's value among the metrics of each batch
and epoch. `tf.keras` makes the list of names anew with each look at it, and has no list of tensors.
"""

from __future__ import annotations

from typing import Any, Callable

from tf1mem.hooks.wrappers import give, put, put_around
from tf1mem.v1._keras_alone_loops import OF_BATCH


class _Appended:
    """The names and tensors that a program has appended to a model since it was compiled."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.tensors: list[Any] = []


class _List(list):  # type: ignore[type-arg]  # Python 3.7 has no list[Any] at run time
    """A list of all names or tensors of a model, which keeps what is appended."""

    def __init__(self, own: list[Any], appended: list[Any]) -> None:
        super().__init__([*own, *appended])
        self._appended = appended

    def append(self, value: Any) -> None:
        """Appends a value, for the model, too."""
        self.extend([value])

    def extend(self, values: Any) -> None:
        """Appends values, for the model, too."""
        values = list(values)
        super().extend(values)
        self._appended.extend(values)

    def __iadd__(self, values: Any) -> Any:  # type: ignore[misc]  # its result can be added to as a list
        self.extend(values)
        return self

    def __copy__(self) -> list[Any]:  # Keras appends to a copy
        return list(self)


class _Metric:
    """A metric, as Keras's loops use it, that is a tensor of the model."""

    def __init__(self, name: str, tensor: Any) -> None:
        self.name, self._call_result = name, tensor
        setattr(self, OF_BATCH, True)

    def reset_states(self) -> None:
        """Does nothing: there is no state."""

    reset_state = reset_states


def append_as_standalone(model_class: Any) -> None:
    """Gives Keras's class of models the two lists; to be called once."""
    give(model_class, {"_tf1mem_appended": _Appended()})  # of models that aren't compiled
    names, metrics = model_class.metrics_names.fget, model_class._get_training_eval_metrics

    def tensors(model: Any) -> list[Any]:
        return [metric._call_result for metric in metrics(model) if hasattr(metric, "_call_result")]

    put_around(model_class, "compile", _compiling)
    put_around(model_class, "_get_training_eval_metrics", _with_appended)
    put(model_class, "metrics_names", _list(names, "names"))
    give(model_class, {"metrics_tensors": _list(tensors, "tensors")})


def _list(own: Callable[[Any], list[Any]], kind: str) -> property:
    """Returns a property of models with one of the two lists.

    Args:
        own: Returns the list of a model without what is appended.
        kind: The attribute of `_Appended`.
    """

    def get(model: Any) -> list[Any]:
        return _List(own(model), getattr(model._tf1mem_appended, kind))

    def set_(model: Any, values: Any) -> None:
        getattr(model._tf1mem_appended, kind)[:] = list(values)[len(own(model)) :]

    return property(get, set_)


def _compiling(own: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a model's `compile`, after which nothing is appended."""

    def compile(self: Any, *args: Any, **kwargs: Any) -> Any:
        self._tf1mem_appended = _Appended()
        return own(self, *args, **kwargs)

    return compile


def _with_appended(own: Callable[..., list[Any]]) -> Callable[..., list[Any]]:
    """Returns a model's `_get_training_eval_metrics` with the appended tensors that have a name."""

    def _get_training_eval_metrics(self: Any) -> list[Any]:
        appended = self._tf1mem_appended
        return own(self) + [_Metric(*each) for each in zip(appended.names, appended.tensors)]

    return _get_training_eval_metrics
