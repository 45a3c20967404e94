/* The CUDA runtime's version: the build compiles this file once for each soname. */
#include "runtime.h"

const int runtime_version = SIM_VERSION;

EXPORT cudaError_t cudaRuntimeGetVersion(int *version) {
    if (!version) return answer(CUDA_ERROR_INVALID_VALUE);
    *version = runtime_version;
    return answer(CUDA_SUCCESS);
}
