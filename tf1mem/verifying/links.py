"""Large files that the sides read from the program's own folder, kept from being written.

A copy of the program's folder has links to files that are too large to be copied. While sides run, this process holds a
lease on each of them: Linux lets nobody open a leased file for writing before its holder has answered, or some time has
passed, 45 seconds by default. The sides are ended as soon as one of them tries it.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Sequence

from tf1mem.errors import VerifyError
from tf1mem.verifying.places import ROOM, too_large

# File descriptors that this process needs besides those of leases.
_OTHERS = 200


class Links:
    """The files that are linked into copies, and their leases, which end with the context.

    Args:
        roots: The folders that are copied.
        work: The folder that the copies are made in.

    Attributes:
        paths: The real paths of the linked files.

    Raises:
        VerifyError: A file is too large to be copied, and can't be kept from being written.
    """

    def __init__(self, roots: Sequence[str], work: Path) -> None:
        self.paths = too_large(roots, work)
        self._leased: dict[int, str] = {}

    def __enter__(self) -> Links:
        try:
            for path in sorted(self.paths):
                self._lease(path)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: Any) -> None:
        for descriptor in self._leased:
            os.close(descriptor)
        self._leased = {}

    def _lease(self, path: str) -> None:
        """Takes a lease on a file; raises an error if that can't be done for a file that may be written."""
        try:
            import fcntl

            _allow_descriptors(len(self._leased) + _OTHERS)
            descriptor = os.open(path, os.O_RDONLY)
            self._leased[descriptor] = path
            fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)  # type: ignore[attr-defined, unused-ignore]
            fcntl.fcntl(descriptor, fcntl.F_SETOWN, 0)  # no signal, whose default would end this process
        except (ImportError, AttributeError, OSError):
            if os.access(path, os.W_OK):
                fault = f"is too large to be copied ({_size(path)}), and can't be kept from being written"
                raise VerifyError(path, fault, "Make it read-only, or move it out of the program's folder") from None

    def check(self) -> None:
        """Checks that nobody tries to open a linked file for writing.

        Raises:
            VerifyError: Somebody does.
        """
        if not self._leased:
            return
        import fcntl

        for descriptor, path in self._leased.items():
            if fcntl.fcntl(descriptor, fcntl.F_GETLEASE) != fcntl.F_RDLCK:  # type: ignore[attr-defined, unused-ignore]
                fault = (
                    f"is opened for writing, but is too large to be copied ({_size(path)}); the sides were ended first"
                )
                remedy = f"Have the program write to another file; files of {ROOM >> 30} GiB in all are copied"
                raise VerifyError(path, fault, remedy)


def _size(path: str) -> str:
    return f"{os.path.getsize(path):,} bytes"


def _allow_descriptors(count: int) -> None:
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < count:
        limit = 2 * count if hard == resource.RLIM_INFINITY else min(2 * count, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
