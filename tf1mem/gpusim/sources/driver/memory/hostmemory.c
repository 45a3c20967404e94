/* Memory of the host that devices can access: pinned and registered. It takes none of a GPU's memory. */
#include "allocations.h"
#include "driver/core/contexts.h"
#include "driver/work/work.h"

static CUresult allocate(void **address, size_t bytes, unsigned flags) {
    struct context *context;
    CUresult result = context_current(&context);
    if (result != CUDA_SUCCESS) return result;
    if (!address || !bytes || flags > 7) return CUDA_ERROR_INVALID_VALUE;
    void *memory = allocations_map(bytes);
    if (!memory) return CUDA_ERROR_OUT_OF_MEMORY;
    result = allocations_add((struct allocation){
        .base = (uintptr_t)memory,
        .bytes = bytes,
        .type = ALLOCATION_HOST,
        .context = context,
        .device = context->device,
        .gpu = context->gpu,
        .flags = flags,
    });
    if (result != CUDA_SUCCESS) {
        allocations_unmap((uintptr_t)memory, bytes);
        return result;
    }
    *address = memory;
    return CUDA_SUCCESS;
}

DRIVER_API CUresult cuMemHostAlloc(void **address, size_t bytes, unsigned flags) {
    return allocate(address, bytes, flags);
}

DRIVER_API CUresult cuMemAllocHost_v2(void **address, size_t bytes) {
    return allocate(address, bytes, 0);
}

DRIVER_API CUresult cuMemFreeHost(void *address) {
    struct context *context;
    CUresult result = context_current(&context);
    if (result != CUDA_SUCCESS) return result;
    struct allocation allocation;
    if (!allocations_find((uintptr_t)address, &allocation)) return CUDA_ERROR_INVALID_VALUE;
    group_wait((allocation.context ? allocation.context : context)->group);
    if (!allocations_take((uintptr_t)address, 1u << ALLOCATION_HOST, &allocation)) return CUDA_ERROR_INVALID_VALUE;
    allocations_unmap(allocation.base, allocation.bytes);
    return CUDA_SUCCESS;
}

DRIVER_API CUresult cuMemHostRegister_v2(void *address, size_t bytes, unsigned flags) {
    struct context *context;
    CUresult result = context_current(&context);
    if (result != CUDA_SUCCESS) return result;
    if (!address || !bytes || flags > 0xf || (uintptr_t)address + bytes < bytes) return CUDA_ERROR_INVALID_VALUE;
    return allocations_add((struct allocation){
        .base = (uintptr_t)address,
        .bytes = bytes,
        .type = ALLOCATION_REGISTERED,
        .context = context,
        .device = context->device,
        .gpu = context->gpu,
        .flags = flags,
    });
}

DRIVER_API CUresult cuMemHostUnregister(void *address) {
    struct context *context;
    CUresult result = context_current(&context);
    if (result != CUDA_SUCCESS) return result;
    struct allocation allocation;
    if (!address) return CUDA_ERROR_INVALID_VALUE;
    return allocations_take((uintptr_t)address, 1u << ALLOCATION_REGISTERED, &allocation)
               ? CUDA_SUCCESS
               : CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
}

static CUresult find_host(void *address, struct allocation *allocation) {
    struct context *context;
    CUresult result = context_current(&context);
    if (result != CUDA_SUCCESS) return result;
    if (!allocations_find((uintptr_t)address, allocation)) return CUDA_ERROR_INVALID_VALUE;
    return allocation->type == ALLOCATION_HOST || allocation->type == ALLOCATION_REGISTERED ? CUDA_SUCCESS
                                                                                            : CUDA_ERROR_INVALID_VALUE;
}

/* With unified addressing, the device uses the host's own address. */
DRIVER_API CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *device_address, void *address, unsigned flags) {
    struct allocation allocation;
    CUresult result = find_host(address, &allocation);
    if (result != CUDA_SUCCESS) return result;
    if (!device_address || flags) return CUDA_ERROR_INVALID_VALUE;
    *device_address = (uintptr_t)address;
    return CUDA_SUCCESS;
}

DRIVER_API CUresult cuMemHostGetFlags(unsigned *flags, void *address) {
    struct allocation allocation;
    CUresult result = find_host(address, &allocation);
    if (result != CUDA_SUCCESS) return result;
    if (!flags || allocation.type != ALLOCATION_HOST) return CUDA_ERROR_INVALID_VALUE;
    *flags = allocation.flags;
    return CUDA_SUCCESS;
}
