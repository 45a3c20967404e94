/* cuGetProcAddress: the driver's functions by name and version.
 *
 * A function that has changed has a new name in the driver, but programs request it by its first name: "cuMemAlloc"
 * means cuMemAlloc_v2 for every program compiled with CUDA 3.2 or newer.
 */
#include "api.h"

#include "process.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { FOUND = 0, NOT_FOUND = 1, VERSION_TOO_OLD = 2 };
enum { LEGACY_STREAM = 1, PER_THREAD_STREAM = 2 };

/* The CUDA versions that introduced the later forms of a function. Any other _v2 is from CUDA 4.0 or before. */
static const struct form {
    const char *name;
    const char *suffix;
    int version;
} forms[] = {
    {"cuCtxCreate", "_v3", 11040},
    {"cuCtxCreate", "_v4", 12050},
    {"cuDeviceGetUuid", "_v2", 11040},
    {"cuDevicePrimaryCtxRelease", "_v2", 11000},
    {"cuDevicePrimaryCtxReset", "_v2", 11000},
    {"cuDevicePrimaryCtxSetFlags", "_v2", 11000},
    {"cuEventElapsedTime", "_v2", 12080},
    {"cuGetProcAddress", "_v2", 12000},
    {"cuGraphAddDependencies", "_v2", 12030},
    {"cuGraphAddKernelNode", "_v2", 12000},
    {"cuGraphAddNode", "_v2", 12030},
    {"cuGraphExecKernelNodeSetParams", "_v2", 12000},
    {"cuGraphExecUpdate", "_v2", 12000},
    {"cuGraphGetEdges", "_v2", 12030},
    {"cuGraphInstantiate", "_v2", 11000},
    {"cuGraphKernelNodeGetParams", "_v2", 12000},
    {"cuGraphKernelNodeSetParams", "_v2", 12000},
    {"cuGraphNodeGetDependencies", "_v2", 12030},
    {"cuGraphNodeGetDependentNodes", "_v2", 12030},
    {"cuGraphRemoveDependencies", "_v2", 12030},
    {"cuIpcOpenMemHandle", "_v2", 11000},
    {"cuMemAdvise", "_v2", 12020},
    {"cuMemHostRegister", "_v2", 6050},
    {"cuMemPrefetchAsync", "_v2", 12020},
    {"cuStreamBatchMemOp", "_v2", 11070},
    {"cuStreamBeginCapture", "_v2", 10010},
    {"cuStreamGetCaptureInfo", "_v2", 11030},
    {"cuStreamGetCaptureInfo", "_v3", 12030},
    {"cuStreamGetCtx", "_v2", 12050},
    {"cuStreamUpdateCaptureDependencies", "_v2", 12030},
    {"cuStreamWaitValue32", "_v2", 11070},
    {"cuStreamWaitValue64", "_v2", 11070},
    {"cuStreamWriteValue32", "_v2", 11070},
    {"cuStreamWriteValue64", "_v2", 11070},
};

static int version_of(const char *name, const char *suffix) {
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (strcmp(forms[i].name, name) == 0 && strcmp(forms[i].suffix, suffix) == 0) return forms[i].version;
    }
    return strcmp(suffix, "_v2") == 0 ? 4000 : 0;
}

/* Looks in this library only: another loaded library may have functions of the same names. */
static void *symbol(const char *name) {
    static void *self;
    void *opened = __atomic_load_n(&self, __ATOMIC_ACQUIRE);
    if (!opened) {
        Dl_info info;
        if (!dladdr(&self, &info) || !(opened = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD))) return NULL;
        __atomic_store_n(&self, opened, __ATOMIC_RELEASE);
    }
    return dlsym(opened, name);
}

/* Finds the newest form of a function that a program compiled with a CUDA version knows. */
static int find(const char *name, int version, void **address) {
    static const char *const suffixes[] = {"_v4", "_v3", "_v2", ""};
    int status = NOT_FOUND;
    char full[128];
    /* From CUDA 12 on the name means another function. */
    if (strcmp(name, "cuGraphInstantiate") == 0 && version >= 12000) name = "cuGraphInstantiateWithFlags";
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        snprintf(full, sizeof full, "%s%s", name, suffixes[i]);
        void *function = symbol(full);
        if (!function) continue;
        if (version_of(name, suffixes[i]) <= version) {
            *address = function;
            return FOUND;
        }
        status = VERSION_TOO_OLD;
    }
    return status;
}

static CUresult look_up(const char *name, void **address, int version, uint64_t flags, int *status) {
    if (!name || !*name || !address || flags > (LEGACY_STREAM | PER_THREAD_STREAM)) return CUDA_ERROR_INVALID_VALUE;
    *address = NULL;
    int outcome = strncmp(name, "cu", 2) == 0 ? find(name, version, address) : NOT_FOUND;
    if (status) *status = outcome;
    if (outcome == FOUND) return CUDA_SUCCESS;
    return status ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

DRIVER_API CUresult cuGetProcAddress(const char *name, void **address, int version, uint64_t flags) {
    return look_up(name, address, version, flags, NULL);
}

DRIVER_API CUresult cuGetProcAddress_v2(const char *name, void **address, int version, uint64_t flags, int *status) {
    return look_up(name, address, version, flags, status);
}
