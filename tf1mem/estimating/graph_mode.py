"""Writes a step in graph mode to an exchange: the fetches of an existing graph, and their feeds."""

from __future__ import annotations

from typing import Any

from tf1mem.errors import StepTypeError
from tf1mem.estimating.exchange import Exchange
from tf1mem.estimating.func_graph import OTHER, PARAMETER, feed
from tf1mem.estimating.specs import Spec, checked, read_spec


def fetches_of(tf: Any, step: Any) -> list[Any] | None:
    """Returns the graph's ops and tensors that `step` is or contains, or None if it is something else."""
    if isinstance(step, (list, tuple)) and step:
        fetches = [fetches_of(tf, item) for item in step]
        return None if None in fetches else [fetch for several in fetches if several for fetch in several]
    if isinstance(step, tf.Operation):
        return [step]
    if isinstance(step, tf.Tensor) and not hasattr(step, "numpy"):
        return [step]
    return None


def write(tf: Any, fetches: list[Any], specs: tuple[Any, ...], exchange: Exchange) -> None:
    """Writes a graph and the description of a step to the exchange.

    Args:
        tf: The `tensorflow` module.
        fetches: Ops and tensors of one graph.
        specs: At most one dict: placeholder -> spec.
        exchange: The exchange to write to.

    Raises:
        SpecError: A placeholder that must be fed has no spec.
        StepTypeError: `specs` isn't one dict.
    """
    tf1 = tf.compat.v1
    if len(specs) > 1 or (specs and not isinstance(specs[0], dict)):
        raise StepTypeError(
            "tf1mem.estimate(train_op, …)", "a graph's feed is a dict, as for Session.run",
            "tf1mem.estimate(train_op, {x: ((32, 784), 'float32')})",
        )  # fmt: skip
    graph = fetches[0].graph
    needed = _ancestors([fetch if isinstance(fetch, tf.Operation) else fetch.op for fetch in fetches])
    by_tensor = {
        graph.as_graph_element(key, allow_operation=False): read_spec(tf, value, str(key))
        for key, value in (specs[0] if specs else {}).items()
    }
    feeds: list[dict[str, Any]] = []
    for tensor in [*by_tensor, *(op.outputs[0] for op in needed if op.type in ("Placeholder", "PlaceholderV2"))]:
        if tensor.name in [feed["name"] for feed in feeds]:
            continue
        spec = by_tensor.get(tensor)
        if spec is None:
            shape = tensor.shape
            spec = Spec(None if shape.rank is None else tuple(shape.as_list()), tensor.dtype.base_dtype.name)
        feeds.append(feed(exchange, len(feeds), tensor, checked(spec, f"the placeholder {tensor.op.name}")))
    trainable = {variable.name for variable in graph.get_collection(tf1.GraphKeys.TRAINABLE_VARIABLES)}
    names = {op.name for op in needed}
    variables, initializers = [], []
    everything = [
        *graph.get_collection(tf1.GraphKeys.GLOBAL_VARIABLES), *graph.get_collection(tf1.GraphKeys.LOCAL_VARIABLES)
    ]  # fmt: skip
    for variable in everything:
        initializers.append(variable.initializer.name)
        if variable.op.name in names:
            variables.append(
                {
                    "name": variable.op.name, "placeholder": None, "dtype": variable.dtype.base_dtype.name,
                    "shape": variable.shape.as_list(), "role": PARAMETER if variable.name in trainable else OTHER,
                }
            )  # fmt: skip
    initializers += [op.name for op in graph.get_collection(tf1.GraphKeys.TABLE_INITIALIZERS)]
    exchange.write_step(
        graph.as_graph_def().SerializeToString(),
        {
            "name": ", ".join(fetch.name for fetch in fetches),
            "feeds": feeds,
            "variables": variables,
            "initializers": initializers,
            "targets": [fetch.name for fetch in fetches if isinstance(fetch, tf.Operation)],
            "outputs": [fetch.name for fetch in fetches if not isinstance(fetch, tf.Operation)],
            "notes": [],
        },
    )


def _ancestors(operations: list[Any]) -> list[Any]:
    """Returns the ops, and all ops that they depend on."""
    ancestors: dict[str, Any] = {}
    waiting = list(operations)
    while waiting:
        operation = waiting.pop()
        if operation.name not in ancestors:
            ancestors[operation.name] = operation
            waiting += [tensor.op for tensor in operation.inputs] + list(operation.control_inputs)
    return list(ancestors.values())
