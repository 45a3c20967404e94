/* Every CUresult of CUDA 12.5, as RESULT(name, number, text): the text is that of cuGetErrorString. */
#ifndef TF1MEM_DRIVER_RESULTS_H
#define TF1MEM_DRIVER_RESULTS_H

#define CUDA_RESULTS(RESULT)                                                                                           \
    RESULT(CUDA_SUCCESS, 0, "no error")                                                                                \
    RESULT(CUDA_ERROR_INVALID_VALUE, 1, "invalid argument")                                                            \
    RESULT(CUDA_ERROR_OUT_OF_MEMORY, 2, "out of memory")                                                               \
    RESULT(CUDA_ERROR_NOT_INITIALIZED, 3, "initialization error")                                                      \
    RESULT(CUDA_ERROR_DEINITIALIZED, 4, "driver shutting down")                                                        \
    RESULT(CUDA_ERROR_PROFILER_DISABLED, 5, "profiler disabled while using external profiling tool")                   \
    RESULT(CUDA_ERROR_PROFILER_NOT_INITIALIZED, 6, "profiler not initialized: call cudaProfilerInitialize()")          \
    RESULT(CUDA_ERROR_PROFILER_ALREADY_STARTED, 7, "profiler already started")                                         \
    RESULT(CUDA_ERROR_PROFILER_ALREADY_STOPPED, 8, "profiler already stopped")                                         \
    RESULT(CUDA_ERROR_STUB_LIBRARY, 34, "CUDA driver is a stub library")                                               \
    RESULT(CUDA_ERROR_DEVICE_UNAVAILABLE, 46, "CUDA-capable device(s) is/are busy or unavailable")                     \
    RESULT(CUDA_ERROR_NO_DEVICE, 100, "no CUDA-capable device is detected")                                            \
    RESULT(CUDA_ERROR_INVALID_DEVICE, 101, "invalid device ordinal")                                                   \
    RESULT(CUDA_ERROR_DEVICE_NOT_LICENSED, 102, "device doesn't have valid Grid license")                              \
    RESULT(CUDA_ERROR_INVALID_IMAGE, 200, "device kernel image is invalid")                                            \
    RESULT(CUDA_ERROR_INVALID_CONTEXT, 201, "invalid device context")                                                  \
    RESULT(CUDA_ERROR_CONTEXT_ALREADY_CURRENT, 202, "context already current")                                         \
    RESULT(CUDA_ERROR_MAP_FAILED, 205, "mapping of buffer object failed")                                              \
    RESULT(CUDA_ERROR_UNMAP_FAILED, 206, "unmapping of buffer object failed")                                          \
    RESULT(CUDA_ERROR_ARRAY_IS_MAPPED, 207, "array is mapped")                                                         \
    RESULT(CUDA_ERROR_ALREADY_MAPPED, 208, "resource already mapped")                                                  \
    RESULT(CUDA_ERROR_NO_BINARY_FOR_GPU, 209, "no kernel image is available for execution on the device")              \
    RESULT(CUDA_ERROR_ALREADY_ACQUIRED, 210, "resource already acquired")                                              \
    RESULT(CUDA_ERROR_NOT_MAPPED, 211, "resource not mapped")                                                          \
    RESULT(CUDA_ERROR_NOT_MAPPED_AS_ARRAY, 212, "resource not mapped as array")                                        \
    RESULT(CUDA_ERROR_NOT_MAPPED_AS_POINTER, 213, "resource not mapped as pointer")                                    \
    RESULT(CUDA_ERROR_ECC_UNCORRECTABLE, 214, "uncorrectable ECC error encountered")                                   \
    RESULT(CUDA_ERROR_UNSUPPORTED_LIMIT, 215, "limit is not supported on this architecture")                           \
    RESULT(CUDA_ERROR_CONTEXT_ALREADY_IN_USE, 216, "exclusive-thread device already in use by a different thread")     \
    RESULT(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, 217, "peer access is not supported between these two devices")          \
    RESULT(CUDA_ERROR_INVALID_PTX, 218, "a PTX JIT compilation failed")                                                \
    RESULT(CUDA_ERROR_INVALID_GRAPHICS_CONTEXT, 219, "invalid OpenGL or DirectX context")                              \
    RESULT(CUDA_ERROR_NVLINK_UNCORRECTABLE, 220, "uncorrectable NVLink error detected during the execution")           \
    RESULT(CUDA_ERROR_JIT_COMPILER_NOT_FOUND, 221, "PTX JIT compiler library not found")                               \
    RESULT(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, 222, "the provided PTX was compiled with an unsupported toolchain.")    \
    RESULT(CUDA_ERROR_JIT_COMPILATION_DISABLED, 223, "PTX JIT compilation was disabled")                               \
    RESULT(CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY, 224, "the provided execution affinity is not supported")              \
    RESULT(                                                                                                            \
        CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC, 225, "the operation cannot be performed on the device's synchronization"  \
    )                                                                                                                  \
    RESULT(CUDA_ERROR_INVALID_SOURCE, 300, "device kernel image is invalid")                                           \
    RESULT(CUDA_ERROR_FILE_NOT_FOUND, 301, "file not found")                                                           \
    RESULT(CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND, 302, "shared object symbol not found")                           \
    RESULT(CUDA_ERROR_SHARED_OBJECT_INIT_FAILED, 303, "shared object initialization failed")                           \
    RESULT(CUDA_ERROR_OPERATING_SYSTEM, 304, "OS call failed or operation not supported on this OS")                   \
    RESULT(CUDA_ERROR_INVALID_HANDLE, 400, "invalid resource handle")                                                  \
    RESULT(CUDA_ERROR_ILLEGAL_STATE, 401, "the operation cannot be performed in the present state")                    \
    RESULT(CUDA_ERROR_LOSSY_QUERY, 402, "attempted introspection would be semantically lossy")                         \
    RESULT(CUDA_ERROR_NOT_FOUND, 500, "named symbol not found")                                                        \
    RESULT(CUDA_ERROR_NOT_READY, 600, "device not ready")                                                              \
    RESULT(CUDA_ERROR_ILLEGAL_ADDRESS, 700, "an illegal memory access was encountered")                                \
    RESULT(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, 701, "too many resources requested for launch")                         \
    RESULT(CUDA_ERROR_LAUNCH_TIMEOUT, 702, "the launch timed out and was terminated")                                  \
    RESULT(CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING, 703, "launch uses incompatible texturing mode")                   \
    RESULT(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, 704, "peer access is already enabled")                              \
    RESULT(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, 705, "peer access has not been enabled")                                \
    RESULT(CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE, 708, "primary context has already been initialized")                     \
    RESULT(CUDA_ERROR_CONTEXT_IS_DESTROYED, 709, "context is destroyed")                                               \
    RESULT(CUDA_ERROR_ASSERT, 710, "device-side assert triggered")                                                     \
    RESULT(CUDA_ERROR_TOO_MANY_PEERS, 711, "peer mapping resources exhausted")                                         \
    RESULT(                                                                                                            \
        CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, 712, "part or all of the requested memory range is already mapped"  \
    )                                                                                                                  \
    RESULT(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, 713, "pointer does not correspond to a registered memory region")    \
    RESULT(CUDA_ERROR_HARDWARE_STACK_ERROR, 714, "hardware stack error")                                               \
    RESULT(CUDA_ERROR_ILLEGAL_INSTRUCTION, 715, "an illegal instruction was encountered")                              \
    RESULT(CUDA_ERROR_MISALIGNED_ADDRESS, 716, "misaligned address")                                                   \
    RESULT(CUDA_ERROR_INVALID_ADDRESS_SPACE, 717, "operation not supported on global/shared address space")            \
    RESULT(CUDA_ERROR_INVALID_PC, 718, "invalid program counter")                                                      \
    RESULT(CUDA_ERROR_LAUNCH_FAILED, 719, "unspecified launch failure")                                                \
    RESULT(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, 720, "too many blocks in cooperative launch")                      \
    RESULT(CUDA_ERROR_NOT_PERMITTED, 800, "operation not permitted")                                                   \
    RESULT(CUDA_ERROR_NOT_SUPPORTED, 801, "operation not supported")                                                   \
    RESULT(CUDA_ERROR_SYSTEM_NOT_READY, 802, "system not yet initialized")                                             \
    RESULT(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, 803, "system has unsupported display driver / cuda driver combination")  \
    RESULT(CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE, 804, "forward compatibility was attempted on non supported HW")  \
    RESULT(                                                                                                            \
        CUDA_ERROR_MPS_CONNECTION_FAILED, 805,                                                                         \
        "MPS client failed to connect to the MPS control daemon or the MPS server"                                     \
    )                                                                                                                  \
    RESULT(CUDA_ERROR_MPS_RPC_FAILURE, 806, "MPS server failed to execute the request")                                \
    RESULT(CUDA_ERROR_MPS_SERVER_NOT_READY, 807, "the MPS server is not ready")                                        \
    RESULT(CUDA_ERROR_MPS_MAX_CLIENTS_REACHED, 808, "the maximum number of MPS clients is reached")                    \
    RESULT(CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED, 809, "the maximum number of MPS connections is reached")            \
    RESULT(CUDA_ERROR_MPS_CLIENT_TERMINATED, 810, "the MPS client was terminated by the server")                       \
    RESULT(CUDA_ERROR_CDP_NOT_SUPPORTED, 811, "CUDA dynamic parallelism is not supported")                             \
    RESULT(CUDA_ERROR_CDP_VERSION_MISMATCH, 812, "CUDA dynamic parallelism version mismatch")                          \
    RESULT(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, 900, "operation not permitted when stream is capturing")             \
    RESULT(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, 901, "operation failed due to a previous error during capture")      \
    RESULT(CUDA_ERROR_STREAM_CAPTURE_MERGE, 902, "operation would result in a merge of separate capture sequences")    \
    RESULT(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, 903, "capture was not ended in the same stream as it began")           \
    RESULT(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, 904, "capturing stream has unjoined work")                              \
    RESULT(CUDA_ERROR_STREAM_CAPTURE_ISOLATION, 905, "dependency created on uncaptured work in another stream")        \
    RESULT(                                                                                                            \
        CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, 906,                                                                       \
        "operation would make the legacy stream depend on a capturing blocking stream"                                 \
    )                                                                                                                  \
    RESULT(CUDA_ERROR_CAPTURED_EVENT, 907, "operation not permitted on an event last recorded in a capturing stream")  \
    RESULT(                                                                                                            \
        CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, 908,                                                                   \
        "attempt to terminate a thread-local capture sequence from another thread"                                     \
    )                                                                                                                  \
    RESULT(CUDA_ERROR_TIMEOUT, 909, "wait operation timed out")                                                        \
    RESULT(                                                                                                            \
        CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, 910,                                                                     \
        "the graph update was not performed because it included changes which violated constraints specific to "       \
        "instantiated graph update"                                                                                    \
    )                                                                                                                  \
    RESULT(CUDA_ERROR_EXTERNAL_DEVICE, 911, "an async error has occurred in external entity outside of CUDA")          \
    RESULT(CUDA_ERROR_INVALID_CLUSTER_SIZE, 912, "a kernel launch error has occurred due to cluster misconfiguration") \
    RESULT(CUDA_ERROR_FUNCTION_NOT_LOADED, 913, "the function handle is not loaded")                                   \
    RESULT(CUDA_ERROR_INVALID_RESOURCE_TYPE, 914, "the resource type is not valid for the operation")                  \
    RESULT(                                                                                                            \
        CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION, 915, "the resource configuration is not valid for the operation"    \
    )                                                                                                                  \
    RESULT(CUDA_ERROR_UNKNOWN, 999, "unknown error")

typedef enum {
#define RESULT(name, number, text) name = number,
    CUDA_RESULTS(RESULT)
#undef RESULT
} CUresult;

#endif
