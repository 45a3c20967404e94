"""Keeps the environment variable with a program's settings in all processes that this process starts.

A program may start a child with its own environment or PYTHONPATH. So the functions that start processes are wrapped,
at the lowest level that Python has, where they don't appear in the program's tracebacks.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # typing would be the largest part of a start
if TYPE_CHECKING:
    from typing import Any, Callable

NAME = "TF1MEM_RUN_CHILDREN"
PATH = "PYTHONPATH"
FOLDER = os.path.dirname(os.path.abspath(__file__))

# Flags that make Python ignore PYTHONPATH, or skip sitecustomize.
_UNREACHABLE = r"(?:^|[\s;&|(/])python[\d.]*(?:\s+-[WX]\s+\S+|\s+-[bBdOPqRsuvx]+)*\s+-[bBdOPqRsuvx]*([EIS])"

_value = ""
_has_begun = False
# Functions called with the flag and command of a Python that can't be reached.
_on_unreachable: list[Callable[[str, str], object]] = []


def value(version: str, width: int, records: str, has_settings: bool, setup: str) -> str:
    """Returns the value of the variable.

    Args:
        version: Version of tf1mem.
        width: Width of the report's table, in columns.
        records: Folder for the children's records; "" if there is no report.
        has_settings: True if the program has settings.
        setup: Settings and repairs, as text.
    """
    return "|".join((version, str(width), records, "settings" if has_settings else "", setup))


def parts(variable_value: str) -> list[str]:
    """Returns the parts of the variable: version, width, records, settings ("" without any) and setup."""
    return variable_value.split("|", 4)


def keep(variable_value: str) -> None:
    """Puts the variable and this folder's path into the environment of every process that this one starts.

    A process whose environment has the variable, but empty, is left alone.

    Args:
        variable_value: Value of the variable.
    """
    global _value, _has_begun
    _value = variable_value
    _ensure()
    if _has_begun:
        return
    _has_begun = True
    for module, name in (("subprocess", "_fork_exec"), ("_posixsubprocess", "fork_exec")):
        _put_around(sys.modules.get(module), name, 5, 0)
    if "_posixsubprocess" not in sys.modules:
        try:
            import _posixsubprocess  # noqa: F401 - what starts processes for subprocess and multiprocessing
        except ImportError:  # Windows
            pass
        _put_around(sys.modules.get("_posixsubprocess"), "fork_exec", 5, 0)
    for name in ("posix_spawn", "posix_spawnp", "execve"):
        _put_around(os, name, 2, 1)
    for name in ("execv", "system"):
        _put_around(os, name, None, 1 if name == "execv" else 0)


def stop() -> None:
    """Stops changing the environment of processes that this one starts."""
    global _value
    _value = ""
    os.environ.pop(NAME, None)  # so that grandchildren are left alone, too
    entries = [entry for entry in os.environ.get(PATH, "").split(os.pathsep) if entry != FOLDER]
    if any(entries):
        os.environ[PATH] = os.pathsep.join(entries)
    else:
        os.environ.pop(PATH, None)


def leave_message(command: str, what: str, name: str = "") -> None:
    """Leaves a message for the report about a Python that takes over nothing; warns if settings are lost.

    Args:
        command: The command that it runs.
        what: The reason.
        name: Stem of the message's filename; default: this process's number.
    """
    _, _, records, has_settings, _ = parts(_value)
    if has_settings and sys.stderr is not None:
        lost = "the settings of tf1mem run don't apply there"
        print(f"tf1mem: warning: {command}: {what}, and {lost}", file=sys.stderr, flush=True)
    if records:
        try:
            path = os.path.join(records, f"{name or os.getpid()}.message")
            with open(path, "w", encoding="utf-8", errors="replace") as file:
                file.write(f"{command}\n{what}")
        except OSError:
            pass  # the program has ended, and its report with it


def on_unreachable(action: Callable[[str, str], object]) -> None:
    """Calls a function with the flag and command of each started Python that is out of reach."""
    _on_unreachable.append(action)


def _ensure() -> None:
    """Puts the variable into this process's own environment, unless the program has emptied it."""
    if os.environ.get(NAME) is None or (os.environ[NAME] and os.environ[NAME] != _value):
        os.environ[NAME] = _value
    if os.environ[NAME]:
        os.environ[PATH] = _with_folder(os.environ.get(PATH, ""))


def _with_folder(path: str) -> str:
    return path if FOLDER in path.split(os.pathsep) else os.pathsep.join(filter(None, [FOLDER, path]))


def _mapped(environment: Any) -> Any:
    """Returns an environment, of text or bytes, with the variable added."""
    here = {os.fsencode(name): os.fsencode(value) for name, value in environment.items()}
    own = here.setdefault(os.fsencode(NAME), os.fsencode(_value))
    if own:
        here[os.fsencode(PATH)] = os.fsencode(_with_folder(os.fsdecode(here.get(os.fsencode(PATH), b""))))
    return here


def _put_around(module: Any, name: str, place: int | None, command: int) -> None:
    """Wraps a function so that the environment that it receives has the variable.

    Args:
        module: Module of the function.
        name: Name of the function.
        place: Index of its argument with the environment; None if it has none.
        command: Index of its argument with the command.
    """
    original: Any = getattr(module, name, None)
    if original is None or hasattr(original, "tf1mem"):
        return

    def start(*args: Any, **kwargs: Any) -> Any:
        if _value:
            try:
                args = _changed(args, place, command)
            except Exception:
                pass  # wrong arguments: the function itself raises the best error
        return original(*args, **kwargs)

    start.__name__ = start.__qualname__ = name
    start.__doc__ = original.__doc__
    start.tf1mem = True  # type: ignore[attr-defined]
    setattr(module, name, start)


def _changed(args: tuple[Any, ...], place: int | None, command: int) -> tuple[Any, ...]:
    """Returns the arguments with the variable in the environment; reports a Python that is out of reach."""
    environment = None if place is None or len(args) <= place else args[place]
    if environment is None or environment is os.environ:
        _ensure()
        is_left_alone = not os.environ[NAME]
    else:
        assert place is not None
        is_list = isinstance(environment, (list, tuple))
        new = _mapped(dict(each.partition(b"=")[::2] for each in environment) if is_list else environment)
        is_left_alone = not new[os.fsencode(NAME)]
        listed = [name + b"=" + value for name, value in new.items()]
        args = (*args[:place], listed if is_list else new, *args[place + 1 :])
    if _on_unreachable and not is_left_alone:
        program = args[command]
        line = program if isinstance(program, str) else " ".join(map(os.fsdecode, program))
        import re  # slow to import

        flagged = re.search(_UNREACHABLE, line)
        if flagged:
            for action in _on_unreachable:
                action("-" + flagged.group(1), line)
    return args
