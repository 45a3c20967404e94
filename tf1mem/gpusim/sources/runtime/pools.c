/* Stream-ordered memory: the pools of cudaMallocAsync. */
#include "runtime.h"

EXPORT cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream) {
    if (!pointer) return answer(CUDA_ERROR_INVALID_VALUE);
    *pointer = 0;
    CUresult result = enter_device();
    return answer(result || !bytes ? result : cuMemAllocAsync((CUdeviceptr *)pointer, bytes, stream));
}

EXPORT cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
    if (!pointer) return answer(CUDA_ERROR_INVALID_VALUE);
    *pointer = 0;
    CUresult result = enter_device();
    return answer(result || !bytes ? result : cuMemAllocFromPoolAsync((CUdeviceptr *)pointer, bytes, pool, stream));
}

EXPORT cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream) {
    CUresult result = enter_device();
    return answer(result || !pointer ? result : cuMemFreeAsync((CUdeviceptr)pointer, stream));
}

EXPORT cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int ordinal) {
    CUresult result = enter_driver();
    return answer(result ? result : cuDeviceGetDefaultMemPool(pool, ordinal));
}

EXPORT cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int ordinal) {
    CUresult result = enter_driver();
    return answer(result ? result : cuDeviceGetMemPool(pool, ordinal));
}

EXPORT cudaError_t cudaDeviceSetMemPool(int ordinal, cudaMemPool_t pool) {
    CUresult result = enter_driver();
    return answer(result ? result : cuDeviceSetMemPool(ordinal, pool));
}

/* The structs of properties, locations and access are the driver's. */
EXPORT cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const void *properties) {
    CUresult result = enter_driver();
    return answer(result ? result : cuMemPoolCreate(pool, properties));
}

EXPORT cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
    return answer(cuMemPoolDestroy(pool));
}

EXPORT cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep_bytes) {
    return answer(cuMemPoolTrimTo(pool, keep_bytes));
}

EXPORT cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, int attribute, void *value) {
    return answer(cuMemPoolGetAttribute(pool, attribute, value));
}

EXPORT cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, int attribute, void *value) {
    return answer(cuMemPoolSetAttribute(pool, attribute, value));
}

EXPORT cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const void *descriptors, size_t count) {
    return answer(cuMemPoolSetAccess(pool, descriptors, count));
}

EXPORT cudaError_t cudaMemPoolGetAccess(int *flags, cudaMemPool_t pool, void *location) {
    return answer(cuMemPoolGetAccess(flags, pool, location));
}
