/* libcufft's plans: a TensorFlow before 2.15 or so ends the process where one can't be made. Executing one is not
 * there, and is an error of the op that asks for it. */
#include "math/launch.h"

#include <stdatomic.h>

enum { SUCCESS = 0, INVALID_PLAN = 1, INVALID_VALUE = 4 };

/* A plan is a number, and nothing of it is asked for again. */
static atomic_int plans;

static int make(int *plan) {
    if (!plan) return INVALID_VALUE;
    *plan = atomic_fetch_add(&plans, 1) + 1;
    return SUCCESS;
}

static int known(int plan) {
    return plan > 0 && plan <= atomic_load(&plans) ? SUCCESS : INVALID_PLAN;
}

/* Nothing is computed, so nothing needs room. */
static int sized(int plan, size_t *bytes) {
    if (!bytes) return INVALID_VALUE;
    *bytes = 0;
    return known(plan);
}

EXPORT int cufftCreate(int *plan) {
    return make(plan);
}

EXPORT int cufftDestroy(int plan) {
    return known(plan);
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

EXPORT int cufftPlanMany(int *plan, int rank, int *sizes, int *inputs, int input_step, int input_size, int *outputs,
                         int output_step, int output_size, int type, int batch) {
    (void)rank, (void)sizes, (void)inputs, (void)input_step, (void)input_size, (void)outputs, (void)output_step;
    (void)output_size, (void)type, (void)batch;
    return make(plan);
}

EXPORT int cufftMakePlan1d(int plan, int x, int type, int batch, size_t *bytes) {
    (void)x, (void)type, (void)batch;
    return sized(plan, bytes);
}

EXPORT int cufftMakePlan2d(int plan, int x, int y, int type, size_t *bytes) {
    (void)x, (void)y, (void)type;
    return sized(plan, bytes);
}

EXPORT int cufftMakePlan3d(int plan, int x, int y, int z, int type, size_t *bytes) {
    (void)x, (void)y, (void)z, (void)type;
    return sized(plan, bytes);
}

#define MANY(name, number)                                                                                            \
    EXPORT int name(int plan, int rank, number *sizes, number *inputs, number input_step, number input_size,          \
                    number *outputs, number output_step, number output_size, int type, number batch, size_t *bytes) { \
        (void)rank, (void)sizes, (void)inputs, (void)input_step, (void)input_size, (void)outputs, (void)output_step;  \
        (void)output_size, (void)type, (void)batch;                                                                   \
        return sized(plan, bytes);                                                                                    \
    }

MANY(cufftMakePlanMany, int)
MANY(cufftMakePlanMany64, long long)

EXPORT int cufftSetStream(int plan, CUstream stream) {
    (void)stream;
    return known(plan);
}

EXPORT int cufftSetAutoAllocation(int plan, int automatic) {
    (void)automatic;
    return known(plan);
}

EXPORT int cufftSetWorkArea(int plan, void *area) {
    (void)area;
    return known(plan);
}
