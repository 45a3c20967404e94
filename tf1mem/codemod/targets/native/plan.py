"""Which configs of a module become TensorFlow 2's own calls, and what is in the way of the others.

The calls stand where the config was made and its fields were set: there every value is known, and it is before the
Session, as early as can be. The Session stays, without a config: TensorFlow 2 gives it what tf.config was told. Three
things are minded that TensorFlow 1 did by itself:

- soft placement left out means off, as it did, and is said so: TensorFlow 2 moves ops otherwise;
- where one config of a file logs placement, the others say that they don't: the calls last for the process;
- configs of a file that differ in what else lasted for a Session only (device_count, XLA, the optimizer's options)
  stay with tf1mem.

All or nothing: configs that can reach the same Session, and messages that two configs share, are one construct.
"""

from __future__ import annotations

from functools import cached_property
from typing import Iterator

from tree_sitter import Node

from tf1mem.codemod.claims import Claim, Kind, Plan, claim
from tf1mem.codemod.facts.flow import kills
from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.findings import Finding, remark, rewrite
from tf1mem.codemod.results import Edit
from tf1mem.codemod.source.names import Binding
from tf1mem.codemod.source.syntax import enclosing, is_field
from tf1mem.codemod.targets.native import protos as native_protos
from tf1mem.codemod.targets.native import sessions as native_sessions
from tf1mem.codemod.targets.native.construct import CODES, SESSIONS, Construct
from tf1mem.codemod.targets.native.fields import Unsayable
from tf1mem.codemod.targets.native.imports import Imports
from tf1mem.codemod.targets.native.protos import CONFIG, Proto

_BY_HAND = "Run the codemod on the file that makes it; or write the tf.config calls here, and leave the config out."


class NativePlan(Plan):
    """The configs of a module that become native, and those that don't."""

    @cached_property
    def constructs(self) -> list[Construct]:
        """All of them, in the order of the source; `why_not` says what is in the way."""
        wanted = self.codes.intersection(CODES)
        if not wanted or not self.facts.spelled(CONFIG):
            return []
        found = _Planning(self.facts, self.gpu_memory_mib).run()
        for construct in found:
            if construct.code not in wanted:
                construct.why_not = Unsayable("the rule is left out")
        return found

    @cached_property
    def native(self) -> list[Construct]:
        """The constructs that become native."""
        return [construct for construct in self.constructs if construct.why_not is None]

    @cached_property
    def _imports(self) -> Imports:
        return Imports(self.facts, self.native)

    def claims(self) -> Iterator[Claim]:
        """The calls that are rewritten here or need no rewriting, and what goes away, or is written anew."""
        for item in self._imports.items:
            yield claim(Kind.GONE, item)
        for construct in self.native:
            for call in construct.calls:
                yield claim(Kind.CALL, call)
            for node in construct.gone:
                yield claim(Kind.GONE, node)

    def findings(self, code: str) -> Iterator[Finding]:
        """The constructs, and the calls that are given a config which isn't made here."""
        for construct in self.constructs:
            edits = self._edits(construct)
            if construct.why_not is None and construct.code == code and edits:
                yield rewrite(construct.node, construct.message, *edits)
            elif construct.why_not is not None and code == SESSIONS:
                message = f"this config doesn't become native: {construct.why_not}"
                yield remark(construct.node, message, construct.why_not.remedy)
        for call in native_sessions.of_other_configs(self.facts, self.constructs) if code == SESSIONS else ():
            yield remark(
                call, "the config that is given here isn't made in this file, so it doesn't become native",
                _BY_HAND,
            )  # fmt: skip

    def _edits(self, construct: Construct) -> tuple[Edit, ...]:
        """The edits of a construct that becomes native; those of the imports are the first one's."""
        first = next(iter(self.native), None)
        return (*self._imports.edits, *construct.edits) if construct is first else construct.edits


