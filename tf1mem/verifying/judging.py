"""The verdict on two sides: the same; different, with the first difference; or not compared, with the reason."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any, NamedTuple, Sequence

from tf1mem.verifying import array_records, reasons
from tf1mem.verifying.comparing import CHAOS, Compared, Comparison, compare, is_rewrite
from tf1mem.verifying.recording.graphs import is_data
from tf1mem.verifying.recording.starting import pairs
from tf1mem.verifying.recordings import Recording, distance
from tf1mem.verifying.unrolling import Op, place_of
from tf1mem.verifying.walking import DifferingOps, Unlike, Walk

# The norm of n equally distributed random numbers varies by less than this, divided by the square root of n.
_SPREAD = 6.0
SAME, DIFFERENT, NOT_COMPARED = "same", "different", "not compared"


class Difference(NamedTuple):
    """The first difference of two sides.

    Attributes:
        kind: "setting", "variables", "seed", "first values", "restore", "steps", "feed", "data", "update", "op",
            "value", "memory", "checkpoint", "summary" or "output".
        step: The training run, counted from 0, that shows it; None if it exists before training.
        says: A sentence that describes it.
        details: Names, lines and figures of both sides, for JSON.
        reason: A known reason for such a difference, or "".
        source: The place in TensorFlow's source that shows the reason, or "".
    """

    kind: str
    step: int | None
    says: str
    details: dict[str, Any]
    reason: str = ""
    source: str = ""


def of_start(old: Recording, new: Recording) -> tuple[Difference | None, list[str]]:
    """Returns the difference of the variables' initial values, or None, and sentences about values that were copied.

    Names, shapes and initializers are compared. If values differ only because of op numbers, from which TensorFlow
    derives seeds, the new side starts from the old side's values; that is no difference.
    """
    mine, theirs = old.notes["first"], new.notes["first"]
    is_rewritten = is_rewrite(old, new)
    weights = {name: each["shape"] for name, each in mine.items() if each["trainable"]}
    others = {name: each["shape"] for name, each in theirs.items() if each["trainable"]}
    named = pairs(weights, others)
    if len(named) < len(weights) or len(named) < len(others):
        left = [f"{name} {weights[name]}" for name in weights if name not in named]
        over = [f"{name} {others[name]}" for name in others if name not in named.values()]
        says = f"Trainable variables differ: {_listed(left)} on the old side, {_listed(over)} on the new."
        return Difference("variables", None, says, {"old": left, "new": over}), []
    handed = []
    for name, new_name in named.items():
        a, b = mine[name], theirs[new_name]
        if distance(old, a, new, b) <= array_records.epsilon(a) * 64:
            continue
        difference = _spread_difference(name, a, b) if is_rewritten else _initializer_difference(name, a, b)
        if difference is not None:
            return difference, []
        handed.append(name)
    if not handed:
        return None, []
    if is_rewritten:
        return None, [f"Initial values of {_listed(handed)} differ: the new side used the old side's."]
    return None, [
        f"Initial values of {_listed(handed)} differ because their op numbers differ: the new side used the old side's."
    ]


def _spread_difference(name: str, a: dict[str, Any], b: dict[str, Any]) -> Difference | None:
    """Returns a difference if random initial values can't be of one distribution, judged by their L2 norms."""
    count = 1
    for length in a["shape"]:
        count *= length
    mine, theirs = a.get("norm", 0.0), b.get("norm", 0.0)
    if abs(mine - theirs) <= max(mine, theirs) * min(_SPREAD / math.sqrt(count), 0.9):
        return None
    norms = f"{mine:.3g} on the old side, {theirs:.3g} on the new"
    says = f"{name} starts from values of another size: their L2 norm is {norms}."
    return Difference("first values", None, says, {"variable": name, "old_norm": mine, "new_norm": theirs})


