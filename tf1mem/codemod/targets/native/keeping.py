"""Configs that stay ConfigProtos, because what takes them takes nothing else: an Estimator's RunConfig and its kin.

TensorFlow 2 reads such a config as TensorFlow 1 did, but for what is settled once in a process, by a Session or by the
first eager op, whichever comes first. That is said to tf.config as well, where the config is told. Seen with TensorFlow
2.4 and 2.15 on simulated GPUs: by a RunConfig's ConfigProto alone growth, a limit and the visible GPUs are lost after
an eager op, on 2.15 without one, too; said to tf.config as well they hold in either order. device_count is a Session's
own, and said to tf.config it would take GPUs from all that comes after.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Iterator, Sequence

from tree_sitter import Node

from tf1mem.codemod.facts.flow import Argument
from tf1mem.codemod.source.syntax import callee
from tf1mem.codemod.source.tree import Source
from tf1mem.codemod.targets.native.fields import Unsayable
from tf1mem.settings.takers import TEST_SESSION

if TYPE_CHECKING:
    from tf1mem.codemod.facts.module import Facts
    from tf1mem.codemod.targets.native.protos import Setting
    from tf1mem.codemod.targets.native.values import Value

_NAMES_OF_GPUS = re.compile(rb"\A(?:physical_|each_|all_)?(gpus?)(?:_device(s?))?\Z")
_LAYOUT = re.compile(rb"[\s'\"]+|,(?=[)\]])")
# Calls that may be made twice: they have one answer, and do nothing.
_HARMLESS = frozenset(
    "str int float bool len min max round format local_rank rank size local_size cpu_count getenv environ.get".split()
)


def lasts(path: str) -> bool:
    """Whether a field is settled once in a process: the GPUs' memory, which GPUs, and the threads within an op."""
    return path.startswith("gpu_options.") or path == "intra_op_parallelism_threads"


def check_sayable_beside(facts: Facts, handed: Argument, lasting: Sequence[Setting]) -> None:
    """What of a config that stays can't be said to tf.config as well.

    Args:
        facts: The module's facts.
        handed: Where the config goes.
        lasting: What is set on it that lasts for the process.

    Raises:
        Unsayable: There is such a thing.
    """
    leaf = facts.text(callee(handed.call)).rpartition(b".")[2].decode("utf-8", "replace")
    if lasting and leaf in TEST_SESSION.names:
        raise Unsayable(
            f"{lasting[0].path} is settled once in a process, and other tests may have run before this one",
            "Make the tf.config calls when the tests' module is loaded, and take it out here.",
        )
    for found in lasting:
        if not _may_be_read_twice(found.value):
            raise Unsayable(f"the value of {found.path} would be worked out twice", "Put it into a variable.")


def _may_be_read_twice(value: Value) -> bool:
    """Whether an expression has the same value when it is worked out again, and does nothing by that."""
    try:
        tree = ast.parse(value.text.strip(), mode="eval")
    except (SyntaxError, ValueError):
        return False
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            names = ast.unparse(node.func).split(".")
            if not {names[-1], ".".join(names[-2:])} & _HARMLESS:
                return False
        elif isinstance(node, (ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await)):
            return False
    return True


def is_said(statement: Node, lines: Sequence[str]) -> bool:
    """Whether these statements stand before one already, in its block, in whichever layout.

    Args:
        statement: The statement that they are to precede.
        lines: The statements, line by line.
    """
    block = statement.parent
    wanted = _statements(Source("\n".join(lines).encode("latin-1")).tree.root_node)
    there = [] if block is None else _statements(block, until=statement.start_byte)
    return any(there[place : place + len(wanted)] == wanted for place in range(len(there)))


def _statements(block: Node, until: int | None = None) -> list[bytes]:
    """The statements of a block, without layout, comments, and what is free to choose about the names of the GPUs."""
    return [
        _LAYOUT.sub(b"", b"".join(_leaves(child)))
        for child in block.named_children
        if child.type != "comment" and (until is None or child.end_byte <= until)
    ]


def _leaves(node: Node) -> Iterator[bytes]:
    if node.type == "comment":
        return
    if not node.children or node.type == "string":
        text = node.text or b""
        yield _NAMES_OF_GPUS.sub(rb"\1\2", text) if node.type == "identifier" else text
    for child in node.children if node.type != "string" else ():
        if node.type != "parenthesized_expression" or child.type not in ("(", ")"):
            yield from _leaves(child)
