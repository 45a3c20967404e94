/* Convolutions of the older API: each direction has an algorithm without a workspace, and, if workspaces are computed,
 * a faster one with a workspace for filters above 1x1. */
#include "cudnn.h"
#include "settings.h"

enum direction { FORWARD, BACKWARD_DATA, BACKWARD_FILTER };

/* The number of the algorithm without a workspace, in cuDNN's enumeration for each direction. */
enum { PLAIN = 1 };

/* The numbers of the algorithm with a workspace: CUDNN_CONVOLUTION_FWD_ALGO_GEMM,
 * CUDNN_CONVOLUTION_BWD_DATA_ALGO_FFT_TILING and CUDNN_CONVOLUTION_BWD_FILTER_ALGO_3. TensorFlow tries all of these. */
static const int with_workspace[] = {[FORWARD] = 2, [BACKWARD_DATA] = 3, [BACKWARD_FILTER] = 3};

/* cudnnConvolutionFwdPreference_t, and the same for the other directions */
enum { NO_WORKSPACE, PREFER_FASTEST, WORKSPACE_LIMIT };

struct performance { /* cudnnConvolutionFwdAlgoPerf_t, and the same for the other directions */
    int algorithm;
    int status;
    float milliseconds;
    size_t bytes;
    int determinism;
    int math_type;
    int reserved[3];
};

/* Writes a number for the program; returns the status of that. */
static int number(int *to, int value) {
    if (!to) return cudnn_status(BAD_PARAM);
    *to = value;
    return cudnn_status(SUCCESS);
}

/* Returns the bytes of the faster algorithm's workspace; 0 if there is no such algorithm.
 *
 * first, second, third: the descriptors in the order of cuDNN's arguments for the direction. */
static size_t workspace(
    enum direction direction, const struct settings *first, const struct settings *second,
    const struct settings *convolution, const struct settings *third
) {
    if (!workspaces_are_computed() || !first || !second || !convolution || !third) return 0;
    const struct settings *input = first, *filter = second, *result = third;
    if (direction == BACKWARD_DATA) input = third, filter = first, result = second;
    if (direction == BACKWARD_FILTER) filter = third, result = second;
    return convolution_workspace(&input->sizes, &filter->sizes, &result->sizes, &convolution->steps);
}

/* Lists a convolution's algorithms, the faster one first. bytes: the workspace of the faster one, or 0 for none. */
static int list(
    enum direction direction, size_t bytes, int requested, int *returned, struct performance *performances
) {
    if (requested < 1 || !returned || !performances) return cudnn_status(BAD_PARAM);
    struct performance plain = {.algorithm = PLAIN, .status = cudnn_status(SUCCESS), .determinism = 1}, faster = plain;
    faster.algorithm = with_workspace[direction];
    faster.bytes = bytes;
    int count = 0;
    if (bytes) performances[count++] = faster;
    if (count < requested) performances[count++] = plain;
    return number(returned, count);
}

static int choose(enum direction direction, size_t bytes, int preference, size_t limit, int *algorithm) {
    bool fits = preference == PREFER_FASTEST || (preference == WORKSPACE_LIMIT && bytes <= limit);
    return number(algorithm, bytes && fits ? with_workspace[direction] : PLAIN);
}

static int size(enum direction direction, size_t bytes, int algorithm, size_t *to) {
    if (!to) return cudnn_status(BAD_PARAM);
    *to = algorithm == with_workspace[direction] ? bytes : 0;
    return cudnn_status(SUCCESS);
}

/* Launches a convolution. place, room: the workspace that the program provides, and its size in bytes. */
static int compute(
    cudnnHandle_t handle, enum direction direction, size_t bytes, int algorithm, const void *place, size_t room
) {
    if (!bytes) return cudnn_launch(handle);
    if (algorithm != with_workspace[direction]) return cudnn_launch_slowly(handle);
    return place && room >= bytes ? cudnn_launch(handle) : cudnn_status(BAD_PARAM);
}

/* the common first arguments: the handle, two tensors, the convolution, a third tensor */
#define OPERATION \
    void *handle, struct settings *first, struct settings *second, struct settings *convolution, struct settings *third
#define BYTES(direction) ((void)handle, workspace(direction, first, second, convolution, third))

#define DIRECTION(name, direction)                                                                                    \
    EXPORT int cudnnGetConvolution##name##AlgorithmMaxCount(void *handle, int *count) {                               \
        (void)handle;                                                                                                 \
        return number(count, workspaces_are_computed() ? 2 : 1);                                                      \
    }                                                                                                                 \
    EXPORT int cudnnGetConvolution##name##Algorithm(OPERATION, int preference, size_t limit, int *algorithm) {        \
        return choose(direction, BYTES(direction), preference, limit, algorithm);                                     \
    }                                                                                                                 \
    EXPORT int cudnnGetConvolution##name##Algorithm_v7(                                                               \
        OPERATION, int requested, int *returned, struct performance *performances                                     \
    ) {                                                                                                               \
        return list(direction, BYTES(direction), requested, returned, performances);                                  \
    }                                                                                                                 \
    EXPORT int cudnnFindConvolution##name##Algorithm(                                                                 \
        OPERATION, int requested, int *returned, struct performance *performances                                     \
    ) {                                                                                                               \
        return list(direction, BYTES(direction), requested, returned, performances);                                  \
    }                                                                                                                 \
    EXPORT int cudnnGetConvolution##name##WorkspaceSize(OPERATION, int algorithm, size_t *bytes) {                    \
        return size(direction, BYTES(direction), algorithm, bytes);                                                   \
    }                                                                                                                 \
    EXPORT int cudnnConvolution##name(                                                                                \
        cudnnHandle_t handle, const void *alpha, struct settings *first, const void *first_values,                    \
        struct settings *second, const void *second_values, struct settings *convolution, int algorithm, void *place, \
        size_t room, const void *beta, struct settings *third, void *results                                          \
    ) {                                                                                                               \
        (void)alpha, (void)first_values, (void)second_values, (void)beta, (void)results;                              \
        size_t bytes = workspace(direction, first, second, convolution, third);                                       \
        return compute(handle, direction, bytes, algorithm, place, room);                                             \
    }

DIRECTION(Forward, FORWARD)
DIRECTION(BackwardData, BACKWARD_DATA)
DIRECTION(BackwardFilter, BACKWARD_FILTER)

EXPORT int cudnnConvolutionBiasActivationForward(
    cudnnHandle_t handle, const void *alpha, struct settings *input, const void *x, struct settings *filter,
    const void *w, struct settings *convolution, int algorithm, void *place, size_t room, const void *side_alpha,
    void *side, const void *z, void *bias, const void *b, void *activation, struct settings *result, void *y
) {
    (void)alpha, (void)x, (void)w, (void)side_alpha, (void)side, (void)z, (void)bias, (void)b;
    (void)activation, (void)y;
    size_t bytes = workspace(FORWARD, input, filter, convolution, result);
    return compute(handle, FORWARD, bytes, algorithm, place, room);
}
