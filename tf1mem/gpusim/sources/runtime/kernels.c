/* Kernel launches. The driver counts them, and runs none. */
#include "registry.h"

#include <string.h>

struct call {
    dim3 grid;
    dim3 block;
    size_t shared_bytes;
    cudaStream_t stream;
};

enum { NESTED_CALLS = 16 };

/* f<<<grid, block, shared, stream>>>(...) pushes its configuration, and the host function of f pops it. */
static __thread struct call calls[NESTED_CALLS];
static __thread int call_count;

EXPORT unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes, cudaStream_t stream) {
    if (call_count == NESTED_CALLS) return answer(CUDA_ERROR_OUT_OF_MEMORY);
    calls[call_count++] = (struct call){grid, block, shared_bytes, stream};
    return 0;
}

EXPORT cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared_bytes, cudaStream_t *stream) {
    if (!call_count) return answer(cudaErrorMissingConfiguration);
    const struct call *call = &calls[--call_count];
    *grid = call->grid;
    *block = call->block;
    *shared_bytes = call->shared_bytes;
    *stream = call->stream;
    return answer(CUDA_SUCCESS);
}

EXPORT cudaError_t cudaLaunchKernel(
    const void *host_function, dim3 grid, dim3 block, void **parameters, size_t shared_bytes, cudaStream_t stream
) {
    CUfunction function;
    CUresult result = kernel_function(&function, host_function);
    return answer(
        result ? result
               : cuLaunchKernel(
                     function, grid.x, grid.y, grid.z, block.x, block.y, block.z, (unsigned)shared_bytes, stream,
                     parameters, 0
                 )
    );
}

EXPORT cudaError_t cudaLaunchCooperativeKernel(
    const void *host_function, dim3 grid, dim3 block, void **parameters, size_t shared_bytes, cudaStream_t stream
) {
    CUfunction function;
    CUresult result = kernel_function(&function, host_function);
    return answer(
        result ? result
               : cuLaunchCooperativeKernel(
                     function, grid.x, grid.y, grid.z, block.x, block.y, block.z, (unsigned)shared_bytes, stream,
                     parameters
                 )
    );
}

struct launch_config { /* cudaLaunchConfig_t */
    dim3 grid;
    dim3 block;
    size_t shared_bytes;
    cudaStream_t stream;
    void *attributes;
    unsigned attribute_count;
};

EXPORT cudaError_t
cudaLaunchKernelExC(const struct launch_config *config, const void *host_function, void **parameters) {
    CUfunction function;
    if (!config) return answer(CUDA_ERROR_INVALID_VALUE);
    CUresult result = kernel_function(&function, host_function);
    if (result) return answer(result);
    CUlaunchConfig driver_config = {
        config->grid.x,
        config->grid.y,
        config->grid.z,
        config->block.x,
        config->block.y,
        config->block.z,
        (unsigned)config->shared_bytes,
        config->stream,
        config->attributes,
        config->attribute_count,
    };
    return answer(cuLaunchKernelEx(&driver_config, function, parameters, 0));
}

EXPORT cudaError_t cudaGetFuncBySymbol(CUfunction *function, const void *host_function) {
    if (!function) return answer(CUDA_ERROR_INVALID_VALUE);
    return answer(kernel_function(function, host_function));
}

struct function_attributes { /* cudaFuncAttributes; the other fields are from CUDA 12 */
    size_t shared_bytes;
    size_t constant_bytes;
    size_t local_bytes;
    int threads_per_block;
    int registers;
    int ptx_version;
    int binary_version;
    int cache_mode;
    int dynamic_shared_bytes;
    int carveout;
    int cluster[6];
    int reserved[16];
};

EXPORT cudaError_t cudaFuncGetAttributes(struct function_attributes *attributes, const void *host_function) {
    CUfunction function;
    int values[10]; /* by CUfunction_attribute */
    if (!attributes) return answer(CUDA_ERROR_INVALID_VALUE);
    CUresult result = kernel_function(&function, host_function);
    for (int i = 0; !result && i < 10; i++) result = cuFuncGetAttribute(&values[i], i, function);
    if (result) return answer(result);
    memset(attributes, 0, runtime_version < 12000 ? offsetof(struct function_attributes, cluster) : sizeof *attributes);
    attributes->threads_per_block = values[0];
    attributes->shared_bytes = values[1];
    attributes->constant_bytes = values[2];
    attributes->local_bytes = values[3];
    attributes->registers = values[4];
    attributes->ptx_version = values[5];
    attributes->binary_version = values[6];
    attributes->cache_mode = values[7];
    attributes->dynamic_shared_bytes = values[8];
    attributes->carveout = values[9];
    return answer(CUDA_SUCCESS);
}

EXPORT cudaError_t cudaFuncSetAttribute(const void *host_function, int attribute, int value) {
    CUfunction function;
    CUresult result = kernel_function(&function, host_function);
    return answer(result ? result : cuFuncSetAttribute(function, attribute, value));
}

EXPORT cudaError_t cudaFuncSetCacheConfig(const void *host_function, int config) {
    CUfunction function;
    CUresult result = kernel_function(&function, host_function);
    return answer(result ? result : cuFuncSetCacheConfig(function, config));
}

EXPORT cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, const void *host_function, int block_size, size_t shared_bytes, unsigned flags
) {
    CUfunction function;
    CUresult result = kernel_function(&function, host_function);
    return answer(
        result ? result
               : cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, block_size, shared_bytes, flags)
    );
}

EXPORT cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(
    int *blocks, const void *host_function, int block_size, size_t shared_bytes
) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, host_function, block_size, shared_bytes, 0);
}
