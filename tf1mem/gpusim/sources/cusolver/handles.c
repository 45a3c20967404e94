/* libcusolver's handles: TensorFlow ends the process if it can't create a handle. The computations are missing: a GPU
 * kernel that calls one of them fails with an error. */
#include "math/launch.h"

#include <stdlib.h>

enum { SUCCESS = 0, NOT_INITIALIZED = 1, ALLOC_FAILED = 2, INVALID_VALUE = 3 };

struct solver {
    CUstream stream;
};

EXPORT int cusolverDnCreate(struct solver **handle) {
    if (!handle) return INVALID_VALUE;
    if (math_enter()) return NOT_INITIALIZED;
    *handle = calloc(1, sizeof **handle);
    return *handle ? SUCCESS : ALLOC_FAILED;
}

EXPORT int cusolverDnDestroy(struct solver *handle) {
    if (!handle) return NOT_INITIALIZED;
    free(handle);
    return SUCCESS;
}

EXPORT int cusolverDnSetStream(struct solver *handle, CUstream stream) {
    if (!handle) return NOT_INITIALIZED;
    handle->stream = stream;
    return SUCCESS;
}

EXPORT int cusolverDnGetStream(struct solver *handle, CUstream *stream) {
    if (!handle) return NOT_INITIALIZED;
    if (!stream) return INVALID_VALUE;
    *stream = handle->stream;
    return SUCCESS;
}
