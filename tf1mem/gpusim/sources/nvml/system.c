/* NVML itself: its start and end, its versions, its errors, and the names of processes. */
#include "nvml.h"

#include <stdio.h>
#include <string.h>

static int initialised; /* nvmlInit may be called several times; each needs an nvmlShutdown */

EXPORT nvmlReturn_t nvmlInit_v2(void) {
    if (!sim_machine()) return NVML_ERROR_DRIVER_NOT_LOADED;
    __atomic_add_fetch(&initialised, 1, __ATOMIC_RELAXED);
    return NVML_SUCCESS;
}

EXPORT nvmlReturn_t nvmlInit(void) {
    return nvmlInit_v2();
}

EXPORT nvmlReturn_t nvmlInitWithFlags(unsigned flags) {
    (void)flags; /* to start without a GPU, or without attaching to the GPUs: makes no difference here */
    return nvmlInit_v2();
}

EXPORT nvmlReturn_t nvmlShutdown(void) {
    int count = __atomic_load_n(&initialised, __ATOMIC_RELAXED);
    do {
        if (count <= 0) return NVML_ERROR_UNINITIALIZED;
    } while (!__atomic_compare_exchange_n(&initialised, &count, count - 1, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return NVML_SUCCESS;
}

nvmlReturn_t nvml_machine(struct machine **machine) {
    if (__atomic_load_n(&initialised, __ATOMIC_RELAXED) <= 0) return NVML_ERROR_UNINITIALIZED;
    *machine = sim_machine();
    return *machine ? NVML_SUCCESS : NVML_ERROR_DRIVER_NOT_LOADED;
}

nvmlReturn_t nvml_text(const char *text, char *buffer, unsigned length) {
    if (!buffer) return NVML_ERROR_INVALID_ARGUMENT;
    if (strlen(text) >= length) return NVML_ERROR_INSUFFICIENT_SIZE;
    strcpy(buffer, text);
    return NVML_SUCCESS;
}

static nvmlReturn_t system_text(const char *text, char *buffer, unsigned length) {
    struct machine *machine;
    nvmlReturn_t result = nvml_machine(&machine);
    return result ? result : nvml_text(text, buffer, length);
}

EXPORT nvmlReturn_t nvmlSystemGetDriverVersion(char *version, unsigned length) {
    return system_text("580.00.00", version, length); /* 580 is the branch of CUDA 13.0 */
}

EXPORT nvmlReturn_t nvmlSystemGetNVMLVersion(char *version, unsigned length) {
    return system_text("13.580.00.00", version, length);
}

EXPORT nvmlReturn_t nvmlSystemGetCudaDriverVersion(int *version) {
    if (!version) return NVML_ERROR_INVALID_ARGUMENT;
    *version = DRIVER_VERSION;
    return NVML_SUCCESS;
}

EXPORT nvmlReturn_t nvmlSystemGetCudaDriverVersion_v2(int *version) {
    return nvmlSystemGetCudaDriverVersion(version);
}

EXPORT nvmlReturn_t nvmlSystemGetProcessName(unsigned pid, char *name, unsigned length) {
    struct machine *machine;
    nvmlReturn_t result = nvml_machine(&machine);
    if (result) return result;
    if (!name || !length) return NVML_ERROR_INVALID_ARGUMENT;
    char path[64];
    snprintf(path, sizeof path, "/proc/%u/cmdline", pid);
    FILE *file = fopen(path, "re");
    if (!file) return NVML_ERROR_NOT_FOUND;
    size_t read = fread(name, 1, length - 1, file); /* the arguments end with zeros, so the first is the string */
    fclose(file);
    name[read] = 0;
    return NVML_SUCCESS;
}

EXPORT const char *nvmlErrorString(nvmlReturn_t result) {
    switch (result) {
    case NVML_SUCCESS: return "Success";
    case NVML_ERROR_UNINITIALIZED: return "Uninitialized";
    case NVML_ERROR_INVALID_ARGUMENT: return "Invalid Argument";
    case NVML_ERROR_NOT_SUPPORTED: return "Not Supported";
    case NVML_ERROR_NOT_FOUND: return "Not Found";
    case NVML_ERROR_INSUFFICIENT_SIZE: return "Insufficient Size";
    case NVML_ERROR_DRIVER_NOT_LOADED: return "Driver Not Loaded";
    case NVML_ERROR_ARGUMENT_VERSION_MISMATCH: return "Argument version mismatch";
    }
    return "Unknown Error";
}
