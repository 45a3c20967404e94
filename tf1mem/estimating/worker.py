"""The measuring process: runs a traced step on a simulated GPU, or on the CPU, and records its memory.

`main` runs in a separate Python. It imports TensorFlow once, builds a step's graph once, and forks for each run, since
TensorFlow's allocator and its limits last as long as a process. The figures come from

- RunMetadata.step_stats: each node's outputs and each allocation with its time (core/framework/step_stats.proto;
  filled by core/common_runtime/step_stats_collector.cc from core/framework/tracking_allocator.h), and
- the allocator's own peak (BFCAllocator's AllocatorStats), if this TensorFlow reports it.
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


def main() -> None:
    """Answers requests, a line of JSON each, from standard input; each run is a forked process.

    A line has the "folder" of an exchange with a step, and its "runs", which run side by side. The answer is a line
    with the runs' statuses. A step's graph is kept until a line with another folder arrives.
    """
    answers = os.fdopen(os.dup(1), "w")  # keeps TensorFlow's output out of the answers
    os.dup2(2, 1)
    # TensorFlow's modules and a large graph have little garbage, and looking for it takes a seventh of the time.
    gc.disable()
    from tf1mem.machine.tensorflow import import_tensorflow

    tf = import_tensorflow()
    folder, exchange = None, Exchange("")
    built: _Built | Exception | None = None
    for line in sys.stdin:
        request = json.loads(line)
        if request["folder"] != folder:
            built = None
            gc.collect()  # else the graphs of all steps so far would stay in memory
            folder = request["folder"]
            exchange = Exchange(folder)
            try:
                built = _build(tf, exchange, exchange.read_answer("step"))  # once: large graphs take seconds
            except Exception as error:
                built = error
        assert built is not None
        children = []
        settle()  # building a graph starts threads, which have to sleep at a fork
        for run in request["runs"]:
            child = os.fork()
            if child == 0:
                _child(tf, exchange, built, run)
            children.append(child)
        answers.write(json.dumps([os.waitpid(child, 0)[1] for child in children]) + "\n")
        answers.flush()


def _child(tf: Any, exchange: Exchange, built: _Built | Exception, request: dict[str, Any]) -> None:
    """Runs the step once and ends this process, whatever happens."""
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
    """Returns the answer for a run that failed."""
    import tensorflow as tf

    if isinstance(error, tf.errors.ResourceExhaustedError):
        return {"failed": OUT_OF_MEMORY, "message": error.message}
    text = "".join(traceback.format_exception_only(type(error), error)).strip()
    # The autotuner of convolutions reports a lack of memory by another error's text.
    memory = "RESOURCE_EXHAUSTED" in text or "ran out of memory" in text.lower()
    return {"failed": OUT_OF_MEMORY if memory else type(error).__name__, "message": text}


def _run(tf: Any, built: _Built, request: dict[str, Any]) -> dict[str, Any]:
    """Runs the step in a Session, and returns the answer."""
    tf1 = tf.compat.v1
    config = tf1.ConfigProto(
        allow_soft_placement=True,
        # One thread, so that ops run in the same order each time.
        inter_op_parallelism_threads=request.get("threads", 1 if request["trace"] else 0),
        gpu_options=tf1.GPUOptions(
            allow_growth=request.get("growth", request.get("fraction") is None),
            per_process_gpu_memory_fraction=request.get("fraction") or 0,
        ),
    )
    with tf1.Session(graph=built.graph, config=config) as session:
        for targets, feeds in built.setup_runs:
            session.run(targets, feed_dict=feeds)
        session.run(built.targets, feed_dict=built.feeds)  # the first run autotunes and initializes
        if not request["trace"]:
            session.run(built.targets, feed_dict=built.feeds)
            return {"ran": True}
        metadata = tf1.RunMetadata()
        options = tf1.RunOptions(trace_level=SOFTWARE_TRACE, output_partition_graphs=True)
        on_gpu = request["device"] == "gpu"
        first = _reset_peak(tf) if on_gpu else None
        session.run(built.targets, feed_dict=built.feeds, options=options, run_metadata=metadata)
        peak = _peak(tf) if first is not None else None
    answer = {"allocator_peak": peak, "first_peak": first}
    # A large step's nodes take a second to convert, and as long to read.
    return answer if peak is not None and not request["nodes"] else dict(answer, nodes=nodes(metadata))


class _Built(NamedTuple):
    """A step's graph, with the runs that initialize it, and the ops and feeds of the step itself."""

    graph: Any
    setup_runs: list[tuple[list[Any], dict[Any, Any]]]
    targets: list[Any]
    feeds: dict[Any, Any]


