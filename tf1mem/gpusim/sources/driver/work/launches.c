/* Launches. No kernel is run: each launch is counted, and its outputs exist only if values.c has them computed. */
#include "driver/memory/accounts.h"
#include "driver/core/devices.h"
#include "duration.h"
#include "modules.h"
#include "streams.h"
#include "values.h"

struct shape {
    unsigned grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes;
};

static bool fits(const struct shape *shape, int gpu) {
    uint64_t threads = (uint64_t)shape->block_x * shape->block_y * shape->block_z;
    return shape->grid_x && shape->grid_y && shape->grid_z && threads && shape->block_x <= MAX_BLOCK_X &&
           shape->block_y <= MAX_BLOCK_Y && shape->block_z <= MAX_BLOCK_Z && shape->grid_x <= MAX_GRID_X &&
           shape->grid_y <= MAX_GRID_Y && shape->grid_z <= MAX_GRID_Z && threads <= MAX_THREADS_PER_BLOCK &&
           shape->shared_bytes <= (unsigned)device_generation(gpu)->shared_per_block;
}

static void run(void *gpu) {
    account_launch(*(int *)gpu);
}

static const struct work_kind launching = {run, NODE_KERNEL, false};

/* Counts a launch. valid: false if the caller's other arguments are wrong, which is reported only after errors of the
 * stream and the function. */
static CUresult launch(CUfunction function, struct shape shape, CUstream stream, bool valid) {
    struct queue *queue;
    struct context *context;
    CUresult result = stream_queue(stream, &queue, &context);
    if (result == CUDA_SUCCESS) result = function_check(function);
    if (result != CUDA_SUCCESS) return result;
    if (!valid || !fits(&shape, context->gpu)) return CUDA_ERROR_INVALID_VALUE;
    values_launched(context->gpu);
    return work_submit(queue, &launching, &context->gpu, sizeof context->gpu);
}

DRIVER_API CUresult cuLaunchKernel(
    CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
    unsigned block_z, unsigned shared_bytes, CUstream stream, void **parameters, void **extra
) {
    struct shape shape = {grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes};
    /* A launch passes the kernel's arguments by `parameters` or by `extra`, not by both. */
    return launch(function, shape, stream, !(parameters && extra));
}

DRIVER_API CUresult cuLaunchKernelEx(const CUlaunchConfig *c, CUfunction function, void **parameters, void **extra) {
    if (!c) return launch(function, (struct shape){0}, NULL, false);
    struct shape shape = {c->gridDimX,  c->gridDimY,  c->gridDimZ,      c->blockDimX,
                          c->blockDimY, c->blockDimZ, c->sharedMemBytes};
    return launch(function, shape, c->hStream, !(parameters && extra) && (c->attrs || !c->numAttrs));
}

DRIVER_API CUresult cuLaunchCooperativeKernel(
    CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
    unsigned block_z, unsigned shared_bytes, CUstream stream, void **parameters
) {
    (void)parameters;
    struct shape shape = {grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes};
    return launch(function, shape, stream, true);
}

DRIVER_API CUresult sim_launch_takes(CUstream stream, double seconds) {
    struct queue *queue;
    struct context *context;
    CUresult result = stream_queue(stream, &queue, &context);
    return result == CUDA_SUCCESS ? queue_takes(queue, seconds) : result;
}
