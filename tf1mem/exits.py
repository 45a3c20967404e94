"""How a command ends: its exit status, and what is said on stderr."""

from __future__ import annotations

import sys

BAD_INPUT = 2
INTERRUPTED = 130  # 128 + SIGINT, as shells count
NOBODY_READS = 141  # 128 + SIGPIPE


def complain(error: object) -> None:
    """Prints an error of tf1mem's own, without a traceback."""
    print(f"tf1mem: error: {error}", file=sys.stderr)
