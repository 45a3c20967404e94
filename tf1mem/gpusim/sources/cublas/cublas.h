/* libcublas: handles, and products that aren't computed. */
#ifndef CUBLAS_H
#define CUBLAS_H

#include "math/launch.h"

typedef enum {
    CUBLAS_STATUS_SUCCESS = 0,
    CUBLAS_STATUS_NOT_INITIALIZED = 1,
    CUBLAS_STATUS_ALLOC_FAILED = 3,
    CUBLAS_STATUS_INVALID_VALUE = 7,
    CUBLAS_STATUS_EXECUTION_FAILED = 13,
    CUBLAS_STATUS_INTERNAL_ERROR = 14,
    CUBLAS_STATUS_NOT_SUPPORTED = 15,
} cublasStatus_t;

typedef struct cublas *cublasHandle_t;

/* The function behind each name marked "launch" in symbols/cublas.txt; their first argument is the handle. */
cublasStatus_t cublas_launch(cublasHandle_t handle);

#endif
