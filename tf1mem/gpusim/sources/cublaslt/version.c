/* The cublasLt version: the build compiles this file once for each soname. */
#include "math/launch.h"

EXPORT size_t cublasLtGetVersion(void) {
    return SIM_VERSION;
}
