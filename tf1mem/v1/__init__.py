"""TensorFlow 1's API and behavior, whichever TensorFlow is installed: `import tf1mem.v1 as tf`.

On TensorFlow 1 this is TensorFlow itself. On TensorFlow 2 it is `tensorflow.compat.v1` with TensorFlow 2's behavior
switched off. Sessions and all other calls that take a ConfigProto pass it to `tf1mem.apply`, so that it has the effect
that it had in TensorFlow 1. Names that TensorFlow has moved since are in their old places, and `contrib` exists.
"""

from __future__ import annotations

from typing import Any as _Any

from tf1mem.v1 import _overlays

_tree = _overlays.make_tree()


def __getattr__(name: str) -> _Any:
    value = _tree.get("", name)
    if name != "__all__":  # computed at each access, from the names at that time
        globals()[name] = value
    return value


def __dir__() -> list[str]:
    # `annotations` is the name that the __future__ import adds.
    return sorted((set(globals()) - {"annotations"}).union(_tree.dir("")))
