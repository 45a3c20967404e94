/* Graphs and their nodes: created, copied, sorted, queried and destroyed. */
#include "graphs.h"

#include "driver/core/handles.h"
#include "driver/core/process.h"

#include <stdlib.h>
#include <string.h>

struct graph *graph_create(void) {
    struct graph *graph = calloc(1, sizeof *graph);
    if (!graph) return NULL;
    graph->last = &graph->nodes;
    if (!handle_add(graph, HANDLE_GRAPH)) {
        free(graph);
        return NULL;
    }
    return graph;
}

static void node_free(struct node *node) {
    handle_remove(node, HANDLE_NODE);
    if (node->child) graph_free(node->child);
    free(node->payload);
    free(node->needs);
    free(node);
}

void graph_free(struct graph *graph) {
    handle_remove(graph, HANDLE_GRAPH);
    for (struct node *node = graph->nodes, *next; node; node = next) {
        next = node->next;
        node_free(node);
    }
    free(graph);
}

bool graph_is(struct graph *graph) {
    return handle_is(graph, HANDLE_GRAPH);
}

bool node_is(struct node *node) {
    return handle_is(node, HANDLE_NODE);
}

static bool add_needs(struct node *node, struct node *const *needs, size_t count) {
    if (!count) return true;
    struct node **more = realloc(node->needs, (node->need_count + count) * sizeof *more);
    if (!more) return false;
    memcpy(more + node->need_count, needs, count * sizeof *more);
    node->needs = more;
    node->need_count += count;
    return true;
}

CUresult graph_add(
    struct graph *graph, struct node *const *needs, size_t need_count, int type, const struct work_kind *kind,
    const void *payload, size_t size, struct node **added
) {
    if (need_count && !needs) return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < need_count; i++) {
        if (!node_is(needs[i]) || needs[i]->graph != graph) return CUDA_ERROR_INVALID_VALUE;
    }
    struct node *node = calloc(1, sizeof *node);
    if (!node) return CUDA_ERROR_OUT_OF_MEMORY;
    *node = (struct node){.graph = graph, .type = type, .kind = kind, .size = size, .enabled = true};
    if (size && (node->payload = malloc(size))) memcpy(node->payload, payload, size);
    if ((size && !node->payload) || !add_needs(node, needs, need_count) || !handle_add(node, HANDLE_NODE)) {
        node_free(node);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *graph->last = node;
    graph->last = &node->next;
    graph->count++;
    if (added) *added = node;
    return CUDA_SUCCESS;
}

CUresult graph_capture(struct graph *graph, const struct work_kind *kind, const void *payload, size_t size) {
    if (kind->node_type == NOT_IN_GRAPHS) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    struct node *before = graph->nodes;
    while (before && before->next) before = before->next;
    return graph_add(graph, &before, before ? 1 : 0, kind->node_type, kind, payload, size, NULL);
}

void node_take(struct node *node, struct node *from) {
    void *payload = node->payload;
    struct graph *child = node->child;
    node->kind = from->kind;
    node->payload = from->payload;
    node->size = from->size;
    node->child = from->child;
    from->payload = payload;
    from->child = child;
}

struct graph *graph_copy(const struct graph *graph) {
    struct graph *copy = graph_create();
    if (!copy) return NULL;
    struct node **cloned = calloc(graph->count ? graph->count : 1, sizeof *cloned);
    size_t number = 0;
    bool whole = cloned != NULL;
    for (struct node *node = graph->nodes; node && whole; node = node->next, number++) {
        whole = graph_add(copy, NULL, 0, node->type, node->kind, node->payload, node->size, &cloned[number]) ==
                CUDA_SUCCESS;
        if (whole && node->child) whole = (cloned[number]->child = graph_copy(node->child)) != NULL;
        if (whole && node->child) cloned[number]->child->owned = true;
        node->mark = (int)number;
    }
    number = 0;
    for (struct node *node = graph->nodes; node && whole; node = node->next, number++) {
        for (size_t i = 0; i < node->need_count && whole; i++)
            whole = add_needs(cloned[number], &cloned[node->needs[i]->mark], 1);
    }
    free(cloned);
    if (whole) return copy;
    graph_free(copy);
    return NULL;
}

enum { UNSEEN, ENTERED, DONE };

