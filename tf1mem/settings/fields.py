"""Every field of ConfigProto, of every TensorFlow from 1.13 to 2.22, with the call that can set it.

One table, `FIELDS`, is the only place that knows the fields. Reading checks names and types against it, planning takes
the calls from it, and the guide's table of settings is printed from it. A field that a newer TensorFlow adds isn't in
the table; it is passed on like any other (see `unlisted`), and the report says so.

Sources: tensorflow/core/protobuf/config.proto and rewriter_config.proto, as the wheels of 1.13.2, 1.14.0, 1.15.5,
2.0.4, 2.1.4, 2.4.4, 2.10.1, 2.15.1, 2.16.2, 2.18.1, 2.21.0 and 2.22.0rc0 describe them; tests/settings/test_fields.py
compares the table with the installed TensorFlow.
"""

from __future__ import annotations

from dataclasses import dataclass

# The scope of a setting. PROCESS: TensorFlow reads it once, when the first device is created. SESSION: each Session has
# its own.
PROCESS = "process"
SESSION = "session"

# The value names of enums, the default first.
TOGGLE = ("DEFAULT", "ON", "OFF", "AGGRESSIVE", "EXPERIMENTAL_MLIR", "EXPERIMENTAL_BOTH")
_VERIFIER = ("DEFAULT", "ON", "OFF")
_JIT_LEVEL = ("DEFAULT", "OFF", "ON_1", "ON_2")
_OPT_LEVEL = ("L1", "L0")
_CPU_LAYOUT = ("NO_CONVERSION_ON_CPU", "NCHW_TO_NHWC", "NHWC_TO_NCHW")
_ITERATIONS = ("DEFAULT_NUM_ITERS", "ONE", "TWO")
_MEMORY = (
    "DEFAULT_MEM_OPT",
    "NO_MEM_OPT",
    "MANUAL",
    "SWAPPING_HEURISTICS",
    "RECOMPUTATION_HEURISTICS",
    "SCHEDULING_HEURISTICS",
    "HEURISTICS",
)
_ROLLOUT = (
    "MLIR_BRIDGE_ROLLOUT_UNSPECIFIED",
    "MLIR_BRIDGE_ROLLOUT_ENABLED",
    "MLIR_BRIDGE_ROLLOUT_DISABLED",
    "MLIR_BRIDGE_ROLLOUT_SAFE_MODE_ENABLED",
    "MLIR_BRIDGE_ROLLOUT_SAFE_MODE_FALLBACK_ENABLED",
)


# Fields that describe a Session's place in a cluster: nothing but that Session can carry them.
SESSION_ONLY = frozenset(
    "device_filters rpc_options cluster_def isolate_session_state share_cluster_devices_in_session "
    "session_inter_op_thread_pool use_per_session_threads placement_period experimental.session_metadata "
    "experimental.share_cluster_devices_in_session experimental.share_session_state_in_clusterspec_propagation "
    "experimental.coordination_config".split()
)


@dataclass(frozen=True)
class Field:
    """One field of ConfigProto.

    Attributes:
        path: The dotted name below ConfigProto, as TF1 spells it.
        kind: "bool", "int", "float", "string", "enum", "map" (names to numbers), "strings" (repeated), "messages"
            (repeated) or "message" (one that is passed on whole).
        since: The first of the measured TensorFlow versions that has it.
        meaning: The field's effect in a few words.
        scope: `PROCESS` or `SESSION`.
        call: The `tf.config` or `tf.debugging` call that sets it for eager ops and for Sessions without a config, or
            None.
        names: The value names of an enum; the first is the default.
    """

    path: str
    kind: str
    since: str
    meaning: str
    scope: str = SESSION
    call: str | None = None
    names: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rsplit(".", 1)[-1]


SET_VISIBLE_DEVICES = "tf.config.set_visible_devices"
SET_MEMORY_GROWTH = "tf.config.experimental.set_memory_growth"
SET_LOGICAL_DEVICES = "tf.config.set_logical_device_configuration"
SET_SOFT_PLACEMENT = "tf.config.set_soft_device_placement"
SET_LOG_PLACEMENT = "tf.debugging.set_log_device_placement"
SET_INTRA_OP_THREADS = "tf.config.threading.set_intra_op_parallelism_threads"
SET_INTER_OP_THREADS = "tf.config.threading.set_inter_op_parallelism_threads"
SET_JIT = "tf.config.optimizer.set_jit"
SET_OPTIMIZER_OPTIONS = "tf.config.optimizer.set_experimental_options"

