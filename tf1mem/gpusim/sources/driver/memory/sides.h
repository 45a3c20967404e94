/* Checks the two sides of a copy, and the target of a set: that the memory exists, and who owns it. */
#ifndef TF1MEM_DRIVER_SIDES_H
#define TF1MEM_DRIVER_SIDES_H

#include "driver/core/api.h"

enum side {
    SIDE_DEVICE,  /* every byte must be known to the driver: device, managed, or pinned host memory */
    SIDE_HOST,    /* the program's memory */
    SIDE_UNIFIED, /* either: memory unknown to the driver is the program's */
};

/* Returns CUDA_ERROR_INVALID_VALUE if the memory isn't valid for the side. pageable: set to true if the memory is the
 * program's own and not pinned. */
CUresult side_check(enum side side, uintptr_t address, size_t bytes, bool *pageable);

#endif
