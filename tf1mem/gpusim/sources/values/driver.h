/* What the simulated driver offers to the library that computes (values.cc), which it loads: C, for both. */
#ifndef TF1MEM_VALUES_DRIVER_H
#define TF1MEM_VALUES_DRIVER_H

#include <stdint.h>

struct values_driver {
    /* How many kernels this thread has launched. */
    uint64_t (*launches)(void);
    /* Waits for all that streams have been given: copies and sets are then done. */
    void (*settle)(void);
    /* What this thread has launched beyond so many has been computed. */
    void (*computed)(uint64_t before);
    /* The values of a kind of op aren't computed, and why. */
    void (*not_computed)(const char *op, const char *why);
};

#endif
