"""The variable by which a Python learns what the program that started it was told, kept in whatever it starts itself.

A program may give its children an environment of its own making, or a PYTHONPATH. So what starts a process is put
around, in C or as near to it as can be, where no traceback of the program's goes by.
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

# Flags by which a Python reads no PYTHONPATH, or imports no sitecustomize.
_DEAF = r"(?:^|[\s;&|(/])python[\d.]*(?:\s+-[WX]\s+\S+|\s+-[bBdOPqRsuvx]+)*\s+-[bBdOPqRsuvx]*([EIS])"

_told = ""
_has_begun = False
# What is called with the flag and the command of a Python that can't be reached.
_when_deaf: list[Callable[[str, str], object]] = []


def value(version: str, width: int, records: str, has_settings: bool, heritage: str) -> str:
    """Returns the value of the variable.

    Args:
        version: tf1mem's.
        width: The columns of a report's table.
        records: The folder for what is to stand in the program's report; "" where there is none.
        has_settings: Whether the program was given settings.
        heritage: What it was told, as text.
    """
    return "|".join((version, str(width), records, "settings" if has_settings else "", heritage))


def parts(told: str) -> list[str]:
    """Returns the parts of the variable: version, width, records, settings ("" without any) and heritage."""
    return told.split("|", 4)


def keep(told: str) -> None:
    """Makes every process that this one starts from here on find the variable, and this folder on its path.

    A process whose environment has the variable, but empty, is left alone.

    Args:
        told: The variable's value.
    """
    global _told, _has_begun
    _told = told
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
    """Leaves the processes alone that this one starts from here on."""
    global _told
    _told = ""
    os.environ.pop(NAME, None)  # which leaves the children of this process alone, also those of its children
    rest = [entry for entry in os.environ.get(PATH, "").split(os.pathsep) if entry != FOLDER]
    if any(rest):
        os.environ[PATH] = os.pathsep.join(rest)
    else:
        os.environ.pop(PATH, None)


def leave_word(command: str, what: str, name: str = "") -> None:
    """Leaves word for the program's report of a Python that takes over nothing; where settings are lost, it is said.

    Args:
        command: What it runs.
        what: Why.
        name: The word's file; by default this process's.
    """
    _, _, records, has_settings, _ = parts(_told)
    if has_settings and sys.stderr is not None:
        lost = "the settings that tf1mem run was given don't hold there"
        print(f"tf1mem: warning: {command}: {what}, and {lost}", file=sys.stderr, flush=True)
    if records:
        try:
            path = os.path.join(records, f"{name or os.getpid()}.word")
            with open(path, "w", encoding="utf-8", errors="replace") as file:
                file.write(f"{command}\n{what}")
        except OSError:
            pass  # the program has ended, and with it its report


def when_deaf(act: Callable[[str, str], object]) -> None:
    """Calls a function with the flag and the command of each Python that is started out of reach."""
    _when_deaf.append(act)


def _ensure() -> None:
    """Puts the variable into this process's own environment, unless the program has emptied it."""
    if os.environ.get(NAME) is None or (os.environ[NAME] and os.environ[NAME] != _told):
        os.environ[NAME] = _told
    if os.environ[NAME]:
        os.environ[PATH] = _with_folder(os.environ.get(PATH, ""))


def _with_folder(path: str) -> str:
    return path if FOLDER in path.split(os.pathsep) else os.pathsep.join(filter(None, [FOLDER, path]))


def _mapped(environment: Any) -> Any:
    """A mapping of names to values, of text or bytes, with the variable."""
    here = {os.fsencode(name): os.fsencode(value) for name, value in environment.items()}
    own = here.setdefault(os.fsencode(NAME), os.fsencode(_told))
    if own:
        here[os.fsencode(PATH)] = os.fsencode(_with_folder(os.fsdecode(here.get(os.fsencode(PATH), b""))))
    return here


def _put_around(module: Any, name: str, place: int | None, command: int) -> None:
    """Puts the variable into what a function is given for an environment.

    Args:
        module: The module that has it.
        name: Its name.
        place: Which of its arguments is the environment; None if it has none.
        command: Which one is the command.
    """
    original: Any = getattr(module, name, None)
    if original is None or hasattr(original, "tf1mem"):
        return

    def start(*args: Any, **kwargs: Any) -> Any:
        if _told:
            try:
                args = _changed(args, place, command)
            except Exception:
                pass  # called wrongly, which the function says best
        return original(*args, **kwargs)

    start.__name__ = start.__qualname__ = name
    start.__doc__ = original.__doc__
    start.tf1mem = True  # type: ignore[attr-defined]
    setattr(module, name, start)


def _changed(args: tuple[Any, ...], place: int | None, command: int) -> tuple[Any, ...]:
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
    if _when_deaf and not is_left_alone:
        given = args[command]
        line = given if isinstance(given, str) else " ".join(map(os.fsdecode, given))
        import re  # which takes as long as the rest of a start

        deaf = re.search(_DEAF, line)
        if deaf:
            for act in _when_deaf:
                act("-" + deaf.group(1), line)
    return args
