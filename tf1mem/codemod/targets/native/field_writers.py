"""Writes the fields of a ConfigProto as TensorFlow 2's own calls, by one table, `_WRITERS`.

The calls are those that `tf1mem.apply` makes (tf1mem/planning/, tf1mem/routes/tf_config.py). A `tf.compat.v1.Session`
without a config follows them: BaseSession.__init__ in tensorflow/python/client/session.py then takes the eager
context's config, as measured with TensorFlow 2.4 and 2.21.
"""

from __future__ import annotations

import ast
from typing import Any, Callable, Iterable, NamedTuple

from tf1mem.codemod.targets.native.field_values import UNKNOWN, InexpressibleError, Value, one_index
from tf1mem.codemod.targets.native.style import Style
from tf1mem.settings.field_names import COUNT, FRACTION, GROWTH, INTRA_THREADS, LOG, SOFT, VISIBLE
from tf1mem.settings.fields import FIELDS, SET_OPTIMIZER_OPTIONS

JIT = "graph_options.optimizer_options.global_jit_level"
REWRITE = "graph_options.rewrite_options."
INTER = "inter_op_parallelism_threads"
# Fields that TensorFlow reads once in a process; it refuses another value later: see repeats.
ONCE = (VISIBLE, FRACTION, GROWTH, COUNT, INTRA_THREADS, INTER)


class NativeCalls(NamedTuple):
    """The calls for one setting.

    Attributes:
        lines: The statements, line by line; none if no call is needed.
        dropped: The reason why no call is needed; empty if there are lines.
    """

    lines: tuple[str, ...] = ()
    dropped: str = ""


CallWriter = Callable[[Value, Style], NativeCalls]
_DEFAULT_ANYWAY = "TensorFlow 2 has this value anyway"


def native_calls(path: str, value: Value, style: Style) -> NativeCalls:
    """Returns the calls for a setting.

    Args:
        path: The field, such as "gpu_options.allow_growth".
        value: The field's value.
        style: The file's style: names, quotes, indentation.

    Raises:
        InexpressibleError: TensorFlow 2 has no call for it.
    """
    if path in _WITHOUT_EFFECT:
        constants, why = _WITHOUT_EFFECT[path]
        if not constants or value.is_default or (value.is_literal and value.constant in constants):
            return NativeCalls(dropped=why)
    elif value.is_default and path not in (SOFT, COUNT):
        return NativeCalls(dropped=_DEFAULT_ANYWAY)
    elif path in _WRITERS:
        return _WRITERS[path](value, style)
    raise InexpressibleError(f"tf.config has no call for {path}")


def _growth(value: Value, style: Style) -> NativeCalls:
    return NativeCalls(_if(value, style, _for_each_gpu(style, "{0}.config.experimental.set_memory_growth({1}, True)")))


