/* The capabilities of the simulated GPUs: figures of real cards, by compute capability. */
#ifndef TF1MEM_DRIVER_DEVICES_H
#define TF1MEM_DRIVER_DEVICES_H

#include "api.h"

/* The figures of a compute capability, which differ between generations of cards. */
struct generation {
    int major, minor;
    int multiprocessors;
    int threads_per_multiprocessor, blocks_per_multiprocessor;
    int shared_per_multiprocessor, shared_per_block; /* in bytes; the second is the most that a kernel can request */
    int clock_khz, memory_clock_khz, memory_bus_bits, l2_bytes;
    int single_to_double; /* the ratio of operations per second in float32 to those in float64 */
};

/* Limits of all generations; sizes are in bytes. SHARED_PER_BLOCK: the shared memory of a block, unless its kernel has
 * requested more. */
enum {
    MAX_THREADS_PER_BLOCK = 1024,
    MAX_BLOCK_X = 1024,
    MAX_BLOCK_Y = 1024,
    MAX_BLOCK_Z = 64,
    MAX_GRID_X = 2147483647,
    MAX_GRID_Y = 65535,
    MAX_GRID_Z = 65535,
    SHARED_PER_BLOCK = 49152,
    REGISTERS_PER_BLOCK = 65536,
    CONSTANT_BYTES = 65536,
    TEXTURE_ALIGNMENT = 512,
    WARP = 32,
};

/* Returns the figures of the GPU's compute capability; if the table lacks it, those of the newest one before it. gpu:
 * the GPU's number on the machine. */
const struct generation *device_generation(int gpu);

/* Returns the number of multiprocessors of the GPU. */
int device_multiprocessors(int gpu);

#endif
