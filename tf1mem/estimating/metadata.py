"""RunMetadata of one traced step as plain values: each node that ran, its tensors and its allocations."""

from __future__ import annotations

from typing import Any

_ATTRIBUTES = ("strides", "dilations")


def read(told: Any) -> dict[str, Any]:
    """What a RunMetadata tells, for JSON.

    Args:
        told: The RunMetadata, with step_stats and partition_graphs.

    Returns:
        "nodes": each that ran, in the order of its start.
    """
    definitions = {node.name: node for graph in told.partition_graphs for node in graph.node}
    nodes = []
    for device in told.step_stats.dev_stats:
        kind = "gpu" if "device:gpu" in device.device.lower() else "cpu"
        for stats in device.node_stats:
            nodes.append(_node(stats, definitions.get(stats.node_name.split(":")[0]), kind))
    nodes.sort(key=lambda node: node["start"])
    return {"nodes": nodes}


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
