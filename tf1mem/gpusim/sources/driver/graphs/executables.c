/* Executables of graphs: instantiated, changed, updated and launched. */
#include "executables.h"

#include "driver/core/handles.h"
#include "driver/core/process.h"
#include "driver/work/streams.h"
#include "driver/core/unsupported.h"

#include <stdlib.h>

/* One node of the graph, with the executable's copy of it. */
struct step {
    struct node *original; /* the graph's node. It may be freed: it is only compared */
    struct node *copy;
};

struct exec {
    struct graph *graph; /* the executable's copy */
    unsigned long long flags;
    size_t count;
    struct step steps[]; /* in the order in which the nodes were added */
};

static bool exec_is(struct exec *exec) {
    return handle_is(exec, HANDLE_EXEC);
}

static struct step *step_of(struct exec *exec, struct node *node) {
    if (!exec_is(exec) || !node_is(node)) return NULL;
    for (size_t i = 0; i < exec->count; i++) {
        if (exec->steps[i].original == node) return &exec->steps[i];
    }
    return NULL;
}

struct node *exec_node(struct exec *exec, struct node *node) {
    struct step *step = step_of(exec, node);
    return step ? step->copy : NULL;
}

static void exec_free(struct exec *exec) {
    if (exec && exec->graph) graph_free(exec->graph);
    free(exec);
}

