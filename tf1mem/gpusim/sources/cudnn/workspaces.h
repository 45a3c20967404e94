/* The workspaces of convolutions: memory that an algorithm needs while it computes. */
#ifndef CUDNN_WORKSPACES_H
#define CUDNN_WORKSPACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MOST_DIMENSIONS = 8 };

/* A tensor's or filter's sizes: batch and channels, or output and input channels, first. */
struct sizes {
    int count;
    int item_bytes;
    int64_t values[MOST_DIMENSIONS];
};

/* Its steps: an entry for each dimension of an image. */
struct steps {
    int count;
    int64_t strides[MOST_DIMENSIONS], dilations[MOST_DIMENSIONS];
};

/* Returns true if convolutions have workspaces in this process: TF1MEM_SIM_CUDNN_WORKSPACE=computed, as of the first
 * call. */
bool workspaces_are_computed(void);

/* Returns the bytes of the faster algorithm's workspace; 0 if there is only the one without.
 *
 * input, filter, result: the sizes in a forward convolution; its gradients take the same. */
size_t convolution_workspace(
    const struct sizes *input, const struct sizes *filter, const struct sizes *result, const struct steps *steps
);

/* Returns the size of a number in bytes by its cudnnDataType_t. */
int item_bytes_of(int data_type);

#endif
