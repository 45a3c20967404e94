/* The common part of the runtime's files. The runtime has no memory, streams or devices of its own: its functions call
 * the driver's, and return the status in the runtime's numbers. */
#ifndef RUNTIME_H
#define RUNTIME_H

#include "driver/core/api.h"

#define EXPORT DRIVER_API

/* The driver's numbers, except up to CUDA 10.0: errors.c has the numbers that differ. */
typedef int cudaError_t;
typedef CUstream cudaStream_t;
typedef CUevent cudaEvent_t;
typedef CUmemoryPool cudaMemPool_t;
typedef struct {
    unsigned x, y, z;
} dim3;

/* The runtime's own errors, which no driver call returns. */
enum {
    cudaErrorInvalidSymbol = 13,
    cudaErrorInvalidMemcpyDirection = 21,
    cudaErrorMissingConfiguration = 52,
    cudaErrorInvalidDeviceFunction = 98,
};

/* CUDART_VERSION of the opened soname, such as 11080 for 11.8: version.c is compiled once for each. */
extern const int runtime_version;

/* Returns the number that this version of the runtime has for a driver's status, or for one of the errors above. */
cudaError_t runtime_error(int result);

/* Returns runtime_error(result), and stores an error for cudaGetLastError. Functions with a status end with this. */
cudaError_t answer(int result);

/* Makes the primary context of the thread's device current, unless the thread has a live current context. Functions
 * that need a context begin with it. */
CUresult enter_device(void);

/* Initializes the driver, for functions that need no context. */
CUresult enter_driver(void);

#endif
