"""Growth and a limit of memory on one GPU, which TensorFlow doesn't combine, go through `tf1mem.apply`.

If both are set by `tf.config`, TensorFlow drops the growth; if the limit is set first, growth raises a ValueError
(context.py: `_compute_gpu_options` leaves allow_growth out once there are virtual devices). A config can have both. Two
calls side by side, for all GPUs or for the first one, become one `tf1mem.apply`; elsewhere there is a remark with the
remedy. Soft placement doesn't change: tf1mem.config leaves it alone.
"""

from __future__ import annotations

import re
from typing import Iterator

from tree_sitter import Node

from tf1mem.codemod.claims import ClaimKind, Claims
from tf1mem.codemod.facts import gpu_memory
from tf1mem.codemod.facts.gpu_memory import ALL, GpuCall, GrowthAndLimit
from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.facts.public_names import called
from tf1mem.codemod.facts.starts import first_start
from tf1mem.codemod.findings import Finding, remark, rewrite
from tf1mem.codemod.results import Edit
from tf1mem.codemod.rules import Example, Rule
from tf1mem.codemod.source import syntax
from tf1mem.codemod.source.control_flow import before, statement_of
from tf1mem.codemod.source.edits import replace
from tf1mem.codemod.source.removal import without_statement

_CODE = "TFM402"
_HEAD = "import tensorflow as tf\ngpus = tf.config.list_physical_devices('GPU')\n"
_LIMIT = "tf.config.set_logical_device_configuration({}, [tf.config.LogicalDeviceConfiguration(memory_limit={})])"


def _source(text: str) -> str:
    """Returns a program: GROW(gpu) and LIMIT(gpu, MiB) in it become the real calls."""
    grown = re.sub(r"GROW\((.*)\)", r"tf.config.experimental.set_memory_growth(\1, True)", text)
    return _HEAD + re.sub(r"LIMIT\((.*), (.*)\)", _LIMIT.format(r"\1", r"\2"), grown)


def _applied(indent: str, settings: str) -> str:
    return f"{indent}tf1mem.apply(tf1mem.config(allow_growth=True, {settings}))\n"


def _after(text: str) -> str:
    return "import tf1mem\n" + _HEAD + text


rule = Rule(
    _CODE,
    versions="2.1 to 2.22",
    examples=(
        Example(_source("for gpu in gpus:\n    GROW(gpu)\n")),
        Example(_source("try:\n    for gpu in gpus:\n        GROW(gpu)\nexcept RuntimeError as e:\n    print(e)\n")),
        Example(_source("if limit:\n    LIMIT(gpus[0], 1024)\nelse:\n    GROW(gpus[0])\n")),
        Example(_source("def one():\n    GROW(gpus[0])\ndef other():\n    LIMIT(gpus[0], 1024)\n")),
        Example(_source("GROW(gpus[0])\nLIMIT(gpus[1], 1024)\n")),
        Example(_source("for gpu in gpus:\n    GROW(gpu)\nLIMIT(gpus[0], 1024)\n").replace("True", "False")),
        Example(_source("GROW(gpus[0])\nLIMIT(gpus[0], 1024)\n"), remarks=(_CODE,)),
        Example(_source("for gpu in gpus:\n    GROW(gpu)\nif limit:\n    LIMIT(gpus[0], 1024)\n"), remarks=(_CODE,)),
        Example(
            _source("GROW(gpus[0])\ntf.config.experimental.set_memory_growth(gpus[0], False)\nLIMIT(gpus[0], 1024)\n"),
            remarks=(_CODE,),
        ),
        Example(
            _source("for gpu in gpus:\n    GROW(gpu)\n    LIMIT(gpu, 1024)\n"),
            _after("if gpus:\n" + _applied("    ", "memory_limit_mib=1024")),
        ),
        Example(
            _source("for gpu in gpus:\n    GROW(gpu)\n    print(gpu)\n    LIMIT(gpu, n)\n"),
            _after("for gpu in gpus:\n    print(gpu)\n" + _applied("    ", "memory_limit_mib=n")),
        ),
        Example(
            _source("for gpu in gpus:\n    GROW(gpu)\nfor g in gpus:\n    LIMIT(g, 2 * n)\n"),
            _after("if gpus:\n" + _applied("    ", "memory_limit_mib=2 * n")),
        ),
        Example(
            _source("for gpu in gpus:\n    GROW(gpu)\nLIMIT(gpus[0], 512)\n"), _after(_applied("", "split_mib=[512]"))
        ),
        Example(
            _source("tf.config.set_visible_devices(gpus[0], 'GPU')\nGROW(gpus[0])\nLIMIT(gpus[0], 512)\n"),
            _after("tf.config.set_visible_devices(gpus[0], 'GPU')\n" + _applied("", "split_mib=[512]")),
        ),
        Example(
            _source(
                "tf.config.set_soft_device_placement(False)\nfor gpu in gpus:\n    GROW(gpu)\n    LIMIT(gpu, 1024)\n"
            ),
            _after(
                "tf.config.set_soft_device_placement(False)\nif gpus:\n" + _applied("    ", "memory_limit_mib=1024")
            ),
        ),
        Example(
            "from tensorflow.config import list_physical_devices\nfrom tensorflow.config.experimental import (\n"
            "    VirtualDeviceConfiguration as Size, set_memory_growth, set_virtual_device_configuration)\n"
            "for gpu in list_physical_devices('GPU'):\n    set_virtual_device_configuration(gpu, [Size(1024)])\n"
            "    set_memory_growth(device=gpu, enable=True)\n",
            "import tf1mem\nfrom tensorflow.config import list_physical_devices\n"
            "from tensorflow.config.experimental import (\n"
            "    VirtualDeviceConfiguration as Size, set_memory_growth, set_virtual_device_configuration)\n"
            "if list_physical_devices('GPU'):\n" + _applied("    ", "memory_limit_mib=1024"),
        ),
    ),
)

