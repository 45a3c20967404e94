"""The types of ConfigProto and its messages, with the fields of every TensorFlow. Editors and type checkers read them.

Made by `python -m tests.settings.generating`: don't edit.
"""

from typing import Any, Generic, Iterable, Mapping, MutableMapping, MutableSequence, Sequence, TypeVar, Union

from google.protobuf.message import Message

_T = TypeVar("_T")
_M = TypeVar("_M")
_Value = Union[int, str]  # of an enum: its number or its name

class _Messages(Generic[_T], Sequence[_T]):
    """A repeated field of messages."""

    def add(self, **fields: Any) -> _T: ...
    def append(self, value: _T) -> None: ...
    def extend(self, values: Iterable[_T]) -> None: ...
    def __delitem__(self, index: Union[int, slice]) -> None: ...
    def __getitem__(self, index: Any) -> Any: ...
    def __len__(self) -> int: ...

class _Message:
    """The methods of every message."""

    DESCRIPTOR: Any
    def ByteSize(self) -> int: ...
    def Clear(self) -> None: ...
    def ClearField(self, field_name: str) -> None: ...
    def CopyFrom(self: _M, other_msg: _M) -> None: ...
    def HasField(self, field_name: str) -> bool: ...
    def ListFields(self) -> Sequence[Any]: ...
    def MergeFrom(self: _M, other_msg: _M) -> None: ...
    def MergeFromString(self, serialized: bytes) -> int: ...
    def ParseFromString(self, serialized: bytes) -> int: ...
    def SerializeToString(self, *, deterministic: bool = ...) -> bytes: ...
    def SetInParent(self) -> None: ...
    @classmethod
    def FromString(cls: type[_M], s: bytes) -> _M: ...

class GPUOptions(_Message):
    class Experimental(_Message):
        class VirtualDevices(_Message):
            def __init__(
                self,
                *,
                memory_limit_mb: Union[Iterable[float], None] = ...,
                priority: Union[Iterable[int], None] = ...,
                device_ordinal: Union[Iterable[int], None] = ...,
            ) -> None: ...
            @property
            def memory_limit_mb(self) -> MutableSequence[float]: ...
            @property
            def priority(self) -> MutableSequence[int]: ...
            @property
            def device_ordinal(self) -> MutableSequence[int]: ...

        def __init__(
            self,
            *,
            virtual_devices: Union[Iterable[GPUOptions.Experimental.VirtualDevices], None] = ...,
            num_virtual_devices_per_gpu: Union[int, None] = ...,
            use_unified_memory: Union[bool, None] = ...,
            num_dev_to_dev_copy_streams: Union[int, None] = ...,
            collective_ring_order: Union[str, None] = ...,
            timestamped_allocator: Union[bool, None] = ...,
            kernel_tracker_max_interval: Union[int, None] = ...,
            kernel_tracker_max_bytes: Union[int, None] = ...,
            kernel_tracker_max_pending: Union[int, None] = ...,
            internal_fragmentation_fraction: Union[float, None] = ...,
            use_cuda_malloc_async: Union[bool, None] = ...,
            disallow_retry_on_allocation_failure: Union[bool, None] = ...,
            gpu_host_mem_limit_in_mb: Union[float, None] = ...,
            gpu_host_mem_disallow_growth: Union[bool, None] = ...,
            gpu_system_memory_size_in_mb: Union[int, None] = ...,
            populate_pjrt_gpu_client_creation_info: Union[bool, None] = ...,
            node_id: Union[int, None] = ...,
            stream_merge_options: Union[Any, None] = ...,
        ) -> None: ...
        @property
        def virtual_devices(self) -> _Messages[GPUOptions.Experimental.VirtualDevices]: ...
        num_virtual_devices_per_gpu: int
        use_unified_memory: bool
        num_dev_to_dev_copy_streams: int
        collective_ring_order: str
        timestamped_allocator: bool
        kernel_tracker_max_interval: int
        kernel_tracker_max_bytes: int
        kernel_tracker_max_pending: int
        internal_fragmentation_fraction: float
        use_cuda_malloc_async: bool
        disallow_retry_on_allocation_failure: bool
        gpu_host_mem_limit_in_mb: float
        gpu_host_mem_disallow_growth: bool
        gpu_system_memory_size_in_mb: int
        populate_pjrt_gpu_client_creation_info: bool
        node_id: int
        @property
        def stream_merge_options(self) -> Any: ...

    def __init__(
        self,
        *,
        per_process_gpu_memory_fraction: Union[float, None] = ...,
        allow_growth: Union[bool, None] = ...,
        allocator_type: Union[str, None] = ...,
        deferred_deletion_bytes: Union[int, None] = ...,
        visible_device_list: Union[str, None] = ...,
        polling_active_delay_usecs: Union[int, None] = ...,
        polling_inactive_delay_msecs: Union[int, None] = ...,
        force_gpu_compatible: Union[bool, None] = ...,
        experimental: Union[Union[GPUOptions.Experimental, Mapping[str, Any]], None] = ...,
    ) -> None: ...
    per_process_gpu_memory_fraction: float
    allow_growth: bool
    allocator_type: str
    deferred_deletion_bytes: int
    visible_device_list: str
    polling_active_delay_usecs: int
    polling_inactive_delay_msecs: int
    force_gpu_compatible: bool
    @property
    def experimental(self) -> GPUOptions.Experimental: ...

