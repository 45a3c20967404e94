/* The CUDA runtime's version: the build compiles this file once for each soname. */
#include "runtime.h"

const int runtime_version = SIM_VERSION;
