"""Names of tf.contrib and tensorflow.examples that tf1mem.v1 lacks need a decision by hand.

tf1mem.v1 has most of contrib, in its own files or by TensorFlow's new names. A remark names each missing one, with the
replacement on the newest TensorFlow.
"""

from __future__ import annotations

from typing import Iterator

from tf1mem.codemod.claims import ClaimKind, Claims
from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.findings import Note, remark
from tf1mem.codemod.rules import HEAD, Example, Rule
from tf1mem.codemod.source.paths import tf1_name
from tf1mem.machine.versions import NEWEST
from tf1mem.names import contrib

_CODE = "TFM103"
_CONTRIB, _EXAMPLES = "contrib.", "examples."

rule = Rule(
    _CODE,
    to=("shim",),
    of_changed=True,
    examples=(
        Example(
            HEAD + "model = tf.contrib.gan.gan_model(generator, critic, real, noise)\n",
            "import tf1mem.v1 as tf\nmodel = tf.contrib.gan.gan_model(generator, critic, real, noise)\n",
            remarks=(_CODE,),
        ),
    ),
)


@rule
def contrib_names(facts: Facts, claims: Claims) -> Iterator[Note]:
    """Yields a remark for each name that should come from tf1mem.v1 and isn't there, once."""
    reported: set[str] = set()
    for binding in facts.imports.bindings:
        if not claims.has(ClaimKind.MOVED, binding.statement):
            continue
        imported = tf1_name(binding.path or "") or ""
        used = [(imported, binding.statement)] if _is_of_interest(imported) else []
        for dotted, node in [*used, *facts.imports.uses(binding, _is_of_interest)]:
            name, remedy = _lacking(dotted)
            if name and name not in reported and not facts.guarded(node):
                reported.add(name)
                yield remark(node, f"tf1mem.v1 lacks {name}", remedy + ".")


def _lacking(dotted: str) -> tuple[str, str]:
    """Returns the part of a name that tf1mem.v1 lacks, and the remedy; "" for both if it lacks nothing."""
    if dotted.startswith(_EXAMPLES):
        return ("", "") if contrib.has_example(dotted[len(_EXAMPLES) :]) else ("tensorflow." + dotted, contrib.EXAMPLES)
    missing = contrib.lacks(dotted[len(_CONTRIB) :], NEWEST)
    return ("", "") if missing is None else ("tf.contrib." + missing[0], missing[1])


def _is_of_interest(dotted: str) -> bool:
    return dotted.startswith((_CONTRIB, _EXAMPLES))
