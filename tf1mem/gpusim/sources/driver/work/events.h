/* Events, as other sources need them. */
#ifndef TF1MEM_DRIVER_EVENTS_H
#define TF1MEM_DRIVER_EVENTS_H

#include "driver/core/api.h"

struct context;
struct graph;
struct point;

/* Where an event was last recorded, for the caller to release; NULL where it never was. CUDA_ERROR_INVALID_HANDLE: it
 * is none. */
CUresult event_point(CUevent event, struct point **point);
/* The capture in which an event was last recorded, if that goes on in the context; NULL where it was not. */
CUresult event_capture(CUevent event, struct context *context, struct graph **graph, uint64_t *capture);

#endif
