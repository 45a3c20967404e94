"""Settings files: `.pbtxt`, `.json` and `.yaml`, loaded with errors that name the file."""

from __future__ import annotations

import os
import re
from typing import Any

from tf1mem.errors import ConfigFileError, ConfigFileNotFoundError, MissingPackageError
from tf1mem.settings import protos
from tf1mem.settings.fields import nearest_field

_KINDS = ".pbtxt, .json, .yaml or .yml"


def load(path: Any) -> Any:
    """Loads a settings file.

    Args:
        path: The file; its ending says what it holds.

    Returns:
        A dict (JSON, YAML) or a ConfigProto (text proto).

    Raises:
        ConfigFileNotFoundError: It is missing, or not a file.
        ConfigFileError: It is empty, binary, broken, or has another ending.
        MissingPackageError: It is YAML and PyYAML isn't installed.
        TensorFlowNotFoundError: It is a text proto and no TensorFlow is installed.
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

    try:
        return _mapping(name, json.loads(text))
    except (ValueError, RecursionError) as error:
        raise ConfigFileError(name, f"is not JSON ({error})", "Mend it there") from error


def _yaml(name: str, text: str) -> Any:
    try:
        import yaml
    except ImportError:
        raise MissingPackageError(
            name, "YAML is read with PyYAML, which isn't installed", "pip install 'tf1mem[cli]'"
        ) from None
    try:
        return _mapping(name, yaml.safe_load(text))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        where = " ".join(str(error).split())
        raise ConfigFileError(name, f"is not YAML ({where})", "Mend it there") from error


def _mapping(name: str, value: Any) -> Any:
    if isinstance(value, dict):
        return value
    raise ConfigFileError(name, f"holds {type(value).__name__}, not settings", "Write it in the shape of ConfigProto")


def _pbtxt(name: str, text: str) -> Any:
    config = protos.config_class()()
    from google.protobuf import text_format

    try:
        return text_format.Parse(text, config)
    except text_format.ParseError as error:
        unknown = re.search(r'no field named "([^"]+)"', str(error))
        remedy = nearest_field(unknown.group(1).rsplit(".", 1)[-1]) if unknown else "Mend it there"
        raise ConfigFileError(name, f"is not a ConfigProto as text ({error})", remedy) from error


_PARSERS = {".pbtxt": _pbtxt, ".json": _json, ".yaml": _yaml, ".yml": _yaml}
