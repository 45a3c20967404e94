/* cuDNN's version and status numbers. The build compiles this file once for each soname, with its SIM_VERSION. */
#include "cudnn.h"

EXPORT size_t cudnnGetVersion(void) {
    return SIM_VERSION;
}

/* major, minor, patch: 8907 is 8.9.7, and 91002 is 9.10.2 */
EXPORT int cudnnGetProperty(int part, int *value) {
    enum { MAJOR = SIM_VERSION >= 90000 ? 10000 : 1000 };
    if (!value || part < 0 || part > 2) return cudnn_status(BAD_PARAM);
    *value = part == 0 ? SIM_VERSION / MAJOR : part == 1 ? SIM_VERSION % MAJOR / 100 : SIM_VERSION % 100;
    return cudnn_status(SUCCESS);
}

/* The numbers of cuDNN 8 and, from 9.0 on, of cuDNN 9. */
int cudnn_status(enum status status) {
    static const int numbers[] = {
        [SUCCESS] = 0,
        [NOT_INITIALIZED] = SIM_VERSION >= 90000 ? 1001 : 1,
        [ALLOC_FAILED] = SIM_VERSION >= 90000 ? 4003 : 2, /* 9: CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED */
        [BAD_PARAM] = SIM_VERSION >= 90000 ? 2000 : 3,
        [EXECUTION_FAILED] = SIM_VERSION >= 90000 ? 5000 : 8,
        [NOT_SUPPORTED] = SIM_VERSION >= 90000 ? 3000 : 9,
    };
    return numbers[status];
}
