/* A pool is two numbers: the bytes that it has reserved on its GPU, and the bytes of these that are in use.
 *
 * The real driver backs pools with pages that it can move behind any address, so that any free memory of a pool can
 * serve any allocation. Here, too, an allocation reserves more on the GPU only if the pool has too little unused. As
 * everywhere in the simulator, bytes are counted as requested, without rounding to pages.
 */
#include "pools.h"

#include "driver/core/handles.h"
#include "driver/core/process.h"
#include "driver/core/unsupported.h"

#include <pthread.h>
#include <stdlib.h>

enum { DEVICE_POOL_ATTRIBUTES = 8 };

struct pool {
    struct pool *next; /* list of all pools */
    CUdevice device;
    int gpu;
    bool is_default;
    bool destroyed;   /* destroyed by the program; freed with its last allocation */
    uint64_t largest; /* 0 for no limit of its own */
    uint64_t reserved, reserved_high; /* in bytes; the second is the highest value of the first */
    uint64_t used, used_high;         /* the same for the bytes in use */
    uint64_t release_threshold;       /* bytes that pools_release_unused leaves in the pool */
    int reuse[3]; /* CU_MEMPOOL_ATTR_REUSE_*: only stored, since every allocation gets new pages */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct pool *all;
static struct pool *defaults[MACHINE_GPUS], *chosen[MACHINE_GPUS]; /* by ordinal */

static struct pool *make(CUdevice device, uint64_t largest) {
    struct pool *pool = calloc(1, sizeof *pool);
    if (!pool) return NULL;
    *pool = (struct pool){
        .device = device,
        .gpu = process.visible.gpus[device],
        .largest = largest,
        .reuse = {1, 1, 1},
        .next = all,
    };
    if (!handle_add(pool, HANDLE_POOL)) {
        free(pool);
        return NULL;
    }
    all = pool;
    return pool;
}

static struct pool *default_of(CUdevice device) {
    if (!defaults[device] && (defaults[device] = make(device, 0))) defaults[device]->is_default = true;
    return defaults[device];
}

/* Gives the pool's reserved bytes above `keep` back to the GPU, except for those in use. */
static void shrink(struct pool *pool, uint64_t keep, const char *api) {
    if (keep < pool->used) keep = pool->used;
    if (pool->reserved <= keep) return;
    account_free(pool->gpu, pool->reserved - keep, MEMORY_POOL, api);
    pool->reserved = keep;
}

/* Frees a pool that the program has destroyed and of which nothing is in use any more. */
static void end_if_empty(struct pool *pool, const char *api) {
    if (!pool->destroyed || pool->used) return;
    shrink(pool, 0, api);
    struct pool **link = &all;
    while (*link != pool) link = &(*link)->next;
    *link = pool->next;
    free(pool);
}

static void trim_all(int gpu, const char *api) {
    for (struct pool *pool = all; pool; pool = pool->next) {
        if (pool->gpu == gpu) shrink(pool, 0, api);
    }
}

static bool hold_unused(int gpu) {
    for (struct pool *pool = all; pool; pool = pool->next) {
        if (pool->gpu == gpu && pool->reserved > pool->used) return true;
    }
    return false;
}

/* Reserves bytes on the GPU, if necessary after all pools have given back their unused bytes. The lock must be held. */
static CUresult reserve(int gpu, uint64_t bytes, enum memory_kind kind, const char *api) {
    if (hold_unused(gpu)) {
        if (account_try(gpu, bytes, kind, api) == CUDA_SUCCESS) return CUDA_SUCCESS;
        trim_all(gpu, api);
    }
    return account_reserve(gpu, bytes, kind, api);
}

CUresult pools_make_room_and_reserve(int gpu, uint64_t bytes, enum memory_kind kind, const char *api) {
    pthread_mutex_lock(&lock);
    CUresult result = reserve(gpu, bytes, kind, api);
    pthread_mutex_unlock(&lock);
    return result;
}

void pools_release_unused(const char *api) {
    pthread_mutex_lock(&lock);
    for (struct pool *pool = all; pool; pool = pool->next) shrink(pool, pool->release_threshold, api);
    pthread_mutex_unlock(&lock);
}

void pools_give_back(const struct allocation *allocation, const char *api) {
    allocations_unmap(allocation->base, allocation->bytes);
    pthread_mutex_lock(&lock);
    allocation->pool->used -= allocation->bytes;
    end_if_empty(allocation->pool, api);
    pthread_mutex_unlock(&lock);
}

/* Takes bytes of the pool, and reserves on the GPU what the pool lacks. The lock must be held. */
static CUresult take(struct pool *pool, uint64_t bytes, const char *api) {
    uint64_t unused = pool->reserved - pool->used;
    if (bytes > unused) {
        uint64_t more = bytes - unused;
        if (pool->largest && more > pool->largest - pool->reserved) {
            account_refuse(pool->gpu, more, MEMORY_POOL, api);
            return CUDA_ERROR_OUT_OF_MEMORY;
        }
        /* Counts this pool's unused bytes as used meanwhile, so that they aren't given back when pools are trimmed. */
        pool->used += unused;
        CUresult result = reserve(pool->gpu, more, MEMORY_POOL, api);
        pool->used -= unused;
        if (result != CUDA_SUCCESS) return result;
        pool->reserved += more;
    }
    pool->used += bytes;
    if (pool->reserved > pool->reserved_high) pool->reserved_high = pool->reserved;
    if (pool->used > pool->used_high) pool->used_high = pool->used;
    return CUDA_SUCCESS;
}

CUresult pools_allocate(CUdeviceptr *address, size_t bytes, struct pool *pool, const char *api) {
    pthread_mutex_lock(&lock);
    CUresult result = take(pool, bytes, api);
    pthread_mutex_unlock(&lock);
    if (result != CUDA_SUCCESS) return result;
    void *memory = allocations_map(bytes);
    if (memory) {
        result = allocations_add((struct allocation){
            .base = (uintptr_t)memory,
            .bytes = bytes,
            .type = ALLOCATION_POOL,
            .device = pool->device,
            .gpu = pool->gpu,
            .pool = pool,
        });
        if (result == CUDA_SUCCESS) {
            *address = (uintptr_t)memory;
            return CUDA_SUCCESS;
        }
        allocations_unmap((uintptr_t)memory, bytes);
    } else {
        result = CUDA_ERROR_OPERATING_SYSTEM;
    }
    pthread_mutex_lock(&lock);
    pool->used -= bytes;
    pthread_mutex_unlock(&lock);
    return result;
}

struct pool *pools_chosen(CUdevice device) {
    pthread_mutex_lock(&lock);
    struct pool *pool = chosen[device] ? chosen[device] : default_of(device);
    pthread_mutex_unlock(&lock);
    return pool;
}

DRIVER_API CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device) {
    int gpu;
    CUresult result = process_gpu(device, &gpu);
    if (result != CUDA_SUCCESS) return result;
    if (!pool) return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&lock);
    *pool = default_of(device);
    pthread_mutex_unlock(&lock);
    return *pool ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

