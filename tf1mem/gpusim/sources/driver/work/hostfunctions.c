/* Host functions that a stream calls. Each runs in a thread of its stream, never in the thread that enqueues it. */
#include "streams.h"
#include "work.h"

struct call {
    CUstream stream;
    void (*function)(void *);
    void (*callback)(CUstream, CUresult, void *);
    void *data;
};

static void run(void *payload) {
    struct call *call = payload;
    work_set_host_function(true);
    if (call->callback) {
        call->callback(call->stream, CUDA_SUCCESS, call->data);
    } else {
        call->function(call->data);
    }
    work_set_host_function(false);
}

static const struct work_kind calling = {run, NODE_HOST, true};

static CUresult enqueue(const struct call *call) {
    struct queue *queue;
    struct context *context;
    CUresult result = stream_queue(call->stream, &queue, &context);
    if (result != CUDA_SUCCESS) return result;
    if (!call->function && !call->callback) return CUDA_ERROR_INVALID_VALUE;
    return work_submit(queue, &calling, call, sizeof *call);
}

DRIVER_API CUresult cuLaunchHostFunc(CUstream stream, void (*function)(void *), void *data) {
    return enqueue(&(struct call){.stream = stream, .function = function, .data = data});
}

DRIVER_API CUresult
cuStreamAddCallback(CUstream stream, void (*callback)(CUstream, CUresult, void *), void *data, unsigned flags) {
    return enqueue(&(struct call){.stream = stream, .callback = flags ? NULL : callback, .data = data});
}
