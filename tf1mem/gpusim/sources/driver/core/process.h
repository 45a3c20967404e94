/* This process as the driver knows it: from cuInit to its end. */
#ifndef TF1MEM_DRIVER_PROCESS_H
#define TF1MEM_DRIVER_PROCESS_H

#include "api.h"
#include "sharing.h"
#include "visible.h"

struct process {
    struct machine *machine;
    struct machine_process *record;
    struct visible visible;
};

/* Set by cuInit. */
extern struct process process;

/* Has a function called by cuInit, once it has found a GPU. One is kept. */
void process_at_start(void (*function)(void));

/* The same at the end of a process that cuInit has found a GPU for. */
void process_at_end(void (*function)(void));

/* CUDA_SUCCESS once cuInit was; CUDA_ERROR_NOT_INITIALIZED before it and in a forked child; CUDA_ERROR_DEINITIALIZED at
 * the end. */
CUresult process_ready(void);

/* As process_ready, and CUDA_ERROR_INVALID_DEVICE for an ordinal that is not visible. gpu: the GPU's number on the
 * machine. */
CUresult process_gpu(CUdevice device, int *gpu);

#endif
