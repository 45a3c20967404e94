/* Contexts: cuDevicePrimaryCtxRetain, cuCtxCreate and related functions. */
#include "contexts.h"

#include "current.h"
#include "driver/memory/accounts.h"
#include "driver/memory/allocations.h"
#include "handles.h"
#include "driver/memory/pools.h"
#include "process.h"
#include "driver/work/work.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct context primaries[MACHINE_GPUS];

/* The real driver's defaults on a GPU of the simulated kind. */
static const size_t default_limits[] = {1024, 1 << 20, 8 << 20, 2, 2048, 64, 0};

/* Returns the bytes that each context takes of a GPU. */
static uint64_t bytes_on(int gpu) {
    return process.machine->gpus[gpu].context_bytes;
}

/* Makes a new or destroyed context usable. Returns false if the GPU or the host has no memory for it. */
static bool make_alive(struct context *context, CUdevice device, const char *api) {
    static atomic_ullong ids = 1;
    int gpu = process.visible.gpus[device];
    if (!context->group && !(context->group = group_create())) return false;
    if (bytes_on(gpu) && account_reserve(gpu, bytes_on(gpu), MEMORY_CONTEXT, api) != CUDA_SUCCESS) return false;
    account_context(gpu);
    context->device = device;
    context->gpu = gpu;
    context->id = atomic_fetch_add(&ids, 1);
    context->cache_config = 0;
    context->shared_memory_config = 1;
    memcpy(context->limits, default_limits, sizeof default_limits);
    context->alive = true;
    return true;
}

/* Destroys a context with everything that was created in it. */
static void destroy(struct context *context, const char *api) {
    group_wait(context->group);
    context->alive = false;
    context->generation++;
    allocations_free_all(context, api);
    if (bytes_on(context->gpu)) account_free(context->gpu, bytes_on(context->gpu), MEMORY_CONTEXT, api);
}

CUresult context_check(CUcontext handle) {
    CUresult ready = process_ready();
    if (ready != CUDA_SUCCESS) return ready;
    if (!handle_is(handle, HANDLE_CONTEXT)) return CUDA_ERROR_INVALID_CONTEXT;
    return handle->alive ? CUDA_SUCCESS : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

CUresult context_current(struct context **context) {
    CUresult ready = process_ready();
    if (ready != CUDA_SUCCESS) return ready;
    if (work_in_host_function()) return CUDA_ERROR_NOT_PERMITTED;
    *context = current_top();
    if (!*context) return CUDA_ERROR_INVALID_CONTEXT;
    return (*context)->alive ? CUDA_SUCCESS : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

struct context *context_primary(CUdevice device) {
    return &primaries[device];
}

CUresult context_synchronize(struct context *context) {
    group_wait(context->group);
    pools_release_unused("cuCtxSynchronize");
    return CUDA_SUCCESS;
}

DRIVER_API CUresult cuDevicePrimaryCtxRetain(CUcontext *handle, CUdevice device) {
    int gpu;
    CUresult result = process_gpu(device, &gpu);
    if (result != CUDA_SUCCESS) return result;
    if (!handle) return CUDA_ERROR_INVALID_VALUE;
    struct context *context = &primaries[device];
    pthread_mutex_lock(&lock);
    if (!context->primary) {
        context->primary = true;
        if (!handle_add(context, HANDLE_CONTEXT)) result = CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (result == CUDA_SUCCESS && !context->alive && !make_alive(context, device, "cuDevicePrimaryCtxRetain"))
        result = CUDA_ERROR_OUT_OF_MEMORY;
    if (result == CUDA_SUCCESS) context->references++;
    pthread_mutex_unlock(&lock);
    if (result != CUDA_SUCCESS) return result;
    *handle = context;
    return CUDA_SUCCESS;
}

static CUresult release_primary(CUdevice device, bool reset, const char *api) {
    int gpu;
    CUresult result = process_gpu(device, &gpu);
    if (result != CUDA_SUCCESS) return result;
    struct context *context = &primaries[device];
    pthread_mutex_lock(&lock);
    if (reset) {
        context->references = 0;
        if (context->alive) destroy(context, api);
    } else if (!context->references) {
        result = CUDA_ERROR_INVALID_CONTEXT;
    } else if (--context->references == 0) {
        destroy(context, api);
    }
    pthread_mutex_unlock(&lock);
    return result;
}

DRIVER_API CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
    return release_primary(device, false, "cuDevicePrimaryCtxRelease");
}

DRIVER_API CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
    return release_primary(device, false, "cuDevicePrimaryCtxRelease");
}

DRIVER_API CUresult cuDevicePrimaryCtxReset_v2(CUdevice device) {
    return release_primary(device, true, "cuDevicePrimaryCtxReset");
}

DRIVER_API CUresult cuDevicePrimaryCtxReset(CUdevice device) {
    return release_primary(device, true, "cuDevicePrimaryCtxReset");
}

DRIVER_API CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active) {
    int gpu;
    CUresult result = process_gpu(device, &gpu);
    if (result != CUDA_SUCCESS) return result;
    if (!flags && !active) return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&lock);
    if (flags) *flags = primaries[device].flags;
    if (active) *active = primaries[device].alive;
    pthread_mutex_unlock(&lock);
    return CUDA_SUCCESS;
}