# Nodes of which a size may consist: it makes no difference where and how often they are evaluated.
_PLAIN = frozenset(
    "integer float string identifier attribute subscript binary_operator unary_operator "
    "parenthesized_expression".split()
)
_VISIBLE = "set_visible_devices"


@rule.claims(ClaimKind.GONE)
def replaced(facts: Facts, claims: Claims) -> Iterator[tuple[int, int]]:
    """Yields the spans that the edits of this rule replace or remove."""
    for both in gpu_memory.growths_and_limits(facts):
        yield from ((edit.start, edit.end) for edit in _Join(facts, claims, both).edits() if edit.start < edit.end)


@rule
def growth_and_limit(facts: Facts, claims: Claims) -> Iterator[Finding]:
    """Yields a finding for each limit of a GPU that also gets growth."""
    for both in gpu_memory.growths_and_limits(facts):
        edits = list(_Join(facts, claims, both).edits())
        if edits:
            yield rewrite(
                both.later, "growth and a limit become one tf1mem.apply, since TensorFlow would drop the growth",
                *edits, imports_tf1mem=True,
            )  # fmt: skip
            continue
        growth, limit = facts.line_of(both.growth.call), facts.line_of(both.limit.call)
        if both.later == both.limit.call:
            message = f"a limit on a GPU silently cancels its memory growth ({growth})"
        else:
            message = f"memory growth on a GPU that has a limit ({limit}) raises a ValueError"
        yield remark(
            both.later, message,
            "Set both by tf1mem.apply(tf1mem.config(allow_growth=True, memory_limit_mib=…)).",
        )  # fmt: skip


