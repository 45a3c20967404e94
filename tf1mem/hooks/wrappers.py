"""Changes TensorFlow's and Keras's modules, classes and objects: the only functions of tf1mem that do."""

from __future__ import annotations

import functools
import sys
from typing import Any, Callable, Mapping, MutableMapping


def put_around(owner: Any, name: str, make: Callable[[Any], Callable[..., Any]]) -> Callable[[], None]:
    """Puts a function around one of TensorFlow's.

    Args:
        owner: The module or class that has it; where it hasn't, nothing is done.
        name: Its name there.
        make: Given TensorFlow's own, returns the one that takes its place.

    Returns:
        What puts TensorFlow's own back, unless something else has been put around it meanwhile.
    """
    before = getattr(owner, name, None)
    if before is None:
        return lambda: None
    after = functools.wraps(before)(make(before))
    setattr(owner, name, after)
    return lambda: setattr(owner, name, before) if getattr(owner, name) is after else None


def put_around_once(owner: Any, name: str, make: Callable[[Any], Callable[..., Any]]) -> Callable[[], None]:
    """As `put_around`, if tf1mem hasn't yet in this way.

    Returns:
        What puts TensorFlow's own back; nothing to do where an earlier call has done it.
    """
    before = getattr(owner, name)
    if hasattr(before, "tf1mem_default"):
        return lambda: None
    put_around(owner, name, make)
    getattr(owner, name).tf1mem_default = True
    return lambda: setattr(owner, name, before)


def put(owner: Any, name: str, value: Any) -> Callable[[], None]:
    """Sets an attribute of a module, class or object of TensorFlow's.

    Args:
        owner: The module, class or object.
        name: The attribute, which `owner` has.
        value: Its new value.

    Returns:
        A function that puts the old value back, unless something else has been put there meanwhile.

    Raises:
        AttributeError: `owner` has no such attribute.
    """
    before = getattr(owner, name)
    setattr(owner, name, value)
    return lambda: setattr(owner, name, before) if getattr(owner, name) is value else None


def give(owner: Any, values: Mapping[str, Any]) -> None:
    """Gives a module or class of TensorFlow's the attributes that it lacks; those that it has stay.

    Args:
        owner: The module or class.
        values: Attribute -> its value.
    """
    for name, value in values.items():
        if not hasattr(owner, name):
            setattr(owner, name, value)


def take_out(mapping: MutableMapping[Any, Any], key: Any) -> None:
    """Takes an entry out of a dict of TensorFlow's, if it is there."""
    mapping.pop(key, None)


def call_before(owner: Any, name: str, act: Callable[..., None]) -> None:
    """Has `act` called with the arguments of each call of `owner.name`, before it. What it raises is dropped."""

    def noting(original: Any) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            try:
                act(*args, **kwargs)
            except Exception:
                pass  # called wrongly, which TensorFlow says best
            return original(*args, **kwargs)

        return call

    put_around(owner, name, noting)


def put_in_place(others: Mapping[Any, Any]) -> None:
    """Puts functions in the place of TensorFlow's own in every module that is loaded, under whatever name it has them.

    Args:
        others: A function of TensorFlow's -> the one that takes its place.
    """
    by_id = {id(function): other for function, other in others.items()}
    for module in list(sys.modules.values()):
        try:
            # What TensorFlow 1.15 and later show of tf.compat.v1 stands before the module itself.
            names = vars(vars(module).get("_tfmw_wrapped_module", module))
        except TypeError:
            continue
        for name, value in list(names.items()):
            if id(value) in by_id:
                setattr(module, name, by_id[id(value)])


def before_set(owner: Any, name: str, act: Callable[[Any, Any], None]) -> None:
    """Has `act` called with the object and the value, before a property of a class of TensorFlow's is set."""
    own: property = vars(owner)[name]

    def setting(self: Any, value: Any) -> None:
        act(self, value)
        own.__set__(self, value)

    setattr(owner, name, own.setter(setting))
