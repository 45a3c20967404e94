/* The driver's state in this process, from cuInit to the end of the process. */
#ifndef TF1MEM_DRIVER_PROCESS_H
#define TF1MEM_DRIVER_PROCESS_H

#include "api.h"
#include "sharing.h"
#include "visible.h"

struct process {
    struct machine *machine;        /* the mapped machine file */
    struct machine_process *record; /* this process's record in it */
    struct visible visible;         /* the GPUs that this process sees */
};

/* Set by cuInit. */
extern struct process process;

/* Registers a function that cuInit calls once it has found a GPU; it replaces an earlier one. */
void process_at_start(void (*function)(void));

/* Registers a function for the end of a process whose cuInit has found a GPU; it replaces an earlier one. */
void process_at_end(void (*function)(void));

/* Returns CUDA_SUCCESS after cuInit; CUDA_ERROR_NOT_INITIALIZED before it and in a forked child;
 * CUDA_ERROR_DEINITIALIZED at the end. */
CUresult process_ready(void);

/* Like process_ready, but CUDA_ERROR_INVALID_DEVICE for an ordinal that isn't visible. gpu: the GPU's number on the
 * machine. */
CUresult process_gpu(CUdevice device, int *gpu);

#endif
