"""Finds a file's style: its name for TensorFlow, its quotes and indentation, and names that are free for GPUs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tree_sitter import Node

from tf1mem.codemod.source.syntax import attribute, attribute_named, callee, name_of, root_of
from tf1mem.codemod.targets.native.field_values import InexpressibleError
from tf1mem.codemod.targets.native.statement_edits import Sites, indent_step

if TYPE_CHECKING:
    from tf1mem.codemod.facts.module import Facts

_GPU_NAMES = ("gpu", "physical_gpu", "each_gpu", "gpu_device")
_GPUS_NAMES = ("gpus", "physical_gpus", "all_gpus", "gpu_devices")
# Each of them has tf.config and tf.debugging: looked up in 2.4 and 2.21.
_TENSORFLOWS = frozenset(["tensorflow", "tensorflow.compat.v1", "tensorflow.compat.v2"])


class Style(NamedTuple):
    """The style in which native calls are written at one place of a file.

    Attributes:
        tf: The name for TensorFlow, such as "tf".
        quote: The quotation mark that the file uses most.
        indent: One step of indentation.
        gpu: An unused name for one GPU.
        gpus: An unused name for all GPUs.
        gpu_memory_mib: Memory of each GPU in MiB; None if unknown.
    """

    tf: str
    quote: str
    indent: str
    gpu: str
    gpus: str
    gpu_memory_mib: int | None

    def quoted(self, text: str) -> str:
        """Returns a string literal."""
        return self.quote + text + self.quote

    def devices(self, kind: str) -> str:
        """Returns the call that lists the physical devices of a kind."""
        return f"{self.tf}.config.list_physical_devices({self.quoted(kind)})"


def style_of(
    facts: Facts, call: Node, gpu_memory_mib: int | None, any_names: bool = False
) -> tuple[Style, Node | None]:
    """Returns the style of a module at a place.

    Args:
        facts: The module's facts.
        call: The call that makes a config.
        gpu_memory_mib: Memory of each GPU in MiB; None if unknown.
        any_names: True if the names for GPUs may be in use already.

    Returns:
        The style; and the statement before which `import tensorflow as tf` has to be added, or None.

    Raises:
        InexpressibleError: There is no name for TensorFlow, or no unused one for the GPUs.
    """
    text = facts.source.text
    name, needed = _tensorflow(facts, call)
    style = Style(
        tf=name,
        quote="'" if text.count(b"'") > text.count(b'"') else '"',
        indent=indent_step(facts).decode("latin-1"),
        gpu=_GPU_NAMES[0] if any_names else _free(facts, _GPU_NAMES),
        gpus=_GPUS_NAMES[0] if any_names else _free(facts, _GPUS_NAMES),
        gpu_memory_mib=gpu_memory_mib,
    )
    return style, needed


def _free(facts: Facts, names: tuple[str, ...]) -> str:
    """Returns the first of some names that the module doesn't use as a variable."""
    for name in names:
        if not any(_is_variable(node) for node in facts.source.identifiers(name.encode())):
            return name
    raise InexpressibleError("all names for the GPUs are in use")


def _tensorflow(facts: Facts, call: Node) -> tuple[str, Node | None]:
    """Returns the name for TensorFlow at a call, and the import before which one has to be added, or None."""
    module, part = None, attribute(callee(call))
    while part is not None:
        if facts.names.paths(part.object) <= _TENSORFLOWS:
            module = part.object
        part = attribute(part.object)
    if module is not None:
        return facts.text(module).decode("latin-1"), None
    scopes = list(facts.names.scopes.at(call).chain())
    for binding in facts.imports.bindings:
        is_here = binding.scope in scopes and binding.node.start_byte < call.start_byte
        if is_here and binding.path in _TENSORFLOWS:
            name = facts.text(binding.node)
            others = [other for other in facts.names.bindings(name) if other.scope in scopes]
            if all(other.path in _TENSORFLOWS for other in others):
                return name.decode("latin-1"), None
    return "tf", _import_needed(facts, call)


def _import_needed(facts: Facts, call: Node) -> Node:
    """Returns the import of the config's class, before which TensorFlow's goes."""
    root = root_of(callee(call))
    visible = facts.names.visible(root) if root.type == "identifier" else []
    is_taken = any(_is_variable(node) for node in facts.source.identifiers(b"tf"))
    if len(visible) != 1 or visible[0].kind != "import" or visible[0].scope.kind != "module" or is_taken:
        raise InexpressibleError(
            "TensorFlow isn't imported by a name here", "Import tensorflow as tf, and run this again."
        )
    if not Sites(facts).can_change(visible[0].statement):
        raise InexpressibleError("an import shares its line with another statement", "Put it on a separate line.")
    return visible[0].statement


def _is_variable(node: Node) -> bool:
    above = node.parent
    is_keyword = above is not None and above.type == "keyword_argument" and name_of(above) == node
    return attribute_named(node) is None and not is_keyword
