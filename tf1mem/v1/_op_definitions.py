"""Definitions of ops as TensorFlow 1 kept them in Python: OpDefLibrary, and the registry of all of them.

Wrappers of ops that TensorFlow 1 generated, and that programs brought along, make such a library of their definitions
and apply ops by it. Newer TensorFlows have them in C++ alone, which `apply_op` asks.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from typing import Any, Dict, Iterator, Mapping, NamedTuple


class OpInfo(NamedTuple):
    """What an OpDefLibrary keeps of an op.

    Attributes:
        op_def: Its OpDef.
    """

    op_def: Any


class OpDefLibrary:
    """Definitions of ops, each of which can be added to a graph."""

    def __init__(self) -> None:
        self._ops: Dict[str, OpInfo] = {}

    def add_op(self, op_def: Any) -> None:
        """Adds a definition.

        Args:
            op_def: An OpDef.

        Raises:
            TypeError: It is none, or an argument's type isn't said in just one way, by an attr that there is.
            ValueError: It has no name.
            RuntimeError: One of that name is there.
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
        """Adds all of an OpList.

        Raises:
            TypeError: It is none, or as `add_op` says.
            ValueError, RuntimeError: As `add_op` says.
        """
        _check_list(op_list)
        for op_def in op_list.op:
            self.add_op(op_def)

    def apply_op(self, op_type_name: str, name: str | None = None, **keywords: Any) -> Any:
        """Adds an op to the graph.

        Args:
            op_type_name: Which.
            name: What it is to be called; by default as its type.
            **keywords: Its inputs and attrs.

        Returns:
            Its outputs, as its definition has them; the op itself where there are none.

        Raises:
            RuntimeError: It has no such definition, or TensorFlow has none.
            TypeError, ValueError: TensorFlow doesn't take the inputs or attrs.
        """
        if op_type_name not in self._ops:
            raise RuntimeError("Unrecognized Op name " + op_type_name)
        library: Any = import_module("tensorflow.python.framework.op_def_library")
        return library.apply_op(op_type_name, name, **keywords)


class _Registered(Mapping[str, Any]):
    """The name of each op → its OpDef: as C++ has it, and what a program registered and C++ lacks."""

    def __init__(self) -> None:
        self.given: Dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        registry: Any = import_module("tensorflow.python.framework.op_def_registry")
        found = registry.get(name)
        return self.given[name] if found is None else found

    def __iter__(self) -> Iterator[str]:
        c_api: Any = import_module("tensorflow.python.client.pywrap_tf_session")
        known = _message("OpList").FromString(c_api.TF_GetBuffer(c_api.TF_GetAllOpList()))
        return iter({op_def.name: None for op_def in [*known.op, *self.given.values()]})

    def __len__(self) -> int:
        return sum(1 for _ in self)


_REGISTERED = _Registered()


def register_op_list(op_list: Any) -> None:
    """op_def_registry.register_op_list: takes note of definitions.

    C++'s are what counts for the ops that it has: those of TensorFlow 1 may lack attrs that these have got since.

    Raises:
        TypeError: It is no OpList.
        ValueError: One of them was registered otherwise before.
    """
    _check_list(op_list)
    for op_def in op_list.op:
        if _REGISTERED.given.setdefault(op_def.name, op_def) != op_def:
            raise ValueError(
                f"Registered op_def for {op_def.name} ({_REGISTERED.given[op_def.name]}) not equal to op_def to "
                f"register ({op_def})"
            )


def get_registered_ops() -> Mapping[str, Any]:
    """op_def_registry.get_registered_ops: the name of each op → its OpDef."""
    return _REGISTERED


@lru_cache(maxsize=None)
def library_of(file: Any) -> OpDefLibrary:
    """The definitions of a file of generated wrappers, its `_op_def_lib`.

    Args:
        file: The module, which has each op by its name.
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
    """Raises a TypeError where an argument's type isn't said in one way, by an attr of that kind."""
    ways = [bool(arg.type), bool(arg.type_attr), bool(arg.type_list_attr)]
    if sum(ways) != 1:
        raise TypeError(f"Arg '{arg.name}' of '{op_def.name}' must have one type field not {sum(ways)}")
    kinds = {attr.name: attr.type for attr in op_def.attr}
    for role, wanted in (("type_attr", "type"), ("type_list_attr", "list(type)"), ("number_attr", "int")):
        name = getattr(arg, role)
        if name and name not in kinds:
            raise TypeError(f"Inconsistent OpDef for '{op_def.name}', missing attr '{name}'")
        if name and kinds[name] != wanted:
            raise TypeError(f"Attr '{name}' of '{op_def.name}' used as a {role} but has type {kinds[name]}")


def _message(name: str) -> Any:
    return getattr(import_module("tensorflow.core.framework.op_def_pb2"), name)
