/* Memory that is allocated and freed in the order of a stream: cuMemAllocAsync and cuMemFreeAsync. */
#include "pools.h"

#include "driver/core/contexts.h"
#include "driver/core/handles.h"
#include "driver/core/unsupported.h"
#include "driver/work/streams.h"
#include "driver/work/work.h"

static CUresult captured_memory(void) {
    unsupported_part("cuMemAllocAsync, cuMemFreeAsync (captured into a graph)");
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

DRIVER_API CUresult cuMemAllocAsync(CUdeviceptr *address, size_t bytes, CUstream stream) {
    struct queue *queue;
    struct context *context;
    CUresult result = stream_queue(stream, &queue, &context);
    if (result != CUDA_SUCCESS) return result;
    if (!address || !bytes) return CUDA_ERROR_INVALID_VALUE;
    if (queue_captured(queue, NULL)) return captured_memory();
    struct pool *pool = pools_chosen(context->device);
    return pool ? pools_allocate(address, bytes, pool, "cuMemAllocAsync") : CUDA_ERROR_OUT_OF_MEMORY;
}

DRIVER_API CUresult cuMemAllocFromPoolAsync(CUdeviceptr *address, size_t bytes, CUmemoryPool pool, CUstream stream) {
    struct queue *queue;
    struct context *context;
    CUresult result = stream_queue(stream, &queue, &context);
    if (result != CUDA_SUCCESS) return result;
    if (!address || !bytes || !handle_is(pool, HANDLE_POOL)) return CUDA_ERROR_INVALID_VALUE;
    if (queue_captured(queue, NULL)) return captured_memory();
    return pools_allocate(address, bytes, pool, "cuMemAllocFromPoolAsync");
}

static void give_back_in_order(void *payload) {
    pools_give_back(payload, "cuMemFreeAsync");
}

static const struct work_kind giving_back = {give_back_in_order, NOT_IN_GRAPHS, false};

DRIVER_API CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
    struct queue *queue;
    struct context *context;
    CUresult result = stream_queue(stream, &queue, &context);
    if (result != CUDA_SUCCESS || !address) return result;
    if (queue_captured(queue, NULL)) return captured_memory();
    struct allocation freed;
    /* The address is removed now, so that a second free is an error. The bytes are freed when the stream gets here. */
    if (!allocations_take(address, 1u << ALLOCATION_POOL, &freed)) return CUDA_ERROR_INVALID_VALUE;
    return work_submit(queue, &giving_back, &freed, sizeof freed);
}
