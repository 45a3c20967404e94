"""Files that a command writes at its end: looked at before it begins."""

from __future__ import annotations

import os

from tf1mem.errors import Tf1memError


def check_writable(option: str, path: str, error: type[Tf1memError]) -> None:
    """Checks that a file can be written, and leaves everything as it is.

    Args:
        option: The option that names it.
        path: The file, which need not be there yet.
        error: The class of the error that is raised.

    Raises:
        Tf1memError: It can't be written, or is no file.
    """
    option_and_path = f"{option} {path}"
    new = not os.path.lexists(path)
    if not new and not os.path.isfile(path):
        raise error(option_and_path, "is not a file", "Name a file, or one that isn't there yet")
    try:
        with open(path, "ab"):
            pass
    except OSError as fault:
        raise error(option_and_path, f"can't be written ({fault.strerror})", "Name a file that can") from None
    if new:
        os.unlink(path)
