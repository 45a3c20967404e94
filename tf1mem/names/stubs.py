"""Writes stubs of tf1mem.v1 for editors when a wheel is built, since its namespaces are created when it is imported.

An editor reads stubs beside the installed TensorFlow, and runs nothing. So a stub imports all names from each place
where any TensorFlow has the namespace; a place that this TensorFlow lacks contributes none.
"""

from __future__ import annotations

from typing import Iterable, Iterator, Mapping

from tf1mem.machine.modules import dotted_name
from tf1mem.names import before_1
from tf1mem.names.contrib import MODULES, TABLE
from tf1mem.names.rows import DATA, by_first_word, sections

ROOT = "tf1mem.v1"

# The names of each namespace on any TensorFlow, recorded by tests/v1/names.py: a line for each namespace.
_NAMES = DATA / "v1_names.txt"
_HEAD = "# Recorded by tests/v1/names.py: the names of tf1mem.v1 on every TensorFlow of the matrix."
# The classes of ConfigProto that have types of their own.
_TYPED = ("ConfigProto", "GPUOptions", "GraphOptions", "OptimizerOptions")

# The packages with compat.v1 in TensorFlow 1.13 and 1.14, in 1.15, in 2.0, and later.
_V1 = (
    "tensorflow._api.v1.compat.v1",
    "tensorflow_core._api.v1.compat.v1",
    "tensorflow_core._api.v2.compat.v1",
    "tensorflow._api.v2.compat.v1",
)
# Namespace that lies (also) outside of compat.v1 -> the packages that have it.
_ELSEWHERE = {
    "estimator": ("tensorflow_estimator._api.v1",),
    "flags": ("tensorflow_core.python.platform", "tensorflow.python.platform"),
    "keras": (
        "tensorflow._api.v1",  # 1.13
        "tensorflow_core.python.keras.api._v1",  # 1.15 and 2.0
        "tensorflow.python.keras.api._v1",  # to 2.5
        "keras.api._v1",  # to 2.15
        "tf_keras.api._v1",
    ),
    "layers": (*_V1, "keras.api._v1.keras.__internal__.legacy", "tf_keras.api._v1.keras.__internal__.legacy"),
}

# Namespace -> the namespaces below it that compat.v1 has in every TensorFlow.
_NAMESPACES = by_first_word(sections("v1_namespaces")[""])


def namespaces() -> list[str]:
    """Returns the namespaces of compat.v1 that have a stub."""
    return [dotted_name(above, name) for above, below in _NAMESPACES.items() for name in below]


def names() -> dict[str, list[str]]:
    """Returns the names of each namespace of compat.v1 on any TensorFlow; "" is the root."""
    return by_first_word(sections("v1_names")[""])


def write_names(known: Mapping[str, Iterable[str]]) -> None:
    """Writes the recorded names.

    Args:
        known: The names of each namespace.
    """
    lines = (" ".join([namespace or ".", *sorted(known[namespace])]) for namespace in sorted(known))
    _NAMES.write_text("\n".join([_HEAD, *lines, ""]), encoding="utf-8")


def all_stubs() -> Iterator[tuple[str, str]]:
    """Yields every stub: the folder below tf1mem/v1 for its `__init__.pyi`, and its text."""
    known = names()
    for path in before_1.TABLE:
        namespace, _, name = path.rpartition(".")
        known.setdefault(namespace, []).append(name)
    for namespace in ["", *namespaces()]:
        children = _NAMESPACES.get(namespace, []) + ([] if namespace else ["contrib"])
        own = [_line(dotted_name(ROOT, namespace), name) for name in children]
        if not namespace:
            own += (_line("tf1mem.settings.proto_types", name) for name in _TYPED)
            children += _TYPED
        elif namespace == "app":
            own.append(_line(ROOT, "flags"))
            children.append("flags")
        # Every known name is imported. For pyright a name that is missing there is of unknown type until a star import
        # has it; for mypy all names are of type Any.
        place = dotted_name(_places(namespace)[-1], namespace)
        named = (_line(place, name) for name in sorted({*known.get(namespace, ())} - {*children}))
        lines = [*named, *_everything(namespace), *own]
        yield namespace.replace(".", "/"), _stub(lines)
    for namespace, lines_by_name in _of_contrib().items():
        lines = [line for _, line in sorted(lines_by_name.items())]
        # TensorFlow 1 itself has more names. `__getattr__` has no types, since mypy reports a type as an unknown name
        # if stubs import each other.
        yield dotted_name("contrib", namespace).replace(".", "/"), _stub([*lines, "def __getattr__(name): ..."])


def _places(namespace: str) -> tuple[str, ...]:
    return _ELSEWHERE.get(namespace.partition(".")[0], _V1)


def _everything(namespace: str) -> Iterable[str]:
    return (f"from {dotted_name(place, namespace)} import *" for place in _places(namespace))


def _of_contrib() -> dict[str, dict[str, str]]:
    """Returns contrib's namespaces, except those that are a file, with the import line of each of their names."""
    lines: dict[str, dict[str, str]] = {}
    for dotted in {*(name.rpartition(".")[0] for name in TABLE), *MODULES} - {""}:
        parts = dotted.split(".")
        for size, leaf in enumerate(parts):
            above = ".".join(parts[:size])
            lines.setdefault(above, {})[leaf] = _line(dotted_name(ROOT, "contrib", above), leaf)
    for path, home in TABLE.items():
        namespace, _, name = path.rpartition(".")
        lines.setdefault(namespace, {})[name] = _from_home(home, name)
    return {namespace: names for namespace, names in lines.items() if namespace not in MODULES}


def _from_home(home: str, name: str) -> str:
    """Returns the line that imports a name of contrib from its home in the table."""
    module, _, leaf = home.rpartition(".")
    top = home.partition(".")[0]
    if top == "python":
        module = dotted_name("tensorflow", module)
    elif top not in ("tensorflow", "tf1mem"):
        module = dotted_name(ROOT, module)
    return _line(module, leaf, name)


def _line(module: str, leaf: str, name: str | None = None) -> str:
    if name in (None, leaf):
        return f"from {module} import {leaf} as {leaf}"
    return f"from {module} import {leaf} as _{name}\n{name} = _{name}"  # a stub doesn't export `import a as b`


def _stub(lines: Iterable[str]) -> str:
    return "\n".join([*lines, ""])
