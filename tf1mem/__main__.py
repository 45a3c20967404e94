"""The `tf1mem` command, also `python -m tf1mem`."""

from __future__ import annotations

import os
import sys
from typing import Sequence

from tf1mem.errors import BAD_INPUT, MissingPackageError, complain


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command.

    Args:
        arguments: The command line without the program's name; that of this process by default.

    Returns:
        The exit status: 0, or 2 for bad input.
    """
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed before Python started; what is printed to None would go to stdout
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - as long as the process
    try:
        import click  # noqa: F401
    except ImportError:
        complain(
            MissingPackageError("the tf1mem command", "needs click, which isn't installed", "pip install 'tf1mem[cli]'")
        )
        return BAD_INPUT
    from tf1mem.cli.app import start

    # A command that goes on after the command line has been read, as `run` does, hands back what is left to do. It
    # is called from here, so that nothing of click's stands between a program and Python.
    rest = start(sys.argv[1:] if arguments is None else list(arguments))
    return rest() if callable(rest) else rest


if __name__ == "__main__":
    sys.exit(main())
