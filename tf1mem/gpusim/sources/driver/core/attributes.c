/* cuDeviceGetAttribute.
 *
 * The figures that differ between GPUs are NVIDIA's published ones for one card of each compute capability, named
 * beside its row. For features that the simulator lacks it answers like a GPU that lacks them, so that no program
 * relies on them.
 */
#include "devices.h"
#include "process.h"
#include "unsupported.h"

#include <stdio.h>

static const struct generation generations[] = {
    {3, 5, 15, 2048, 16, 49152, 49152, 745000, 3004000, 384, 1572864, 3},         /* Tesla K40 */
    {3, 7, 13, 2048, 16, 114688, 49152, 823500, 2505000, 384, 1572864, 3},        /* Tesla K80 */
    {5, 2, 24, 2048, 32, 98304, 49152, 1112000, 3004000, 384, 3145728, 32},       /* Tesla M40 */
    {6, 0, 56, 2048, 32, 65536, 49152, 1328500, 715000, 4096, 4194304, 2},        /* Tesla P100 */
    {6, 1, 28, 2048, 32, 98304, 49152, 1582000, 5505000, 352, 2883584, 32},       /* GeForce GTX 1080 Ti */
    {7, 0, 80, 2048, 32, 98304, 98304, 1530000, 877000, 4096, 6291456, 2},        /* Tesla V100 */
    {7, 5, 40, 1024, 16, 65536, 65536, 1590000, 5001000, 256, 4194304, 32},       /* Tesla T4 */
    {8, 0, 108, 2048, 32, 167936, 166912, 1410000, 1215000, 5120, 41943040, 2},   /* A100 */
    {8, 6, 82, 1536, 16, 102400, 101376, 1695000, 9751000, 384, 6291456, 32},     /* GeForce RTX 3090 */
    {8, 9, 128, 1536, 24, 102400, 101376, 2520000, 10501000, 384, 75497472, 64},  /* GeForce RTX 4090 */
    {9, 0, 132, 2048, 32, 233472, 232448, 1980000, 2619000, 5120, 52428800, 2},   /* H100 */
    {10, 0, 148, 2048, 32, 233472, 232448, 1965000, 3996000, 8192, 132120576, 2}, /* B200 */
    {12, 0, 170, 1536, 24, 102400, 101376, 2407000, 14001000, 512, 100663296, 64} /* GeForce RTX 5090 */
};

const struct generation *device_generation(int gpu) {
    const struct machine_gpu *hardware = &process.machine->gpus[gpu];
    const struct generation *generation = &generations[0];
    for (size_t i = 1; i < sizeof generations / sizeof generations[0]; i++) {
        const struct generation *next = &generations[i];
        if (next->major > hardware->compute_major) break;
        if (next->major == hardware->compute_major && next->minor > hardware->compute_minor) break;
        generation = next;
    }
    return generation;
}

/* Returns the card's own figure, or its generation's if that is 0: not known. */
static int figure(int of_card, int of_generation) {
    return of_card ? of_card : of_generation;
}

int device_multiprocessors(int gpu) {
    return figure(process.machine->gpus[gpu].multiprocessors, device_generation(gpu)->multiprocessors);
}

static int clock_khz(int gpu) {
    return figure(process.machine->gpus[gpu].clock_khz, device_generation(gpu)->clock_khz);
}

enum pci_part { PCI_DOMAIN, PCI_BUS, PCI_DEVICE };

static int pci(int gpu, enum pci_part part) {
    unsigned parts[3] = {0, 0, 0};
    sscanf(process.machine->gpus[gpu].pci_bus_id, "%x:%x:%x", &parts[0], &parts[1], &parts[2]);
    return (int)parts[part];
}

