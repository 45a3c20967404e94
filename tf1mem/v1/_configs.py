"""Wraps TensorFlow's classes and functions so that the ConfigProto they take goes through `apply`."""

from __future__ import annotations

import abc
import functools
import inspect
from typing import Any, Callable

from tf1mem.applying.apply import apply_to_session, config_for_sessions, report
from tf1mem.applying.pending import apply_pending


def session_config(config: Any, alone: bool = True) -> Any:
    """Applies a config, and returns the ConfigProto to pass to TensorFlow in its place.

    Args:
        config: Any form of config; None if the program passes none.
        alone: True if the config is for one Session only; False if eager ops use the config, too.

    Returns:
        A ConfigProto. If `config` is None: a ConfigProto with the settings applied earlier; or None if TensorFlow uses
        these settings anyway.
    """
    if config is not None:
        return apply_to_session(config, alone)
    apply_pending()
    return config_for_sessions()


def anything_applied() -> bool:
    """Returns True if settings are in force in this process.

    Pending settings, from the environment or a file, are applied first: a program without a config gets these settings.
    """
    apply_pending()
    return bool(report().steps)


def config_in_force() -> Any:
    """Returns a ConfigProto with the applied settings, for a Session that would get TensorFlow's own default."""
    config = config_for_sessions()
    if config is not None:
        return config
    from tensorflow.python.eager import context

    # TensorFlow 1.14 and later use this for a Session without a config (client/session.py).
    config = context.context().config
    copy = type(config)()
    copy.CopyFrom(config)
    return copy


def with_config(function: Callable[..., Any], parameter: str = "config") -> Callable[..., Any]:
    """Returns a TensorFlow function, wrapped so that its config argument goes through `apply`.

    Args:
        function: TensorFlow's function. The argument's position is read from its signature, which differs by version.
        parameter: Name of the config argument.

    Raises:
        TypeError: The function has no such argument.
    """
    signature = inspect.signature(function)
    if parameter not in signature.parameters:
        raise TypeError(f"{function} has no parameter {parameter}")

    @functools.wraps(function)
    def applying_first(*args: Any, **kwargs: Any) -> Any:
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError:
            return function(*args, **kwargs)  # wrong arguments: TensorFlow raises the error that programs know
        config = session_config(bound.arguments.get(parameter))
        if config is not None:
            bound.arguments[parameter] = config
        return function(*bound.args, **bound.kwargs)

    return applying_first


def overlay_class(base: Any, module: str, body: dict[str, Any]) -> Any:
    """Returns a subclass of a TensorFlow class, to use in its place.

    Objects of TensorFlow's own class count as instances of the subclass, because programs test
    `isinstance(sess, tf.Session)` on Sessions that TensorFlow itself has made.

    Args:
        base: TensorFlow's class.
        module: The `__module__` of the subclass, a namespace below tf1mem.v1, for pickling and help().
        body: Name -> method or attribute that the subclass overrides.
    """

    def subclasshook(cls: Any, candidate: type) -> Any:
        return issubclass(candidate, base) if cls is subclass else NotImplemented

    body = dict(
        body,
        __module__=module,
        __qualname__=base.__qualname__,
        __doc__=base.__doc__,
        __subclasshook__=classmethod(subclasshook),
    )
    meta: Any = type(base)
    if not issubclass(meta, abc.ABCMeta):
        # A plain ABCMeta, so that programs can still mix in abstract base classes.
        meta = abc.ABCMeta if meta is type else type(meta.__name__, (abc.ABCMeta, meta), {})
    subclass = meta(base.__name__, (base,), body)
    return subclass