static CUresult instantiate(struct exec **handle, struct graph *graph, unsigned long long flags) {
    CUresult result = process_ready();
    if (result != CUDA_SUCCESS) return result;
    if (!handle || !graph_is(graph)) return CUDA_ERROR_INVALID_VALUE;
    struct exec *exec = calloc(1, sizeof *exec + graph->count * sizeof exec->steps[0]);
    if (!exec || !(exec->graph = graph_copy(graph))) {
        exec_free(exec);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    exec->flags = flags;
    exec->count = graph->count;
    struct node *original = graph->nodes, *copy = exec->graph->nodes;
    for (size_t i = 0; i < exec->count; i++, original = original->next, copy = copy->next)
        exec->steps[i] = (struct step){original, copy};
    result = graph_sort(exec->graph);
    if (result == CUDA_SUCCESS && !handle_add(exec, HANDLE_EXEC)) result = CUDA_ERROR_OUT_OF_MEMORY;
    if (result == CUDA_SUCCESS) {
        *handle = exec;
    } else {
        exec_free(exec);
    }
    return result;
}

DRIVER_API CUresult cuGraphInstantiateWithFlags(struct exec **exec, struct graph *graph, unsigned long long flags) {
    return instantiate(exec, graph, flags);
}

DRIVER_API CUresult
cuGraphInstantiate(struct exec **exec, struct graph *graph, struct node **error, char *log, size_t room) {
    if (error) *error = NULL;
    if (log && room) *log = 0;
    return instantiate(exec, graph, 0);
}

DRIVER_API CUresult
cuGraphInstantiate_v2(struct exec **exec, struct graph *graph, struct node **error, char *log, size_t room) {
    return cuGraphInstantiate(exec, graph, error, log, room);
}

DRIVER_API CUresult cuGraphExecDestroy(struct exec *exec) {
    CUresult result = process_ready();
    if (result != CUDA_SUCCESS) return result;
    if (!handle_remove(exec, HANDLE_EXEC)) return CUDA_ERROR_INVALID_VALUE;
    exec_free(exec);
    return CUDA_SUCCESS;
}

DRIVER_API CUresult cuGraphExecGetFlags(struct exec *exec, uint64_t *flags) {
    CUresult result = process_ready();
    if (result != CUDA_SUCCESS) return result;
    if (!flags || !exec_is(exec)) return CUDA_ERROR_INVALID_VALUE;
    *flags = exec->flags;
    return CUDA_SUCCESS;
}

DRIVER_API CUresult cuGraphNodeSetEnabled(struct exec *exec, struct node *node, unsigned enabled) {
    CUresult result = process_ready();
    if (result != CUDA_SUCCESS) return result;
    struct step *step = step_of(exec, node);
    if (!step || node->type > NODE_MEMSET) return CUDA_ERROR_INVALID_VALUE; /* only kernels, copies and memsets */
    step->copy->enabled = enabled != 0;
    return CUDA_SUCCESS;
}

DRIVER_API CUresult cuGraphNodeGetEnabled(struct exec *exec, struct node *node, unsigned *enabled) {
    CUresult result = process_ready();
    if (result != CUDA_SUCCESS) return result;
    struct step *step = step_of(exec, node);
    if (!enabled || !step || node->type > NODE_MEMSET) return CUDA_ERROR_INVALID_VALUE;
    *enabled = step->copy->enabled;
    return CUDA_SUCCESS;
}

static CUresult enqueue(const struct graph *graph, struct queue *queue) {
    CUresult result = CUDA_SUCCESS;
    for (const struct node *node = graph->nodes; node && result == CUDA_SUCCESS; node = node->next) {
        if (!node->enabled) continue;
        if (node->child) {
            result = enqueue(node->child, queue);
        } else if (node->kind) {
            result = work_submit(queue, node->kind, node->payload, node->size);
        }
    }
    return result;
}

DRIVER_API CUresult cuGraphLaunch(struct exec *exec, CUstream stream) {
    struct queue *queue;
    struct context *context;
    CUresult result = stream_queue(stream, &queue, &context);
    if (result != CUDA_SUCCESS) return result;
    if (!exec_is(exec)) return CUDA_ERROR_INVALID_VALUE;
    if (queue_captured(queue, NULL)) {
        unsupported_part("cuGraphLaunch (captured into a graph)");
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    return enqueue(exec->graph, queue);
}

DRIVER_API CUresult cuGraphUpload(struct exec *exec, CUstream stream) {
    struct queue *queue;
    struct context *context;
    CUresult result = stream_queue(stream, &queue, &context);
    if (result != CUDA_SUCCESS) return result;
    return exec_is(exec) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* CUgraphExecUpdateResult */
enum { UPDATE_SUCCESS = 0, UPDATE_TOPOLOGY_CHANGED = 2, UPDATE_TYPE_CHANGED = 3 };

/* Returns a CUgraphExecUpdateResult: the first reason why one graph can't replace the other, or UPDATE_SUCCESS. */
static int compare(const struct graph *old, const struct graph *new) {
    if (old->count != new->count) return UPDATE_TOPOLOGY_CHANGED;
    for (const struct node *a = old->nodes, *b = new->nodes; a; a = a->next, b = b->next) {
        if (a->need_count != b->need_count) return UPDATE_TOPOLOGY_CHANGED;
        if (a->type != b->type) return UPDATE_TYPE_CHANGED;
    }
    return UPDATE_SUCCESS;
}

/* Replaces the work of an executable's nodes by a graph's. outcome: set to a CUgraphExecUpdateResult. */
static CUresult update(struct exec *exec, struct graph *graph, int *outcome) {
    CUresult result = process_ready();
    if (result != CUDA_SUCCESS) return result;
    if (!exec_is(exec) || !graph_is(graph)) return CUDA_ERROR_INVALID_VALUE;
    struct graph *copy = graph_copy(graph);
    if (!copy) return CUDA_ERROR_OUT_OF_MEMORY;
    result = graph_sort(copy);
    if (result == CUDA_SUCCESS) *outcome = compare(exec->graph, copy);
    if (*outcome != UPDATE_SUCCESS) result = CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
    if (result == CUDA_SUCCESS) {
        for (struct node *own = exec->graph->nodes, *from = copy->nodes; own; own = own->next, from = from->next)
            node_take(own, from);
    }
    graph_free(copy);
    return result;
}

DRIVER_API CUresult cuGraphExecUpdate_v2(struct exec *exec, struct graph *graph, CUgraphExecUpdateResultInfo *info) {
    int outcome = UPDATE_SUCCESS;
    CUresult result = info ? update(exec, graph, &outcome) : CUDA_ERROR_INVALID_VALUE;
    if (info) *info = (CUgraphExecUpdateResultInfo){.result = outcome};
    return result;
}

DRIVER_API CUresult cuGraphExecUpdate(struct exec *exec, struct graph *graph, struct node **error, int *info) {
    int outcome = UPDATE_SUCCESS;
    CUresult result = update(exec, graph, &outcome);
    if (error) *error = NULL;
    if (info) *info = outcome;
    return result;
}

/* Graphs allocate nothing here: cuGraphAddMemAllocNode isn't supported. */
DRIVER_API CUresult cuDeviceGraphMemTrim(CUdevice device) {
    int gpu;
    return process_gpu(device, &gpu);
}

DRIVER_API CUresult cuDeviceGetGraphMemAttribute(CUdevice device, int attribute, uint64_t *value) {
    int gpu;
    CUresult result = process_gpu(device, &gpu);
    if (result != CUDA_SUCCESS) return result;
    if (!value || attribute < 0 || attribute > 3) return CUDA_ERROR_INVALID_VALUE;
    *value = 0;
    return CUDA_SUCCESS;
}