/* By CUdevice_attribute: the values that all GPUs have in common, and -1 for those in the tables above. */
static const int common[] = {
    [0] = -1,
    [1] = MAX_THREADS_PER_BLOCK,
    [2] = MAX_BLOCK_X,
    [3] = MAX_BLOCK_Y,
    [4] = MAX_BLOCK_Z,
    [5] = MAX_GRID_X,
    [6] = MAX_GRID_Y,
    [7] = MAX_GRID_Z,
    [8] = SHARED_PER_BLOCK,
    [9] = CONSTANT_BYTES,
    [10] = WARP,
    [11] = 2147483647, /* MAX_PITCH */
    [12] = REGISTERS_PER_BLOCK,
    [13] = -1, /* CLOCK_RATE */
    [14] = TEXTURE_ALIGNMENT,
    [15] = 1,      /* GPU_OVERLAP */
    [16] = -1,     /* MULTIPROCESSOR_COUNT */
    [17] = 0,      /* KERNEL_EXEC_TIMEOUT */
    [18] = 0,      /* INTEGRATED */
    [19] = 1,      /* CAN_MAP_HOST_MEMORY */
    [20] = 0,      /* COMPUTE_MODE: default */
    [21] = 131072, /* MAXIMUM_TEXTURE1D_WIDTH, and so on up to 29 */
    [22] = 131072,
    [23] = 65536,
    [24] = 16384,
    [25] = 16384,
    [26] = 16384,
    [27] = 32768,
    [28] = 32768,
    [29] = 2048,
    [30] = 512,   /* SURFACE_ALIGNMENT */
    [31] = 1,     /* CONCURRENT_KERNELS */
    [32] = 0,     /* ECC_ENABLED */
    [33] = -1,    /* PCI_BUS_ID */
    [34] = -1,    /* PCI_DEVICE_ID */
    [35] = 0,     /* TCC_DRIVER */
    [36] = -1,    /* MEMORY_CLOCK_RATE */
    [37] = -1,    /* GLOBAL_MEMORY_BUS_WIDTH */
    [38] = -1,    /* L2_CACHE_SIZE */
    [39] = -1,    /* MAX_THREADS_PER_MULTIPROCESSOR */
    [40] = 2,     /* ASYNC_ENGINE_COUNT */
    [41] = 1,     /* UNIFIED_ADDRESSING */
    [42] = 32768, /* MAXIMUM_TEXTURE1D_LAYERED_WIDTH and _LAYERS */
    [43] = 2048,
    [44] = 1, /* CAN_TEX2D_GATHER */
    [45] = 32768,
    [46] = 32768,
    [47] = 8192, /* MAXIMUM_TEXTURE3D_*_ALTERNATE */
    [48] = 8192,
    [49] = 32768,
    [50] = -1,    /* PCI_DOMAIN_ID */
    [51] = 32,    /* TEXTURE_PITCH_ALIGNMENT */
    [52] = 32768, /* textures and surfaces up to 74 */
    [53] = 32768,
    [54] = 2046,
    [55] = 32768,
    [56] = 131072,
    [57] = 65536,
    [58] = 16384,
    [59] = 16384,
    [60] = 16384,
    [61] = 32768,
    [62] = 2048,
    [63] = 32768,
    [64] = 32768,
    [65] = 2048,
    [66] = 32768,
    [67] = 32768,
    [68] = 2046,
    [69] = 268435456,
    [70] = 131072,
    [71] = 65000,
    [72] = 2097120,
    [73] = 32768,
    [74] = 32768,
    [75] = -1,    /* COMPUTE_CAPABILITY_MAJOR */
    [76] = -1,    /* COMPUTE_CAPABILITY_MINOR */
    [77] = 32768, /* MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH */
    [78] = 1,     /* STREAM_PRIORITIES_SUPPORTED */
    [79] = 1,     /* GLOBAL_L1_CACHE_SUPPORTED */
    [80] = 1,     /* LOCAL_L1_CACHE_SUPPORTED */
    [81] = -1,    /* MAX_SHARED_MEMORY_PER_MULTIPROCESSOR */
    [82] = 65536, /* MAX_REGISTERS_PER_MULTIPROCESSOR */
    [83] = 1,     /* MANAGED_MEMORY */
    [84] = 0,     /* MULTI_GPU_BOARD */
    [85] = -1,    /* MULTI_GPU_BOARD_GROUP_ID */
    [86] = 0,     /* HOST_NATIVE_ATOMIC_SUPPORTED */
    [87] = -1,    /* SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO */
    [88] = 0,     /* PAGEABLE_MEMORY_ACCESS */
    [89] = 1,     /* CONCURRENT_MANAGED_ACCESS */
    [90] = 1,     /* COMPUTE_PREEMPTION_SUPPORTED */
    [91] = 1,     /* CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM */
    [92] = 0,     /* CAN_USE_STREAM_MEM_OPS_V1, and the two after it: cuStreamWaitValue is not supported */
    [93] = 0,
    [94] = 0,
    [95] = 1,  /* COOPERATIVE_LAUNCH */
    [96] = 0,  /* COOPERATIVE_MULTI_DEVICE_LAUNCH */
    [97] = -1, /* MAX_SHARED_MEMORY_PER_BLOCK_OPTIN */
    [98] = 0,  /* CAN_FLUSH_REMOTE_WRITES */
    [99] = 1,  /* HOST_REGISTER_SUPPORTED */
    [100] = 0, /* PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES */
    [101] = 0, /* DIRECT_MANAGED_MEM_ACCESS_FROM_HOST */
    [102] = 1, /* VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED */
    [103] = 0, /* HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED: cuMemExportToShareableHandle is not supported */
    [104] = 0, /* HANDLE_TYPE_WIN32_* */
    [105] = 0,
    [106] = -1, /* MAX_BLOCKS_PER_MULTIPROCESSOR */
    [107] = 0,  /* GENERIC_COMPRESSION_SUPPORTED */
    [108] = 0,  /* MAX_PERSISTING_L2_CACHE_SIZE */
    [109] = 0,  /* MAX_ACCESS_POLICY_WINDOW_SIZE */
    [110] = 0,  /* GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED */
    [111] = -1, /* RESERVED_SHARED_MEMORY_PER_BLOCK */
    [112] = 0,  /* SPARSE_CUDA_ARRAY_SUPPORTED */
    [113] = 0,  /* READ_ONLY_HOST_REGISTER_SUPPORTED */
    [114] = 0,  /* TIMELINE_SEMAPHORE_INTEROP_SUPPORTED */
    [115] = 1,  /* MEMORY_POOLS_SUPPORTED */
    [116] = 0,  /* GPU_DIRECT_RDMA_* */
    [117] = 0,
    [118] = 0,
    [119] = 0,  /* MEMPOOL_SUPPORTED_HANDLE_TYPES: none */
    [120] = -1, /* CLUSTER_LAUNCH */
    [121] = 0,  /* DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED */
    [122] = 0,  /* CAN_USE_64_BIT_STREAM_MEM_OPS */
    [123] = 0,  /* CAN_USE_STREAM_WAIT_VALUE_NOR */
    [124] = 0,  /* DMA_BUF_SUPPORTED */
    [125] = 0,  /* IPC_EVENT_SUPPORTED */
    [126] = 1,  /* MEM_SYNC_DOMAIN_COUNT */
    [127] = 0,  /* TENSOR_MAP_ACCESS_SUPPORTED */
    [128] = 0,  /* HANDLE_TYPE_FABRIC_SUPPORTED */
    [129] = 0,  /* UNIFIED_FUNCTION_POINTERS */
    [130] = 0,  /* NUMA_CONFIG: none */
    [131] = -1, /* NUMA_ID: -1 for a GPU that isn't a NUMA node */
    [132] = 0,  /* MULTICAST_SUPPORTED */
    [133] = 0,  /* MPS_ENABLED */
    [134] = 0,  /* HOST_NUMA_ID */
    [135] = 0,  /* D3D12_CIG_SUPPORTED */
};

