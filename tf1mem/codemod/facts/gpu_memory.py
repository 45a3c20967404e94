"""Finds the calls of `tf.config` that configure a GPU's memory, and the GPU that each is for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterator, NamedTuple

from tree_sitter import Node

from tf1mem.codemod.facts.public_names import called
from tf1mem.codemod.source import syntax
from tf1mem.codemod.source.control_flow import may_both_run

if TYPE_CHECKING:
    from tf1mem.codemod.facts.module import Facts

# Modules from which programs call the functions below, and `SIZES`, the classes for a limit. Some modules never had
# some of these names: see names/never_names.py.
_HOMES = ("config.", "config.experimental.", "python.framework.config.")
GROWTH = ("set_memory_growth", "set_gpu_growth", "set_gpu_growth_enabled")
LIMITS = ("set_logical_device_configuration", "set_virtual_device_configuration", "set_memory_limit")
SIZES = ("LogicalDeviceConfiguration", "VirtualDeviceConfiguration")
_LISTS = ("list_physical_devices", "get_visible_devices")

ALL = "all GPUs"


class GpuCall(NamedTuple):
    """A call that configures something for a GPU.

    Attributes:
        call: The call.
        device: The argument for the device.
        value: The setting, which is the other argument; None if it is missing.
    """

    call: Node
    device: Node
    value: Node | None


class Device(NamedTuple):
    """A GPU, as far as the source identifies it.

    Attributes:
        which: `ALL`, or a text that distinguishes it: the item of a list, such as "gpus[0]", or a variable.
        list_name: The list that it belongs to: "GPUs" for TensorFlow's own, otherwise the list's text; "" for none.
        loop: The `for` statement over the list; None for one GPU, and for a comprehension.
    """

    which: str
    list_name: str
    loop: Node | None


class GrowthAndLimit(NamedTuple):
    """Growth and a limit for one GPU, or for all.

    Attributes:
        growth: The call that switches memory growth on.
        limit: The call that sets the limit.
        is_only: True if no other call switches growth on or off for the limited GPUs, and no other limit is for a GPU
            to which this growth applies.
    """

    growth: GpuCall
    limit: GpuCall
    is_only: bool

    @property
    def later(self) -> Node:
        """The second of the two calls."""
        return max(self.growth.call, self.limit.call, key=lambda call: call.start_byte)


def config_calls(facts: Facts, *leaves: str) -> Iterator[Node]:
    """Yields calls of functions of `tf.config` or `tf.config.experimental` by leaf name, in the order of the source."""
    if not any(map(facts.mentions, leaves)):
        return
    names = {home + leaf for home in _HOMES for leaf in leaves}
    for call in facts.calls(*leaves):
        if called(facts, call) in names:
            yield call


def growth_calls(facts: Facts) -> list[GpuCall]:
    """Returns the calls that switch memory growth on, or may: all but those with a literal False."""
    return [call for call in _growth_settings(facts) if not _is_off(call)]


def _growth_settings(facts: Facts) -> list[GpuCall]:
    calls = [_gpu_call(facts, call, "enable") for call in config_calls(facts, *GROWTH)]
    return [call for call in calls if call is not None]


def _is_off(setting: GpuCall) -> bool:
    return setting.value is not None and setting.value.type == "false"


def limit_calls(facts: Facts) -> list[GpuCall]:
    """Returns the calls that limit a GPU's memory, or split it into logical devices."""
    calls = [
        _gpu_call(facts, call, "logical_devices", "virtual_devices", "memory_limit")
        for call in config_calls(facts, *LIMITS)
    ]
    return [call for call in calls if call is not None and not _is_of_cpu(facts, call.device)]


def growths_and_limits(facts: Facts) -> list[GrowthAndLimit]:
    """Returns every memory limit of a GPU that also gets growth, with the first call that switches growth on."""
    limits = limit_calls(facts)
    settings = _growth_settings(facts) if limits else []
    pairs = []
    for limit in limits:
        own = [setting for setting in settings if _belong(facts, setting, limit)]
        growth = next((setting for setting in own if not _is_off(setting)), None)
        if growth is not None:
            is_only = len(own) == 1 and sum(_belong(facts, growth, other) for other in limits) == 1
            pairs.append(GrowthAndLimit(growth, limit, is_only))
    return pairs


