/* Reports calls of functions, or parts of them, that the simulator lacks. */
#ifndef TF1MEM_DRIVER_UNSUPPORTED_H
#define TF1MEM_DRIVER_UNSUPPORTED_H

#include "api.h"

/* Writes an "unsupported" line to the trace, once for each process and place.
 *
 * reported: a static variable for each function, zero at first. library: its name, such as "driver". function: the
 * function's name, with the unsupported part in brackets unless all of it is unsupported.
 */
DRIVER_API void sim_unsupported(int *reported, const char *library, const char *function);

/* Writes the line for an unsupported part of one of the driver's own functions. what: such as "cuMemcpy2D (arrays)".
 * Returns CUDA_ERROR_NOT_SUPPORTED. */
CUresult unsupported_part(const char *what);

#endif
