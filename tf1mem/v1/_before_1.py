"""Names and argument orders that TensorFlow 1.0 removed, for older programs under `tf1mem run`."""

from __future__ import annotations

from functools import partial, wraps
from importlib import import_module
from numbers import Integral
from operator import attrgetter
from typing import Any, Callable

from tf1mem.errors import RemovedSymbolError
from tf1mem.machine.modules import dotted_name
from tf1mem.names import before_1, used_names
from tf1mem.v1._namespace import ROOT, Layer, located

_SIZE = ("height", "width")


def layers(tf: Any) -> dict[str, Layer]:
    """Returns a layer for each namespace in which TensorFlow 1.0 removed a name or changed an argument order.

    Args:
        tf: TensorFlow's TF1 API.
    """
    if not used_names.supplies_names_before_1:
        return {"": Layer({}, missing=_missing), "train": Layer({}, missing=_missing)}
    overlays = {old.namespace: Layer({}, missing=_missing) for old in before_1.OLD_NAMES}
    for path in before_1.REORDERED:
        namespace, _, name = path.rpartition(".")
        factory = partial(_accepting_both_orders, path, tf)
        overlays[namespace] = Layer({**overlays[namespace].names, name: factory}, missing=_missing)
    return overlays


def _missing(dotted: str, name: str) -> Any:
    """Returns a name that TensorFlow 1.0 removed from a namespace; raises an error for other names and programs."""
    path = dotted_name(dotted, name)
    if path not in before_1.TABLE:
        raise AttributeError(f"module {dotted_name(ROOT, dotted)!r} has no attribute {name!r}")
    public = before_1.public(path)
    if not used_names.supplies_names_before_1:
        raise RemovedSymbolError(
            located("tf." + path), "TensorFlow 1.0 removed it", f"Write tf.{public}, or run the program by tf1mem run"
        )
    used_names.record_supplied(path, f"tf.{public} since TensorFlow 1.0")
    value = attrgetter(before_1.TABLE[path])(import_module(ROOT))
    return partial(_call_with_old_arguments, path, value) if path in before_1.ARGUMENTS else value


def _call_with_old_arguments(path: str, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Calls today's function with the argument order and the keywords from before TensorFlow 1.0."""
    order, names = before_1.ARGUMENTS[path]
    return function(**dict(zip(order, args)), **{names.get(name, name): value for name, value in kwargs.items()})


def _accepting_both_orders(path: str, tf: Any) -> Callable[..., Any]:
    """Returns a function that accepts today's argument order, and the older one if the arguments' types show it."""
    order, names = before_1.REORDERED[path]
    current = attrgetter(path)

    @wraps(current(tf))
    def either(*args: Any, **kwargs: Any) -> Any:
        function = current(tf)  # looked up at each call, because the first seed of a graph wraps it
        if not (any(name in kwargs for name in names) or _is_old(path, args)):
            return function(*args, **kwargs)
        arguments = {names.get(name, name): value for name, value in kwargs.items()}
        arguments.update(zip(order, args))
        if _SIZE[0] in arguments:
            arguments["size"] = [arguments.pop(side) for side in _SIZE]
        if path == "reverse" and _are_flags(arguments["axis"]):
            arguments["axis"] = [number for number, is_reversed in enumerate(arguments["axis"]) if is_reversed]
        used_names.record_supplied(path, "its arguments as they were before TensorFlow 1.0")
        return function(**arguments)

    return either


def _is_old(path: str, args: tuple[Any, ...]) -> bool:
    """Returns True if the types of positional arguments fit only the order from before TensorFlow 1.0."""
    if path.endswith("_with_logits"):
        return bool(args) and args[0] is not None  # since 1.0 only keyword arguments are allowed
    if path == "image.resize_images":
        return len(args) > len(_SIZE) and _is_index(args[1]) and _is_index(args[2])
    if path == "reverse":
        return len(args) > 1 and _are_flags(args[1])
    return bool(args) and (_is_index(args[0]) or (path == "concat" and _is_axis_first(args)))


def _is_axis_first(args: tuple[Any, ...]) -> bool:
    """Returns True for `concat(axis, values)`, also if the axis is a tensor and not an integer."""
    return len(args) > 1 and isinstance(args[1], (list, tuple)) and not isinstance(args[0], (list, tuple))


def _is_index(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def _are_flags(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and bool(value) and all(isinstance(flag, bool) for flag in value)
