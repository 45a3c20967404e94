/* Streams, as other sources need them. */
#ifndef TF1MEM_DRIVER_STREAMS_H
#define TF1MEM_DRIVER_STREAMS_H

#include "driver/core/contexts.h"
#include "work.h"

/* The queue of a stream, or of the current context's default stream for CU_STREAM_LEGACY (NULL or 1) and
 * CU_STREAM_PER_THREAD (2, which is taken for the same: its order is then stricter than it need be).
 *
 * Says what context_current says; CUDA_ERROR_INVALID_HANDLE for what is no stream; CUDA_ERROR_CONTEXT_IS_DESTROYED.
 */
CUresult stream_queue(CUstream stream, struct queue **queue, struct context **context);

#endif
