/* Values: TensorFlow's CPU kernels compute for the simulated GPUs (sources/values/), if the library for that is
 * built. */
#ifndef TF1MEM_DRIVER_VALUES_H
#define TF1MEM_DRIVER_VALUES_H

/* Reports a launch by this thread on a GPU (its number on the machine). */
void values_launched(int gpu);

#endif
