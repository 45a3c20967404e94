"""Which configs of a module become TensorFlow 2's own calls, and what is in the way of the others.

The calls stand where the config was made and its fields were set: there every value is known, and it is before the
Session, as early as can be. The Session stays, without a config: TensorFlow 2 gives it what tf.config was told. Three
things are minded that TensorFlow 1 did by itself:

- soft placement left out means off for a Session, as it did, and is said so: TensorFlow 2 moves ops otherwise;
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
from tf1mem.codemod.facts.flow import are_alternatives, kills
from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.findings import Finding, remark, rewrite
from tf1mem.codemod.results import Edit
from tf1mem.codemod.source.names import Binding
from tf1mem.codemod.source.syntax import ancestors, enclosing
from tf1mem.codemod.targets.native.construct import CODES, ONE_FOR_ALL, SESSIONS, Construct
from tf1mem.codemod.targets.native.fields import COUNT, FRACTION, GROWTH, JIT, ONCE, REWRITE, lasts
from tf1mem.codemod.targets.native.imports import needless_imports
from tf1mem.codemod.targets.native.protos import CONFIG, Proto, calls, make, separate
from tf1mem.codemod.targets.native.sessions import of_other_configs
from tf1mem.codemod.targets.native.values import Unsayable, Value

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
    def _needless_imports(self) -> tuple[list[Node], list[Edit]]:
        return needless_imports(self.facts, self.native)

    def claims(self) -> Iterator[Claim]:
        """The calls that are rewritten here or need no rewriting, and what goes away, or is written anew."""
        for item in self._needless_imports[0]:
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
            if code != SESSIONS:
                continue
            if construct.why_not is not None:
                message = f"this config doesn't become native: {construct.why_not}"
                yield remark(construct.node, message, construct.why_not.remedy)
            elif construct.stays is not None and construct.lasting:
                message = f"this config stays with its Session: {construct.stays}"
                yield remark(construct.node, message, construct.stays.remedy)
        for call in self._of_other_configs if code == SESSIONS else ():
            message = "the config that is given here isn't made in this file, so it doesn't become native"
            yield remark(call, message, _BY_HAND)

    @property
    def _of_other_configs(self) -> Iterator[Node]:
        handed = (handed for found in self.constructs for proto in found.configs for handed in proto.handed)
        return of_other_configs(self.facts, {found.call.id for found in handed})

    def _edits(self, construct: Construct) -> tuple[Edit, ...]:
        """The edits of a construct that becomes native; those of the imports are the first one's."""
        is_first = construct is next(iter(self.native), None)
        return (*self._needless_imports[1], *construct.edits) if is_first else construct.edits


class _Planning:
    """Messages that belong together, found by who can reach whom."""

    def __init__(self, facts: Facts, gpu_memory_mib: int | None) -> None:
        self.facts, self.gpu_memory_mib = facts, gpu_memory_mib
        self.protos: list[Proto] = []
        self.together: dict[int, int] = {}
        self.by_binding: dict[int, list[int]] = {}
        self.by_attribute: dict[tuple[bytes, int], list[int]] = {}

    def run(self) -> list[Construct]:
        self.protos = [make(self.facts, call, kind) for call, kind in calls(self.facts)]
        self.protos.sort(key=lambda proto: proto.call.start_byte)
        separate(self.protos)
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
        with_a_config = [group for group in groups.values() if any(proto.kind == CONFIG for proto in group)]
        found = [Construct(self.facts, group, self.gpu_memory_mib) for group in with_a_config]
        _keep_apart(found)
        for construct in found:
            construct.finish()
        return found

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
            self._check_assignments(node, around)
            found = self.by_attribute.get((self.facts.text(node), around.id if around is not None else 0), [])
            if found:
                return [place for place in found if self._is_used_by(place, node)]
        raise Unsayable(f"`{_shown(self.facts, node)}` comes from elsewhere")

    def _is_used_by(self, place: int, node: Node) -> bool:
        return any(use.id == node.id for use in self.protos[place].uses)

    def _held_by(self, binding: Binding) -> list[int]:
        places = self.by_binding.get(binding.node.id)
        if places is None:
            raise Unsayable(f"`{_shown(self.facts, binding.node)}` may also come from elsewhere")
        return places

    def _check_assignments(self, node: Node, around: Node | None) -> None:
        held = {statement.id for proto in self.protos for statement in _statements(proto)}
        for assignment in self.facts.given_to(node):
            statement = next(above for above in ancestors(assignment) if above.type != "assignment")
            if enclosing(assignment, "class_definition") == around and statement.id not in held:
                raise Unsayable(f"`{_shown(self.facts, node)}` may also come from elsewhere")


