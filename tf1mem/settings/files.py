"""Settings files: `.pbtxt`, `.json` and `.yaml`, loaded with errors that name the file."""

from __future__ import annotations

import os
from typing import Any

from tf1mem.errors import ConfigFileError, ConfigFileNotFoundError, MissingPackageError, SettingError
from tf1mem.machine.tensorflow import installed_version
from tf1mem.settings import protos, text_proto
from tf1mem.settings.fields import nearest_field

_KINDS = ".pbtxt, .json, .yaml or .yml"


def load(path: Any) -> Any:
    """Loads a settings file.

    Args:
        path: The file; its ending says what it holds.

    Returns:
        A dict (JSON, YAML), a `TextProto`, or a ConfigProto where only the installed TensorFlow can read the text.

    Raises:
        ConfigFileNotFoundError: It is missing, or not a file.
        ConfigFileError: It is empty, binary, broken, or has another ending.
        MissingPackageError: It is YAML and PyYAML isn't installed.
    """
    name = os.fspath(path)
    if isinstance(name, bytes):
        name = os.fsdecode(name)
    parse = _PARSERS.get(os.path.splitext(name)[1].lower())
    text = _text(name)
    if parse is None:
        raise ConfigFileError(name, "is not a kind of file that is read", "Give it one of the endings " + _KINDS)
    return parse(name, text)


def _text(name: str) -> str:
    try:
        with open(name, "rb") as file:
            data = file.read()
    except IsADirectoryError:
        raise ConfigFileNotFoundError(name, "is a directory", "Name the settings file in it") from None
    except (FileNotFoundError, ValueError):
        raise ConfigFileNotFoundError(name, "there is no such file", "Check the path") from None
    except OSError as error:
        raise ConfigFileError(name, f"can't be read ({error.strerror})", "Make it readable") from error
    if not data.strip():
        raise ConfigFileError(
            name, "is empty", "Write the settings into it, such as gpu_options { allow_growth: true }"
        )
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise ConfigFileError(
            name, "is binary, not text", "For a serialized ConfigProto pass its bytes to tf1mem.apply instead of a path"
        )
    return text


def _json(name: str, text: str) -> Any:
    import json

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            keys = [key for key, _ in pairs]
            raise _twice(name, next(key for key in keys if keys.count(key) > 1))
        return found

    try:
        return _mapping(name, json.loads(text, object_pairs_hook=once))
    except ConfigFileError:
        raise
    except (ValueError, RecursionError) as error:
        raise ConfigFileError(name, f"is not JSON ({error})", "Mend it there") from error


# More keys than all fields together: keys merged from keys merged grow without end.
_MOST_KEYS = 1000


def _yaml(name: str, text: str) -> Any:
    try:
        import yaml
    except ImportError:
        raise MissingPackageError(
            name, "YAML is read with PyYAML, which isn't installed", "pip install 'tf1mem[cli]'"
        ) from None

    checked = set()  # by the time that a mapping is merged into another, what it merges itself stands among its keys

    class Once(yaml.SafeLoader):
        def flatten_mapping(self, node: Any) -> None:
            known = set()
            for key, _ in node.value if id(node) not in checked else ():
                if isinstance(key, yaml.ScalarNode):
                    if (key.tag, key.value) in known:
                        raise _twice(f"{name}, line {key.start_mark.line + 1}", key.value)
                    known.add((key.tag, key.value))
            checked.add(id(node))
            super().flatten_mapping(node)
            if len(node.value) > _MOST_KEYS:
                raise ConfigFileError(name, "merges more keys than there are fields", "Write the settings out")

    try:
        return _mapping(name, yaml.load(text, Once))
    except ConfigFileError:
        raise
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        where = " ".join(str(error).split())
        raise ConfigFileError(name, f"is not YAML ({where})", "Mend it there") from error


def _twice(where: str, key: str) -> ConfigFileError:
    return ConfigFileError(where, f"the key {key[:80]!r} stands there twice", "Write it once")


def _mapping(name: str, value: Any) -> Any:
    if isinstance(value, dict):
        return value
    raise ConfigFileError(name, f"holds {type(value).__name__}, not settings", "Write it in the shape of ConfigProto")


def _pbtxt(name: str, text: str) -> Any:
    try:
        return text_proto.read(text)
    except text_proto.UnknownNameError as error:
        if installed_version() is not None:  # it may be newer than the table
            try:
                return protos.parse_text(text)
            except SettingError:
                pass
        raise _not_a_config(name, error, nearest_field(error.path)) from error
    except text_proto.TextError as error:
        raise _not_a_config(name, error, "Mend it there") from error


def _not_a_config(name: str, error: object, remedy: str) -> ConfigFileError:
    return ConfigFileError(name, f"is not a ConfigProto as text ({error})", remedy)


_PARSERS = {".pbtxt": _pbtxt, ".json": _json, ".yaml": _yaml, ".yml": _yaml}