class OptimizerOptions(_Message):
    L1: int
    L0: int
    DEFAULT: int
    OFF: int
    ON_1: int
    ON_2: int
    Level: Any
    GlobalJitLevel: Any
    def __init__(
        self,
        *,
        do_common_subexpression_elimination: Union[bool, None] = ...,
        do_constant_folding: Union[bool, None] = ...,
        max_folded_constant_in_bytes: Union[int, None] = ...,
        do_function_inlining: Union[bool, None] = ...,
        opt_level: Union[_Value, None] = ...,
        global_jit_level: Union[_Value, None] = ...,
        cpu_global_jit: Union[bool, None] = ...,
    ) -> None: ...
    do_common_subexpression_elimination: bool
    do_constant_folding: bool
    max_folded_constant_in_bytes: int
    do_function_inlining: bool
    opt_level: int
    global_jit_level: int
    cpu_global_jit: bool

class AutoParallelOptions(_Message):
    def __init__(
        self,
        *,
        enable: Union[bool, None] = ...,
        num_replicas: Union[int, None] = ...,
    ) -> None: ...
    enable: bool
    num_replicas: int

class ScopedAllocatorOptions(_Message):
    def __init__(
        self,
        *,
        enable_op: Union[Iterable[str], None] = ...,
    ) -> None: ...
    @property
    def enable_op(self) -> MutableSequence[str]: ...

class VerifierConfig(_Message):
    DEFAULT: int
    ON: int
    OFF: int
    Toggle: Any
    def __init__(
        self,
        *,
        verification_timeout_in_ms: Union[int, None] = ...,
        structure_verifier: Union[_Value, None] = ...,
    ) -> None: ...
    verification_timeout_in_ms: int
    structure_verifier: int

