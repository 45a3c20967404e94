"""Reads the codemod's settings from a repository's `pyproject.toml` or `setup.cfg`."""

from __future__ import annotations

import os
import sys
from configparser import Error as IniError
from configparser import RawConfigParser
from dataclasses import dataclass
from typing import Any, Callable, Sequence

from tf1mem.codemod.trees.write import read_file
from tf1mem.errors import ConfigFileError, SourceFileError

# These are the targets of rewriting; repeating them here keeps `--help` fast.
TARGETS = ("shim", "apply", "native")
TOML_TABLE = "tool.tf1mem.codemod"
INI_SECTION = "tf1mem:codemod"
_MOST_BYTES = 1 << 20


@dataclass(frozen=True)
class Configuration:
    """The settings of one file; None or empty where it has none.

    Attributes:
        file: The file's path, or "".
        to: The target: "shim", "apply" or "native".
        only: Codes of rules to use.
        skip: Codes of rules to leave out.
        exclude: Patterns as in a `.gitignore`, relative to the file's folder.
        docs: True if code in Markdown and reST is included.
        gpu_memory_mib: Memory of each GPU in MiB.
    """

    file: str = ""
    to: str | None = None
    only: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    docs: bool | None = None
    gpu_memory_mib: int | None = None

    @property
    def folder(self) -> str:
        """The folder that the patterns are relative to."""
        return os.path.dirname(self.file)


def find(paths: Sequence[str]) -> Configuration:
    """Reads the nearest configuration above some paths.

    The search begins in the deepest folder that holds all of them and goes up; in each folder `[tool.tf1mem.codemod]`
    of `pyproject.toml` comes before `[tf1mem:codemod]` of `setup.cfg`. Files without such a section are skipped.

    Args:
        paths: Files and folders; if empty, the working folder.

    Raises:
        ConfigFileError: A file can't be read, or has an unknown key or an invalid value.
    """
    places = [os.path.realpath(path) for path in paths] or [os.getcwd()]
    folder = os.path.commonpath([place if os.path.isdir(place) else os.path.dirname(place) for place in places])
    while True:
        for name, read in (("pyproject.toml", _from_toml), ("setup.cfg", _from_ini)):
            file = os.path.join(folder, name)
            configuration = None if os.path.isdir(file) or not os.path.exists(file) else read(file)
            if configuration is not None:
                return configuration
        above = os.path.dirname(folder)
        if above == folder:
            return Configuration()
        folder = above


def _from_toml(file: str) -> Configuration | None:
    text = _read(file)
    if "tf1mem" not in text:  # not even parsed: it may be a template, and doesn't concern the codemod
        return None
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        table: Any = tomllib.loads(text)
    except RecursionError:
        raise ConfigFileError(file, "is nested too deeply to be read", "Fix it") from None
    except ValueError as error:  # invalid TOML, or a number with too many digits
        raise ConfigFileError(file, f"is not TOML: {error}", "Fix it") from None
    for part in TOML_TABLE.split("."):
        if not isinstance(table, dict) or part not in table:
            return None
        table = table[part]
    if not isinstance(table, dict):
        raise ConfigFileError(f"{TOML_TABLE} in {file}", "is not a table", f"Write [{TOML_TABLE}]")
    return _checked(file, f"[{TOML_TABLE}]", table)


def _from_ini(file: str) -> Configuration | None:
    text = _read(file)
    if INI_SECTION not in text:
        return None
    parser = RawConfigParser()
    try:
        parser.read_string(text, source=file)
    except IniError as error:
        raise ConfigFileError(file, "is not a setup.cfg: {}".format(" ".join(str(error).split())), "Fix it") from None
    if not parser.has_section(INI_SECTION):
        return None
    values = {key: _ini_value(key, value) for key, value in parser.items(INI_SECTION)}
    return _checked(file, f"[{INI_SECTION}]", values)


def _read(file: str) -> str:
    try:
        text = read_file(file, _MOST_BYTES)
    except SourceFileError as error:
        raise ConfigFileError(file, error.wrong.replace(" any more", ""), "Fix it, or move it away") from None
    try:
        return text.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ConfigFileError(file, "is not UTF-8", "Save it as UTF-8") from None


def _ini_value(key: str, value: str) -> Any:
    """Returns an ini value in the type of its key: lists are split at commas, spaces and lines."""
    if key in ("only", "skip"):
        return value.replace(",", " ").split()
    if key == "exclude":
        return [line.strip() for line in value.splitlines() if line.strip()]
    if key == "docs":
        return RawConfigParser.BOOLEAN_STATES.get(value.lower(), value)
    if key == "gpu-memory-mib":
        return int(value) if value.isascii() and value.isdigit() else value
    return value


def _checked(file: str, where: str, values: dict[str, Any]) -> Configuration:
    """Returns the configuration, if every key is known and every value fits."""
    known: dict[str, tuple[str, Callable[[Any], bool], str]] = {
        "to": ("to", _is_target, "one of " + ", ".join(TARGETS)),
        "only": ("only", _are_words, "a list of rules, such as TFM101"),
        "skip": ("skip", _are_words, "a list of rules, such as TFM101"),
        "exclude": ("exclude", _are_words, "a list of patterns"),
        "docs": ("docs", lambda value: isinstance(value, bool), "true or false"),
        "gpu-memory-mib": ("gpu_memory_mib", _is_count, "a number of MiB above 0"),
    }
    kept: dict[str, Any] = {}
    for key, value in values.items():
        setting = f"{key} in {where} of {file}"
        if key not in known:
            raise ConfigFileError(setting, "is unknown", "The keys are " + ", ".join(known))
        name, fits, requirement = known[key]
        if not fits(value):
            raise ConfigFileError(setting, f"is {value!r}", "It has to be " + requirement)
        kept[name] = tuple(value) if isinstance(value, list) else value
    return Configuration(file=file, **kept)


def _is_target(value: object) -> bool:
    return value in TARGETS


def _are_words(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(word, str) and word for word in value)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0
