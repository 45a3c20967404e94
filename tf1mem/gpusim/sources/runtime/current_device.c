/* The current device of each thread, and its primary context. */
#include "current_device.h"

#include <pthread.h>

enum { MAX_DEVICES = 16 };

__thread int thread_device;
static CUcontext primary_contexts[MAX_DEVICES];
static pthread_mutex_t primary_lock = PTHREAD_MUTEX_INITIALIZER;

CUresult enter_driver(void) {
    return cuInit(0);
}

CUresult primary_context(CUcontext *context, int ordinal) {
    CUdevice device;
    CUresult result = cuDeviceGet(&device, ordinal);
    if (result) return result;
    pthread_mutex_lock(&primary_lock);
    if (!primary_contexts[ordinal]) result = cuDevicePrimaryCtxRetain(&primary_contexts[ordinal], device);
    *context = primary_contexts[ordinal];
    pthread_mutex_unlock(&primary_lock);
    return result;
}

void forget_primary_context(int ordinal) {
    pthread_mutex_lock(&primary_lock);
    primary_contexts[ordinal] = 0;
    pthread_mutex_unlock(&primary_lock);
}

CUresult enter_device(void) {
    CUcontext context;
    CUdevice device;
    CUresult result = enter_driver();
    if (!result) result = cuCtxGetCurrent(&context);
    if (result) return result;
    /* A context that a reset destroyed isn't used again: the device starts anew. */
    if (context && cuCtxGetDevice(&device) != CUDA_ERROR_CONTEXT_IS_DESTROYED) return CUDA_SUCCESS;
    result = primary_context(&context, thread_device);
    return result ? result : cuCtxSetCurrent(context);
}
