/* libcusparse's texts for its statuses; it has nothing else. */
#include "driver/core/api.h"

DRIVER_API const char *cusparseGetErrorName(int status) {
    return status == 0 ? "CUSPARSE_STATUS_SUCCESS" : status == 10 ? "CUSPARSE_STATUS_NOT_SUPPORTED" : "unknown";
}

DRIVER_API const char *cusparseGetErrorString(int status) {
    return status == 0 ? "success" : status == 10 ? "operation not supported" : "unknown";
}
