/* The copy of any shape, and the functions that copy a single row: cuMemcpyHtoD and similar. The bytes are really
 * copied: a device's memory is memory of this process. */
#include "copies.h"

#include "driver/work/streams.h"
#include "driver/work/work.h"

#include <stdlib.h>
#include <string.h>

struct copy {
    struct place to, from;
    struct extent extent;
    void *staged; /* a copy of the source's bytes, made when this copy was enqueued (`stage`); or NULL */
};

static void copy_rows(const struct copy *copy) {
    for (size_t z = 0; z < copy->extent.depth; z++) {
        for (size_t y = 0; y < copy->extent.height; y++) {
            memmove(
                (void *)(copy->to.address + z * copy->to.slice + y * copy->to.pitch),
                (const void *)(copy->from.address + z * copy->from.slice + y * copy->from.pitch), copy->extent.width
            );
        }
    }
}

static void run(void *payload) {
    struct copy *copy = payload;
    copy_rows(copy);
    free(copy->staged);
}

static const struct work_kind copying = {run, NODE_MEMCPY, false};

/* Stores the source's bytes, as the real driver does, since the program may overwrite them before the copy runs.
 * Returns false if there is no memory for them. */
static bool stage(struct copy *copy) {
    struct extent extent = copy->extent;
    copy->staged = malloc(extent.width * extent.height * extent.depth);
    if (!copy->staged) return false;
    struct place staged = {SIDE_HOST, (uintptr_t)copy->staged, extent.width, extent.width * extent.height};
    copy_rows(&(struct copy){.to = staged, .from = copy->from, .extent = extent});
    copy->from = staged;
    return true;
}

/* Computes the bytes from the first byte of a place to the last, with the gaps between rows. Returns false if they
 * exceed the address space. */
static bool span(const struct place *place, struct extent extent, size_t *bytes) {
    size_t rows, planes;
    return !__builtin_mul_overflow(place->pitch, extent.height - 1, &rows) &&
           !__builtin_mul_overflow(place->slice, extent.depth - 1, &planes) &&
           !__builtin_add_overflow(rows, planes, bytes) && !__builtin_add_overflow(*bytes, extent.width, bytes);
}

CUresult copy_shape(struct place to, struct place from, struct extent extent, enum copy_order order, CUstream stream) {
    struct queue *queue;
    struct context *context;
    CUresult result = stream_queue(order == COPY_SYNCHRONOUS ? NULL : stream, &queue, &context);
    if (result != CUDA_SUCCESS) return result;
    if (!extent.width || !extent.height || !extent.depth) return CUDA_SUCCESS;
    size_t to_bytes, from_bytes;
    bool to_pageable, from_pageable;
    if (!span(&to, extent, &to_bytes) || !span(&from, extent, &from_bytes)) return CUDA_ERROR_INVALID_VALUE;
    result = side_check(to.side, to.address, to_bytes, &to_pageable);
    if (result == CUDA_SUCCESS) result = side_check(from.side, from.address, from_bytes, &from_pageable);
    if (result != CUDA_SUCCESS) return result;

    struct copy copy = {to, from, extent, NULL};
    bool wait = order == COPY_SYNCHRONOUS || to_pageable || from_pageable;
    if (!wait) return work_submit(queue, &copying, &copy, sizeof copy);
    /* If only the source is pageable, its bytes are stored, and the program doesn't wait for the copy. */
    if (order == COPY_ASYNCHRONOUS && !to_pageable && !queue_captured(queue, NULL) && !queue_idle(queue) &&
        stage(&copy)) {
        result = work_submit(queue, &copying, &copy, sizeof copy);
        if (result != CUDA_SUCCESS) free(copy.staged);
        return result;
    }
    return work_submit_and_wait(queue, &copying, &copy, sizeof copy);
}

static CUresult copy_row(
    uintptr_t to, enum side to_side, uintptr_t from, enum side from_side, size_t bytes, enum copy_order order,
    CUstream stream
) {
    struct place target = {.side = to_side, .address = to}, source = {.side = from_side, .address = from};
    return copy_shape(target, source, (struct extent){bytes, 1, 1}, order, stream);
}

DRIVER_API CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
    return copy_row(to, SIDE_UNIFIED, from, SIDE_UNIFIED, bytes, COPY_SYNCHRONOUS, NULL);
}

DRIVER_API CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
    return copy_row(to, SIDE_UNIFIED, from, SIDE_UNIFIED, bytes, COPY_ASYNCHRONOUS, stream);
}

DRIVER_API CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes) {
    return copy_row(to, SIDE_DEVICE, (uintptr_t)from, SIDE_HOST, bytes, COPY_SYNCHRONOUS, NULL);
}

DRIVER_API CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes, CUstream stream) {
    return copy_row(to, SIDE_DEVICE, (uintptr_t)from, SIDE_HOST, bytes, COPY_ASYNCHRONOUS, stream);
}

DRIVER_API CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes) {
    return copy_row((uintptr_t)to, SIDE_HOST, from, SIDE_DEVICE, bytes, COPY_SYNCHRONOUS, NULL);
}

DRIVER_API CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, CUstream stream) {
    return copy_row((uintptr_t)to, SIDE_HOST, from, SIDE_DEVICE, bytes, COPY_ASYNCHRONOUS, stream);
}

DRIVER_API CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
    return copy_row(to, SIDE_DEVICE, from, SIDE_DEVICE, bytes, COPY_SYNCHRONOUS, NULL);
}

DRIVER_API CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
    return copy_row(to, SIDE_DEVICE, from, SIDE_DEVICE, bytes, COPY_ASYNCHRONOUS, stream);
}

static CUresult copy_between(
    CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t bytes, enum copy_order order,
    CUstream stream
) {
    struct context *current;
    CUresult result = context_current(&current);
    if (result == CUDA_SUCCESS) result = context_check(to_context);
    if (result == CUDA_SUCCESS) result = context_check(from_context);
    return result == CUDA_SUCCESS ? copy_row(to, SIDE_DEVICE, from, SIDE_DEVICE, bytes, order, stream) : result;
}

DRIVER_API CUresult
cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t bytes) {
    return copy_between(to, to_context, from, from_context, bytes, COPY_SYNCHRONOUS, NULL);
}

DRIVER_API CUresult cuMemcpyPeerAsync(
    CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t bytes, CUstream stream
) {
    return copy_between(to, to_context, from, from_context, bytes, COPY_ASYNCHRONOUS, stream);
}
