"""The plan of target native: the configs that become TensorFlow 2's own calls, and the reasons why others don't.

The calls stand where the config was made and its fields were set: there every value is known, and no Session is made
yet. The Session stays, without a config, and TensorFlow 2 gives it the settings of tf.config. Three details of
TensorFlow 1 are kept:

- a Session's soft placement is off unless set, so a call switches it off: TensorFlow 2 moves ops otherwise;
- if one config of a file logs placement, the others get a call that switches it off: such calls last for the process;
- configs of a file that differ in other settings of one Session (device_count, XLA, the optimizer's options) stay
  with tf1mem.

A construct is rewritten as a whole or not at all. Configs that can reach the same Session, and messages that two
configs share, belong to one construct.
"""

from __future__ import annotations

from functools import cached_property
from typing import Iterator

from tree_sitter import Node

from tf1mem.codemod.claims import Claim, ClaimKind, TargetPlan, claim
from tf1mem.codemod.facts.flow import are_alternatives, kills
from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.findings import Finding, remark, rewrite
from tf1mem.codemod.results import Edit
from tf1mem.codemod.source.names import Binding
from tf1mem.codemod.source.syntax import ancestors, enclosing
from tf1mem.codemod.targets.native.config_consumers import of_other_configs
from tf1mem.codemod.targets.native.config_sources import CONFIG, Proto, calls, drop_replaced_uses, make
from tf1mem.codemod.targets.native.construct import CODES, ONE_FOR_ALL, SESSIONS, Construct
from tf1mem.codemod.targets.native.field_values import InexpressibleError, Value
from tf1mem.codemod.targets.native.field_writers import JIT, ONCE, REWRITE, lasts
from tf1mem.codemod.targets.native.unneeded_imports import needless_imports
from tf1mem.settings.field_names import COUNT, FRACTION, GROWTH

_BY_HAND = "Run the codemod on the file that makes it; or write the tf.config calls here, and leave the config out."


class NativePlan(TargetPlan):
    """The configs of a module that become native, and those that don't."""

    @cached_property
    def constructs(self) -> list[Construct]:
        """The constructs, in the order of the source; `why_not` is the obstacle."""
        active = self.codes.intersection(CODES)
        if not active or not self.facts.mentions(CONFIG):
            return []
        constructs = _Planning(self.facts, self.gpu_memory_mib).run()
        for construct in constructs:
            if construct.code not in active:
                construct.why_not = InexpressibleError("the rule is left out")
        return constructs

    @cached_property
    def native(self) -> list[Construct]:
        """Returns the constructs that become native."""
        return [construct for construct in self.constructs if construct.why_not is None]

    @cached_property
    def _needless_imports(self) -> tuple[list[Node], list[Edit]]:
        return needless_imports(self.facts, self.native)

    def claims(self) -> Iterator[Claim]:
        """Yields claims of the calls that need no more rewriting, and of nodes that are removed or rewritten."""
        for item in self._needless_imports[0]:
            yield claim(ClaimKind.GONE, item)
        for construct in self.native:
            for call in construct.calls:
                yield claim(ClaimKind.CALL, call)
            for node in construct.claimed_nodes:
                yield claim(ClaimKind.GONE, node)

    def findings(self, code: str) -> Iterator[Finding]:
        """Yields the rewrites of constructs, and remarks for configs that stay or come from elsewhere."""
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
        for call in self._consumers_of_other_configs if code == SESSIONS else ():
            message = "the config that is passed here isn't made in this file, so it doesn't become native"
            yield remark(call, message, _BY_HAND)

    @property
    def _consumers_of_other_configs(self) -> Iterator[Node]:
        handed = (handed for construct in self.constructs for proto in construct.configs for handed in proto.handed)
        return of_other_configs(self.facts, {argument.call.id for argument in handed})

    def _edits(self, construct: Construct) -> tuple[Edit, ...]:
        """Returns the edits of a native construct; the first one includes the edits of imports."""
        is_first = construct is next(iter(self.native), None)
        return (*self._needless_imports[1], *construct.edits) if is_first else construct.edits


