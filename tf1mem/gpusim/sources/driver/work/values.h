/* Values: TensorFlow's CPU kernels compute for the simulated GPUs (sources/values/), if the library for that is
 * built. */
#ifndef TF1MEM_DRIVER_VALUES_H
#define TF1MEM_DRIVER_VALUES_H

#include <stdbool.h>

/* Returns true if TF1MEM_SIM_NO_VALUES is set: of the GPUs' memory only shapes and counters have their real content. */
bool values_left_out(void);

/* Reports a launch by this thread on a GPU (its number on the machine). */
void values_launched(int gpu);

#endif