DRIVER_API CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device) {
    CUresult result = cuDeviceGetDefaultMemPool(pool, device);
    if (result != CUDA_SUCCESS) return result;
    pthread_mutex_lock(&lock);
    if (chosen[device]) *pool = chosen[device];
    pthread_mutex_unlock(&lock);
    return CUDA_SUCCESS;
}

DRIVER_API CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool) {
    int gpu;
    CUresult result = process_gpu(device, &gpu);
    if (result != CUDA_SUCCESS) return result;
    if (!handle_is(pool, HANDLE_POOL) || pool->gpu != gpu) return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&lock);
    chosen[device] = pool;
    pthread_mutex_unlock(&lock);
    return CUDA_SUCCESS;
}

DRIVER_API CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *properties) {
    CUresult result = process_ready();
    if (result != CUDA_SUCCESS) return result;
    if (!pool || !properties || properties->allocType != CU_MEM_ALLOCATION_PINNED) return CUDA_ERROR_INVALID_VALUE;
    if (properties->location.type != CU_MEM_LOCATION_DEVICE) {
        return properties->location.type == CU_MEM_LOCATION_INVALID ? CUDA_ERROR_INVALID_VALUE
                                                                    : unsupported_part("cuMemPoolCreate (host memory)");
    }
    if (properties->handleTypes) return unsupported_part("cuMemPoolCreate (shareable handles)");
    int gpu;
    result = process_gpu(properties->location.id, &gpu);
    if (result != CUDA_SUCCESS) return result;
    pthread_mutex_lock(&lock);
    *pool = make(properties->location.id, properties->maxSize);
    pthread_mutex_unlock(&lock);
    return *pool ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

DRIVER_API CUresult cuMemPoolDestroy(CUmemoryPool pool) {
    CUresult result = process_ready();
    if (result != CUDA_SUCCESS) return result;
    if (!handle_is(pool, HANDLE_POOL) || pool->is_default || !handle_remove(pool, HANDLE_POOL))
        return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&lock);
    if (chosen[pool->device] == pool) chosen[pool->device] = NULL;
    pool->destroyed = true;
    end_if_empty(pool, "cuMemPoolDestroy");
    pthread_mutex_unlock(&lock);
    return CUDA_SUCCESS;
}

