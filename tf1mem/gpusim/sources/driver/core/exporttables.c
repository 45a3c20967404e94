/* cuGetExportTable: tables of functions that NVIDIA's libraries share among themselves.
 *
 * TensorFlow 1.14 to 2.0 contain a linked-in CUDA 10.0 runtime that doesn't start without these tables. It also loads
 * kernels by them, and uses them for its checks before each copy. NVIDIA documents none of this. The known entries were
 * found by the ZLUDA project (its "dark API"), and by watching that runtime. An unknown entry reports itself in the
 * trace when it is called, and returns CUDA_ERROR_NOT_SUPPORTED.
 */
#include "contexts.h"
#include "unsupported.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef CUresult entry(void);

/* An unknown entry of a table. */
#define UNKNOWN(table, number)                                                             \
    static CUresult table##_##number(void) {                                               \
        static int reported;                                                               \
        sim_unsupported(&reported, "driver", "cuGetExportTable (" #table " " #number ")"); \
        return CUDA_ERROR_NOT_SUPPORTED;                                                   \
    }

/* The struct that nvcc's host code passes: fatbinary_section.h of the CUDA toolkit. */
struct wrapper {
    int magic;
    int version;
    const void *image;
    void *unused;
};

static CUresult load_module(CUmodule *module, const struct wrapper *wrapper) {
    if (!module || !wrapper) return CUDA_ERROR_INVALID_VALUE;
    return cuModuleLoadFatBinary(module, wrapper->image);
}

/* `keys` and `values` are the runtime's options for the PTX compiler, which isn't used here. */
static CUresult load_module_with_options(
    CUmodule *module, const struct wrapper *wrapper, void *keys, void *values, unsigned count
) {
    (void)keys, (void)values, (void)count;
    return load_module(module, wrapper);
}

static CUresult load_image_with_options(const void *image, CUmodule *module, void *keys, void *values, unsigned count) {
    (void)keys, (void)values, (void)count;
    return module ? cuModuleLoadData(module, image) : CUDA_ERROR_INVALID_VALUE;
}

/* The runtime calls this while it starts, for an unknown purpose, and ignores the result. */
static CUresult runtime_starts(size_t unknown) {
    (void)unknown;
    return CUDA_SUCCESS;
}

UNKNOWN(runtime, 3)
UNKNOWN(runtime, 4)
UNKNOWN(runtime, 5)
UNKNOWN(runtime, 9)

/* A value that the runtime stores for each context, under a key. */
struct stored_value {
    struct stored_value *next;
    CUcontext context;
    uint64_t generation;
    const void *key;
    void *value;
};

static struct stored_value *stored_values;
static pthread_mutex_t stored_values_lock = PTHREAD_MUTEX_INITIALIZER;

/* Returns the address of the pointer to the value, or of the null pointer at the end of the list. */
static struct stored_value **find_stored(CUcontext context, const void *key) {
    struct stored_value **place = &stored_values;
    for (; *place; place = &(*place)->next)
        if ((*place)->context == context && (*place)->generation == context->generation && (*place)->key == key) break;
    return place;
}

static CUresult passed_or_current(CUcontext *context) {
    return *context ? context_check(*context) : context_current(context);
}

/* `destroyed` would be called when the context is destroyed; a simulated context has no data of the runtime's to
 * free. */
static CUresult store_value(CUcontext context, const void *key, void *value, void *destroyed) {
    (void)destroyed;
    CUresult result = passed_or_current(&context);
    if (result != CUDA_SUCCESS) return result;
    pthread_mutex_lock(&stored_values_lock);
    struct stored_value **place = find_stored(context, key);
    if (!*place) {
        *place = calloc(1, sizeof **place);
        if (*place) **place = (struct stored_value){NULL, context, context->generation, key, NULL};
    }
    if (*place) (*place)->value = value;
    else result = CUDA_ERROR_OUT_OF_MEMORY;
    pthread_mutex_unlock(&stored_values_lock);
    return result;
}

