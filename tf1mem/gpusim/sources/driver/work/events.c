/* Events: cuEventCreate, cuEventRecord, cuStreamWaitEvent and related functions. */
#include "events.h"

#include "driver/core/handles.h"
#include "driver/memory/pools.h"
#include "driver/core/process.h"
#include "streams.h"
#include "work.h"

#include <pthread.h>
#include <stdlib.h>

enum { EVENT_DISABLE_TIMING = 2, EVENT_INTERPROCESS = 4, EVENT_FLAGS = 7 };

struct event {
    struct context *context;
    uint64_t generation; /* the context's generation when the event was created */
    unsigned flags;
    struct point *point; /* the point where it was last recorded */
    uint64_t capture;    /* or the capture in which it was recorded; zero for none */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* the lock of every event's point */

CUresult event_point(CUevent event, struct point **point) {
    CUresult result = process_ready();
    if (result != CUDA_SUCCESS) return result;
    if (!handle_is(event, HANDLE_EVENT)) return CUDA_ERROR_INVALID_HANDLE;
    if (event->generation != event->context->generation) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    pthread_mutex_lock(&lock);
    *point = event->point ? point_share(event->point) : NULL;
    pthread_mutex_unlock(&lock);
    return CUDA_SUCCESS;
}

CUresult event_capture(CUevent event, struct context *context, struct graph **graph, uint64_t *capture) {
    struct point *point;
    CUresult result = event_point(event, &point);
    if (result != CUDA_SUCCESS) return result;
    if (point) point_release(point);
    pthread_mutex_lock(&lock);
    *capture = event->capture;
    pthread_mutex_unlock(&lock);
    *graph = *capture ? group_captured(context->group, *capture) : NULL;
    return CUDA_SUCCESS;
}

/* Returns CUDA_ERROR_CAPTURED_EVENT for an event in a capture: nothing runs, so the event is never reached. */
static CUresult check_not_captured(CUevent event) {
    struct graph *graph;
    uint64_t capture;
    CUresult result = process_ready();
    if (result != CUDA_SUCCESS) return result;
    if (!handle_is(event, HANDLE_EVENT)) return CUDA_ERROR_INVALID_HANDLE;
    result = event_capture(event, event->context, &graph, &capture);
    return result == CUDA_SUCCESS && graph ? CUDA_ERROR_CAPTURED_EVENT : result;
}

DRIVER_API CUresult cuEventCreate(CUevent *handle, unsigned flags) {
    struct context *context;
    CUresult result = context_current(&context);
    if (result != CUDA_SUCCESS) return result;
    if (!handle || flags & ~(unsigned)EVENT_FLAGS) return CUDA_ERROR_INVALID_VALUE;
    if (flags & EVENT_INTERPROCESS && !(flags & EVENT_DISABLE_TIMING)) return CUDA_ERROR_INVALID_VALUE;
    struct event *event = calloc(1, sizeof *event);
    if (!event) return CUDA_ERROR_OUT_OF_MEMORY;
    *event = (struct event){.context = context, .generation = context->generation, .flags = flags};
    if (!handle_add(event, HANDLE_EVENT)) {
        free(event);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *handle = event;
    return CUDA_SUCCESS;
}

DRIVER_API CUresult cuEventDestroy_v2(CUevent event) {
    CUresult result = process_ready();
    if (result != CUDA_SUCCESS) return result;
    if (!handle_remove(event, HANDLE_EVENT)) return CUDA_ERROR_INVALID_HANDLE;
    if (event->point) point_release(event->point);
    free(event);
    return CUDA_SUCCESS;
}

static CUresult record(CUevent event, CUstream stream, unsigned flags) {
    struct queue *queue;
    struct context *context;
    struct point *before;
    CUresult result = stream_queue(stream, &queue, &context);
    if (result != CUDA_SUCCESS) return result;
    if (flags > 1) return CUDA_ERROR_INVALID_VALUE;
    result = event_point(event, &before);
    if (result != CUDA_SUCCESS) return result;
    if (before) point_release(before);
    if (context != event->context) return CUDA_ERROR_INVALID_HANDLE;
    uint64_t capture;
    struct point *point = NULL;
    if (!queue_captured(queue, &capture) && !(point = point_record(queue))) return CUDA_ERROR_OUT_OF_MEMORY;
    pthread_mutex_lock(&lock);
    before = event->point;
    event->point = point;
    event->capture = capture;
    pthread_mutex_unlock(&lock);
    if (before) point_release(before);
    return CUDA_SUCCESS;
}

DRIVER_API CUresult cuEventRecord(CUevent event, CUstream stream) {
    return record(event, stream, 0);
}

DRIVER_API CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags) {
    return record(event, stream, flags);
}

DRIVER_API CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
    struct queue *queue;
    struct context *context;
    struct point *point;
    struct graph *graph;
    uint64_t capture;
    CUresult result = stream_queue(stream, &queue, &context);
    if (result != CUDA_SUCCESS) return result;
    if (flags > 1) return CUDA_ERROR_INVALID_VALUE;
    result = event_capture(event, context, &graph, &capture);
    if (result != CUDA_SUCCESS) return result;
    if (graph) {
        /* The stream joins the capture: what it captures from now on comes after everything captured before the
         * event. */
        queue_capture(queue, graph, capture);
        return CUDA_SUCCESS;
    }
    if (queue_captured(queue, NULL)) return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
    result = event_point(event, &point);
    if (result != CUDA_SUCCESS || !point) return result; /* never recorded, so there is nothing to wait for */
    result = queue_wait_for(queue, point);
    point_release(point);
    return result;
}

DRIVER_API CUresult cuEventQuery(CUevent event) {
    struct point *point;
    CUresult result = check_not_captured(event);
    if (result == CUDA_SUCCESS) result = event_point(event, &point);
    if (result != CUDA_SUCCESS || !point) return result;
    result = point_reached(point) ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
    point_release(point);
    return result;
}

DRIVER_API CUresult cuEventSynchronize(CUevent event) {
    struct point *point;
    CUresult result = check_not_captured(event);
    if (result == CUDA_SUCCESS) result = event_point(event, &point);
    if (result != CUDA_SUCCESS) return result;
    if (point) {
        point_wait(point);
        point_release(point);
    }
    pools_release_unused("cuEventSynchronize");
    return CUDA_SUCCESS;
}

static CUresult elapsed(float *milliseconds, CUevent start, CUevent end) {
    struct point *first = NULL, *last = NULL;
    CUresult result = event_point(start, &first);
    if (result == CUDA_SUCCESS) result = event_point(end, &last);
    if (result == CUDA_SUCCESS && !milliseconds) result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS && (!first || !last || (start->flags | end->flags) & EVENT_DISABLE_TIMING))
        result = CUDA_ERROR_INVALID_HANDLE;
    if (result == CUDA_SUCCESS && !(point_reached(first) && point_reached(last))) result = CUDA_ERROR_NOT_READY;
    if (result == CUDA_SUCCESS) *milliseconds = (float)((point_time(last) - point_time(first)) * 1e3);
    if (first) point_release(first);
    if (last) point_release(last);
    return result;
}

DRIVER_API CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end) {
    return elapsed(milliseconds, start, end);
}

DRIVER_API CUresult cuEventElapsedTime_v2(float *milliseconds, CUevent start, CUevent end) {
    return elapsed(milliseconds, start, end);
}
