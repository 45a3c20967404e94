/* The simulated libcufft: it creates plans, and reports each transform to the driver as one launch in the plan's
 * stream. An older TensorFlow ends the process if a plan can't be created, or, with the next copy, if it can't be
 * executed. */
#include "math/launch.h"

#include <pthread.h>
#include <stdlib.h>

enum { SUCCESS = 0, INVALID_PLAN = 1, ALLOC_FAILED = 2, INVALID_VALUE = 4, EXEC_FAILED = 6 };

/* A plan is a number, from 1 on. Of its settings only the stream is stored. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static CUstream *streams;
static int plans;

static int make(int *plan) {
    if (!plan) return INVALID_VALUE;
    pthread_mutex_lock(&lock);
    CUstream *more = realloc(streams, ((size_t)plans + 1) * sizeof *streams);
    if (more) {
        streams = more;
        streams[plans] = 0;
        *plan = ++plans;
    }
    pthread_mutex_unlock(&lock);
    return more ? SUCCESS : ALLOC_FAILED;
}

/* Sets a plan's stream, or reads it. */
static int stream_of(int plan, CUstream *stream, int set) {
    pthread_mutex_lock(&lock);
    int known = plan > 0 && plan <= plans;
    if (known && set) streams[plan - 1] = *stream;
    else if (known) *stream = streams[plan - 1];
    pthread_mutex_unlock(&lock);
    return known ? SUCCESS : INVALID_PLAN;
}

/* Returns INVALID_PLAN for a number that is no plan. */
static int check(int plan) {
    CUstream stream;
    return stream_of(plan, &stream, 0);
}

static int execute(int plan) {
    CUstream stream;
    int status = stream_of(plan, &stream, 0);
    return status ? status : math_launch(stream) ? EXEC_FAILED : SUCCESS;
}

/* Returns the size of a plan's workspace: nothing is computed, so it is 0. */
static int workspace_of(int plan, size_t *bytes) {
    if (!bytes) return INVALID_VALUE;
    *bytes = 0;
    return check(plan);
}

EXPORT int cufftCreate(int *plan) {
    return make(plan);
}

EXPORT int cufftDestroy(int plan) {
    return check(plan);
}

EXPORT int cufftPlan1d(int *plan, int x, int type, int batch) {
    (void)x, (void)type, (void)batch;
    return make(plan);
}

EXPORT int cufftPlan2d(int *plan, int x, int y, int type) {
    (void)x, (void)y, (void)type;
    return make(plan);
}

EXPORT int cufftPlan3d(int *plan, int x, int y, int z, int type) {
    (void)x, (void)y, (void)z, (void)type;
    return make(plan);
}

EXPORT int cufftPlanMany(
    int *plan, int rank, int *sizes, int *inputs, int input_step, int input_size, int *outputs, int output_step,
    int output_size, int type, int batch
) {
    (void)rank, (void)sizes, (void)inputs, (void)input_step, (void)input_size, (void)outputs, (void)output_step;
    (void)output_size, (void)type, (void)batch;
    return make(plan);
}

EXPORT int cufftMakePlan1d(int plan, int x, int type, int batch, size_t *bytes) {
    (void)x, (void)type, (void)batch;
    return workspace_of(plan, bytes);
}

EXPORT int cufftMakePlan2d(int plan, int x, int y, int type, size_t *bytes) {
    (void)x, (void)y, (void)type;
    return workspace_of(plan, bytes);
}

EXPORT int cufftMakePlan3d(int plan, int x, int y, int z, int type, size_t *bytes) {
    (void)x, (void)y, (void)z, (void)type;
    return workspace_of(plan, bytes);
}

#define MANY(name, number)                                                                                           \
    EXPORT int name(                                                                                                 \
        int plan, int rank, number *sizes, number *inputs, number input_step, number input_size, number *outputs,    \
        number output_step, number output_size, int type, number batch, size_t *bytes                                \
    ) {                                                                                                              \
        (void)rank, (void)sizes, (void)inputs, (void)input_step, (void)input_size, (void)outputs, (void)output_step; \
        (void)output_size, (void)type, (void)batch;                                                                  \
        return workspace_of(plan, bytes);                                                                            \
    }

MANY(cufftMakePlanMany, int)
MANY(cufftMakePlanMany64, long long)

EXPORT int cufftSetStream(int plan, CUstream stream) {
    return stream_of(plan, &stream, 1);
}

#define TRANSFORM(name)                               \
    EXPORT int name(int plan, void *from, void *to) { \
        (void)from, (void)to;                         \
        return execute(plan);                         \
    }
#define BOTH_WAYS(name)                                        \
    EXPORT int name(int plan, void *from, void *to, int way) { \
        (void)from, (void)to, (void)way;                       \
        return execute(plan);                                  \
    }

BOTH_WAYS(cufftExecC2C)
BOTH_WAYS(cufftExecZ2Z)
TRANSFORM(cufftExecR2C)
TRANSFORM(cufftExecC2R)
TRANSFORM(cufftExecD2Z)
TRANSFORM(cufftExecZ2D)
BOTH_WAYS(cufftXtExec)

EXPORT int cufftSetAutoAllocation(int plan, int automatic) {
    (void)automatic;
    return check(plan);
}

EXPORT int cufftSetWorkArea(int plan, void *area) {
    (void)area;
    return check(plan);
}
