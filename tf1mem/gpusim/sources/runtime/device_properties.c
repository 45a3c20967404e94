/* cudaGetDeviceProperties: the driver's attributes, in the struct of each CUDA version. */
#include "runtime.h"

#include <string.h>

/* From driver_types.h of CUDA 10.0, 11 and 12. The first fields are the same in all; from the size of the L2 cache
 * on, CUDA 11 inserted fields. For a field that is a driver's attribute, the tables below have its number. */
#define FIELDS_OF_ALL               \
    char name[256];                 \
    unsigned char uuid[16];         \
    char luid[8];                   \
    unsigned luid_device_node_mask; \
    size_t total_bytes;             \
    size_t shared_bytes_per_block;  \
    int registers_per_block;        \
    int warp_size;                  \
    size_t pitch_bytes;             \
    int threads_per_block;          \
    int block_size[3];              \
    int grid_size[3];               \
    int clock_khz;                  \
    size_t constant_bytes;          \
    int major;                      \
    int minor;                      \
    size_t texture_alignment;       \
    size_t texture_pitch_alignment; \
    int device_overlap;             \
    int multiprocessors;            \
    int kernel_timeout;             \
    int integrated;                 \
    int can_map_host_memory;        \
    int compute_mode;               \
    int textures_and_surfaces[40];  \
    size_t surface_alignment;       \
    int concurrent_kernels;         \
    int ecc;                        \
    int pci_bus;                    \
    int pci_device;                 \
    int pci_domain;                 \
    int tcc_driver;                 \
    int async_engines;              \
    int unified_addressing;         \
    int memory_clock_khz;           \
    int memory_bus_bits;            \
    int l2_cache_bytes;

/* The other structs repeat these fields: after a member of this type, with padding at its end, theirs would shift. */
struct head {
    FIELDS_OF_ALL
};

#define FIELDS_OF_ALL_AFTER_THE_CACHE       \
    int threads_per_multiprocessor;         \
    int stream_priorities;                  \
    int global_l1_cache;                    \
    int local_l1_cache;                     \
    size_t shared_bytes_per_multiprocessor; \
    int registers_per_multiprocessor;       \
    int managed_memory;                     \
    int multi_gpu_board;                    \
    int multi_gpu_board_group;              \
    int host_native_atomics;                \
    int single_to_double_ratio;             \
    int pageable_memory_access;             \
    int concurrent_managed_access;          \
    int compute_preemption;                 \
    int host_pointer_for_registered;        \
    int cooperative_launch;                 \
    int cooperative_multi_device_launch;    \
    size_t shared_bytes_per_block_optin;    \
    int pageable_uses_host_page_tables;     \
    int direct_managed_from_host;

struct properties_10 {
    FIELDS_OF_ALL
    FIELDS_OF_ALL_AFTER_THE_CACHE
};

struct properties_11 {
    FIELDS_OF_ALL
    int persisting_l2_bytes;
    FIELDS_OF_ALL_AFTER_THE_CACHE
    int blocks_per_multiprocessor;
    int access_policy_window_bytes;
    size_t reserved_shared_bytes_per_block;
};

struct properties_12 {
    struct properties_11 common; /* ends without padding */
    int host_register;
    int sparse_arrays;
    int host_register_read_only;
    int timeline_semaphores;
    int memory_pools;
    int gpu_direct_rdma;
    unsigned gpu_direct_rdma_flush_options;
    int gpu_direct_rdma_ordering;
    unsigned memory_pool_handle_types;
    int deferred_mapping_arrays;
    int ipc_events;
    int cluster_launch;
    int unified_function_pointers;
    int reserved[63];
};

/* The compiler gave these sizes for CUDA's own headers. A larger struct would overrun the program's. */
_Static_assert(offsetof(struct head, textures_and_surfaces) == 408, "as cudaDeviceProp.maxTexture1D");
_Static_assert(sizeof(struct properties_10) == 712, "as sizeof(cudaDeviceProp) in CUDA 10");
_Static_assert(sizeof(struct properties_11) == 728, "as sizeof(cudaDeviceProp) in CUDA 11");
_Static_assert(sizeof(struct properties_12) == 1032, "as sizeof(cudaDeviceProp) in CUDA 12");

struct field {
    int attribute; /* CUdevice_attribute */
    unsigned short offset;
    unsigned short size;
};
#define FIELD(type, number, member) {number, offsetof(type, member), sizeof(((type *)0)->member)}

static const struct field head_fields[] = {
    FIELD(struct head, 8, shared_bytes_per_block),
    FIELD(struct head, 12, registers_per_block),
    FIELD(struct head, 10, warp_size),
    FIELD(struct head, 11, pitch_bytes),
    FIELD(struct head, 1, threads_per_block),
    FIELD(struct head, 2, block_size[0]),
    FIELD(struct head, 3, block_size[1]),
    FIELD(struct head, 4, block_size[2]),
    FIELD(struct head, 5, grid_size[0]),
    FIELD(struct head, 6, grid_size[1]),
    FIELD(struct head, 7, grid_size[2]),
    FIELD(struct head, 13, clock_khz),
    FIELD(struct head, 9, constant_bytes),
    FIELD(struct head, 75, major),
    FIELD(struct head, 76, minor),
    FIELD(struct head, 14, texture_alignment),
    FIELD(struct head, 51, texture_pitch_alignment),
    FIELD(struct head, 15, device_overlap),
    FIELD(struct head, 16, multiprocessors),
    FIELD(struct head, 17, kernel_timeout),
    FIELD(struct head, 18, integrated),
    FIELD(struct head, 19, can_map_host_memory),
    FIELD(struct head, 20, compute_mode),
    FIELD(struct head, 30, surface_alignment),
    FIELD(struct head, 31, concurrent_kernels),
    FIELD(struct head, 32, ecc),
    FIELD(struct head, 33, pci_bus),
    FIELD(struct head, 34, pci_device),
    FIELD(struct head, 50, pci_domain),
    FIELD(struct head, 35, tcc_driver),
    FIELD(struct head, 40, async_engines),
    FIELD(struct head, 41, unified_addressing),
    FIELD(struct head, 36, memory_clock_khz),
    FIELD(struct head, 37, memory_bus_bits),
    FIELD(struct head, 38, l2_cache_bytes),
};

