"""One construct: configs that can reach the same Session, their settings, and the edits that make them native."""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterator

from tree_sitter import Node

from tf1mem.codemod.facts.consumers import why_unused
from tf1mem.codemod.facts.main_script import is_main
from tf1mem.codemod.results import Edit
from tf1mem.codemod.source.control_flow import function_of
from tf1mem.codemod.source.removal import without_argument
from tf1mem.codemod.source.syntax import ancestors, callee
from tf1mem.codemod.targets.apply import to_compat_v1
from tf1mem.codemod.targets.native import obstacles
from tf1mem.codemod.targets.native.config_consumers import Consumer, consumer_of
from tf1mem.codemod.targets.native.config_sources import CONFIG, IN_MAIN, Proto, Setting
from tf1mem.codemod.targets.native.field_values import InexpressibleError, Value
from tf1mem.codemod.targets.native.field_writers import lasts, log_placement_call, logs, native_calls, order
from tf1mem.codemod.targets.native.statement_edits import Sites, evaluating_statement, is_preceded_by
from tf1mem.codemod.targets.native.style import Style, style_of
from tf1mem.settings.field_names import GROWTH, SOFT

if TYPE_CHECKING:
    from tf1mem.codemod.facts.module import Facts

# The remedy where tf.config would be called with several values: TensorFlow keeps the first one.
ONE_FOR_ALL = (
    "In one process the first value counts, in TensorFlow 1 too: set it once, by tf.config, before the first op."
)
SESSIONS, SET_SESSION = CODES = ("TFM301", "TFM302")


