/* The best algorithm and its workspace: there is one algorithm for each computation, and it needs no workspace. */
#include "cudnn.h"

/* In cuDNN's enumeration for each direction of a convolution this number is one of the algorithms. */
enum { THE_ALGORITHM = 1 };

struct performance { /* cudnnConvolutionFwdAlgoPerf_t, and the same for the other directions */
    int algorithm;
    int status;
    float milliseconds;
    size_t bytes;
    int determinism;
    int math_type;
    int reserved[3];
};

static int nothing(size_t *bytes) {
    if (!bytes) return cudnn_status(BAD_PARAM);
    *bytes = 0;
    return cudnn_status(SUCCESS);
}

static int number(int *to, int value) {
    if (!to) return cudnn_status(BAD_PARAM);
    *to = value;
    return cudnn_status(SUCCESS);
}

static int the_algorithm(int requested, int *returned, struct performance *performances) {
    if (requested < 1 || !returned || !performances) return cudnn_status(BAD_PARAM);
    *performances = (struct performance){.algorithm = THE_ALGORITHM, .status = cudnn_status(SUCCESS), .determinism = 1};
    return number(returned, 1);
}

/* the common first arguments: the handle, two tensors, the convolution, a third tensor */
#define OPERATION void *handle, void *first, void *second, void *convolution, void *third
#define UNUSED (void)handle, (void)first, (void)second, (void)convolution, (void)third

#define DIRECTION(name)                                                                                        \
    EXPORT int cudnnGetConvolution##name##AlgorithmMaxCount(void *handle, int *count) {                        \
        (void)handle;                                                                                          \
        return number(count, 1);                                                                               \
    }                                                                                                          \
    EXPORT int cudnnGetConvolution##name##Algorithm(OPERATION, int preference, size_t limit, int *algorithm) { \
        UNUSED, (void)preference, (void)limit;                                                                 \
        return number(algorithm, THE_ALGORITHM);                                                               \
    }                                                                                                          \
    EXPORT int cudnnGetConvolution##name##Algorithm_v7(                                                        \
        OPERATION, int requested, int *returned, struct performance *performances                              \
    ) {                                                                                                        \
        UNUSED;                                                                                                \
        return the_algorithm(requested, returned, performances);                                               \
    }                                                                                                          \
    EXPORT int cudnnFindConvolution##name##Algorithm(                                                          \
        OPERATION, int requested, int *returned, struct performance *performances                              \
    ) {                                                                                                        \
        UNUSED;                                                                                                \
        return the_algorithm(requested, returned, performances);                                               \
    }                                                                                                          \
    EXPORT int cudnnGetConvolution##name##WorkspaceSize(OPERATION, int algorithm, size_t *bytes) {             \
        UNUSED, (void)algorithm;                                                                               \
        return nothing(bytes);                                                                                 \
    }

DIRECTION(Forward)
DIRECTION(BackwardData)
DIRECTION(BackwardFilter)

EXPORT int cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize(
    void *handle, int mode, int operations, void *x, void *z, void *y, void *scale, void *activation, size_t *bytes
) {
    (void)handle, (void)mode, (void)operations, (void)x, (void)z, (void)y, (void)scale, (void)activation;
    return nothing(bytes);
}

EXPORT int cudnnGetBatchNormalizationBackwardExWorkspaceSize(
    void *handle, int mode, int operations, void *x, void *y, void *dy, void *dz, void *dx, void *scale,
    void *activation, size_t *bytes
) {
    (void)handle, (void)mode, (void)operations, (void)x, (void)y, (void)dy, (void)dz, (void)dx, (void)scale;
    (void)activation;
    return nothing(bytes);
}

EXPORT int cudnnGetBatchNormalizationTrainingExReserveSpaceSize(
    void *handle, int mode, int operations, void *activation, void *x, size_t *bytes
) {
    (void)handle, (void)mode, (void)operations, (void)activation, (void)x;
    return nothing(bytes);
}

EXPORT int cudnnDropoutGetStatesSize(void *handle, size_t *bytes) {
    (void)handle;
    return nothing(bytes);
}

EXPORT int cudnnDropoutGetReserveSpaceSize(void *x, size_t *bytes) {
    (void)x;
    return nothing(bytes);
}

EXPORT int cudnnGetCTCLossWorkspaceSize(
    void *handle, void *probabilities, void *gradients, const int *labels, const int *label_lengths,
    const int *input_lengths, int algorithm, void *loss, size_t *bytes
) {
    (void)handle, (void)probabilities, (void)gradients, (void)labels, (void)label_lengths, (void)input_lengths;
    (void)algorithm, (void)loss;
    return nothing(bytes);
}

EXPORT int cudnnGetCTCLossWorkspaceSize_v8(
    void *handle, int algorithm, void *loss, void *probabilities, void *gradients, size_t *bytes
) {
    (void)handle, (void)algorithm, (void)loss, (void)probabilities, (void)gradients;
    return nothing(bytes);
}
