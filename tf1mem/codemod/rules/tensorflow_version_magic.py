"""`%tensorflow_version 1.x` is removed: no notebook service supports it any more.

tf1mem runs on any installed TensorFlow.
"""

from __future__ import annotations

from typing import Iterator

from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.findings import Rewrite
from tf1mem.codemod.rules import Example, Rule

# In a Python file, unlike in a notebook, the line is a comment, which stays.
rule = Rule("TFM120", examples=(Example("# %tensorflow_version 1.x\nimport os\n"),))


@rule
def version_magic(facts: Facts) -> Iterator[Rewrite]:
    """Yields the removal of each `%tensorflow_version 1.x`; tests/codemod/files/test_notebook.py has examples."""
    for magic in facts.extract.magics:
        if magic.text.split()[:1] == ["%tensorflow_version"] and magic.text.split()[1:2] in (["1.x"], ["1"]):
            yield Rewrite(magic.offset, f"`{magic.text}` is removed", (magic.removal,))
