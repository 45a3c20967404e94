"""Traces a Python function of tensors to a graph that another process can run.

The function is traced into a FuncGraph (tensorflow/python/framework/func_graph.py, the same from 1.13 on), as by
tf.function, but inside of another graph, not in eager mode: variables that the function creates are created in that
graph, and nothing is run. Each captured variable or tensor becomes a placeholder. Where it stands for a variable, the
measuring process puts a variable of the same shape and dtype in its place.
"""

from __future__ import annotations

import importlib
import inspect
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Callable, Iterator

from tf1mem.errors import EstimateError
from tf1mem.estimating.exchange import Exchange
from tf1mem.estimating.specs import Spec, checked, leaves, mapped
from tf1mem.hooks.wrappers import replace_everywhere
from tf1mem.machine.modules import loaded_module

PARAMETER, OTHER = "parameter", "other"


@dataclass(frozen=True)
class Function:
    """A step to trace.

    Attributes:
        call: The function of tensors.
        name: The step's name in the estimate.
        parameters: A function that returns the handles of the parameters; None if all trainable variables count.
        notes: Sentences for the estimate's notes.
    """

    call: Callable[..., Any]
    name: str
    parameters: Callable[[], Any] | None = None
    notes: tuple[str, ...] = ()


def trace(tf: Any, function: Function, specs: Any, exchange: Exchange) -> None:
    """Traces a function, and writes its graph and description to the exchange; call it in a copy of the process only.

    Args:
        tf: The `tensorflow` module.
        function: The function to trace.
        specs: A structure of `Spec`s for its arguments.
        exchange: The exchange to write to.

    Raises:
        EstimateError: The function captures something other than a variable or a tensor.
    """
    created: list[Any] = []
    # In graph mode a function's variables live in the default graph.
    outer = tf.compat.v1.get_default_graph()
    if tf.executing_eagerly():
        outer = _graph_for_variables(tf)
        _seem_eager_outside()
    module = loaded_module("python.framework.func_graph")
    call, keywords = function.call, {}
    if "autograph" in inspect.signature(module.func_graph_from_py_func).parameters:
        keywords["autograph"] = True
    else:  # from about 2.13 on tf.function converts the function itself
        api = importlib.import_module("tensorflow.python.autograph.impl.api")
        context = importlib.import_module("tensorflow.python.autograph.core.ag_ctx")
        call = api.tf_convert(call, context.ControlStatusCtx(context.Status.ENABLED))
    arguments = tuple(mapped(spec, lambda leaf: tf.TensorSpec(leaf.shape, tf.as_dtype(leaf.dtype))) for spec in specs)
    with outer.as_default(), tf.compat.v1.variable_creator_scope(_creator(tf, created)):
        graph = module.func_graph_from_py_func("step", call, arguments, {}, **keywords)
    spec_leaves = [leaf for spec in specs for leaf in leaves(spec)]
    # Each captured tensor with its placeholder: a dict up to 1.14, pairs from then on.
    captured = list(graph.captures.items() if isinstance(graph.captures, dict) else graph.captures)
    inner = {id(placeholder) for _, placeholder in captured}
    inputs = [tensor for tensor in graph.inputs if id(tensor) not in inner]
    feeds = [feed(exchange, number, tensor, leaf) for number, (tensor, leaf) in enumerate(zip(inputs, spec_leaves))]
    parameters = None if function.parameters is None else {id(handle) for handle in function.parameters()}
    variables = []
    known = {id(variable.handle): variable for variable in [*graph.variables, *created]}
    for outside, placeholder in captured:
        if placeholder.dtype == tf.resource:
            variables.append(_variable(tf, known.get(id(outside)), outside, placeholder, parameters))
        else:
            leaf = Spec(tuple(placeholder.shape.as_list()), placeholder.dtype.base_dtype.name)
            feeds.append(feed(exchange, len(feeds), placeholder, checked(leaf, "what the function captures")))
    outputs = [tensor for tensor in graph.outputs if tensor is not None]
    exchange.write_step(
        graph.as_graph_def().SerializeToString(),
        {
            "name": function.name,
            "feeds": feeds,
            "variables": variables,
            "initializers": [],
            "targets": sorted({operation.name for operation in _side_effects(graph, outputs)}),
            "outputs": [tensor.name for tensor in outputs],
            "notes": list(function.notes),
        },
    )


