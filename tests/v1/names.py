"""Records the names of tf1mem.v1 on this TensorFlow, from which the stubs for editors are made.

Usage: python -m tests.v1.names [--check]. It adds the names to `tf1mem/names/data/v1_names.txt`; with --check it lists
those that are missing there.
"""

from __future__ import annotations

import sys
from typing import Any

from tf1mem.errors import Tf1memError
from tf1mem.names import stubs


def names() -> dict[str, set[str]]:
    """Returns the public names of each namespace that this TensorFlow has."""
    import tf1mem.v1 as tf

    public = {}
    for namespace in ["", *stubs.namespaces()]:
        try:
            public[namespace] = {name for name in dir(_resolved(tf, namespace)) if not name.startswith("_")}
        except (AttributeError, Tf1memError):
            continue  # estimator and Keras before TensorFlow 2.16, tpu after 1.13
    return public


def _resolved(value: Any, namespace: str) -> Any:
    for part in filter(None, namespace.split(".")):
        value = getattr(value, part)
    return value


def main(arguments: list[str]) -> int:
    """Adds names to the file, or checks it; returns 1 if some are missing."""
    known = {namespace: set(listed) for namespace, listed in stubs.names().items()}
    newest = names()
    missing = [
        f"{namespace}.{name}" for namespace in newest for name in newest[namespace] - known.get(namespace, set())
    ]
    if "--check" in arguments:
        print(*sorted(missing), sep="\n")
        return int(bool(missing))
    for namespace, listed in newest.items():
        known.setdefault(namespace, set()).update(listed)
    stubs.write_names(known)
    print(f"{len(missing)} names added")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
