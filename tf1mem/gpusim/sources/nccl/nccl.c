/* libnccl.so.2, which TensorFlow opens from 2.21 on. Earlier versions contain NCCL, which runs on the simulated
 * runtime.
 *
 * A collective is a kernel: it is launched without effect in each rank's stream, and no value is sent. Ranks don't
 * wait for one another, either.
 */
#include "driver/core/unsupported.h"
#include "math/launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { VERSION = 22105 }; /* 2.21.5 */

typedef enum {
    ncclSuccess = 0,
    ncclUnhandledCudaError = 1,
    ncclInvalidArgument = 4,
    ncclInvalidUsage = 5,
} ncclResult_t;

typedef struct {
    char bytes[128];
} ncclUniqueId;

typedef struct communicator {
    int rank;
    int ranks;
    CUdevice device;
    unsigned group; /* the group in which it launched last; 0 if in none */
} *ncclComm_t;

/* The current group of this thread, from 1, and its nesting depth. */
static _Thread_local unsigned group, depth;

EXPORT ncclResult_t ncclGetVersion(int *version) {
    if (!version) return ncclInvalidArgument;
    *version = VERSION;
    return ncclSuccess;
}

EXPORT ncclResult_t ncclGetUniqueId(ncclUniqueId *id) {
    static unsigned count;
    if (!id) return ncclInvalidArgument;
    memset(id, 0, sizeof *id);
    unsigned number = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
    snprintf(id->bytes, sizeof id->bytes, "simulated %d %u", (int)getpid(), number);
    return ncclSuccess;
}

/* Creates a communicator on the current device. */
static ncclResult_t join(ncclComm_t *communicator, int ranks, int rank) {
    if (!communicator || ranks < 1 || rank < 0 || rank >= ranks) return ncclInvalidArgument;
    CUdevice device;
    if (math_enter() || cuCtxGetDevice(&device)) return ncclUnhandledCudaError;
    *communicator = malloc(sizeof **communicator);
    if (!*communicator) return ncclUnhandledCudaError;
    **communicator = (struct communicator){rank, ranks, device, 0};
    return ncclSuccess;
}

EXPORT ncclResult_t ncclCommInitRank(ncclComm_t *communicator, int ranks, ncclUniqueId id, int rank) {
    (void)id;
    return join(communicator, ranks, rank);
}

EXPORT ncclResult_t
ncclCommInitRankConfig(ncclComm_t *communicator, int ranks, ncclUniqueId id, int rank, void *config) {
    (void)id, (void)config;
    return join(communicator, ranks, rank);
}

EXPORT ncclResult_t
ncclCommInitRankScalable(ncclComm_t *communicator, int ranks, int rank, int ids, ncclUniqueId *id, void *config) {
    (void)ids, (void)id, (void)config;
    return join(communicator, ranks, rank);
}

static ncclResult_t leave(ncclComm_t communicator) {
    free(communicator);
    return ncclSuccess;
}

EXPORT ncclResult_t ncclCommDestroy(ncclComm_t communicator) {
    return leave(communicator);
}

EXPORT ncclResult_t ncclCommAbort(ncclComm_t communicator) {
    return leave(communicator);
}

EXPORT ncclResult_t ncclCommFinalize(ncclComm_t communicator) {
    return communicator ? ncclSuccess : ncclInvalidArgument;
}

static ncclResult_t report(ncclComm_t communicator, int *to, int value) {
    if (!communicator || !to) return ncclInvalidArgument;
    *to = value;
    return ncclSuccess;
}

EXPORT ncclResult_t ncclCommCount(ncclComm_t communicator, int *count) {
    return report(communicator, count, communicator ? communicator->ranks : 0);
}

EXPORT ncclResult_t ncclCommUserRank(ncclComm_t communicator, int *rank) {
    return report(communicator, rank, communicator ? communicator->rank : 0);
}

EXPORT ncclResult_t ncclCommCuDevice(ncclComm_t communicator, int *device) {
    return report(communicator, device, communicator ? communicator->device : 0);
}

EXPORT ncclResult_t ncclCommGetAsyncError(ncclComm_t communicator, ncclResult_t *error) {
    return report(communicator, (int *)error, ncclSuccess);
}

EXPORT ncclResult_t ncclGroupStart(void) {
    static unsigned count;
    if (!depth++) group = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
    return ncclSuccess;
}

EXPORT ncclResult_t ncclGroupEnd(void) {
    if (!depth) return ncclInvalidUsage;
    depth--;
    return ncclSuccess;
}

/* A communicator's part in a group is one kernel; none if there is nothing to do, or only one rank. */
static ncclResult_t launch(ncclComm_t communicator, size_t count, CUstream stream) {
    if (!communicator) return ncclInvalidArgument;
    if (!count || communicator->ranks == 1) return ncclSuccess;
    if (depth && communicator->group == group) return ncclSuccess;
    communicator->group = depth ? group : 0;
    return math_launch(stream) ? ncclUnhandledCudaError : ncclSuccess;
}

EXPORT ncclResult_t ncclAllReduce(
    const void *from, void *to, size_t count, int type, int operation, ncclComm_t communicator, CUstream stream
) {
    (void)from, (void)to, (void)type, (void)operation;
    return launch(communicator, count, stream);
}

EXPORT ncclResult_t ncclReduceScatter(
    const void *from, void *to, size_t count, int type, int operation, ncclComm_t communicator, CUstream stream
) {
    (void)from, (void)to, (void)type, (void)operation;
    return launch(communicator, count, stream);
}

EXPORT ncclResult_t ncclReduce(
    const void *from, void *to, size_t count, int type, int operation, int root, ncclComm_t communicator,
    CUstream stream
) {
    (void)from, (void)to, (void)type, (void)operation, (void)root;
    return launch(communicator, count, stream);
}

EXPORT ncclResult_t
ncclBroadcast(const void *from, void *to, size_t count, int type, int root, ncclComm_t communicator, CUstream stream) {
    (void)from, (void)to, (void)type, (void)root;
    return launch(communicator, count, stream);
}

EXPORT ncclResult_t
ncclBcast(void *buffer, size_t count, int type, int root, ncclComm_t communicator, CUstream stream) {
    (void)buffer, (void)type, (void)root;
    return launch(communicator, count, stream);
}

EXPORT ncclResult_t
ncclAllGather(const void *from, void *to, size_t count, int type, ncclComm_t communicator, CUstream stream) {
    (void)from, (void)to, (void)type;
    return launch(communicator, count, stream);
}

EXPORT ncclResult_t
ncclSend(const void *from, size_t count, int type, int peer, ncclComm_t communicator, CUstream stream) {
    (void)from, (void)type, (void)peer;
    return launch(communicator, count, stream);
}

EXPORT ncclResult_t ncclRecv(void *to, size_t count, int type, int peer, ncclComm_t communicator, CUstream stream) {
    (void)to, (void)type, (void)peer;
    return launch(communicator, count, stream);
}

EXPORT const char *ncclGetErrorString(ncclResult_t result) {
    switch (result) {
    case ncclSuccess: return "no error";
    case ncclUnhandledCudaError: return "unhandled cuda error";
    case ncclInvalidArgument: return "invalid argument";
    case ncclInvalidUsage: return "invalid usage";
    }
    return "unknown result code";
}

EXPORT const char *ncclGetLastError(ncclComm_t communicator) {
    (void)communicator;
    return "";
}
