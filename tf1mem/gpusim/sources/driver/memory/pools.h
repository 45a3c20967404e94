/* Memory pools, from which memory is allocated in the order of a stream. */
#ifndef TF1MEM_DRIVER_POOLS_H
#define TF1MEM_DRIVER_POOLS_H

#include "accounts.h"
#include "allocations.h"

/* Like account_reserve, but pools first give back unused memory before a request is refused, as in the real driver. */
CUresult pools_make_room_and_reserve(int gpu, uint64_t bytes, enum memory_kind kind, const char *api);
/* Gives back each pool's unused memory above its release threshold; called when the program waits for the GPU. */
void pools_release_unused(const char *api);
/* Frees an allocation of a pool: the caller has removed it from the allocations; its memory is unmapped here. */
void pools_give_back(const struct allocation *allocation, const char *api);
/* Returns the pool that the program chose for a device, or its default one; NULL if there is no memory. */
struct pool *pools_chosen(CUdevice device);
/* Allocates memory of a pool. */
CUresult pools_allocate(CUdeviceptr *address, size_t bytes, struct pool *pool, const char *api);

#endif
