/* What the math libraries share. They compute nothing: each computation goes to the driver as a kernel's launch. */
#ifndef MATH_LAUNCH_H
#define MATH_LAUNCH_H

#include "driver/core/api.h"

#define EXPORT DRIVER_API

/* Makes a device current where none is, as the libraries do when a program makes a handle. */
CUresult math_enter(void);

/* Launches one kernel in a stream, for the driver to count. */
CUresult math_launch(CUstream stream);

#endif