def _fraction(value: Value, style: Style) -> NativeCalls:
    if style.gpu_memory_mib is None:
        why = "tf.config takes a limit in MiB, not a fraction"
        raise InexpressibleError(why, "Give the GPU's memory with --gpu-memory-mib, or keep tf1mem.apply for it.")
    fraction = value.constant
    if fraction is UNKNOWN:
        limit = f"int({style.gpu_memory_mib} * {_operand(value.text)}) // 2 * 2"
    elif not isinstance(fraction, (int, float)) or not 0 <= fraction <= 1:
        raise InexpressibleError("only a ConfigProto can ask for managed memory, by a fraction above 1")
    elif value.is_named:
        limit = f"int({style.gpu_memory_mib} * {value.text}) // 2 * 2"
    else:
        # In steps of 2 MiB: since 2.22 TensorFlow loses any other limit.
        limit = str(int(style.gpu_memory_mib * fraction) // 2 * 2)
        if limit == "0":
            raise InexpressibleError("the fraction is less than 2 MiB of a GPU")
    call = "{0}.config.set_logical_device_configuration({1}, [{0}.config.LogicalDeviceConfiguration(memory_limit=%s)])"
    return NativeCalls(_if(value, style, _for_each_gpu(style, call % limit)))


def _visible(value: Value, style: Style) -> NativeCalls:
    if value.is_literal:
        shown = f"{style.gpus}[{{}}]"
        numbers = _ascending(value.constant)
        chosen = ", ".join(shown.format(number) for number in numbers)
        if len(numbers) > 1:
            chosen = f"[{chosen}]"
    else:
        index = one_index(value)
        if index is None:
            raise InexpressibleError("which GPUs visible_device_list names is known only when the program runs")
        chosen = f"{style.gpus}[{index}]"
    listed = "{} = {}".format(style.gpus, style.devices("GPU"))
    return NativeCalls((listed, f"if {style.gpus}:", style.indent + _visible_devices(chosen, style)))


def _visible_devices(chosen: str, style: Style) -> str:
    return "{}.config.set_visible_devices({}, {})".format(style.tf, chosen, style.quoted("GPU"))


def _ascending(text: object) -> list[int]:
    try:
        numbers = [int(part) for part in str(text).split(",")]
    except ValueError:
        raise InexpressibleError("visible_device_list isn't a list of GPUs by their numbers") from None
    if not isinstance(text, str) or sorted(set(numbers)) != numbers or numbers[0] < 0:
        raise InexpressibleError("tf.config.set_visible_devices loses the order of the GPUs")
    return numbers


def _count(value: Value, style: Style) -> NativeCalls:
    lines: list[str] = []
    dropped = []
    for kind, count in _entries(value):
        if kind != kind.upper():
            dropped.append(f"no device type is called {kind!r}: it never had an effect")
        elif kind == "GPU":
            shown = "[]" if count == "0" else "{}[:{}]".format(style.devices("GPU"), count)
            lines.append(_visible_devices(shown, style))
        elif kind == "CPU" and count == "1":
            dropped.append("one CPU is what TensorFlow has anyway")
        elif kind == "CPU" and count != "0":
            call = "{0}.config.set_logical_device_configuration("
            each = "{1}[0], [{0}.config.LogicalDeviceConfiguration()] * {2})"
            lines.append((call + each).format(style.tf, style.devices("CPU"), _operand(count)))
        else:
            raise InexpressibleError(f"tf.config has no call for the number of devices of type {kind}")
    return NativeCalls(tuple(lines), "" if lines else "; ".join(dropped) or _DEFAULT_ANYWAY)


def _entries(value: Value) -> list[tuple[str, str]]:
    """Returns the device types of device_count, each with the expression of its number."""
    text = value.text.encode("latin-1").decode("utf-8", "replace")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        raise InexpressibleError("device_count can't be read from the source") from None
    pairs: list[tuple[ast.expr | None, ast.expr]] = []
    if isinstance(tree, ast.Dict):
        pairs = list(zip(tree.keys, tree.values))
    elif isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and tree.func.id == "dict" and not tree.args:
        pairs = [(ast.Constant(keyword.arg) if keyword.arg else None, keyword.value) for keyword in tree.keywords]
    else:
        raise InexpressibleError("device_count isn't a literal dict, so it can't be read from the source")
    entries = []
    for key, number in pairs:
        if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
            raise InexpressibleError("device_count can't be read from the source")
        entries.append((key.value, ast.unparse(number).encode("utf-8").decode("latin-1")))
    return entries


def _soft(value: Value, style: Style) -> NativeCalls:
    argument = "False" if value.is_default else "True" if value.is_literal else value.text
    return NativeCalls((f"{style.tf}.config.set_soft_device_placement({argument})",))


def _log(value: Value, style: Style) -> NativeCalls:
    return NativeCalls((log_placement_call(value.text if not value.is_literal else "True", style),))


def log_placement_call(argument: str, style: Style) -> str:
    """Returns the call that switches the logging of placement."""
    return f"{style.tf}.debugging.set_log_device_placement({argument})"


def _threads(name: str) -> CallWriter:
    return lambda value, style: NativeCalls((f"{style.tf}.config.threading.set_{name}({value.text})",))


def _jit(value: Value, style: Style) -> NativeCalls:
    member = _member(value, {1: "ON_1", 2: "ON_2", -1: "OFF"})
    if value.is_literal and member in ("ON_1", "OFF"):
        return NativeCalls(("{}.config.optimizer.set_jit({})".format(style.tf, member == "ON_1"),))
    if value.is_literal:
        raise InexpressibleError(f"tf.config.optimizer.set_jit has one level, not {member}")
    raise InexpressibleError("the level of XLA is known only when the program runs")


def _toggle(name: str) -> CallWriter:
    def write(value: Value, style: Style) -> NativeCalls:
        member = _member(value, {1: "ON", 2: "OFF"})
        if not value.is_literal or member not in ("ON", "OFF"):
            raise InexpressibleError(f"tf.config.optimizer can only turn {name} on and off")
        return _option(name, str(member == "ON"), style)

    return write


def _plain_option(name: str) -> CallWriter:
    return lambda value, style: _option(name, value.text, style)


def _member(value: Value, names: dict[float, str]) -> Any:
    """Returns the name of an enum's member given by number; any other constant unchanged."""
    return names.get(value.constant, value.constant) if isinstance(value.constant, (int, float)) else value.constant


def _option(name: str, setting: str, style: Style) -> NativeCalls:
    call = "{}.config.optimizer.set_experimental_options({{{}: {}}})"
    return NativeCalls((call.format(style.tf, style.quoted(name), setting),))


def _if(value: Value, style: Style, lines: tuple[str, ...]) -> tuple[str, ...]:
    if value.is_literal:
        return lines
    condition = f"({value.text})" if "\n" in value.text else value.text
    return (f"if {condition}:", *(style.indent + line for line in lines))


def _for_each_gpu(style: Style, call: str) -> tuple[str, ...]:
    head = "for {} in {}:".format(style.gpu, style.devices("GPU"))
    return (head, style.indent + call.format(style.tf, style.gpu))


def _operand(text: str) -> str:
    return text if text.replace(".", "").replace("_", "").isalnum() else f"({text})"


_OPTIONS = [field for field in FIELDS.values() if field.call == SET_OPTIMIZER_OPTIONS]

# Fields without effect in TensorFlow 2 -> the values that have none (empty: any value), and the reason.
_WITHOUT_EFFECT: dict[str, tuple[tuple[object, ...], str]] = {
    "gpu_options.allocator_type": (("BFC",), "TensorFlow 2 has this allocator"),
    "gpu_options.polling_inactive_delay_msecs": ((), "TensorFlow never read it"),
    "placement_period": ((), "TensorFlow never read it"),
    "graph_options.optimizer_options.opt_level": (("L1",), _DEFAULT_ANYWAY),
}

# Field -> function that writes its calls, in the order in which several are written.
_WRITERS: dict[str, CallWriter] = {
    VISIBLE: _visible,
    GROWTH: _growth,
    FRACTION: _fraction,
    COUNT: _count,
    SOFT: _soft,
    LOG: _log,
    INTRA_THREADS: _threads(INTRA_THREADS),
    INTER: _threads(INTER),
    JIT: _jit,
    **{field.path: _toggle(field.path[len(REWRITE) :]) for field in _OPTIONS if field.kind == "enum"},
    **{field.path: _plain_option(field.path[len(REWRITE) :]) for field in _OPTIONS if field.kind != "enum"},
}
_ORDER = {path: place for place, path in enumerate((*_WRITERS, *_WITHOUT_EFFECT))}


def order(path: str) -> int:
    """Returns a field's position in the order of calls."""
    return _ORDER.get(path, len(_ORDER))


def lasts(path: str) -> bool:
    """Returns True if a field is fixed once for a process: GPU memory, visible GPUs, and the threads within an op.

    The first Session or eager op fixes it. That also holds for a config that stays a ConfigProto, which TensorFlow 2
    reads unlike TensorFlow 1. Measured with TensorFlow 2.4 and 2.15 on simulated GPUs: with a RunConfig's ConfigProto
    alone, growth, a limit and the visible GPUs are lost after an eager op (on 2.15 also without one); with tf.config
    calls as well, they hold in either order. device_count belongs to a Session, and as a tf.config call it would take
    GPUs from everything that comes after.
    """
    return path.startswith("gpu_options.") or path == INTRA_THREADS


def logs(settings: Iterable[tuple[str, Value]]) -> bool:
    """Returns True if placement is logged, or may be."""
    return any(path == LOG and not value.is_default for path, value in settings)
