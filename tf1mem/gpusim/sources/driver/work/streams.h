/* The functions of streams that other sources call. */
#ifndef TF1MEM_DRIVER_STREAMS_H
#define TF1MEM_DRIVER_STREAMS_H

#include "driver/core/contexts.h"
#include "work.h"

/* Returns the queue of a stream, or of the current context's default stream for CU_STREAM_LEGACY (NULL or 1) and
 * CU_STREAM_PER_THREAD (2, treated like 1, so that its order is stricter than necessary).
 *
 * Returns an error of context_current; CUDA_ERROR_INVALID_HANDLE if it isn't a stream;
 * CUDA_ERROR_CONTEXT_IS_DESTROYED.
 */
CUresult stream_queue(CUstream stream, struct queue **queue, struct context **context);

#endif
