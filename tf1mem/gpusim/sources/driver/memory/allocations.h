/* All memory that the driver knows, by address: a balanced tree, so that a program may have as many allocations as it
 * likes. */
#ifndef TF1MEM_DRIVER_ALLOCATIONS_H
#define TF1MEM_DRIVER_ALLOCATIONS_H

#include "driver/core/api.h"

enum allocation_type {
    ALLOCATION_DEVICE,     /* cuMemAlloc */
    ALLOCATION_MANAGED,    /* cuMemAllocManaged */
    ALLOCATION_POOL,       /* cuMemAllocAsync */
    ALLOCATION_MAPPING,    /* cuMemMap */
    ALLOCATION_HOST,       /* cuMemHostAlloc: pinned */
    ALLOCATION_REGISTERED, /* cuMemHostRegister: the program's own */
};

struct allocation {
    CUdeviceptr base;
    size_t bytes;
    enum allocation_type type;
    struct context *context; /* in which it was made; NULL for pools and mappings, which belong to no context */
    CUdevice device;
    int gpu;
    struct pool *pool;
    CUmemGenericAllocationHandle physical;
    int access;     /* ALLOCATION_MAPPING: CU_MEM_ACCESS_* */
    unsigned flags; /* those it was made with */
    bool sync_memops;
    uint64_t id; /* never given out again */
};

/* Memory of the host with nothing in it, mapped lazily: only pages that are written to take any. NULL where the system
 * has no more addresses; stderr then says so. */
void *allocations_map(size_t bytes);
void allocations_unmap(CUdeviceptr base, size_t bytes);

/* Makes an allocation known; its id is set here. CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED where part of it is known
 * already. */
CUresult allocations_add(struct allocation allocation);
/* The allocation that holds the address. */
bool allocations_find(CUdeviceptr address, struct allocation *found);
/* Forgets the allocation that begins at the address, if it is of one of the types (a mask of 1 << type).
 * True for one caller alone, however many free the same memory at once. */
bool allocations_take(CUdeviceptr base, unsigned types, struct allocation *taken);
/* Sets an allocation's access or sync_memops, whichever is not negative. */
bool allocations_set(CUdeviceptr address, int access, int sync_memops);
/* Is every byte known to the driver? Neighbours may be different allocations. */
bool allocations_hold(CUdeviceptr address, size_t bytes);
/* Frees what was made in a context. */
void allocations_free_all(const struct context *context, const char *api);

#endif
