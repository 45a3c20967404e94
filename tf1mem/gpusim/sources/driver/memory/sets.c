/* Memory sets: cuMemsetD8, cuMemsetD16 and cuMemsetD32, and cuMemsetD2D8 to cuMemsetD2D32 for several rows. */
#include "allocations.h"
#include "sides.h"
#include "driver/work/streams.h"
#include "driver/work/values.h"
#include "driver/work/work.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct set {
    uintptr_t address;
    size_t pitch;
    size_t element; /* 1, 2 or 4 bytes */
    size_t width;   /* in elements */
    size_t height;
    uint32_t value;
    bool discard; /* true if zeros may be written by giving pages back to the system */
};

enum { LARGE = 1 << 20 }; /* in bytes */

/* Writes zeros. A large range gives its pages back to the system, which zeroes them when they are touched again, so
 * that it takes no memory of this machine. */
static void zero(uintptr_t address, size_t bytes) {
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t first = (address + page - 1) / page * page, last = (address + bytes) / page * page;
    if (bytes < LARGE || madvise((void *)first, last - first, MADV_DONTNEED) != 0) {
        memset((void *)address, 0, bytes);
        return;
    }
    memset((void *)address, 0, first - address);
    memset((void *)last, 0, address + bytes - last);
}

static void set_row(const struct set *set, uintptr_t address) {
    size_t bytes = set->width * set->element;
    if (set->value == 0 && set->discard) {
        zero(address, bytes);
    } else if (set->element == 1) {
        memset((void *)address, (int)set->value, bytes);
    } else if (set->element == 2) {
        uint16_t *elements = (uint16_t *)address;
        for (size_t i = 0; i < set->width; i++) elements[i] = (uint16_t)set->value;
    } else {
        uint32_t *elements = (uint32_t *)address;
        for (size_t i = 0; i < set->width; i++) elements[i] = set->value;
    }
}

static void run(void *payload) {
    const struct set *set = payload;
    for (size_t y = 0; y < set->height; y++) set_row(set, set->address + y * set->pitch);
}

static const struct work_kind setting = {run, NODE_MEMSET, false};

static CUresult enqueue(struct set set, CUstream stream) {
    struct queue *queue;
    struct context *context;
    CUresult result = stream_queue(stream, &queue, &context);
    if (result != CUDA_SUCCESS) return result;
    if (!set.width || !set.height) return CUDA_SUCCESS;
    size_t row, bytes;
    bool pageable;
    if (set.address % set.element || __builtin_mul_overflow(set.width, set.element, &row))
        return CUDA_ERROR_INVALID_VALUE;
    if (set.height > 1 && (set.pitch < row || set.pitch % set.element)) return CUDA_ERROR_INVALID_VALUE;
    if (__builtin_mul_overflow(set.pitch, set.height - 1, &bytes) || __builtin_add_overflow(bytes, row, &bytes))
        return CUDA_ERROR_INVALID_VALUE;
    result = side_check(SIDE_DEVICE, set.address, bytes, &pageable);
    if (result != CUDA_SUCCESS) return result;
    struct allocation allocation;
    /* Pages may only be given back if they are private to this process: those of a registered file or of cuMemMap
     * would come back with their old content. */
    set.discard = allocations_find(set.address, &allocation) &&
                  bytes <= allocation.base + allocation.bytes - set.address &&
                  allocation.type != ALLOCATION_REGISTERED && allocation.type != ALLOCATION_MAPPING;
    /* Without values nothing this large is read, and TensorFlow fills 16 MiB around each tensor for which it tries out
     * a convolution: zeroes instead take no memory of this machine. */
    if (set.discard && row >= LARGE && values_left_out()) set.value = 0;
    return work_submit(queue, &setting, &set, sizeof set);
}

#define ROW(bits)                                                                         \
    (struct set) {                                                                        \
        .address = to, .element = (bits) / 8, .width = count, .height = 1, .value = value \
    }
#define ROWS(bits)                                                                                             \
    (struct set) {                                                                                             \
        .address = to, .pitch = pitch, .element = (bits) / 8, .width = width, .height = height, .value = value \
    }

DRIVER_API CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t count) {
    return enqueue(ROW(8), NULL);
}

DRIVER_API CUresult cuMemsetD16_v2(CUdeviceptr to, unsigned short value, size_t count) {
    return enqueue(ROW(16), NULL);
}

DRIVER_API CUresult cuMemsetD32_v2(CUdeviceptr to, unsigned value, size_t count) {
    return enqueue(ROW(32), NULL);
}

DRIVER_API CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream) {
    return enqueue(ROW(8), stream);
}

DRIVER_API CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count, CUstream stream) {
    return enqueue(ROW(16), stream);
}

DRIVER_API CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, CUstream stream) {
    return enqueue(ROW(32), stream);
}

DRIVER_API CUresult cuMemsetD2D8_v2(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height) {
    return enqueue(ROWS(8), NULL);
}

DRIVER_API CUresult cuMemsetD2D16_v2(CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height) {
    return enqueue(ROWS(16), NULL);
}

DRIVER_API CUresult cuMemsetD2D32_v2(CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height) {
    return enqueue(ROWS(32), NULL);
}

DRIVER_API CUresult
cuMemsetD2D8Async(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height, CUstream stream) {
    return enqueue(ROWS(8), stream);
}

DRIVER_API CUresult
cuMemsetD2D16Async(CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height, CUstream stream) {
    return enqueue(ROWS(16), stream);
}

DRIVER_API CUresult
cuMemsetD2D32Async(CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height, CUstream stream) {
    return enqueue(ROWS(32), stream);
}
