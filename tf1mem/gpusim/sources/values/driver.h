/* What the simulated driver offers to the library that computes (values.cc), which it loads: C, for both. */
#ifndef TF1MEM_VALUES_DRIVER_H
#define TF1MEM_VALUES_DRIVER_H

#include <stdbool.h>
#include <stdint.h>

struct values_driver {
    /* How many kernels this thread has launched. */
    uint64_t (*launches)(void);
    /* Waits for all that streams have been given: copies and sets are then done. */
    void (*settle)(void);
    /* So many of the last launches of this thread have been computed. */
    void (*computed)(uint64_t launches);
    /* One launch of any thread's has been computed, into memory at this place. */
    void (*computed_at)(const void *place);
    /* The values of a kind of op aren't computed, and why. */
    void (*not_computed)(const char *op, const char *why);
    /* Whether a place is in memory that the driver has given out. */
    bool (*has)(const void *place);
    /* Whether values are computed, or shapes and counters alone. */
    bool values;
};

/* Told of each kind of op how many of its launches were computed, and how many not. */
typedef void values_each(const char *op, uint64_t computed, uint64_t not_computed);

#endif