def _initializer_difference(name: str, a: dict[str, Any], b: dict[str, Any]) -> Difference | None:
    """Returns the difference of how a variable's initial value is made; None if only ops' own seeds differ."""
    recipe, other = a["recipe"], b["recipe"]
    details = {"variable": name, "old": recipe, "new": other, "old_norm": a.get("norm"), "new_norm": b.get("norm")}
    ops, others = recipe.get("ops"), other.get("ops")
    line = _in_parentheses(recipe.get("line", ""), other.get("line", ""))
    seeds, new_seeds = recipe.get("seeds") or [], other.get("seeds") or []
    if seeds and new_seeds and [seed[0] for seed in seeds] != [seed[0] for seed in new_seeds]:
        sides = f"{seeds[0][0]} on the old side, {new_seeds[0][0]} on the new"
        says = f"{name} starts from other values: the graph's seed is {sides}{line}."
        return Difference("seed", None, says, details)
    if (
        seeds
        and new_seeds
        and seeds != new_seeds
        and ops == others
        and recipe.get("constants") == other.get("constants")
    ):
        return None
    how = f"{_chain(recipe)} on the old side, {_chain(other)} on the new"
    says = f"{name} starts from other values, made by {how}{line}."
    if not ops and not others:
        why = (
            "The program computes this constant itself, or reads it. Singular vectors and eigenvectors have no sign of "
            "their own: the LAPACK of another NumPy may return the other one."
        )
        return Difference("first values", None, says, details, why, "numpy.linalg.svd, eigh, qr")
    why = "Initializers: Keras's defaults, variance scaling and its truncated normal changed between versions."
    return Difference("first values", None, says, details, why, "python/ops/init_ops.py, init_ops_v2.py")


def _chain(recipe: dict[str, Any]) -> str:
    text = " → ".join(recipe.get("ops") or ["a constant"])
    constants = ", ".join(recipe.get("constants", []))
    return f"{text} ({constants})" if constants else text


def first_apart(comparison: Comparison) -> Compared | None:
    """Returns the first value that differs by more than rounding; one that jumps only if no other value differs."""
    apart = [each for each in comparison.values if each.differs and not each.is_meaningless]
    steady = [each for each in apart if not each.jumps]
    return (steady or apart or [None])[0]  # type: ignore[list-item]


def traced_key(first: Compared) -> str:
    """Returns the key of the run to trace: for a variable the run that changed it, else the run with the value."""
    if first.name.startswith("before:"):
        return str(int(first.key.partition(".")[0]) - 1)
    return first.key


_UPDATE = (
    "Losses and gradients agree up to there, so the optimizers or their arguments differ, or one side also changes "
    "variables by other ops than its optimizer's."
)


def of_value(first: Compared, *, is_rewritten: bool = False) -> Difference:
    """Returns a difference that is described by the recorded values alone, without a trace.

    Args:
        first: The first value that differs.
        is_rewritten: True if Sessions are compared with an eager program.
    """
    step = int(first.key.partition(".")[0])
    kind, _, name = first.name.partition(":")
    details = {"name": name, "new_name": first.new_name.partition(":")[2], "apart": first.apart, "rounding": first.band}
    size = distance_text(first.apart)
    if kind == "feed":
        return Difference("feed", step, f"What is fed to {name} differs at step {step}, {size}.", details)
    if kind == "data":
        says = f"What {name} gives differs at step {step}, {size}."
        return Difference("data", step, says, details, *reasons.SHUFFLED_AND_REPEATED)
    if kind == "before":
        says = f"Step {step - 1} changes {name} differently, {size}."
        return Difference("update", step - 1, says, details, _UPDATE if is_rewritten else "")
    if kind == "fetch":
        name = name.partition(":")[2]
    label = {"gradient": f"The gradient of {name}", "loss": f"The loss {name}"}.get(kind, name)
    return Difference("value", step, f"{label} differs at step {step}, {size}.", details)


