/* Copies of memory, and cudaMemset. A copy's direction selects the driver's function, which checks the pointers. */
#include "runtime.h"

/* cudaMemcpyKind; BY_ADDRESS is cudaMemcpyDefault, for which the pointers decide. */
enum { HOST_TO_HOST, HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE, BY_ADDRESS };

static CUresult copy(void *to, const void *from, size_t bytes, int direction) {
    switch (direction) {
    case HOST_TO_DEVICE: return cuMemcpyHtoD_v2((CUdeviceptr)to, from, bytes);
    case DEVICE_TO_HOST: return cuMemcpyDtoH_v2(to, (CUdeviceptr)from, bytes);
    case DEVICE_TO_DEVICE: return cuMemcpyDtoD_v2((CUdeviceptr)to, (CUdeviceptr)from, bytes);
    case HOST_TO_HOST:
    case BY_ADDRESS: return cuMemcpy((CUdeviceptr)to, (CUdeviceptr)from, bytes);
    }
    return (CUresult)cudaErrorInvalidMemcpyDirection;
}

static CUresult copy_async(void *to, const void *from, size_t bytes, int direction, CUstream stream) {
    switch (direction) {
    case HOST_TO_DEVICE: return cuMemcpyHtoDAsync_v2((CUdeviceptr)to, from, bytes, stream);
    case DEVICE_TO_HOST: return cuMemcpyDtoHAsync_v2(to, (CUdeviceptr)from, bytes, stream);
    case DEVICE_TO_DEVICE: return cuMemcpyDtoDAsync_v2((CUdeviceptr)to, (CUdeviceptr)from, bytes, stream);
    case HOST_TO_HOST:
    case BY_ADDRESS: return cuMemcpyAsync((CUdeviceptr)to, (CUdeviceptr)from, bytes, stream);
    }
    return (CUresult)cudaErrorInvalidMemcpyDirection;
}

EXPORT cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, int direction) {
    CUresult result = enter_device();
    return answer(result || !bytes ? result : copy(to, from, bytes, direction));
}

EXPORT cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, int direction, cudaStream_t stream) {
    CUresult result = enter_device();
    return answer(result || !bytes ? result : copy_async(to, from, bytes, direction, stream));
}

EXPORT cudaError_t cudaMemcpyPeer(void *to, int to_ordinal, const void *from, int from_ordinal, size_t bytes) {
    (void)to_ordinal; /* with unified addresses the pointer decides */
    (void)from_ordinal;
    return cudaMemcpy(to, from, bytes, DEVICE_TO_DEVICE);
}

EXPORT cudaError_t
cudaMemcpyPeerAsync(void *to, int to_ordinal, const void *from, int from_ordinal, size_t bytes, cudaStream_t stream) {
    (void)to_ordinal;
    (void)from_ordinal;
    return cudaMemcpyAsync(to, from, bytes, DEVICE_TO_DEVICE, stream);
}

EXPORT cudaError_t cudaMemset(void *pointer, int value, size_t count) {
    CUresult result = enter_device();
    return answer(result || !count ? result : cuMemsetD8_v2((CUdeviceptr)pointer, (unsigned char)value, count));
}

EXPORT cudaError_t cudaMemsetAsync(void *pointer, int value, size_t count, cudaStream_t stream) {
    CUresult result = enter_device();
    return answer(
        result || !count ? result : cuMemsetD8Async((CUdeviceptr)pointer, (unsigned char)value, count, stream)
    );
}
