"""Searches the graphs of two traced runs for the first op whose inputs agree and whose outputs differ."""

from __future__ import annotations

import math
import operator
from collections import defaultdict
from functools import reduce
from typing import Any, Callable, NamedTuple

from tf1mem.verifying import array_records
from tf1mem.verifying.comparing import MULTIPLE, UNITS
from tf1mem.verifying.recording.graphs import GRADIENTS
from tf1mem.verifying.recordings import Recording, distance
from tf1mem.verifying.unrolling import Op, unrolled

# Ops that return a constant. They aren't compared themselves: a constant counts as a setting of the ops that take it.
_CONSTANTS = ("Const", "HostConst")
# Ops that add up numbers: see `Walk._terms`.
_MATRICES = ("MatMul", "BatchMatMul", "BatchMatMulV2", "BatchMatMulV3")
_CONVOLUTIONS = ("Conv2D", "Conv3D", "DepthwiseConv2dNative")
_SUMS = ("Sum", "Mean", "BiasAddGrad", "L2Loss", "UnsortedSegmentSum", "SegmentSum")
_SOFTMAX = ("Softmax", "LogSoftmax", "SoftmaxCrossEntropyWithLogits", "SparseSoftmaxCrossEntropyWithLogits")
# Gradients of ReLUs, which pass a number or not by the sign of an input.
_SIGNS = ("ReluGrad", "Relu6Grad", "LeakyReluGrad")
# Gradients of max pooling, which pass a number to the largest input of its window.
_RANKS = ("MaxPoolGrad", "MaxPoolGradV2", "MaxPool3DGrad")
# Part of the names of the ops that TensorFlow's own gradient functions create, which differ between versions.
_GRADIENT = "_grad/"
# Two texts show the same float32 if the relative difference of their numbers is at most this.
_ONE_FLOAT = 6e-8
# The largest share of a tensor's values that may flip by rounding alone.
_FLIPS = 0.02


class DifferingOps(NamedTuple):
    """Two ops, one of each side, that compute the same figure with different results.

    Attributes:
        old: The op of the old side.
        new: The counterpart of the new side.
        apart: The distance of their outputs: see `array_records.distance`.
        limit: The largest distance that would count as rounding.
        between: For each side, the ops without a counterpart between its op and the nearest tensors that agree.
        constants: Name of a constant that differs, which the ops or `between` take -> its values on the old and the new
            side; None for a side that lacks it.
        attributes: Name of an attribute that differs -> its values on the old and the new side, as text.
    """

    old: Op
    new: Op
    apart: float
    limit: float
    between: tuple[list[Op], list[Op]]
    constants: dict[str, tuple[Any, Any]]
    attributes: dict[str, tuple[str, str]]


class Unlike(NamedTuple):
    """Two matched ops, or a variable on both sides, that differ in the graphs themselves, not only in their results.

    Attributes:
        name: The name on the old side.
        type: The type of the op; "" for a variable.
        values: Name of a constant or attribute -> its value on the old and the new side.
        lines: The lines of the old and the new side's program that created the op, such as "model.py:12"; "" if a line
            isn't known.
    """

    name: str
    type: str
    values: dict[str, tuple[Any, Any]]
    lines: tuple[str, str]


