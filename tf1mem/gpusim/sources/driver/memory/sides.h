/* The two sides of a copy, and what a set writes to: is the memory there, and whose is it? */
#ifndef TF1MEM_DRIVER_SIDES_H
#define TF1MEM_DRIVER_SIDES_H

#include "driver/core/api.h"

enum side {
    SIDE_DEVICE,  /* every byte must be known to the driver: of a device, managed, or pinned memory of the host */
    SIDE_HOST,    /* the program's memory */
    SIDE_UNIFIED, /* either: what the driver doesn't know is the program's */
};

/* CUDA_ERROR_INVALID_VALUE where the memory is not there. pageable: it is the program's, and not pinned. */
CUresult side_check(enum side side, uintptr_t address, size_t bytes, bool *pageable);

#endif
