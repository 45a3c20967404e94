/* Virtual memory management: a program reserves addresses, creates physical memory, and maps it at these addresses.
 *
 * Physical memory is a file without a name (memfd), so that it can be mapped at several addresses and keeps its
 * content between two mappings. Like other memory of the device it is lazy: only written pages take memory of the host.
 */
#include "accounts.h"
#include "allocations.h"
#include "driver/core/contexts.h"
#include "driver/core/current.h"
#include "driver/core/handles.h"
#include "pools.h"
#include "driver/core/process.h"
#include "driver/core/unsupported.h"
#include "driver/work/work.h"

#include <errno.h>
#include <pthread.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { GRANULARITY = 2 << 20 };

struct physical {
    int file;
    size_t bytes;
    int gpu;
    CUmemAllocationProp properties;
    int references; /* references of cuMemCreate and cuMemRetainAllocationHandle, and one for each mapping */
    int handles;    /* the references that cuMemRelease may still release: those of the mappings aren't among them */
};

struct reservation {
    uintptr_t base;
    size_t bytes;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* the lock of everything here */
static void *reservations;                               /* root of a tsearch tree */

/* Ranges that overlap compare equal, as in allocations.c. */
static int compare(const void *left, const void *right) {
    const struct reservation *a = left, *b = right;
    if (a->base + a->bytes <= b->base) return -1;
    return b->base + b->bytes <= a->base;
}

static struct reservation *reservation_of(uintptr_t address, size_t bytes) {
    struct reservation key = {address, 1};
    struct reservation *const *node = tfind(&key, &reservations, compare);
    if (!node || bytes > (*node)->base + (*node)->bytes - address) return NULL;
    return *node;
}

static bool granular(uint64_t bytes) {
    return bytes && bytes % GRANULARITY == 0;
}

/* Unmaps the memory and keeps the addresses reserved, so that nothing else is mapped there. */
static void cover(uintptr_t address, size_t bytes) {
    mmap((void *)address, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

/* The lock must be held. */
static void unreference(struct physical *physical, const char *api) {
    if (--physical->references) return;
    close(physical->file);
    account_free(physical->gpu, physical->bytes, MEMORY_VIRTUAL, api);
    free(physical);
}

static CUresult check_properties(const CUmemAllocationProp *properties, int *gpu) {
    CUresult result = process_ready();
    if (result != CUDA_SUCCESS) return result;
    if (!properties || properties->type != CU_MEM_ALLOCATION_PINNED) return CUDA_ERROR_INVALID_VALUE;
    if (properties->location.type != CU_MEM_LOCATION_DEVICE) return unsupported_part("cuMemCreate (host memory)");
    if (properties->requestedHandleTypes) return unsupported_part("cuMemCreate (shareable handles)");
    return process_gpu(properties->location.id, gpu);
}

DRIVER_API CUresult
cuMemGetAllocationGranularity(size_t *granularity, const CUmemAllocationProp *properties, int option) {
    int gpu;
    CUresult result = check_properties(properties, &gpu);
    if (result != CUDA_SUCCESS) return result;
    if (!granularity || option < 0 || option > 1) return CUDA_ERROR_INVALID_VALUE;
    *granularity = GRANULARITY;
    return CUDA_SUCCESS;
}

DRIVER_API CUresult cuMemCreate(
    CUmemGenericAllocationHandle *handle, size_t bytes, const CUmemAllocationProp *properties, unsigned long long flags
) {
    int gpu;
    CUresult result = check_properties(properties, &gpu);
    if (result != CUDA_SUCCESS) return result;
    if (!handle || flags || !granular(bytes)) return CUDA_ERROR_INVALID_VALUE;
    struct physical *physical = calloc(1, sizeof *physical);
    if (!physical) return CUDA_ERROR_OUT_OF_MEMORY;
    *physical = (struct physical){.bytes = bytes, .gpu = gpu, .properties = *properties, .references = 1, .handles = 1};
    result = pools_make_room_and_reserve(gpu, bytes, MEMORY_VIRTUAL, "cuMemCreate");
    if (result != CUDA_SUCCESS) {
        free(physical);
        return result;
    }
    physical->file = (int)syscall(SYS_memfd_create, "tf1mem-gpu-memory", 1u /* MFD_CLOEXEC */);
    if (physical->file < 0 || ftruncate(physical->file, (off_t)bytes) != 0) {
        fprintf(
            stderr, "tf1mem sim: this machine can't make %zu bytes for a simulated GPU (%s)\n", bytes, strerror(errno)
        );
        result = CUDA_ERROR_OPERATING_SYSTEM;
    } else if (!handle_add(physical, HANDLE_PHYSICAL)) {
        result = CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (result != CUDA_SUCCESS) {
        if (physical->file >= 0) close(physical->file);
        account_free(gpu, bytes, MEMORY_VIRTUAL, "cuMemCreate");
        free(physical);
        return result;
    }
    *handle = (uintptr_t)physical;
    return CUDA_SUCCESS;
}

static struct physical *physical_of(CUmemGenericAllocationHandle handle) {
    struct physical *physical = (struct physical *)(uintptr_t)handle;
    return handle_is(physical, HANDLE_PHYSICAL) ? physical : NULL;
}

DRIVER_API CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
    CUresult result = process_ready();
    if (result != CUDA_SUCCESS) return result;
    pthread_mutex_lock(&lock);
    struct physical *physical = physical_of(handle);
    if (physical) {
        if (--physical->handles == 0) handle_remove(physical, HANDLE_PHYSICAL);
        unreference(physical, "cuMemRelease");
    } else {
        result = CUDA_ERROR_INVALID_VALUE;
    }
    pthread_mutex_unlock(&lock);
    return result;
}

DRIVER_API CUresult
cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *properties, CUmemGenericAllocationHandle handle) {
    CUresult result = process_ready();
    if (result != CUDA_SUCCESS) return result;
    pthread_mutex_lock(&lock);
    const struct physical *physical = physical_of(handle);
    if (physical && properties) {
        *properties = physical->properties;
    } else {
        result = CUDA_ERROR_INVALID_VALUE;
    }
    pthread_mutex_unlock(&lock);
    return result;
}

DRIVER_API CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *address) {
    CUresult result = process_ready();
    if (result != CUDA_SUCCESS) return result;
    struct allocation allocation;
    if (!handle) return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&lock);
    if (allocations_find((uintptr_t)address, &allocation) && allocation.type == ALLOCATION_MAPPING) {
        struct physical *physical = (struct physical *)(uintptr_t)allocation.physical;
        /* The last handle may have been released while the mapping kept the memory. */
        if (physical->handles || handle_add(physical, HANDLE_PHYSICAL)) {
            physical->handles++;
            physical->references++;
            *handle = allocation.physical;
        } else {
            result = CUDA_ERROR_OUT_OF_MEMORY;
        }
    } else {
        result = CUDA_ERROR_INVALID_VALUE;
    }
    pthread_mutex_unlock(&lock);
    return result;
}