class Trace:
    """The traced run of one side.

    Args:
        recording: The side's recording.
        deep: True to include the ops inside of loops and functions, once for each iteration.

    Attributes:
        recording: The side's recording.
        ops: Name of an op -> the op, in the order in which the ops were created.
        tensors: Name of a recorded tensor -> its figures.
        producers: Name of a tensor -> the op that returns it.
    """

    def __init__(self, recording: Recording, *, deep: bool) -> None:
        noted = recording.notes["trace"]
        self.recording = recording
        ops, inside = unrolled([Op(**each) for each in noted["ops"]], noted["inside"] if deep else None)
        self.ops = {each.name: each for each in ops}
        self.tensors: dict[str, dict[str, Any]] = {**noted["tensors"], **inside}
        self.producers = {tensor: op for op in self.ops.values() for tensor in op.outputs}

    def constant(self, tensor: str) -> Any:
        """Returns the value of a constant of at most 8 numbers; None for any other tensor.

        It is a number, or for an array a list of its numbers, each with the 7 digits that are sure in a float32.
        """
        figures = self.tensors.get(tensor)
        if figures is None or not self.is_constant(tensor):
            return None
        sample = self.recording.sample(figures)
        if sample is None or not 0 < sample.size <= 8:
            return None
        numbers = [float(f"{each:.7g}") for each in sample]
        return numbers if figures["shape"] else numbers[0]

    def is_from_constant_op(self, tensor: str) -> bool:
        """Returns True for the output of a constant op."""
        op = self.producers.get(tensor)
        return op is not None and op.type in _CONSTANTS

    def is_constant(self, tensor: str) -> bool:
        """Returns True for the output of a constant op, also by way of Identity and Cast."""
        op = self.producers.get(tensor)
        while op is not None and op.type in ("Identity", "Cast") and len(op.inputs) == 1:
            op = self.producers.get(op.inputs[0])
        return op is not None and op.type in _CONSTANTS


