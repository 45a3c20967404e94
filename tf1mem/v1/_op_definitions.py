"""Definitions of ops as TensorFlow 1 kept them in Python: OpDefLibrary, and the registry of all definitions.

Some programs contain Python wrappers of ops that TensorFlow 1 generated. Such a wrapper adds its ops' definitions to an
OpDefLibrary, and creates ops by the library's `apply_op`. Newer TensorFlows keep definitions only in C++; here
`apply_op` uses those.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from typing import Any, Dict, Iterator, Mapping, NamedTuple


class OpInfo(NamedTuple):
    """An entry of an OpDefLibrary.

    Attributes:
        op_def: The op's OpDef.
    """

    op_def: Any


class OpDefLibrary:
    """Definitions of ops; `apply_op` adds such an op to the graph."""

    def __init__(self) -> None:
        self._ops: Dict[str, OpInfo] = {}

    def add_op(self, op_def: Any) -> None:
        """Adds a definition.

        Args:
            op_def: An OpDef.

        Raises:
            TypeError: `op_def` is no OpDef, or an argument's type isn't defined by exactly one attr or field.
            ValueError: The OpDef has no name.
            RuntimeError: The library has a definition of that name.
        """
        if not isinstance(op_def, _message("OpDef")):
            raise TypeError(f"{op_def} is {type(op_def)}, not an op_def_pb2.OpDef")
        if not op_def.name:
            raise ValueError(f"{op_def} missing name.")
        if op_def.name in self._ops:
            raise RuntimeError(f"Op name {op_def.name} registered twice.")
        for arg in [*op_def.input_arg, *op_def.output_arg]:
            _check(op_def, arg)
        self._ops[op_def.name] = OpInfo(op_def)

    def add_op_list(self, op_list: Any) -> None:
        """Adds all definitions of an OpList.

        Raises:
            TypeError: `op_list` is no OpList, or `add_op` refuses a definition.
            ValueError, RuntimeError: `add_op` refuses a definition.
        """
        _check_list(op_list)
        for op_def in op_list.op:
            self.add_op(op_def)

    def apply_op(self, op_type_name: str, name: str | None = None, **keywords: Any) -> Any:
        """Adds an op to the graph.

        Args:
            op_type_name: Type of the op.
            name: Name of the op; its type by default.
            **keywords: Inputs and attrs of the op.

        Returns:
            The op's outputs, in the structure of its definition; the op itself if it has none.

        Raises:
            RuntimeError: This library, or TensorFlow, has no such definition.
            TypeError, ValueError: TensorFlow refuses the inputs or attrs.
        """
        if op_type_name not in self._ops:
            raise RuntimeError("Unrecognized Op name " + op_type_name)
        library: Any = import_module("tensorflow.python.framework.op_def_library")
        return library.apply_op(op_type_name, name, **keywords)


class _Registered(Mapping[str, Any]):
    """Op name → OpDef: C++'s definitions, then those that a program registered and C++ lacks."""

    def __init__(self) -> None:
        self.registered: Dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        registry: Any = import_module("tensorflow.python.framework.op_def_registry")
        op_def = registry.get(name)
        return self.registered[name] if op_def is None else op_def

    def __iter__(self) -> Iterator[str]:
        c_api: Any = import_module("tensorflow.python.client.pywrap_tf_session")
        known = _message("OpList").FromString(c_api.TF_GetBuffer(c_api.TF_GetAllOpList()))
        return iter({op_def.name: None for op_def in [*known.op, *self.registered.values()]})

    def __len__(self) -> int:
        return sum(1 for _ in self)


_REGISTERED = _Registered()


def register_op_list(op_list: Any) -> None:
    """Registers the definitions of an OpList, as TensorFlow 1's op_def_registry.register_op_list did.

    For an op that C++ defines, C++'s definition is used: TensorFlow 1's may lack attrs that were added since.

    Raises:
        TypeError: `op_list` is no OpList.
        ValueError: A different definition of the same name is registered.
    """
    _check_list(op_list)
    for op_def in op_list.op:
        if _REGISTERED.registered.setdefault(op_def.name, op_def) != op_def:
            raise ValueError(
                f"Registered op_def for {op_def.name} ({_REGISTERED.registered[op_def.name]}) not equal to op_def to "
                f"register ({op_def})"
            )


def get_registered_ops() -> Mapping[str, Any]:
    """Returns op name → OpDef, as TensorFlow 1's op_def_registry.get_registered_ops did."""
    return _REGISTERED


@lru_cache(maxsize=None)
def library_of(file: Any) -> OpDefLibrary:
    """Returns the `_op_def_lib` of a file of generated wrappers.

    Args:
        file: The module; an op belongs to it if the module has an attribute of the op's name.
    """
    library = OpDefLibrary()
    for name in _REGISTERED:
        if hasattr(file, name):
            library.add_op(_REGISTERED[name])
    return library


def _check_list(op_list: Any) -> None:
    if not isinstance(op_list, _message("OpList")):
        raise TypeError(f"{op_list} is {type(op_list)}, not an op_def_pb2.OpList")


def _check(op_def: Any, arg: Any) -> None:
    """Raises a TypeError unless an argument's type is defined in exactly one way, by an attr of the right kind."""
    ways = [bool(arg.type), bool(arg.type_attr), bool(arg.type_list_attr)]
    if sum(ways) != 1:
        raise TypeError(f"Arg '{arg.name}' of '{op_def.name}' must have one type field not {sum(ways)}")
    kinds = {attr.name: attr.type for attr in op_def.attr}
    for role, expected in (("type_attr", "type"), ("type_list_attr", "list(type)"), ("number_attr", "int")):
        name = getattr(arg, role)
        if name and name not in kinds:
            raise TypeError(f"Inconsistent OpDef for '{op_def.name}', missing attr '{name}'")
        if name and kinds[name] != expected:
            raise TypeError(f"Attr '{name}' of '{op_def.name}' used as a {role} but has type {kinds[name]}")


def _message(name: str) -> Any:
    return getattr(import_module("tensorflow.core.framework.op_def_pb2"), name)