class _Planning:
    """Groups messages that can reach each other into constructs."""

    def __init__(self, facts: Facts, gpu_memory_mib: int | None) -> None:
        self.facts, self.gpu_memory_mib = facts, gpu_memory_mib
        self.protos: list[Proto] = []
        self.together: dict[int, int] = {}
        self.by_binding: dict[int, list[int]] = {}
        self.by_attribute: dict[tuple[bytes, int], list[int]] = {}

    def run(self) -> list[Construct]:
        """Returns the constructs: the messages that belong together, with a ConfigProto among them."""
        self.protos = [make(self.facts, call, kind) for call, kind in calls(self.facts)]
        self.protos.sort(key=lambda proto: proto.call.start_byte)
        drop_replaced_uses(self.protos)
        self.together = {place: place for place in range(len(self.protos))}
        for place, proto in enumerate(self.protos):
            for binding in proto.holders:
                self.by_binding.setdefault(binding.node.id, []).append(place)
            for text, around in proto.attributes:
                self.by_attribute.setdefault((text, around.id if around is not None else 0), []).append(place)
        for place, proto in enumerate(self.protos):
            try:
                self._connect(place, proto)
            except InexpressibleError as reason:
                proto.why_not = proto.why_not or reason
        groups: dict[int, list[Proto]] = {}
        for place, proto in enumerate(self.protos):
            groups.setdefault(self._first(place), []).append(proto)
        with_a_config = [group for group in groups.values() if any(proto.kind == CONFIG for proto in group)]
        constructs = [Construct(self.facts, group, self.gpu_memory_mib) for group in with_a_config]
        _keep_apart(constructs)
        for construct in constructs:
            construct.finish()
        return constructs

    def _first(self, place: int) -> int:
        while self.together[place] != place:
            place = self.together[place]
        return place

    def _join(self, place: int, another: int) -> None:
        first, second = sorted((self._first(place), self._first(another)))
        self.together[second] = first

    def _connect(self, place: int, proto: Proto) -> None:
        """Joins a message with those that share a variable or an attribute with it, and those it is passed to."""
        for use in [*proto.uses, *proto.parts]:
            for other in self._reaching(use):
                self._join(place, other)
        if proto.kind == CONFIG:
            return
        # A message is passed to a ConfigProto, or to the message around it.
        for handed in proto.handed:
            around = [at for at, other in enumerate(self.protos) if _is_around(handed.call, other)]
            if not around:
                raise InexpressibleError(
                    "{} is passed on, and can't be followed there".format(proto.kind.rpartition(".")[2])
                )
            for other in around:
                self._join(place, other)

    def _reaching(self, node: Node) -> list[int]:
        """Returns the positions of the messages that an expression may be.

        Raises:
            InexpressibleError: It may be something else.
        """
        places: list[int] = []
        if node.type == "identifier":
            visible = self.facts.names.visible(node)
            for binding in visible:
                if not any(kills(other, binding, node) for other in visible if other != binding):
                    places += self._held_by(binding)
            if visible:
                return [place for place in places if self._is_used_by(place, node)]
        elif node.type == "attribute":
            around = enclosing(node, "class_definition")
            self._check_assignments(node, around)
            places = self.by_attribute.get((self.facts.text(node), around.id if around is not None else 0), [])
            if places:
                return [place for place in places if self._is_used_by(place, node)]
        raise InexpressibleError(f"`{_shown(self.facts, node)}` comes from elsewhere")

    def _is_used_by(self, place: int, node: Node) -> bool:
        return any(use.id == node.id for use in self.protos[place].uses)

    def _held_by(self, binding: Binding) -> list[int]:
        places = self.by_binding.get(binding.node.id)
        if places is None:
            raise InexpressibleError(f"`{_shown(self.facts, binding.node)}` may also come from elsewhere")
        return places

    def _check_assignments(self, node: Node, around: Node | None) -> None:
        held = {statement.id for proto in self.protos for statement in _statements(proto)}
        for assignment in self.facts.assignments_to(node):
            statement = next(above for above in ancestors(assignment) if above.type != "assignment")
            if enclosing(assignment, "class_definition") == around and statement.id not in held:
                raise InexpressibleError(f"`{_shown(self.facts, node)}` may also come from elsewhere")


