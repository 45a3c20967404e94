/* Captures: writing down into a graph what would be enqueued in streams. */
#ifndef TF1MEM_DRIVER_CAPTURES_H
#define TF1MEM_DRIVER_CAPTURES_H

#include "graphs.h"
#include "driver/work/streams.h"

/* Adds to the graph what `enqueue` enqueues in the stream that it is given. */
CUresult capture_one(struct graph *graph, CUresult (*enqueue)(const void *what, CUstream stream), const void *what);

#endif
