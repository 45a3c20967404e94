/* Handles, each with its stream, and the descriptors of cuDNN's older API. */
#include "driver/work/duration.h"
#include "cudnn.h"
#include "settings.h"

#include <stdio.h>
#include <stdlib.h>

struct cudnn {
    CUstream stream;
};

EXPORT int cudnnCreate(cudnnHandle_t *handle) {
    if (!handle) return cudnn_status(BAD_PARAM);
    if (math_enter()) return cudnn_status(NOT_INITIALIZED);
    *handle = calloc(1, sizeof **handle);
    return cudnn_status(*handle ? SUCCESS : ALLOC_FAILED);
}

EXPORT int cudnnDestroy(cudnnHandle_t handle) {
    free(handle);
    return cudnn_status(SUCCESS);
}

EXPORT int cudnnSetStream(cudnnHandle_t handle, CUstream stream) {
    if (!handle) return cudnn_status(BAD_PARAM);
    handle->stream = stream;
    return cudnn_status(SUCCESS);
}

EXPORT int cudnnGetStream(cudnnHandle_t handle, CUstream *stream) {
    if (!handle || !stream) return cudnn_status(BAD_PARAM);
    *stream = handle->stream;
    return cudnn_status(SUCCESS);
}

int cudnn_launch(cudnnHandle_t handle) {
    if (!handle) return cudnn_status(BAD_PARAM);
    return cudnn_status(math_launch(handle->stream) ? EXECUTION_FAILED : SUCCESS);
}

int cudnn_launch_slowly(cudnnHandle_t handle) {
    static const double a_second = 1.0;
    int status = cudnn_launch(handle);
    if (status == cudnn_status(SUCCESS) && sim_launch_takes(handle->stream, a_second))
        return cudnn_status(EXECUTION_FAILED);
    return status;
}

int cudnn_create(void **descriptor) {
    if (!descriptor) return cudnn_status(BAD_PARAM);
    *descriptor = calloc(1, sizeof(struct settings));
    return cudnn_status(*descriptor ? SUCCESS : ALLOC_FAILED);
}

int cudnn_destroy(void *descriptor) {
    free(descriptor);
    return cudnn_status(SUCCESS);
}

int cudnn_set(void *descriptor) {
    (void)descriptor;
    return cudnn_status(SUCCESS);
}

static int store_sizes(struct settings *descriptor, int data_type, int count, const int values[]) {
    if (!descriptor || !values || count < 1 || count > MOST_DIMENSIONS) return cudnn_status(BAD_PARAM);
    descriptor->sizes = (struct sizes){.count = count, .item_bytes = item_bytes_of(data_type)};
    for (int i = 0; i < count; i++) descriptor->sizes.values[i] = values[i];
    return cudnn_status(SUCCESS);
}

EXPORT int cudnnSetTensorNdDescriptor(
    struct settings *tensor, int data_type, int count, const int sizes[], const int strides[]
) {
    (void)strides;
    return store_sizes(tensor, data_type, count, sizes);
}

EXPORT int cudnnSetTensor4dDescriptor(
    struct settings *tensor, int format, int data_type, int batch, int channels, int height, int width
) {
    (void)format;
    return store_sizes(tensor, data_type, 4, (int[]){batch, channels, height, width});
}

EXPORT int cudnnSetTensorNdDescriptorEx(
    struct settings *tensor, int format, int data_type, int count, const int sizes[]
) {
    (void)format;
    return store_sizes(tensor, data_type, count, sizes);
}

EXPORT int cudnnSetTensor4dDescriptorEx(
    struct settings *tensor, int data_type, int batch, int channels, int height, int width, int batch_stride,
    int channel_stride, int row_stride, int column_stride
) {
    (void)batch_stride, (void)channel_stride, (void)row_stride, (void)column_stride;
    return store_sizes(tensor, data_type, 4, (int[]){batch, channels, height, width});
}

EXPORT int cudnnSetFilterNdDescriptor(
    struct settings *filter, int data_type, int format, int count, const int sizes[]
) {
    (void)format;
    return store_sizes(filter, data_type, count, sizes);
}

EXPORT int cudnnSetFilter4dDescriptor(
    struct settings *filter, int data_type, int format, int results, int channels, int height, int width
) {
    (void)format;
    return store_sizes(filter, data_type, 4, (int[]){results, channels, height, width});
}

EXPORT int cudnnSetConvolutionNdDescriptor(
    struct settings *convolution, int count, const int padding[], const int strides[], const int dilations[], int mode,
    int data_type
) {
    (void)padding, (void)mode, (void)data_type;
    if (!convolution || !strides || !dilations || count < 1 || count > MOST_DIMENSIONS) return cudnn_status(BAD_PARAM);
    convolution->steps.count = count;
    for (int i = 0; i < count; i++) {
        convolution->steps.strides[i] = strides[i];
        convolution->steps.dilations[i] = dilations[i];
    }
    return cudnn_status(SUCCESS);
}

EXPORT int cudnnSetConvolution2dDescriptor(
    struct settings *convolution, int padding_height, int padding_width, int stride_height, int stride_width,
    int dilation_height, int dilation_width, int mode, int data_type
) {
    int strides[] = {stride_height, stride_width}, dilations[] = {dilation_height, dilation_width};
    int padding[] = {padding_height, padding_width};
    return cudnnSetConvolutionNdDescriptor(convolution, 2, padding, strides, dilations, mode, data_type);
}

EXPORT int cudnnSetConvolutionMathType(struct settings *convolution, int math_type) {
    if (!convolution) return cudnn_status(BAD_PARAM);
    convolution->math_type = math_type;
    return cudnn_status(SUCCESS);
}

EXPORT int cudnnGetConvolutionMathType(const struct settings *convolution, int *math_type) {
    if (!convolution || !math_type) return cudnn_status(BAD_PARAM);
    *math_type = convolution->math_type;
    return cudnn_status(SUCCESS);
}

/* Kernels don't run, so none fails later. */
EXPORT int cudnnQueryRuntimeError(cudnnHandle_t handle, int *status, int mode, void *tag) {
    (void)mode, (void)tag;
    if (!handle || !status) return cudnn_status(BAD_PARAM);
    *status = cudnn_status(SUCCESS);
    return cudnn_status(SUCCESS);
}

EXPORT const char *cudnnGetErrorString(int status) {
    static const char *const names[] = {
        [SUCCESS] = "CUDNN_STATUS_SUCCESS",
        [NOT_INITIALIZED] = "CUDNN_STATUS_NOT_INITIALIZED",
        [ALLOC_FAILED] = "CUDNN_STATUS_ALLOC_FAILED",
        [BAD_PARAM] = "CUDNN_STATUS_BAD_PARAM",
        [EXECUTION_FAILED] = "CUDNN_STATUS_EXECUTION_FAILED",
        [NOT_SUPPORTED] = "CUDNN_STATUS_NOT_SUPPORTED",
    };
    for (enum status i = SUCCESS; i <= NOT_SUPPORTED; i++)
        if (cudnn_status(i) == status) return names[i];
    return "CUDNN_UNKNOWN_STATUS";
}

EXPORT void cudnnGetLastErrorString(char *message, size_t size) {
    if (message && size) snprintf(message, size, "nothing but the status is known");
}
