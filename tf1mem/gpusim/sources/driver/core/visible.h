/* The GPUs of the machine that a process sees, in order, by CUDA_VISIBLE_DEVICES. */
#ifndef TF1MEM_DRIVER_VISIBLE_H
#define TF1MEM_DRIVER_VISIBLE_H

#include "machine.h"

struct visible {
    int count;
    int gpus[MACHINE_GPUS]; /* ordinal in the process -> the GPU's number on the machine */
};

/* Returns the visible GPUs. text: the value of CUDA_VISIBLE_DEVICES, or NULL if it isn't set. */
struct visible visible_gpus(const struct machine *machine, const char *text);

#endif
