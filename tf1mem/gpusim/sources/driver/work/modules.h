/* Modules and their functions. Of an image only a fatbin's headers are read, which say for which GPUs it has code: a
 * module has every function that a program looks up. */
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