class Construct:
    """Configs that become native together, or not at all.

    Args:
        facts: The module's facts.
        protos: The ConfigProtos, and the messages that are passed to them.
        gpu_memory_mib: Memory of a GPU in MiB, by which a fraction becomes a limit; None if unknown.

    Attributes:
        why_not: The obstacle; None if the construct becomes native.
        is_unused: True if none of these configs is passed to anything.
        logs: True if any of them logs placement, or may do so.
        others_log: True if another config of the file logs placement.
        is_kept: True if the configs stay ConfigProtos: a consumer takes nothing else, or they stay with their Sessions.
        stays: The reason why they stay with their Sessions, without tf.config calls; None if they don't.
        consumers: The calls that lose their config, or keep it.
        dropped: The settings that get no call, with the reasons.
        edits: The edits, if the construct becomes native.
        words_import: The statement before which `import tensorflow as tf` is needed; None if it isn't.
    """

    def __init__(self, facts: Facts, protos: list[Proto], gpu_memory_mib: int | None) -> None:
        self.facts, self.protos, self.gpu_memory_mib = facts, protos, gpu_memory_mib
        self.configs = [proto for proto in protos if proto.kind == CONFIG]
        self.why_not: InexpressibleError | None = None
        self.others_log = False
        self.is_kept = False
        self.stays: InexpressibleError | None = None
        self.consumers: list[Consumer] = []
        self.dropped: list[str] = []
        self.words_import: Node | None = None
        self.edits: tuple[Edit, ...] = ()
        self._adds_calls = False
        self._sites = Sites(facts)
        self.logs = logs((setting.path, setting.value) for proto in protos for setting in proto.settings)
        self.is_unused = not any(proto.handed for proto in self.configs) and all(
            proto.why_not is None for proto in protos
        )
        try:
            self._check()
        except InexpressibleError as reason:
            self.why_not = reason

    @property
    def node(self) -> Node:
        """The first config, where the construct begins."""
        return self.configs[0].call

    @property
    def code(self) -> str:
        """The code of its rule."""
        return SET_SESSION if self.consumers and all(consumer.for_keras for consumer in self.consumers) else SESSIONS

    @property
    def message(self) -> str:
        """The change, in one line."""
        if self.stays is not None:
            return "the config stays with its Session, as a tf.compat.v1.ConfigProto"
        if self.is_kept:
            message = f"the config stays a ConfigProto: nothing else is accepted by {self._takers}"
            return message + (
                "; settings that last for the process also become tf.config calls" if self._adds_calls else ""
            )
        subject = "Keras's Session" if self.code == SET_SESSION else "the config"
        return "; ".join([f"{subject} becomes tf.config calls", *dict.fromkeys(self.dropped)])

    @property
    def calls(self) -> Iterator[Node]:
        """The calls that no rule has to rewrite any more."""
        for proto in self.protos if not self.is_kept else ():
            yield proto.call
        for consumer in self.consumers:
            yield consumer.call
            for statement in consumer.statements:
                yield from statement.named_children

    @property
    def claimed_nodes(self) -> list[Node]:
        """The nodes that no other rule may rewrite: those that go away, and the callees that `edits` rewrites."""
        return [] if self.is_kept else [*self._removed_nodes, *(callee(consumer.call) for consumer in self.consumers)]

    def removes(self, node: Node) -> bool:
        """Returns True if a node goes away with the construct."""
        return not self.is_kept and any(
            removed.start_byte <= node.start_byte < removed.end_byte for removed in self._removed_nodes
        )

    @property
    def _removed_nodes(self) -> list[Node]:
        return [*self._sites.removed, *(consumer.argument for consumer in self.consumers)]

    def settings_of(self, config: Proto) -> list[tuple[str, Value]]:
        """Returns the settings of a config, made directly or by a message."""
        return [(setting.path, setting.value) for proto in self._with_messages(config) for setting in proto.settings]

    def _with_messages(self, config: Proto) -> list[Proto]:
        return [config, *(proto for proto in self.protos if proto.kind != CONFIG)]

    def finish(self) -> None:
        """Makes the edits, unless there is an obstacle."""
        if self.why_not is not None or self.is_unused:
            return
        try:
            self.edits = tuple(self._make())
        except InexpressibleError as reason:
            self.why_not = reason
            self.words_import = None

    def _check(self) -> None:
        """Decides what stays; raises the reason why the config can't be written as native calls, if there is one."""
        for proto in self.protos:
            if proto.why_not is not None:
                raise proto.why_not
        if any(self.facts.guarded(proto.call) for proto in self.protos):
            raise _one_side()
        if self.is_unused and any(config.attributes for config in self.configs):
            raise InexpressibleError("an attribute holds it, which other files may read", IN_MAIN)
        if self.is_unused:
            why, remedy = why_unused(self.facts, self.node)
            raise InexpressibleError(
                f"{why}, so it has no effect",
                f"{remedy}; or write the tf.config calls before the first op if it is meant to have an effect.",
            )
        for config in self.configs:
            for handed in config.handed:
                if any(consumer.call == handed.call for consumer in self.consumers):
                    continue
                if self.facts.guarded(handed.call):
                    raise _one_side()
                self.consumers.append(consumer_of(self.facts, handed))
        self.is_kept = any(consumer.keeps for consumer in self.consumers) or self._is_more_than_interactive
        self._leave_with_sessions()
        if self.stays is not None:
            return
        if self.is_kept:
            self._check_kept()
            if not self.lasting:
                return
        for proto in self.protos:
            obstacles.check_scope(self.facts, proto)
        for config in self.configs:
            obstacles.check_conflicts(self.settings_of(config))
        for config in self.configs:
            obstacles.check_taken_back(self._with_messages(config))
        obstacles.check_order(self.facts, self.protos, [consumer.call for consumer in self.consumers])

    def _leave_with_sessions(self) -> None:
        """Leaves the configs to their Sessions where tf.config calls would reach too far.

        Raises:
            InexpressibleError: A consumer isn't a Session that keeps its settings.
        """
        calls = [consumer.call for consumer in self.consumers]
        if not all(obstacles.is_taken(self.facts, config.call, calls) for config in self.configs):
            why = "a process may make it without reaching its consumer"
        elif not self.is_kept and any(map(self._is_of_a_library, self.consumers)):
            why = "programs import this file, and tf.config would apply to everything in them"
        else:
            changes = (obstacles.changing(self.facts, proto) for proto in self.protos)
            changing = next((change for change in changes if change is not None), None)
            if changing is not None:
                self.leave(InexpressibleError(changing, ONE_FOR_ALL))
            return
        self.leave(InexpressibleError(why, IN_MAIN))

    def leave(self, reason: InexpressibleError) -> None:
        """Leaves the configs to their Sessions.

        Args:
            reason: The reason why no tf.config call may be made.

        Raises:
            InexpressibleError: The reason, if a consumer isn't a Session that keeps its settings.
        """
        if any(consumer.statements or (consumer.keeps and self.lasting) for consumer in self.consumers):
            raise reason
        self.is_kept, self.stays = True, reason

    def _is_of_a_library(self, consumer: Consumer) -> bool:
        """Returns True if a call makes a Session in a function that other files call."""
        if consumer.statements or consumer.interactive or function_of(consumer.call) is None:
            return False
        return not is_main(self.facts)

    @property
    def lasting(self) -> list[Setting]:
        """Returns the settings that are fixed once for a process."""
        return [setting for proto in self.protos for setting in proto.settings if lasts(setting.path)]

    def _check_kept(self) -> None:
        if any(consumer.for_keras for consumer in self.consumers):
            raise InexpressibleError("Keras also gets a Session with it, which TensorFlow 2's Keras doesn't accept")
        for config in self.configs:
            for handed in config.handed:
                obstacles.check_writable_beside(self.facts, handed, self.lasting)

    @property
    def _is_more_than_interactive(self) -> bool:
        """Returns True if an InteractiveSession would lose more than growth, which it sets itself."""
        return any(consumer.interactive for consumer in self.consumers) and not all(
            self._only_grows(config) for config in self.configs
        )

    def _only_grows(self, config: Proto) -> bool:
        """Returns True if growth, surely on, is the only setting of a config that isn't TensorFlow's default."""
        effective = [(path, value) for path, value in self.settings_of(config) if not value.is_default]
        return (
            any(path == GROWTH and value.constant is True and value.is_literal for path, value in effective)
            and all(path == GROWTH for path, _ in effective)
            and all(
                setting.statement is None or self._is_certain(setting, config)
                for setting in config.settings
                if setting.path == GROWTH
            )
        )

    def _make(self) -> Iterator[Edit]:
        """Yields the edits: native calls in place of the config, and its consumers without it."""
        if not self.is_kept:
            for proto in self.protos:
                self._write_proto(proto)
        elif self.stays is None:
            self._write_beside()
        for consumer in self.consumers:
            if consumer.statements and not self.is_kept:
                for statement in consumer.statements:
                    self._sites.remove(statement)
                continue
            if not self.is_kept:  # a Session that stays, without its config
                self._sites.keep_comments(consumer.argument)
                yield without_argument(self.facts.source, consumer.call, consumer.argument)
            yield from to_compat_v1(self.facts, callee(consumer.call))
        yield from self._sites.edits()

    def _write_beside(self) -> None:
        """Adds calls for settings that last for the process, at the places where the remaining config gets them."""
        settings = [(proto, setting) for proto in self.protos for setting in proto.settings if lasts(setting.path)]
        for proto, setting in sorted(settings, key=lambda pair: order(pair[1].path)):
            at = setting.statement
            if at is None or (setting.value.is_literal and self._is_certain(setting, proto)):
                at = proto.statement or evaluating_statement(proto.call)  # not inside the remaining config
            # An earlier run may have added the call, so that its names for GPUs are in use now.
            style, _ = style_of(self.facts, proto.call, self.gpu_memory_mib, any_names=True)
            if is_preceded_by(at, native_calls(setting.path, setting.value, style).lines):
                continue
            style, needed = style_of(self.facts, proto.call, self.gpu_memory_mib)
            lines = native_calls(setting.path, setting.value, style).lines
            if lines:
                self._adds_calls = True
                self.words_import = self.words_import or needed
                self._sites.insert_before(at, lines)

    @property
    def _takers(self) -> str:
        names = (
            self.facts.decoded(callee(consumer.call)).rpartition(".")[2]
            for consumer in self.consumers
            if consumer.keeps or consumer.interactive
        )
        return " and ".join(dict.fromkeys("RunConfig" if name == "replace" else name for name in names))

    def _write_proto(self, proto: Proto) -> None:
        """Replaces the statements that make and change a message by native calls."""
        sites = self._sites
        style, needed = style_of(self.facts, proto.call, self.gpu_memory_mib)
        self.words_import = self.words_import or needed
        own = [(setting.path, setting.value) for setting in proto.settings if setting.statement is None]
        soft = (setting for setting in proto.settings if setting.path == SOFT)
        if (
            proto.kind == CONFIG
            and self._is_a_sessions
            and not any(setting.statement is None or self._is_certain(setting, proto) for setting in soft)
        ):
            own.append((SOFT, Value("False", False)))
        lines = [
            line
            for path, value in sorted(own, key=lambda pair: order(pair[0]))
            for line in self._calls_for(path, value, style)
        ]
        if proto.kind == CONFIG and self.others_log and not logs(self.settings_of(proto)):
            lines.append(log_placement_call("False", style))
        if proto.statement is not None:
            sites.insert_before(proto.statement, lines)
            sites.remove(proto.statement)
        elif proto.kind == CONFIG:
            sites.insert_before(evaluating_statement(proto.call), lines)
        for setting in proto.settings:
            if setting.statement is not None and not sites.removes(setting.statement):
                sites.insert_before(setting.statement, self._calls_for(setting.path, setting.value, style))
                sites.remove(setting.statement)
        for alias in proto.aliases:
            sites.remove(alias)

    @property
    def _is_a_sessions(self) -> bool:
        """Returns True if a remaining Session gets its soft placement from tf.config.

        An InteractiveSession doesn't: it makes a config of its own, in which soft placement is off.

        Source: InteractiveSession.__init__ in tensorflow/python/client/session.py.
        """
        return any(not consumer.statements and not consumer.interactive for consumer in self.consumers)

    def _is_certain(self, setting: Setting, config: Proto) -> bool:
        """Returns True if a field is set whenever that config is made: in the same block, or in one around it."""
        statement = setting.statement
        if statement is None or config.statement is None or statement.parent is None:
            return False
        return statement.parent in list(ancestors(config.statement)) and config.call.start_byte < statement.start_byte

    def _calls_for(self, path: str, value: Value, style: Style) -> tuple[str, ...]:
        call = native_calls(path, value, style)
        if call.dropped:
            name = path.rpartition(".")[2]
            self.dropped.append(f"{name} needs no call: {call.dropped}")
        return call.lines


def _one_side() -> InexpressibleError:
    return InexpressibleError(
        "it runs only under a test of TensorFlow's version, or in an attempt",
        "Nothing, if there is a branch for TensorFlow 2.",
    )