def _shown(facts: Facts, node: Node) -> str:
    return facts.decoded(node)


def _statements(proto: Proto) -> list[Node]:
    return [*([proto.statement] if proto.statement is not None else []), *proto.aliases]


def _is_around(call: Node, proto: Proto) -> bool:
    """Returns True if a call makes a message, or a message inside that one."""
    return proto.call.start_byte <= call.start_byte and call.end_byte <= proto.call.end_byte


def _keep_apart(constructs: list[Construct]) -> None:
    """Keeps configs of a file as they are if they differ in settings of a Session."""
    configs = [(construct, config) for construct in constructs for config in construct.configs]
    for construct, reason in list(_contradicted(configs)):
        try:
            construct.leave(reason)
        except InexpressibleError as why:
            construct.why_not = why
    for construct, config in configs:
        other_configs = [other for other in configs if other[1] is not config]
        for other_construct, other in other_configs:
            if (
                construct.why_not is not None
                or construct.stays is not None
                or are_alternatives(config.call, other.call)
            ):
                continue
            if construct.is_kept or other_construct.is_kept:
                differing = _differ_in_what_lasts(construct, config, other_construct, other)
            else:
                differing = _session_fields(construct, config) ^ _session_fields(other_construct, other)
            if differing:
                names = ", ".join(sorted(differing))
                construct.why_not = InexpressibleError(
                    f"configs of this file differ in {names}, which tf.config would set for all of them"
                )
        construct.others_log = any(each.logs for each, _ in configs)


def _differ_in_what_lasts(construct: Construct, config: Proto, other_construct: Construct, other: Proto) -> set[str]:
    """Returns the process-wide settings in which a config that stays differs from another config."""
    if not construct.is_kept:
        return set()  # the other config's remaining settings stay in its ConfigProto
    settings = {path: value.text for path, value in construct.settings_of(config) if lasts(path)}
    other_settings = {path: value.text for path, value in other_construct.settings_of(other) if lasts(path)}
    differing = {path for path in {*settings, *other_settings} if settings.get(path) != other_settings.get(path)}
    return differing if settings and other_settings else set()


def _contradicted(configs: list[tuple[Construct, Proto]]) -> Iterator[tuple[Construct, InexpressibleError]]:
    """Yields the constructs whose calls tf.config would refuse after another config's calls."""
    for construct, config in configs:
        if construct.why_not is not None or construct.is_kept:
            continue
        for other_construct, other in configs:
            # Another config also counts if it has an obstacle: an earlier run may have given it to `tf1mem.apply`.
            if other is config or other_construct.is_unused or are_alternatives(config.call, other.call):
                continue
            names = _contradicting(construct.settings_of(config), other_construct.settings_of(other))
            if names:
                why = "configs of this file differ in {}, which is read once".format(", ".join(sorted(names)))
                yield construct, InexpressibleError(why, ONE_FOR_ALL)
                break


def _contradicting(settings: list[tuple[str, Value]], other_settings: list[tuple[str, Value]]) -> set[str]:
    """Returns the settings in which two configs contradict each other; a limit and growth exclude each other."""
    mine, theirs = (
        {path: value for path, value in each if path in ONCE and path != COUNT and not value.is_default}
        for each in (settings, other_settings)
    )
    names = {path for path in mine if path in theirs and mine[path].text != theirs[path].text}
    for first, second in ((mine, theirs), (theirs, mine)):
        names |= {GROWTH, FRACTION} if GROWTH in first and FRACTION in second else set()
    return names


def _session_fields(construct: Construct, config: Proto) -> set[str]:
    """Returns the fields by which a config sets something for its Session only."""
    return {
        path
        for path, value in construct.settings_of(config)
        if (path in (COUNT, JIT) or path.startswith(REWRITE))
        and not value.is_default
        and not (value.is_literal and value.constant == {"CPU": 1})
    }
