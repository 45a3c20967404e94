/* The queries and settings of a function. Code isn't read: the answers on a function's needs are those of a small
 * function. */
#include "driver/core/devices.h"
#include "modules.h"
#include "driver/core/process.h"
#include "driver/core/unsupported.h"

#include <stdio.h>

/* CUfunction_attribute */
enum {
    FUNCTION_MAX_THREADS_PER_BLOCK = 0,
    FUNCTION_SHARED_BYTES = 1,
    FUNCTION_CONST_BYTES = 2,
    FUNCTION_LOCAL_BYTES = 3,
    FUNCTION_REGISTERS = 4,
    FUNCTION_PTX_VERSION = 5,
    FUNCTION_BINARY_VERSION = 6,
    FUNCTION_CACHE_MODE_CA = 7,
    FUNCTION_MAX_DYNAMIC_SHARED_BYTES = 8,
    FUNCTION_PREFERRED_CARVEOUT = 9,
    FUNCTION_LAST = 15, /* 10 to 15: clusters of blocks */
};

static CUresult get(int *value, int attribute, CUfunction function, CUdevice device) {
    int gpu;
    CUresult result = process_gpu(device, &gpu);
    if (result == CUDA_SUCCESS) result = function_check(function);
    if (result != CUDA_SUCCESS) return result;
    if (!value) return CUDA_ERROR_INVALID_VALUE;
    const struct machine_gpu *hardware = &process.machine->gpus[gpu];
    switch (attribute) {
    case FUNCTION_MAX_THREADS_PER_BLOCK: *value = MAX_THREADS_PER_BLOCK; break;
    case FUNCTION_SHARED_BYTES:
    case FUNCTION_CONST_BYTES:
    case FUNCTION_LOCAL_BYTES:
    case FUNCTION_CACHE_MODE_CA: *value = 0; break;
    case FUNCTION_REGISTERS: *value = 32; break;
    case FUNCTION_PTX_VERSION:
    case FUNCTION_BINARY_VERSION: *value = hardware->compute_major * 10 + hardware->compute_minor; break;
    case FUNCTION_MAX_DYNAMIC_SHARED_BYTES:
        *value = function->settings[attribute] ? function->settings[attribute] : SHARED_PER_BLOCK;
        break;
    case FUNCTION_PREFERRED_CARVEOUT:
        *value = function->settings[attribute] - 1; /* -1, the default, is stored as 0 */
        break;
    default:
        if (attribute < 0 || attribute > FUNCTION_LAST) {
            char name[64];
            snprintf(name, sizeof name, "cuFuncGetAttribute (attribute %d)", attribute);
            unsupported_part(name);
            return CUDA_ERROR_INVALID_VALUE;
        }
        *value = function->settings[attribute];
    }
    return CUDA_SUCCESS;
}

static CUresult set(CUfunction function, int attribute, int value, CUdevice device) {
    int gpu;
    CUresult result = process_gpu(device, &gpu);
    if (result == CUDA_SUCCESS) result = function_check(function);
    if (result != CUDA_SUCCESS) return result;
    switch (attribute) {
    case FUNCTION_MAX_DYNAMIC_SHARED_BYTES:
        if (value < 0 || value > device_generation(gpu)->shared_per_block) return CUDA_ERROR_INVALID_VALUE;
        break;
    case FUNCTION_PREFERRED_CARVEOUT:
        if (value < -1 || value > 100) return CUDA_ERROR_INVALID_VALUE;
        value++;
        break;
    default:
        if (attribute < FUNCTION_PREFERRED_CARVEOUT || attribute > FUNCTION_LAST) return CUDA_ERROR_INVALID_VALUE;
    }
    function->settings[attribute] = value;
    return CUDA_SUCCESS;
}

DRIVER_API CUresult cuFuncGetAttribute(int *value, int attribute, CUfunction function) {
    struct context *context;
    CUresult result = context_current(&context);
    return result == CUDA_SUCCESS ? get(value, attribute, function, context->device) : result;
}

DRIVER_API CUresult cuFuncSetAttribute(CUfunction function, int attribute, int value) {
    struct context *context;
    CUresult result = context_current(&context);
    return result == CUDA_SUCCESS ? set(function, attribute, value, context->device) : result;
}

DRIVER_API CUresult cuKernelGetAttribute(int *value, int attribute, CUfunction kernel, CUdevice device) {
    return get(value, attribute, kernel, device);
}

DRIVER_API CUresult cuKernelSetAttribute(int attribute, int value, CUfunction kernel, CUdevice device) {
    return set(kernel, attribute, value, device);
}

static CUresult set_config(CUfunction function, int config, int most) {
    CUresult result = function_check(function);
    if (result != CUDA_SUCCESS) return result;
    return config < 0 || config > most ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS; /* a hint, which can't be read back */
}

DRIVER_API CUresult cuFuncSetCacheConfig(CUfunction function, int config) {
    return set_config(function, config, 3);
}

DRIVER_API CUresult cuFuncSetSharedMemConfig(CUfunction function, int config) {
    return set_config(function, config, 2);
}

DRIVER_API CUresult cuKernelSetCacheConfig(CUfunction kernel, int config, CUdevice device) {
    int gpu;
    CUresult result = process_gpu(device, &gpu);
    return result == CUDA_SUCCESS ? set_config(kernel, config, 3) : result;
}

DRIVER_API CUresult cuFuncLoad(CUfunction function) {
    return function_check(function);
}

DRIVER_API CUresult cuFuncIsLoaded(int *state, CUfunction function) {
    CUresult result = function_check(function);
    if (result != CUDA_SUCCESS) return result;
    if (!state) return CUDA_ERROR_INVALID_VALUE;
    *state = 1;
    return CUDA_SUCCESS;
}
