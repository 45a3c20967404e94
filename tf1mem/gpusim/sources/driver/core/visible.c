/* CUDA_VISIBLE_DEVICES, as the driver reads it.
 *
 * From the CUDA C++ Programming Guide, appendix "CUDA Environment Variables": if it isn't set, all GPUs are visible; if
 * it is empty, none. Entries are indices or UUIDs ("GPU-…"); a UUID may be shortened to a prefix that only one GPU has.
 * GPUs are numbered in the order of the entries, and the first invalid entry ends the list.
 *
 * CUDA_DEVICE_ORDER isn't read: the index of a GPU is its place in the machine. The real driver's default is another:
 * it gives index 0 to the fastest GPU.
 *
 * The other rules are from PyTorch, which parses the variable itself to count GPUs without starting the driver, and
 * whose tests record the driver's behavior (torch/cuda/__init__.py, _parse_visible_devices and
 * _transform_uuid_to_ordinals; test/test_cuda_nvml_based_avail.py): an index is parsed like strtol, so that leading
 * spaces and a sign are allowed and text after the digits is ignored; a GPU that is named twice leaves none visible;
 * and a list has either indices or UUIDs: an entry of the other kind ends it.
 */
#include "api.h"

#include "visible.h"

#include <stdlib.h>
#include <string.h>

static const char uuid_prefix[] = "GPU-";

/* Returns the only GPU whose UUID begins with the entry, or -1. */
static int by_uuid(const struct machine *machine, const char *entry, size_t length) {
    int match = -1;
    for (int gpu = 0; gpu < (int)machine->gpu_count; gpu++) {
        const char *uuid = machine->gpus[gpu].uuid;
        if (length > strlen(uuid) || memcmp(uuid, entry, length) != 0) continue;
        if (match >= 0) return -1;
        match = gpu;
    }
    return match;
}

/* Returns the GPU whose index begins the entry, or -1. */
static int by_index(const struct machine *machine, const char *entry) {
    char *end;
    long index = strtol(entry, &end, 10);
    return end == entry || index < 0 || index >= (long)machine->gpu_count ? -1 : (int)index;
}

struct visible visible_gpus(const struct machine *machine, const char *text) {
    struct visible visible = {0};
    if (!text) {
        for (int gpu = 0; gpu < (int)machine->gpu_count; gpu++) visible.gpus[visible.count++] = gpu;
        return visible;
    }
    bool uuids = strncmp(text, uuid_prefix, strlen(uuid_prefix)) == 0;
    for (const char *entry = text; entry; entry = strchr(entry, ',') ? strchr(entry, ',') + 1 : NULL) {
        size_t length = strcspn(entry, ",");
        int gpu = uuids ? (strncmp(entry, uuid_prefix, strlen(uuid_prefix)) == 0 ? by_uuid(machine, entry, length) : -1)
                        : (length ? by_index(machine, entry) : -1);
        if (gpu < 0) break;
        for (int i = 0; i < visible.count; i++) {
            if (visible.gpus[i] == gpu) return (struct visible){0};
        }
        visible.gpus[visible.count++] = gpu;
    }
    return visible;
}
