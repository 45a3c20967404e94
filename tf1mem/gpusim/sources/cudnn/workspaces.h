/* The workspaces of convolutions: memory that an algorithm needs while it computes. */
#ifndef CUDNN_WORKSPACES_H
#define CUDNN_WORKSPACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MOST_DIMENSIONS = 8 };

/* The sizes of a tensor (batch, channels, then the spatial dimensions) or of a filter (output channels, input channels,
 * then the spatial dimensions). */
struct sizes {
    int count;
    int item_bytes;
    int64_t values[MOST_DIMENSIONS];
};

/* A convolution's strides and dilations, with an entry for each spatial dimension. */
struct steps {
    int count; /* of the spatial dimensions */
    int64_t strides[MOST_DIMENSIONS], dilations[MOST_DIMENSIONS];
};

/* Returns true if convolutions have workspaces in this process: TF1MEM_SIM_CUDNN_WORKSPACE=computed, as of the first
 * call. */
bool workspaces_are_computed(void);

/* Returns the bytes of the workspace that a convolution's faster algorithm needs; 0 if it has only one algorithm, which
 * needs none.
 *
 * input, filter, result: the sizes in the forward convolution, also for a gradient, which needs as much. */
size_t convolution_workspace(
    const struct sizes *input, const struct sizes *filter, const struct sizes *result, const struct steps *steps
);

/* Returns the size of a number in bytes by its cudnnDataType_t. */
int item_bytes_of(int data_type);

#endif