class RewriterConfig(_Message):
    NO_CONVERSION_ON_CPU: int
    NCHW_TO_NHWC: int
    NHWC_TO_NCHW: int
    DEFAULT: int
    ON: int
    OFF: int
    AGGRESSIVE: int
    EXPERIMENTAL_MLIR: int
    EXPERIMENTAL_BOTH: int
    DEFAULT_NUM_ITERS: int
    ONE: int
    TWO: int
    DEFAULT_MEM_OPT: int
    NO_MEM_OPT: int
    MANUAL: int
    SWAPPING_HEURISTICS: int
    RECOMPUTATION_HEURISTICS: int
    SCHEDULING_HEURISTICS: int
    HEURISTICS: int
    Toggle: Any
    CpuLayout: Any
    NumIterationsType: Any
    MemOptType: Any
    def __init__(
        self,
        *,
        cpu_layout_conversion: Union[_Value, None] = ...,
        layout_optimizer: Union[_Value, None] = ...,
        constant_folding: Union[_Value, None] = ...,
        shape_optimization: Union[_Value, None] = ...,
        remapping: Union[_Value, None] = ...,
        common_subgraph_elimination: Union[_Value, None] = ...,
        arithmetic_optimization: Union[_Value, None] = ...,
        dependency_optimization: Union[_Value, None] = ...,
        loop_optimization: Union[_Value, None] = ...,
        function_optimization: Union[_Value, None] = ...,
        debug_stripper: Union[_Value, None] = ...,
        disable_model_pruning: Union[bool, None] = ...,
        scoped_allocator_optimization: Union[_Value, None] = ...,
        pin_to_host_optimization: Union[_Value, None] = ...,
        implementation_selector: Union[_Value, None] = ...,
        auto_mixed_precision: Union[_Value, None] = ...,
        auto_mixed_precision_mkl: Union[_Value, None] = ...,
        auto_mixed_precision_onednn_bfloat16: Union[_Value, None] = ...,
        auto_mixed_precision_cpu: Union[_Value, None] = ...,
        disable_meta_optimizer: Union[bool, None] = ...,
        disable_tfg_optimizer: Union[bool, None] = ...,
        use_plugin_optimizers: Union[_Value, None] = ...,
        experimental_conditional_code_motion: Union[_Value, None] = ...,
        meta_optimizer_iterations: Union[_Value, None] = ...,
        min_graph_nodes: Union[int, None] = ...,
        experimental_disable_compressed_tensor_optimization: Union[bool, None] = ...,
        experimental_disable_folding_quantization_emulation: Union[bool, None] = ...,
        memory_optimization: Union[_Value, None] = ...,
        memory_optimizer_target_node_name_scope: Union[str, None] = ...,
        meta_optimizer_timeout_ms: Union[int, None] = ...,
        auto_parallel: Union[Union[AutoParallelOptions, Mapping[str, Any]], None] = ...,
        fail_on_optimizer_errors: Union[bool, None] = ...,
        scoped_allocator_opts: Union[Union[ScopedAllocatorOptions, Mapping[str, Any]], None] = ...,
        optimizers: Union[Iterable[str], None] = ...,
        custom_optimizers: Union[Iterable[Any], None] = ...,
        inter_optimizer_verifier_config: Union[Union[VerifierConfig, Mapping[str, Any]], None] = ...,
        post_optimization_verifier_config: Union[Union[VerifierConfig, Mapping[str, Any]], None] = ...,
    ) -> None: ...
    cpu_layout_conversion: int
    layout_optimizer: int
    constant_folding: int
    shape_optimization: int
    remapping: int
    common_subgraph_elimination: int
    arithmetic_optimization: int
    dependency_optimization: int
    loop_optimization: int
    function_optimization: int
    debug_stripper: int
    disable_model_pruning: bool
    scoped_allocator_optimization: int
    pin_to_host_optimization: int
    implementation_selector: int
    auto_mixed_precision: int
    auto_mixed_precision_mkl: int
    auto_mixed_precision_onednn_bfloat16: int
    auto_mixed_precision_cpu: int
    disable_meta_optimizer: bool
    disable_tfg_optimizer: bool
    use_plugin_optimizers: int
    experimental_conditional_code_motion: int
    meta_optimizer_iterations: int
    min_graph_nodes: int
    experimental_disable_compressed_tensor_optimization: bool
    experimental_disable_folding_quantization_emulation: bool
    memory_optimization: int
    memory_optimizer_target_node_name_scope: str
    meta_optimizer_timeout_ms: int
    @property
    def auto_parallel(self) -> AutoParallelOptions: ...
    fail_on_optimizer_errors: bool
    @property
    def scoped_allocator_opts(self) -> ScopedAllocatorOptions: ...
    @property
    def optimizers(self) -> MutableSequence[str]: ...
    @property
    def custom_optimizers(self) -> _Messages[Any]: ...
    @property
    def inter_optimizer_verifier_config(self) -> VerifierConfig: ...
    @property
    def post_optimization_verifier_config(self) -> VerifierConfig: ...

class GraphOptions(_Message):
    def __init__(
        self,
        *,
        enable_recv_scheduling: Union[bool, None] = ...,
        build_cost_model: Union[int, None] = ...,
        build_cost_model_after: Union[int, None] = ...,
        infer_shapes: Union[bool, None] = ...,
        place_pruned_graph: Union[bool, None] = ...,
        enable_bfloat16_sendrecv: Union[bool, None] = ...,
        timeline_step: Union[int, None] = ...,
        optimizer_options: Union[Union[OptimizerOptions, Mapping[str, Any]], None] = ...,
        rewrite_options: Union[Union[RewriterConfig, Mapping[str, Any]], None] = ...,
    ) -> None: ...
    enable_recv_scheduling: bool
    build_cost_model: int
    build_cost_model_after: int
    infer_shapes: bool
    place_pruned_graph: bool
    enable_bfloat16_sendrecv: bool
    timeline_step: int
    @property
    def optimizer_options(self) -> OptimizerOptions: ...
    @property
    def rewrite_options(self) -> RewriterConfig: ...

