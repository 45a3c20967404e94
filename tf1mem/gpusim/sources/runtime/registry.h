/* The kernels of the program: nvcc registers each one, by the address of a host function, before main. */
#ifndef RUNTIME_REGISTRY_H
#define RUNTIME_REGISTRY_H

#include "runtime.h"

/* Returns the driver's function for a registered kernel, on the device of the current context. Its binary is loaded
 * there at the first use, like the runtime's default from CUDA 11.7 on. */
CUresult kernel_function(CUfunction *function, const void *host_function);

/* Drops everything that was loaded on a device, which was reset. */
void kernels_drop(CUdevice device);

#endif
