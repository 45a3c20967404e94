/* Modules and their functions. No code is read from a module's image, only the headers of a fatbin, which name the GPUs
 * that it has code for. So any name that a program looks up in a module is a function. */
#ifndef TF1MEM_DRIVER_MODULES_H
#define TF1MEM_DRIVER_MODULES_H

#include "driver/core/contexts.h"

struct function {
    struct function *next; /* of its module */
    struct module *module;
    int settings[16]; /* by CUfunction_attribute, for those that can be set */
    char name[];
};

/* Returns CUDA_ERROR_INVALID_HANDLE if it isn't a function. */
CUresult function_check(CUfunction function);

#endif
