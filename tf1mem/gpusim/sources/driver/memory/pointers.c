/* The driver's information on an address. */
#include "allocations.h"
#include "driver/core/contexts.h"
#include "driver/core/unsupported.h"

#include <stdio.h>

/* CUpointer_attribute */
enum {
    POINTER_CONTEXT = 1,
    POINTER_MEMORY_TYPE = 2,
    POINTER_DEVICE_POINTER = 3,
    POINTER_HOST_POINTER = 4,
    POINTER_SYNC_MEMOPS = 6,
    POINTER_BUFFER_ID = 7,
    POINTER_IS_MANAGED = 8,
    POINTER_DEVICE_ORDINAL = 9,
    POINTER_IS_LEGACY_IPC_CAPABLE = 10,
    POINTER_RANGE_START = 11,
    POINTER_RANGE_SIZE = 12,
    POINTER_MAPPED = 13,
    POINTER_ALLOWED_HANDLE_TYPES = 14,
    POINTER_IS_GPU_DIRECT_RDMA_CAPABLE = 15,
    POINTER_ACCESS_FLAGS = 16,
    POINTER_MEMPOOL_HANDLE = 17,
    POINTER_MAPPING_SIZE = 18,
    POINTER_MAPPING_BASE = 19,
    POINTER_MEMORY_BLOCK_ID = 20,
};

static bool is_host(const struct allocation *allocation) {
    return allocation->type == ALLOCATION_HOST || allocation->type == ALLOCATION_REGISTERED;
}

/* Writes an attribute of an address. allocation: the one that contains the address, or all zero for none. */
static CUresult attribute_of(const struct allocation *allocation, CUdeviceptr address, int attribute, void *value) {
    bool known = allocation->bytes != 0, host = known && is_host(allocation),
         managed = known && allocation->type == ALLOCATION_MANAGED;
    switch (attribute) {
    case POINTER_CONTEXT: *(CUcontext *)value = allocation->context; break;
    case POINTER_MEMORY_TYPE: *(unsigned *)value = !known ? 0 : host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE; break;
    case POINTER_DEVICE_POINTER: *(CUdeviceptr *)value = known ? address : 0; break;
    case POINTER_HOST_POINTER:
        if (known && !host && !managed) return CUDA_ERROR_INVALID_VALUE;
        *(void **)value = known ? (void *)(uintptr_t)address : NULL;
        break;
    case POINTER_SYNC_MEMOPS: *(int *)value = allocation->sync_memops; break;
    case POINTER_BUFFER_ID: *(uint64_t *)value = allocation->id; break;
    case POINTER_IS_MANAGED: *(int *)value = managed; break;
    case POINTER_DEVICE_ORDINAL: *(int *)value = known ? allocation->device : -2; break;
    case POINTER_IS_LEGACY_IPC_CAPABLE: *(int *)value = 0; break;
    case POINTER_RANGE_START: *(CUdeviceptr *)value = allocation->base; break;
    case POINTER_RANGE_SIZE: *(size_t *)value = allocation->bytes; break;
    case POINTER_MAPPED: *(int *)value = known; break;
    case POINTER_ALLOWED_HANDLE_TYPES: *(uint64_t *)value = 0; break;
    case POINTER_IS_GPU_DIRECT_RDMA_CAPABLE: *(int *)value = 0; break;
    case POINTER_ACCESS_FLAGS:
        *(int *)value = !known                                   ? 0
                        : allocation->type == ALLOCATION_MAPPING ? allocation->access
                                                                 : CU_MEM_ACCESS_READWRITE;
        break;
    case POINTER_MEMPOOL_HANDLE: *(CUmemoryPool *)value = allocation->pool; break;
    case POINTER_MAPPING_SIZE: *(size_t *)value = allocation->bytes; break;
    case POINTER_MAPPING_BASE: *(CUdeviceptr *)value = allocation->base; break;
    case POINTER_MEMORY_BLOCK_ID: *(uint64_t *)value = allocation->id; break;
    default: {
        char name[64];
        snprintf(name, sizeof name, "cuPointerGetAttribute (attribute %d)", attribute);
        unsupported_part(name);
        return CUDA_ERROR_INVALID_VALUE;
    }
    }
    return CUDA_SUCCESS;
}

DRIVER_API CUresult cuPointerGetAttribute(void *value, int attribute, CUdeviceptr address) {
    struct context *context;
    CUresult result = context_current(&context);
    if (result != CUDA_SUCCESS) return result;
    struct allocation allocation;
    if (!value || !allocations_find(address, &allocation)) return CUDA_ERROR_INVALID_VALUE;
    return attribute_of(&allocation, address, attribute, value);
}

/* Unlike in cuPointerGetAttribute, an unknown address isn't an error here. */
DRIVER_API CUresult cuPointerGetAttributes(unsigned count, const int *attributes, void **values, CUdeviceptr address) {
    struct context *context;
    CUresult result = context_current(&context);
    if (result != CUDA_SUCCESS) return result;
    if (!count || !attributes || !values) return CUDA_ERROR_INVALID_VALUE;
    struct allocation allocation;
    if (!allocations_find(address, &allocation)) allocation = (struct allocation){0};
    for (unsigned i = 0; i < count; i++) {
        if (!values[i]) return CUDA_ERROR_INVALID_VALUE;
        if (attributes[i] == POINTER_HOST_POINTER && allocation.bytes && !is_host(&allocation) &&
            allocation.type != ALLOCATION_MANAGED) {
            *(void **)values[i] = NULL; /* no error: other attributes of the list may be valid */
            continue;
        }
        result = attribute_of(&allocation, address, attributes[i], values[i]);
        if (result != CUDA_SUCCESS) return result;
    }
    return CUDA_SUCCESS;
}

DRIVER_API CUresult cuPointerSetAttribute(const void *value, int attribute, CUdeviceptr address) {
    struct context *context;
    CUresult result = context_current(&context);
    if (result != CUDA_SUCCESS) return result;
    if (!value || attribute != POINTER_SYNC_MEMOPS) return CUDA_ERROR_INVALID_VALUE;
    return allocations_set(address, -1, *(const int *)value != 0) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
