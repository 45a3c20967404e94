"""TensorFlow that comes from another module of the program, or as a parameter, is settled there and not here."""

from __future__ import annotations

from typing import Iterator

from tf1mem.codemod.module import Module, Noted
from tf1mem.codemod.rules import Example, Rule
from tf1mem.codemod.source import root_of

rule = Rule(
    "TFM005",
    examples=(
        Example("class A:\n    def f(self):\n        return self.ConfigProto()\n"),
        Example("from own.compat import tf\nconfig = tf.ConfigProto()\n", remarks=("TFM005",)),
        Example("def f(tf):\n    return tf.ConfigProto()\n", remarks=("TFM005",)),
        Example("from own import *\nconfig = tf.ConfigProto()\n", remarks=("TFM005",)),
    ),
)

_LEAVES = ("ConfigProto", "GPUOptions")


@rule
def from_elsewhere(module: Module) -> Iterator[Noted]:
    """Configs built by a name that no import of this file explains."""
    told: set[str] = set()
    for call in module.calls(*_LEAVES):
        function = call.child_by_field_name("function")
        root = root_of(function) if function is not None else None
        if function is None or root is None or root.type != "identifier":
            continue
        name = module.text(root).decode("utf-8", "replace")
        if name in ("self", "cls") or name in told or None not in module.tf1_names(function):
            continue
        told.add(name)
        visible = module.names.visible(root)
        if not visible:
            where = "`{}` isn't imported by name in this file".format(name)
        elif all(binding.kind == "import" for binding in visible):
            where = "`{}` comes from {}".format(name, (visible[0].path or "").rpartition(".")[0] or "another module")
        else:
            where = "`{}` can be several things here".format(name)
        yield Noted(
            root.start_byte, "a config is built by a TensorFlow that comes from elsewhere: " + where,
            "Run the codemod on the file that imports TensorFlow, or import it here.",
        )  # fmt: skip
