"""The environment variables that matter: what TensorFlow, CUDA, Keras and tf1mem read."""

from __future__ import annotations

NAMES = (
    "CUDA_VISIBLE_DEVICES",
    "CUDA_DEVICE_ORDER",
    "NVIDIA_VISIBLE_DEVICES",
    "TF_FORCE_GPU_ALLOW_GROWTH",
    "TF_GPU_ALLOCATOR",
    "TF_ENABLE_GPU_GARBAGE_COLLECTION",
    "TF_FORCE_UNIFIED_MEMORY",
    "TF_PER_DEVICE_MEMORY_LIMIT_MB",
    "TF_DEVICE_MIN_SYS_MEMORY_IN_MB",
    "TF_GPU_THREAD_MODE",
    "TF_GPU_THREAD_COUNT",
    "TF_USE_LEGACY_KERAS",
    "KERAS_BACKEND",
    "TF2_BEHAVIOR",
    "TF_XLA_FLAGS",
    "XLA_FLAGS",
    "XLA_PYTHON_CLIENT_PREALLOCATE",
    "XLA_PYTHON_CLIENT_MEM_FRACTION",
    "XLA_PYTHON_CLIENT_ALLOCATOR",
    "TF_DETERMINISTIC_OPS",
    "TF_CUDNN_DETERMINISTIC",
    "TF_CPP_MIN_LOG_LEVEL",
    "TF_CPP_VMODULE",
    "TF_NUM_INTRAOP_THREADS",
    "TF_NUM_INTEROP_THREADS",
    "TF_CONFIG",
)
TF1MEM = "TF1MEM_"
# What `tf1mem.from_env` reads under other names than its own.
GUIDES = ("VISIBLE_GPU", "MEMORY_LIMIT_MB")


def matters(name: str) -> bool:
    """Whether a variable is one of them. The simulator's and the doctor's own are not."""
    if name.startswith((TF1MEM + "SIM_", TF1MEM + "DOCTOR_")):
        return False
    return name in NAMES or name in GUIDES or name.startswith(TF1MEM)
