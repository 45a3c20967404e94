# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""HParams: named hyperparameters, each of which keeps its initial type."""

from __future__ import annotations

import json
import numbers
import re
from typing import Any, Callable

from tensorflow.python.framework import ops

from tf1mem.v1.contrib.training import hparam_pb2

# An assignment: a name, an optional index, a value without commas or a list in brackets, and a comma or the end.
_ASSIGNMENT = re.compile(
    r"(?P<name>[a-zA-Z][\w.]*)(\[\s*(?P<index>\d+)\s*\])?\s*=\s*((?P<value>[^,\[]*)|\[(?P<list>[^\]]*)\])($|,\s*)"
)
_BOOLS = {"true": True, "True": True, "false": False, "False": False}


def _parse_bool(text: str) -> bool:
    return _BOOLS[text] if text in _BOOLS else bool(int(text))


def parse_values(values: str, type_map: Any, ignore_unknown: bool = False) -> dict[str, Any]:
    """Parses a string such as "rate=0.1,layers=[64,32],sizes[1]=16".

    Args:
        values: Assignments, separated by commas.
        type_map: Name -> type of the value, or of a list's elements.
        ignore_unknown: True to skip names that `type_map` lacks; False to raise an error.

    Returns:
        Dict, name -> value or list; where single elements were assigned, name -> dict of index -> value.

    Raises:
        ValueError: The string is malformed, assigns a name twice, or contains an unknown name.
    """
    results: dict[str, Any] = {}

    def assign_once(target: dict[Any, Any], key: Any, value: Any, shown: str) -> None:
        """Sets a key; raises ValueError if it is set already."""
        if key in target:
            raise ValueError(f"Multiple assignments to variable '{shown}' in {values}")
        target[key] = value

    position = 0
    while position < len(values):
        match = _ASSIGNMENT.match(values, position)
        if match is None:
            raise ValueError(f"Malformed hyperparameter value: {values[position:]}")
        position = match.end()
        name, index, text, entries = match.group("name", "index", "value", "list")
        if name not in type_map:
            if ignore_unknown:
                continue
            raise ValueError(f"Unknown hyperparameter type for {name}")
        value_type = type_map[name]
        parse: Callable[[str], Any] = _parse_bool if value_type is bool else value_type
        if text is None and index is not None:
            raise ValueError("Assignment of a list to a list index.")
        try:
            value = parse(text) if text is not None else [parse(entry) for entry in re.split("[ ,]", entries) if entry]
        except ValueError:
            shown = entries if text is None else text
            raise ValueError(
                f"Could not parse hparam '{name}' of type '{value_type.__name__}' with value '{shown}' in {values}"
            ) from None
        if index is None:
            assign_once(results, name, value, name)
        elif isinstance(results.setdefault(name, {}), dict):
            assign_once(results[name], int(index), value, f"{name}[{index}]")
        else:
            raise ValueError(f"Multiple assignments to variable '{name}' in {values}")
    return results


def _cast(name: str, value_type: type, value: Any) -> Any:
    """Returns a value converted to a type: ints become floats; other types don't become strings or bools."""
    if type(value) is value_type or value_type is type(None):
        return value
    texts = (str, bytes)
    if (
        (issubclass(value_type, texts) and not isinstance(value, texts))
        or issubclass(value_type, bool) != isinstance(value, bool)
        or (issubclass(value_type, numbers.Integral) and not isinstance(value, numbers.Integral))
        or (issubclass(value_type, numbers.Number) and not isinstance(value, numbers.Number))
    ):
        raise ValueError(f"Could not cast hparam '{name}' of type '{value_type}' from value {value!r}")
    return value_type(value)


