/* Every part of the driver at once, from many threads; test_driver_sanitizers.py compiles and runs this.
 *
 * Exits with 0, or at the first wrong result, whose place it prints.
 */
#include "driver/core/api.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 10, ROUNDS = 60, BYTES = 300000 };

#define MUST(wanted, call)                                                              \
    do {                                                                                \
        CUresult got_ = (call);                                                         \
        if (got_ != (wanted)) {                                                         \
            fprintf(stderr, "%s:%d: %s is %d\n", __FILE__, __LINE__, #call, (int)got_); \
            exit(1);                                                                    \
        }                                                                               \
    } while (0)
#define OK(call) MUST(CUDA_SUCCESS, call)
#define HOLDS(condition)                                                                  \
    do {                                                                                  \
        if (!(condition)) {                                                               \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
            exit(1);                                                                      \
        }                                                                                 \
    } while (0)

static CUcontext primary;

static void fill(unsigned char *bytes, size_t count, unsigned seed) {
    for (size_t i = 0; i < count; i++) bytes[i] = (unsigned char)(seed = seed * 1103515245u + 12345u);
}

/* Round trips of real bytes, in every kind of memory, and frees from many threads. */
static void *memory(void *argument) {
    unsigned seed = (unsigned)(uintptr_t)argument;
    unsigned char *out = malloc(BYTES), *back = malloc(BYTES);
    OK(cuCtxSetCurrent(primary));
    for (int round = 0; round < ROUNDS; round++) {
        size_t bytes = 1 + (seed * 7919u + (unsigned)round * 104729u) % BYTES;
        CUdeviceptr first, second, pooled;
        void *pinned;
        CUstream stream;
        OK(cuStreamCreate(&stream, round % 2));
        OK(cuMemAlloc_v2(&first, bytes));
        OK(round % 3 ? cuMemAlloc_v2(&second, bytes) : cuMemAllocManaged(&second, bytes, 1));
        OK(cuMemAllocAsync(&pooled, bytes, stream));
        OK(cuMemHostAlloc(&pinned, bytes, 0));
        fill(out, bytes, seed + (unsigned)round);
        memcpy(pinned, out, bytes);
        OK(cuMemcpyHtoDAsync_v2(first, pinned, bytes, stream));
        OK(cuMemcpyDtoDAsync_v2(pooled, first, bytes, stream));
        OK(cuMemcpyDtoDAsync_v2(second, pooled, bytes, stream));
        OK(cuMemFreeAsync(pooled, stream));
        MUST(CUDA_ERROR_INVALID_VALUE, cuMemFreeAsync(pooled, stream));
        OK(cuMemcpyDtoHAsync_v2(back, second, bytes, stream));
        OK(cuStreamSynchronize(stream));
        HOLDS(memcmp(out, back, bytes) == 0);
        OK(cuMemsetD8Async(first, 7, bytes, stream));
        OK(cuStreamSynchronize(stream));
        OK(cuMemcpyDtoH_v2(back, first, bytes));
        HOLDS(back[0] == 7 && back[bytes - 1] == 7);
        MUST(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH_v2(back, first + 1, bytes));
        MUST(CUDA_ERROR_INVALID_VALUE, cuMemFree_v2(first + 1));
        OK(cuMemFree_v2(first));
        OK(cuMemFree_v2(second));
        OK(cuMemFreeHost(pinned));
        OK(cuStreamDestroy_v2(stream));
        MUST(CUDA_ERROR_INVALID_HANDLE, cuStreamSynchronize(stream));
    }
    free(out);
    free(back);
    return NULL;
}

struct order {
    atomic_int next;
    atomic_int wrong;
};

struct step {
    struct order *order;
    int number;
};

static void take_step(void *argument) {
    struct step *step = argument;
    if (atomic_fetch_add(&step->order->next, 1) != step->number) atomic_store(&step->order->wrong, 1);
    free(step);
}

/* Host functions of two streams that wait for each other: each step must come in its turn. */
static void *streams(void *argument) {
    (void)argument;
    OK(cuCtxSetCurrent(primary));
    for (int round = 0; round < ROUNDS / 4; round++) {
        struct order order = {0, 0};
        CUstream pair[2];
        CUevent event, start, end;
        float milliseconds;
        OK(cuStreamCreate(&pair[0], 1));
        OK(cuStreamCreate(&pair[1], 1));
        OK(cuEventCreate(&event, 2));
        OK(cuEventCreate(&start, 0));
        OK(cuEventCreate(&end, 0));
        OK(cuEventRecord(start, pair[0]));
        for (int number = 0; number < 20; number++) {
            struct step *step = malloc(sizeof *step);
            *step = (struct step){&order, number};
            OK(cuLaunchHostFunc(pair[number % 2], take_step, step));
            OK(cuEventRecord(event, pair[number % 2]));
            OK(cuStreamWaitEvent(pair[(number + 1) % 2], event, 0));
        }
        OK(cuEventRecord(end, pair[0]));
        CUresult now = cuStreamQuery(pair[0]);
        HOLDS(now == CUDA_SUCCESS || now == CUDA_ERROR_NOT_READY);
        OK(cuEventDestroy_v2(event)); /* while it is waited for */
        OK(cuStreamSynchronize(pair[0]));
        OK(cuStreamSynchronize(pair[1]));
        HOLDS(atomic_load(&order.next) == 20 && !atomic_load(&order.wrong));
        OK(cuEventSynchronize(end));
        OK(cuEventElapsedTime(&milliseconds, start, end));
        HOLDS(milliseconds >= 0);
        OK(cuStreamDestroy_v2(pair[0]));
        OK(cuStreamDestroy_v2(pair[1]));
        OK(cuEventDestroy_v2(start));
        OK(cuEventDestroy_v2(end));
        MUST(CUDA_ERROR_INVALID_HANDLE, cuEventQuery(end));
    }
    return NULL;
}

/* Addresses and physical memory, mapped twice. */
static void *virtual_memory(void *argument) {
    (void)argument;
    const size_t bytes = 4 << 20;
    const CUmemAllocationProp properties = {.type = 1, .location = {CU_MEM_LOCATION_DEVICE, 0}};
    const CUmemAccessDesc access = {{CU_MEM_LOCATION_DEVICE, 0}, CU_MEM_ACCESS_READWRITE};
    OK(cuCtxSetCurrent(primary));
    for (int round = 0; round < ROUNDS / 4; round++) {
        CUdeviceptr address;
        CUmemGenericAllocationHandle handle;
        int number = 42, back = 0;
        OK(cuMemAddressReserve(&address, 2 * bytes, 0, 0, 0));
        OK(cuMemCreate(&handle, bytes, &properties, 0));
        OK(cuMemMap(address, bytes, 0, handle, 0));
        MUST(CUDA_ERROR_INVALID_VALUE, cuMemMap(address, bytes, 0, handle, 0));
        OK(cuMemMap(address + bytes, bytes, 0, handle, 0));
        MUST(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD_v2(address, &number, sizeof number));
        OK(cuMemSetAccess(address, 2 * bytes, &access, 1));
        OK(cuMemRelease(handle));
        MUST(CUDA_ERROR_INVALID_VALUE, cuMemRelease(handle));
        OK(cuMemcpyHtoD_v2(address + 100, &number, sizeof number));
        OK(cuMemcpyDtoH_v2(&back, address + bytes + 100, sizeof back));
        HOLDS(back == number);
        MUST(CUDA_ERROR_INVALID_VALUE, cuMemAddressFree(address, 2 * bytes));
        OK(cuMemUnmap(address, 2 * bytes));
        OK(cuMemAddressFree(address, 2 * bytes));
        MUST(CUDA_ERROR_INVALID_VALUE, cuMemAddressFree(address, 2 * bytes));
    }
    return NULL;
}

static void *modules(void *argument) {
    (void)argument;
    OK(cuCtxSetCurrent(primary));
    for (int round = 0; round < ROUNDS; round++) {
        CUmodule module;
        CUfunction function, again;
        OK(cuModuleLoadData(&module, "image"));
        OK(cuModuleGetFunction(&function, module, "kernel"));
        OK(cuModuleGetFunction(&again, module, "kernel"));
        HOLDS(function == again);
        OK(cuLaunchKernel(function, 1, 1, 1, 128, 1, 1, 0, NULL, NULL, NULL));
        MUST(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(function, 1, 1, 1, 2048, 1, 1, 0, NULL, NULL, NULL));
        OK(cuModuleUnload(module));
        MUST(CUDA_ERROR_INVALID_HANDLE, cuLaunchKernel(function, 1, 1, 1, 128, 1, 1, 0, NULL, NULL, NULL));
    }
    return NULL;
}

/* Contexts of a thread's own, destroyed with memory in them. */
static void *contexts(void *argument) {
    (void)argument;
    for (int round = 0; round < ROUNDS; round++) {
        CUcontext context, popped;
        CUdeviceptr address;
        CUstream stream;
        OK(cuCtxCreate_v2(&context, 0, 1));
        for (int depth = 0; depth < 20; depth++) OK(cuCtxPushCurrent_v2(context));
        OK(cuMemAlloc_v2(&address, 12345));
        OK(cuStreamCreate(&stream, 0));
        OK(cuMemsetD8Async(address, 1, 12345, stream));
        for (int depth = 0; depth < 20; depth++) OK(cuCtxPopCurrent_v2(&popped));
        HOLDS(popped == context);
        OK(cuCtxDestroy_v2(context));
        MUST(CUDA_ERROR_CONTEXT_IS_DESTROYED, cuCtxSetCurrent(context));
        OK(cuCtxSetCurrent(primary));
        MUST(CUDA_ERROR_INVALID_VALUE, cuMemFree_v2(address));
        MUST(CUDA_ERROR_CONTEXT_IS_DESTROYED, cuStreamSynchronize(stream));
        OK(cuStreamDestroy_v2(stream));
        OK(cuCtxSetCurrent(NULL));
    }
    return NULL;
}

static void *pools(void *argument) {
    const CUmemPoolProps properties = {.allocType = 1, .location = {CU_MEM_LOCATION_DEVICE, 0}};
    (void)argument;
    OK(cuCtxSetCurrent(primary));
    for (int round = 0; round < ROUNDS; round++) {
        CUmemoryPool pool;
        CUdeviceptr one, two;
        uint64_t threshold = ~0ull, used, reserved;
        OK(cuMemPoolCreate(&pool, &properties));
        OK(cuMemPoolSetAttribute(pool, 4, &threshold));
        OK(cuMemAllocFromPoolAsync(&one, 1000, pool, NULL));
        OK(cuMemAllocFromPoolAsync(&two, 500, pool, NULL));
        OK(cuMemFreeAsync(one, NULL));
        OK(cuStreamSynchronize(NULL));
        OK(cuMemPoolGetAttribute(pool, 7, &used));
        OK(cuMemPoolGetAttribute(pool, 5, &reserved));
        HOLDS(used == 500 && reserved == 1500);
        OK(cuMemPoolDestroy(pool));
        MUST(CUDA_ERROR_INVALID_VALUE, cuMemPoolTrimTo(pool, 0));
        OK(cuMemFree_v2(two));
    }
    return NULL;
}

/* Each thread captures, launches and updates graphs of its own. */
static void *graphs(void *argument) {
    (void)argument;
    OK(cuCtxSetCurrent(primary));
    for (int round = 0; round < ROUNDS / 4; round++) {
        CUstream stream;
        CUdeviceptr address;
        CUgraph graph, clone;
        CUgraphExec executable;
        CUgraphExecUpdateResultInfo info;
        unsigned char back[100];
        struct order order = {0, 0};
        OK(cuStreamCreate(&stream, 1));
        OK(cuMemAlloc_v2(&address, sizeof back));
        OK(cuStreamBeginCapture_v2(stream, 1));
        OK(cuMemsetD8Async(address, 5, sizeof back, stream));
        OK(cuMemsetD32Async(address, 0x07070707, 5, stream));
        OK(cuStreamEndCapture(stream, &graph));
        OK(cuGraphClone(&clone, graph));
        OK(cuGraphInstantiateWithFlags(&executable, graph, 0));
        OK(cuGraphDestroy(graph));
        OK(cuGraphExecUpdate_v2(executable, clone, &info));
        OK(cuGraphDestroy(clone));
        struct step *step = malloc(sizeof *step);
        *step = (struct step){&order, 0};
        OK(cuLaunchHostFunc(stream, take_step, step));
        OK(cuGraphLaunch(executable, stream));
        OK(cuGraphExecDestroy(executable)); /* while it is waited for */
        OK(cuMemcpyDtoHAsync_v2(back, address, sizeof back, stream));
        HOLDS(back[0] == 7 && back[19] == 7 && back[20] == 5 && back[99] == 5);
        OK(cuMemFree_v2(address));
        OK(cuStreamDestroy_v2(stream));
    }
    return NULL;
}

static void shapes(void) {
    unsigned char host[6][8], back[6][8];
    CUdeviceptr address;
    size_t pitch;
    fill(&host[0][0], sizeof host, 5);
    memset(back, 0, sizeof back);
    OK(cuMemAllocPitch_v2(&address, &pitch, 8, 6, 4));
    CUDA_MEMCPY2D in = {
        .srcMemoryType = CU_MEMORYTYPE_HOST,
        .srcHost = host,
        .srcPitch = 8,
        .dstMemoryType = CU_MEMORYTYPE_DEVICE,
        .dstDevice = address,
        .dstPitch = pitch,
        .WidthInBytes = 8,
        .Height = 6,
    };
    CUDA_MEMCPY3D out = {
        .srcMemoryType = CU_MEMORYTYPE_UNIFIED,
        .srcDevice = address,
        .srcPitch = pitch,
        .srcHeight = 3,
        .dstMemoryType = CU_MEMORYTYPE_HOST,
        .dstHost = back,
        .dstPitch = 8,
        .dstHeight = 3,
        .WidthInBytes = 8,
        .Height = 3,
        .Depth = 2,
    };
    OK(cuMemcpy2D_v2(&in));
    OK(cuMemcpy3D_v2(&out));
    HOLDS(memcmp(host, back, sizeof host) == 0);
    in.dstPitch = 4;
    MUST(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D_v2(&in));
    in.dstPitch = ~(size_t)0 / 2;
    MUST(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D_v2(&in));
    OK(cuMemsetD16_v2(address, 0xabcd, 4));
    MUST(CUDA_ERROR_INVALID_VALUE, cuMemsetD16_v2(address + 1, 0xabcd, 4));
    MUST(CUDA_ERROR_INVALID_VALUE, cuMemsetD16_v2(address, 0, ~(size_t)0 / 2));
    OK(cuMemFree_v2(address));
}

static void queries(void) {
    char name[8];
    CUuuid uuid;
    CUdevice device;
    void *function;
    int status;
    const char *text;
    for (int attribute = -1; attribute < 200; attribute++) {
        int value;
        CUresult result = cuDeviceGetAttribute(&value, attribute, 0);
        HOLDS(result == (attribute < 1 || attribute > 135 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS));
    }
    OK(cuDeviceGetName(name, sizeof name, 0));
    HOLDS(strlen(name) == sizeof name - 1);
    OK(cuDeviceGetUuid_v2(&uuid, 0));
    OK(cuDeviceGetByPCIBusId(&device, "0000:02:00.0"));
    HOLDS(device == 1);
    MUST(CUDA_ERROR_INVALID_VALUE, cuDeviceGetByPCIBusId(&device, "no id"));
    OK(cuGetProcAddress_v2("cuMemAlloc", &function, 12000, 0, &status));
    HOLDS(function == (void *)cuMemAlloc_v2);
    MUST(CUDA_ERROR_INVALID_VALUE, cuGetErrorString((CUresult)123456, &text));
}

static void registered(void) {
    unsigned char bytes[1000];
    int type;
    OK(cuMemHostRegister_v2(bytes, sizeof bytes, 0));
    MUST(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, cuMemHostRegister_v2(bytes + 10, 10, 0));
    OK(cuPointerGetAttribute(&type, 2, (uintptr_t)bytes + 999));
    HOLDS(type == CU_MEMORYTYPE_HOST);
    MUST(CUDA_ERROR_INVALID_VALUE, cuMemFreeHost(bytes));
    MUST(CUDA_ERROR_INVALID_VALUE, cuMemFree_v2((uintptr_t)bytes));
    OK(cuMemHostUnregister(bytes));
    MUST(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, cuMemHostUnregister(bytes));
}

int main(void) {
    MUST(CUDA_ERROR_NOT_INITIALIZED, cuDevicePrimaryCtxRetain(&primary, 0));
    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&primary, 0));
    OK(cuCtxSetCurrent(primary));
    queries();
    shapes();
    registered();
    void *(*const works[])(void *) = {memory, streams, virtual_memory, modules, contexts,
                                      pools,  memory,  streams,        graphs,  graphs};
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, works[i], (void *)(uintptr_t)i);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    OK(cuCtxSynchronize());
    size_t left, total;
    OK(cuMemGetInfo_v2(&left, &total));
    HOLDS(left == total);
    OK(cuDevicePrimaryCtxReset_v2(0));
    MUST(CUDA_ERROR_CONTEXT_IS_DESTROYED, cuCtxSynchronize());
    MUST(CUDA_ERROR_INVALID_CONTEXT, cuDevicePrimaryCtxRelease_v2(0));
    return 0;
}
