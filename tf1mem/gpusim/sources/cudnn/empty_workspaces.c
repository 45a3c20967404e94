/* Workspaces of operations other than convolutions (convolutions.c), and dropout's states. All of them take 0 bytes,
 * since nothing is computed. */
#include "cudnn.h"

static int set_empty(size_t *bytes) {
    if (!bytes) return cudnn_status(BAD_PARAM);
    *bytes = 0;
    return cudnn_status(SUCCESS);
}

EXPORT int cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize(
    void *handle, int mode, int operations, void *x, void *z, void *y, void *scale, void *activation, size_t *bytes
) {
    (void)handle, (void)mode, (void)operations, (void)x, (void)z, (void)y, (void)scale, (void)activation;
    return set_empty(bytes);
}

EXPORT int cudnnGetBatchNormalizationBackwardExWorkspaceSize(
    void *handle, int mode, int operations, void *x, void *y, void *dy, void *dz, void *dx, void *scale,
    void *activation, size_t *bytes
) {
    (void)handle, (void)mode, (void)operations, (void)x, (void)y, (void)dy, (void)dz, (void)dx, (void)scale;
    (void)activation;
    return set_empty(bytes);
}

EXPORT int cudnnGetBatchNormalizationTrainingExReserveSpaceSize(
    void *handle, int mode, int operations, void *activation, void *x, size_t *bytes
) {
    (void)handle, (void)mode, (void)operations, (void)activation, (void)x;
    return set_empty(bytes);
}

EXPORT int cudnnDropoutGetStatesSize(void *handle, size_t *bytes) {
    (void)handle;
    return set_empty(bytes);
}

EXPORT int cudnnDropoutGetReserveSpaceSize(void *x, size_t *bytes) {
    (void)x;
    return set_empty(bytes);
}

EXPORT int cudnnGetCTCLossWorkspaceSize(
    void *handle, void *probabilities, void *gradients, const int *labels, const int *label_lengths,
    const int *input_lengths, int algorithm, void *loss, size_t *bytes
) {
    (void)handle, (void)probabilities, (void)gradients, (void)labels, (void)label_lengths, (void)input_lengths;
    (void)algorithm, (void)loss;
    return set_empty(bytes);
}

EXPORT int cudnnGetCTCLossWorkspaceSize_v8(
    void *handle, int algorithm, void *loss, void *probabilities, void *gradients, size_t *bytes
) {
    (void)handle, (void)algorithm, (void)loss, (void)probabilities, (void)gradients;
    return set_empty(bytes);
}
