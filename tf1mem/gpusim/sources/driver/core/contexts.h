/* Contexts: each GPU's primary context, those that a program creates, and each thread's current one. */
#ifndef TF1MEM_DRIVER_CONTEXTS_H
#define TF1MEM_DRIVER_CONTEXTS_H

#include "api.h"

struct context {
    CUdevice device; /* the GPU's ordinal in this process */
    int gpu;         /* the GPU's number on the machine */
    bool primary;
    bool alive;
    int references;      /* cuDevicePrimaryCtxRetain */
    uint64_t generation; /* rises when the context is destroyed: what was created in it before is then invalid */
    uint64_t id;
    unsigned flags;
    int cache_config, shared_memory_config;
    size_t limits[7];    /* by CUlimit */
    struct group *group; /* the context's streams */
};

/* Returns the thread's current context. CUDA_ERROR_INVALID_CONTEXT if it has none, CUDA_ERROR_CONTEXT_IS_DESTROYED,
 * CUDA_ERROR_NOT_PERMITTED in a host function that a stream runs, or an error of process_ready. */
CUresult context_current(struct context **context);

/* Checks a context that the program passed: CUDA_ERROR_INVALID_CONTEXT if it isn't one. */
CUresult context_check(CUcontext handle);

/* Returns the primary context of a device, active or not. */
struct context *context_primary(CUdevice device);

/* Waits for a context's streams, and gives unused pool memory back to the GPU. */
CUresult context_synchronize(struct context *context);

#endif
