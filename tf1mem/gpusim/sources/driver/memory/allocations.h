/* All memory known to the driver, by address. It is kept in a balanced tree, since a program may have any number of
 * allocations. */
#ifndef TF1MEM_DRIVER_ALLOCATIONS_H
#define TF1MEM_DRIVER_ALLOCATIONS_H

#include "driver/core/api.h"

enum allocation_type {
    ALLOCATION_DEVICE,     /* cuMemAlloc */
    ALLOCATION_MANAGED,    /* cuMemAllocManaged */
    ALLOCATION_POOL,       /* cuMemAllocAsync */
    ALLOCATION_MAPPING,    /* cuMemMap */
    ALLOCATION_HOST,       /* cuMemHostAlloc: pinned */
    ALLOCATION_REGISTERED, /* cuMemHostRegister: the program's own memory */
};

struct allocation {
    CUdeviceptr base;
    size_t bytes;
    enum allocation_type type;
    struct context *context; /* where it was allocated; NULL for pools and mappings, which belong to none */
    CUdevice device;         /* the GPU's ordinal in this process */
    int gpu;                 /* the GPU's number on the machine */
    struct pool *pool;       /* ALLOCATION_POOL */
    CUmemGenericAllocationHandle physical; /* ALLOCATION_MAPPING: the memory that is mapped */
    int access;                            /* ALLOCATION_MAPPING: CU_MEM_ACCESS_* */
    unsigned flags;                        /* the flags that it was allocated with */
    bool sync_memops; /* CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, which is only stored */
    uint64_t id; /* never reused */
};

/* Returns zeroed memory of the host, mapped lazily: only written pages take memory. NULL if the system has no
 * addresses left; stderr then says so. */
void *allocations_map(size_t bytes);
void allocations_unmap(CUdeviceptr base, size_t bytes);

/* Adds an allocation, and sets its id. CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED if part of it is known already. */
CUresult allocations_add(struct allocation allocation);
/* Finds the allocation that contains the address. Returns false if there is none. */
bool allocations_find(CUdeviceptr address, struct allocation *allocation);
/* Removes the allocation that begins at the address, if it is of one of the types (a mask of 1 << type). Returns
 * true for one caller only, even if several threads free the same memory at once. */
bool allocations_take(CUdeviceptr base, unsigned types, struct allocation *taken);
/* Sets an allocation's access or sync_memops; a negative value keeps it. */
bool allocations_set(CUdeviceptr address, int access, int sync_memops);
/* Returns true if the driver knows every byte; neighbours may be different allocations. */
bool allocations_hold(CUdeviceptr address, size_t bytes);
/* Frees everything that was allocated in a context. */
void allocations_free_all(const struct context *context, const char *api);

#endif
