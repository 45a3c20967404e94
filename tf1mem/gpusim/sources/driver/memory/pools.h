/* Memory pools: memory that is allocated and freed in the order of a stream. */
#ifndef TF1MEM_DRIVER_POOLS_H
#define TF1MEM_DRIVER_POOLS_H

#include "accounts.h"
#include "allocations.h"

/* account_reserve; where it would be refused, pools first give back what they keep for later, as in the real driver. */
CUresult pools_make_room_and_reserve(int gpu, uint64_t bytes, enum memory_kind kind, const char *api);
/* Gives back what is above the thresholds: where the program waits for its work. */
void pools_release_unused(const char *api);
/* Memory of a pool was freed: it was taken from the allocations, and is unmapped here. */
void pools_give_back(const struct allocation *allocation, const char *api);

#endif
