"""`%tensorflow_version 1.x` goes: no notebook service knows it any more.

tf1mem runs on whichever TensorFlow is there.
"""

from __future__ import annotations

from typing import Iterator

from tf1mem.codemod.facts.module import Module, Rewritten
from tf1mem.codemod.rules import Example, Rule

rule = Rule("TFM120", examples=(Example("# %tensorflow_version 1.x\nimport os\n"),))


@rule
def version_magic(module: Module) -> Iterator[Rewritten]:
    """Each such line of a notebook; tests/codemod/test_notebooks.py has its examples."""
    for magic in module.extract.magics:
        if magic.text.split()[:1] == ["%tensorflow_version"] and magic.text.split()[1:2] in (["1.x"], ["1"]):
            yield Rewritten(magic.offset, f"`{magic.text}` is taken out", (magic.removal,))