_DEVICES = [
    Field("device_count", "map", "1.13", "how many devices of each type to use", SESSION, SET_VISIBLE_DEVICES),
    Field("intra_op_parallelism_threads", "int", "1.13", "threads inside one op", PROCESS, SET_INTRA_OP_THREADS),
    Field("inter_op_parallelism_threads", "int", "1.13", "ops run side by side", PROCESS, SET_INTER_OP_THREADS),
    Field("use_per_session_threads", "bool", "1.13", "a thread pool for each Session"),
    Field("session_inter_op_thread_pool", "messages", "1.13", "the thread pools a Session may use"),
    Field("placement_period", "int", "1.13", "steps between placements (never used)"),
    Field("device_filters", "strings", "1.13", "which remote devices a Session sees"),
    Field("allow_soft_placement", "bool", "1.13", "an op moves to where it has a kernel", SESSION, SET_SOFT_PLACEMENT),
    Field("log_device_placement", "bool", "1.13", "print where each op runs", SESSION, SET_LOG_PLACEMENT),
    Field("operation_timeout_in_ms", "int", "1.13", "how long a blocking call may take"),
    Field("rpc_options", "message", "1.13", "options of a distributed Session's RPC layer"),
    Field("cluster_def", "message", "1.13", "the cluster of a distributed Session"),
    Field("isolate_session_state", "bool", "1.13", "a distributed Session shares no variables"),
    Field("share_cluster_devices_in_session", "bool", "2.4", "a distributed Session sees all workers' devices"),
]

# GPUOptions: path, kind, since, meaning, call. PluggableDevice takes the same message from 2.18 on.
_GPU = [
    ("per_process_gpu_memory_fraction", "float", "1.13", "the share of each GPU's memory to use", SET_LOGICAL_DEVICES),
    ("allow_growth", "bool", "1.13", "start small and reserve memory as it is needed", SET_MEMORY_GROWTH),
    ("allocator_type", "string", "1.13", "the GPU allocator: BFC or none named", None),
    ("deferred_deletion_bytes", "int", "1.13", "bytes to keep before freeing", None),
    ("visible_device_list", "string", "1.13", "which GPUs to use, and in which order", SET_VISIBLE_DEVICES),
    ("polling_active_delay_usecs", "int", "1.13", "event polling while busy, in microseconds", None),
    ("polling_inactive_delay_msecs", "int", "1.13", "event polling while idle (never used)", None),
    ("force_gpu_compatible", "bool", "1.13", "all host tensors in pinned memory", None),
    (
        "experimental.virtual_devices",
        "messages",
        "1.13",
        "split each GPU into logical devices, in MiB",
        SET_LOGICAL_DEVICES,
    ),
    ("experimental.num_virtual_devices_per_gpu", "int", "2.15", "split each GPU into so many equal parts", None),
    ("experimental.use_unified_memory", "bool", "1.13", "managed memory, which can exceed the GPU's", None),
    ("experimental.num_dev_to_dev_copy_streams", "int", "1.13", "streams for copies between GPUs", None),
    ("experimental.collective_ring_order", "string", "1.13", "the order of GPUs in a collective's ring", None),
    ("experimental.timestamped_allocator", "bool", "1.14", "reuse memory by kernel timestamps", None),
    ("experimental.kernel_tracker_max_interval", "int", "1.14", "kernels between tracking events", None),
    ("experimental.kernel_tracker_max_bytes", "int", "1.14", "bytes between tracking events", None),
    ("experimental.kernel_tracker_max_pending", "int", "1.14", "tracking events in flight", None),
    ("experimental.internal_fragmentation_fraction", "float", "2.10", "when the allocator splits a chunk", None),
    ("experimental.use_cuda_malloc_async", "bool", "2.10", "allocate with cudaMallocAsync", None),
    ("experimental.disallow_retry_on_allocation_failure", "bool", "2.10", "fail at once when memory is out", None),
    ("experimental.gpu_host_mem_limit_in_mb", "float", "2.15", "cap on pinned host memory, in MiB", None),
    ("experimental.gpu_host_mem_disallow_growth", "bool", "2.15", "reserve pinned host memory at once", None),
    ("experimental.gpu_system_memory_size_in_mb", "int", "2.15", "memory left to the system, in MiB", None),
    ("experimental.populate_pjrt_gpu_client_creation_info", "bool", "2.18", "note how the client was made", None),
    ("experimental.node_id", "int", "2.18", "this process in a multi-node GPU client", None),
    ("experimental.stream_merge_options", "message", "2.18", "which copy streams to merge", None),
]

