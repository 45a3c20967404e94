# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""Scopes that give functions default arguments, by tf.contrib.framework."""

from __future__ import annotations

import inspect
from contextlib import contextmanager
from typing import Any, Callable, Dict, Iterator, TypeVar

from tensorflow.python.util import tf_decorator

_Function = TypeVar("_Function", bound=Callable[..., Any])
# The key of a function -> the keyword arguments that it is given.
Scope = Dict[str, Dict[str, Any]]

_scopes: list[Scope] = [{}]
# The key of every function that scopes may be made for -> the arguments that they can set.
_settable: dict[str, tuple[str, ...]] = {}


def current_arg_scope() -> Scope:
    """The arguments in force: the key of a function -> its keyword arguments."""
    return _scopes[-1]


def arg_scope_func_key(op: Callable[..., Any]) -> str:
    """The key that a function has in a scope, the same for what `add_arg_scope` made of it."""
    return getattr(op, "_key_op", str(op))


@contextmanager
def arg_scope(list_ops_or_scope: Any, **kwargs: Any) -> Iterator[Scope]:
    """Gives functions default arguments as long as the block lasts.

    Args:
        list_ops_or_scope: A list or tuple of functions, each one `add_arg_scope`'s; or a scope, to be in force alone.
        **kwargs: The arguments, for every function of the list.

    Raises:
        TypeError: What is given is no list, tuple or scope.
        ValueError: A function isn't `add_arg_scope`'s, or a scope is given together with arguments.
    """
    if isinstance(list_ops_or_scope, dict):
        if kwargs:
            raise ValueError("arg_scope of a whole scope takes no arguments: give them in an arg_scope inside it")
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
    """A decorator: the function may be used in `arg_scope`."""
    key = arg_scope_func_key(func)

    def func_with_args(*args: Any, **kwargs: Any) -> Any:
        return func(*args, **{**current_arg_scope().get(key, {}), **kwargs})

    _settable[key] = _keywords(func)
    func_with_args._key_op = key  # type: ignore[attr-defined]
    decorated: _Function = tf_decorator.make_decorator(func, func_with_args)
    return decorated


def _keywords(func: Callable[..., Any]) -> tuple[str, ...]:
    """The names of the arguments that have defaults; of all where none has, as TensorFlow 1 counts."""
    parameters = inspect.signature(func).parameters.values()
    names = [each for each in parameters if each.kind is each.POSITIONAL_OR_KEYWORD]
    return tuple(each.name for each in names if each.default is not each.empty) or tuple(each.name for each in names)


def has_arg_scope(func: Callable[..., Any]) -> bool:
    """Whether a function is decorated with `add_arg_scope`."""
    return arg_scope_func_key(func) in _settable


def arg_scoped_arguments(func: Callable[..., Any]) -> tuple[str, ...]:
    """The names of the arguments that `arg_scope` can set for a function, which `add_arg_scope` has decorated."""
    assert has_arg_scope(func)
    return _settable[arg_scope_func_key(func)]
