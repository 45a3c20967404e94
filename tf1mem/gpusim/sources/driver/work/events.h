/* The functions of events that other sources call. */
#ifndef TF1MEM_DRIVER_EVENTS_H
#define TF1MEM_DRIVER_EVENTS_H

#include "driver/core/api.h"

struct context;
struct graph;
struct point;

/* Returns the point where an event was last recorded, which the caller releases; NULL if it never was.
 * CUDA_ERROR_INVALID_HANDLE if it isn't an event. */
CUresult event_point(CUevent event, struct point **point);
/* Returns the capture in which an event was last recorded, if it is still going on in the context; else NULL. */
CUresult event_capture(CUevent event, struct context *context, struct graph **graph, uint64_t *capture);

#endif