# OptimizerOptions: path, kind, since, meaning, names.
_OPTIMIZER = [
    ("do_common_subexpression_elimination", "bool", "1.13", "merge equal subgraphs", ()),
    ("do_constant_folding", "bool", "1.13", "fold constants", ()),
    ("max_folded_constant_in_bytes", "int", "1.13", "the largest constant to fold, in bytes", ()),
    ("do_function_inlining", "bool", "1.13", "inline functions", ()),
    ("opt_level", "enum", "1.13", "the graph optimizer's level", _OPT_LEVEL),
    ("global_jit_level", "enum", "1.13", "XLA compiles what it can", _JIT_LEVEL),
    ("cpu_global_jit", "bool", "2.10", "XLA on the CPU too", ()),
]

# GraphOptions: path, kind, since, meaning.
_GRAPH = [
    ("enable_recv_scheduling", "bool", "1.13", "order the receives of a partition"),
    ("build_cost_model", "int", "1.13", "steps over which costs are measured"),
    ("build_cost_model_after", "int", "1.13", "steps before costs are measured"),
    ("infer_shapes", "bool", "1.13", "annotate nodes with shapes"),
    ("place_pruned_graph", "bool", "1.13", "place only the part that runs"),
    ("enable_bfloat16_sendrecv", "bool", "1.13", "send floats as bfloat16"),
    ("timeline_step", "int", "1.13", "steps between timeline records"),
]

# The rewrite options that tf.config.optimizer.set_experimental_options takes, from 1.14 on.
_OPTIONS = frozenset(
    "layout_optimizer constant_folding shape_optimization remapping arithmetic_optimization dependency_optimization "
    "loop_optimization function_optimization debug_stripper disable_model_pruning scoped_allocator_optimization "
    "pin_to_host_optimization implementation_selector auto_mixed_precision disable_meta_optimizer "
    "min_graph_nodes".split()
)