/* Reserves addresses at a multiple of the alignment: maps more than needed, and unmaps the excess on both sides. */
static uintptr_t map_aligned(size_t bytes, size_t alignment) {
    size_t larger;
    if (__builtin_add_overflow(bytes, alignment, &larger)) return 0;
    void *memory = mmap(NULL, larger, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return 0;
    uintptr_t start = (uintptr_t)memory, base = (start + alignment - 1) / alignment * alignment;
    if (base > start) munmap(memory, base - start);
    munmap((void *)(base + bytes), start + larger - (base + bytes));
    return base;
}

DRIVER_API CUresult
cuMemAddressReserve(CUdeviceptr *address, size_t bytes, size_t alignment, CUdeviceptr wish, unsigned long long flags) {
    (void)wish; /* the real driver may ignore it, too */
    CUresult result = process_ready();
    if (result != CUDA_SUCCESS) return result;
    if (!address || flags || !granular(bytes) || (alignment & (alignment - 1))) return CUDA_ERROR_INVALID_VALUE;
    struct reservation *reservation = malloc(sizeof *reservation);
    if (!reservation) return CUDA_ERROR_OUT_OF_MEMORY;
    uintptr_t base = map_aligned(bytes, alignment > GRANULARITY ? alignment : GRANULARITY);
    if (!base) {
        free(reservation);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *reservation = (struct reservation){base, bytes};
    pthread_mutex_lock(&lock);
    bool added = tsearch(reservation, &reservations, compare) != NULL;
    pthread_mutex_unlock(&lock);
    if (!added) {
        munmap((void *)base, bytes);
        free(reservation);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *address = base;
    return CUDA_SUCCESS;
}

/* Returns true if anything is mapped between the addresses. The lock must be held. */
static bool anything_mapped(uintptr_t address, size_t bytes) {
    struct allocation allocation;
    for (uintptr_t next = address; next < address + bytes; next += GRANULARITY) {
        if (allocations_find(next, &allocation)) return true;
    }
    return false;
}

DRIVER_API CUresult cuMemAddressFree(CUdeviceptr address, size_t bytes) {
    CUresult result = process_ready();
    if (result != CUDA_SUCCESS) return result;
    pthread_mutex_lock(&lock);
    struct reservation *reservation = bytes ? reservation_of(address, bytes) : NULL;
    if (reservation && reservation->base == address && reservation->bytes == bytes &&
        !anything_mapped(address, bytes)) {
        tdelete(reservation, &reservations, compare);
        munmap((void *)(uintptr_t)address, bytes);
        free(reservation);
    } else {
        result = CUDA_ERROR_INVALID_VALUE;
    }
    pthread_mutex_unlock(&lock);
    return result;
}

/* The lock must be held. */
static CUresult map(uintptr_t address, size_t bytes, struct physical *physical) {
    if (!physical || bytes > physical->bytes || !reservation_of(address, bytes) || anything_mapped(address, bytes))
        return CUDA_ERROR_INVALID_VALUE;
    /* Not readable or writable before cuMemSetAccess. */
    if (mmap((void *)address, bytes, PROT_NONE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, physical->file, 0) ==
        MAP_FAILED)
        return CUDA_ERROR_OUT_OF_MEMORY;
    CUresult result = allocations_add((struct allocation){
        .base = address,
        .bytes = bytes,
        .type = ALLOCATION_MAPPING,
        .device = physical->properties.location.id,
        .gpu = physical->gpu,
        .physical = (uintptr_t)physical,
    });
    if (result == CUDA_SUCCESS) {
        physical->references++;
    } else {
        cover(address, bytes);
    }
    return result;
}

DRIVER_API CUresult cuMemMap(
    CUdeviceptr address, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle, unsigned long long flags
) {
    CUresult result = process_ready();
    if (result != CUDA_SUCCESS) return result;
    if (offset || flags || !granular(bytes) || address % GRANULARITY) return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&lock);
    result = map(address, bytes, physical_of(handle));
    pthread_mutex_unlock(&lock);
    return result;
}

/* Returns true if whole mappings, one after another, cover exactly this range. The lock must be held. */
static bool whole_mappings(CUdeviceptr address, size_t bytes) {
    CUdeviceptr end = address + bytes;
    struct allocation allocation;
    while (address < end) {
        if (!allocations_find(address, &allocation) || allocation.type != ALLOCATION_MAPPING ||
            allocation.base != address)
            return false;
        address += allocation.bytes;
    }
    return address == end;
}

DRIVER_API CUresult cuMemUnmap(CUdeviceptr address, size_t bytes) {
    struct context *context = current_top();
    CUresult result = process_ready();
    if (result != CUDA_SUCCESS) return result;
    if (!granular(bytes)) return CUDA_ERROR_INVALID_VALUE;
    if (context) group_wait(context->group);
    pthread_mutex_lock(&lock);
    if (whole_mappings(address, bytes)) {
        struct allocation taken;
        for (CUdeviceptr next = address; next < address + bytes; next += taken.bytes) {
            allocations_take(next, 1u << ALLOCATION_MAPPING, &taken);
            cover(taken.base, taken.bytes);
            unreference((struct physical *)(uintptr_t)taken.physical, "cuMemUnmap");
        }
    } else {
        result = CUDA_ERROR_INVALID_VALUE;
    }
    pthread_mutex_unlock(&lock);
    return result;
}

/* The lock must be held. */
static CUresult set_access(CUdeviceptr address, size_t bytes, const CUmemAccessDesc *access) {
    int gpu;
    if (access->location.type != CU_MEM_LOCATION_DEVICE || process_gpu(access->location.id, &gpu) != CUDA_SUCCESS)
        return CUDA_ERROR_INVALID_DEVICE;
    int flags = access->flags;
    if (flags != CU_MEM_ACCESS_NONE && flags != CU_MEM_ACCESS_READ && flags != CU_MEM_ACCESS_READWRITE)
        return CUDA_ERROR_INVALID_VALUE;
    struct allocation allocation;
    for (CUdeviceptr next = address; next < address + bytes; next += allocation.bytes) {
        allocations_find(next, &allocation);
        if (allocation.gpu != gpu) return CUDA_ERROR_INVALID_DEVICE; /* the GPUs aren't linked */
        /* side_check accepts memory that may only be read as a copy's target: such a copy ends by SIGSEGV. */
        int protection = flags == CU_MEM_ACCESS_NONE   ? PROT_NONE
                         : flags == CU_MEM_ACCESS_READ ? PROT_READ
                                                       : PROT_READ | PROT_WRITE;
        if (mprotect((void *)(uintptr_t)allocation.base, allocation.bytes, protection) != 0)
            return CUDA_ERROR_OPERATING_SYSTEM;
        allocations_set(next, flags, -1);
    }
    return CUDA_SUCCESS;
}

DRIVER_API CUresult cuMemSetAccess(CUdeviceptr address, size_t bytes, const CUmemAccessDesc *accesses, size_t count) {
    CUresult result = process_ready();
    if (result != CUDA_SUCCESS) return result;
    if (!accesses || !count || !granular(bytes)) return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&lock);
    if (!whole_mappings(address, bytes)) result = CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count && result == CUDA_SUCCESS; i++) result = set_access(address, bytes, &accesses[i]);
    pthread_mutex_unlock(&lock);
    return result;
}

DRIVER_API CUresult cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location, CUdeviceptr address) {
    int gpu;
    struct allocation allocation;
    CUresult result = process_ready();
    if (result != CUDA_SUCCESS) return result;
    if (!flags || !location || location->type != CU_MEM_LOCATION_DEVICE || !allocations_find(address, &allocation) ||
        allocation.type != ALLOCATION_MAPPING)
        return CUDA_ERROR_INVALID_VALUE;
    result = process_gpu(location->id, &gpu);
    if (result == CUDA_SUCCESS) *flags = gpu == allocation.gpu ? (unsigned)allocation.access : CU_MEM_ACCESS_NONE;
    return result;
}