class HParams:
    """Hyperparameters as attributes, such as `HParams(rate=0.1, layers=[64, 32]).rate`.

    A value keeps the type of its initial value: a list stays a list, and its elements keep their type.

    Args:
        hparam_def: An HParamDef to read them from.
        model_structure: Any object, stored for `get_model_structure`.
        **kwargs: Name and initial value of each hyperparameter: an int, float, string or bool, or a list of them.

    Raises:
        ValueError: Both kinds of arguments are set, a name is an attribute of the class, or a list is empty.
    """

    _HAS_DYNAMIC_ATTRIBUTES = True

    def __init__(self, hparam_def: Any = None, model_structure: Any = None, **kwargs: Any) -> None:
        # Name -> (type of the value or of a list's elements, True for a list).
        self._hparam_types: dict[str, tuple[type, bool]] = {}
        self._model_structure = model_structure
        if hparam_def:
            self._init_from_proto(hparam_def)
            if kwargs:
                raise ValueError("hparam_def and initialization values are mutually exclusive")
        for name, value in kwargs.items():
            self.add_hparam(name, value)

    def _init_from_proto(self, hparam_def: Any) -> None:
        assert isinstance(hparam_def, hparam_pb2.HParamDef)
        for name, value in hparam_def.hparam.items():
            kind = value.WhichOneof("kind")
            field = getattr(value, kind)
            entries = [field] if kind.endswith("_value") else list(field.value)
            if kind.startswith("bytes"):
                entries = [entry.decode("utf-8") for entry in entries]
            self.add_hparam(name, entries[0] if kind.endswith("_value") else entries)

    def add_hparam(self, name: str, value: Any) -> None:
        """Adds a hyperparameter, such as `add_hparam("layers", [64, 32])`.

        Args:
            name: Name of the attribute.
            value: Initial value, which determines the type; of a list, the first element does.

        Raises:
            ValueError: The name is taken, or the list is empty.
        """
        if getattr(self, name, None) is not None:
            raise ValueError(f"Hyperparameter name is reserved: {name}")
        if isinstance(value, (list, tuple)):
            if not value:
                raise ValueError(f"Multi-valued hyperparameters cannot be empty: {name}")
            self._hparam_types[name] = (type(value[0]), True)
        else:
            self._hparam_types[name] = (type(value), False)
        setattr(self, name, value)

    def set_hparam(self, name: str, value: Any) -> None:
        """Sets a hyperparameter that exists, such as `set_hparam("layers", [128, 64])`.

        Args:
            name: Name of the hyperparameter.
            value: Value of its type, or a list of any length for a list. An int becomes a float where one is expected.

        Raises:
            KeyError: There is no such hyperparameter.
            ValueError: The value is of another type.
        """
        value_type, is_list = self._hparam_types[name]
        if isinstance(value, list) != is_list:
            message = (
                f"Must pass a list for multi-valued parameter: {name}."
                if is_list
                else f"Must not pass a list for single-valued parameter: {name}"
            )
            raise ValueError(message)
        setattr(
            self,
            name,
            [_cast(name, value_type, entry) for entry in value] if is_list else _cast(name, value_type, value),
        )

    def del_hparam(self, name: str) -> None:
        """Removes a hyperparameter, if it exists."""
        if hasattr(self, name):
            delattr(self, name)
            del self._hparam_types[name]

    def parse(self, values: str) -> HParams:
        """Sets values from a string such as "rate=0.1,layers=[64,32]"; see `parse_values`.

        Args:
            values: Assignments, separated by commas.

        Returns:
            This object.

        Raises:
            ValueError: The string is malformed, assigns a name twice or a single element of a list, or contains an
                unknown name.
        """
        return self.override_from_dict(
            parse_values(values, {name: value_type for name, (value_type, _) in self._hparam_types.items()})
        )

    def override_from_dict(self, values_dict: Any) -> HParams:
        """Sets values from a dict such as `{"rate": 0.1, "layers": [64, 32]}`.

        Args:
            values_dict: Name -> value of the hyperparameter's type.

        Returns:
            This object.

        Raises:
            KeyError: There is no hyperparameter of a name.
            ValueError: A value is of another type.
        """
        for name, value in values_dict.items():
            self.set_hparam(name, value)
        return self

    def set_from_map(self, values_map: Any) -> HParams:
        """Sets values from a dict, and returns this object; the old name of `override_from_dict`."""
        return self.override_from_dict(values_map)

    def set_model_structure(self, model_structure: Any) -> None:
        """Stores any object that describes the model."""
        self._model_structure = model_structure

    def get_model_structure(self) -> Any:
        """Returns the object that `set_model_structure` or the constructor stored."""
        return self._model_structure

    def to_json(self, indent: Any = None, separators: Any = None, sort_keys: bool = False) -> str:
        """Returns the values as JSON, such as '{"rate": 0.1, "layers": [64, 32]}'.

        Args:
            indent: Argument of `json.dumps`.
            separators: Argument of `json.dumps`.
            sort_keys: Argument of `json.dumps`.
        """
        return json.dumps(self.values(), indent=indent, separators=separators, sort_keys=sort_keys)

    def parse_json(self, values_json: str) -> HParams:
        """Sets values from a JSON object such as '{"rate": 0.1, "layers": [64, 32]}'.

        Args:
            values_json: The JSON text.

        Returns:
            This object.

        Raises:
            KeyError: There is no hyperparameter of a name.
            ValueError: A value is of another type, or the text is no JSON.
        """
        return self.override_from_dict(json.loads(values_json))

    def values(self) -> dict[str, Any]:
        """Returns a new dict of name -> value, such as `{"rate": 0.1, "layers": [64, 32]}`."""
        return {name: getattr(self, name) for name in self._hparam_types}

    def get(self, key: str, default: Any = None) -> Any:
        """Returns a value, or the default.

        Args:
            key: Name of the hyperparameter.
            default: Result if there is no such hyperparameter.

        Raises:
            ValueError: The hyperparameter exists and the default is of another type.
        """
        if key not in self._hparam_types:
            return default
        if default is not None:
            value_type, is_list = self._hparam_types[key]
            shown = f"list<{value_type}>" if is_list else str(value_type)
            message = f"Hparam '{key}' of type '{shown}' is incompatible with default={default}"
            if isinstance(default, list) != is_list:
                raise ValueError(message)
            try:
                for entry in default if is_list else [default]:
                    _cast(key, value_type, entry)
            except ValueError as error:
                raise ValueError(f"{message}. {error}") from None
        return getattr(self, key)

    def __contains__(self, key: str) -> bool:
        return key in self._hparam_types

    def __str__(self) -> str:
        return ",".join(f"{name}={value}" for name, value in self.values().items())

    def __repr__(self) -> str:
        return f"{type(self).__name__}({sorted(self.values().items())})"

    @staticmethod
    def _get_kind_name(param_type: type, is_list: bool) -> str:
        for types, kind in ((bool, "bool"), (int, "int64"), ((str, bytes), "bytes"), (float, "float")):
            if issubclass(param_type, types):  # type: ignore[arg-type]
                return f"{kind}_list" if is_list else f"{kind}_value"
        raise ValueError(f"Unsupported parameter type: {param_type}")

    def to_proto(self, export_scope: Any = None) -> Any:
        """Returns the values as an HParamDef.

        Args:
            export_scope: Ignored.

        Raises:
            ValueError: HParamDef doesn't support a value's type.
        """
        message = hparam_pb2.HParamDef()
        for name, (value_type, is_list) in self._hparam_types.items():
            kind = self._get_kind_name(value_type, is_list)
            value = getattr(self, name)
            entries = [
                entry.encode("utf-8") if isinstance(entry, str) else entry for entry in (value if is_list else [value])
            ]
            if is_list:
                getattr(message.hparam[name], kind).value.extend(entries)
            else:
                setattr(message.hparam[name], kind, entries[0])
        return message

    @staticmethod
    def from_proto(hparam_def: Any, import_scope: Any = None) -> HParams:
        """Returns the HParams of an HParamDef.

        Args:
            hparam_def: The message.
            import_scope: Ignored.
        """
        return HParams(hparam_def=hparam_def)


# Lets a MetaGraph store a collection of HParams under TensorFlow 1's name.
ops.register_proto_function(
    "hparams", proto_type=hparam_pb2.HParamDef, to_proto=HParams.to_proto, from_proto=HParams.from_proto
)