static CUresult erase_value(CUcontext context, const void *key) {
    CUresult result = passed_or_current(&context);
    if (result != CUDA_SUCCESS) return result;
    pthread_mutex_lock(&stored_values_lock);
    struct stored_value **place = find_stored(context, key), *gone = *place;
    if (gone) *place = gone->next;
    pthread_mutex_unlock(&stored_values_lock);
    free(gone);
    return CUDA_SUCCESS;
}

static CUresult load_value(void **value, CUcontext context, const void *key) {
    if (!value) return CUDA_ERROR_INVALID_VALUE;
    CUresult result = passed_or_current(&context);
    if (result != CUDA_SUCCESS) return result;
    pthread_mutex_lock(&stored_values_lock);
    struct stored_value *stored = *find_stored(context, key);
    if (stored) *value = stored->value;
    else result = CUDA_ERROR_INVALID_HANDLE;
    pthread_mutex_unlock(&stored_values_lock);
    return result;
}

UNKNOWN(stored_values, 3)

/* Hooks for profilers: memory in which the runtime looks for a hook, and finds none. */
static void hooks_of_calls(void **room, size_t *size) {
    static char zeros[1024];
    *room = zeros;
    *size = sizeof zeros;
}

static void hooks_of_resources(void **room, size_t *size) {
    static char zeros[16];
    *room = zeros;
    *size = sizeof zeros;
}

UNKNOWN(hooks, 1)
UNKNOWN(hooks, 3)
UNKNOWN(hooks, 4)
UNKNOWN(hooks, 5)

UNKNOWN(threads, 1)
UNKNOWN(threads, 2)
UNKNOWN(threads, 3)

/* Tables begin with their size in bytes, except the one for stored values. */
/* clang-format off */
static const void *const runtime_table[] = {
    (void *)(10 * sizeof(void *)), load_module,  cuDevicePrimaryCtxRetain, runtime_3, runtime_4, runtime_5,
    load_module_with_options,      runtime_starts, load_image_with_options, runtime_9,
};
/* clang-format on */
static const void *const stored_values_table[] = {store_value, erase_value, load_value, stored_values_3};
static const void *const hooks_table[] = {
    (void *)(7 * sizeof(void *)), hooks_1, hooks_of_calls, hooks_3, hooks_4, hooks_5, hooks_of_resources,
};
static const void *const threads_table[] = {(void *)(4 * sizeof(void *)), threads_1, threads_2, threads_3};

/* clang-format off */
static const struct {
    CUuuid id;
    const void *table;
} tables[] = {
    {{{'\x6b', '\xd5', '\xfb', '\x6c', '\x5b', '\xf4', '\xe7', '\x4a',
       '\x89', '\x87', '\xd9', '\x39', '\x12', '\xfd', '\x9d', '\xf9'}}, runtime_table},
    {{{'\xc6', '\x93', '\x33', '\x6e', '\x11', '\x21', '\xdf', '\x11',
       '\xa8', '\xc3', '\x68', '\xf3', '\x55', '\xd8', '\x95', '\x93'}}, stored_values_table},
    {{{'\xa0', '\x94', '\x79', '\x8c', '\x2e', '\x74', '\x2e', '\x74',
       '\x93', '\xf2', '\x08', '\x00', '\x20', '\x0c', '\x0a', '\x66'}}, hooks_table},
    {{{'\x42', '\xd8', '\x5a', '\x81', '\x23', '\xf6', '\xcb', '\x47',
       '\x82', '\x98', '\xf6', '\xe7', '\x8a', '\x3a', '\xec', '\xdc'}}, threads_table},
};
/* clang-format on */

static CUresult unknown_table(const CUuuid *id) {
    char what[80] = "cuGetExportTable ";
    size_t length = strlen(what);
    for (int i = 0; i < 16; i++) length += (size_t)sprintf(what + length, "%02x", (unsigned char)id->bytes[i]);
    return unsupported_part(what);
}

DRIVER_API CUresult cuGetExportTable(const void **table, const CUuuid *id) {
    if (!table || !id) return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        if (memcmp(id, &tables[i].id, sizeof *id) == 0) {
            *table = tables[i].table;
            return CUDA_SUCCESS;
        }
    }
    *table = NULL;
    return unknown_table(id);
}
