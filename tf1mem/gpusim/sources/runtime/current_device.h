/* The current device of each thread, and its primary context; runtime.h has the functions that make it current. */
#ifndef RUNTIME_CURRENT_DEVICE_H
#define RUNTIME_CURRENT_DEVICE_H

#include "runtime.h"

/* The ordinal that the thread set, 0 at first. */
extern __thread int thread_device;

/* Returns a device's primary context, of which the runtime holds one reference as long as the process lives. */
CUresult primary_context(CUcontext *context, int ordinal);

/* Drops a primary context, which a reset destroys. */
void forget_primary_context(int ordinal);

#endif