class Walk:
    """Two traces whose ops are matched.

    Args:
        old: The old side's recording.
        new: The new side's recording.
        moved: Recordings of the old side with its initial weights moved by one unit in the last place.
        slack: The factor by which limits are wider: see `comparing.slack_of`.

    Attributes:
        old: The old side's trace.
        new: The new side's trace.
        pairs: Name of an old side's op -> name of the matched op.
    """

    def __init__(self, old: Recording, new: Recording, moved: list[Recording], slack: float) -> None:
        self._slack = slack
        deep = all(each.is_deep for each in (old, new, *moved))
        self.old, self.new = Trace(old, deep=deep), Trace(new, deep=deep)
        self._moved = [Trace(each, deep=deep) for each in moved]
        self.pairs = _matched(self.old, self.new)
        self._old_names = {new: old for old, new in self.pairs.items()}
        self._apart: dict[tuple[str, str], tuple[float, float] | None] = {}

    def first(self) -> DifferingOps | None:
        """Returns the first matched ops whose inputs agree and whose results differ; None if there are none."""
        for op in self.old.ops.values():
            if op.name not in self.pairs or op.type in _CONSTANTS:
                continue
            other = self.new.ops[self.pairs[op.name]]
            worst = self._first_apart(op, other)
            if worst is not None and self._inputs_agree(op, other):
                return self._place(op, other, *worst)
        return None

    def gradient(self, variable: str, apart: float) -> DifferingOps | None:
        """Returns the ops that produce a variable's gradient; None if a side has no such op.

        It is for a gradient that differs although all matched ops agree: ops without a counterpart produce it.

        Args:
            variable: The name of the op that holds the variable.
            apart: The distance of the gradients.
        """
        producers = []
        for trace, ops in zip((self.old, self.new), self.applied(variable)):
            inputs = zip(ops[0].arguments, ops[0].inputs) if ops else ()
            tensor = next((each for argument, each in inputs if argument in GRADIENTS), "")
            producers.append(trace.producers.get(tensor))
        old, new = producers
        return None if old is None or new is None else self._place(old, new, apart, 0.0)

    def flips(self, place: DifferingOps) -> bool:
        """Returns True if few numbers of two ops' results differ, because rounding moved inputs past a jump.

        The ops may jump themselves, as gradients of ReLUs and of max pooling do, or take an integer or boolean that
        rounding has changed.

        Args:
            place: The two ops.
        """
        if any(self._share_apart(*each, place.limit) > _FLIPS for each in zip(place.old.outputs, place.new.outputs)):
            return False
        if place.old.type in _SIGNS:
            return self._is_near_jump(place)
        before = _upstream(self.old, place.old, self._is_old_compared)[0]
        flipped = [self._compare_old(each) for each in before if not array_records.is_real(self.old.tensors[each])]
        return place.old.type in _RANKS or any(compared is not None and compared[0] > 0 for compared in flipped)

    def _share_apart(self, mine: str, theirs: str, limit: float) -> float:
        samples = self._samples(mine, theirs)
        return 0.0 if samples is None else array_records.share_apart(*samples, limit)

    def _samples(self, mine: str, theirs: str) -> tuple[Any, Any] | None:
        """Returns the samples of a tensor of each side; None if one is missing, or if their sizes differ."""
        a, b = self.old.tensors.get(mine), self.new.tensors.get(theirs)
        samples = [self.old.recording.sample(a or {}), self.new.recording.sample(b or {})]
        if any(each is None for each in samples) or samples[0].shape != samples[1].shape:
            return None
        return samples[0], samples[1]

    def _is_near_jump(self, place: DifferingOps) -> bool:
        """Returns True if a ReLU's input is close to a jump wherever the results of the ReLU's gradient differ.

        Args:
            place: The gradient's ops; their type is one of `_SIGNS`.
        """
        results = self._samples(place.old.outputs[0], place.new.outputs[0])
        inputs = self._samples(place.old.inputs[1], place.new.inputs[1])
        if results is None or inputs is None or results[0].shape != inputs[0].shape:
            return False
        largest = max(float(abs(each).max()) for each in results)
        compared = self._compared(place.old.inputs[1], place.new.inputs[1])
        width = max(float(abs(each).max()) for each in inputs) * (compared[1] if compared is not None else 0.0)
        differ = abs(results[0] - results[1]) > place.limit * largest
        # The second input of a ReLU's gradient is the ReLU's input or output. Both are close to 0 at the jump; Relu6
        # jumps at 6, too.
        points = (0.0, 6.0) if place.old.type == "Relu6Grad" else (0.0,)
        return all(
            any(abs(a - point) <= width and abs(b - point) <= width for point in points)
            for a, b in zip(inputs[0][differ], inputs[1][differ])
        )

    def unlike(self) -> Unlike | None:
        """Returns the first difference between the graphs themselves, not their results; None if there is none.

        Matched ops of one type are compared by their attributes and constants, and variables by the number of ops that
        change them.
        """
        for op in self.old.ops.values():
            other = self.new.ops.get(self.pairs.get(op.name, ""))
            if other is None or other.type != op.type or _GRADIENT in op.name:
                continue
            unlike: dict[str, tuple[Any, Any]] = {}
            for mine, theirs in zip(op.inputs, other.inputs):
                a, b = self.old.constant(mine), self.new.constant(theirs)
                if None not in (a, b) and a != b:
                    unlike[mine] = (a, b)
            if op.type not in _CONSTANTS:
                unlike.update(_unlike(op.attributes, other.attributes))
            if unlike:
                return Unlike(op.name, op.type, unlike, (op.line, other.line))
        counts = _updates(self.old), _updates(self.new)
        for variable in dict.fromkeys([*counts[0], *counts[1]]):
            changes = [each.get(variable, []) for each in counts]
            if len(changes[0]) != len(changes[1]):
                lines = [each[-1].line if each else "" for each in changes]
                numbers = {"changes in a step": (len(changes[0]), len(changes[1]))}
                return Unlike(variable, "", numbers, (lines[0], lines[1]))
        return None

    def longest_sum(self, start: Op) -> int:
        """Returns the number of terms of the longest sum between an op and the nearest equal tensors before it."""
        longest, waiting, seen = 1, [start], set()
        while waiting:
            op = waiting.pop()
            if op.name in seen:
                continue
            seen.add(op.name)
            longest = max(longest, self._terms(op))
            for tensor in op.inputs:
                compared = self._compare_old(tensor)
                if tensor in self.old.producers and (compared is None or compared[0] > 0):
                    waiting.append(self.old.producers[tensor])
        return longest

    def _terms(self, op: Op) -> int:
        """Returns how many numbers an op adds up for each result; 1 if it adds none, or its shapes are unknown."""
        inputs = [self._shape(each) for each in op.inputs]
        results = [self._shape(each) for each in op.outputs]
        kind, first = op.type, inputs[0] if inputs else None
        terms = 1
        if kind in _MATRICES and first:
            is_transposed = "true" in (op.attributes.get("transpose_a", "") + op.attributes.get("adj_x", ""))
            terms = first[-2 if is_transposed and len(first) > 1 else -1]
        elif kind.startswith(_CONVOLUTIONS):
            terms = self._terms_of_convolution(op, inputs)
        elif kind.startswith("FusedBatchNorm") and first and len(results) > 1 and results[1]:
            terms = _size(first) // max(_size(results[1]), 1)
        elif kind in _SUMS and first and results and results[0] is not None:
            terms = _size(first) // max(_size(results[0]), 1)
        elif kind in _SOFTMAX and first:
            terms = first[-1]
        return max(terms, 1)

    def _terms_of_convolution(self, op: Op, inputs: list[list[int] | None]) -> int:
        """Returns how many numbers a convolution adds up for each result; the channels are the last dimension."""
        if op.type.endswith(("BackpropFilter", "BackpropFilterV2")):
            gradient = inputs[2] if len(inputs) > 2 else None
            return _size(gradient[:-1]) if gradient else 1
        weights = inputs[1] if len(inputs) > 1 else None
        if not weights:
            return 1
        if op.type.startswith("Depthwise"):
            return _size(weights[:-2])
        return _size(weights[:-2]) * (weights[-1] if "BackpropInput" in op.type else weights[-2])

    def _shape(self, tensor: str) -> list[int] | None:
        """Returns the shape of a tensor of the old side, or of the variable that it reads."""
        figures = self.old.tensors.get(tensor)
        op = self.old.producers.get(tensor)
        if figures is not None or op is None:
            return None if figures is None else list(figures["shape"])
        if op.type in ("ReadVariableOp", "Identity") and op.inputs:
            name = op.inputs[0]
            variables = self.old.recording.notes["first"]
            variable = variables.get(name) or variables.get(name.rpartition(":")[0] + ":0")
            return list(variable["shape"]) if variable else None
        return None

    def applied(self, variable: str) -> tuple[list[Op], list[Op]]:
        """Returns the ops that change a variable on each side; `variable` is the name of the op that holds it."""
        sides = []
        for trace in (self.old, self.new):
            sides.append([op for op in trace.ops.values() if _changes(op) and _takes(op, variable)])
        return sides[0], sides[1]

    def arguments(self, old: Op, new: Op) -> dict[str, tuple[Any, Any]]:
        """Returns the arguments and attributes in which two ops of one type differ: name -> old and new value."""
        unlike = {}
        for name, mine, theirs in zip(old.arguments, old.inputs, new.inputs):
            a, b = self.old.tensors.get(mine), self.new.tensors.get(theirs)
            if a is None or b is None:
                continue
            compared = self._compared(mine, theirs)
            if compared is None or compared[0] > compared[1]:
                unlike[name] = (_shown(self.old, a), _shown(self.new, b))
        return {**unlike, **_unlike(old.attributes, new.attributes)}

    def _first_apart(self, op: Op, other: Op) -> tuple[float, float] | None:
        """Returns the distance and the limit of the first output that differs, or None."""
        for mine, theirs in zip(op.outputs, other.outputs):
            compared = self._compared(mine, theirs)
            if compared is not None and compared[0] > compared[1]:
                return compared
        return None

    def _compared(self, mine: str, theirs: str) -> tuple[float, float] | None:
        """Returns the distance and the limit of two tensors; None if they weren't recorded, or if the shapes differ.

        Dimensions of 1 may differ.

        Args:
            mine: The old side's tensor.
            theirs: The new side's tensor.
        """
        pair = mine, theirs
        if pair not in self._apart:
            a, b = self.old.tensors.get(mine), self.new.tensors.get(theirs)
            if a is None or b is None or (a["shape"] != b["shape"] and not _is_squeezed(a, b)):
                self._apart[pair] = None
            else:
                self._apart[pair] = self._distance(mine, a, {**b, "shape": a["shape"]})
        return self._apart[pair]

    def _distance(self, name: str, a: dict[str, Any], b: dict[str, Any]) -> tuple[float, float]:
        """Returns the distance of the figures `a` and `b`, and the limit for the old side's tensor `name`."""
        recording = self.old.recording
        bands = [
            distance(recording, a, each.recording, each.tensors[name]) for each in self._moved if name in each.tensors
        ]
        apart = distance(recording, a, self.new.recording, b)
        limit = self._slack * max([UNITS * array_records.epsilon(a), *(MULTIPLE * band for band in bands)])
        return apart, limit if array_records.is_real(a) else max(limit, _FLIPS)

    def _inputs_agree(self, op: Op, other: Op) -> bool:
        """Returns True if the nearest compared tensors before an op and before its counterpart agree."""
        before = [self._compare_old(tensor) for tensor in _upstream(self.old, op, self._is_old_compared)[0]]
        before += [self._compare_new(tensor) for tensor in _upstream(self.new, other, self._is_new_compared)[0]]
        return all(compared is None or compared[0] <= compared[1] for compared in before)

    def _compare_old(self, tensor: str) -> tuple[float, float] | None:
        """Returns the distance and the limit of an old side's tensor; None if the new side has no counterpart."""
        image = _image(self.old, self.new, self.pairs, tensor)
        return None if image is None else self._compared(tensor, image)

    def _compare_new(self, tensor: str) -> tuple[float, float] | None:
        """Returns the distance and the limit of a new side's tensor; None if the old side has no counterpart."""
        image = _image(self.new, self.old, self._old_names, tensor)
        return None if image is None else self._compared(image, tensor)

    def _is_old_compared(self, tensor: str) -> bool:
        return not self.old.is_from_constant_op(tensor) and self._compare_old(tensor) is not None

    def _is_new_compared(self, tensor: str) -> bool:
        return not self.new.is_from_constant_op(tensor) and self._compare_new(tensor) is not None

    def _place(self, op: Op, other: Op, apart: float, limit: float) -> DifferingOps:
        """Returns two ops with the constants and attributes that may explain their difference."""
        between = (
            _upstream(self.old, op, self._is_old_compared)[1],
            _upstream(self.new, other, self._is_new_compared)[1],
        )
        constants = _constants(self.old, [op, *between[0]], self.new, [other, *between[1]])
        return DifferingOps(op, other, apart, limit, between, constants, _unlike(op.attributes, other.attributes))