def _graph_for_variables(tf: Any) -> Any:
    """Returns a graph for the variables that the function creates.

    It ignores colocation: an optimizer of Keras 2 colocates its slots with the eager variables, which are in no graph.
    """
    graph = tf.Graph()

    @contextmanager
    def nowhere(*_: Any, **__: Any) -> Iterator[None]:
        yield

    graph.colocate_with = nowhere
    if hasattr(graph, "_colocate_with_for_gradient"):
        graph._colocate_with_for_gradient = nowhere
    return graph


def _seem_eager_outside() -> None:
    """Makes Keras 2's optimizers see eager mode outside of the function, as they do in a tf.function.

    Until 2.10 they would otherwise read an eager variable's op (optimizer_v2.py, _distributed_apply). All other code of
    TensorFlow still sees graph mode outside: in eager mode variables can't be hashed, and `==` between them is an op.
    """
    truth = getattr(loaded_module("python.framework.ops"), "executing_eagerly_outside_functions", None)
    if truth is None:
        return

    def outside() -> bool:
        return str(sys._getframe(1).f_globals.get("__name__", "")).endswith(".optimizer_v2") or bool(truth())

    replace_everywhere({truth: outside})


def _creator(tf: Any, created: list[Any]) -> Callable[..., Any]:
    """Returns a variable creator for resource variables filled with zeros, since only their shapes matter."""

    def create(next_creator: Callable[..., Any], **keywords: Any) -> Any:
        first = keywords.get("initial_value")
        if not callable(first) and first is not None:
            tensor = tf.convert_to_tensor(first, dtype=keywords.get("dtype"))
            keywords["initial_value"] = lambda: tf.zeros(tensor.shape, tensor.dtype)
        keywords["use_resource"] = True
        variable = next_creator(**keywords)
        created.append(variable)
        return variable

    return create


def _side_effects(graph: Any, outputs: list[Any]) -> list[Any]:
    """Returns the ops to run: control_outputs, like tf.function; on 1.13 ops with state or no outputs."""
    if hasattr(graph, "control_outputs"):
        return list(graph.control_outputs)
    return [operation for operation in graph.get_operations() if operation.op_def.is_stateful or not operation.outputs]


def feed(exchange: Exchange, number: int, tensor: Any, leaf: Spec) -> dict[str, Any]:
    """Returns the description of a step's feed; writes its array, if there is one, to the exchange by `number`."""
    values = None
    if leaf.values is not None:
        values = f"feed{number}"
        exchange.write_values(values, leaf.values)
    return {"name": tensor.name, "shape": list(leaf.shape or ()), "dtype": leaf.dtype, "values": values}


def _variable(tf: Any, variable: Any, outside: Any, placeholder: Any, parameters: Any) -> dict[str, Any]:
    """Returns the description of a captured variable; `variable` is None for one that the graph doesn't know."""
    if variable is not None:
        dtype, shape, trainable = variable.dtype.base_dtype.name, variable.shape, variable.trainable
        name = variable.name
    else:
        data = getattr(outside, "_handle_data", None)
        if data is None or not data.is_set or len(data.shape_and_type) != 1:
            raise EstimateError(
                "tf1mem.estimate",
                f"the function uses a resource that is not a variable ({placeholder.name})",
                "Tables, iterators and queues stay in their process: give the tensors they yield as arguments",
            )
        known = data.shape_and_type[0]
        dtype, shape, trainable, name = tf.as_dtype(known.dtype).name, tf.TensorShape(known.shape), False, "variable"
    if not shape.is_fully_defined():
        raise EstimateError("tf1mem.estimate", f"{name} has a shape that isn't known: {shape}", "Give it one")
    is_parameter = trainable if parameters is None else id(outside) in parameters
    return {
        "name": name.split(":")[0],
        "placeholder": placeholder.name,
        "dtype": dtype,
        "shape": shape.as_list(),
        "role": PARAMETER if is_parameter else OTHER,
    }
