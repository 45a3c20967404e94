/* Contexts: each GPU's primary one, those that a program makes, and the one that is current in a thread. */
#ifndef TF1MEM_DRIVER_CONTEXTS_H
#define TF1MEM_DRIVER_CONTEXTS_H

#include "api.h"

struct context {
    CUdevice device; /* its ordinal in this process */
    int gpu;         /* its number on the machine */
    bool primary;
    bool alive;
    int references;      /* cuDevicePrimaryCtxRetain */
    uint64_t generation; /* goes up when the context is destroyed: what was made in it before is no longer valid */
    uint64_t id;
    unsigned flags;
    int cache_config, shared_memory_config;
    size_t limits[7];    /* by CUlimit */
    struct group *group; /* its streams */
};

/* The thread's current context. CUDA_ERROR_INVALID_CONTEXT: it has none; CUDA_ERROR_CONTEXT_IS_DESTROYED;
 * CUDA_ERROR_NOT_PERMITTED in a host function that a stream runs; and what process_ready says. */
CUresult context_current(struct context **context);

/* A context that was handed in: CUDA_ERROR_INVALID_CONTEXT for what is none. */
CUresult context_check(CUcontext handle);

/* The primary context of a device, active or not. */
struct context *context_primary(CUdevice device);

/* Waits for a context's streams, and gives back what pools hold for nobody. */
CUresult context_synchronize(struct context *context);

/* current.c */
CUresult current_push(struct context *context);
struct context *current_pop(void); /* NULL: there was none */
struct context *current_top(void); /* NULL: there is none */
CUresult current_replace(struct context *context);

#endif
