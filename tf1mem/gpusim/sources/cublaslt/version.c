#include "math/launch.h"

EXPORT size_t cublasLtGetVersion(void) {
    return SIM_VERSION;
}
