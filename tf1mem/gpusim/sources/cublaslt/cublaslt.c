/* The simulated libcublasLt. Its descriptors store a program's settings, it offers one algorithm, and it reports matrix
 * products to the driver as launches. */
#include "math/launch.h"

#include <stdlib.h>
#include <string.h>

typedef enum {
    SUCCESS = 0,
    NOT_INITIALIZED = 1,
    ALLOC_FAILED = 3,
    INVALID_VALUE = 7,
    EXECUTION_FAILED = 13,
} cublasStatus_t;

enum {
    ATTRIBUTES = 48,
    LAYOUT_TYPE = 0,
    LAYOUT_ROWS = 2,
    LAYOUT_COLUMNS = 3,
    LAYOUT_LEADING = 4,
    LAYOUT_BATCHES = 5,
    PRODUCT_COMPUTE = 0,
    PRODUCT_SCALE = 1,
    PRODUCT_EPILOGUE = 7
};

/* A descriptor of a product, a matrix or a preference: a number or a pointer for each attribute. */
struct description {
    struct {
        unsigned char bytes[8];
        unsigned char size; /* 0 if it isn't set; it then reads as zero */
    } attributes[ATTRIBUTES];
};

static cublasStatus_t set(struct description *description, int attribute, const void *value, size_t size) {
    if (!description || !value || attribute < 0 || attribute >= ATTRIBUTES) return INVALID_VALUE;
    if (!size || size > sizeof description->attributes->bytes) return INVALID_VALUE;
    memcpy(description->attributes[attribute].bytes, value, size);
    description->attributes[attribute].size = (unsigned char)size;
    return SUCCESS;
}

static cublasStatus_t get(
    const struct description *description, int attribute, void *value, size_t size, size_t *written
) {
    if (!description || attribute < 0 || attribute >= ATTRIBUTES) return INVALID_VALUE;
    size_t has = description->attributes[attribute].size ? description->attributes[attribute].size : size;
    if (written) *written = has;
    if (!size && written) return SUCCESS; /* a program asks for the size this way */
    if (!value || size < has || has > sizeof description->attributes->bytes) return INVALID_VALUE;
    memcpy(value, description->attributes[attribute].bytes, has);
    return SUCCESS;
}

static struct description *create(struct description **description) {
    return description ? *description = calloc(1, sizeof **description) : 0;
}

static cublasStatus_t destroy(struct description *description) {
    free(description);
    return SUCCESS;
}

EXPORT cublasStatus_t cublasLtCreate(struct description **handle) {
    if (!handle) return INVALID_VALUE;
    if (math_enter()) return NOT_INITIALIZED;
    return create(handle) ? SUCCESS : ALLOC_FAILED;
}

EXPORT cublasStatus_t cublasLtDestroy(struct description *handle) {
    return handle ? destroy(handle) : NOT_INITIALIZED;
}

EXPORT cublasStatus_t cublasLtMatmulDescCreate(struct description **product, int compute_type, int scale_type) {
    int no_epilogue = 1; /* CUBLASLT_EPILOGUE_DEFAULT */
    if (!create(product)) return ALLOC_FAILED;
    set(*product, PRODUCT_COMPUTE, &compute_type, sizeof compute_type);
    set(*product, PRODUCT_EPILOGUE, &no_epilogue, sizeof no_epilogue);
    return set(*product, PRODUCT_SCALE, &scale_type, sizeof scale_type);
}

EXPORT cublasStatus_t
cublasLtMatrixLayoutCreate(struct description **layout, int type, uint64_t rows, uint64_t columns, int64_t leading) {
    int one = 1;
    if (!create(layout)) return ALLOC_FAILED;
    set(*layout, LAYOUT_TYPE, &type, sizeof type);
    set(*layout, LAYOUT_ROWS, &rows, sizeof rows);
    set(*layout, LAYOUT_COLUMNS, &columns, sizeof columns);
    set(*layout, LAYOUT_BATCHES, &one, sizeof one);
    return set(*layout, LAYOUT_LEADING, &leading, sizeof leading);
}

EXPORT cublasStatus_t cublasLtMatmulPreferenceCreate(struct description **preference) {
    return create(preference) ? SUCCESS : ALLOC_FAILED;
}

#define DESCRIPTION(name)                                                                               \
    EXPORT cublasStatus_t name##Destroy(struct description *description) {                              \
        return destroy(description);                                                                    \
    }                                                                                                   \
    EXPORT cublasStatus_t name##SetAttribute(                                                           \
        struct description *description, int attribute, const void *value, size_t size                  \
    ) {                                                                                                 \
        return set(description, attribute, value, size);                                                \
    }                                                                                                   \
    EXPORT cublasStatus_t name##GetAttribute(                                                           \
        const struct description *description, int attribute, void *value, size_t size, size_t *written \
    ) {                                                                                                 \
        return get(description, attribute, value, size, written);                                       \
    }

DESCRIPTION(cublasLtMatmulDesc)
DESCRIPTION(cublasLtMatrixLayout)
DESCRIPTION(cublasLtMatmulPreference)

struct heuristic_result { /* cublasLtMatmulHeuristicResult_t */
    uint64_t algorithm[8];
    size_t workspace_bytes;
    cublasStatus_t state;
    float waves;
    int reserved[4];
};

/* There is one algorithm. It needs no workspace. */
EXPORT cublasStatus_t cublasLtMatmulAlgoGetHeuristic(
    void *handle, void *product, void *a, void *b, void *c, void *d, void *preference, int requested,
    struct heuristic_result *results, int *returned
) {
    (void)a, (void)b, (void)c, (void)d, (void)preference;
    if (!handle) return NOT_INITIALIZED;
    if (!product || requested < 1 || !results || !returned) return INVALID_VALUE;
    *results = (struct heuristic_result){.state = SUCCESS, .waves = 1};
    *returned = 1;
    return SUCCESS;
}

EXPORT cublasStatus_t cublasLtMatmul(
    void *handle, void *product, const void *alpha, const void *a, void *a_layout, const void *b, void *b_layout,
    const void *beta, const void *c, void *c_layout, void *d, void *d_layout, const void *algorithm, void *workspace,
    size_t workspace_bytes, CUstream stream
) {
    (void)alpha, (void)a, (void)a_layout, (void)b, (void)b_layout, (void)beta, (void)c, (void)c_layout, (void)d;
    (void)d_layout, (void)algorithm, (void)workspace, (void)workspace_bytes;
    if (!handle) return NOT_INITIALIZED;
    if (!product) return INVALID_VALUE;
    return math_launch(stream) ? EXECUTION_FAILED : SUCCESS;
}

EXPORT const char *cublasLtGetStatusName(cublasStatus_t status) {
    switch (status) {
    case SUCCESS: return "CUBLAS_STATUS_SUCCESS";
    case NOT_INITIALIZED: return "CUBLAS_STATUS_NOT_INITIALIZED";
    case ALLOC_FAILED: return "CUBLAS_STATUS_ALLOC_FAILED";
    case INVALID_VALUE: return "CUBLAS_STATUS_INVALID_VALUE";
    case EXECUTION_FAILED: return "CUBLAS_STATUS_EXECUTION_FAILED";
    }
    return (int)status == 15 ? "CUBLAS_STATUS_NOT_SUPPORTED" : "CUBLAS_STATUS_UNKNOWN";
}

EXPORT const char *cublasLtGetStatusString(cublasStatus_t status) {
    return cublasLtGetStatusName(status);
}
