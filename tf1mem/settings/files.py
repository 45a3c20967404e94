"""Loads settings files (`.pbtxt`, `.json`, `.yaml`), with errors that name the file."""

from __future__ import annotations

import errno
import itertools
import os
import stat
from typing import Any

from tf1mem.errors import ConfigFileError, ConfigFileNotFoundError, MissingPackageError, SettingError
from tf1mem.machine.tensorflow import installed_version
from tf1mem.settings import protos, text_proto
from tf1mem.settings.fields import nearest_field
from tf1mem.settings.units import MIB
from tf1mem.settings.values import glimpse, shortened

_KINDS = ".pbtxt, .json, .yaml or .yml"


def load(path: Any) -> Any:
    """Loads a settings file.

    Args:
        path: The file; its ending decides the format.

    Returns:
        A dict (JSON, YAML), a `TextProto`, or a ConfigProto if only the installed TensorFlow can parse the text.

    Raises:
        ConfigFileNotFoundError: The file is missing, or not a file.
        ConfigFileError: The file is empty, binary, broken, or has another ending.
        MissingPackageError: The file is YAML, and PyYAML isn't installed.
    """
    name = _decoded(path)
    parse = _PARSERS.get(os.path.splitext(name)[1].lower())
    if parse is None and not os.path.isdir(name) and os.path.exists(name):
        raise ConfigFileError(named(path), "is not a kind of file that is read", "Give it one of the endings " + _KINDS)
    text = _text(name, named(path))
    if parse is None:
        raise ConfigFileError(named(path), "is not a kind of file that is read", "Give it one of the endings " + _KINDS)
    return parse(named(path), text)


def named(path: Any) -> str:
    """Returns the path of a file for an error message, shortened."""
    name = _decoded(path)
    return name if len(name) <= _LONGEST_NAME else name[:_LONGEST_NAME] + "…"


def _decoded(path: Any) -> str:
    name = os.fspath(path)
    return os.fsdecode(name) if isinstance(name, bytes) else name


_LONGEST_NAME = 400  # characters
_LARGEST_FILE = MIB
# More than a config with every field contains.
_MOST_NODES = 20_000
_MOST_DIGITS = 4300  # Python's own limit, which its older versions lack


def _text(path: str, name: str) -> str:
    """Returns a file's text; raises an error if it is missing, too large, empty or binary."""
    try:
        # Checked before opening: reading a pipe without a writer would block, and a device may never end.
        kind = os.stat(path).st_mode
        if stat.S_ISDIR(kind):
            raise ConfigFileNotFoundError(name, "is a directory", "Name the settings file in it")
        if not stat.S_ISREG(kind):
            raise ConfigFileError(name, "is a pipe or a device, not a file", "Write the settings into a file")
        with open(path, "rb") as file:
            data = file.read(_LARGEST_FILE + 1)
    except ConfigFileError:
        raise
    except (FileNotFoundError, ValueError):
        raise ConfigFileNotFoundError(name, "there is no such file", "Check the path") from None
    except OSError as error:
        if error.errno in (errno.ENAMETOOLONG, errno.ENOTDIR):
            raise ConfigFileNotFoundError(name, "there is no such file", "Check the path") from None
        raise ConfigFileError(name, f"can't be read ({error.strerror})", "Make it readable") from error
    if len(data) > _LARGEST_FILE:
        raise ConfigFileError(name, "is larger than 1 MiB, too large for settings", "Name a file of settings")
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
        mapping: dict[str, Any] = {}
        for key, value in pairs:
            if key in mapping:
                raise _duplicate_key(name, key)
            mapping[key] = value
        return mapping

    def whole(digits: str) -> int:
        if len(digits) > _MOST_DIGITS:
            raise ValueError(f"a number of {len(digits)} digits")
        return int(digits)

    try:
        return _mapping(name, json.loads(text, object_pairs_hook=once, parse_int=whole))
    except ConfigFileError:
        raise
    except (ValueError, RecursionError) as error:
        raise ConfigFileError(name, f"is not JSON ({_why(error)})", "Correct it there") from error


# More keys than all fields together: nested merges of YAML can grow without end.
_MOST_KEYS = 1000