def _matched(old: Trace, new: Trace) -> dict[str, str]:
    """Returns old name -> new name of matched ops: first those of one name, then others whose inputs are matched."""
    pairs = {name: name for name in old.ops if name in new.ops and _is_like(old.ops[name], new.ops[name])}
    matched_names = set(pairs.values())
    by_inputs: dict[tuple[str | None, ...], list[Op]] = {}
    for other in new.ops.values():
        if other.name not in matched_names and other.inputs:
            by_inputs.setdefault(tuple(other.inputs), []).append(other)
    for op in old.ops.values():
        if op.name in pairs or not op.inputs:
            continue
        images = tuple(_image(old, new, pairs, tensor) for tensor in op.inputs)
        candidates = [each for each in by_inputs.get(images, ()) if each.name not in matched_names]
        alike = [each for each in candidates if each.type == op.type] or candidates
        if len(alike) == 1 or (alike and alike[0].type == op.type):
            pairs[op.name] = alike[0].name
            matched_names.add(alike[0].name)
    return pairs


def _is_like(a: Op, b: Op) -> bool:
    """Returns True if two ops of one name match: their types or numbers of outputs are equal, or the old has none."""
    return len(a.outputs) == len(b.outputs) or a.type == b.type or not a.outputs


def _image(old: Trace, new: Trace, pairs: dict[str, str], tensor: str) -> str | None:
    """Returns the counterpart of a tensor: the output at the same index of the matched op; None without one.

    Args:
        old: The trace that has the tensor.
        new: The other trace.
        pairs: Name of an op of `old` -> name of the matched op of `new`.
        tensor: The tensor's name.
    """
    op = old.producers.get(tensor)
    if op is None or op.name not in pairs:
        return None
    outputs = new.ops[pairs[op.name]].outputs
    place = op.outputs.index(tensor)
    return outputs[place] if place < len(outputs) else None