DRIVER_API CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice device) {
    int gpu;
    CUresult result = process_gpu(device, &gpu);
    if (result != CUDA_SUCCESS) return result;
    if (!value) return CUDA_ERROR_INVALID_VALUE;
    const struct machine_gpu *machine_gpu = &process.machine->gpus[gpu];
    const struct generation *generation = device_generation(gpu);
    switch (attribute) {
    case 13: *value = clock_khz(gpu); break;
    case 16: *value = device_multiprocessors(gpu); break;
    case 33: *value = pci(gpu, PCI_BUS); break;
    case 34: *value = pci(gpu, PCI_DEVICE); break;
    case 36: *value = figure(machine_gpu->memory_clock_khz, generation->memory_clock_khz); break;
    case 37: *value = figure(machine_gpu->memory_bus_bits, generation->memory_bus_bits); break;
    case 38: *value = generation->l2_bytes; break;
    case 39: *value = generation->threads_per_multiprocessor; break;
    case 50: *value = pci(gpu, PCI_DOMAIN); break;
    case 75: *value = machine_gpu->compute_major; break;
    case 76: *value = machine_gpu->compute_minor; break;
    case 81: *value = generation->shared_per_multiprocessor; break;
    case 85: *value = device; break;
    case 87: *value = generation->single_to_double; break;
    case 97: *value = generation->shared_per_block; break;
    case 106: *value = generation->blocks_per_multiprocessor; break;
    case 111: *value = machine_gpu->compute_major >= 8 ? 1024 : 0; break;
    case 120: *value = machine_gpu->compute_major >= 9; break;
    default:
        if (attribute < 1 || attribute >= (int)(sizeof common / sizeof common[0])) {
            char name[64];
            snprintf(name, sizeof name, "cuDeviceGetAttribute (attribute %d)", attribute);
            unsupported_part(name);
            return CUDA_ERROR_INVALID_VALUE;
        }
        *value = common[attribute];
    }
    return CUDA_SUCCESS;
}

/* CUdevprop, which the attributes replaced in CUDA 5.0. */
struct properties {
    int max_threads_per_block;
    int max_threads_dim[3];
    int max_grid_size[3];
    int shared_per_block, constant_bytes, simd_width, pitch, registers_per_block, clock_khz, texture_alignment;
};

DRIVER_API CUresult cuDeviceGetProperties(struct properties *properties, CUdevice device) {
    int gpu;
    CUresult result = process_gpu(device, &gpu);
    if (result != CUDA_SUCCESS) return result;
    if (!properties) return CUDA_ERROR_INVALID_VALUE;
    *properties = (struct properties){
        .max_threads_per_block = MAX_THREADS_PER_BLOCK,
        .max_threads_dim = {MAX_BLOCK_X, MAX_BLOCK_Y, MAX_BLOCK_Z},
        .max_grid_size = {MAX_GRID_X, MAX_GRID_Y, MAX_GRID_Z},
        .shared_per_block = SHARED_PER_BLOCK,
        .constant_bytes = CONSTANT_BYTES,
        .simd_width = WARP,
        .pitch = 2147483647,
        .registers_per_block = REGISTERS_PER_BLOCK,
        .clock_khz = clock_khz(gpu),
        .texture_alignment = TEXTURE_ALIGNMENT,
    };
    return CUDA_SUCCESS;
}
