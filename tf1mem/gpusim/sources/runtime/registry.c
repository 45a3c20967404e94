/* Registers the program's kernels, and loads a kernel's binary on a device at its first launch. */
#include "registry.h"

#include <pthread.h>
#include <stdlib.h>

enum { MAX_DEVICES = 16, FIRST_SLOTS = 1 << 14 };

/* The struct that nvcc's host code passes for each source file: fatbinary_section.h of the CUDA toolkit. */
struct wrapper {
    int magic;
    int version;
    const void *image;
    void *unused;
};

struct binary {
    const void *image;
    int gone; /* unregistered: its library was closed */
    CUmodule modules[MAX_DEVICES];
    struct binary *next;
};

struct kernel {
    const void *host_function; /* null for a free slot */
    const char *name;
    struct binary *binary;
    CUfunction *functions; /* one for each device, from the first launch on */
};

/* A hash table with open addressing, whose number of slots is a power of two: TensorFlow registers tens of thousands of
 * kernels while it is imported. */
static struct kernel *slots;
static size_t slot_count, used_slots;
static struct binary *binaries;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Returns a kernel's slot, or the free slot where it belongs. */
static struct kernel *slot_of(const void *host_function) {
    size_t index = ((uintptr_t)host_function >> 4) * 0x9E3779B97F4A7C15u >> 20;
    while (1) {
        struct kernel *kernel = &slots[index++ & (slot_count - 1)];
        if (!kernel->host_function || kernel->host_function == host_function) return kernel;
    }
}

/* Doubles the slots when half of them are used. Returns 0 if there is no memory. */
static int make_room(void) {
    if (slot_count && used_slots * 2 < slot_count) return 1;
    struct kernel *old = slots;
    size_t old_count = slot_count;
    struct kernel *grown = calloc(old_count ? old_count * 2 : FIRST_SLOTS, sizeof *slots);
    if (!grown) return 0;
    slots = grown;
    slot_count = old_count ? old_count * 2 : FIRST_SLOTS;
    for (size_t i = 0; i < old_count; i++)
        if (old[i].host_function) *slot_of(old[i].host_function) = old[i];
    free(old);
    return 1;
}

EXPORT void **__cudaRegisterFatBinary(void *wrapper) {
    struct binary *binary = calloc(1, sizeof *binary);
    if (!binary) return 0;
    binary->image = ((struct wrapper *)wrapper)->image;
    pthread_mutex_lock(&lock);
    binary->next = binaries;
    binaries = binary;
    pthread_mutex_unlock(&lock);
    return (void **)binary;
}

EXPORT void __cudaRegisterFatBinaryEnd(void **handle) {
    (void)handle; /* nothing is loaded before a kernel of it is launched */
}

EXPORT void __cudaUnregisterFatBinary(void **handle) {
    struct binary *binary = (struct binary *)handle;
    pthread_mutex_lock(&lock);
    if (binary) binary->gone = 1;
    pthread_mutex_unlock(&lock);
}

EXPORT char __cudaInitModule(void **handle) {
    (void)handle;
    return 1;
}

EXPORT void __cudaRegisterFunction(
    void **handle, const char *host_function, char *device_function, const char *name, int thread_limit, void *thread,
    void *block, void *block_size, void *grid_size, int *warp_size
) {
    (void)device_function, (void)thread_limit, (void)thread, (void)block, (void)block_size, (void)grid_size;
    (void)warp_size;
    if (!handle) return;
    pthread_mutex_lock(&lock);
    if (make_room()) {
        struct kernel *kernel = slot_of(host_function);
        if (!kernel->host_function) used_slots++;
        free(kernel->functions); /* a library that is loaded again at the same address */
        *kernel = (struct kernel){host_function, name, (struct binary *)handle, 0};
    }
    pthread_mutex_unlock(&lock);
}

/* Variables, textures and surfaces in device code: kernels don't run, so nothing reads them. Copies to and from them
 * (cudaMemcpyToSymbol, cudaGetSymbolAddress) return cudaErrorNotSupported. */
EXPORT void __cudaRegisterVar(void) {}
EXPORT void __cudaRegisterManagedVar(void) {}
EXPORT void __cudaRegisterHostVar(void) {}
EXPORT void __cudaRegisterTexture(void) {}
EXPORT void __cudaRegisterSurface(void) {}

/* Returns a kernel's function on a device, which is loaded at its first use there. The lock must be held. */
static CUresult load(CUfunction *function, struct kernel *kernel, CUdevice device) {
    CUresult result = CUDA_SUCCESS;
    if (!kernel->functions) kernel->functions = calloc(MAX_DEVICES, sizeof *kernel->functions);
    if (!kernel->functions) return CUDA_ERROR_OUT_OF_MEMORY;
    CUmodule *module = &kernel->binary->modules[device];
    if (!kernel->functions[device]) {
        if (!*module) result = cuModuleLoadFatBinary(module, kernel->binary->image);
        if (!result) result = cuModuleGetFunction(&kernel->functions[device], *module, kernel->name);
    }
    *function = kernel->functions[device];
    return result;
}

void kernels_drop(CUdevice device) {
    pthread_mutex_lock(&lock);
    for (struct binary *binary = binaries; binary; binary = binary->next) binary->modules[device] = 0;
    for (size_t i = 0; i < slot_count; i++)
        if (slots[i].functions) slots[i].functions[device] = 0;
    pthread_mutex_unlock(&lock);
}

CUresult kernel_function(CUfunction *function, const void *host_function) {
    CUdevice device;
    CUresult result = enter_device();
    if (!result) result = cuCtxGetDevice(&device);
    if (result) return result;
    pthread_mutex_lock(&lock);
    struct kernel *kernel = slots && host_function ? slot_of(host_function) : 0;
    if (kernel && kernel->host_function && !kernel->binary->gone) result = load(function, kernel, device);
    else result = (CUresult)cudaErrorInvalidDeviceFunction;
    pthread_mutex_unlock(&lock);
    return result;
}
