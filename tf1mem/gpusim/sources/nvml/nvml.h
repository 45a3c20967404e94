/* The common part of libnvidia-ml.so.1's files. NVML shows the whole machine, regardless of CUDA_VISIBLE_DEVICES. */
#ifndef NVML_H
#define NVML_H

#include "driver/core/api.h"
#include "driver/core/sharing.h"

#define EXPORT DRIVER_API

typedef enum {
    NVML_SUCCESS = 0,
    NVML_ERROR_UNINITIALIZED = 1,
    NVML_ERROR_INVALID_ARGUMENT = 2,
    NVML_ERROR_NOT_SUPPORTED = 3,
    NVML_ERROR_NOT_FOUND = 6,
    NVML_ERROR_INSUFFICIENT_SIZE = 7,
    NVML_ERROR_DRIVER_NOT_LOADED = 9,
    NVML_ERROR_ARGUMENT_VERSION_MISMATCH = 25,
} nvmlReturn_t;

/* A device is a pointer to its record in the machine file. */
typedef struct machine_gpu *nvmlDevice_t;

/* Returns the machine, between nvmlInit and nvmlShutdown. */
nvmlReturn_t nvml_machine(struct machine **machine);

/* Checks a device that the program passed; returns its machine and, in gpu, its index. */
nvmlReturn_t nvml_device(nvmlDevice_t device, struct machine **machine, int *gpu);

/* Writes text to a program's buffer. */
nvmlReturn_t nvml_text(const char *text, char *buffer, unsigned length);

#endif