class _Join:
    """The edits that put one `tf1mem.apply` in place of two calls, if the program's meaning stays the same.

    `grown` and `limited` are the GPUs of the two calls, `growing` and `limiting` the statements.

    Args:
        facts: The module's facts.
        claims: The claims on it.
        both: The two calls.
    """

    def __init__(self, facts: Facts, claims: Claims, both: GrowthAndLimit) -> None:
        self.facts, self.claims, self.both = facts, claims, both
        self.growth, self.limit = both.growth, both.limit
        self.grown, self.limited = gpu_memory.device_of(facts, both.growth), gpu_memory.device_of(facts, both.limit)
        self.growing, self.limiting = statement_of(both.growth.call), statement_of(both.limit.call)

    def edits(self) -> Iterator[Edit]:
        """Yields the edits; none if the meaning would change."""
        sizes = self._sizes() if self.both.is_only else []
        if (
            not sizes or not syntax.is_statement(self.growth.call) or not syntax.is_statement(self.limit.call)
            or self.growth.value is None or self.growth.value.type != "true"
            or first_start(self.facts, self.claims.moves_any, self.both.later) is not None
            or self.facts.mentions("tf1mem.apply")  # a second call would replace the first, in either order
        ):  # fmt: skip
            return
        if self.limited.which == ALL:
            if len(sizes) == 1 and self.grown.loop is not None and self.limited.loop is not None:
                yield from self._for_all(self.grown.loop, self.limited.loop, b"memory_limit_mib=" + sizes[0])
        elif self._is_for_the_first_gpu():
            yield self._applied(b"split_mib=[" + b", ".join(sizes) + b"]")
            yield without_statement(self.facts.source, self._only_growth_loop() or self.growing)

    def _for_all(self, grown: Node, limited: Node, size: bytes) -> Iterator[Edit]:
        """Yields the edits for growth and a limit in loops over all GPUs: one call takes their place."""
        source = self.facts.source
        if grown == limited and self._is_in_one_loop(grown):
            yield self._applied(size)
            yield without_statement(source, self.growing)
            parts = syntax.loop(grown)
            are_all = len(syntax.without_comments(parts.body)) == 2 and parts.otherwise is None
            if are_all and not self._is_used_beside(grown):
                yield from _as_condition(grown)
        elif grown != limited and self._is_in_two_loops(grown, limited):
            yield self._applied(size)
            yield without_statement(source, grown)
            yield from _as_condition(limited)

    def _applied(self, size: bytes) -> Edit:
        return replace(self.limit.call, b"tf1mem.apply(tf1mem.config(allow_growth=True, " + size + b"))")

    def _sizes(self) -> list[bytes]:
        """Returns the limits in MiB, as source; none if the source doesn't show them, or if they can't be moved."""
        value = self.limit.value
        if value is None:
            return []
        if (called(self.facts, self.limit.call) or "").endswith("set_memory_limit"):
            sizes: list[Node | None] = [value]
        else:
            sizes = [self._size(child) for child in syntax.without_comments(value)] if value.type == "list" else []
        plain = [size for size in sizes if size is not None and self._is_plain(size)]
        return [self.facts.text(size) for size in plain] if len(plain) == len(sizes) else []

    def _size(self, creation: Node) -> Node | None:
        """Returns the limit of a LogicalDeviceConfiguration; None if it has no limit, or another argument as well."""
        passed = syntax.arguments(creation) if creation.type == "call" else []
        if len(passed) != 1 or not (called(self.facts, creation) or "").endswith(gpu_memory.SIZES):
            return None
        named = syntax.keyword(passed[0])
        return (
            syntax.argument_value(passed[0])
            if named is None or self.facts.text(named.name) == b"memory_limit"
            else None
        )

    def _is_plain(self, node: Node) -> bool:
        """Returns True if a size may stand outside of the loops: it doesn't read their variables."""
        names = {self.facts.text(syntax.target(loop)) for loop in self._loops}
        waiting = [node]
        while waiting:
            part = waiting.pop()
            if part.type not in _PLAIN or (part.type == "identifier" and self.facts.text(part) in names):
                return False
            waiting += part.named_children if part.type != "string" else ()
        return True

    @property
    def _loops(self) -> list[Node]:
        return [loop for loop in (self.grown.loop, self.limited.loop) if loop is not None]

    def _is_in_one_loop(self, loop: Node) -> bool:
        body = syntax.body(loop)
        return (
            gpu_memory.is_loop_over_gpus(self.facts, loop)
            and body is not None and self.growing.parent == self.limiting.parent == body
            and all(child.type in ("expression_statement", "comment") for child in body.named_children)
            and not self._touches_visible(loop)
        )  # fmt: skip

    def _is_in_two_loops(self, first: Node, second: Node) -> bool:
        return (
            first.parent == second.parent
            and all(gpu_memory.is_loop_over_gpus(self.facts, loop) for loop in (first, second))
            and self.growing == gpu_memory.only_statement(first) and self.limiting == gpu_memory.only_statement(second)
            and not self._is_used_beside(first) and not self._touches_visible(first.parent)
        )  # fmt: skip

    def _touches_visible(self, within: Node | None) -> bool:
        calls = gpu_memory.config_calls(self.facts, _VISIBLE)
        return within is not None and any(within in syntax.ancestors(call) for call in calls)

    def _is_for_the_first_gpu(self) -> bool:
        """Returns True if the limit is for the first of the GPUs in use, and growth for each of them."""
        if self.limited.which != "GPUs[0]":
            return False
        visible = list(gpu_memory.config_calls(self.facts, _VISIBLE))
        loop = self._only_growth_loop()
        if loop is not None:
            return loop.parent == self.limiting.parent and not visible and not self._is_used_beside(loop)
        if self.grown.which != "GPUs[0]" or self.growing.parent != self.limiting.parent or len(visible) != 1:
            return False
        shown = syntax.arguments(visible[0])
        return bool(shown) and visible[0] in list(before(self.growth.call)) and self._is_first_gpu(shown[0])

    def _is_first_gpu(self, node: Node) -> bool:
        if node.type == "list" and node.named_child_count == 1:
            node = node.named_children[0]
        return gpu_memory.device_of(self.facts, GpuCall(node, node, None)).which == "GPUs[0]"

    def _only_growth_loop(self) -> Node | None:
        """Returns the loop over all GPUs that only sets growth; None if there is none."""
        loop = self.grown.loop
        if loop is None or not gpu_memory.is_loop_over_gpus(self.facts, loop):
            return None
        return loop if gpu_memory.only_statement(loop) == self.growing else None

    def _is_used_beside(self, loop: Node) -> bool:
        """Returns True if a loop's variable is also read outside of the loops over GPUs."""
        loops, names = self._loops, self.facts.names
        return any(
            names.is_use(node)
            and not any(other.start_byte <= node.start_byte < other.end_byte for other in loops)
            and any(binding.statement in loops for binding in names.visible(node))
            for node in self.facts.source.identifiers(self.facts.text(syntax.target(loop)))
        )


def _as_condition(loop: Node) -> Iterator[Edit]:
    """Yields the edit from `for gpu in gpus:` to `if gpus:`; none for `async for`."""
    if not re.match(rb"async\b", loop.text or b""):
        yield Edit(loop.start_byte, syntax.loop(loop).iterable.start_byte, b"if ")