static bool visit(struct node *node, struct node **sorted, size_t *count) {
    if (node->mark == DONE) return true;
    if (node->mark == ENTERED) return false;
    node->mark = ENTERED;
    for (size_t i = 0; i < node->need_count; i++) {
        if (!visit(node->needs[i], sorted, count)) return false;
    }
    node->mark = DONE;
    sorted[(*count)++] = node;
    return true;
}

/* Nodes mostly come after those that they need, so that `visit` seldom recurses deep. */
CUresult graph_sort(struct graph *graph) {
    struct node **sorted = calloc(graph->count + 1, sizeof *sorted);
    if (!sorted) return CUDA_ERROR_OUT_OF_MEMORY;
    CUresult result = CUDA_SUCCESS;
    size_t count = 0;
    for (struct node *node = graph->nodes; node; node = node->next) node->mark = UNSEEN;
    for (struct node *node = graph->nodes; node && result == CUDA_SUCCESS; node = node->next) {
        if (!visit(node, sorted, &count)) result = CUDA_ERROR_INVALID_VALUE;
        if (result == CUDA_SUCCESS && node->child) result = graph_sort(node->child);
    }
    if (result == CUDA_SUCCESS) {
        graph->nodes = sorted[0];
        graph->last = &graph->nodes;
        for (size_t i = 0; i < count; i++) {
            sorted[i]->next = sorted[i + 1];
            graph->last = &sorted[i]->next;
        }
    }
    free(sorted);
    return result;
}

DRIVER_API CUresult cuGraphCreate(struct graph **graph, unsigned flags) {
    CUresult result = process_ready();
    if (result != CUDA_SUCCESS) return result;
    if (!graph || flags) return CUDA_ERROR_INVALID_VALUE;
    *graph = graph_create();
    return *graph ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

DRIVER_API CUresult cuGraphDestroy(struct graph *graph) {
    CUresult result = process_ready();
    if (result != CUDA_SUCCESS) return result;
    if (!graph_is(graph) || graph->owned) return CUDA_ERROR_INVALID_VALUE;
    graph_free(graph);
    return CUDA_SUCCESS;
}

DRIVER_API CUresult cuGraphClone(struct graph **copy, struct graph *graph) {
    CUresult result = process_ready();
    if (result != CUDA_SUCCESS) return result;
    if (!copy || !graph_is(graph)) return CUDA_ERROR_INVALID_VALUE;
    *copy = graph_copy(graph);
    return *copy ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/* Returns as many nodes as the program has room for, and then NULL; without an array, only their number. */
static CUresult list(struct graph *graph, bool roots_only, struct node **nodes, size_t *count) {
    CUresult result = process_ready();
    if (result != CUDA_SUCCESS) return result;
    if (!count || !graph_is(graph)) return CUDA_ERROR_INVALID_VALUE;
    size_t room = nodes ? *count : 0, number = 0;
    for (struct node *node = graph->nodes; node; node = node->next) {
        if (roots_only && node->need_count) continue;
        if (number < room) nodes[number] = node;
        number++;
    }
    *count = nodes && number > room ? room : number;
    for (; number < room; number++) nodes[number] = NULL;
    return CUDA_SUCCESS;
}

DRIVER_API CUresult cuGraphGetNodes(struct graph *graph, struct node **nodes, size_t *count) {
    return list(graph, false, nodes, count);
}

DRIVER_API CUresult cuGraphGetRootNodes(struct graph *graph, struct node **nodes, size_t *count) {
    return list(graph, true, nodes, count);
}

DRIVER_API CUresult
cuGraphAddDependencies(struct graph *graph, struct node *const *from, struct node *const *to, size_t count) {
    CUresult result = process_ready();
    if (result != CUDA_SUCCESS) return result;
    if (!graph_is(graph) || (count && (!from || !to))) return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; i++) {
        if (!node_is(from[i]) || !node_is(to[i]) || from[i]->graph != graph || to[i]->graph != graph ||
            from[i] == to[i])
            return CUDA_ERROR_INVALID_VALUE;
    }
    for (size_t i = 0; i < count; i++) {
        if (!add_needs(to[i], &from[i], 1)) return CUDA_ERROR_OUT_OF_MEMORY;
    }
    return CUDA_SUCCESS;
}

DRIVER_API CUresult cuGraphNodeGetType(struct node *node, int *type) {
    CUresult result = process_ready();
    if (result != CUDA_SUCCESS) return result;
    if (!type || !node_is(node)) return CUDA_ERROR_INVALID_VALUE;
    *type = node->type;
    return CUDA_SUCCESS;
}
