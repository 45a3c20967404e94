/* cuGetErrorName and cuGetErrorString. */
#include "api.h"

DRIVER_API CUresult cuGetErrorName(CUresult error, const char **name) {
    if (!name) return CUDA_ERROR_INVALID_VALUE;
    switch (error) {
#define RESULT(result, number, text) \
    case result: *name = #result; return CUDA_SUCCESS;
        CUDA_RESULTS(RESULT)
#undef RESULT
    }
    *name = NULL;
    return CUDA_ERROR_INVALID_VALUE;
}

DRIVER_API CUresult cuGetErrorString(CUresult error, const char **words) {
    if (!words) return CUDA_ERROR_INVALID_VALUE;
    switch (error) {
#define RESULT(result, number, text) \
    case result: *words = text; return CUDA_SUCCESS;
        CUDA_RESULTS(RESULT)
#undef RESULT
    }
    *words = NULL;
    return CUDA_ERROR_INVALID_VALUE;
}
