/* Streams: cuStreamCreate and related functions. Each has a queue of work (work.c). */
#include "streams.h"

#include "driver/core/handles.h"
#include "driver/memory/pools.h"
#include "work.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { STREAM_NON_BLOCKING = 1 };

struct stream {
    struct context *context;
    uint64_t generation; /* the context's generation when the stream was created */
    struct queue *queue;
    unsigned flags;
    int priority;
    uint64_t id;
};

static bool is_default(CUstream stream) {
    return (uintptr_t)stream <= 2;
}

CUresult stream_queue(CUstream stream, struct queue **queue, struct context **context) {
    CUresult result = context_current(context);
    if (result != CUDA_SUCCESS) return result;
    if (is_default(stream)) {
        *queue = group_legacy((*context)->group);
        return CUDA_SUCCESS;
    }
    if (!handle_is(stream, HANDLE_STREAM)) return CUDA_ERROR_INVALID_HANDLE;
    if (stream->generation != stream->context->generation) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    *queue = stream->queue;
    *context = stream->context;
    return CUDA_SUCCESS;
}

static CUresult create(CUstream *handle, unsigned flags, int priority) {
    static atomic_ullong ids = 3; /* the default streams have the first ids */
    struct context *context;
    CUresult result = context_current(&context);
    if (result != CUDA_SUCCESS) return result;
    if (!handle || flags > STREAM_NON_BLOCKING) return CUDA_ERROR_INVALID_VALUE;
    struct stream *stream = calloc(1, sizeof *stream);
    if (!stream) return CUDA_ERROR_OUT_OF_MEMORY;
    *stream = (struct stream){
        .context = context,
        .generation = context->generation,
        .queue = queue_create(context->group, flags & STREAM_NON_BLOCKING ? QUEUE_FREE : QUEUE_BLOCKING),
        .flags = flags,
        .priority = priority > 0    ? 0
                    : priority < -5 ? -5
                                    : priority,
        .id = atomic_fetch_add(&ids, 1),
    };
    if (!stream->queue || !handle_add(stream, HANDLE_STREAM)) {
        if (stream->queue) queue_close(stream->queue);
        free(stream);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *handle = stream;
    return CUDA_SUCCESS;
}

DRIVER_API CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
    return create(stream, flags, 0);
}

DRIVER_API CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority) {
    return create(stream, flags, priority);
}

DRIVER_API CUresult cuStreamDestroy_v2(CUstream stream) {
    struct queue *queue;
    struct context *context;
    CUresult result = stream_queue(stream, &queue, &context);
    if (is_default(stream) && result == CUDA_SUCCESS) return CUDA_ERROR_INVALID_HANDLE;
    if (result != CUDA_SUCCESS && result != CUDA_ERROR_CONTEXT_IS_DESTROYED) return result;
    if (!handle_remove(stream, HANDLE_STREAM)) return CUDA_ERROR_INVALID_HANDLE;
    queue_close(stream->queue);
    free(stream);
    return CUDA_SUCCESS;
}

DRIVER_API CUresult cuStreamQuery(CUstream stream) {
    struct queue *queue;
    struct context *context;
    CUresult result = stream_queue(stream, &queue, &context);
    if (result != CUDA_SUCCESS) return result;
    if (queue_captured(queue, NULL)) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    return queue_idle(queue) ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

DRIVER_API CUresult cuStreamSynchronize(CUstream stream) {
    struct queue *queue;
    struct context *context;
    CUresult result = stream_queue(stream, &queue, &context);
    if (result != CUDA_SUCCESS) return result;
    if (queue_captured(queue, NULL)) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    result = queue_wait(queue);
    pools_release_unused("cuStreamSynchronize");
    return result;
}

DRIVER_API CUresult cuStreamGetFlags(CUstream stream, unsigned *flags) {
    struct queue *queue;
    struct context *context;
    CUresult result = stream_queue(stream, &queue, &context);
    if (result != CUDA_SUCCESS) return result;
    if (!flags) return CUDA_ERROR_INVALID_VALUE;
    *flags = is_default(stream) ? 0 : stream->flags;
    return CUDA_SUCCESS;
}

DRIVER_API CUresult cuStreamGetPriority(CUstream stream, int *priority) {
    struct queue *queue;
    struct context *context;
    CUresult result = stream_queue(stream, &queue, &context);
    if (result != CUDA_SUCCESS) return result;
    if (!priority) return CUDA_ERROR_INVALID_VALUE;
    *priority = is_default(stream) ? 0 : stream->priority;
    return CUDA_SUCCESS;
}

DRIVER_API CUresult cuStreamGetId(CUstream stream, unsigned long long *id) {
    struct queue *queue;
    struct context *context;
    CUresult result = stream_queue(stream, &queue, &context);
    if (result != CUDA_SUCCESS) return result;
    if (!id) return CUDA_ERROR_INVALID_VALUE;
    *id = is_default(stream) ? 1 : stream->id;
    return CUDA_SUCCESS;
}

DRIVER_API CUresult cuStreamGetCtx(CUstream stream, CUcontext *context) {
    struct queue *queue;
    struct context *owner;
    CUresult result = stream_queue(stream, &queue, &owner);
    if (result != CUDA_SUCCESS) return result;
    if (!context) return CUDA_ERROR_INVALID_VALUE;
    *context = owner;
    return CUDA_SUCCESS;
}
