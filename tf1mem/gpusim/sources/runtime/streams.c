/* Streams, their callbacks, and events. Each function calls the driver's function for the same. */
#include "runtime.h"

#include <stdlib.h>

/* A program's callback, which receives the stream's status as one of the runtime's numbers. */
struct callback {
    void (*function)(cudaStream_t, cudaError_t, void *);
    void *data;
};

EXPORT cudaError_t cudaStreamCreate(cudaStream_t *stream) {
    CUresult result = enter_device();
    return answer(result ? result : cuStreamCreate(stream, 0));
}

EXPORT cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
    CUresult result = enter_device();
    return answer(result ? result : cuStreamCreate(stream, flags));
}

EXPORT cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority) {
    CUresult result = enter_device();
    return answer(result ? result : cuStreamCreateWithPriority(stream, flags, priority));
}

EXPORT cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    return answer(cuStreamDestroy_v2(stream));
}

EXPORT cudaError_t cudaStreamQuery(cudaStream_t stream) {
    CUresult result = enter_device();
    return answer(result ? result : cuStreamQuery(stream));
}

EXPORT cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    CUresult result = enter_device();
    return answer(result ? result : cuStreamSynchronize(stream));
}

EXPORT cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
    CUresult result = enter_device();
    return answer(result ? result : cuStreamWaitEvent(stream, event, flags));
}

EXPORT cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags) {
    CUresult result = enter_device();
    return answer(result ? result : cuStreamGetFlags(stream, flags));
}

EXPORT cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority) {
    CUresult result = enter_device();
    return answer(result ? result : cuStreamGetPriority(stream, priority));
}

EXPORT cudaError_t cudaStreamIsCapturing(cudaStream_t stream, int *status) {
    CUresult result = enter_device();
    return answer(result ? result : cuStreamIsCapturing(stream, status));
}

EXPORT cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, int *status, uint64_t *id) {
    CUresult result = enter_device();
    return answer(result ? result : cuStreamGetCaptureInfo_v2(stream, status, id, 0, 0, 0));
}

EXPORT cudaError_t cudaStreamGetCaptureInfo_v2(
    cudaStream_t stream, int *status, uint64_t *id, CUgraph *graph, CUgraphNode const **dependencies, size_t *count
) {
    CUresult result = enter_device();
    return answer(result ? result : cuStreamGetCaptureInfo_v2(stream, status, id, graph, dependencies, count));
}

EXPORT cudaError_t cudaThreadExchangeStreamCaptureMode(int *mode) {
    CUresult result = enter_driver();
    return answer(result ? result : cuThreadExchangeStreamCaptureMode(mode));
}

static void call_back(CUstream stream, CUresult result, void *data) {
    struct callback callback = *(struct callback *)data;
    free(data);
    callback.function(stream, runtime_error(result), callback.data);
}

EXPORT cudaError_t cudaStreamAddCallback(
    cudaStream_t stream, void (*function)(cudaStream_t, cudaError_t, void *), void *data, unsigned flags
) {
    if (!function) return answer(CUDA_ERROR_INVALID_VALUE);
    CUresult result = enter_device();
    if (result) return answer(result);
    struct callback *callback = malloc(sizeof *callback);
    if (!callback) return answer(CUDA_ERROR_OUT_OF_MEMORY);
    *callback = (struct callback){function, data};
    result = cuStreamAddCallback(stream, call_back, callback, flags);
    if (result) free(callback);
    return answer(result);
}

EXPORT cudaError_t cudaLaunchHostFunc(cudaStream_t stream, void (*function)(void *), void *data) {
    CUresult result = enter_device();
    return answer(result ? result : cuLaunchHostFunc(stream, function, data));
}

EXPORT cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
    CUresult result = enter_device();
    return answer(result ? result : cuEventCreate(event, flags));
}

EXPORT cudaError_t cudaEventCreate(cudaEvent_t *event) {
    return cudaEventCreateWithFlags(event, 0);
}

EXPORT cudaError_t cudaEventDestroy(cudaEvent_t event) {
    return answer(cuEventDestroy_v2(event));
}

EXPORT cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    CUresult result = enter_device();
    return answer(result ? result : cuEventRecord(event, stream));
}

EXPORT cudaError_t cudaEventQuery(cudaEvent_t event) {
    return answer(cuEventQuery(event));
}

EXPORT cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    return answer(cuEventSynchronize(event));
}

EXPORT cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t from, cudaEvent_t to) {
    return answer(cuEventElapsedTime(milliseconds, from, to));
}
