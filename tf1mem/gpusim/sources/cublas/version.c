/* The cuBLAS version: the build compiles this file once for each soname. */
#include "cublas.h"

EXPORT cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int *version) {
    if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!version) return CUBLAS_STATUS_INVALID_VALUE;
    *version = SIM_VERSION;
    return CUBLAS_STATUS_SUCCESS;
}

/* major, minor, patch: CUDA writes 12.5.3 as 120503, and 10.0.0 as 10000 */
EXPORT cublasStatus_t cublasGetProperty(int part, int *value) {
    static const int major = SIM_VERSION >= 100000 ? SIM_VERSION / 10000 : SIM_VERSION / 1000;
    if (!value || part < 0 || part > 2) return CUBLAS_STATUS_INVALID_VALUE;
    *value = part == 0 ? major : part == 1 ? SIM_VERSION / 100 % (SIM_VERSION >= 100000 ? 100 : 10) : SIM_VERSION % 100;
    return CUBLAS_STATUS_SUCCESS;
}

EXPORT size_t cublasGetCudartVersion(void) {
    return SIM_VERSION >= 100000 ? SIM_VERSION / 10000 * 1000 + SIM_VERSION / 100 % 100 * 10 : SIM_VERSION;
}