def _build(tf: Any, exchange: Exchange, step: dict[str, Any]) -> _Built:
    """Builds the step's graph, with variables in place of the captured ones. Starts nothing."""
    graph = tf.Graph()
    with graph.as_default():
        filled, sizes = _import(tf, exchange.graph(), step["variables"])
        targets = [graph.get_operation_by_name(name) for name in step["targets"]]
        outputs = [graph.get_tensor_by_name(name) for name in step["outputs"]]
        numeric = [output for output in outputs if output.dtype not in (tf.resource, tf.variant)]
        if numeric:
            # One op that waits for all results, so that all of them are alive when the step ends.
            targets.append(tf.compat.v1.identity_n(numeric, name="tf1mem_results")[0].op)
    setup_runs = [(filled, sizes)] if filled else []
    if step["initializers"]:
        setup_runs.append(([graph.get_operation_by_name(name) for name in step["initializers"]], {}))
    return _Built(graph, setup_runs, targets, _feeds(graph, exchange, step["feeds"]))


def _import(tf: Any, definition: bytes, variables: list[dict[str, Any]]) -> tuple[list[Any], dict[Any, Any]]:
    """Imports the step into the default graph; returns ops that initialize its variables in one run, and their feeds.

    TensorFlow plans the whole graph anew for each set of ops to run, so one run per variable would take minutes.
    """
    import numpy as np

    tf1 = tf.compat.v1
    mapped: dict[str, Any] = {}
    filled: list[Any] = []
    sizes: dict[Any, Any] = {}
    with tf1.name_scope("tf1mem"):  # so that these names differ from the step's, which stay unchanged
        for number, variable in enumerate(variables):
            if variable["placeholder"] is None:
                continue  # the variable is in the graph itself
            dtype, shape = tf.as_dtype(variable["dtype"]), variable["shape"]
            created = tf1.get_variable(
                f"tf1mem_{number}", shape, dtype, tf1.zeros_initializer(), use_resource=True, trainable=False
            )
            # Dimensions that are fed can't be folded into a constant, which would be copied from the host.
            dims = tf1.placeholder(tf.int32, [len(shape)])
            with tf1.control_dependencies(filled[-1:]):  # memory is allocated in the same order each time
                filled.append(created.assign(tf1.fill(dims, tf1.zeros([], dtype)), read_value=False))
            mapped[variable["placeholder"]] = created.handle
            sizes[dims] = np.array(shape, np.int32)
    graph_def = tf1.GraphDef()
    graph_def.ParseFromString(definition)
    tf1.import_graph_def(graph_def, input_map=mapped, name="")
    return filled, sizes


def _feeds(graph: Any, exchange: Exchange, feeds: list[dict[str, Any]]) -> dict[Any, Any]:
    """Returns the arrays to feed: those of the exchange, or zeros."""
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
    """Resets the allocator's peak, and returns the peak until now in bytes, or None if this TensorFlow can't."""
    try:
        peak = _peak(tf)
        tf.config.experimental.reset_memory_stats("GPU:0")
    except (AttributeError, ValueError):
        return None
    return peak


def _peak(tf: Any) -> int:
    """Returns the allocator's own peak since the last reset, in bytes. From TensorFlow 2.5 on."""
    return int(tf.config.experimental.get_memory_info("GPU:0")["peak"])


# --- RunMetadata as plain values ------------------------------------------------------------------------------------


def nodes(metadata: Any) -> list[dict[str, Any]]:
    """Returns the nodes that ran in a traced step, by their start, with tensors and allocations as values for JSON.

    Args:
        metadata: The RunMetadata, with step_stats and partition_graphs.
    """
    definitions = {node.name: node for graph in metadata.partition_graphs for node in graph.node}
    ran = []
    for device in metadata.step_stats.dev_stats:
        kind = "gpu" if "device:gpu" in device.device.lower() else "cpu"
        for stats in device.node_stats:
            ran.append(_node(stats, definitions.get(stats.node_name.split(":")[0]), kind))
    return sorted(ran, key=lambda node: node["start"])


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
