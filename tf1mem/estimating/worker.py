"""The process that measures: it runs a traced step on a simulated GPU, or on the CPU, and writes down what it took.

`main` is run in a Python of its own. It imports TensorFlow and builds the graph once, and forks for each
run, since TensorFlow's allocator and its limits last as long as a process. What it knows comes from
- RunMetadata.step_stats: each node's outputs and each allocation with its time (core/framework/step_stats.proto;
  filled by core/common_runtime/step_stats_collector.cc from core/framework/tracking_allocator.h), and
- the allocator's own peak (BFCAllocator's AllocatorStats), where this TensorFlow tells it.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import traceback
from typing import Any, NamedTuple

from tf1mem.estimating.exchange import Exchange
from tf1mem.estimating.fork import settle

SOFTWARE_TRACE = 1  # tracks allocations; FULL_TRACE would also start CUPTI
OUT_OF_MEMORY = "out of memory"
_ATTRIBUTES = ("strides", "dilations")


def main(folder: str) -> None:
    """Answers requests, a line of JSON each, from standard input; each run is a process of its own.

    A line is a list of runs, which are done side by side.

    Args:
        folder: Where the step lies.
    """
    answers = os.fdopen(os.dup(1), "w")  # what TensorFlow prints is no answer
    os.dup2(2, 1)
    from tf1mem.machine.tensorflow import import_tensorflow

    tf = import_tensorflow()
    gc.disable()  # of a large graph nothing is garbage, and looking for it takes a seventh of the time
    exchange = Exchange(folder)
    built: _Built | Exception
    try:
        built = _build(tf, exchange, exchange.read_answer("step"))  # once: large graphs take seconds
    except Exception as error:
        built = error
    for line in sys.stdin:
        children = []
        settle()  # building a graph starts threads
        for request in json.loads(line):
            child = os.fork()
            if child == 0:
                _child(tf, exchange, built, request)
            children.append(child)
        answers.write(json.dumps([os.waitpid(child, 0)[1] for child in children]) + "\n")
        answers.flush()


def _child(tf: Any, exchange: Exchange, built: _Built | Exception, request: dict[str, Any]) -> None:
    """Does one run and ends this process, whatever happens."""
    status = 1
    try:
        try:
            if isinstance(built, Exception):
                raise built
            exchange.write_answer(request["answer"], _run(tf, built, request))
        except BaseException as error:
            exchange.write_answer(request["answer"], _failure(error))
        status = 0
    finally:
        sys.stderr.flush()
        os._exit(status)


def _failure(error: BaseException) -> dict[str, Any]:
    import tensorflow as tf

    if isinstance(error, tf.errors.ResourceExhaustedError):
        return {"failed": OUT_OF_MEMORY, "message": error.message}
    text = "".join(traceback.format_exception_only(type(error), error)).strip()
    # The autotuner of convolutions says so in the text of another error.
    memory = "RESOURCE_EXHAUSTED" in text or "ran out of memory" in text.lower()
    return {"failed": OUT_OF_MEMORY if memory else type(error).__name__, "message": text}


def _run(tf: Any, built: _Built, request: dict[str, Any]) -> dict[str, Any]:
    tf1 = tf.compat.v1
    config = tf1.ConfigProto(
        allow_soft_placement=True,
        # One thread, so that ops follow one another in the same order each time.
        inter_op_parallelism_threads=request.get("threads", 1 if request["trace"] else 0),
        gpu_options=tf1.GPUOptions(
            allow_growth=request.get("growth", request.get("fraction") is None),
            per_process_gpu_memory_fraction=request.get("fraction") or 0,
        ),
    )
    with tf1.Session(graph=built.graph, config=config) as session:
        for targets, feeds in built.before:
            session.run(targets, feed_dict=feeds)
        session.run(built.targets, feed_dict=built.feeds)  # autotunes, and builds what is built once
        if not request["trace"]:
            session.run(built.targets, feed_dict=built.feeds)
            return {"ran": True}
        told = tf1.RunMetadata()
        options = tf1.RunOptions(trace_level=SOFTWARE_TRACE, output_partition_graphs=True)
        on_gpu = request["device"] == "gpu"
        first = _reset_peak(tf) if on_gpu else None
        session.run(built.targets, feed_dict=built.feeds, options=options, run_metadata=told)
        peak = _peak(tf) if first is not None else None
    return {"nodes": nodes(told), "allocator_peak": peak, "first_peak": first}


class _Built(NamedTuple):
    """A step's graph, and what to run of it: once before the step, and for the step itself."""

    graph: Any
    before: list[tuple[list[Any], dict[Any, Any]]]
    targets: list[Any]
    feeds: dict[Any, Any]


def _build(tf: Any, exchange: Exchange, step: dict[str, Any]) -> _Built:
    """The step's graph, with variables in the place of what it captured. Starts nothing."""
    graph = tf.Graph()
    with graph.as_default():
        filled, sizes = _import(tf, exchange.graph(), step["variables"])
        targets = [graph.get_operation_by_name(name) for name in step["targets"]]
        outputs = [graph.get_tensor_by_name(name) for name in step["outputs"]]
        numeric = [output for output in outputs if output.dtype not in (tf.resource, tf.variant)]
        if numeric:
            # A step's results are all there when it ends: one op that waits for all of them.
            targets.append(tf.compat.v1.identity_n(numeric, name="tf1mem_results")[0].op)
    before = [(filled, sizes)] if filled else []
    if step["initializers"]:
        before.append(([graph.get_operation_by_name(name) for name in step["initializers"]], {}))
    return _Built(graph, before, targets, _feeds(graph, exchange, step["feeds"]))


