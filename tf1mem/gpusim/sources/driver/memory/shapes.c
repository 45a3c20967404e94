/* Copies of rows and planes: cuMemcpy2D, cuMemcpy3D. */
#include "driver/core/contexts.h"
#include "copies.h"
#include "driver/core/unsupported.h"

/* The source or the target of a copy, as CUDA_MEMCPY2D and CUDA_MEMCPY3D describe it. */
struct described {
    int type;
    uintptr_t host;
    CUdeviceptr device;
    size_t x, y, z;
    size_t pitch, height;
};

/* Computes the place of a described source or target. Returns false if the description isn't valid. */
static bool describe(const struct described *described, struct extent extent, struct place *place) {
    /* A single row or plane has no next one: a pitch or height of zero then means its own size. */
    size_t pitch = described->pitch ? described->pitch : described->x + extent.width;
    size_t height = described->height ? described->height : described->y + extent.height;
    size_t slice, plane, row, offset;
    if (described->x + extent.width < extent.width || described->y + extent.height < extent.height) return false;
    if (pitch < described->x + extent.width || (extent.depth > 1 && height < described->y + extent.height))
        return false;
    if (__builtin_mul_overflow(pitch, height, &slice) || __builtin_mul_overflow(described->z, slice, &plane) ||
        __builtin_mul_overflow(described->y, pitch, &row) || __builtin_add_overflow(plane, row, &offset) ||
        __builtin_add_overflow(offset, described->x, &offset))
        return false;
    uintptr_t base = described->type == CU_MEMORYTYPE_HOST ? described->host : described->device;
    *place = (struct place){
        .side = described->type == CU_MEMORYTYPE_HOST     ? SIDE_HOST
                : described->type == CU_MEMORYTYPE_DEVICE ? SIDE_DEVICE
                                                          : SIDE_UNIFIED,
        .address = base + offset,
        .pitch = pitch,
        .slice = slice,
    };
    return base != 0 && base + offset >= base;
}

static CUresult copy(
    struct described to, struct described from, struct extent extent, enum copy_order order, CUstream stream
) {
    if (to.type == CU_MEMORYTYPE_ARRAY || from.type == CU_MEMORYTYPE_ARRAY)
        return unsupported_part("cuMemcpy2D, cuMemcpy3D (arrays)");
    if (to.type < CU_MEMORYTYPE_HOST || to.type > CU_MEMORYTYPE_UNIFIED || from.type < CU_MEMORYTYPE_HOST ||
        from.type > CU_MEMORYTYPE_UNIFIED)
        return CUDA_ERROR_INVALID_VALUE;
    if (!extent.width || !extent.height || !extent.depth) return CUDA_SUCCESS;
    struct place target, source;
    if (!describe(&to, extent, &target) || !describe(&from, extent, &source)) return CUDA_ERROR_INVALID_VALUE;
    return copy_shape(target, source, extent, order, stream);
}

static CUresult copy_2d(const CUDA_MEMCPY2D *c, enum copy_order order, CUstream stream) {
    struct context *context;
    CUresult result = context_current(&context);
    if (result != CUDA_SUCCESS) return result;
    if (!c) return CUDA_ERROR_INVALID_VALUE;
    struct described to = {
        .type = c->dstMemoryType,
        .host = (uintptr_t)c->dstHost,
        .device = c->dstDevice,
        .x = c->dstXInBytes,
        .y = c->dstY,
        .pitch = c->dstPitch,
    };
    struct described from = {
        .type = c->srcMemoryType,
        .host = (uintptr_t)c->srcHost,
        .device = c->srcDevice,
        .x = c->srcXInBytes,
        .y = c->srcY,
        .pitch = c->srcPitch,
    };
    return copy(to, from, (struct extent){c->WidthInBytes, c->Height, 1}, order, stream);
}

static CUresult copy_3d(const CUDA_MEMCPY3D *c, enum copy_order order, CUstream stream) {
    struct context *context;
    CUresult result = context_current(&context);
    if (result != CUDA_SUCCESS) return result;
    if (!c || c->srcLOD || c->dstLOD) return CUDA_ERROR_INVALID_VALUE;
    struct described to = {
        .type = c->dstMemoryType,
        .host = (uintptr_t)c->dstHost,
        .device = c->dstDevice,
        .x = c->dstXInBytes,
        .y = c->dstY,
        .z = c->dstZ,
        .pitch = c->dstPitch,
        .height = c->dstHeight,
    };
    struct described from = {
        .type = c->srcMemoryType,
        .host = (uintptr_t)c->srcHost,
        .device = c->srcDevice,
        .x = c->srcXInBytes,
        .y = c->srcY,
        .z = c->srcZ,
        .pitch = c->srcPitch,
        .height = c->srcHeight,
    };
    return copy(to, from, (struct extent){c->WidthInBytes, c->Height, c->Depth}, order, stream);
}

DRIVER_API CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *c) {
    return copy_2d(c, COPY_SYNCHRONOUS, NULL);
}

DRIVER_API CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *c) {
    return copy_2d(c, COPY_SYNCHRONOUS, NULL);
}

DRIVER_API CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *c, CUstream stream) {
    return copy_2d(c, COPY_ASYNCHRONOUS, stream);
}

DRIVER_API CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D *c) {
    return copy_3d(c, COPY_SYNCHRONOUS, NULL);
}

DRIVER_API CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *c, CUstream stream) {
    return copy_3d(c, COPY_ASYNCHRONOUS, stream);
}

/* CUDA_MEMCPY3D_PEER has the layout of CUDA_MEMCPY3D, with the contexts in the reserved fields. */
static CUresult copy_3d_peer(const CUDA_MEMCPY3D *c, enum copy_order order, CUstream stream) {
    if (!c) return copy_3d(c, order, stream);
    CUresult result = context_check(c->reserved0);
    if (result == CUDA_SUCCESS) result = context_check(c->reserved1);
    return result == CUDA_SUCCESS ? copy_3d(c, order, stream) : result;
}

DRIVER_API CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D *c) {
    return copy_3d_peer(c, COPY_SYNCHRONOUS, NULL);
}

DRIVER_API CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D *c, CUstream stream) {
    return copy_3d_peer(c, COPY_ASYNCHRONOUS, stream);
}
