/* What the files of the runtime share. The runtime keeps no memory, no streams and no devices of its own: each call is
 * one or two of the driver's, and its answer in the runtime's numbers. */
#ifndef RUNTIME_H
#define RUNTIME_H

#include "driver_api.h"

#define EXPORT DRIVER_API

/* Where the numbers of CUDA 10.0 differ from the driver's, errors.c knows. */
typedef int cudaError_t;
typedef CUstream cudaStream_t;
typedef CUevent cudaEvent_t;
typedef CUmemoryPool cudaMemPool_t;
typedef struct {
    unsigned x, y, z;
} dim3;

/* The runtime's own errors, which no call of the driver answers with. */
enum {
    cudaErrorInvalidSymbol = 13,
    cudaErrorInvalidMemcpyDirection = 21,
    cudaErrorMissingConfiguration = 52,
    cudaErrorInvalidDeviceFunction = 98,
};

/* CUDART_VERSION of the soname that is opened, as 11080 for 11.8: version.c is compiled once for each. */
extern const int runtime_version;

/* The runtime's number for a driver's answer, or for one of the errors above. */
cudaError_t runtime_error(int result);

/* The same, and remembered for cudaGetLastError. What every exported function ends with. */
cudaError_t answer(int result);

/* Makes the primary context of the thread's device current, unless a context is: what each call does that needs one. */
CUresult enter_device(void);

/* Initialises the driver: what every call does. */
CUresult enter_driver(void);

#endif
