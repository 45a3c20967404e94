/* Captures: cuStreamBeginCapture and related functions. */
#include "captures.h"

#include "driver/core/process.h"

#include <stdatomic.h>

static atomic_ullong captures = 1;

CUresult capture_one(struct graph *graph, CUresult (*enqueue)(const void *what, CUstream stream), const void *what) {
    CUstream stream;
    struct queue *queue;
    struct context *context;
    CUresult result = cuStreamCreate(&stream, 1);
    if (result != CUDA_SUCCESS) return result;
    result = stream_queue(stream, &queue, &context);
    if (result == CUDA_SUCCESS) {
        queue_capture(queue, graph, atomic_fetch_add(&captures, 1));
        result = enqueue(what, stream);
        queue_capture(queue, NULL, 0);
    }
    cuStreamDestroy_v2(stream);
    return result;
}

static CUresult begin(CUstream stream, struct graph *graph, int mode) {
    struct queue *queue;
    struct context *context;
    CUresult result = stream_queue(stream, &queue, &context);
    if (result != CUDA_SUCCESS) return result;
    if (mode < 0 || mode > 2) return CUDA_ERROR_INVALID_VALUE;
    if ((uintptr_t)stream <= 1) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED; /* the default stream */
    if (queue_captured(queue, NULL)) return CUDA_ERROR_ILLEGAL_STATE;
    if (!graph && !(graph = graph_create())) return CUDA_ERROR_OUT_OF_MEMORY;
    queue_capture(queue, graph, atomic_fetch_add(&captures, 1));
    return CUDA_SUCCESS;
}

DRIVER_API CUresult cuStreamBeginCapture_v2(CUstream stream, int mode) {
    return begin(stream, NULL, mode);
}

DRIVER_API CUresult cuStreamBeginCapture(CUstream stream) {
    return begin(stream, NULL, 0);
}

/* Captured work comes after everything already in the graph, and so after the nodes `needs`. */
DRIVER_API CUresult cuStreamBeginCaptureToGraph(
    CUstream stream, struct graph *graph, struct node *const *needs, const void *edges, size_t count, int mode
) {
    (void)edges;
    CUresult result = process_ready();
    if (result != CUDA_SUCCESS) return result;
    if (!graph_is(graph) || (count && !needs)) return CUDA_ERROR_INVALID_VALUE;
    return begin(stream, graph, mode);
}

DRIVER_API CUresult cuStreamEndCapture(CUstream stream, struct graph **graph) {
    struct queue *queue;
    struct context *context;
    uint64_t capture;
    CUresult result = stream_queue(stream, &queue, &context);
    if (result != CUDA_SUCCESS) return result;
    struct graph *captured = queue_captured(queue, &capture);
    if (!captured) return CUDA_ERROR_ILLEGAL_STATE;
    if (!graph) return CUDA_ERROR_INVALID_VALUE;
    group_end_capture(context->group, capture);
    *graph = captured;
    return CUDA_SUCCESS;
}

DRIVER_API CUresult cuStreamIsCapturing(CUstream stream, int *status) {
    struct queue *queue;
    struct context *context;
    CUresult result = stream_queue(stream, &queue, &context);
    if (result != CUDA_SUCCESS) return result;
    if (!status) return CUDA_ERROR_INVALID_VALUE;
    *status = queue_captured(queue, NULL) != NULL;
    return CUDA_SUCCESS;
}

DRIVER_API CUresult cuStreamGetCaptureInfo_v2(
    CUstream stream, int *status, uint64_t *id, struct graph **graph, struct node *const **needs, size_t *count
) {
    struct queue *queue;
    struct context *context;
    uint64_t capture;
    CUresult result = stream_queue(stream, &queue, &context);
    if (result != CUDA_SUCCESS) return result;
    if (!status) return CUDA_ERROR_INVALID_VALUE;
    struct graph *captured = queue_captured(queue, &capture);
    *status = captured != NULL;
    if (!captured) return CUDA_SUCCESS; /* the other results aren't written */
    static _Thread_local struct node *last;
    last = captured->nodes;
    while (last && last->next) last = last->next;
    if (id) *id = capture;
    if (graph) *graph = captured;
    if (needs) *needs = &last;
    if (count) *count = last ? 1 : 0;
    return CUDA_SUCCESS;
}

DRIVER_API CUresult cuThreadExchangeStreamCaptureMode(int *mode) {
    static _Thread_local int current; /* CU_STREAM_CAPTURE_MODE_GLOBAL */
    CUresult result = process_ready();
    if (result != CUDA_SUCCESS) return result;
    if (!mode || *mode < 0 || *mode > 2) return CUDA_ERROR_INVALID_VALUE;
    int before = current;
    current = *mode;
    *mode = before;
    return CUDA_SUCCESS;
}
