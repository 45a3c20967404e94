"""Rewrites old TF1 source so that its GPU settings hold on every TensorFlow.

    from tf1mem.codemod import rewrite
    result = rewrite(source_bytes, to="shim")

The targets are "shim" (the default: imports lead to `tf1mem.v1`, the shim), "apply" and "native".
`rewrite` touches no files and prints nothing. It needs Python 3.10 and `pip install tf1mem[cli]`, and runs on any
machine: TensorFlow isn't imported.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Public name -> the module that defines it.
_HOMES = {
    "Change": "results",
    "Edit": "results",
    "Remark": "results",
    "Result": "results",
    "TARGETS": "rewriting",
    "rewrite": "rewriting",
}

__all__ = sorted(_HOMES)  # noqa: PLE0605 - the names of _HOMES are strings


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'tf1mem.codemod' has no attribute {name!r}")
    if home == "rewriting":
        from tf1mem.machine.extras import check_codemod

        check_codemod("tf1mem.codemod." + name)
    value = getattr(import_module("tf1mem.codemod." + home), name)
    globals()[name] = value
    return value