def _upstream(trace: Trace, op: Op, is_compared: Callable[[str], bool]) -> tuple[list[str], list[Op]]:
    """Returns the nearest tensors before an op that are compared, and the ops between these tensors and the op.

    Args:
        trace: The op's trace.
        op: The op.
        is_compared: Function of a tensor's name that returns True if both sides have the tensor.
    """
    waiting, seen = list(op.inputs), set()
    nearest, between = [], []
    while waiting:
        tensor = waiting.pop()
        if tensor in seen:
            continue
        seen.add(tensor)
        if is_compared(tensor):
            nearest.append(tensor)
        elif tensor in trace.producers:
            between.append(trace.producers[tensor])
            waiting += trace.producers[tensor].inputs
    return nearest, between


def _constants(old: Trace, mine: list[Op], new: Trace, theirs: list[Op]) -> dict[str, tuple[Any, Any]]:
    """Returns the constants that differ: see `DifferingOps.constants`.

    Constants of one side alone are left out if the other side has the same values under other names.
    """
    a, b = _taken_constants(old, mine), _taken_constants(new, theirs)
    unlike = {name: (a[name], b[name]) for name in a if name in b and a[name] != b[name]}
    lone_a, lone_b = [n for n in a if n not in b], [n for n in b if n not in a]
    if sorted(map(str, (a[n] for n in lone_a))) != sorted(map(str, (b[n] for n in lone_b))):
        unlike.update({name: (a[name], None) for name in lone_a})
        unlike.update({name: (None, b[name]) for name in lone_b})
    return unlike


