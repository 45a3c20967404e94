/* The common part of the math libraries. They compute nothing: each computation is reported to the driver as a
 * launch. */
#ifndef MATH_LAUNCH_H
#define MATH_LAUNCH_H

#include "driver/core/api.h"

#define EXPORT DRIVER_API

/* Makes a device current if none is, like the real libraries when a program creates a handle. */
CUresult math_enter(void);

/* Launches one kernel in a stream, which the driver counts. */
CUresult math_launch(CUstream stream);

#endif
