"""The only functions of tf1mem that change TensorFlow's and Keras's modules, classes and objects."""

from __future__ import annotations

import functools
import sys
from typing import Any, Callable, Mapping, MutableMapping


def put_around(owner: Any, name: str, make: Callable[[Any], Callable[..., Any]]) -> Callable[[], None]:
    """Wraps a function of TensorFlow.

    Args:
        owner: The module or class with the function; if it lacks the function, nothing happens.
        name: The function's name in `owner`.
        make: Takes TensorFlow's own function, and returns its replacement.

    Returns:
        A function that restores TensorFlow's own, unless it has been wrapped again meanwhile.
    """
    before = getattr(owner, name, None)
    if before is None:
        return lambda: None
    after = functools.wraps(before)(make(before))
    setattr(owner, name, after)
    return lambda: setattr(owner, name, before) if getattr(owner, name) is after else None


def put_around_once(owner: Any, name: str, make: Callable[[Any], Callable[..., Any]]) -> Callable[[], None]:
    """Wraps a function like `put_around`, unless `put_around_once` has wrapped it already.

    Returns:
        A function that restores TensorFlow's own; it does nothing if an earlier call wrapped the function.
    """
    before = getattr(owner, name, None)
    if before is None or hasattr(before, "tf1mem_wrapped"):
        return lambda: None
    put_around(owner, name, make)
    getattr(owner, name).tf1mem_wrapped = True
    return lambda: setattr(owner, name, before)


def put(owner: Any, name: str, value: Any) -> Callable[[], None]:
    """Sets an attribute of a module, class or object of TensorFlow.

    Args:
        owner: The module, class or object.
        name: The attribute, which `owner` has.
        value: The new value.

    Returns:
        A function that restores the old value, unless the attribute has been set again meanwhile.

    Raises:
        AttributeError: `owner` has no such attribute.
    """
    before = getattr(owner, name)
    setattr(owner, name, value)
    return lambda: setattr(owner, name, before) if getattr(owner, name) is value else None


def give(owner: Any, values: Mapping[str, Any]) -> None:
    """Adds the attributes that a module or class of TensorFlow lacks; existing ones stay.

    Args:
        owner: The module or class.
        values: Attribute name -> value.
    """
    for name, value in values.items():
        if not hasattr(owner, name):
            setattr(owner, name, value)


def take_out(mapping: MutableMapping[Any, Any], key: Any) -> None:
    """Removes an entry from a dict of TensorFlow, if it is there."""
    mapping.pop(key, None)


def call_before(owner: Any, name: str, act: Callable[..., None]) -> None:
    """Calls `act` before each call of `owner.name`, with the same arguments; ignores errors of `act`."""

    def noting(original: Any) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            try:
                act(*args, **kwargs)
            except Exception:
                pass  # with wrong arguments TensorFlow raises its own error
            return original(*args, **kwargs)

        return call

    put_around(owner, name, noting)


def replace_everywhere(replacements: Mapping[Any, Any]) -> None:
    """Replaces functions of TensorFlow in every loaded module, under any name.

    Args:
        replacements: A function of TensorFlow -> its replacement.
    """
    by_id = {id(function): other for function, other in replacements.items()}
    for module in list(sys.modules.values()):
        try:
            # From TensorFlow 1.15 on, tf.compat.v1 is a wrapper around the module itself.
            names = vars(vars(module).get("_tfmw_wrapped_module", module))
        except TypeError:
            continue
        for name, value in list(names.items()):
            if id(value) in by_id:
                setattr(module, name, by_id[id(value)])


def name_by_place(function: Any, leaf: str) -> None:
    """Names a function of TensorFlow by the place where pickle can find it, if that isn't its name already.

    A public function may be the inner one of a decorated function, or the decorated one under another name.

    Args:
        function: The function to name.
        leaf: The function's public name.
    """
    names = dict.fromkeys((function.__qualname__, leaf, function.__name__))
    own: Any = sys.modules.get(function.__module__)
    for name in names:
        member: Any = getattr(own, "__dict__", {}).get(name)
        if member is function:
            function.__qualname__ = name
            return
        wrapped: Any = getattr(member, "__wrapped__", None)
        if wrapped is function:
            function.__qualname__ = f"{name}.__wrapped__"
            return
    if "." in function.__qualname__:
        return
    for path, module in list(sys.modules.items()):
        if path.startswith(("tensorflow.python.", "tensorflow_core.python.")):
            for name in names:
                member = getattr(module, "__dict__", {}).get(name)
                if member is function:
                    function.__module__, function.__qualname__ = path, name
                    return


def before_set(owner: Any, name: str, act: Callable[[Any, Any], None]) -> None:
    """Calls `act` with the object and the value before a property of a class of TensorFlow is set."""
    own: property = vars(owner)[name]

    def setting(self: Any, value: Any) -> None:
        act(self, value)
        own.__set__(self, value)

    setattr(owner, name, own.setter(setting))
