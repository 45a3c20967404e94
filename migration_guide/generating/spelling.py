"""Writes a setting as TF1 programs do, with an example value for each field."""

from __future__ import annotations

from typing import Any, Iterator, Mapping

from tf1mem.settings import fields
from tf1mem.settings.fields import Field

# The enums whose values TensorFlow 1 names by another class than RewriterConfig.
_ENUMS = {
    "opt_level": "tf.OptimizerOptions",
    "global_jit_level": "tf.OptimizerOptions",
    "mlir_bridge_rollout": "config_pb2.ConfigProto.Experimental",
    "structure_verifier": "verifier_config_pb2.VerifierConfig",
}

# Example values that don't follow from the kind of the field.
_VALUES: dict[str, Any] = {
    "device_count": {"GPU": 1},
    "intra_op_parallelism_threads": 4,
    "inter_op_parallelism_threads": 2,
    "operation_timeout_in_ms": 60000,
    "session_inter_op_thread_pool": [{"num_threads": 2}],
    "device_filters": ["/job:ps", "/job:worker/task:0"],
    "rpc_options": {"use_rpc_for_inprocess_master": True},
    "cluster_def": {"job": [{"name": "worker"}]},
    "gpu_options.per_process_gpu_memory_fraction": 0.4,
    "gpu_options.visible_device_list": "1",
    "gpu_options.allocator_type": "BFC",
    "gpu_options.experimental.virtual_devices": [{"memory_limit_mb": [2048, 2048]}],
    "gpu_options.experimental.collective_ring_order": "0,1",
    "graph_options.optimizer_options.global_jit_level": "ON_1",
    "graph_options.rewrite_options.memory_optimization": "HEURISTICS",
    "graph_options.rewrite_options.optimizers": ["constfold", "layout"],
    "graph_options.rewrite_options.scoped_allocator_opts.enable_op": ["CollectiveReduce"],
    "graph_options.rewrite_options.custom_optimizers": [{"name": "MyOptimizer"}],
    "graph_options.rewrite_options.memory_optimizer_target_node_name_scope": "gradients/",
    "experimental.collective_group_leader": "/job:worker/replica:0/task:0",
    "experimental.executor_type": "SINGLE_THREADED_EXECUTOR",
    "experimental.session_metadata": {"name": "model", "version": 1},
    "experimental.coordination_config": {"service_type": "standalone"},
    "experimental.tf2xla_dump_dir": "/tmp/xla",
}
_STREAMS = {"merge_host_to_device_stream": True}


def value(row: Field) -> Any:
    """Returns a value that isn't the field's default, in the shape that `tf1mem.apply` takes."""
    path = row.path.replace("pluggable_device_options.", "gpu_options.")  # the same message
    if path in _VALUES:
        return _VALUES[path]
    if row.name == "stream_merge_options":
        return _STREAMS
    if row.kind == "enum":
        return "ON" if "ON" in row.names else row.names[1]
    return {"bool": True, "int": 1, "float": 0.5}[row.kind]


def tree(row: Field, field_value: Any = None) -> dict[str, Any]:
    """Returns a config in which only this field is set.

    Args:
        row: The field.
        field_value: The field's value; by default `value(row)`.
    """
    config = value(row) if field_value is None else field_value
    for name in reversed(row.path.split(".")):
        config = {name: config}
    assert isinstance(config, dict)
    return config


def lines(config: Mapping[str, Any], variable: str = "config") -> list[str]:
    """Returns the statements with which a TF1 program sets the fields of a config.

    Args:
        config: A config as a dict in the shape of ConfigProto.
        variable: The ConfigProto's name.
    """
    return [line for path, inner in _leaves(config) for line in _statements(fields.FIELDS[path], inner, variable)]


def _leaves(config: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, inner in config.items():
        if prefix + name in fields.FIELDS:
            yield prefix + name, inner
        else:
            yield from _leaves(inner, prefix + name + ".")


def _statements(row: Field, value: Any, variable: str) -> list[str]:
    target = f"{variable}.{row.path}"
    if row.kind == "enum":
        owner = _ENUMS.get(row.name, "rewriter_config_pb2.RewriterConfig")
        return [f"{target} = {owner}.{value}"]
    if row.kind == "map":
        return [f'{target}["{name}"] = {count!r}' for name, count in value.items()]
    if row.kind == "strings":
        return ["{}.extend([{}])".format(target, ", ".join(map(_literal, value)))]
    if row.kind == "messages":
        return [f"{target}.add({_keywords(entry)})" for entry in value]
    if row.kind == "message":
        return _of_message(target, value)
    return [f"{target} = {_literal(value)}"]


def _of_message(target: str, message: Mapping[str, Any]) -> list[str]:
    out = []
    for name, inner in message.items():
        if isinstance(inner, list):
            out += [f"{target}.{name}.add({_keywords(entry)})" for entry in inner]
        else:
            out.append(f"{target}.{name} = {_literal(inner)}")
    return out


def _keywords(entry: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={_literal(inner)}" for name, inner in entry.items())


def _literal(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)
