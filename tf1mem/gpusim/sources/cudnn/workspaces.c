/* The workspaces of convolutions, from their shapes, as tf1mem/estimating/workspaces.py computes them: Winograd for
 * filters of 3x3 at stride 1, and a matrix of all patches ("im2col") for all other filters above 1x1. */
#include "workspaces.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static bool are_computed;

static void read_setting(void) {
    const char *setting = getenv("TF1MEM_SIM_CUDNN_WORKSPACE");
    are_computed = setting && !strcmp(setting, "computed");
}

bool workspaces_are_computed(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_setting);
    return are_computed;
}

int item_bytes_of(int data_type) {
    /* The numbers of cudnnDataType_t for types that haven't four bytes. */
    enum { DOUBLE = 1, HALF = 2, INT8 = 3, UINT8 = 6, BFLOAT16 = 9, INT64 = 10, BOOLEAN = 11, FP8_E4M3 = 12, FP8_E5M2 };
    switch (data_type) {
    case DOUBLE:
    case INT64: return 8;
    case HALF:
    case BFLOAT16: return 2;
    case INT8:
    case UINT8:
    case BOOLEAN:
    case FP8_E4M3:
    case FP8_E5M2: return 1;
    }
    return 4;
}

/* Returns the number of Winograd's tiles, which yield 4 results each, along a dimension. */
static int64_t tiles_of(int64_t size) {
    return (size + 3) / 4;
}

size_t convolution_workspace(
    const struct sizes *input, const struct sizes *filter, const struct sizes *result, const struct steps *steps
) {
    int spatial = steps->count;
    if (spatial < 1 || input->count != spatial + 2 || filter->count != spatial + 2 || result->count != spatial + 2)
        return 0;
    int64_t batch = input->values[0], channels = input->values[1], filters = result->values[1];
    int64_t area = 1, taps = 1; /* the places of a result, and of a filter */
    bool is_dense = true;       /* strides and dilations are 1 */
    bool is_3x3 = spatial == 2;
    for (int i = 0; i < spatial; i++) {
        area *= result->values[i + 2];
        taps *= filter->values[i + 2];
        is_dense = is_dense && steps->strides[i] == 1 && steps->dilations[i] == 1;
        is_3x3 = is_3x3 && filter->values[i + 2] == 3;
    }
    int64_t numbers;
    if (taps == 1) {
        numbers = 0;
    } else if (is_3x3 && is_dense) {
        int64_t tiles = batch * tiles_of(result->values[2]) * tiles_of(result->values[3]);
        numbers = 36 * (tiles * (channels + filters) + channels * filters);
    } else {
        numbers = batch * area * channels * taps;
    }
    return numbers > 0 ? (size_t)numbers * (size_t)input->item_bytes : 0;
}
