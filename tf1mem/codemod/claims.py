"""What of a module is settled before a rule looks at it: stretches of its source, each claimed for a reason.

A target makes a plan of the facts, and the plan claims what it settles; so does a rule that rewrites what others would
rewrite, too. A rule looks at the facts and at the claims, and never asks who made them.
"""

from __future__ import annotations

from enum import Enum
from typing import Callable, Iterator, NamedTuple, Sequence

from tree_sitter import Node

from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.findings import Finding
from tf1mem.codemod.source.names import Binding
from tf1mem.codemod.source.paths import HOME, is_shim
from tf1mem.codemod.source.syntax import callee, root_of

TARGETS = ("shim", "apply", "native")


class Kind(Enum):
    """Why source is claimed."""

    CALL = "a call that needs nothing more"
    GONE = "source that goes away, or is written anew"
    MOVED = "an import statement that leads to tf1mem.v1 afterwards"
    NEEDLESS = "an import statement that nothing needs afterwards"


class Claim(NamedTuple):
    """A stretch of the source, as offsets, and why it is claimed."""

    kind: Kind
    start: int
    end: int


def claim(kind: Kind, node: Node) -> Claim:
    """The claim of a node."""
    return Claim(kind, node.start_byte, node.end_byte)


class Plan:
    """What a target does to a module by itself; a target without a plan of its own leaves everything to the rules.

    Args:
        facts: What is known of the module.
        to: The target.
        codes: The codes of the rules that are at work.
        gpu_memory_mib: The memory of a GPU, for which a fraction can be said as a limit; None where not known.
        for_graphs: Whether the program that the module is a part of switches TensorFlow 2's behavior off.
    """

    def __init__(
        self, facts: Facts, to: str, codes: frozenset[str], gpu_memory_mib: int | None = None, for_graphs: bool = False
    ) -> None:
        self.facts, self.to, self.codes = facts, to, codes
        self.gpu_memory_mib, self.for_graphs = gpu_memory_mib, for_graphs

    def claims(self) -> Iterator[Claim]:
        """What it settles."""
        yield from ()

    def findings(self, code: str) -> Iterator[Finding]:
        """What it does, and why it doesn't, told under a rule's code."""
        yield from ()

    def supplied(self) -> set[str]:
        """Names that tf1mem.v1 supplies to the module afterwards, and that TensorFlow 2 hasn't got."""
        return set()


class Claims:
    """All claims on a module, worked out when they are asked for.

    Args:
        plan: The target's.
        by_rules: What rules claim: of which kind, and what does it, from the facts and the claims of the plan alone.

    Attributes:
        to: The target, in whose terms a rule writes.
    """

    def __init__(self, plan: Plan, by_rules: Sequence[tuple[Kind, Claimer]] = ()) -> None:
        self.to, self._plan, self._facts, self._by_rules = plan.to, plan, plan.facts, by_rules
        self._of_the_plan: frozenset[Claim] | None = None
        self._found: dict[Kind, frozenset[tuple[int, int]]] = {}

    def has(self, kind: Kind, node: Node) -> bool:
        """Whether a node, all of it and no more, is claimed so."""
        return (node.start_byte, node.end_byte) in self._all(kind)

    def settles(self, call: Node) -> bool:
        """Whether a call needs nothing more, because it is claimed, or comes from tf1mem.v1 afterwards."""
        return self.has(Kind.CALL, call) or self.leads_home(callee(call))

    def covers(self, node: Node) -> bool:
        """Whether a node lies in source that goes away, or is written anew."""
        return any(start <= node.start_byte and node.end_byte <= end for start, end in self._all(Kind.GONE))

    @property
    def moves_any(self) -> bool:
        """Whether any import leads to tf1mem.v1 that didn't before."""
        return bool(self._all(Kind.MOVED))

    @property
    def has_home(self) -> bool:
        """Whether anything comes from tf1mem.v1 afterwards, where that is the target."""
        return self.moves_any or (self.to == "shim" and HOME.encode() in self._facts.source.text)

    def leads_home(self, node: Node) -> bool:
        """Whether an expression comes from tf1mem.v1 afterwards, where that is the target, by what its root is."""
        if self.to != "shim":
            return False
        root = node
        while root.type in ("attribute", "parenthesized_expression"):
            root = root_of(root) if root.type == "attribute" else root.named_children[0]
        if root.type != "identifier":
            return False
        visible = self._facts.names.visible(root)
        return bool(visible) and all(self._leads_home(binding) for binding in visible)

    @property
    def supplied(self) -> set[str]:
        """Names that tf1mem.v1 supplies afterwards, and that TensorFlow 2 hasn't got."""
        return self._plan.supplied()

    def planned(self, code: str) -> Iterator[Finding]:
        """What the plan does, and why it doesn't, told under a rule's code."""
        return self._plan.findings(code)

    def _leads_home(self, binding: Binding, depth: int = 0) -> bool:
        if binding.path is not None:
            return is_shim(binding.path) or self.has(Kind.MOVED, binding.statement)
        if binding.value is None or depth > 8:
            return False
        if binding.value.type == "none":
            return True
        root = root_of(binding.value)
        if root.type != "identifier":
            return False
        visible = [found for found in self._facts.names.visible(root) if found.node != binding.node]
        return bool(visible) and all(self._leads_home(found, depth + 1) for found in visible)

    def _all(self, kind: Kind) -> frozenset[tuple[int, int]]:
        if kind not in self._found:
            if self._of_the_plan is None:
                self._of_the_plan = frozenset(self._plan.claims())
            found = {(start, end) for of, start, end in self._of_the_plan if of is kind}
            for of, claimer in self._by_rules:
                if of is kind:
                    found.update(claimer(self._facts, Claims(self._plan)))
            self._found[kind] = frozenset(found)
        return self._found[kind]


# Gives the stretches that a rule claims.
Claimer = Callable[[Facts, Claims], Iterator[tuple[int, int]]]
