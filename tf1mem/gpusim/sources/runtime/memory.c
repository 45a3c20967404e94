/* Memory of devices and of the host. Only the driver keeps accounts of it. */
#include "runtime.h"

/* CUpointer_attribute. */
enum {
    POINTER_CONTEXT = 1,
    POINTER_MEMORY_TYPE = 2,
    POINTER_DEVICE = 3,
    POINTER_HOST = 4,
    POINTER_IS_MANAGED = 8,
    POINTER_ORDINAL = 9
};

EXPORT cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes) {
    CUresult result = enter_device();
    return answer(result ? result : cuMemGetInfo_v2(free_bytes, total_bytes));
}

/* For zero bytes the runtime returns a null pointer, while the driver returns an error. */
EXPORT cudaError_t cudaMalloc(void **pointer, size_t bytes) {
    if (!pointer) return answer(CUDA_ERROR_INVALID_VALUE);
    *pointer = 0;
    CUresult result = enter_device();
    return answer(result || !bytes ? result : cuMemAlloc_v2((CUdeviceptr *)pointer, bytes));
}

EXPORT cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height) {
    if (!pointer || !pitch) return answer(CUDA_ERROR_INVALID_VALUE);
    *pointer = 0;
    *pitch = 0;
    CUresult result = enter_device();
    return answer(
        result || !width || !height ? result : cuMemAllocPitch_v2((CUdeviceptr *)pointer, pitch, width, height, 16)
    );
}

EXPORT cudaError_t cudaMallocManaged(void **pointer, size_t bytes, unsigned flags) {
    CUresult result = enter_device();
    return answer(result ? result : cuMemAllocManaged((CUdeviceptr *)pointer, bytes, flags));
}

EXPORT cudaError_t cudaFree(void *pointer) {
    CUresult result = enter_device(); /* many programs start a device by cudaFree(0) */
    return answer(result || !pointer ? result : cuMemFree_v2((CUdeviceptr)pointer));
}

EXPORT cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned flags) {
    if (!pointer) return answer(CUDA_ERROR_INVALID_VALUE);
    *pointer = 0;
    CUresult result = enter_device();
    return answer(result || !bytes ? result : cuMemHostAlloc(pointer, bytes, flags));
}

EXPORT cudaError_t cudaMallocHost(void **pointer, size_t bytes) {
    return cudaHostAlloc(pointer, bytes, 0);
}

EXPORT cudaError_t cudaFreeHost(void *pointer) {
    CUresult result = enter_device();
    return answer(result || !pointer ? result : cuMemFreeHost(pointer));
}

EXPORT cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned flags) {
    CUresult result = enter_device();
    return answer(result ? result : cuMemHostGetDevicePointer_v2((CUdeviceptr *)device, host, flags));
}

EXPORT cudaError_t cudaHostGetFlags(unsigned *flags, void *host) {
    CUresult result = enter_device();
    return answer(result ? result : cuMemHostGetFlags(flags, host));
}

EXPORT cudaError_t cudaHostRegister(void *host, size_t bytes, unsigned flags) {
    CUresult result = enter_device();
    return answer(result ? result : cuMemHostRegister_v2(host, bytes, flags));
}

EXPORT cudaError_t cudaHostUnregister(void *host) {
    CUresult result = enter_device();
    return answer(result ? result : cuMemHostUnregister(host));
}

/* cudaPointerAttributes of CUDA 11 and up. CUDA 10's also has memoryType, which `type` has replaced, at the start,
 * and isManaged at the end. */
struct pointer_attributes {
    int type; /* cudaMemoryType: 0 not registered, 1 host, 2 device, 3 managed */
    int device;
    void *device_pointer;
    void *host_pointer;
};

struct pointer_attributes_10 {
    int memory_type;
    int type;
    int device;
    void *device_pointer;
    void *host_pointer;
    int is_managed;
};

EXPORT cudaError_t cudaPointerGetAttributes(void *attributes, const void *pointer) {
    if (!attributes) return answer(CUDA_ERROR_INVALID_VALUE);
    CUresult result = enter_device();
    if (result) return answer(result);
    struct pointer_attributes known = {0, -2, 0, 0}; /* -2: cudaInvalidDeviceId */
    CUdeviceptr address = (CUdeviceptr)pointer;
    unsigned type, managed = 0;
    result = cuPointerGetAttribute(&type, POINTER_MEMORY_TYPE, address);
    if (!result) {
        cuPointerGetAttribute(&managed, POINTER_IS_MANAGED, address);
        known.type = managed ? 3 : (int)type;
        cuPointerGetAttribute(&known.device, POINTER_ORDINAL, address);
        cuPointerGetAttribute(&known.device_pointer, POINTER_DEVICE, address);
        cuPointerGetAttribute(&known.host_pointer, POINTER_HOST, address);
    } else if (runtime_version < 11000) {
        return answer(result); /* memory unknown to CUDA is an error up to CUDA 10 */
    } else {
        known.host_pointer = (void *)pointer;
    }
    if (runtime_version < 11000)
        *(struct pointer_attributes_10 *)attributes =
            (struct pointer_attributes_10){known.type == 1 ? 1 : 2, known.type,         known.device,
                                           known.device_pointer,    known.host_pointer, managed != 0};
    else *(struct pointer_attributes *)attributes = known;
    return answer(CUDA_SUCCESS);
}

EXPORT cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t bytes, int ordinal, cudaStream_t stream) {
    CUresult result = enter_device();
    return answer(result ? result : cuMemPrefetchAsync((CUdeviceptr)pointer, bytes, ordinal, stream));
}

EXPORT cudaError_t cudaMemAdvise(const void *pointer, size_t bytes, int advice, int ordinal) {
    CUresult result = enter_device();
    return answer(result ? result : cuMemAdvise((CUdeviceptr)pointer, bytes, advice, ordinal));
}
