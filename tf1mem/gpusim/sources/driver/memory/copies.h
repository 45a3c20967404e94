/* A copy of any shape, for all of the driver's functions that copy. */
#ifndef TF1MEM_DRIVER_COPIES_H
#define TF1MEM_DRIVER_COPIES_H

#include "sides.h"

/* The source or the target of a copy. */
struct place {
    enum side side;
    uintptr_t address; /* of the first byte */
    size_t pitch;      /* from one row to the next, in bytes */
    size_t slice;      /* from one plane to the next, in bytes */
};

struct extent {
    size_t width; /* in bytes */
    size_t height;
    size_t depth;
};

enum copy_order { COPY_SYNCHRONOUS, COPY_ASYNCHRONOUS };

/* Copies now, after everything in the default stream (COPY_SYNCHRONOUS), or in the order of a stream. */
CUresult copy_shape(struct place to, struct place from, struct extent extent, enum copy_order order, CUstream stream);

#endif
