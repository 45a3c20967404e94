/* Captures: recording into a graph what a program enqueues in streams. */
#ifndef TF1MEM_DRIVER_CAPTURES_H
#define TF1MEM_DRIVER_CAPTURES_H

#include "graphs.h"
#include "driver/work/streams.h"

/* Adds to the graph what `enqueue` enqueues in the stream that is passed to it. */
CUresult capture_one(struct graph *graph, CUresult (*enqueue)(const void *what, CUstream stream), const void *what);

#endif
