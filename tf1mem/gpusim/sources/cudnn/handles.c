/* Handles, each with its stream, and the descriptors of cuDNN's older API. */
#include "cudnn.h"

#include <stdio.h>
#include <stdlib.h>

struct cudnn {
    CUstream stream;
};

EXPORT int cudnnCreate(cudnnHandle_t *handle) {
    if (!handle) return cudnn_status(BAD_PARAM);
    if (math_enter()) return cudnn_status(NOT_INITIALIZED);
    *handle = calloc(1, sizeof **handle);
    return cudnn_status(*handle ? SUCCESS : ALLOC_FAILED);
}

EXPORT int cudnnDestroy(cudnnHandle_t handle) {
    free(handle);
    return cudnn_status(SUCCESS);
}

EXPORT int cudnnSetStream(cudnnHandle_t handle, CUstream stream) {
    if (!handle) return cudnn_status(BAD_PARAM);
    handle->stream = stream;
    return cudnn_status(SUCCESS);
}

EXPORT int cudnnGetStream(cudnnHandle_t handle, CUstream *stream) {
    if (!handle || !stream) return cudnn_status(BAD_PARAM);
    *stream = handle->stream;
    return cudnn_status(SUCCESS);
}

int cudnn_launch(cudnnHandle_t handle) {
    if (!handle) return cudnn_status(BAD_PARAM);
    return cudnn_status(math_launch(handle->stream) ? EXECUTION_FAILED : SUCCESS);
}

/* A descriptor of the older API; only a convolution's math type is ever read back. */
struct settings {
    int math_type;
};

int cudnn_create(void **descriptor) {
    if (!descriptor) return cudnn_status(BAD_PARAM);
    *descriptor = calloc(1, sizeof(struct settings));
    return cudnn_status(*descriptor ? SUCCESS : ALLOC_FAILED);
}

int cudnn_destroy(void *descriptor) {
    free(descriptor);
    return cudnn_status(SUCCESS);
}

int cudnn_set(void *descriptor) {
    (void)descriptor;
    return cudnn_status(SUCCESS);
}

EXPORT int cudnnSetConvolutionMathType(struct settings *convolution, int math_type) {
    if (!convolution) return cudnn_status(BAD_PARAM);
    convolution->math_type = math_type;
    return cudnn_status(SUCCESS);
}

EXPORT int cudnnGetConvolutionMathType(const struct settings *convolution, int *math_type) {
    if (!convolution || !math_type) return cudnn_status(BAD_PARAM);
    *math_type = convolution->math_type;
    return cudnn_status(SUCCESS);
}

/* Kernels don't run, so none fails later. */
EXPORT int cudnnQueryRuntimeError(cudnnHandle_t handle, int *status, int mode, void *tag) {
    (void)mode, (void)tag;
    if (!handle || !status) return cudnn_status(BAD_PARAM);
    *status = cudnn_status(SUCCESS);
    return cudnn_status(SUCCESS);
}

EXPORT const char *cudnnGetErrorString(int status) {
    static const char *const names[] = {
        [SUCCESS] = "CUDNN_STATUS_SUCCESS",
        [NOT_INITIALIZED] = "CUDNN_STATUS_NOT_INITIALIZED",
        [ALLOC_FAILED] = "CUDNN_STATUS_ALLOC_FAILED",
        [BAD_PARAM] = "CUDNN_STATUS_BAD_PARAM",
        [EXECUTION_FAILED] = "CUDNN_STATUS_EXECUTION_FAILED",
        [NOT_SUPPORTED] = "CUDNN_STATUS_NOT_SUPPORTED",
    };
    for (enum status i = SUCCESS; i <= NOT_SUPPORTED; i++)
        if (cudnn_status(i) == status) return names[i];
    return "CUDNN_UNKNOWN_STATUS";
}

EXPORT void cudnnGetLastErrorString(char *message, size_t size) {
    if (message && size) snprintf(message, size, "no more is known than the status");
}
