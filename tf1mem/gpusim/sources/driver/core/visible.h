/* Which of the machine's GPUs a process sees, and in which order: CUDA_VISIBLE_DEVICES. */
#ifndef TF1MEM_DRIVER_VISIBLE_H
#define TF1MEM_DRIVER_VISIBLE_H

#include "machine.h"

struct visible {
    int count;
    int gpus[MACHINE_GPUS]; /* ordinal in the process -> the GPU's number on the machine */
};

/* text: the variable's value, or NULL where it is not set. */
struct visible visible_gpus(const struct machine *machine, const char *text);

#endif
