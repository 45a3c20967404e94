/* The links of the cards: each is in a PCIe 3.0 slot with 16 lanes. None has NVLink, or is split (MIG); for these
 * NVML answers "not supported", as for real cards without them. */
#include "driver/core/unsupported.h"
#include "nvml.h"

enum { PCIE_GENERATION = 3, PCIE_LANES = 16 };

static nvmlReturn_t constant(nvmlDevice_t device, unsigned value, unsigned *to) {
    struct machine *machine;
    int gpu;
    nvmlReturn_t result = nvml_device(device, &machine, &gpu);
    if (result) return result;
    if (!to) return NVML_ERROR_INVALID_ARGUMENT;
    *to = value;
    return NVML_SUCCESS;
}

EXPORT nvmlReturn_t nvmlDeviceGetCurrPcieLinkGeneration(nvmlDevice_t device, unsigned *generation) {
    return constant(device, PCIE_GENERATION, generation);
}

EXPORT nvmlReturn_t nvmlDeviceGetMaxPcieLinkGeneration(nvmlDevice_t device, unsigned *generation) {
    return constant(device, PCIE_GENERATION, generation);
}

EXPORT nvmlReturn_t nvmlDeviceGetCurrPcieLinkWidth(nvmlDevice_t device, unsigned *lanes) {
    return constant(device, PCIE_LANES, lanes);
}

EXPORT nvmlReturn_t nvmlDeviceGetMaxPcieLinkWidth(nvmlDevice_t device, unsigned *lanes) {
    return constant(device, PCIE_LANES, lanes);
}

static nvmlReturn_t card_has_none(nvmlDevice_t device) {
    struct machine *machine;
    int gpu;
    nvmlReturn_t result = nvml_device(device, &machine, &gpu);
    return result ? result : NVML_ERROR_NOT_SUPPORTED;
}

EXPORT nvmlReturn_t nvmlDeviceGetNvLinkState(nvmlDevice_t device, unsigned link, unsigned *active) {
    (void)link, (void)active;
    return card_has_none(device);
}

EXPORT nvmlReturn_t nvmlDeviceGetNvLinkCapability(nvmlDevice_t device, unsigned link, int capability, unsigned *has) {
    (void)link, (void)capability, (void)has;
    return card_has_none(device);
}

EXPORT nvmlReturn_t nvmlDeviceGetNvLinkRemotePciInfo_v2(nvmlDevice_t device, unsigned link, void *info) {
    (void)link, (void)info;
    return card_has_none(device);
}

EXPORT nvmlReturn_t nvmlDeviceGetNvLinkRemotePciInfo(nvmlDevice_t device, unsigned link, void *info) {
    (void)link, (void)info;
    return card_has_none(device);
}

EXPORT nvmlReturn_t nvmlDeviceGetGpuFabricInfoV(nvmlDevice_t device, void *info) {
    (void)info;
    return card_has_none(device);
}

EXPORT nvmlReturn_t nvmlDeviceGetMigMode(nvmlDevice_t device, unsigned *current, unsigned *pending) {
    (void)current, (void)pending;
    return card_has_none(device);
}

/* Like in cuDeviceCanAccessPeer, no card can access another's memory. */
EXPORT nvmlReturn_t nvmlDeviceGetP2PStatus(nvmlDevice_t device, nvmlDevice_t other, int capability, int *status) {
    enum { CHIPSET_NOT_SUPPORTED = 1 };
    struct machine *machine;
    int gpu;
    (void)capability;
    nvmlReturn_t result = nvml_device(device, &machine, &gpu);
    if (!result) result = nvml_device(other, &machine, &gpu);
    if (result) return result;
    if (!status) return NVML_ERROR_INVALID_ARGUMENT;
    *status = CHIPSET_NOT_SUPPORTED;
    return NVML_SUCCESS;
}

struct field_value { /* nvmlFieldValue_t */
    unsigned field;
    unsigned scope;
    long long timestamp;
    long long latency;
    int type;
    nvmlReturn_t result;
    long long value;
};

/* Counters and states of the links, and of much else. Each field has its own status: none is supported. */
EXPORT nvmlReturn_t nvmlDeviceGetFieldValues(nvmlDevice_t device, int count, struct field_value *values) {
    struct machine *machine;
    int gpu;
    nvmlReturn_t result = nvml_device(device, &machine, &gpu);
    if (result) return result;
    if (count < 1 || !values) return NVML_ERROR_INVALID_ARGUMENT;
    static int reported;
    sim_unsupported(&reported, "nvml", "nvmlDeviceGetFieldValues");
    for (int i = 0; i < count; i++) values[i].result = NVML_ERROR_NOT_SUPPORTED;
    return NVML_SUCCESS;
}
