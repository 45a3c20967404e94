/* The number of blocks that fit on a multiprocessor at once, as its limits on threads, blocks and shared memory allow.
 * The registers and the static shared memory that a kernel needs aren't known, and so don't count. */
#include "driver/core/devices.h"
#include "modules.h"

static int blocks_that_fit(const struct generation *generation, int threads, size_t shared_bytes) {
    if (shared_bytes > (size_t)generation->shared_per_block) return 0;
    int rounded = (threads + WARP - 1) / WARP * WARP;
    int blocks = generation->threads_per_multiprocessor / rounded;
    if (blocks > generation->blocks_per_multiprocessor) blocks = generation->blocks_per_multiprocessor;
    if (shared_bytes) {
        size_t by_shared = (size_t)generation->shared_per_multiprocessor / shared_bytes;
        if (by_shared < (size_t)blocks) blocks = (int)by_shared;
    }
    return blocks;
}

static CUresult check(CUfunction function, struct context **context) {
    CUresult result = context_current(context);
    return result == CUDA_SUCCESS ? function_check(function) : result;
}

DRIVER_API CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, CUfunction function, int threads, size_t shared_bytes, unsigned flags
) {
    struct context *context;
    CUresult result = check(function, &context);
    if (result != CUDA_SUCCESS) return result;
    if (!blocks || threads <= 0 || flags > 1) return CUDA_ERROR_INVALID_VALUE;
    *blocks =
        threads > MAX_THREADS_PER_BLOCK ? 0 : blocks_that_fit(device_generation(context->gpu), threads, shared_bytes);
    return CUDA_SUCCESS;
}

DRIVER_API CUresult
cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int threads, size_t shared_bytes) {
    return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared_bytes, 0);
}

DRIVER_API CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(
    int *grid, int *block, CUfunction function, size_t (*shared_of)(int threads), size_t shared_bytes, int limit,
    unsigned flags
) {
    struct context *context;
    CUresult result = check(function, &context);
    if (result != CUDA_SUCCESS) return result;
    if (!grid || !block || limit < 0 || flags > 1) return CUDA_ERROR_INVALID_VALUE;
    const struct generation *generation = device_generation(context->gpu);
    int most = limit && limit < MAX_THREADS_PER_BLOCK ? limit : MAX_THREADS_PER_BLOCK, best = 0;
    *grid = *block = 0;
    for (int threads = most; threads > 0; threads = (threads - 1) / WARP * WARP) {
        int blocks = blocks_that_fit(generation, threads, shared_of ? shared_of(threads) : shared_bytes);
        if (blocks * threads <= best) continue;
        best = blocks * threads;
        *block = threads;
        *grid = blocks * device_multiprocessors(context->gpu);
    }
    return CUDA_SUCCESS;
}

DRIVER_API CUresult cuOccupancyMaxPotentialBlockSize(
    int *grid, int *block, CUfunction function, size_t (*shared_of)(int threads), size_t shared_bytes, int limit
) {
    return cuOccupancyMaxPotentialBlockSizeWithFlags(grid, block, function, shared_of, shared_bytes, limit, 0);
}

DRIVER_API CUresult
cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, CUfunction function, int blocks, int threads) {
    struct context *context;
    CUresult result = check(function, &context);
    if (result != CUDA_SUCCESS) return result;
    if (!bytes || blocks <= 0 || threads <= 0 || threads > MAX_THREADS_PER_BLOCK) return CUDA_ERROR_INVALID_VALUE;
    const struct generation *generation = device_generation(context->gpu);
    if (blocks > blocks_that_fit(generation, threads, 0)) return CUDA_ERROR_INVALID_VALUE;
    size_t share = (size_t)(generation->shared_per_multiprocessor / blocks);
    *bytes = share < (size_t)generation->shared_per_block ? share : (size_t)generation->shared_per_block;
    return CUDA_SUCCESS;
}
