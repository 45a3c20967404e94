/* Lets the math libraries (cuBLAS, cuDNN) state how long a computation would take on the GPU. */
#ifndef TF1MEM_DRIVER_DURATION_H
#define TF1MEM_DRIVER_DURATION_H

#include "driver/core/api.h"

/* Adds seconds to the times of the events that are recorded in the stream from now on (queue_takes in work.h). */
DRIVER_API CUresult sim_launch_takes(CUstream stream, double seconds);

#endif
