"""Claims: spans of a module's source that rules have to leave alone, each with the reason.

The plan of a target claims the spans that it rewrites itself. A rule claims the spans that other rules would otherwise
rewrite again. Each rule reads the facts and all claims.
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


class ClaimKind(Enum):
    """The reason for a claim."""

    CALL = "a call that needs nothing more"
    GONE = "source that goes away, or is written anew"
    MOVED = "an import statement that leads to tf1mem.v1 afterwards"
    NEEDLESS = "an import statement that nothing needs afterwards"


class Claim(NamedTuple):
    """A span of the source, in offsets, with the reason of the claim."""

    kind: ClaimKind
    start: int
    end: int


def claim(kind: ClaimKind, node: Node) -> Claim:
    """Returns the claim of a node."""
    return Claim(kind, node.start_byte, node.end_byte)


class TargetPlan:
    """A target's own changes to a module; a target without a plan of its own leaves everything to the rules.

    Args:
        facts: The module's facts.
        to: The target: "shim", "apply" or "native".
        codes: Codes of the active rules.
        gpu_memory_mib: Memory of a GPU in MiB, by which a fraction becomes a limit; None if unknown.
        for_graphs: True if the program that the module belongs to switches TensorFlow 2's behavior off.
    """

    def __init__(
        self, facts: Facts, to: str, codes: frozenset[str], gpu_memory_mib: int | None = None, for_graphs: bool = False
    ) -> None:
        self.facts, self.to, self.codes = facts, to, codes
        self.gpu_memory_mib, self.for_graphs = gpu_memory_mib, for_graphs

    def claims(self) -> Iterator[Claim]:
        """Yields the spans that the plan settles."""
        yield from ()

    def findings(self, code: str) -> Iterator[Finding]:
        """Yields the plan's rewrites and remarks, under a rule's code."""
        yield from ()

    def supplied(self) -> set[str]:
        """Returns names that the module will get from tf1mem.v1 and that TensorFlow 2 lacks."""
        return set()

    @property
    def explains_stay(self) -> bool:
        """Returns True if the plan's own remarks say why imports stay that could move to tf1mem.v1."""
        return False


class Claims:
    """All claims on a module, computed on demand.

    Args:
        plan: The target's plan.
        by_rules: Claims of rules: pairs of a kind, and a function that yields the spans, from the facts and the plan's
            claims.

    Attributes:
        to: The target: "shim", "apply" or "native".
    """

    def __init__(self, plan: TargetPlan, by_rules: Sequence[tuple[ClaimKind, Claimer]] = ()) -> None:
        self.to, self._plan, self._facts, self._by_rules = plan.to, plan, plan.facts, by_rules
        self._of_the_plan: frozenset[Claim] | None = None
        self._spans: dict[ClaimKind, frozenset[tuple[int, int]]] = {}

    def has(self, kind: ClaimKind, node: Node) -> bool:
        """Returns True if a claim of this kind has exactly a node's span."""
        return (node.start_byte, node.end_byte) in self._spans_of(kind)

    def settles(self, call: Node) -> bool:
        """Returns True if a call needs no change: it is claimed, or will come from tf1mem.v1."""
        return self.has(ClaimKind.CALL, call) or self.comes_from_shim(callee(call))

    def covers(self, node: Node) -> bool:
        """Returns True if a node lies in source that is removed or rewritten."""
        return any(start <= node.start_byte and node.end_byte <= end for start, end in self._spans_of(ClaimKind.GONE))

    @property
    def moves_any(self) -> bool:
        """Returns True if any import is rewritten to import from tf1mem.v1."""
        return bool(self._spans_of(ClaimKind.MOVED))

    @property
    def uses_shim(self) -> bool:
        """Returns True if, with target shim, anything will come from tf1mem.v1."""
        return self.moves_any or (self.to == "shim" and HOME.encode() in self._facts.source.text)

    def comes_from_shim(self, node: Node) -> bool:
        """Returns True if, with target shim, the root of an expression (`tf` of `tf.Session`) will be tf1mem.v1's."""
        if self.to != "shim":
            return False
        root = node
        while root.type in ("attribute", "parenthesized_expression"):
            root = root_of(root) if root.type == "attribute" else root.named_children[0]
        if root.type != "identifier":
            return False
        visible = self._facts.names.visible(root)
        return bool(visible) and all(self._comes_from_shim(binding) for binding in visible)

    @property
    def explains_stay(self) -> bool:
        """Returns True if remarks of the target's plan say why imports stay that could move to tf1mem.v1."""
        return self._plan.explains_stay

    @property
    def supplied(self) -> set[str]:
        """Returns names that the module will get from tf1mem.v1 and that TensorFlow 2 lacks."""
        return self._plan.supplied()

    def planned(self, code: str) -> Iterator[Finding]:
        """Yields the plan's rewrites and remarks, under a rule's code."""
        return self._plan.findings(code)

    def _comes_from_shim(self, binding: Binding, depth: int = 0) -> bool:
        if binding.path is not None:
            return is_shim(binding.path) or self.has(ClaimKind.MOVED, binding.statement)
        if binding.value is None or depth > 8:
            return False
        if binding.value.type == "none":
            return True  # `tf = None` where an import failed: nothing is called there
        root = root_of(binding.value)
        if root.type != "identifier":
            return False
        visible = [other for other in self._facts.names.visible(root) if other.node != binding.node]
        return bool(visible) and all(self._comes_from_shim(other, depth + 1) for other in visible)

    def _spans_of(self, kind: ClaimKind) -> frozenset[tuple[int, int]]:
        if kind not in self._spans:
            if self._of_the_plan is None:
                self._of_the_plan = frozenset(self._plan.claims())
            spans = {(start, end) for claimed_kind, start, end in self._of_the_plan if claimed_kind is kind}
            for claimed_kind, claimer in self._by_rules:
                if claimed_kind is kind:
                    spans.update(claimer(self._facts, Claims(self._plan)))
            self._spans[kind] = frozenset(spans)
        return self._spans[kind]


# Yields the spans that a rule claims.
Claimer = Callable[[Facts, Claims], Iterator[tuple[int, int]]]
