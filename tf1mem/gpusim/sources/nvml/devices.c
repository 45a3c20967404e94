/* NVML's functions that find devices and return their properties. */
#include "nvml.h"

#include <stdio.h>
#include <string.h>

nvmlReturn_t nvml_device(nvmlDevice_t device, struct machine **machine, int *gpu) {
    nvmlReturn_t result = nvml_machine(machine);
    if (result) return result;
    for (*gpu = 0; *gpu < (int)(*machine)->gpu_count; ++*gpu)
        if (device == &(*machine)->gpus[*gpu]) return NVML_SUCCESS;
    return NVML_ERROR_INVALID_ARGUMENT;
}

EXPORT nvmlReturn_t nvmlDeviceGetCount_v2(unsigned *count) {
    struct machine *machine;
    nvmlReturn_t result = nvml_machine(&machine);
    if (result) return result;
    if (!count) return NVML_ERROR_INVALID_ARGUMENT;
    *count = machine->gpu_count;
    return NVML_SUCCESS;
}

EXPORT nvmlReturn_t nvmlDeviceGetCount(unsigned *count) {
    return nvmlDeviceGetCount_v2(count);
}

EXPORT nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned index, nvmlDevice_t *device) {
    struct machine *machine;
    nvmlReturn_t result = nvml_machine(&machine);
    if (result) return result;
    if (!device || index >= machine->gpu_count) return NVML_ERROR_INVALID_ARGUMENT;
    *device = &machine->gpus[index];
    return NVML_SUCCESS;
}

EXPORT nvmlReturn_t nvmlDeviceGetHandleByIndex(unsigned index, nvmlDevice_t *device) {
    return nvmlDeviceGetHandleByIndex_v2(index, device);
}

EXPORT nvmlReturn_t nvmlDeviceGetHandleByUUID(const char *uuid, nvmlDevice_t *device) {
    struct machine *machine;
    nvmlReturn_t result = nvml_machine(&machine);
    if (result) return result;
    if (!uuid || !device) return NVML_ERROR_INVALID_ARGUMENT;
    for (unsigned i = 0; i < machine->gpu_count; i++) {
        if (strcasecmp(uuid, machine->gpus[i].uuid) == 0) {
            *device = &machine->gpus[i];
            return NVML_SUCCESS;
        }
    }
    return NVML_ERROR_NOT_FOUND;
}

struct pci {
    unsigned domain, bus, device;
};

/* The domain has four or eight digits, and may be missing. */
static int read_pci(const char *id, struct pci *pci) {
    if (sscanf(id, "%x:%x:%x", &pci->domain, &pci->bus, &pci->device) == 3) return 1;
    pci->domain = 0;
    return sscanf(id, "%x:%x", &pci->bus, &pci->device) == 2;
}

EXPORT nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char *id, nvmlDevice_t *device) {
    struct machine *machine;
    struct pci requested, own;
    nvmlReturn_t result = nvml_machine(&machine);
    if (result) return result;
    if (!id || !device || !read_pci(id, &requested)) return NVML_ERROR_INVALID_ARGUMENT;
    for (unsigned i = 0; i < machine->gpu_count; i++) {
        if (read_pci(machine->gpus[i].pci_bus_id, &own) && memcmp(&requested, &own, sizeof own) == 0) {
            *device = &machine->gpus[i];
            return NVML_SUCCESS;
        }
    }
    return NVML_ERROR_NOT_FOUND;
}

EXPORT nvmlReturn_t nvmlDeviceGetHandleByPciBusId(const char *id, nvmlDevice_t *device) {
    return nvmlDeviceGetHandleByPciBusId_v2(id, device);
}

EXPORT nvmlReturn_t nvmlDeviceGetIndex(nvmlDevice_t device, unsigned *index) {
    struct machine *machine;
    int gpu;
    nvmlReturn_t result = nvml_device(device, &machine, &gpu);
    if (result) return result;
    if (!index) return NVML_ERROR_INVALID_ARGUMENT;
    *index = (unsigned)gpu;
    return NVML_SUCCESS;
}

/* The number of /dev/nvidiaN. */
EXPORT nvmlReturn_t nvmlDeviceGetMinorNumber(nvmlDevice_t device, unsigned *number) {
    return nvmlDeviceGetIndex(device, number);
}

EXPORT nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char *name, unsigned length) {
    struct machine *machine;
    int gpu;
    nvmlReturn_t result = nvml_device(device, &machine, &gpu);
    return result ? result : nvml_text(device->name, name, length);
}

EXPORT nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char *uuid, unsigned length) {
    struct machine *machine;
    int gpu;
    nvmlReturn_t result = nvml_device(device, &machine, &gpu);
    return result ? result : nvml_text(device->uuid, uuid, length);
}

EXPORT nvmlReturn_t nvmlDeviceGetCudaComputeCapability(nvmlDevice_t device, int *major, int *minor) {
    struct machine *machine;
    int gpu;
    nvmlReturn_t result = nvml_device(device, &machine, &gpu);
    if (result) return result;
    if (!major || !minor) return NVML_ERROR_INVALID_ARGUMENT;
    *major = device->compute_major;
    *minor = device->compute_minor;
    return NVML_SUCCESS;
}

struct pci_info_v2 { /* v1 has these fields, too, so both functions fill it */
    char bus_id[16];
    unsigned domain, bus, device, device_id, subsystem_id;
};

struct pci_info_v3 {
    struct pci_info_v2 legacy;
    char bus_id[32];
};

EXPORT nvmlReturn_t nvmlDeviceGetPciInfo_v2(nvmlDevice_t device, struct pci_info_v2 *info) {
    struct machine *machine;
    struct pci pci;
    int gpu;
    nvmlReturn_t result = nvml_device(device, &machine, &gpu);
    if (result) return result;
    if (!info || !read_pci(device->pci_bus_id, &pci)) return NVML_ERROR_INVALID_ARGUMENT;
    *info = (struct pci_info_v2){.domain = pci.domain, .bus = pci.bus, .device = pci.device};
    snprintf(
        info->bus_id, sizeof info->bus_id, "%04X:%02X:%02X.0", pci.domain & 0xffff, pci.bus & 0xff, pci.device & 0xff
    );
    return NVML_SUCCESS;
}

EXPORT nvmlReturn_t nvmlDeviceGetPciInfo(nvmlDevice_t device, struct pci_info_v2 *info) {
    return nvmlDeviceGetPciInfo_v2(device, info);
}

EXPORT nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, struct pci_info_v3 *info) {
    if (!info) return NVML_ERROR_INVALID_ARGUMENT;
    nvmlReturn_t result = nvmlDeviceGetPciInfo_v2(device, &info->legacy);
    if (result) return result;
    snprintf(
        info->bus_id, sizeof info->bus_id, "%08X:%02X:%02X.0", info->legacy.domain, info->legacy.bus,
        info->legacy.device
    );
    return NVML_SUCCESS;
}
