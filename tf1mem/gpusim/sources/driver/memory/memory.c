/* Memory of the device, and managed memory: cuMemAlloc and related functions. */
#include "accounts.h"
#include "allocations.h"
#include "driver/core/contexts.h"
#include "pools.h"
#include "driver/work/work.h"

/* Reserves the bytes on the GPU, maps memory of the host for them, and adds the allocation. */
static CUresult allocate(
    struct context *context, CUdeviceptr *address, size_t bytes, enum allocation_type type, unsigned flags,
    const char *api
) {
    enum memory_kind kind = type == ALLOCATION_MANAGED ? MEMORY_MANAGED : MEMORY_DEVICE;
    CUresult result = kind == MEMORY_DEVICE ? pools_make_room_and_reserve(context->gpu, bytes, kind, api)
                                            : account_reserve(context->gpu, bytes, kind, api);
    if (result != CUDA_SUCCESS) return result;
    void *memory = allocations_map(bytes);
    if (memory) {
        result = allocations_add((struct allocation){
            .base = (uintptr_t)memory,
            .bytes = bytes,
            .type = type,
            .context = context,
            .device = context->device,
            .gpu = context->gpu,
            .flags = flags,
        });
        if (result == CUDA_SUCCESS) {
            *address = (uintptr_t)memory;
            return CUDA_SUCCESS;
        }
        allocations_unmap((uintptr_t)memory, bytes);
    } else {
        result = CUDA_ERROR_OPERATING_SYSTEM;
    }
    account_free(context->gpu, bytes, kind, api);
    return result;
}

DRIVER_API CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes) {
    struct context *context;
    CUresult result = context_current(&context);
    if (result != CUDA_SUCCESS) return result;
    if (!address || !bytes) return CUDA_ERROR_INVALID_VALUE;
    return allocate(context, address, bytes, ALLOCATION_DEVICE, 0, "cuMemAlloc");
}

DRIVER_API CUresult
cuMemAllocPitch_v2(CUdeviceptr *address, size_t *pitch, size_t width, size_t height, unsigned element) {
    struct context *context;
    CUresult result = context_current(&context);
    if (result != CUDA_SUCCESS) return result;
    if (!address || !pitch || !width || !height) return CUDA_ERROR_INVALID_VALUE;
    if (element != 4 && element != 8 && element != 16) return CUDA_ERROR_INVALID_VALUE;
    const size_t alignment = 512; /* CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT */
    size_t padded = (width + alignment - 1) / alignment * alignment, bytes;
    if (padded < width || __builtin_mul_overflow(padded, height, &bytes)) return CUDA_ERROR_INVALID_VALUE;
    result = allocate(context, address, bytes, ALLOCATION_DEVICE, 0, "cuMemAllocPitch");
    if (result == CUDA_SUCCESS) *pitch = padded;
    return result;
}

DRIVER_API CUresult cuMemAllocManaged(CUdeviceptr *address, size_t bytes, unsigned flags) {
    struct context *context;
    CUresult result = context_current(&context);
    if (result != CUDA_SUCCESS) return result;
    /* CU_MEM_ATTACH_GLOBAL or CU_MEM_ATTACH_HOST */
    if (!address || !bytes || (flags != 1 && flags != 2)) return CUDA_ERROR_INVALID_VALUE;
    return allocate(context, address, bytes, ALLOCATION_MANAGED, flags, "cuMemAllocManaged");
}

DRIVER_API CUresult cuMemFree_v2(CUdeviceptr address) {
    struct context *context;
    CUresult result = context_current(&context);
    if (result != CUDA_SUCCESS || !address) return result;
    struct allocation allocation;
    if (!allocations_find(address, &allocation) || allocation.base != address) return CUDA_ERROR_INVALID_VALUE;
    /* Like the real driver, finishes all work of the context before its memory is freed. */
    group_wait((allocation.context ? allocation.context : context)->group);
    if (!allocations_take(
            address, 1u << ALLOCATION_DEVICE | 1u << ALLOCATION_MANAGED | 1u << ALLOCATION_POOL, &allocation
        ))
        return CUDA_ERROR_INVALID_VALUE;
    if (allocation.type == ALLOCATION_POOL) {
        pools_give_back(&allocation, "cuMemFree");
        return CUDA_SUCCESS;
    }
    account_free(
        allocation.gpu, allocation.bytes, allocation.type == ALLOCATION_MANAGED ? MEMORY_MANAGED : MEMORY_DEVICE,
        "cuMemFree"
    );
    allocations_unmap(allocation.base, allocation.bytes);
    return CUDA_SUCCESS;
}

DRIVER_API CUresult cuMemGetInfo_v2(size_t *left, size_t *total) {
    struct context *context;
    CUresult result = context_current(&context);
    if (result != CUDA_SUCCESS) return result;
    if (!left || !total) return CUDA_ERROR_INVALID_VALUE;
    uint64_t left_bytes, total_bytes;
    account_info(context->gpu, &left_bytes, &total_bytes);
    *left = left_bytes;
    *total = total_bytes;
    return CUDA_SUCCESS;
}

DRIVER_API CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *bytes, CUdeviceptr address) {
    struct context *context;
    CUresult result = context_current(&context);
    if (result != CUDA_SUCCESS) return result;
    struct allocation allocation;
    if (!allocations_find(address, &allocation)) return CUDA_ERROR_NOT_FOUND;
    if (base) *base = allocation.base;
    if (bytes) *bytes = allocation.bytes;
    return CUDA_SUCCESS;
}

/* Checks a hint on where managed memory should be. It has no effect, since a program can't see where that memory is. */
static CUresult advise(CUdeviceptr address, size_t bytes) {
    struct allocation allocation;
    if (!bytes || !allocations_find(address, &allocation) || allocation.type != ALLOCATION_MANAGED)
        return CUDA_ERROR_INVALID_VALUE;
    return bytes <= allocation.base + allocation.bytes - address ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

DRIVER_API CUresult cuMemAdvise(CUdeviceptr address, size_t bytes, int advice, CUdevice device) {
    (void)device;
    struct context *context;
    CUresult result = context_current(&context);
    if (result != CUDA_SUCCESS) return result;
    return advice < 1 || advice > 6 ? CUDA_ERROR_INVALID_VALUE : advise(address, bytes);
}

DRIVER_API CUresult cuMemPrefetchAsync(CUdeviceptr address, size_t bytes, CUdevice device, CUstream stream) {
    (void)device, (void)stream;
    struct context *context;
    CUresult result = context_current(&context);
    return result == CUDA_SUCCESS ? advise(address, bytes) : result;
}