def _taken_constants(trace: Trace, ops: list[Op]) -> dict[str, Any]:
    """Returns name -> value of the small constants that ops take: see `Trace.constant`."""
    constants = {}
    for op in ops:
        for tensor in op.inputs:
            value = trace.constant(tensor)
            if value is not None:
                constants[tensor] = value
    return constants


def _updates(trace: Trace) -> dict[str, list[Op]]:
    """Returns name of the op that holds a variable -> the ops that change the variable."""
    changes: dict[str, list[Op]] = defaultdict(list)
    for op in trace.ops.values():
        if op.inputs and _changes(op):
            changes[op.inputs[0].rpartition(":")[0]].append(op)
    return changes


def _size(shape: list[int]) -> int:
    return reduce(operator.mul, shape, 1)


def _unlike(a: dict[str, str], b: dict[str, str]) -> dict[str, tuple[str, str]]:
    """Returns name -> both values of the attributes that two ops have and that differ."""
    return {name: (a[name], b[name]) for name in a if name in b and not _is_same(a[name], b[name])}


def _is_same(a: str, b: str) -> bool:
    """Returns True for two texts of one value: protobuf shows a float32 as 0.001 or as 0.0010000000474974513."""
    if a == b:
        return True
    try:
        (kind, mine), (other, theirs) = a.split(), b.split()
        return kind == other == "f:" and math.isclose(float(mine), float(theirs), rel_tol=_ONE_FLOAT)
    except ValueError:
        return False


def _is_squeezed(a: dict[str, Any], b: dict[str, Any]) -> bool:
    """Returns True if two shapes differ at most in dimensions of 1."""
    return [n for n in a["shape"] if n != 1] == [n for n in b["shape"] if n != 1]


def _changes(op: Op) -> bool:
    """Returns True for an op that changes a variable, by its type."""
    return "Apply" in op.type or op.type.startswith(("Assign", "Scatter", "ResourceScatter"))


def _takes(op: Op, holder: str) -> bool:
    """Returns True if an op takes an output of the op `holder`: an optimizer's op takes a variable, and its slots."""
    return any(tensor.rpartition(":")[0] == holder for tensor in op.inputs)


def _shown(trace: Trace, figures: dict[str, Any]) -> Any:
    """Returns a scalar as a float, and "norm …" for an array, for messages."""
    sample = trace.recording.sample(figures)
    if sample is None or figures["shape"]:
        return "norm {:.6g}".format(figures.get("norm", 0.0))
    return round(float(sample[0]), 9)