/* FIELDS_OF_ALL_AFTER_THE_CACHE with the numbers of their attributes, for the structs of CUDA 10 and 11. */
#define FIELDS_OF_BOTH(type)                                                                                           \
    FIELD(type, 39, threads_per_multiprocessor), FIELD(type, 78, stream_priorities), FIELD(type, 79, global_l1_cache), \
        FIELD(type, 80, local_l1_cache), FIELD(type, 81, shared_bytes_per_multiprocessor),                             \
        FIELD(type, 82, registers_per_multiprocessor), FIELD(type, 83, managed_memory),                                \
        FIELD(type, 84, multi_gpu_board), FIELD(type, 85, multi_gpu_board_group),                                      \
        FIELD(type, 86, host_native_atomics), FIELD(type, 87, single_to_double_ratio),                                 \
        FIELD(type, 88, pageable_memory_access), FIELD(type, 89, concurrent_managed_access),                           \
        FIELD(type, 90, compute_preemption), FIELD(type, 91, host_pointer_for_registered),                             \
        FIELD(type, 95, cooperative_launch), FIELD(type, 96, cooperative_multi_device_launch),                         \
        FIELD(type, 97, shared_bytes_per_block_optin), FIELD(type, 100, pageable_uses_host_page_tables),               \
        FIELD(type, 101, direct_managed_from_host)

static const struct field fields_10[] = {FIELDS_OF_BOTH(struct properties_10)};
static const struct field fields_11[] = {
    FIELDS_OF_BOTH(struct properties_11),
    FIELD(struct properties_11, 108, persisting_l2_bytes),
    FIELD(struct properties_11, 106, blocks_per_multiprocessor),
    FIELD(struct properties_11, 109, access_policy_window_bytes),
    FIELD(struct properties_11, 111, reserved_shared_bytes_per_block),
};
static const struct field fields_12[] = {
    FIELD(struct properties_12, 99, host_register),
    FIELD(struct properties_12, 112, sparse_arrays),
    FIELD(struct properties_12, 113, host_register_read_only),
    FIELD(struct properties_12, 114, timeline_semaphores),
    FIELD(struct properties_12, 115, memory_pools),
    FIELD(struct properties_12, 116, gpu_direct_rdma),
    FIELD(struct properties_12, 117, gpu_direct_rdma_flush_options),
    FIELD(struct properties_12, 118, gpu_direct_rdma_ordering),
    FIELD(struct properties_12, 119, memory_pool_handle_types),
    FIELD(struct properties_12, 120, cluster_launch),
    FIELD(struct properties_12, 121, deferred_mapping_arrays),
    FIELD(struct properties_12, 125, ipc_events),
    FIELD(struct properties_12, 129, unified_function_pointers),
};

static CUresult fill(void *properties, const struct field *fields, size_t count, CUdevice device) {
    for (size_t i = 0; i < count; i++) {
        int value = 0;
        CUresult result = cuDeviceGetAttribute(&value, fields[i].attribute, device);
        /* If the driver doesn't know an attribute of a newer CUDA, the field stays 0. */
        if (result && result != CUDA_ERROR_INVALID_VALUE) return result;
        size_t wide = (unsigned)value;
        void *field = (char *)properties + fields[i].offset;
        if (fields[i].size == sizeof wide) memcpy(field, &wide, sizeof wide);
        else memcpy(field, &value, sizeof value);
    }
    return CUDA_SUCCESS;
}
#define FILL(properties, fields, device) fill(properties, fields, sizeof fields / sizeof *fields, device)

static cudaError_t get_properties(void *properties, int ordinal, int version) {
    CUdevice device;
    if (!properties) return answer(CUDA_ERROR_INVALID_VALUE);
    CUresult result = enter_driver();
    if (!result) result = cuDeviceGet(&device, ordinal);
    if (result) return answer(result);
    memset(
        properties, 0,
        version < 11000   ? sizeof(struct properties_10)
        : version < 12000 ? sizeof(struct properties_11)
                          : sizeof(struct properties_12)
    );
    struct head *head = properties;
    result = cuDeviceGetName(head->name, sizeof head->name, device);
    if (!result) result = cuDeviceGetUuid((CUuuid *)head->uuid, device);
    if (!result) result = cuDeviceTotalMem_v2(&head->total_bytes, device);
    if (!result) result = FILL(properties, head_fields, device);
    if (!result) result = version < 11000 ? FILL(properties, fields_10, device) : FILL(properties, fields_11, device);
    if (!result && version >= 12000) result = FILL(properties, fields_12, device);
    return answer(result);
}

EXPORT cudaError_t cudaGetDeviceProperties(void *properties, int ordinal) {
    /* In CUDA 12 the function of this name has the struct of CUDA 11. */
    return get_properties(properties, ordinal, runtime_version < 12000 ? runtime_version : 11080);
}

EXPORT cudaError_t cudaGetDeviceProperties_v2(void *properties, int ordinal) {
    return get_properties(properties, ordinal, 12000);
}
