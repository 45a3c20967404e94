# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Scopes of default arguments (tf.contrib.framework)."""

from __future__ import annotations

import inspect
from contextlib import contextmanager
from typing import Any, Callable, Dict, Iterator, TypeVar

from tensorflow.python.util import tf_decorator

_Function = TypeVar("_Function", bound=Callable[..., Any])
# Key of a function -> its default keyword arguments.
Scope = Dict[str, Dict[str, Any]]

# The scopes around the current block, the innermost last.
_scopes: list[Scope] = [{}]
# Key of each decorated function -> names of the arguments that a scope can set.
_settable: dict[str, tuple[str, ...]] = {}


def current_arg_scope() -> Scope:
    """Returns the current scope: key of a function -> its default keyword arguments, such as {"stride": [2, 2]}."""
    return _scopes[-1]


def arg_scope_func_key(op: Callable[..., Any]) -> str:
    """Returns the key of a function in a scope; the function that `add_arg_scope` returns has the same key.

    Args:
        op: A function, decorated or not.
    """
    return getattr(op, "_key_op", str(op))


@contextmanager
def arg_scope(list_ops_or_scope: Any, **kwargs: Any) -> Iterator[Scope]:
    """Sets default arguments of functions within the block, such as `arg_scope([conv2d], stride=[2, 2])`.

    Args:
        list_ops_or_scope: List or tuple of functions decorated with `add_arg_scope`; or a scope, which replaces the
            current one.
        **kwargs: Default arguments of every function in the list.

    Yields:
        The scope: key of a function -> its default keyword arguments.

    Raises:
        TypeError: `list_ops_or_scope` is no list, tuple or scope.
        ValueError: A function isn't decorated with `add_arg_scope`, or a scope comes with keyword arguments.
    """
    if isinstance(list_ops_or_scope, dict):
        if kwargs:
            raise ValueError("arg_scope of a scope takes no further arguments. Set them in a nested arg_scope")
        scope = list_ops_or_scope.copy()
    elif isinstance(list_ops_or_scope, (list, tuple)):
        scope = current_arg_scope().copy()
        for function in list_ops_or_scope:
            if not has_arg_scope(function):
                name = f"{function.__module__}.{function.__name__}"
                raise ValueError(f"arg_scope of {name}: {name} is not decorated with @add_arg_scope")
            key = arg_scope_func_key(function)
            scope[key] = {**scope.get(key, {}), **kwargs}
    else:
        raise TypeError(f"arg_scope takes a list or tuple of functions, or a scope (a dict): {list_ops_or_scope!r}")
    _scopes.append(scope)
    try:
        yield scope
    finally:
        _scopes.pop()


def add_arg_scope(func: _Function) -> _Function:
    """Decorates a function so that `arg_scope` can set its default arguments.

    Args:
        func: A function. The arguments with defaults can be set, or all if there are none.

    Returns:
        A function of the same arguments.
    """
    key = arg_scope_func_key(func)

    def func_with_args(*args: Any, **kwargs: Any) -> Any:
        """Calls the function with the scope's arguments."""
        return func(*args, **{**current_arg_scope().get(key, {}), **kwargs})

    _settable[key] = _keywords(func)
    func_with_args._key_op = key  # type: ignore[attr-defined]
    decorated: _Function = tf_decorator.make_decorator(func, func_with_args)
    return decorated


def _keywords(func: Callable[..., Any]) -> tuple[str, ...]:
    """Returns the names of the arguments with defaults; of all arguments if there are none, as TensorFlow 1 does."""
    parameters = inspect.signature(func).parameters.values()
    names = [each for each in parameters if each.kind is each.POSITIONAL_OR_KEYWORD]
    return tuple(each.name for each in names if each.default is not each.empty) or tuple(each.name for each in names)


def has_arg_scope(func: Callable[..., Any]) -> bool:
    """Returns True if a function is decorated with `add_arg_scope`."""
    return arg_scope_func_key(func) in _settable


def arg_scoped_arguments(func: Callable[..., Any]) -> tuple[str, ...]:
    """Returns the names of the arguments that `arg_scope` can set for a function decorated with `add_arg_scope`."""
    assert has_arg_scope(func)
    return _settable[arg_scope_func_key(func)]
