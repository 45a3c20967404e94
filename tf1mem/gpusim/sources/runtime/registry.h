/* The kernels of the program: nvcc has it register each one, by the address of a host function, before main. */
#ifndef RUNTIME_REGISTRY_H
#define RUNTIME_REGISTRY_H

#include "runtime.h"

/* The driver's function for a registered kernel, on the device of the current context. Its binary is loaded there at
 * the first use, as the runtime does by default from CUDA 11.7 on. */
CUresult kernel_function(CUfunction *function, const void *host_function);

/* A device was reset: what was loaded on it is gone. */
void kernels_gone(CUdevice device);

#endif
