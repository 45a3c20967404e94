/* The queries and settings of a context. Settings are only stored and returned, since no kernel is run. */
#include "contexts.h"
#include "process.h"

enum { LIMITS = sizeof((struct context *)0)->limits / sizeof(size_t), LIMIT_MAX_L2_FETCH_GRANULARITY = 5 };

DRIVER_API CUresult cuCtxGetLimit(size_t *value, int limit) {
    struct context *context;
    CUresult result = context_current(&context);
    if (result != CUDA_SUCCESS) return result;
    if (!value) return CUDA_ERROR_INVALID_VALUE;
    if (limit < 0 || limit >= LIMITS) return CUDA_ERROR_UNSUPPORTED_LIMIT;
    *value = context->limits[limit];
    return CUDA_SUCCESS;
}

DRIVER_API CUresult cuCtxSetLimit(int limit, size_t value) {
    struct context *context;
    CUresult result = context_current(&context);
    if (result != CUDA_SUCCESS) return result;
    if (limit < 0 || limit >= LIMITS) return CUDA_ERROR_UNSUPPORTED_LIMIT;
    if (limit == LIMIT_MAX_L2_FETCH_GRANULARITY && value > 128) return CUDA_ERROR_INVALID_VALUE;
    context->limits[limit] = value;
    return CUDA_SUCCESS;
}

DRIVER_API CUresult cuCtxGetCacheConfig(int *config) {
    struct context *context;
    CUresult result = context_current(&context);
    if (result != CUDA_SUCCESS) return result;
    if (!config) return CUDA_ERROR_INVALID_VALUE;
    *config = context->cache_config;
    return CUDA_SUCCESS;
}

DRIVER_API CUresult cuCtxSetCacheConfig(int config) {
    struct context *context;
    CUresult result = context_current(&context);
    if (result != CUDA_SUCCESS) return result;
    if (config < 0 || config > 3) return CUDA_ERROR_INVALID_VALUE;
    context->cache_config = config;
    return CUDA_SUCCESS;
}

DRIVER_API CUresult cuCtxGetSharedMemConfig(int *config) {
    struct context *context;
    CUresult result = context_current(&context);
    if (result != CUDA_SUCCESS) return result;
    if (!config) return CUDA_ERROR_INVALID_VALUE;
    *config = context->shared_memory_config;
    return CUDA_SUCCESS;
}

DRIVER_API CUresult cuCtxSetSharedMemConfig(int config) {
    struct context *context;
    CUresult result = context_current(&context);
    if (result != CUDA_SUCCESS) return result;
    if (config < 0 || config > 2) return CUDA_ERROR_INVALID_VALUE;
    context->shared_memory_config = config ? config : 1;
    return CUDA_SUCCESS;
}

DRIVER_API CUresult cuCtxGetFlags(unsigned *flags) {
    struct context *context;
    CUresult result = context_current(&context);
    if (result != CUDA_SUCCESS) return result;
    if (!flags) return CUDA_ERROR_INVALID_VALUE;
    *flags = context->flags;
    return CUDA_SUCCESS;
}

DRIVER_API CUresult cuCtxGetId(CUcontext handle, unsigned long long *id) {
    struct context *context = handle;
    CUresult result = handle ? context_check(handle) : context_current(&context);
    if (result != CUDA_SUCCESS) return result;
    if (!id) return CUDA_ERROR_INVALID_VALUE;
    *id = context->id;
    return CUDA_SUCCESS;
}

DRIVER_API CUresult cuCtxGetApiVersion(CUcontext handle, unsigned *version) {
    struct context *context = handle;
    CUresult result = handle ? context_check(handle) : context_current(&context);
    if (result != CUDA_SUCCESS) return result;
    if (!version) return CUDA_ERROR_INVALID_VALUE;
    *version = 3020; /* for contexts of cuCtxCreate_v2, and for primary ones */
    return CUDA_SUCCESS;
}

DRIVER_API CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest) {
    struct context *context;
    CUresult result = context_current(&context);
    if (result != CUDA_SUCCESS) return result;
    if (least) *least = 0;
    if (greatest) *greatest = -5;
    return CUDA_SUCCESS;
}

/* The GPUs are not linked, as cuDeviceCanAccessPeer says. */
DRIVER_API CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
    struct context *context;
    CUresult result = context_current(&context);
    if (result != CUDA_SUCCESS) return result;
    if (flags) return CUDA_ERROR_INVALID_VALUE;
    result = context_check(peer);
    if (result != CUDA_SUCCESS) return result;
    return peer == context ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
}

DRIVER_API CUresult cuCtxDisablePeerAccess(CUcontext peer) {
    struct context *context;
    CUresult result = context_current(&context);
    if (result != CUDA_SUCCESS) return result;
    result = context_check(peer);
    return result == CUDA_SUCCESS ? CUDA_ERROR_PEER_ACCESS_NOT_ENABLED : result;
}