class Walked(NamedTuple):
    """The result of a walk through two traced runs.

    Attributes:
        difference: An op with a different result, or a different update.
        terms: The number of terms of the longest sum, if no op, attribute, constant or argument differs, so that the
            order of terms may be all that does; otherwise 1.
        flips: True if an input is so near to a point where an op jumps that rounding moved it to the other side.
    """

    difference: Difference
    terms: int = 1
    flips: bool = False


def of_walk(
    first: Compared, old: Recording, new: Recording, moved: Sequence[Recording], slack: float, *, is_one_program: bool
) -> Walked:
    """Returns the result of a walk for the first value that differs.

    Args:
        first: The value.
        old: The traced run of the old side.
        new: The traced run of the new side.
        moved: The traced runs of the old side with moved weights.
        slack: The comparison's slack.
        is_one_program: True if both sides run one program: ops that only one side has are then TensorFlow's.
    """
    by_value = of_value(first)
    if "trace" not in old.notes or "trace" not in new.notes or by_value.kind in ("feed", "data"):
        return Walked(by_value)
    walk = Walk(old, new, [each for each in moved if "trace" in each.notes], slack)
    place = walk.first()
    if place is not None:
        difference = _op_difference(place, by_value)
        is_alike = place.old.type == place.new.type and not is_data(place.old.type) and not place.attributes
        if is_one_program:
            is_alike = is_alike and all(None in values for values in place.constants.values())
        else:
            is_alike = is_alike and not place.constants and not _unmatched_ops(place)
        if not is_alike:
            return Walked(difference)
        return _perhaps_by_rounding(walk, difference, place.old, walk.flips(place))
    if by_value.kind == "update":
        difference = _update_difference(walk, by_value)
        updates = walk.applied(_holder(first.name))[0]
        if difference.reason or difference.details.get("arguments") or not updates:
            return Walked(difference)
        return _perhaps_by_rounding(walk, difference, updates[0], flips=False)
    if first.name.startswith("gradient:") and first.name == first.new_name:
        place = walk.gradient(first.name.partition(":")[2], first.apart)
    return Walked(by_value if place is None else _op_difference(place, by_value))


def _perhaps_by_rounding(walk: Walk, difference: Difference, op: Op, flips: bool) -> Walked:
    """Returns the difference of the graphs themselves, if any; otherwise the op's, with what rounding may explain."""
    unlike = walk.unlike()
    if unlike is not None:
        return Walked(_unlike_difference(unlike, difference))
    return Walked(difference, walk.longest_sum(op), flips)


def _unlike_difference(unlike: Unlike, by_value: Difference) -> Difference:
    """Returns the difference of the graphs themselves; `by_value`, the difference of results, may be rounding."""
    kind = f" ({unlike.type})" if unlike.type else ""
    values = "; ".join(f"{name} is {a} on the old side, {b} on the new" for name, (a, b) in unlike.values.items())
    says = f"{unlike.name}{kind} differs: {values}{_in_parentheses(*unlike.lines)}."
    details = {"attributes": unlike.values, "seen": by_value.says}
    return Difference("op" if unlike.type else "update", by_value.step, says, details)


def _holder(name: str) -> str:
    """Returns "w", the name of the op that holds a variable, from a value's name such as "before:w:0"."""
    return name.partition(":")[2].rpartition(":")[0]


