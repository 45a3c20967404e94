/* Memory of a device, and the processes that hold it. */
#include "nvml.h"

struct memory {
    unsigned long long total, free, used;
};

struct memory_v2 {
    unsigned version;
    unsigned long long total, reserved, free, used;
};
#define MEMORY_V2 (sizeof(struct memory_v2) | 2u << 24)

EXPORT nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, struct memory *memory) {
    struct machine *machine;
    int gpu;
    nvmlReturn_t result = nvml_device(device, &machine, &gpu);
    if (result) return result;
    if (!memory) return NVML_ERROR_INVALID_ARGUMENT;
    sim_lock(machine);
    memory->used = sim_in_use(machine, gpu);
    sim_unlock(machine);
    memory->total = device->total_bytes;
    memory->free = memory->total - memory->used;
    return NVML_SUCCESS;
}

EXPORT nvmlReturn_t nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t device, struct memory_v2 *memory) {
    struct memory plain;
    nvmlReturn_t result = nvmlDeviceGetMemoryInfo(device, &plain);
    if (result) return result;
    if (!memory) return NVML_ERROR_INVALID_ARGUMENT;
    if (memory->version != MEMORY_V2) return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    memory->total = plain.total;
    memory->reserved = 0; /* a simulated driver uses none itself */
    memory->free = plain.free;
    memory->used = plain.used;
    return NVML_SUCCESS;
}

struct process_v1 {
    unsigned pid;
    unsigned long long used_bytes;
};

struct process_v2 {
    unsigned pid;
    unsigned long long used_bytes;
    unsigned gpu_instance, compute_instance; /* for a split GPU only (MIG) */
};

/* Calls `report` for each process that has a context on the GPU, at most `room` times. Returns the number of
 * processes if there isn't room for all, like NVML. */
static nvmlReturn_t running(
    nvmlDevice_t device, unsigned *count, void *infos,
    void (*report)(void *infos, unsigned at, unsigned pid, uint64_t bytes)
) {
    struct machine *machine;
    int gpu;
    nvmlReturn_t result = nvml_device(device, &machine, &gpu);
    if (result) return result;
    if (!count || (*count && !infos)) return NVML_ERROR_INVALID_ARGUMENT;
    unsigned room = *count;
    *count = 0;
    sim_lock(machine);
    for (unsigned i = 0; i < machine->process_count; i++) {
        const struct machine_process *process = &machine->processes[i];
        if (!sim_lives(process) || !process->usage[gpu].used) continue;
        if (*count < room) report(infos, *count, (unsigned)process->pid, process->usage[gpu].reserved);
        ++*count;
    }
    sim_unlock(machine);
    return *count > room ? NVML_ERROR_INSUFFICIENT_SIZE : NVML_SUCCESS;
}

static void write_v1(void *infos, unsigned at, unsigned pid, uint64_t bytes) {
    ((struct process_v1 *)infos)[at] = (struct process_v1){pid, bytes};
}

static void write_v2(void *infos, unsigned at, unsigned pid, uint64_t bytes) {
    ((struct process_v2 *)infos)[at] = (struct process_v2){pid, bytes, ~0u, ~0u};
}

EXPORT nvmlReturn_t nvmlDeviceGetComputeRunningProcesses(nvmlDevice_t device, unsigned *count, void *infos) {
    return running(device, count, infos, write_v1);
}

EXPORT nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v2(nvmlDevice_t device, unsigned *count, void *infos) {
    return running(device, count, infos, write_v2);
}

EXPORT nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t device, unsigned *count, void *infos) {
    return running(device, count, infos, write_v2);
}

static nvmlReturn_t idle(nvmlDevice_t device, void *to, unsigned count, const unsigned *values) {
    struct machine *machine;
    int gpu;
    nvmlReturn_t result = nvml_device(device, &machine, &gpu);
    if (result) return result;
    if (!to) return NVML_ERROR_INVALID_ARGUMENT;
    for (unsigned i = 0; i < count; i++) ((unsigned *)to)[i] = values[i];
    return NVML_SUCCESS;
}

/* A simulated GPU has no load, heat or power of its own: it reports those of an idle card. */
EXPORT nvmlReturn_t nvmlDeviceGetUtilizationRates(nvmlDevice_t device, void *rates) {
    return idle(device, rates, 2, (const unsigned[]){0, 0}); /* in %, of the GPU and of its memory */
}

EXPORT nvmlReturn_t nvmlDeviceGetTemperature(nvmlDevice_t device, int sensor, unsigned *degrees) {
    if (sensor) return NVML_ERROR_INVALID_ARGUMENT;
    return idle(device, degrees, 1, (const unsigned[]){30}); /* in degrees Celsius */
}

EXPORT nvmlReturn_t nvmlDeviceGetPowerUsage(nvmlDevice_t device, unsigned *milliwatts) {
    return idle(device, milliwatts, 1, (const unsigned[]){25000});
}

/* Simulated GPUs draw no graphics. */
EXPORT nvmlReturn_t nvmlDeviceGetGraphicsRunningProcesses(nvmlDevice_t device, unsigned *count, void *infos) {
    struct machine *machine;
    int gpu;
    (void)infos;
    nvmlReturn_t result = nvml_device(device, &machine, &gpu);
    if (result) return result;
    if (!count) return NVML_ERROR_INVALID_ARGUMENT;
    *count = 0;
    return NVML_SUCCESS;
}

EXPORT nvmlReturn_t nvmlDeviceGetGraphicsRunningProcesses_v2(nvmlDevice_t device, unsigned *count, void *infos) {
    return nvmlDeviceGetGraphicsRunningProcesses(device, count, infos);
}

EXPORT nvmlReturn_t nvmlDeviceGetGraphicsRunningProcesses_v3(nvmlDevice_t device, unsigned *count, void *infos) {
    return nvmlDeviceGetGraphicsRunningProcesses(device, count, infos);
}