def _import(tf: Any, definition: bytes, variables: list[dict[str, Any]]) -> tuple[list[Any], dict[Any, Any]]:
    """Fills the default graph; gives what fills its variables, all in one run, and what to feed that run.

    TensorFlow plans the whole graph anew for each run of other ops: a run for each variable took minutes.
    """
    import numpy as np

    tf1 = tf.compat.v1
    mapped: dict[str, Any] = {}
    filled: list[Any] = []
    sizes: dict[Any, Any] = {}
    with tf1.name_scope("tf1mem"):  # the step's own names are taken as they are
        for number, variable in enumerate(variables):
            if variable["placeholder"] is None:
                continue  # it stands in the graph itself
            dtype, shape = tf.as_dtype(variable["dtype"]), variable["shape"]
            made = tf1.get_variable(
                f"tf1mem_{number}", shape, dtype, tf1.zeros_initializer(), use_resource=True, trainable=False
            )
            # Dimensions that are fed can't be folded into a constant, which would be copied from the host.
            dims = tf1.placeholder(tf.int32, [len(shape)])
            with tf1.control_dependencies(filled[-1:]):  # memory is taken in the same order each time
                filled.append(made.assign(tf1.fill(dims, tf1.zeros([], dtype)), read_value=False))
            mapped[variable["placeholder"]] = made.handle
            sizes[dims] = np.array(shape, np.int32)
    told = tf1.GraphDef()
    told.ParseFromString(definition)
    tf1.import_graph_def(told, input_map=mapped, name="")
    return filled, sizes


def _feeds(graph: Any, exchange: Exchange, feeds: list[dict[str, Any]]) -> dict[Any, Any]:
    import numpy as np

    fed = {}
    for feed in feeds:
        tensor = graph.get_tensor_by_name(feed["name"])
        if feed.get("values"):
            fed[tensor] = exchange.read_values(feed["values"])
        else:
            fed[tensor] = np.zeros(feed["shape"], tensor.dtype.base_dtype.as_numpy_dtype)
    return fed


def _reset_peak(tf: Any) -> int | None:
    """Has the allocator count its peak anew, and gives the one until now; None where this TensorFlow can't."""
    try:
        peak = _peak(tf)
        tf.config.experimental.reset_memory_stats("GPU:0")
    except (AttributeError, ValueError):
        return None
    return peak


def _peak(tf: Any) -> int:
    """The most that the allocator had in use since, as it tells itself. From 2.5 on."""
    return int(tf.config.experimental.get_memory_info("GPU:0")["peak"])


# --- RunMetadata as plain values ------------------------------------------------------------------------------------


def nodes(told: Any) -> list[dict[str, Any]]:
    """Each node that ran in a traced step, with its tensors and its allocations, for JSON; in the order of their start.

    Args:
        told: The RunMetadata, with step_stats and partition_graphs.
    """
    definitions = {node.name: node for graph in told.partition_graphs for node in graph.node}
    found = []
    for device in told.step_stats.dev_stats:
        kind = "gpu" if "device:gpu" in device.device.lower() else "cpu"
        for stats in device.node_stats:
            found.append(_node(stats, definitions.get(stats.node_name.split(":")[0]), kind))
    return sorted(found, key=lambda node: node["start"])


def _node(stats: Any, definition: Any, kind: str) -> dict[str, Any]:
    attributes = {}
    if definition is not None:
        for name in _ATTRIBUTES:
            if name in definition.attr:
                attributes[name] = [int(size) for size in definition.attr[name].list.i]
        if "data_format" in definition.attr:
            attributes["data_format"] = definition.attr["data_format"].s.decode()
    return {
        "name": stats.node_name,
        "op": definition.op if definition is not None else "",
        "inputs": [name for name in definition.input if name[0] != "^"] if definition is not None else [],
        "attributes": attributes,
        "device": kind,
        "start": int(stats.all_start_micros),
        "outputs": {str(output.slot): _tensor(output.tensor_description) for output in stats.output},
        "allocators": [_allocator(used) for used in stats.memory],
        "temporary": int(stats.memory_stats.temp_memory_size),
    }


def _tensor(described: Any) -> dict[str, Any]:
    allocation = described.allocation_description
    return {
        "dtype": int(described.dtype),
        "shape": [int(dimension.size) for dimension in described.shape.dim],
        "allocator": allocation.allocator_name,
        "allocated": int(allocation.allocated_bytes or allocation.requested_bytes),
    }


def _allocator(used: Any) -> dict[str, Any]:
    return {
        "name": used.allocator_name,
        "total": int(used.total_bytes),
        "peak": int(used.peak_bytes),
        "live": int(used.live_bytes),
        "in_use": int(used.allocator_bytes_in_use),
        "records": [[int(record.alloc_micros), int(record.alloc_bytes)] for record in used.allocation_records],
    }