def _shown(facts: Facts, node: Node) -> str:
    return facts.decoded(node)


def _statements(proto: Proto) -> list[Node]:
    return [*([proto.statement] if proto.statement is not None else []), *proto.aliases]


def _is_around(call: Node, proto: Proto) -> bool:
    """Whether a call makes a proto, or a message in the call that does."""
    return proto.call.start_byte <= call.start_byte and call.end_byte <= proto.call.end_byte


def _keep_apart(constructs: list[Construct]) -> None:
    """Keeps configs of a file that say different things which lasted for a Session only."""
    configs = [(found, config) for found in constructs for config in found.configs]
    for found, reason in list(_contradicted(configs)):
        try:
            found.leave(reason)
        except Unsayable as why:
            found.why_not = why
    for found, config in configs:
        others = [other for other in configs if other[1] is not config]
        for other_found, other in others:
            if found.why_not is not None or found.stays is not None or are_alternatives(config.call, other.call):
                continue
            if found.is_kept or other_found.is_kept:
                differing = _differ_in_what_lasts(found, config, other_found, other)
            else:
                differing = _of_a_session(found, config) ^ _of_a_session(other_found, other)
            if differing:
                names = ", ".join(sorted(differing))
                found.why_not = Unsayable(
                    f"configs of this file differ in {names}, which tf.config would say for all of them"
                )
        found.mind_logging = any(one.logs for one, _ in configs)


def _differ_in_what_lasts(found: Construct, config: Proto, other_found: Construct, other: Proto) -> set[str]:
    """What is settled once in a process, and would be by a config that stays, while another one says otherwise."""
    if not found.is_kept:
        return set()  # what else is set is in the other's ConfigProto
    told = {path: value.text for path, value in found.settings_of(config) if lasts(path)}
    others = {path: value.text for path, value in other_found.settings_of(other) if lasts(path)}
    differing = {path for path in {*told, *others} if told.get(path) != others.get(path)}
    return differing if told and others else set()


def _contradicted(configs: list[tuple[Construct, Proto]]) -> Iterator[tuple[Construct, Unsayable]]:
    """The constructs that would say what tf.config refuses behind what another config says."""
    for found, config in configs:
        if found.why_not is not None or found.is_kept:
            continue
        for other_found, other in configs:
            if other is config or other_found.why_not is not None or are_alternatives(config.call, other.call):
                continue
            names = _contradicting(found.settings_of(config), other_found.settings_of(other))
            if names:
                why = "configs of this file differ in {}, which is read once".format(", ".join(sorted(names)))
                yield found, Unsayable(why, ONE_FOR_ALL)
                break


def _contradicting(said: list[tuple[str, Value]], others: list[tuple[str, Value]]) -> set[str]:
    """Returns the settings that two configs contradict each other in; a limit and growth exclude each other."""
    one, other = (
        {path: value for path, value in each if path in ONCE and path != COUNT and not value.is_nothing}
        for each in (said, others)
    )
    found = {path for path in one if path in other and one[path].text != other[path].text}
    for first, second in ((one, other), (other, one)):
        found |= {GROWTH, FRACTION} if GROWTH in first and FRACTION in second else set()
    return found


def _of_a_session(found: Construct, config: Proto) -> set[str]:
    """The fields of a Session's own that a config says something by."""
    return {
        path
        for path, value in found.settings_of(config)
        if (path in (COUNT, JIT) or path.startswith(REWRITE))
        and not value.is_nothing
        and not (value.is_literal and value.constant == {"CPU": 1})
    }
