"""Configs that stay ConfigProtos, because what takes them takes nothing else: an Estimator's RunConfig and its kin.

TensorFlow 2 reads such a config as TensorFlow 1 did, but for what is settled once in a process, by a Session or by the
first eager op, whichever comes first. That is said to tf.config as well, where the config is told. Seen with TensorFlow
2.4 and 2.15 on simulated GPUs: by a RunConfig's ConfigProto alone growth, a limit and the visible GPUs are lost after
an eager op, on 2.15 without one, too; said to tf.config as well they hold in either order.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Sequence

from tree_sitter import Node

from tf1mem.codemod import consumers
from tf1mem.codemod.native.fields import COUNT
from tf1mem.codemod.source import callee

if TYPE_CHECKING:
    from tf1mem.codemod.module import Module
    from tf1mem.codemod.native.pieces import Handed

# What takes a ConfigProto in TensorFlow 2, and has settings of its own where it is given none -> the argument, and
# whether it may be given by position.
_TAKERS = {
    "estimator.RunConfig": ("session_config", False),
    "estimator.tpu.RunConfig": ("session_config", False),
    "python.client.device_lib.list_local_devices": ("session_config", True),
    "train.Server": ("config", False),
    "train.Server.create_local_server": ("config", True),
    "distribute.Server": ("config", False),
}
_OF_A_RUN_CONFIG = ("replace", "session_config")
_OF_A_TEST_CASE = ("test_session", "session", "cached_session")

_NAMES_OF_GPUS = re.compile(rb"\b(?:physical_|each_|all_)?(gpus?)(?:_device(s?))?\b")
_LAYOUT = re.compile(rb"[\s'\"]+|,(?=\s*[)\]])")


def wants_a_config(module: Module, handed: Handed) -> bool:
    """Whether a config is handed to something that takes nothing else."""
    function = callee(handed.call)
    name = module.tf1_name(function)
    if name is not None:
        argument, by_position = _TAKERS.get(name, ("", False))
        return bool(argument) and (handed.name == argument or (handed.name is None and by_position))
    leaf = function.child_by_field_name("attribute")
    if leaf is None:
        return False
    text = module.text(leaf).decode("utf-8", "replace")
    if text in _OF_A_TEST_CASE:
        return handed.name == "config" and consumers.is_of_a_test_case(module, handed.call)
    return (text, handed.name) == _OF_A_RUN_CONFIG


def lasts(path: str) -> bool:
    """Whether a field is settled once in a process: the GPUs, and the threads that all Sessions share."""
    return path.startswith("gpu_options.") or path in (COUNT, "intra_op_parallelism_threads")


def is_said(module: Module, statement: Node, lines: Sequence[str]) -> bool:
    """Whether these statements stand before one already, in its block, in whichever layout.

    Args:
        module: The module.
        statement: The statement that they are to precede.
        lines: The statements.
    """
    block = statement.parent
    if block is None:
        return False
    before = module.source.text[block.start_byte : statement.start_byte]
    return _bare("\n".join(lines).encode("latin-1")) in _bare(before)


def _bare(text: bytes) -> bytes:
    """Without layout, quotation marks, and what is free to choose about the names of the GPUs."""
    return _LAYOUT.sub(b"", _NAMES_OF_GPUS.sub(rb"\1\2", text))
