/* Devices of the runtime: the driver's devices, and calls about the current one. */
#include "current_device.h"
#include "registry.h"

static CUresult check_ordinal(int ordinal) {
    int count;
    CUresult result = enter_driver();
    if (!result) result = cuDeviceGetCount(&count);
    if (result) return result;
    return ordinal >= 0 && ordinal < count ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

EXPORT cudaError_t cudaRuntimeGetVersion(int *version) {
    if (!version) return answer(CUDA_ERROR_INVALID_VALUE);
    *version = runtime_version;
    return answer(CUDA_SUCCESS);
}

EXPORT cudaError_t cudaDriverGetVersion(int *version) {
    return answer(cuDriverGetVersion(version));
}

EXPORT cudaError_t cudaGetDeviceCount(int *count) {
    if (!count) return answer(CUDA_ERROR_INVALID_VALUE);
    *count = 0;
    CUresult result = enter_driver();
    if (!result) result = cuDeviceGetCount(count);
    if (!result && !*count) result = CUDA_ERROR_NO_DEVICE;
    return answer(result);
}

EXPORT cudaError_t cudaGetDevice(int *ordinal) {
    CUcontext context = 0;
    if (!ordinal) return answer(CUDA_ERROR_INVALID_VALUE);
    CUresult result = check_ordinal(thread_device);
    if (result) return answer(result == CUDA_ERROR_INVALID_DEVICE ? CUDA_ERROR_NO_DEVICE : result);
    *ordinal = thread_device;
    /* A context that the driver's functions made current takes precedence: TensorFlow mixes both APIs. */
    if (!cuCtxGetCurrent(&context) && context) return answer(cuCtxGetDevice(ordinal));
    return answer(CUDA_SUCCESS);
}

EXPORT cudaError_t cudaSetDevice(int ordinal) {
    CUcontext context;
    CUresult result = check_ordinal(ordinal);
    if (result) return answer(result);
    thread_device = ordinal;
    /* From CUDA 12 on this starts the device; before, the first call that needs it does. */
    if (runtime_version < 12000) {
        result = cuCtxGetCurrent(&context);
        if (result || !context) return answer(result);
    }
    result = primary_context(&context, ordinal);
    return answer(result ? result : cuCtxSetCurrent(context));
}

EXPORT cudaError_t cudaInitDevice(int ordinal, unsigned device_flags, unsigned flags) {
    CUcontext context;
    CUresult result = check_ordinal(ordinal);
    if (!result && (flags & ~1u)) result = CUDA_ERROR_INVALID_VALUE; /* 1: cudaInitDeviceFlagsAreValid */
    if (!result && flags) result = cuDevicePrimaryCtxSetFlags_v2(ordinal, device_flags);
    return answer(result ? result : primary_context(&context, ordinal));
}

EXPORT cudaError_t cudaGetDeviceFlags(unsigned *flags) {
    int ordinal, active;
    cudaError_t error = cudaGetDevice(&ordinal);
    if (error) return error;
    return answer(cuDevicePrimaryCtxGetState(ordinal, flags, &active));
}

EXPORT cudaError_t cudaSetDeviceFlags(unsigned flags) {
    CUresult result = check_ordinal(thread_device);
    return answer(result ? result : cuDevicePrimaryCtxSetFlags_v2(thread_device, flags));
}

EXPORT cudaError_t cudaDeviceSynchronize(void) {
    CUresult result = enter_device();
    return answer(result ? result : cuCtxSynchronize());
}

EXPORT cudaError_t cudaThreadSynchronize(void) {
    return cudaDeviceSynchronize();
}

EXPORT cudaError_t cudaDeviceReset(void) {
    int ordinal;
    cudaError_t error = cudaGetDevice(&ordinal);
    if (error) return error;
    forget_primary_context(ordinal);
    kernels_drop(ordinal);
    return answer(cuDevicePrimaryCtxReset_v2(ordinal));
}

EXPORT cudaError_t cudaDeviceGetAttribute(int *value, int attribute, int ordinal) {
    CUresult result = check_ordinal(ordinal);
    /* The runtime's numbers of attributes are the driver's. */
    return answer(result ? result : cuDeviceGetAttribute(value, attribute, ordinal));
}

EXPORT cudaError_t cudaDeviceGetPCIBusId(char *id, int length, int ordinal) {
    CUresult result = check_ordinal(ordinal);
    return answer(result ? result : cuDeviceGetPCIBusId(id, length, ordinal));
}

EXPORT cudaError_t cudaDeviceGetByPCIBusId(int *ordinal, const char *id) {
    CUresult result = enter_driver();
    return answer(result ? result : cuDeviceGetByPCIBusId(ordinal, id));
}

EXPORT cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
    CUresult result = enter_device();
    return answer(result ? result : cuCtxGetStreamPriorityRange(least, greatest));
}

EXPORT cudaError_t cudaDeviceGetLimit(size_t *value, int limit) {
    CUresult result = enter_device();
    return answer(result ? result : cuCtxGetLimit(value, limit));
}

EXPORT cudaError_t cudaDeviceSetLimit(int limit, size_t value) {
    CUresult result = enter_device();
    return answer(result ? result : cuCtxSetLimit(limit, value));
}

EXPORT cudaError_t cudaDeviceGetCacheConfig(int *config) {
    CUresult result = enter_device();
    return answer(result ? result : cuCtxGetCacheConfig(config));
}

EXPORT cudaError_t cudaDeviceSetCacheConfig(int config) {
    CUresult result = enter_device();
    return answer(result ? result : cuCtxSetCacheConfig(config));
}

EXPORT cudaError_t cudaDeviceGetSharedMemConfig(int *config) {
    CUresult result = enter_device();
    return answer(result ? result : cuCtxGetSharedMemConfig(config));
}

EXPORT cudaError_t cudaDeviceSetSharedMemConfig(int config) {
    CUresult result = enter_device();
    return answer(result ? result : cuCtxSetSharedMemConfig(config));
}

EXPORT cudaError_t cudaDeviceCanAccessPeer(int *can, int ordinal, int peer) {
    CUresult result = check_ordinal(ordinal);
    if (!result) result = check_ordinal(peer);
    return answer(result ? result : cuDeviceCanAccessPeer(can, ordinal, peer));
}

EXPORT cudaError_t cudaDeviceGetP2PAttribute(int *value, int attribute, int source, int destination) {
    CUresult result = enter_driver();
    return answer(result ? result : cuDeviceGetP2PAttribute(value, attribute, source, destination));
}

EXPORT cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
    CUcontext context;
    CUresult result = enter_device();
    if (!result) result = check_ordinal(peer);
    if (!result) result = primary_context(&context, peer);
    return answer(result ? result : cuCtxEnablePeerAccess(context, flags));
}

EXPORT cudaError_t cudaDeviceDisablePeerAccess(int peer) {
    CUcontext context;
    CUresult result = enter_device();
    if (!result) result = check_ordinal(peer);
    if (!result) result = primary_context(&context, peer);
    return answer(result ? result : cuCtxDisablePeerAccess(context));
}

EXPORT cudaError_t cudaProfilerStart(void) {
    return answer(cuProfilerStart());
}

EXPORT cudaError_t cudaProfilerStop(void) {
    return answer(cuProfilerStop());
}
