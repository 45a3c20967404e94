/* The stack of contexts of each thread. */
#ifndef TF1MEM_DRIVER_CURRENT_H
#define TF1MEM_DRIVER_CURRENT_H

#include "api.h"

struct context;

CUresult current_push(struct context *context);
struct context *current_pop(void); /* NULL: there was none */
struct context *current_top(void); /* NULL: there is none */
CUresult current_replace(struct context *context);

#endif
