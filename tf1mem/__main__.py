"""The `tf1mem` command, also `python -m tf1mem`."""

from __future__ import annotations

import os
import sys
from typing import Sequence

from tf1mem.errors import BAD_INPUT, MissingPackageError, complain


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command.

    Args:
        arguments: The command line without the program's name; by default this process's.

    Returns:
        The exit status; `tf1mem/cli/exits.py` lists them.
    """
    is_command = arguments is None and getattr(sys.modules["__main__"], "__spec__", None) is None
    if sys.flags.inspect and is_command and sys.argv[1:2] == ["run"] and sys.executable:
        _start_anew()
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed before Python started: print(file=None) would write to stdout
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - as long as the process
    try:
        import click  # noqa: F401
    except ImportError:
        complain(
            MissingPackageError("the tf1mem command", "needs click, which isn't installed", "pip install 'tf1mem[cli]'")
        )
        return BAD_INPUT
    from tf1mem.cli.app import start

    # `run` returns a function that runs the program. It is called here, so that no frame of click's is on the
    # program's stack.
    status = start(sys.argv[1:] if arguments is None else list(arguments))
    return status() if callable(status) else status


def _start_anew() -> None:
    """Restarts Python with this module in place of the command's script that pip installed.

    That script always raises SystemExit, which Python shows as an error if it is to become interactive afterwards
    (PYTHONINSPECT, -i).
    """
    import subprocess

    flags: list[str] = getattr(subprocess, "_args_from_interpreter_flags", list)()
    os.execv(sys.executable, [sys.executable, *flags, "-m", "tf1mem", *sys.argv[1:]])


if __name__ == "__main__":
    status = main()
    if status != 0 or not sys.flags.inspect:
        sys.exit(status)