/* CU_CTX_SCHED_* are numbers, not bits. */
static bool flags_are_valid(unsigned flags) {
    unsigned schedule = flags & 0x7;
    return (flags & ~0xffu) == 0 && (schedule <= 2 || schedule == 4);
}

static CUresult set_primary_flags(CUdevice device, unsigned flags) {
    int gpu;
    CUresult result = process_gpu(device, &gpu);
    if (result != CUDA_SUCCESS) return result;
    if (!flags_are_valid(flags)) return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&lock);
    primaries[device].flags = flags;
    pthread_mutex_unlock(&lock);
    return CUDA_SUCCESS;
}

DRIVER_API CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags) {
    return set_primary_flags(device, flags);
}

DRIVER_API CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags) {
    return set_primary_flags(device, flags);
}

static CUresult create(CUcontext *handle, unsigned flags, CUdevice device) {
    int gpu;
    CUresult result = process_gpu(device, &gpu);
    if (result != CUDA_SUCCESS) return result;
    if (!handle || !flags_are_valid(flags)) return CUDA_ERROR_INVALID_VALUE;
    /* A context is never freed: other threads may have it on their stacks after it was destroyed. */
    struct context *context = calloc(1, sizeof *context);
    if (!context || !handle_add(context, HANDLE_CONTEXT)) {
        free(context);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (!make_alive(context, device, "cuCtxCreate")) {
        handle_remove(context, HANDLE_CONTEXT);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    context->flags = flags;
    result = current_push(context);
    if (result != CUDA_SUCCESS) {
        destroy(context, "cuCtxCreate");
        return result;
    }
    *handle = context;
    return CUDA_SUCCESS;
}

DRIVER_API CUresult cuCtxCreate_v2(CUcontext *handle, unsigned flags, CUdevice device) {
    return create(handle, flags, device);
}

DRIVER_API CUresult cuCtxCreate_v3(CUcontext *handle, void *affinities, int count, unsigned flags, CUdevice device) {
    CUresult result = process_ready();
    if (result != CUDA_SUCCESS) return result;
    if (affinities || count) return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
    return create(handle, flags, device);
}

DRIVER_API CUresult cuCtxDestroy_v2(CUcontext context) {
    CUresult result = context_check(context);
    if (result != CUDA_SUCCESS) return result;
    if (context->primary) return CUDA_ERROR_INVALID_CONTEXT;
    pthread_mutex_lock(&lock);
    if (context->alive) {
        destroy(context, "cuCtxDestroy");
    } else {
        result = CUDA_ERROR_CONTEXT_IS_DESTROYED;
    }
    pthread_mutex_unlock(&lock);
    if (result == CUDA_SUCCESS && current_top() == context) current_pop();
    return result;
}

DRIVER_API CUresult cuCtxSetCurrent(CUcontext context) {
    if (!context) {
        CUresult ready = process_ready();
        return ready == CUDA_SUCCESS ? current_replace(NULL) : ready;
    }
    CUresult result = context_check(context);
    return result == CUDA_SUCCESS ? current_replace(context) : result;
}

DRIVER_API CUresult cuCtxPushCurrent_v2(CUcontext context) {
    CUresult result = context_check(context);
    return result == CUDA_SUCCESS ? current_push(context) : result;
}

DRIVER_API CUresult cuCtxPopCurrent_v2(CUcontext *context) {
    struct context *current;
    CUresult result = context_current(&current);
    if (result == CUDA_ERROR_CONTEXT_IS_DESTROYED) result = CUDA_SUCCESS; /* a destroyed context can still be popped */
    if (result != CUDA_SUCCESS) return result;
    current = current_pop();
    if (context) *context = current;
    return CUDA_SUCCESS;
}

DRIVER_API CUresult cuCtxGetCurrent(CUcontext *context) {
    CUresult ready = process_ready();
    if (ready != CUDA_SUCCESS) return ready;
    if (!context) return CUDA_ERROR_INVALID_VALUE;
    *context = current_top();
    return CUDA_SUCCESS;
}

DRIVER_API CUresult cuCtxGetDevice(CUdevice *device) {
    struct context *context;
    CUresult result = context_current(&context);
    if (result != CUDA_SUCCESS) return result;
    if (!device) return CUDA_ERROR_INVALID_VALUE;
    *device = context->device;
    return CUDA_SUCCESS;
}

DRIVER_API CUresult cuCtxSynchronize(void) {
    struct context *context;
    CUresult result = context_current(&context);
    return result == CUDA_SUCCESS ? context_synchronize(context) : result;
}
