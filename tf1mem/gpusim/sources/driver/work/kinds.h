/* Kinds of work, which streams run and graphs record. */
#ifndef TF1MEM_DRIVER_KINDS_H
#define TF1MEM_DRIVER_KINDS_H

#include <stdbool.h>

/* A kind of work: each source that enqueues work has its own. */
struct work_kind {
    void (*run)(void *payload);
    int node_type;  /* its CUgraphNodeType in a graph, or NOT_IN_GRAPHS */
    bool in_thread; /* true: it always runs in a thread of the stream */
};

enum {
    NODE_KERNEL = 0,
    NODE_MEMCPY = 1,
    NODE_MEMSET = 2,
    NODE_HOST = 3,
    NODE_GRAPH = 4,
    NODE_EMPTY = 5,
    NOT_IN_GRAPHS = -1
};

#endif
