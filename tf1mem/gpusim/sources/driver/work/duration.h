/* Lets the math libraries say how long a computation takes, which nothing here computes. */
#ifndef TF1MEM_DRIVER_DURATION_H
#define TF1MEM_DRIVER_DURATION_H

#include "driver/core/api.h"

/* Makes the work in a stream so far count as taking so much longer, for events in that stream that measure it. */
DRIVER_API CUresult sim_launch_takes(CUstream stream, double seconds);

#endif