def _yaml(name: str, text: str) -> Any:
    """Returns the mapping in a YAML text, read with bounds on its size and without double keys."""
    try:
        import yaml
    except ImportError:
        raise MissingPackageError(
            name, "YAML is read with PyYAML, which isn't installed", "pip install 'tf1mem[cli]'"
        ) from None

    checked = set()  # mappings whose own keys were checked; after its merges a mapping may contain a key twice
    composed = itertools.count(1)

    class Once(yaml.SafeLoader):
        """A loader that refuses a key that appears twice, and a text that takes long to read."""

        def compose_node(self, *args: Any) -> Any:
            if next(composed) > _MOST_NODES:
                raise ConfigFileError(name, f"holds more than {_MOST_NODES} values", "Write settings alone into it")
            return super().compose_node(*args)

        def construct_scalar(self, node: Any) -> Any:
            text = super().construct_scalar(node)
            if node.tag.endswith((":int", ":float")) and len(text) > _MOST_DIGITS:  # 1:59:59 is a number, too
                raise ConfigFileError(
                    f"{name}, line {node.start_mark.line + 1}",
                    f"a number of {len(text)} characters",
                    "Write a smaller one",
                )
            return text

        def construct_object(self, node: Any, deep: bool = False) -> Any:
            try:
                return super().construct_object(node, deep=deep)
            except (ConfigFileError, yaml.YAMLError, RecursionError):
                raise
            except Exception as error:  # PyYAML's constructors of numbers, times and the like raise various errors
                kind = node.tag.rpartition(":")[2]
                raise ConfigFileError(
                    f"{name}, line {node.start_mark.line + 1}",
                    f"{glimpse(node.value)} is no !!{kind}",
                    "Write the value that is meant, without a tag",
                ) from error

        def flatten_mapping(self, node: Any) -> None:
            known: set[Any] = set()
            for key, _ in node.value if id(node) not in checked else ():
                if isinstance(key, yaml.ScalarNode):
                    is_merge = key.tag.endswith(":merge")
                    value = yaml.ScalarNode if is_merge else self.construct_object(key, deep=True)
                    if value in known:
                        raise _duplicate_key(f"{name}, line {key.start_mark.line + 1}", key.value)
                    known.add(value)
            checked.add(id(node))
            super().flatten_mapping(node)
            if len(node.value) > _MOST_KEYS:
                raise ConfigFileError(name, "merges more keys than there are fields", "Write the settings out")

    try:
        return _mapping(name, yaml.load(text, Once))
    except ConfigFileError:
        raise
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ConfigFileError(name, f"is not YAML ({_why(error)})", "Correct it there") from error


def _why(error: BaseException) -> str:
    """Returns a parser's error message, shortened: it may quote the text at any length."""
    why = " ".join(str(error).split()) or type(error).__name__
    return why if len(why) <= _LONGEST_WHY else why[:_LONGEST_WHY] + "…"


_LONGEST_WHY = 300


def _duplicate_key(where: str, key: str) -> ConfigFileError:
    return ConfigFileError(where, f"the key {glimpse(key)} appears twice", "Write it once")


def _mapping(name: str, value: Any) -> Any:
    if isinstance(value, dict):
        return value
    raise ConfigFileError(name, f"holds {type(value).__name__}, not settings", "Write it in the shape of ConfigProto")


def _pbtxt(name: str, text: str) -> Any:
    try:
        return text_proto.read(text)
    except text_proto.UnknownNameError as error:
        if installed_version() is not None:  # the installed TensorFlow may be newer than the table
            try:
                return protos.parse_text(text)
            except SettingError:
                pass
        raise _not_a_config(name, error, nearest_field(shortened(error.path))) from error
    except text_proto.TextError as error:
        raise _not_a_config(name, error, "Correct it there") from error


def _not_a_config(name: str, error: BaseException, remedy: str) -> ConfigFileError:
    return ConfigFileError(name, f"is not a ConfigProto as text ({_why(error)})", remedy)


_PARSERS = {".pbtxt": _pbtxt, ".json": _json, ".yaml": _yaml, ".yml": _yaml}