def _op_difference(place: DifferingOps, by_value: Difference) -> Difference:
    """Returns the difference at a place, with the constants, attributes and ops that may explain it.

    Args:
        place: The matched ops whose results differ.
        by_value: The difference of the first value that differs, by `of_value`.
    """
    old, new = place.old, place.new
    known_reason = reasons.reason(place)
    types = old.type if old.type == new.type else f"{old.type}, now {new.type}"
    name, turn = place_of(old.name)
    when = f"step {by_value.step}" if turn is None else f"step {by_value.step}, iteration {turn}"
    parts = [f"{name} ({types}) gives another result at {when}, {distance_text(place.apart)}, from inputs that agree"]
    for constant, (a, b) in [*place.constants.items(), *place.attributes.items()][:3]:
        name = place_of(constant)[0]
        parts.append(
            f"{name} is {a} on the old side, {b} on the new"
            if None not in (a, b)
            else f"{name}: {a or b} is on one side only"
        )
    alone = _unmatched_ops(place)
    if alone:
        parts.append(alone)
    lines = _in_parentheses(old.line or _first_line(place.between[0]), new.line or _first_line(place.between[1]))
    details = {
        "old": _op_details(old),
        "new": _op_details(new),
        **({} if turn is None else {"iteration": turn}),
        "apart": place.apart,
        "rounding": place.limit,
        "constants": {place_of(name)[0]: both for name, both in place.constants.items()},
        "attributes": place.attributes,
        "between": [[_op_details(each) for each in side[:20]] for side in place.between],
        "seen": by_value.says,
    }
    kind = "data" if is_data(old.type) else "op"
    says = "; ".join(parts) + lines + "."
    return Difference(kind, by_value.step, says, details, *(known_reason or ("", "")))


# Ops that only hold, move or shape values, so that they explain no difference.
_SILENT = frozenset(
    "Const Identity Shape StridedSlice Pack Cast Reshape ExpandDims Squeeze NoOp ReadVariableOp ConcatV2 Slice Rank "
    "Range Fill GatherV2 Placeholder VarHandleOp VariableV2 BroadcastArgs BroadcastGradientArgs Size Prod".split()
)


def _unmatched_ops(place: DifferingOps) -> str:
    """Returns a phrase about the op types that only one side has before a place, or ""."""
    a, b = (Counter(op.type for op in side if op.type not in _SILENT) for side in place.between)
    texts = []
    for side, lone, ops in (("old", a - b, place.between[0]), ("new", b - a, place.between[1])):
        if lone:
            line = _first_line([op for op in ops if op.type in lone])
            texts.append(f"{_listed(sorted(lone))} only on the {side} side{_in_parentheses(line, '')}")
    return "before it " + ", ".join(texts) if texts else ""


def _update_difference(walk: Walk, by_value: Difference) -> Difference:
    """Returns the difference of a variable's update: one side doesn't run it, or its arguments differ."""
    name = by_value.details["name"].rpartition(":")[0]
    new_name = by_value.details["new_name"].rpartition(":")[0]
    mine, theirs = walk.applied(name)[0], walk.applied(new_name)[1]
    if bool(mine) != bool(theirs):
        side, ops = ("new", mine) if mine else ("old", theirs)
        line = _in_parentheses(ops[0].line, "")
        says = f"{name} isn't updated on the {side} side: step {by_value.step} runs no {ops[0].type} of it there{line}."
        why = (
            "An update op isn't run: batch norm's moving averages are in tf.GraphKeys.UPDATE_OPS, and the train "
            "op has to depend on it."
        )
        return by_value._replace(says=says, reason=why, source="python/layers/normalization.py")
    if not mine:
        return by_value
    a, b = mine[0], theirs[0]
    unlike = walk.arguments(a, b)
    says = f"{by_value.says} {reasons.of_optimizer(a, b, unlike)}" if "Apply" in a.type else by_value.says
    details = {**by_value.details, "old": _op_details(a), "new": _op_details(b), "arguments": unlike}
    return by_value._replace(says=says.rstrip(".") + _in_parentheses(a.line, b.line) + ".", details=details)


def of_restores(old: Recording, new: Recording) -> Difference | None:
    """Returns the difference of the variables that checkpoints are restored to, or None."""
    mine, theirs = old.notes.get("restores", []), new.notes.get("restores", [])
    for a, b in zip(mine, theirs):
        left = sorted((set(a["variables"]) - set(b["variables"])) & set(new.notes["first"]))
        over = sorted((set(b["variables"]) - set(a["variables"])) & set(old.notes["first"]))
        if left or over:
            sides = f"{_listed(left)} only on the old side, {_listed(over)} only on the new"
            says = f"A checkpoint is restored into other variables: {sides}."
            return Difference("restore", a["step"], says, {"old": left, "new": over})
    if len(mine) != len(theirs):
        says = f"The old side restores {len(mine)} checkpoints, the new side {len(theirs)}."
        return Difference("restore", None, says, {"old": mine, "new": theirs})
    return None


