/* The stack of contexts of each thread. Its top is the thread's current context. */
#ifndef TF1MEM_DRIVER_CURRENT_H
#define TF1MEM_DRIVER_CURRENT_H

#include "api.h"

struct context;

/* Returns CUDA_ERROR_OUT_OF_MEMORY if there is no memory for a larger stack. */
CUresult current_push(struct context *context);
/* Removes and returns the top, or returns NULL if the stack is empty. */
struct context *current_pop(void);
/* Returns the top, or NULL if the stack is empty. */
struct context *current_top(void);
/* Puts a context in the place of the top. NULL only removes the top. */
CUresult current_replace(struct context *context);

#endif
