/* The common part of the runtime's files. The runtime has no memory, streams or devices of its own: each call is one
 * or two of the driver's, with the status in the runtime's numbers. */
#ifndef RUNTIME_H
#define RUNTIME_H

#include "driver/core/api.h"

#define EXPORT DRIVER_API

/* errors.c knows where the numbers of CUDA 10.0 differ from the driver's. */
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

/* Returns the runtime's number for a driver's status, or for one of the errors above. */
cudaError_t runtime_error(int result);

/* Returns that number and stores it for cudaGetLastError; every exported function ends with this. */
cudaError_t answer(int result);

/* Makes the primary context of the thread's device current unless a context is; every call that needs one does this. */
CUresult enter_device(void);

/* Initialises the driver; every call does this. */
CUresult enter_driver(void);

#endif