def notes_of_data(new: Recording) -> list[str]:
    """Returns sentences about data that the old side gave to the new."""
    from_old, from_new = new.notes.get("given", {}), new.notes.get("not_given", {})
    sentences = []
    if from_old:
        times = sum(from_old.values())
        sentences.append(f"The new side used the old side's data {times} times, of {_listed(sorted(from_old))}.")
    if from_new:
        times = sum(from_new.values())
        why = "the old side has no data of this name, number or shape"
        sentences.append(f"The new side used its own data of {_listed(sorted(from_new))} {times} times: {why}.")
    return sentences


def notes_of_order(old: Recording, new: Recording) -> list[str]:
    """Returns a sentence about variables that a run reads and changes while neither waits for the other, if any."""
    names = sorted({*old.notes.get("ordered", ()), *new.notes.get("ordered", ())})
    if not names:
        return []
    return [
        f"A run reads and changes {_listed(names)}, and neither waits for the other: here both sides read first, while "
        "TensorFlow may take either order."
    ]


def of_repeat(
    old: Recording, moved: Sequence[Recording], again: Recording, steps: int, slack: float
) -> Difference | None:
    """Returns the difference between two runs of the old side that were started alike, or None.

    Args:
        old: The first run.
        moved: Recordings of the old side with moved weights, which show what rounding does.
        again: The second run.
        steps: The number of training runs after which the second was ended.
        slack: The factor by which limits are wider; see `comparing.slack_of`.
    """
    for name, first in old.notes["first"].items():
        other = again.notes["first"].get(name, first)  # names may end with a random number, too
        if other is not first and distance(old, first, again, other) > 0:
            return Difference("first values", None, f"{name} starts from other values.", {"variable": name})
    first = first_apart(compare(old, moved, again).widened(slack))
    if first is not None:
        return of_value(first)
    return None if min(old.trained, steps) == again.trained else of_counts(old, again)


def is_of_seeds(difference: Difference | None) -> bool:
    """Returns True if an op draws other numbers only because TensorFlow derives its seed from its op number."""
    if difference is None or difference.kind != "op":
        return False
    unlike = difference.details["attributes"]
    return "seed2" in unlike and "seed" not in unlike


def of_counts(old: Recording, new: Recording) -> Difference | None:
    """Returns the difference of the numbers of training runs, or None."""
    a, b = old.trained, new.trained
    if a == b:
        return None
    step = min(a, b)
    says = f"The old side trains {a} steps, the new side {b}: a batch, an epoch or a condition differs."
    return Difference("steps", step, says, {"old": a, "new": b})


def is_chaotic(comparison: Comparison) -> bool:
    """Returns True if rounding alone changes the old side's first step so much that nothing can be compared."""
    first = [each for each in comparison.values if each.key == "0" and each.name.startswith(("fetch", "gradient"))]
    return bool(first) and all(each.band > CHAOS for each in first)


def of_settings(old: Recording, new: Recording) -> Difference | None:
    """Returns the difference of the configs that Sessions were created with, or None."""
    mine, theirs = _settings(old), _settings(new)
    # Settings that tf1mem applies to the process need no Session's config.
    mine -= _lines_of(new.notes.get("applied", "")) - theirs
    theirs -= _lines_of(old.notes.get("applied", "")) - mine
    if _sets_gpus_by_list(old) != _sets_gpus_by_list(new):
        mine, theirs = ({each for each in side if not each.startswith(_GPU)} for side in (mine, theirs))
    if mine == theirs:
        return None
    lost = sorted(mine - theirs)
    more = sorted(theirs - mine)
    says = f"Settings differ: {_listed(lost)} on the old side, {_listed(more)} on the new."
    return Difference("setting", None, says, {"old": lost, "new": more})