class ConfigProto(Message):
    class Experimental(_Message):
        MLIR_BRIDGE_ROLLOUT_UNSPECIFIED: int
        MLIR_BRIDGE_ROLLOUT_ENABLED: int
        MLIR_BRIDGE_ROLLOUT_DISABLED: int
        MLIR_BRIDGE_ROLLOUT_SAFE_MODE_ENABLED: int
        MLIR_BRIDGE_ROLLOUT_SAFE_MODE_FALLBACK_ENABLED: int
        MlirBridgeRollout: Any
        def __init__(
            self,
            *,
            collective_group_leader: Union[str, None] = ...,
            executor_type: Union[str, None] = ...,
            recv_buf_max_chunk: Union[int, None] = ...,
            use_numa_affinity: Union[bool, None] = ...,
            collective_deterministic_sequential_execution: Union[bool, None] = ...,
            collective_nccl: Union[bool, None] = ...,
            share_session_state_in_clusterspec_propagation: Union[bool, None] = ...,
            disable_thread_spinning: Union[bool, None] = ...,
            share_cluster_devices_in_session: Union[bool, None] = ...,
            session_metadata: Union[Any, None] = ...,
            optimize_for_static_graph: Union[bool, None] = ...,
            enable_mlir_bridge: Union[bool, None] = ...,
            mlir_bridge_rollout: Union[_Value, None] = ...,
            enable_mlir_graph_optimization: Union[bool, None] = ...,
            disable_output_partition_graphs: Union[bool, None] = ...,
            xla_fusion_autotuner_thresh: Union[int, None] = ...,
            use_tfrt: Union[bool, None] = ...,
            enable_multi_host: Union[bool, None] = ...,
            tfrt_use_ifrt: Union[bool, None] = ...,
            backend_server_port: Union[int, None] = ...,
            target_tpu: Union[bool, None] = ...,
            target_gpu: Union[bool, None] = ...,
            stream_merge_threshold: Union[int, None] = ...,
            disable_functional_ops_lowering: Union[bool, None] = ...,
            xla_prefer_single_graph_cluster: Union[bool, None] = ...,
            coordination_config: Union[Any, None] = ...,
            disable_optimize_for_static_graph: Union[bool, None] = ...,
            disable_eager_executor_streaming_enqueue: Union[bool, None] = ...,
            finalize_function_library_runtime: Union[bool, None] = ...,
            finalize_resource_manager: Union[bool, None] = ...,
            tf2xla_dump_dir: Union[str, None] = ...,
            online_cost_analysis: Union[bool, None] = ...,
        ) -> None: ...
        collective_group_leader: str
        executor_type: str
        recv_buf_max_chunk: int
        use_numa_affinity: bool
        collective_deterministic_sequential_execution: bool
        collective_nccl: bool
        share_session_state_in_clusterspec_propagation: bool
        disable_thread_spinning: bool
        share_cluster_devices_in_session: bool
        @property
        def session_metadata(self) -> Any: ...
        optimize_for_static_graph: bool
        enable_mlir_bridge: bool
        mlir_bridge_rollout: int
        enable_mlir_graph_optimization: bool
        disable_output_partition_graphs: bool
        xla_fusion_autotuner_thresh: int
        use_tfrt: bool
        enable_multi_host: bool
        tfrt_use_ifrt: bool
        backend_server_port: int
        target_tpu: bool
        target_gpu: bool
        stream_merge_threshold: int
        disable_functional_ops_lowering: bool
        xla_prefer_single_graph_cluster: bool
        @property
        def coordination_config(self) -> Any: ...
        disable_optimize_for_static_graph: bool
        disable_eager_executor_streaming_enqueue: bool
        finalize_function_library_runtime: bool
        finalize_resource_manager: bool
        tf2xla_dump_dir: str
        online_cost_analysis: bool

    def __init__(
        self,
        *,
        device_count: Union[Mapping[str, int], None] = ...,
        intra_op_parallelism_threads: Union[int, None] = ...,
        inter_op_parallelism_threads: Union[int, None] = ...,
        use_per_session_threads: Union[bool, None] = ...,
        session_inter_op_thread_pool: Union[Iterable[Any], None] = ...,
        placement_period: Union[int, None] = ...,
        device_filters: Union[Iterable[str], None] = ...,
        allow_soft_placement: Union[bool, None] = ...,
        log_device_placement: Union[bool, None] = ...,
        operation_timeout_in_ms: Union[int, None] = ...,
        rpc_options: Union[Any, None] = ...,
        cluster_def: Union[Any, None] = ...,
        isolate_session_state: Union[bool, None] = ...,
        share_cluster_devices_in_session: Union[bool, None] = ...,
        gpu_options: Union[Union[GPUOptions, Mapping[str, Any]], None] = ...,
        pluggable_device_options: Union[Union[GPUOptions, Mapping[str, Any]], None] = ...,
        graph_options: Union[Union[GraphOptions, Mapping[str, Any]], None] = ...,
        experimental: Union[Union[ConfigProto.Experimental, Mapping[str, Any]], None] = ...,
    ) -> None: ...
    @property
    def device_count(self) -> MutableMapping[str, int]: ...
    intra_op_parallelism_threads: int
    inter_op_parallelism_threads: int
    use_per_session_threads: bool
    @property
    def session_inter_op_thread_pool(self) -> _Messages[Any]: ...
    placement_period: int
    @property
    def device_filters(self) -> MutableSequence[str]: ...
    allow_soft_placement: bool
    log_device_placement: bool
    operation_timeout_in_ms: int
    @property
    def rpc_options(self) -> Any: ...
    @property
    def cluster_def(self) -> Any: ...
    isolate_session_state: bool
    share_cluster_devices_in_session: bool
    @property
    def gpu_options(self) -> GPUOptions: ...
    @property
    def pluggable_device_options(self) -> GPUOptions: ...
    @property
    def graph_options(self) -> GraphOptions: ...
    @property
    def experimental(self) -> ConfigProto.Experimental: ...
