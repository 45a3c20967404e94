/* Graphs: work that is recorded once and enqueued many times. */
#ifndef TF1MEM_DRIVER_GRAPHS_H
#define TF1MEM_DRIVER_GRAPHS_H

#include "driver/core/api.h"
#include "driver/work/kinds.h"

struct node {
    struct node *next; /* in the graph, in the order in which nodes were added, or as sorted */
    struct graph *graph;
    int type;                     /* CUgraphNodeType */
    const struct work_kind *kind; /* NULL for a node without work (NODE_EMPTY, NODE_GRAPH) */
    void *payload;
    size_t size;
    struct graph *child; /* NODE_GRAPH: the node's copy of the graph */
    struct node **needs; /* the nodes before it */
    size_t need_count;
    bool enabled; /* in an executable: cuGraphNodeSetEnabled */
    int mark; /* used by graph_copy and graph_sort */
};

struct graph {
    struct node *nodes, **last;
    size_t count;
    bool owned; /* a node's child graph, which is freed with the node */
};

struct graph *graph_create(void);
void graph_free(struct graph *graph);
/* Returns a copy with the nodes in the same order, or NULL if there is no memory. */
struct graph *graph_copy(const struct graph *graph);
/* Return true for a live handle of a graph, and of a node. */
bool graph_is(struct graph *graph);
bool node_is(struct node *node);

/* Adds a node after `needs`. CUDA_ERROR_INVALID_VALUE for nodes of another graph. */
CUresult graph_add(
    struct graph *graph, struct node *const *needs, size_t need_count, int type, const struct work_kind *kind,
    const void *payload, size_t size, struct node **added
);
/* Adds work that is enqueued in a captured stream, after everything captured before. */
CUresult graph_capture(struct graph *graph, const struct work_kind *kind, const void *payload, size_t size);
/* Moves the work of `from` into the node; `from` gets the node's old payload and child, to free them. */
void node_take(struct node *node, struct node *from);
/* Sorts the nodes, and those of graphs in them, so that each comes after those that it needs.
 * CUDA_ERROR_INVALID_VALUE for a cycle. */
CUresult graph_sort(struct graph *graph);

#endif
