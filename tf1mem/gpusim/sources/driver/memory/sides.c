/* Checks the memory that a copy or a set reads or writes. */
#include "sides.h"

#include "allocations.h"

CUresult side_check(enum side side, uintptr_t address, size_t bytes, bool *pageable) {
    struct allocation allocation;
    *pageable = false;
    if (!address || address + bytes < address) return CUDA_ERROR_INVALID_VALUE;
    if (side != SIDE_DEVICE && !allocations_find(address, &allocation)) {
        *pageable = true;
        return CUDA_SUCCESS;
    }
    /* A side on the host may extend beyond its registered part. */
    if (allocations_hold(address, bytes)) return CUDA_SUCCESS;
    *pageable = true;
    return side == SIDE_HOST ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
