"""What a Session runs in graph mode: fetches of a graph that is there, and what to feed it."""

from __future__ import annotations

from typing import Any

from tf1mem.errors import StepTypeError
from tf1mem.estimating.exchange import Exchange
from tf1mem.estimating.func_graph import OTHER, PARAMETER, feed
from tf1mem.estimating.specs import Spec, checked, read_spec


def fetches_of(tf: Any, thing: Any) -> list[Any] | None:
    """The ops and tensors of a graph that a thing is or holds; None where it is something else."""
    if isinstance(thing, (list, tuple)) and thing:
        found = [fetches_of(tf, item) for item in thing]
        return None if None in found else [fetch for several in found if several for fetch in several]
    if isinstance(thing, tf.Operation):
        return [thing]
    if isinstance(thing, tf.Tensor) and not hasattr(thing, "numpy"):
        return [thing]
    return None


def write(tf: Any, fetches: list[Any], specs: tuple[Any, ...], exchange: Exchange) -> None:
    """Leaves a graph, and how to run the fetches, in the exchange.

    Args:
        tf: TensorFlow.
        fetches: Ops and tensors of one graph.
        specs: At most one dict, of placeholders and what to feed.
        exchange: Where to.

    Raises:
        SpecError: A placeholder that has to be fed isn't.
        StepTypeError: What was given beside the fetches is no feed_dict.
    """
    tf1 = tf.compat.v1
    if len(specs) > 1 or (specs and not isinstance(specs[0], dict)):
        raise StepTypeError(
            "tf1mem.estimate(train_op, …)", "what a graph is fed is a dict, as for Session.run",
            "tf1mem.estimate(train_op, {x: ((32, 784), 'float32')})",
        )  # fmt: skip
    graph = fetches[0].graph
    needed = _ancestors([fetch if isinstance(fetch, tf.Operation) else fetch.op for fetch in fetches])
    given = {
        graph.as_graph_element(key, allow_operation=False): read_spec(tf, value, str(key))
        for key, value in (specs[0] if specs else {}).items()
    }
    feeds: list[dict[str, Any]] = []
    for tensor in [*given, *(op.outputs[0] for op in needed if op.type in ("Placeholder", "PlaceholderV2"))]:
        if tensor.name in [feed["name"] for feed in feeds]:
            continue
        spec = given.get(tensor)
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
    found: dict[str, Any] = {}
    waiting = list(operations)
    while waiting:
        operation = waiting.pop()
        if operation.name not in found:
            found[operation.name] = operation
            waiting += [tensor.op for tensor in operation.inputs] + list(operation.control_inputs)
    return list(found.values())
