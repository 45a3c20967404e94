/* Handles of cuBLAS, with their streams and settings. */
#include "cublas.h"

#include <stdlib.h>

struct cublas {
    CUstream stream;
    int pointer_mode;
    int atomics_mode;
    int math_mode;
    int multiprocessors;
};

cublasStatus_t cublas_launch(cublasHandle_t handle) {
    if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
    return math_launch(handle->stream) ? CUBLAS_STATUS_EXECUTION_FAILED : CUBLAS_STATUS_SUCCESS;
}

EXPORT cublasStatus_t cublasCreate_v2(cublasHandle_t *handle) {
    if (!handle) return CUBLAS_STATUS_INVALID_VALUE;
    if (math_enter()) return CUBLAS_STATUS_NOT_INITIALIZED;
    *handle = calloc(1, sizeof **handle);
    return *handle ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED;
}

EXPORT cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
    if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
    free(handle);
    return CUBLAS_STATUS_SUCCESS;
}

/* A setting of a handle, which a program may read back. */
#define SETTING(type, field, setter, getter)                           \
    EXPORT cublasStatus_t setter(cublasHandle_t handle, type value) {  \
        if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;             \
        handle->field = value;                                         \
        return CUBLAS_STATUS_SUCCESS;                                  \
    }                                                                  \
    EXPORT cublasStatus_t getter(cublasHandle_t handle, type *value) { \
        if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;             \
        if (!value) return CUBLAS_STATUS_INVALID_VALUE;                \
        *value = handle->field;                                        \
        return CUBLAS_STATUS_SUCCESS;                                  \
    }

SETTING(CUstream, stream, cublasSetStream_v2, cublasGetStream_v2)
SETTING(int, pointer_mode, cublasSetPointerMode_v2, cublasGetPointerMode_v2)
SETTING(int, atomics_mode, cublasSetAtomicsMode, cublasGetAtomicsMode)
SETTING(int, math_mode, cublasSetMathMode, cublasGetMathMode)
SETTING(int, multiprocessors, cublasSetSmCountTarget, cublasGetSmCountTarget)

/* Nothing is computed, so the workspace that a program passes isn't used. */
EXPORT cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace, size_t bytes) {
    (void)workspace, (void)bytes;
    return handle ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}

EXPORT const char *cublasGetStatusName(cublasStatus_t status) {
    switch (status) {
    case CUBLAS_STATUS_SUCCESS: return "CUBLAS_STATUS_SUCCESS";
    case CUBLAS_STATUS_NOT_INITIALIZED: return "CUBLAS_STATUS_NOT_INITIALIZED";
    case CUBLAS_STATUS_ALLOC_FAILED: return "CUBLAS_STATUS_ALLOC_FAILED";
    case CUBLAS_STATUS_INVALID_VALUE: return "CUBLAS_STATUS_INVALID_VALUE";
    case CUBLAS_STATUS_EXECUTION_FAILED: return "CUBLAS_STATUS_EXECUTION_FAILED";
    case CUBLAS_STATUS_INTERNAL_ERROR: return "CUBLAS_STATUS_INTERNAL_ERROR";
    case CUBLAS_STATUS_NOT_SUPPORTED: return "CUBLAS_STATUS_NOT_SUPPORTED";
    }
    return "CUBLAS_STATUS_UNKNOWN";
}

EXPORT const char *cublasGetStatusString(cublasStatus_t status) {
    return cublasGetStatusName(status);
}
