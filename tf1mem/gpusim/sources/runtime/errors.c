/* The runtime's errors: their numbers, their names, and the last error of each thread. */
#include "runtime.h"

static __thread cudaError_t last_error;

struct error {
    int number;        /* from CUDA 10.1 on: the driver's number, if the driver has that error */
    int number_10_0;   /* up to CUDA 10.0 */
    const char *name;
    const char *text;
};

/* driver_types.h of CUDA 10.0 and 12.5. */
static const struct error errors[] = {
    {0, 0, "cudaSuccess", "no error"},
    {1, 11, "cudaErrorInvalidValue", "invalid argument"},
    {2, 2, "cudaErrorMemoryAllocation", "out of memory"},
    {3, 3, "cudaErrorInitializationError", "initialization error"},
    {4, 29, "cudaErrorCudartUnloading", "driver shutting down"},
    {9, 9, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    {13, 13, "cudaErrorInvalidSymbol", "invalid device symbol"},
    {17, 17, "cudaErrorInvalidDevicePointer", "invalid device pointer"},
    {21, 21, "cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"},
    {35, 35, "cudaErrorInsufficientDriver", "CUDA driver version is insufficient for CUDA runtime version"},
    {49, 49, "cudaErrorIncompatibleDriverContext", "incompatible driver context"},
    {52, 1, "cudaErrorMissingConfiguration", "__global__ function call is not configured"},
    {98, 8, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {100, 38, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {101, 10, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {200, 47, "cudaErrorInvalidKernelImage", "device kernel image is invalid"},
    {201, 30, "cudaErrorDeviceUninitialized", "invalid device context"},
    {209, 48, "cudaErrorNoKernelImageForDevice", "no kernel image is available for execution on the device"},
    {215, 42, "cudaErrorUnsupportedLimit", "limit is not supported on this architecture"},
    {216, 54, "cudaErrorDeviceAlreadyInUse", "exclusive-thread device already in use by a different thread"},
    {217, 64, "cudaErrorPeerAccessUnsupported", "peer access is not supported between these two devices"},
    {304, 63, "cudaErrorOperatingSystem", "OS call failed or operation not supported on this OS"},
    {400, 33, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {401, 30, "cudaErrorIllegalState", "the operation cannot be performed in the present state"},
    {500, 13, "cudaErrorSymbolNotFound", "named symbol not found"},
    {600, 34, "cudaErrorNotReady", "device not ready"},
    {700, 77, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
    {701, 7, "cudaErrorLaunchOutOfResources", "too many resources requested for launch"},
    {704, 50, "cudaErrorPeerAccessAlreadyEnabled", "peer access is already enabled"},
    {705, 51, "cudaErrorPeerAccessNotEnabled", "peer access has not been enabled"},
    {708, 36, "cudaErrorSetOnActiveProcess", "cannot set while device is active in this process"},
    {709, 30, "cudaErrorContextIsDestroyed", "context is destroyed"},
    {712, 61, "cudaErrorHostMemoryAlreadyRegistered", "part or all of the requested memory range is already mapped"},
    {713, 62, "cudaErrorHostMemoryNotRegistered", "pointer does not correspond to a registered memory region"},
    {719, 4, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {800, 70, "cudaErrorNotPermitted", "operation not permitted"},
    {801, 71, "cudaErrorNotSupported", "operation not supported"},
    {900, 900, "cudaErrorStreamCaptureUnsupported", "operation not permitted when stream is capturing"},
    {999, 30, "cudaErrorUnknown", "unknown error"},
};
enum { ERRORS = sizeof errors / sizeof *errors };

static int is_old(void) {
    return runtime_version < 10010;
}

static const struct error *by_runtime_number(cudaError_t number) {
    const struct error *match = 0;
    for (int i = 0; i < ERRORS; i++) {
        /* If several share an old number, it has the first one's name; only 30 has the last: cudaErrorUnknown. */
        if ((is_old() ? errors[i].number_10_0 : errors[i].number) == number) {
            if (!match || number == 30) match = &errors[i];
        }
    }
    return match;
}

cudaError_t runtime_error(int result) {
    if (!is_old()) return result;
    for (int i = 0; i < ERRORS; i++)
        if (errors[i].number == result) return errors[i].number_10_0;
    return 30; /* cudaErrorUnknown */
}

cudaError_t answer(int result) {
    cudaError_t error = runtime_error(result);
    if (error) last_error = error;
    return error;
}

EXPORT cudaError_t cudaGetLastError(void) {
    cudaError_t error = last_error;
    last_error = 0;
    return error;
}

EXPORT cudaError_t cudaPeekAtLastError(void) {
    return last_error;
}

EXPORT const char *cudaGetErrorName(cudaError_t number) {
    const struct error *error = by_runtime_number(number);
    return error ? error->name : "unrecognized error code";
}

EXPORT const char *cudaGetErrorString(cudaError_t number) {
    const struct error *error = by_runtime_number(number);
    const char *text;
    if (error) return error->text;
    return !is_old() && !cuGetErrorString(number, &text) ? text : "unrecognized error code";
}
