"""One construct: configs that can reach the same Session, what is set on them, and the edits that make them native."""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterator

from tree_sitter import Node

from tf1mem.codemod.facts.consumers import spelled, why_unused
from tf1mem.codemod.facts.main_script import is_main
from tf1mem.codemod.results import Edit
from tf1mem.codemod.source.control_flow import function_of
from tf1mem.codemod.source.removal import without_argument
from tf1mem.codemod.source.syntax import ancestors, callee
from tf1mem.codemod.targets.native import obstacles
from tf1mem.codemod.targets.native.fields import GROWTH, SOFT, lasts, log_said, logs, order, say
from tf1mem.codemod.targets.native.protos import CONFIG, IN_MAIN, Proto, Setting
from tf1mem.codemod.targets.native.sessions import Consumer, consumer_of
from tf1mem.codemod.targets.native.sites import Sites, evaluating_statement, is_said
from tf1mem.codemod.targets.native.values import Unsayable, Value
from tf1mem.codemod.targets.native.words import Words, words_of

if TYPE_CHECKING:
    from tf1mem.codemod.facts.module import Facts

# What to do where tf.config could be told several things, of which TensorFlow takes the first.
ONE_FOR_ALL = "In one process the first counts, in TensorFlow 1 too: say it once, by tf.config, before the first op."
SESSIONS, SET_SESSION = CODES = ("TFM301", "TFM302")


