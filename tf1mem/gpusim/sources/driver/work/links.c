/* The linker: cuLinkCreate and related functions. Its output is its input: it reads no code. */
#include "driver/core/contexts.h"
#include "driver/core/handles.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct link {
    char *image;
    size_t bytes;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* the image of every link */

DRIVER_API CUresult cuLinkCreate_v2(unsigned count, int *options, void **values, struct link **handle) {
    (void)options, (void)values; /* options of the PTX compiler */
    struct context *context;
    CUresult result = context_current(&context);
    if (result != CUDA_SUCCESS) return result;
    if (!handle || (count && (!options || !values))) return CUDA_ERROR_INVALID_VALUE;
    struct link *link = calloc(1, sizeof *link);
    if (!link || !handle_add(link, HANDLE_LINK)) {
        free(link);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *handle = link;
    return CUDA_SUCCESS;
}

/* type: a CUjitInputType: cubin, PTX, fat binary, object, library or NVVM. */
DRIVER_API CUresult cuLinkAddData_v2(
    struct link *link, int type, const void *data, size_t bytes, const char *name, unsigned count, int *options,
    void **values
) {
    (void)name, (void)count, (void)options, (void)values;
    struct context *context;
    CUresult result = context_current(&context);
    if (result != CUDA_SUCCESS) return result;
    if (!handle_is(link, HANDLE_LINK)) return CUDA_ERROR_INVALID_HANDLE;
    if (!data || !bytes || type < 0 || type > 5) return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&lock);
    char *larger = realloc(link->image, link->bytes + bytes);
    if (larger) {
        memcpy(larger + link->bytes, data, bytes);
        link->image = larger;
        link->bytes += bytes;
    } else {
        result = CUDA_ERROR_OUT_OF_MEMORY;
    }
    pthread_mutex_unlock(&lock);
    return result;
}

DRIVER_API CUresult
cuLinkAddFile_v2(struct link *link, int type, const char *path, unsigned count, int *options, void **values) {
    FILE *file = path ? fopen(path, "rb") : NULL;
    char data[65536] = {0};
    size_t bytes = file ? fread(data, 1, sizeof data, file) : 0;
    /* The first part also checks the arguments. */
    CUresult result = cuLinkAddData_v2(link, type, data, bytes, path, count, options, values);
    if (result == CUDA_ERROR_INVALID_VALUE && path && !file) result = CUDA_ERROR_FILE_NOT_FOUND;
    while (result == CUDA_SUCCESS && (bytes = fread(data, 1, sizeof data, file)))
        result = cuLinkAddData_v2(link, type, data, bytes, path, count, options, values);
    if (file) fclose(file);
    return result;
}

DRIVER_API CUresult cuLinkComplete(struct link *link, void **image, size_t *bytes) {
    struct context *context;
    CUresult result = context_current(&context);
    if (result != CUDA_SUCCESS) return result;
    if (!handle_is(link, HANDLE_LINK)) return CUDA_ERROR_INVALID_HANDLE;
    if (!image || !link->bytes) return CUDA_ERROR_INVALID_VALUE;
    *image = link->image; /* the link's own, until it is destroyed */
    if (bytes) *bytes = link->bytes;
    return CUDA_SUCCESS;
}

DRIVER_API CUresult cuLinkDestroy(struct link *link) {
    struct context *context;
    CUresult result = context_current(&context);
    if (result != CUDA_SUCCESS) return result;
    if (!handle_remove(link, HANDLE_LINK)) return CUDA_ERROR_INVALID_HANDLE;
    free(link->image);
    free(link);
    return CUDA_SUCCESS;
}
