"""Finds the line of the user's program that set a memory setting.

TensorFlow doesn't record it. So `explain_oom` hooks the few functions that every memory setting passes through
(Sessions, the eager context, and its setters behind tf.config), and records their caller. A setting made before the
hooks were in place is searched for in the program's source, by name.
"""

from __future__ import annotations

import os
import sys
from typing import Any, Iterator, NamedTuple

from tf1mem.hooks.finder import when_loaded
from tf1mem.hooks.wrappers import call_before
from tf1mem.machine import first_start
from tf1mem.settings.field_names import FRACTION, GROWTH, VIRTUAL

# Setting -> its spellings in the calls, attributes, keywords and dicts that set it.
_SPELLINGS = {
    FRACTION: ("per_process_gpu_memory_fraction", "memory_fraction"),
    VIRTUAL: (
        "set_logical_device_configuration", "set_virtual_device_configuration", "virtual_devices", "memory_limit_mb",
        "memory_limit_mib", "split_mib",
    ),
    GROWTH: ("allow_growth", "set_memory_growth"),
}  # fmt: skip
_MOST_FILES = 300
_LARGEST_FILE = 2**20
_MOST_LINES = 3


class RecordedSetting(NamedTuple):
    """A recorded memory setting.

    Attributes:
        setting: The ConfigProto field, as TF1 spells it.
        value: A fraction, the limits of one GPU in MiB as a tuple, or True.
        where: The line that set it, such as "train.py:12", or another source such as an option.
    """

    setting: str
    value: Any
    where: str


_recorded: list[RecordedSetting] = []
_recording = False


def record() -> None:
    """Hooks the functions that set memory settings; once, for the rest of the process."""
    global _recording
    if _recording:
        return
    _recording = True
    when_loaded("python.eager.context", _context_loaded)
    when_loaded("python.client.session", _session_loaded)


def note(config: Any, where: str) -> None:
    """Records the memory settings of a config, and their origin, for the function `where`.

    Args:
        config: A ConfigProto or Settings; anything else is ignored.
        where: The line, such as "train.py:12", or another source such as an option.
    """
    settings = sys.modules.get("tf1mem.settings.settings")
    if settings is not None and isinstance(config, settings.Settings):
        for setting in (FRACTION, GROWTH):
            if config.get(setting):
                _recorded.append(RecordedSetting(setting, config.get(setting), where))
        _recorded.extend(RecordedSetting(VIRTUAL, split.memory_limit_mb, where) for split in config.get(VIRTUAL, ()))
        return
    options = getattr(config, "gpu_options", None)
    if options is None:
        return
    if options.per_process_gpu_memory_fraction:
        _recorded.append(RecordedSetting(FRACTION, options.per_process_gpu_memory_fraction, where))
    if options.allow_growth:
        _recorded.append(RecordedSetting(GROWTH, True, where))
    for entry in getattr(getattr(options, "experimental", None), "virtual_devices", ()):
        _recorded.append(RecordedSetting(VIRTUAL, tuple(entry.memory_limit_mb), where))


def where(setting: str, value: Any) -> str:
    """Returns the place where a setting was set to a value, or "" if it isn't known."""
    written = list(dict.fromkeys(_in_source(_SPELLINGS[setting])))
    lines = " or ".join(written[:_MOST_LINES]) + (" and elsewhere" if len(written) > _MOST_LINES else "")
    recorded = next((entry.where for entry in _recorded if entry.setting == setting and _alike(entry.value, value)), "")
    if not recorded or recorded in written or not lines:
        return recorded or lines
    return f"{lines}, passed to TensorFlow by {recorded}"


def here() -> str:
    """Returns the running line of the user's program, such as "train.py:12", or "" if there is none."""
    filename, line = first_start.user_frame()
    return "" if filename is None else f"{first_start.near(filename)}:{line}"


def _alike(first: Any, second: Any) -> bool:
    if isinstance(first, tuple) and isinstance(second, tuple):
        return len(first) == len(second) and all(int(a) == int(b) for a, b in zip(first, second))
    return bool(first == second)


# --- watching --------------------------------------------------------------------------------------------------


def _session_loaded(module: Any) -> None:
    def note_config(
        _self: Any, _target: Any = "", _graph: Any = None, config: Any = None, *_rest: Any, **_more: Any
    ) -> None:
        note(config, here())

    call_before(module.BaseSession, "__init__", note_config)


def _context_loaded(module: Any) -> None:
    def context_created(_self: Any, config: Any = None, *_rest: Any, **_more: Any) -> None:
        note(config, here())

    def split(_self: Any, _device: Any, virtual_devices: Any = None, *_rest: Any, **more: Any) -> None:
        parts = virtual_devices or more.get("logical_devices") or ()
        limits = tuple(getattr(part, "memory_limit", None) or 0 for part in parts)
        if any(limits):
            _recorded.append(RecordedSetting(VIRTUAL, limits, here()))

    def grow(_self: Any, _device: Any, enable: Any = None, *_rest: Any, **_more: Any) -> None:
        if enable:
            _recorded.append(RecordedSetting(GROWTH, True, here()))

    call_before(module.Context, "__init__", context_created)
    for name in ("set_logical_device_configuration", "set_virtual_device_configuration"):
        call_before(module.Context, name, split)
    call_before(module.Context, "set_memory_growth", grow)


# --- in the program's source -----------------------------------------------------------------------------------


def _in_source(spellings: tuple[str, ...]) -> Iterator[str]:
    """Yields the lines of the program's files that spell a setting."""
    import ast

    for path in _own_files():
        try:
            if os.path.getsize(path) > _LARGEST_FILE:
                continue
            with open(path, "rb") as file:
                source = file.read()
            if not any(name.encode() in source for name in spellings):
                continue
            tree = ast.parse(source)
        except (OSError, SyntaxError, ValueError, RecursionError):
            continue
        lines = {getattr(node, "lineno", 0) for node in ast.walk(tree) if _names(node) & set(spellings)}
        for line in sorted(lines - {0}):
            yield f"{first_start.near(path)}:{line}"


def _names(node: Any) -> set[Any]:
    """Returns the names by which a node of the source may set something."""
    import ast

    if isinstance(node, ast.Attribute):
        return {node.attr} if isinstance(node.ctx, ast.Store) or node.attr.startswith("set_") else set()
    if isinstance(node, ast.Call):
        return {keyword.arg for keyword in node.keywords}
    if isinstance(node, ast.Dict):
        return {getattr(key, "value", getattr(key, "s", None)) for key in node.keys if isinstance(key, ast.expr)}
    return set()


def _own_files() -> Iterator[str]:
    """Yields the files of the loaded modules that aren't installed packages: the script first."""
    foreign = (os.path.dirname(os.__file__) + os.sep, os.path.dirname(os.path.dirname(first_start.__file__)) + os.sep)
    names = ["__main__", *(name for name in list(sys.modules) if name != "__main__")]
    count = 0
    for name in names:
        path = getattr(sys.modules.get(name), "__file__", None)
        if not isinstance(path, str) or not path.endswith(".py") or path.startswith(foreign):
            continue
        if "site-packages" in path or "dist-packages" in path:
            continue
        count += 1
        if count > _MOST_FILES:
            return
        yield path