# RewriterConfig: path, kind, since, meaning, names.
_REWRITE = [
    ("cpu_layout_conversion", "enum", "2.4", "convert data layouts on the CPU", _CPU_LAYOUT),
    ("layout_optimizer", "enum", "1.13", "convert data layouts on the GPU", TOGGLE),
    ("constant_folding", "enum", "1.13", "fold constants", TOGGLE),
    ("shape_optimization", "enum", "1.13", "simplify computations on shapes", TOGGLE),
    ("remapping", "enum", "1.13", "fuse subgraphs", TOGGLE),
    ("common_subgraph_elimination", "enum", "2.4", "merge equal subgraphs", TOGGLE),
    ("arithmetic_optimization", "enum", "1.13", "simplify arithmetic", TOGGLE),
    ("dependency_optimization", "enum", "1.13", "drop redundant control dependencies", TOGGLE),
    ("loop_optimization", "enum", "1.13", "optimize loops", TOGGLE),
    ("function_optimization", "enum", "1.13", "optimize functions", TOGGLE),
    ("debug_stripper", "enum", "1.13", "strip debug ops", TOGGLE),
    ("disable_model_pruning", "bool", "1.13", "keep nodes that don't matter", ()),
    ("scoped_allocator_optimization", "enum", "1.13", "allocate a collective's inputs together", TOGGLE),
    ("pin_to_host_optimization", "enum", "1.13", "move small ops to the CPU", TOGGLE),
    ("implementation_selector", "enum", "1.14", "choose among implementations", TOGGLE),
    ("auto_mixed_precision", "enum", "1.14", "float16 where it is safe", TOGGLE),
    ("auto_mixed_precision_mkl", "enum", "2.4", "bfloat16 on the CPU", TOGGLE),
    ("auto_mixed_precision_onednn_bfloat16", "enum", "2.10", "bfloat16 on the CPU", TOGGLE),
    ("auto_mixed_precision_cpu", "enum", "2.10", "float16 on the CPU", TOGGLE),
    ("disable_meta_optimizer", "bool", "1.13", "no graph rewriting at all", ()),
    ("disable_tfg_optimizer", "bool", "2.15", "no TFG rewriting", ()),
    ("use_plugin_optimizers", "enum", "2.10", "optimizers of plugged-in devices", TOGGLE),
    ("experimental_conditional_code_motion", "enum", "2.10", "move code across conditionals", TOGGLE),
    ("meta_optimizer_iterations", "enum", "1.13", "how often the optimizers run", _ITERATIONS),
    ("min_graph_nodes", "int", "1.13", "the smallest graph to optimize", ()),
    ("experimental_disable_compressed_tensor_optimization", "bool", "2.4", "keep constants as they are", ()),
    ("experimental_disable_folding_quantization_emulation", "bool", "2.10", "keep emulated quantization", ()),
    ("memory_optimization", "enum", "1.13", "trade time for memory", _MEMORY),
    ("memory_optimizer_target_node_name_scope", "string", "1.13", "where memory is optimized", ()),
    ("meta_optimizer_timeout_ms", "int", "1.13", "how long the optimizers may take", ()),
    ("auto_parallel.enable", "bool", "1.13", "replicate the graph", ()),
    ("auto_parallel.num_replicas", "int", "1.13", "how many replicas", ()),
    ("fail_on_optimizer_errors", "bool", "1.13", "fail if an optimizer fails", ()),
    ("scoped_allocator_opts.enable_op", "strings", "1.13", "ops for the scoped allocator", ()),
    ("optimizers", "strings", "1.13", "exactly these optimizers", ()),
    ("custom_optimizers", "messages", "1.13", "registered optimizers, with parameters", ()),
    ("inter_optimizer_verifier_config.verification_timeout_in_ms", "int", "1.14", "verification time", ()),
    ("inter_optimizer_verifier_config.structure_verifier", "enum", "1.14", "verify between passes", _VERIFIER),
    ("post_optimization_verifier_config.verification_timeout_in_ms", "int", "1.14", "verification time", ()),
    ("post_optimization_verifier_config.structure_verifier", "enum", "1.14", "verify at the end", _VERIFIER),
]

# ConfigProto.Experimental: path, kind, since, meaning, names.
_EXPERIMENTAL = [
    ("collective_group_leader", "string", "1.13", "the task that leads collectives", ()),
    ("executor_type", "string", "1.13", "which executor runs graphs", ()),
    ("recv_buf_max_chunk", "int", "1.13", "bytes in one RecvBuf message", ()),
    ("use_numa_affinity", "bool", "1.13", "threads and memory by NUMA node", ()),
    ("collective_deterministic_sequential_execution", "bool", "1.14", "collectives in one order", ()),
    ("collective_nccl", "bool", "1.14", "collectives through NCCL", ()),
    ("share_session_state_in_clusterspec_propagation", "bool", "1.14", "Sessions share state by job", ()),
    ("disable_thread_spinning", "bool", "1.14", "idle threads sleep", ()),
    ("share_cluster_devices_in_session", "bool", "1.14", "see all workers' devices", ()),
    ("session_metadata", "message", "1.15", "a Session's name and version", ()),
    ("optimize_for_static_graph", "bool", "1.15", "the graph never changes", ()),
    ("enable_mlir_bridge", "bool", "2.1", "compile through MLIR", ()),
    ("mlir_bridge_rollout", "enum", "2.4", "compile through MLIR", _ROLLOUT),
    ("enable_mlir_graph_optimization", "bool", "2.4", "optimize through MLIR", ()),
    ("disable_output_partition_graphs", "bool", "2.1", "no partition graphs in RunMetadata", ()),
    ("xla_fusion_autotuner_thresh", "int", "2.1", "XLA's fusion autotuner", ()),
    ("use_tfrt", "bool", "2.10", "run on TFRT", ()),
    ("enable_multi_host", "bool", "2.16", "TFRT over several hosts", ()),
    ("tfrt_use_ifrt", "bool", "2.18", "TFRT over IFRT", ()),
    ("backend_server_port", "int", "2.16", "TFRT's backend server", ()),
    ("target_tpu", "bool", "2.16", "TFRT compiles for TPU", ()),
    ("target_gpu", "bool", "2.16", "TFRT compiles for GPU", ()),
    ("stream_merge_threshold", "int", "2.16", "when TFRT merges streams", ()),
    ("disable_functional_ops_lowering", "bool", "2.10", "keep functional control flow", ()),
    ("xla_prefer_single_graph_cluster", "bool", "2.10", "one XLA cluster", ()),
    ("coordination_config", "message", "2.10", "the coordination service", ()),
    ("disable_optimize_for_static_graph", "bool", "2.15", "the graph may change", ()),
    ("disable_eager_executor_streaming_enqueue", "bool", "2.15", "no streaming to remote workers", ()),
    ("finalize_function_library_runtime", "bool", "2.21", "free what only compiling needs", ()),
    ("finalize_resource_manager", "bool", "2.21", "free what only setting up needs", ()),
    ("tf2xla_dump_dir", "string", "2.21", "where XLA's inputs are dumped", ()),
    ("online_cost_analysis", "bool", "2.21", "measure costs while running", ()),
]