def _belong(facts: Facts, growth: GpuCall, limit: GpuCall) -> bool:
    """Returns True if one run may make both calls and they concern a common GPU."""
    first, second = sorted((growth.call, limit.call), key=lambda call: call.start_byte)
    if not may_both_run(first, second):
        return False
    grown, limited = device_of(facts, growth), device_of(facts, limit)
    if ALL in (grown.which, limited.which):
        return grown.list_name == limited.list_name != ""
    return grown.which == limited.which


def _gpu_call(facts: Facts, call: Node, *values: str) -> GpuCall | None:
    """Returns a call's arguments; None if the source doesn't show the device, or passes *args or more than two.

    Args:
        facts: The module's facts.
        call: A call of a function of `GROWTH` or `LIMITS`.
        values: The possible names of the argument that isn't the device.
    """
    passed = syntax.arguments(call)
    if any(map(syntax.is_splat, passed)):
        return None
    positional = [child for child in passed if child.type != "keyword_argument"]
    device = facts.argument(call, "device") or (positional[0] if positional else None)
    if device is None or len(passed) > 2:
        return None
    others = [child for child in positional if child != device]
    named = next(filter(None, (facts.argument(call, name) for name in values)), None)
    return GpuCall(call, device, others[0] if named is None and others else named)


def device_of(facts: Facts, gpu_call: GpuCall) -> Device:
    """Returns the GPU of a call."""
    node = gpu_call.device
    if node.type == "identifier":
        loop = _loop_over(facts, node)
        if loop is not None:
            list_name = list_of(facts, syntax.loop(loop).iterable)
            return Device(ALL, list_name, loop if loop.type == "for_statement" else None)
        bound = facts.names.only_value(node)
        if bound is not None and bound.type == "subscript":
            node = bound
    index = syntax.indices(node) if node.type == "subscript" else []
    if len(index) == 1:
        list_name = list_of(facts, syntax.subscripted(node))
        return Device(f"{list_name}[{facts.decoded(index[0])}]", list_name, None)
    return Device(facts.decoded(node), "", None)


def list_of(facts: Facts, node: Node) -> str:
    """Returns the name of a list: "GPUs" for TensorFlow's own list, otherwise its text."""
    value = facts.names.only_value(node) if node.type == "identifier" else node
    if value is not None and value.type == "call" and is_list_of_gpus(facts, value):
        return "GPUs"
    return facts.decoded(node)


def is_list_of_gpus(facts: Facts, call: Node) -> bool:
    """Returns True if a call lists the GPUs: `tf.config.list_physical_devices('GPU')`, or the visible ones."""
    if called(facts, call) not in {home + leaf for home in _HOMES for leaf in _LISTS}:
        return False
    passed = syntax.arguments(call)
    kind = facts.argument(call, "device_type") or (passed[0] if len(passed) == 1 else None)
    return kind is not None and facts.source.string(kind) == b"GPU"


def _is_of_cpu(facts: Facts, device: Node) -> bool:
    """Returns True if a device is from a list of CPUs: some programs split the CPU into logical devices for tests."""
    node: Node | None = device
    if device.type == "identifier":
        loop = _loop_over(facts, device)
        node = facts.names.only_value(device) if loop is None else syntax.loop(loop).iterable
    if node is not None and node.type == "subscript":
        node = syntax.subscripted(node)
    if node is not None and node.type == "identifier":
        node = facts.names.only_value(node)
    return node is not None and node.type == "call" and b"CPU" in facts.text(node)


def _loop_over(facts: Facts, name: Node) -> Node | None:
    """Returns the loop, or the `for` of a comprehension, that binds a name; None if there is none."""
    for above in syntax.ancestors(name):
        if above.type in ("function_definition", "lambda"):
            return None
        loops = [child for child in above.named_children if child.type == "for_in_clause"]
        if above.type == "for_statement":
            body = syntax.body(above)
            loops = [above] if body is not None and body.start_byte <= name.start_byte < body.end_byte else []
        for loop in loops:
            variable = syntax.target(loop)
            if variable.type == "identifier" and facts.text(variable) == facts.text(name):
                return loop
    return None


def only_statement(loop: Node) -> Node | None:
    """Returns the only statement in a loop's body; None if there are others, or an `else`."""
    parts = syntax.loop(loop)
    inside = syntax.without_comments(parts.body)
    return inside[0] if len(inside) == 1 and parts.otherwise is None else None


def is_loop_over_gpus(facts: Facts, loop: Node) -> bool:
    """Returns True if a loop goes over all of TensorFlow's GPUs."""
    parts = syntax.loop(loop)
    return parts.target.type == "identifier" and list_of(facts, parts.iterable) == "GPUs"