DRIVER_API CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t keep) {
    CUresult result = process_ready();
    if (result != CUDA_SUCCESS) return result;
    if (!handle_is(pool, HANDLE_POOL)) return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&lock);
    shrink(pool, keep, "cuMemPoolTrimTo");
    pthread_mutex_unlock(&lock);
    return CUDA_SUCCESS;
}

/* By CUmemPool_attribute: 1 to 3 are ints, 4 to 8 are 64 bits wide. */
static uint64_t *wide_attribute(struct pool *pool, int attribute) {
    switch (attribute) {
    case 4: return &pool->release_threshold;
    case 5: return &pool->reserved;
    case 6: return &pool->reserved_high;
    case 7: return &pool->used;
    case 8: return &pool->used_high;
    default: return NULL;
    }
}

DRIVER_API CUresult cuMemPoolGetAttribute(CUmemoryPool pool, int attribute, void *value) {
    CUresult result = process_ready();
    if (result != CUDA_SUCCESS) return result;
    if (!value || attribute < 1 || attribute > DEVICE_POOL_ATTRIBUTES || !handle_is(pool, HANDLE_POOL))
        return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&lock);
    if (attribute <= 3) {
        *(int *)value = pool->reuse[attribute - 1];
    } else {
        *(uint64_t *)value = *wide_attribute(pool, attribute);
    }
    pthread_mutex_unlock(&lock);
    return CUDA_SUCCESS;
}

DRIVER_API CUresult cuMemPoolSetAttribute(CUmemoryPool pool, int attribute, void *value) {
    CUresult result = process_ready();
    if (result != CUDA_SUCCESS) return result;
    if (!value || attribute < 1 || attribute > DEVICE_POOL_ATTRIBUTES || !handle_is(pool, HANDLE_POOL))
        return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&lock);
    if (attribute <= 3) {
        pool->reuse[attribute - 1] = *(int *)value != 0;
    } else if (attribute == 4) {
        pool->release_threshold = *(uint64_t *)value;
    } else if ((attribute == 6 || attribute == 8) && *(uint64_t *)value == 0) {
        /* Resets a high-water mark to the current value. */
        *wide_attribute(pool, attribute) = *wide_attribute(pool, attribute - 1);
    } else {
        result = CUDA_ERROR_INVALID_VALUE;
    }
    pthread_mutex_unlock(&lock);
    return result;
}

/* Only the pool's own GPU can access its memory: the GPUs aren't linked. */
DRIVER_API CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *accesses, size_t count) {
    CUresult result = process_ready();
    if (result != CUDA_SUCCESS) return result;
    if ((!accesses && count) || !handle_is(pool, HANDLE_POOL)) return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; i++) {
        int gpu;
        if (accesses[i].location.type != CU_MEM_LOCATION_DEVICE) return CUDA_ERROR_INVALID_VALUE;
        if (process_gpu(accesses[i].location.id, &gpu) != CUDA_SUCCESS) return CUDA_ERROR_INVALID_DEVICE;
        bool own = gpu == pool->gpu, revoked = accesses[i].flags == CU_MEM_ACCESS_NONE;
        if (own == revoked) return CUDA_ERROR_INVALID_DEVICE;
    }
    return CUDA_SUCCESS;
}

DRIVER_API CUresult cuMemPoolGetAccess(int *flags, CUmemoryPool pool, const CUmemLocation *location) {
    CUresult result = process_ready();
    if (result != CUDA_SUCCESS) return result;
    int gpu;
    if (!flags || !location || !handle_is(pool, HANDLE_POOL)) return CUDA_ERROR_INVALID_VALUE;
    if (location->type != CU_MEM_LOCATION_DEVICE || process_gpu(location->id, &gpu) != CUDA_SUCCESS)
        return CUDA_ERROR_INVALID_VALUE;
    *flags = gpu == pool->gpu ? CU_MEM_ACCESS_READWRITE : CU_MEM_ACCESS_NONE;
    return CUDA_SUCCESS;
}