def notes_of_settings(old: Recording, new: Recording, has_memory: bool) -> list[str]:
    """Returns a note if the GPU settings of the two sides can't be compared as text.

    Args:
        old: The old side.
        new: The new side.
        has_memory: True if the bytes that both sides reserve are compared.
    """
    for side, recording, other in (("new", new, old), ("old", old, new)):
        is_text = any(line.startswith(_GPU) for line in _settings(other))
        if is_text and _sets_gpus_by_list(recording) and not _sets_gpus_by_list(other):
            how = "their memory was compared" if has_memory else "--gpu 8GiB compares their memory on simulated ones"
            return [f"GPU settings weren't compared: the {side} side sets those of the GPUs that it lists; {how}."]
    return []


def _sets_gpus_by_list(recording: Recording) -> bool:
    """Returns True if the program sets each GPU that it lists by `tf.config`, not by a Session's config."""
    return bool(recording.notes.get("sets_listed_gpus"))


def _settings(recording: Recording) -> set[str]:
    """Returns the lines of the configs, such as "gpu_options.allow_growth: true", without those that tf1mem adds."""
    lines: set[str] = set()
    for text in recording.notes["sessions"]:
        lines |= _lines_of(text)
    return {each for each in lines if each != _ONE_CPU and not each.startswith(_OWN)}


def _lines_of(text: str) -> set[str]:
    """Returns the lines of a config's text, each with the names of the messages around it.

    An entry of a map is one line, such as 'device_count["GPU"]: 2'.
    """
    lines: set[str] = set()
    path: list[str] = []
    key = ""
    for line in text.splitlines():
        word = line.strip()
        if word.endswith("{"):
            path.append(word[:-1].strip())
        elif word == "}":
            path.pop()
        elif word.startswith("key: "):
            key = word[len("key: ") :]
        elif word.startswith("value: ") and key:
            lines.add("{}[{}]: {}".format(".".join(path), key, word[len("value: ") :]))
            key = ""
        elif word:
            lines.add(".".join([*path, word]))
    return lines


def of_memory(reserved: dict[str, list[int]]) -> Difference | None:
    """Returns the difference of the bytes that both sides reserved on simulated GPUs, or None.

    Args:
        reserved: "old" and "new" -> the largest number of bytes that was reserved on each GPU.
    """
    if reserved["old"] == reserved["new"]:
        return None
    a, b = (", ".join(f"{each:,}" for each in reserved[side]) or "nothing" for side in ("old", "new"))
    return Difference(
        "memory", None, f"Memory reserved differs: {a} bytes on the old side, {b} on the new.", dict(reserved)
    )


_GPU = "gpu_options."
_ONE_CPU = 'device_count["CPU"]: 1'  # TensorFlow's default
# Fields that newer TensorFlows set by themselves, and that aren't compared.
_OWN = ("experimental.", "graph_options.rewrite_options.", "isolate_session_state", "share_cluster_devices")


def _op_details(op: Op) -> dict[str, Any]:
    inputs = [place_of(each)[0] for each in op.inputs]
    return {"name": place_of(op.name)[0], "type": op.type, "line": op.line, "inputs": inputs}


def _first_line(ops: Sequence[Op]) -> str:
    return next((op.line for op in ops if op.line), "")


def _in_parentheses(old: str, new: str) -> str:
    if not old and not new:
        return ""
    return f" ({old})" if old == new or not new else f" ({new})" if not old else f" ({old}; now {new})"


def _listed(names: Sequence[str]) -> str:
    if not names:
        return "none"
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def distance_text(apart: float) -> str:
    """Returns a phrase for the distance of two values."""
    return "in shape or kind" if apart == array_records.NOT_ALIKE else f"by {apart:.2g} of its largest value"
