"""Records the names that `dir` shows on TensorFlow 1.15.5 of the namespaces of contrib that tf1mem supplies.

Modules outside of contrib, which a namespace merely imports, are left out.

Usage, from the root of the repository, on TensorFlow 1.15.5: python -m tests.v1.contrib.shown
"""

from __future__ import annotations

import json
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from types import ModuleType
from typing import Any

from tf1mem.machine.modules import dotted_name
from tf1mem.machine.tensorflow import installed_version
from tf1mem.names.contrib import FILES, MODULES, TABLE

RECORD = Path(__file__).resolve().parent / "shown.json"
TENSORFLOW = "1.15.5"


def shown() -> dict[str, list[str]]:
    """Returns the recorded names of each namespace of TensorFlow 1.15.5's contrib; its own are those of ""."""
    recorded = json.loads(RECORD.read_text("utf-8"))
    return {namespace: names.split() for namespace, names in recorded.items()}


def _is_own(value: Any) -> bool:
    """Returns False for a module outside of contrib, and for a feature of `__future__`."""
    if isinstance(value, ModuleType):
        return "contrib" in value.__name__.split(".")
    return type(value).__module__ != "__future__"


def _record() -> None:
    """Writes the names of all namespaces of contrib that TensorFlow has."""
    contrib, record = import_module("tensorflow.contrib"), {}
    supplied = {path.rpartition(".")[0] for path in (*TABLE, *MODULES, *FILES)}
    for namespace in sorted({"", *supplied}):
        try:
            module = attrgetter(namespace)(contrib) if namespace else contrib
        except AttributeError:
            try:
                module = import_module(dotted_name("tensorflow.contrib", namespace))
            except ImportError:
                continue  # a file of a folder `python`, or not in this build
        names = {name: getattr(module, name, None) for name in dir(module) if not name.startswith("_")}
        record[namespace] = " ".join(sorted(name for name, value in names.items() if _is_own(value)))
    lines = [f"{json.dumps(namespace)}: {json.dumps(names)}" for namespace, names in record.items() if names]
    RECORD.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    if str(installed_version()) != TENSORFLOW:
        raise SystemExit(__doc__)
    _record()
