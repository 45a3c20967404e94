/* The simulated libcublas: it creates handles, and reports matrix products to the driver as launches (launch.h). */
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

/* The implementation of every function that symbols/cublas.txt marks "launch": it reads only their first argument, the
 * handle. */
cublasStatus_t cublas_launch(cublasHandle_t handle);

#endif
