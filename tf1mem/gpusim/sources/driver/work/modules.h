/* Modules and the functions in them. Images are not read: a module has every function that it is asked for. */
#ifndef TF1MEM_DRIVER_MODULES_H
#define TF1MEM_DRIVER_MODULES_H

#include "driver/core/contexts.h"

struct function {
    struct function *next; /* of its module */
    struct module *module;
    int settings[16]; /* by CUfunction_attribute, where they can be set */
    char name[];
};

/* CUDA_ERROR_INVALID_HANDLE for what is no function. */
CUresult function_check(CUfunction function);

#endif
