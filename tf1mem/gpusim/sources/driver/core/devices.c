/* cuDeviceGet and related functions: the devices that CUDA_VISIBLE_DEVICES leaves visible, and their identity. */
#include "devices.h"
#include "process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

DRIVER_API CUresult cuDeviceGetCount(int *count) {
    CUresult result = process_ready();
    if (result != CUDA_SUCCESS) return result;
    if (!count) return CUDA_ERROR_INVALID_VALUE;
    *count = process.visible.count;
    return CUDA_SUCCESS;
}

DRIVER_API CUresult cuDeviceGet(CUdevice *device, int ordinal) {
    int gpu;
    CUresult result = process_gpu(ordinal, &gpu);
    if (result != CUDA_SUCCESS) return result;
    if (!device) return CUDA_ERROR_INVALID_VALUE;
    *device = ordinal;
    return CUDA_SUCCESS;
}

/* Writes as much of the text as fits into `room` bytes, always with a closing zero. */
static CUresult copy_text(char *target, int room, const char *text) {
    if (!target || room <= 0) return CUDA_ERROR_INVALID_VALUE;
    snprintf(target, (size_t)room, "%s", text);
    return CUDA_SUCCESS;
}

DRIVER_API CUresult cuDeviceGetName(char *name, int room, CUdevice device) {
    int gpu;
    CUresult result = process_gpu(device, &gpu);
    return result == CUDA_SUCCESS ? copy_text(name, room, process.machine->gpus[gpu].name) : result;
}

DRIVER_API CUresult cuDeviceGetPCIBusId(char *id, int room, CUdevice device) {
    int gpu;
    CUresult result = process_gpu(device, &gpu);
    return result == CUDA_SUCCESS ? copy_text(id, room, process.machine->gpus[gpu].pci_bus_id) : result;
}

/* Parses "domain:bus:device.function"; the domain or the function may be missing, not both. */
static bool read_pci(const char *text, unsigned parts[4]) {
    char end;
    memset(parts, 0, 4 * sizeof parts[0]);
    return sscanf(text, "%x:%x:%x.%x%c", &parts[0], &parts[1], &parts[2], &parts[3], &end) == 4 ||
           sscanf(text, "%x:%x:%x%c", &parts[0], &parts[1], &parts[2], &end) == 3 ||
           (parts[0] = 0, sscanf(text, "%x:%x.%x%c", &parts[1], &parts[2], &parts[3], &end) == 3);
}

DRIVER_API CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *id) {
    CUresult result = process_ready();
    if (result != CUDA_SUCCESS) return result;
    unsigned address[4], parts[4];
    if (!device || !id || !read_pci(id, address)) return CUDA_ERROR_INVALID_VALUE;
    for (CUdevice ordinal = 0; ordinal < process.visible.count; ordinal++) {
        const struct machine_gpu *gpu = &process.machine->gpus[process.visible.gpus[ordinal]];
        if (!read_pci(gpu->pci_bus_id, parts) || memcmp(parts, address, sizeof parts) != 0) continue;
        *device = ordinal;
        return CUDA_SUCCESS;
    }
    return CUDA_ERROR_INVALID_DEVICE;
}

static CUresult uuid(CUuuid *uuid, CUdevice device) {
    int gpu;
    CUresult result = process_gpu(device, &gpu);
    if (result != CUDA_SUCCESS) return result;
    if (!uuid) return CUDA_ERROR_INVALID_VALUE;
    const char *next = process.machine->gpus[gpu].uuid + strlen("GPU-");
    for (int i = 0; i < 16; i++) {
        unsigned byte = 0;
        if (*next == '-') next++;
        if (sscanf(next, "%2x", &byte) == 1) next += 2;
        uuid->bytes[i] = (char)byte;
    }
    return CUDA_SUCCESS;
}

DRIVER_API CUresult cuDeviceGetUuid(CUuuid *id, CUdevice device) {
    return uuid(id, device);
}

DRIVER_API CUresult cuDeviceGetUuid_v2(CUuuid *id, CUdevice device) {
    return uuid(id, device);
}

DRIVER_API CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) {
    int gpu;
    CUresult result = process_gpu(device, &gpu);
    if (result != CUDA_SUCCESS) return result;
    if (!bytes) return CUDA_ERROR_INVALID_VALUE;
    *bytes = process.machine->gpus[gpu].total_bytes;
    return CUDA_SUCCESS;
}

DRIVER_API CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device) {
    int gpu;
    CUresult result = process_gpu(device, &gpu);
    if (result != CUDA_SUCCESS) return result;
    if (!major || !minor) return CUDA_ERROR_INVALID_VALUE;
    *major = process.machine->gpus[gpu].compute_major;
    *minor = process.machine->gpus[gpu].compute_minor;
    return CUDA_SUCCESS;
}

/* The GPUs aren't linked with each other: copies between them work, direct access doesn't. */
DRIVER_API CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer) {
    int gpu;
    CUresult result = process_gpu(device, &gpu);
    if (result == CUDA_SUCCESS) result = process_gpu(peer, &gpu);
    if (result != CUDA_SUCCESS) return result;
    if (!can) return CUDA_ERROR_INVALID_VALUE;
    *can = 0;
    return CUDA_SUCCESS;
}

DRIVER_API CUresult cuDeviceGetP2PAttribute(int *value, int attribute, CUdevice device, CUdevice peer) {
    int gpu;
    CUresult result = process_gpu(device, &gpu);
    if (result == CUDA_SUCCESS) result = process_gpu(peer, &gpu);
    if (result != CUDA_SUCCESS) return result;
    if (device == peer) return CUDA_ERROR_INVALID_DEVICE;
    if (!value || attribute < 1 || attribute > 4) return CUDA_ERROR_INVALID_VALUE;
    *value = 0;
    return CUDA_SUCCESS;
}

DRIVER_API CUresult cuDeviceGetExecAffinitySupport(int *supported, int type, CUdevice device) {
    int gpu;
    CUresult result = process_gpu(device, &gpu);
    if (result != CUDA_SUCCESS) return result;
    if (!supported || type != 0) return CUDA_ERROR_INVALID_VALUE;
    *supported = 0;
    return CUDA_SUCCESS;
}
