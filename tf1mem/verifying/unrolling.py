"""The ops of a traced run; with `--deep` those of loops once for each iteration."""

from __future__ import annotations

from typing import Any, Mapping, NamedTuple, Sequence

# Separates the name of an op or tensor in a loop from the number of the iteration.
_SEPARATOR = "@"
# Types of a loop's ops: NextIteration takes a value to the next iteration, Enter takes one into the loop, and Merge
# passes on the one of these two that arrives.
_NEXT_ITERATION, _ENTER, _MERGE = ("NextIteration", "Enter", "Merge")


class Op(NamedTuple):
    """An op of a traced run.

    Attributes:
        name: The op's name; "NAME@3" for the fourth iteration of a loop.
        type: The op's type, such as "MatMul".
        inputs: The names of its input tensors.
        outputs: The names of its output tensors.
        line: The program's line that created it, or "".
        attributes: Attributes that affect the computation, as text.
        arguments: The names of its inputs, such as "lr"; [] if one of them is a list.
    """

    name: str
    type: str
    inputs: list[str]
    outputs: list[str]
    line: str
    attributes: dict[str, str]
    arguments: list[str]


def place_of(name: str) -> tuple[str, int | None]:
    """Returns the name of an op or a tensor in the program's graph, and the iteration of its loop, or None."""
    name_in_graph, _, iteration = name.partition(_SEPARATOR)
    return name_in_graph, int(iteration) if iteration else None


def unrolled(ops: Sequence[Op], inside: Mapping[str, Any] | None) -> tuple[list[Op], dict[str, dict[str, Any]]]:
    """Returns the ops, those in loops once for each iteration, and the figures of tensors inside loops and functions.

    Args:
        ops: The ops as they are in the graph.
        inside: The record of `recording.inside`; None without `--deep`.

    Returns:
        The ops, and a dict of a tensor's name -> its figures. Names in loops end in "@" and the iteration.
    """
    if not inside:
        return list(ops), {}
    figures: dict[str, dict[str, Any]] = dict(inside["copies"])
    loops: dict[str, str] = inside["loops"]
    counts = dict.fromkeys(loops.values(), 0)
    for tensor, values in inside["figures"].items():
        loop = loops.get(tensor.rpartition(":")[0])
        if loop is not None:
            counts[loop] = max(counts[loop], len(values))
        figures.update({tensor: values[0]} if loop is None else {_at(tensor, n): v for n, v in enumerate(values)})
    # All iterations of a loop are put in the place of its first op.
    by_loop: dict[str, list[Op]] = {}
    for op in ops:
        if op.name in loops:
            by_loop.setdefault(loops[op.name], []).append(op)
    producers = {tensor: op for op in ops for tensor in op.outputs}
    result = []
    for op in ops:
        loop = loops.get(op.name)
        if loop is None:
            called = inside["called"].get(op.name, {"ops": [], "results": []})
            result += [Op(**each) for each in called["ops"]]
            # An op that calls functions has their results among its inputs, so that it isn't the first that differs.
            inputs = _inputs_from_loops(op, loops, counts, producers) + called["results"]
            result.append(op._replace(inputs=inputs))
        else:
            for iteration in range(counts[loop]):
                result += [_copy(each, iteration, loops, producers) for each in by_loop.get(loop, ())]
            by_loop.pop(loop, None)
    return result, figures


def _at(name: str, iteration: int) -> str:
    return f"{name}{_SEPARATOR}{iteration}"


def _copy(op: Op, iteration: int, loops: Mapping[str, str], producers: Mapping[str, Op]) -> Op:
    """Returns an op of a loop for one iteration, with inputs from the same or the previous iteration."""
    inputs = []
    for tensor in op.inputs:
        producer = producers.get(tensor)
        kind = producer.type if producer is not None else ""
        if op.type == _MERGE and kind in (_NEXT_ITERATION, _ENTER) and (kind == _ENTER) != (iteration == 0):
            continue
        is_previous = kind == _NEXT_ITERATION
        is_inside = producer is not None and producer.name in loops
        inputs.append(_at(tensor, iteration - is_previous) if is_inside else tensor)
    return op._replace(
        name=_at(op.name, iteration), inputs=inputs, outputs=[_at(each, iteration) for each in op.outputs]
    )


def _inputs_from_loops(
    op: Op, loops: Mapping[str, str], counts: Mapping[str, int], producers: Mapping[str, Op]
) -> list[str]:
    """Returns an op's inputs; those from a loop are of its last iteration, in which only its condition is computed."""
    inputs = []
    for tensor in op.inputs:
        loop = loops.get(producers[tensor].name) if tensor in producers else None
        inputs.append(tensor if loop is None else _at(tensor, counts[loop] - 1))
    return inputs