class _Planning:
    """Messages that belong together, found by who can reach whom."""

    def __init__(self, facts: Facts, gpu_memory_mib: int | None) -> None:
        self.facts, self.gpu_memory_mib = facts, gpu_memory_mib
        self.protos: list[Proto] = []
        self.together: dict[int, int] = {}
        self.by_binding: dict[int, list[int]] = {}
        self.by_attribute: dict[tuple[bytes, int], list[int]] = {}

    def run(self) -> list[Construct]:
        self.protos = [native_protos.make(self.facts, call, kind) for call, kind in native_protos.calls(self.facts)]
        self.protos.sort(key=lambda proto: proto.call.start_byte)
        native_protos.separate(self.protos)
        self.together = {place: place for place in range(len(self.protos))}
        for place, proto in enumerate(self.protos):
            for binding in proto.holders:
                self.by_binding.setdefault(binding.node.id, []).append(place)
            for text, around in proto.attributes:
                self.by_attribute.setdefault((text, around.id if around is not None else 0), []).append(place)
        for place, proto in enumerate(self.protos):
            try:
                self._connect(place, proto)
            except Unsayable as reason:
                proto.why_not = proto.why_not or reason
        groups: dict[int, list[Proto]] = {}
        for place, proto in enumerate(self.protos):
            groups.setdefault(self._first(place), []).append(proto)
        found = [
            Construct(self.facts, group, self.gpu_memory_mib) for group in groups.values() if self._has_a_config(group)
        ]
        native_sessions.differ(self.facts, found)
        for construct in found:
            construct.finish()
        return found

    def _has_a_config(self, group: list[Proto]) -> bool:
        return any(proto.kind == CONFIG for proto in group)

    def _first(self, place: int) -> int:
        while self.together[place] != place:
            place = self.together[place]
        return place

    def _join(self, one: int, other: int) -> None:
        first, second = sorted((self._first(one), self._first(other)))
        self.together[second] = first

    def _connect(self, place: int, proto: Proto) -> None:
        for use in [*proto.uses, *proto.parts]:
            for other in self._reaching(use):
                self._join(place, other)
        if proto.kind == CONFIG:
            return
        # A message goes into a ConfigProto, or into the message around it.
        for handed in proto.handed:
            around = [at for at, other in enumerate(self.protos) if _is_around(handed.call, other)]
            if not around:
                raise Unsayable("{} goes where it can't be followed".format(proto.kind.rpartition(".")[2]))
            for other in around:
                self._join(place, other)

    def _reaching(self, node: Node) -> list[int]:
        """The messages that an expression may be.

        Raises:
            Unsayable: It may be something else.
        """
        found: list[int] = []
        if node.type == "identifier":
            visible = self.facts.names.visible(node)
            for binding in visible:
                if not any(kills(other, binding, node) for other in visible if other != binding):
                    found += self._held_by(binding)
            if visible:
                return [place for place in found if self._is_used_by(place, node)]
        elif node.type == "attribute":
            around = enclosing(node, "class_definition")
            text = self.facts.text(node)
            self._check_assignments(node, text, around)
            found = self.by_attribute.get((text, around.id if around is not None else 0), [])
            if found:
                return [place for place in found if self._is_used_by(place, node)]
        raise Unsayable("`{}` comes from elsewhere".format(self.facts.text(node).decode("utf-8", "replace")))

    def _is_used_by(self, place: int, node: Node) -> bool:
        return any(use.id == node.id for use in self.protos[place].uses)

    def _held_by(self, binding: Binding) -> list[int]:
        places = self.by_binding.get(binding.node.id)
        if places is None:
            name = self.facts.text(binding.node).decode("utf-8", "replace")
            raise Unsayable(f"`{name}` may also come from elsewhere")
        return places

    def _check_assignments(self, node: Node, text: bytes, around: Node | None) -> None:
        leaf = node.child_by_field_name("attribute")
        held = {binding.id for proto in self.protos for binding in _targets(proto)}
        for other in self.facts.source.identifiers(self.facts.text(leaf)) if leaf is not None else ():
            target = other.parent
            above = target.parent if target is not None else None
            if target is None or above is None or above.type != "assignment" or not is_field(above, "left", target):
                continue
            if self.facts.text(target) != text or enclosing(target, "class_definition") != around:
                continue
            statement = above
            while statement.parent is not None and statement.parent.type == "assignment":
                statement = statement.parent
            if statement.parent is None or statement.parent.id not in held:
                raise Unsayable("`{}` may also come from elsewhere".format(text.decode("utf-8", "replace")))


def _targets(proto: Proto) -> list[Node]:
    return [*([proto.statement] if proto.statement is not None else []), *proto.aliases]


def _is_around(call: Node, proto: Proto) -> bool:
    """Whether a call makes a proto, or a message in the call that does."""
    return proto.call.start_byte <= call.start_byte and call.end_byte <= proto.call.end_byte
