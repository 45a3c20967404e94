/* Modules, libraries and their functions: cuModuleLoadData, cuModuleGetFunction and related functions. */
#include "modules.h"

#include "driver/core/handles.h"
#include "driver/core/process.h"
#include "driver/core/unsupported.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct module {
    bool library; /* true for cuLibraryLoadData: it belongs to no context */
    struct context *context;
    uint64_t generation; /* the context's generation when the module was loaded */
    uint32_t runs_on;    /* a bit for each GPU of the machine that has code in the image */
    struct function *functions;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* the lock of every module's functions */

/* The headers of a fatbin and of each entry in it; tf1mem/machine/architectures.py names the sources of this layout. */
struct fatbin {
    uint32_t magic;
    uint16_t version, header_bytes;
    uint64_t entry_bytes; /* of all entries, with their headers */
};

struct entry {
    uint16_t kind, version;
    uint32_t header_bytes;
    uint64_t code_bytes;
    uint32_t unknown[3];
    uint32_t capability; /* 86 for 8.6 */
};

enum { FATBIN_MAGIC = 0xBA55ED50, ENTRY_PTX = 1, ENTRY_MACHINE_CODE = 2 };

/* Machine code runs on GPUs of its major number, from its minor number on; the driver compiles PTX for newer GPUs. */
static bool entry_runs_on(const struct entry *entry, const struct machine_gpu *gpu) {
    uint32_t capability = gpu->compute_major * 10 + gpu->compute_minor;
    if (entry->kind == ENTRY_PTX) return entry->capability <= capability;
    return entry->capability / 10 == capability / 10 && entry->capability <= capability;
}

/* Returns a bit for each GPU that an image has code for. An image that isn't a fatbin counts as code for every GPU. */
static uint32_t gpus_of(const void *image) {
    struct fatbin fatbin;
    struct entry entry;
    uint32_t magic, runs_on = 0;
    bool has_code = false;
    memcpy(&magic, image, sizeof magic);
    if (magic != (uint32_t)FATBIN_MAGIC) return UINT32_MAX;
    memcpy(&fatbin, image, sizeof fatbin);
    const char *next = (const char *)image + fatbin.header_bytes, *end = next + fatbin.entry_bytes;
    for (; (size_t)(end - next) >= sizeof entry; next += entry.header_bytes + entry.code_bytes) {
        memcpy(&entry, next, sizeof entry);
        size_t left = end - next;
        if (entry.header_bytes < sizeof entry || entry.header_bytes > left) break;
        if (entry.kind == ENTRY_PTX || entry.kind == ENTRY_MACHINE_CODE) {
            has_code = true;
            for (uint32_t gpu = 0; gpu < process.machine->gpu_count; gpu++)
                if (entry_runs_on(&entry, &process.machine->gpus[gpu])) runs_on |= 1u << gpu;
        }
        if (entry.code_bytes > left - entry.header_bytes) break;
    }
    return has_code ? runs_on : UINT32_MAX;
}

static CUresult make(struct module **handle, const void *image, uint32_t runs_on, struct context *context) {
    if (!handle || !image) return CUDA_ERROR_INVALID_VALUE;
    if (context && !(runs_on >> context->gpu & 1)) return CUDA_ERROR_NO_BINARY_FOR_GPU;
    struct module *module = calloc(1, sizeof *module);
    if (!module) return CUDA_ERROR_OUT_OF_MEMORY;
    *module = (struct module){
        .library = !context,
        .context = context,
        .generation = context ? context->generation : 0,
        .runs_on = runs_on,
    };
    if (!handle_add(module, HANDLE_MODULE)) {
        free(module);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *handle = module;
    return CUDA_SUCCESS;
}

static CUresult load(CUmodule *module, const void *image) {
    struct context *context;
    CUresult result = context_current(&context);
    return result == CUDA_SUCCESS ? make(module, image, image ? gpus_of(image) : 0, context) : result;
}

static CUresult unload(struct module *module) {
    if (!handle_remove(module, HANDLE_MODULE)) return CUDA_ERROR_INVALID_HANDLE;
    for (struct function *function = module->functions, *next; function; function = next) {
        next = function->next;
        handle_remove(function, HANDLE_FUNCTION);
        free(function);
    }
    free(module);
    return CUDA_SUCCESS;
}

static CUresult module_check(struct module *module, bool library) {
    CUresult result = process_ready();
    if (result != CUDA_SUCCESS) return result;
    if (!handle_is(module, HANDLE_MODULE) || module->library != library) return CUDA_ERROR_INVALID_HANDLE;
    if (module->context && module->generation != module->context->generation) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    return CUDA_SUCCESS;
}

/* Returns the module's function of a name through `handle`. Any name but "" is a function (modules.h): it is created at
 * its first use, and later uses return the same one. */
static CUresult get(struct function **handle, struct module *module, const char *name) {
    if (!handle || !name) return CUDA_ERROR_INVALID_VALUE;
    if (!*name) return CUDA_ERROR_NOT_FOUND;
    CUresult result = CUDA_SUCCESS;
    pthread_mutex_lock(&lock);
    struct function *function = module->functions;
    while (function && strcmp(function->name, name) != 0) function = function->next;
    if (!function) {
        function = calloc(1, sizeof *function + strlen(name) + 1);
        if (function && handle_add(function, HANDLE_FUNCTION)) {
            strcpy(function->name, name);
            function->module = module;
            function->next = module->functions;
            module->functions = function;
        } else {
            free(function);
            result = CUDA_ERROR_OUT_OF_MEMORY;
        }
    }
    if (result == CUDA_SUCCESS) *handle = function;
    pthread_mutex_unlock(&lock);
    return result;
}

CUresult function_check(CUfunction function) {
    CUresult result = process_ready();
    if (result != CUDA_SUCCESS) return result;
    if (!handle_is(function, HANDLE_FUNCTION)) return CUDA_ERROR_INVALID_HANDLE;
    const struct module *module = function->module;
    return module->context && module->generation != module->context->generation ? CUDA_ERROR_CONTEXT_IS_DESTROYED
                                                                                : CUDA_SUCCESS;
}

DRIVER_API CUresult cuModuleLoad(CUmodule *module, const char *path) {
    struct context *context;
    CUresult result = context_current(&context);
    if (result != CUDA_SUCCESS) return result;
    if (path && access(path, R_OK) != 0) return CUDA_ERROR_FILE_NOT_FOUND;
    return make(module, path, UINT32_MAX, context); /* the file isn't read */
}

DRIVER_API CUresult cuModuleLoadData(CUmodule *module, const void *image) {
    return load(module, image);
}

DRIVER_API CUresult
cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count, int *options, void **values) {
    (void)count, (void)options, (void)values; /* options of the PTX compiler */
    return load(module, image);
}

