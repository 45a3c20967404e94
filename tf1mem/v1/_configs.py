"""Taking the config of a TensorFlow class or function through `apply`."""

from __future__ import annotations

import abc
import functools
import inspect
from typing import Any, Callable

from tf1mem.applying.apply import apply_to_session, report, session_default
from tf1mem.applying.pending import apply_pending


def session_config(config: Any, alone: bool = True) -> Any:
    """Applies a config, and returns what TensorFlow is to be given in its place.

    Args:
        config: Any form of config, or None where the program gave none.
        alone: Whether it is for this Session alone; otherwise eager ops live under it too.

    Returns:
        A ConfigProto. Without a config: the one that carries what was applied before, or None if TensorFlow finds
        that by itself.
    """
    if config is not None:
        return apply_to_session(config, alone)
    apply_pending()
    return session_default()


def anything_applied() -> bool:
    """Returns True if this process lives under settings, a program's or those that are kept ready for one without any.

    The latter are applied now.
    """
    apply_pending()
    return bool(report().steps)


def in_force() -> Any:
    """A ConfigProto with what was applied, for a Session that TensorFlow would give a config of its own."""
    config = session_default()
    if config is not None:
        return config
    from tensorflow.python.eager import context

    # What TensorFlow 1.14 and later take for a Session without a config (client/session.py).
    config = context.context().config
    copy = type(config)()
    copy.CopyFrom(config)
    return copy


def with_config(function: Callable[..., Any], parameter: str = "config") -> Callable[..., Any]:
    """TensorFlow's function, with the config among its arguments taken through `apply`.

    The argument is found by the function's own signature, which differs between versions.
    """
    signature = inspect.signature(function)
    if parameter not in signature.parameters:
        raise TypeError(f"{function} has no parameter {parameter}")

    @functools.wraps(function)
    def applying_first(*args: Any, **kwargs: Any) -> Any:
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError:
            return function(*args, **kwargs)  # Called wrongly: TensorFlow says so best.
        config = session_config(bound.arguments.get(parameter))
        if config is not None:
            bound.arguments[parameter] = config
        return function(*bound.args, **bound.kwargs)

    return applying_first


def overlay_class(base: Any, module: str, body: dict[str, Any]) -> Any:
    """A subclass of a TensorFlow class that stands in its place.

    Objects that TensorFlow itself makes of its own class are instances of it too, because programs ask
    `isinstance(sess, tf.Session)` about Sessions from anywhere.

    Args:
        base: TensorFlow's class.
        module: Where the class is found, under tf1mem.v1, for pickling and help().
        body: What it does differently.
    """

    def subclasshook(cls: Any, candidate: type) -> Any:
        return issubclass(candidate, base) if cls is made else NotImplemented

    body = dict(
        body,
        __module__=module,
        __qualname__=base.__qualname__,
        __doc__=base.__doc__,
        __subclasshook__=classmethod(subclasshook),
    )
    meta: Any = type(base)
    if not issubclass(meta, abc.ABCMeta):
        # Not a metaclass of ours, so that programs can still mix in abstract base classes.
        meta = abc.ABCMeta if meta is type else type(meta.__name__, (abc.ABCMeta, meta), {})
    made = meta(base.__name__, (base,), body)
    return made
