/* A function that the simulator doesn't have, or a part of one, was asked for. */
#ifndef TF1MEM_DRIVER_UNSUPPORTED_H
#define TF1MEM_DRIVER_UNSUPPORTED_H

#include "api.h"

/* Writes an "unsupported" line to the trace, once for each process and place.
 *
 * told: static, zero at first, one for each function.
 * library: "driver", "runtime" or "nvml".
 * function: its name, and in brackets what of it is not supported where that is not all.
 */
DRIVER_API void sim_unsupported(int *told, const char *library, const char *function);

/* For a part of one of the driver's own functions. what: such as "cuMemcpy2D (arrays)". CUDA_ERROR_NOT_SUPPORTED. */
CUresult unsupported_part(const char *what);

#endif