DRIVER_API CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image) {
    return load(module, image);
}

DRIVER_API CUresult cuModuleUnload(CUmodule module) {
    CUresult result = module_check(module, false);
    return result == CUDA_SUCCESS ? unload(module) : result;
}

DRIVER_API CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
    CUresult result = module_check(module, false);
    return result == CUDA_SUCCESS ? get(function, module, name) : result;
}

/* The variables of an image and their sizes aren't known. */
DRIVER_API CUresult cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *bytes, CUmodule module, const char *name) {
    (void)address, (void)bytes, (void)name;
    CUresult result = module_check(module, false);
    if (result != CUDA_SUCCESS) return result;
    unsupported_part("cuModuleGetGlobal");
    return CUDA_ERROR_NOT_FOUND; /* as if the compiler had removed it: the runtime of CUDA 10.0 accepts this error */
}

DRIVER_API CUresult cuModuleGetLoadingMode(int *mode) {
    CUresult result = process_ready();
    if (result != CUDA_SUCCESS) return result;
    if (!mode) return CUDA_ERROR_INVALID_VALUE;
    *mode = 2; /* CU_MODULE_LAZY_LOADING */
    return CUDA_SUCCESS;
}

/* Libraries: modules without a context. Their functions are called kernels, and can be launched directly. */
DRIVER_API CUresult cuLibraryLoadData(
    CUmodule *library, const void *code, int *jit, void **jit_values, unsigned jit_count, int *options, void **values,
    unsigned count
) {
    (void)jit, (void)jit_values, (void)jit_count, (void)options, (void)values, (void)count;
    CUresult result = process_ready();
    return result == CUDA_SUCCESS ? make(library, code, code ? gpus_of(code) : 0, NULL) : result;
}

DRIVER_API CUresult cuLibraryUnload(CUmodule library) {
    CUresult result = module_check(library, true);
    return result == CUDA_SUCCESS ? unload(library) : result;
}

DRIVER_API CUresult cuLibraryGetKernel(CUfunction *kernel, CUmodule library, const char *name) {
    CUresult result = module_check(library, true);
    return result == CUDA_SUCCESS ? get(kernel, library, name) : result;
}

DRIVER_API CUresult cuKernelGetFunction(CUfunction *function, CUfunction kernel) {
    struct context *context;
    CUresult result = context_current(&context);
    if (result == CUDA_SUCCESS) result = function_check(kernel);
    if (result != CUDA_SUCCESS) return result;
    if (!function) return CUDA_ERROR_INVALID_VALUE;
    if (!(kernel->module->runs_on >> context->gpu & 1)) return CUDA_ERROR_NO_BINARY_FOR_GPU;
    *function = kernel;
    return CUDA_SUCCESS;
}

static CUresult name_of(const char **name, CUfunction function) {
    CUresult result = function_check(function);
    if (result != CUDA_SUCCESS) return result;
    if (!name) return CUDA_ERROR_INVALID_VALUE;
    *name = function->name;
    return CUDA_SUCCESS;
}

DRIVER_API CUresult cuKernelGetName(const char **name, CUfunction kernel) {
    return name_of(name, kernel);
}

DRIVER_API CUresult cuFuncGetName(const char **name, CUfunction function) {
    return name_of(name, function);
}

DRIVER_API CUresult cuFuncGetModule(CUmodule *module, CUfunction function) {
    CUresult result = function_check(function);
    if (result != CUDA_SUCCESS) return result;
    if (!module || function->module->library) return CUDA_ERROR_INVALID_VALUE;
    *module = function->module;
    return CUDA_SUCCESS;
}