class Construct:
    """Configs that become native together, or not at all.

    Args:
        facts: The module's facts.
        protos: The ConfigProtos, and the messages that they are given.
        gpu_memory_mib: The memory of a GPU, for which a fraction can be said as a limit; None where not known.

    Attributes:
        why_not: What is in the way; None where it becomes native.
        is_unused: Whether nobody is given any of these configs.
        logs: Whether placement is logged by any of them, or may be.
        mind_logging: Whether another config of the file logs placement.
        is_kept: Whether the configs stay ConfigProtos: something takes nothing else, or they stay with their Sessions.
        stays: Why they stay with their Sessions, and nothing is said to tf.config; None where that isn't so.
        consumers: The calls that lose their config, or keep it.
        dropped: What isn't said any more, and why.
        edits: Those of a construct that becomes native.
        words_import: The statement before which TensorFlow has to be imported by a name; None where it is.
    """

    def __init__(self, facts: Facts, protos: list[Proto], gpu_memory_mib: int | None) -> None:
        self.facts, self.protos, self.gpu_memory_mib = facts, protos, gpu_memory_mib
        self.configs = [proto for proto in protos if proto.kind == CONFIG]
        self.why_not: Unsayable | None = None
        self.mind_logging = False
        self.is_kept = False
        self.stays: Unsayable | None = None
        self.consumers: list[Consumer] = []
        self.dropped: list[str] = []
        self.words_import: Node | None = None
        self.edits: tuple[Edit, ...] = ()
        self._said_too = False
        self._sites = Sites(facts)
        self.logs = logs((found.path, found.value) for proto in protos for found in proto.settings)
        self.is_unused = not any(proto.handed for proto in self.configs) and all(
            proto.why_not is None for proto in protos
        )
        try:
            self._check()
        except Unsayable as reason:
            self.why_not = reason

    @property
    def node(self) -> Node:
        """Where it begins: the first config."""
        return self.configs[0].call

    @property
    def code(self) -> str:
        """The rule that it belongs to."""
        return SET_SESSION if self.consumers and all(found.for_keras for found in self.consumers) else SESSIONS

    @property
    def message(self) -> str:
        """What becomes of it."""
        if self.stays is not None:
            return "the config stays with its Session, as a tf.compat.v1.ConfigProto"
        if self.is_kept:
            message = f"the config stays a ConfigProto: nothing else is taken by {self._takers}"
            return message + ("; what lasts for the process is said to tf.config, too" if self._said_too else "")
        what = "the Session that Keras was given" if self.code == SET_SESSION else "the config"
        return "; ".join([f"{what} becomes tf.config calls", *dict.fromkeys(self.dropped)])

    @property
    def calls(self) -> Iterator[Node]:
        """The calls that no rule has to rewrite any more."""
        for proto in self.protos if not self.is_kept else ():
            yield proto.call
        for found in self.consumers:
            yield found.call
            for statement in found.statements:
                yield from statement.named_children

    @property
    def gone(self) -> list[Node]:
        """What goes away with it, and what a call that stays is called by."""
        return [] if self.is_kept else [*self._gone, *(callee(found.call) for found in self.consumers)]

    def removes(self, node: Node) -> bool:
        """Whether a node goes away with it."""
        return not self.is_kept and any(gone.start_byte <= node.start_byte < gone.end_byte for gone in self._gone)

    @property
    def _gone(self) -> list[Node]:
        return [*self._sites.removed, *(found.argument for found in self.consumers)]

    def settings_of(self, config: Proto) -> list[tuple[str, Value]]:
        """What is set on a config, on any way."""
        return [(found.path, found.value) for proto in self._with_messages(config) for found in proto.settings]

    def _with_messages(self, config: Proto) -> list[Proto]:
        return [config, *(proto for proto in self.protos if proto.kind != CONFIG)]

    def finish(self) -> None:
        """Makes the edits, unless something is in the way."""
        if self.why_not is not None or self.is_unused:
            return
        try:
            self.edits = tuple(self._make())
        except Unsayable as reason:
            self.why_not = reason
            self.words_import = None

    def _check(self) -> None:
        for proto in self.protos:
            if proto.why_not is not None:
                raise proto.why_not
        if any(self.facts.guarded(proto.call) for proto in self.protos):
            raise _one_side()
        if self.is_unused and any(config.attributes for config in self.configs):
            raise Unsayable("an attribute holds it, which other files may read", IN_MAIN)
        if self.is_unused:
            why, remedy = why_unused(self.facts, self.node)
            raise Unsayable(
                f"{why}, so it has no effect",
                f"{remedy}; or write the tf.config calls before the first op if it is meant to count.",
            )
        for config in self.configs:
            for handed in config.handed:
                if any(found.call == handed.call for found in self.consumers):
                    continue
                if self.facts.guarded(handed.call):
                    raise _one_side()
                self.consumers.append(consumer_of(self.facts, handed))
        self.is_kept = any(found.keeps for found in self.consumers) or self._is_more_than_interactive
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
        obstacles.check_order(self.facts, self.protos, [found.call for found in self.consumers])

    def _leave_with_sessions(self) -> None:
        """Leaves the configs to their Sessions where nothing may be said for the process.

        Raises:
            Unsayable: One of them isn't a Session's that takes its settings with it.
        """
        calls = [found.call for found in self.consumers]
        if not all(obstacles.is_taken(self.facts, config.call, calls) for config in self.configs):
            why = "the process that makes it may never come by what takes it"
        elif not self.is_kept and any(map(self._is_a_librarys, self.consumers)):
            why = "programs import this file, and tf.config would say it for all that they do"
        else:
            said = (obstacles.changing(self.facts, proto) for proto in self.protos)
            changing = next((found for found in said if found is not None), None)
            if changing is not None:
                self.leave(Unsayable(changing, ONE_FOR_ALL))
            return
        self.leave(Unsayable(why, IN_MAIN))

    def leave(self, reason: Unsayable) -> None:
        """Leaves the configs to their Sessions.

        Args:
            reason: Why nothing may be said to tf.config.

        Raises:
            Unsayable: That reason, where one of them isn't a Session's that takes its settings with it.
        """
        if any(found.statements or (found.keeps and self.lasting) for found in self.consumers):
            raise reason
        self.is_kept, self.stays = True, reason

    def _is_a_librarys(self, consumer: Consumer) -> bool:
        """Whether a call makes a Session of its own in a function that other files call."""
        if consumer.statements or consumer.interactive or function_of(consumer.call) is None:
            return False
        return not is_main(self.facts)

    @property
    def lasting(self) -> list[Setting]:
        """What is set that is settled once in a process."""
        return [found for proto in self.protos for found in proto.settings if lasts(found.path)]

    def _check_kept(self) -> None:
        if any(found.for_keras for found in self.consumers):
            raise Unsayable("Keras is given a Session with it as well, which TensorFlow 2's Keras doesn't take")
        for config in self.configs:
            for handed in config.handed:
                obstacles.check_sayable_beside(self.facts, handed, self.lasting)

    @property
    def _is_more_than_interactive(self) -> bool:
        """Whether an InteractiveSession would have other settings without the config: GPUs that grow, and no more."""
        return any(found.interactive for found in self.consumers) and not all(
            self._only_grows(config) for config in self.configs
        )

    def _only_grows(self, config: Proto) -> bool:
        said = [(path, value) for path, value in self.settings_of(config) if not value.is_nothing]
        return (
            any(path == GROWTH and value.constant is True and value.is_literal for path, value in said)
            and all(path == GROWTH for path, _ in said)
            and all(
                found.statement is None or self._is_certain(found, config)
                for found in config.settings
                if found.path == GROWTH
            )
        )

    def _make(self) -> Iterator[Edit]:
        if not self.is_kept:
            for proto in self.protos:
                self._say_proto(proto)
        elif self.stays is None:
            self._say_beside()
        for found in self.consumers:
            if found.statements and not self.is_kept:
                for statement in found.statements:
                    self._sites.remove(statement)
                continue
            if not self.is_kept:  # a Session that stays, without its config
                self._sites.keep_comments(found.argument)
                yield without_argument(self.facts.source, found.call, found.argument)
            yield from spelled(self.facts, callee(found.call))
        yield from self._sites.edits()

    def _say_beside(self) -> None:
        """What lasts for the process, said where the config that stays is told."""
        told = [(proto, found) for proto in self.protos for found in proto.settings if lasts(found.path)]
        for proto, found in sorted(told, key=lambda pair: order(pair[1].path)):
            at = found.statement
            if at is None or (found.value.is_literal and self._is_certain(found, proto)):
                at = proto.statement or evaluating_statement(proto.call)  # not between the lines of a config that stays
            words, _ = words_of(self.facts, proto.call, self.gpu_memory_mib, any_names=True)
            if is_said(at, say(found.path, found.value, words).lines):
                continue
            words, needed = words_of(self.facts, proto.call, self.gpu_memory_mib)
            lines = say(found.path, found.value, words).lines
            if lines:
                self._said_too = True
                self.words_import = self.words_import or needed
                self._sites.say(at, lines)

    @property
    def _takers(self) -> str:
        names = (
            self.facts.decoded(callee(found.call)).rpartition(".")[2]
            for found in self.consumers
            if found.keeps or found.interactive
        )
        return " and ".join(dict.fromkeys("RunConfig" if name == "replace" else name for name in names))

    def _say_proto(self, proto: Proto) -> None:
        sites = self._sites
        words, needed = words_of(self.facts, proto.call, self.gpu_memory_mib)
        self.words_import = self.words_import or needed
        own = [(found.path, found.value) for found in proto.settings if found.statement is None]
        soft = (found for found in proto.settings if found.path == SOFT)
        if (
            proto.kind == CONFIG
            and self._is_a_sessions
            and not any(found.statement is None or self._is_certain(found, proto) for found in soft)
        ):
            own.append((SOFT, Value("False", False)))
        lines = [
            line
            for path, value in sorted(own, key=lambda pair: order(pair[0]))
            for line in self._said(path, value, words)
        ]
        if proto.kind == CONFIG and self.mind_logging and not logs(self.settings_of(proto)):
            lines.append(log_said("False", words))
        if proto.statement is not None:
            sites.say(proto.statement, lines)
            sites.remove(proto.statement)
        elif proto.kind == CONFIG:
            sites.say(evaluating_statement(proto.call), lines)
        for found in proto.settings:
            if found.statement is not None and not sites.removes(found.statement):
                sites.say(found.statement, self._said(found.path, found.value, words))
                sites.remove(found.statement)
        for alias in proto.aliases:
            sites.remove(alias)

    @property
    def _is_a_sessions(self) -> bool:
        """Whether a Session that stays has its placement from here; an InteractiveSession says itself that it is off.

        Source: InteractiveSession.__init__ in tensorflow/python/client/session.py.
        """
        return any(not found.statements and not found.interactive for found in self.consumers)

    def _is_certain(self, setting: Setting, config: Proto) -> bool:
        """Whether a field is set whenever that config is made: in its block, or in one around it."""
        statement = setting.statement
        if statement is None or config.statement is None or statement.parent is None:
            return False
        return statement.parent in list(ancestors(config.statement)) and config.call.start_byte < statement.start_byte

    def _said(self, path: str, value: Value, words: Words) -> tuple[str, ...]:
        found = say(path, value, words)
        if found.dropped:
            name = path.rpartition(".")[2]
            self.dropped.append(f"{name} isn't said: {found.dropped}")
        return found.lines


def _one_side() -> Unsayable:
    return Unsayable(
        "it runs only where a test of TensorFlow's version, or an attempt, lets it",
        "Nothing, if TensorFlow 2 has a branch of its own.",
    )
