/* Graphs: work that is written down once and enqueued many times. */
#ifndef TF1MEM_DRIVER_GRAPHS_H
#define TF1MEM_DRIVER_GRAPHS_H

#include "driver/work/work.h"

struct node {
    struct node *next; /* of its graph, in the order in which they were added */
    struct graph *graph;
    int type;                     /* CUgraphNodeType */
    const struct work_kind *kind; /* NULL: nothing is to be done (NODE_EMPTY, NODE_GRAPH) */
    void *payload;
    size_t size;
    struct graph *child; /* NODE_GRAPH: the node's own copy */
    struct node **needs; /* what comes before it */
    size_t need_count;
    bool enabled; /* in an executable: cuGraphNodeSetEnabled */
    int mark;
};

struct graph {
    struct node *nodes, **last;
    size_t count;
    bool owned; /* a node's child: it goes with the node */
};

struct graph *graph_create(void);
void graph_free(struct graph *graph);
/* A copy; the nodes of both are in the same order. NULL where there is no memory. */
struct graph *graph_copy(const struct graph *graph);
bool graph_is(struct graph *graph);
bool node_is(struct node *node);

/* Adds a node that comes after `needs`. CUDA_ERROR_INVALID_VALUE for nodes of another graph. */
CUresult graph_add(
    struct graph *graph, struct node *const *needs, size_t need_count, int type, const struct work_kind *kind,
    const void *payload, size_t size, struct node **added
);
/* Adds what is enqueued in a stream that is captured; it comes after all that was captured before. */
CUresult graph_capture(struct graph *graph, const struct work_kind *kind, const void *payload, size_t size);
/* Puts into a node what another was made of. */
void node_take(struct node *node, struct node *from);
/* Puts the nodes, and those of the graphs in them, into an order in which each comes after what it needs.
 * CUDA_ERROR_INVALID_VALUE where they go in circles. */
CUresult graph_sort(struct graph *graph);

#endif