def _table() -> dict[str, Field]:
    rows = list(_DEVICES)
    rows += [Field("gpu_options." + p, k, v, m, PROCESS, c) for p, k, v, m, c in _GPU]
    rows += [
        Field("pluggable_device_options." + p, k, "2.18", m + " (plugged-in devices)", PROCESS)
        for p, k, _, m, _ in _GPU
    ]
    rows += [Field("graph_options." + p, k, v, m) for p, k, v, m in _GRAPH]
    for p, k, v, m, names in _OPTIMIZER:
        call = SET_JIT if p == "global_jit_level" else None
        rows.append(Field("graph_options.optimizer_options." + p, k, v, m, SESSION, call, names))
    for p, k, v, m, names in _REWRITE:
        call = SET_OPTIMIZER_OPTIONS if p in _OPTIONS else None
        rows.append(Field("graph_options.rewrite_options." + p, k, v, m, SESSION, call, names))
    rows += [Field("experimental." + p, k, v, m, SESSION, None, names) for p, k, v, m, names in _EXPERIMENTAL]
    return {row.path: row for row in rows}


FIELDS: dict[str, Field] = _table()

# Every message on the way to a field: "gpu_options", "gpu_options.experimental", …
MESSAGES: frozenset[str] = frozenset(
    path.rsplit(".", depth)[0] for path in FIELDS for depth in range(1, path.count(".") + 1)
)


def unlisted(path: str) -> Field:
    """Returns a row for a field that this version of tf1mem doesn't know; it is passed on and reported like any other.

    Args:
        path: The field's dotted name.

    Returns:
        A `Field` whose meaning says that it is unlisted.
    """
    scope = PROCESS if path.startswith(("gpu_options.", "pluggable_device_options.")) else SESSION
    return Field(path, "unlisted", "?", "a field newer than this version of tf1mem", scope)


def field(path: str) -> Field:
    """Returns the table's row for a dotted path, or an `unlisted` one."""
    return FIELDS.get(path) or unlisted(path)


def nearest_field(path: str) -> str:
    """Returns a hint with the existing field nearest to one that doesn't exist."""
    import difflib

    name = path.rsplit(".", 1)[-1]
    everything = [*FIELDS, *sorted(MESSAGES)]
    same_name = [known for known in everything if known.rsplit(".", 1)[-1] == name]
    close = same_name or difflib.get_close_matches(path, everything, 1, 0.5)
    if not close:
        short = {known.rsplit(".", 1)[-1]: known for known in reversed(everything)}
        close = [short[match] for match in difflib.get_close_matches(name, list(short), 1, 0.5)]
    return f"Did you mean {close[0]}?" if close else "See tf1mem/settings/fields.py for the fields there are"
