/* Nodes of graphs by their kind: added to a graph, and changed in an executable. */
#include "captures.h"
#include "executables.h"
#include "driver/core/process.h"
#include "driver/core/unsupported.h"

/* CUDA_KERNEL_NODE_PARAMS; the last two fields are from CUDA 12. */
struct kernel_parameters {
    CUfunction function;
    unsigned grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes;
    void **parameters, **extra;
    CUfunction kernel;
    CUcontext context;
};

struct set_parameters {
    CUdeviceptr to;
    size_t pitch;
    unsigned value, element;
    size_t width, height;
};

struct host_parameters {
    void (*function)(void *);
    void *data;
};

static CUresult enqueue_kernel(const void *what, CUstream stream) {
    const struct kernel_parameters *k = what;
    return cuLaunchKernel(
        k->function, k->grid_x, k->grid_y, k->grid_z, k->block_x, k->block_y, k->block_z, k->shared_bytes, stream,
        k->parameters, k->extra
    );
}

static CUresult enqueue_kernel_of_cuda_12(const void *what, CUstream stream) {
    struct kernel_parameters k = *(const struct kernel_parameters *)what;
    if (!k.function) k.function = k.kernel;
    return enqueue_kernel(&k, stream);
}

static CUresult enqueue_copy(const void *what, CUstream stream) {
    return cuMemcpy3DAsync_v2(what, stream);
}

static CUresult enqueue_set(const void *what, CUstream stream) {
    const struct set_parameters *s = what;
    switch (s->element) {
    case 1: return cuMemsetD2D8Async(s->to, s->pitch, (unsigned char)s->value, s->width, s->height, stream);
    case 2: return cuMemsetD2D16Async(s->to, s->pitch, (unsigned short)s->value, s->width, s->height, stream);
    case 4: return cuMemsetD2D32Async(s->to, s->pitch, s->value, s->width, s->height, stream);
    default: return CUDA_ERROR_INVALID_VALUE;
    }
}

static CUresult enqueue_host_function(const void *what, CUstream stream) {
    const struct host_parameters *h = what;
    return cuLaunchHostFunc(stream, h->function, h->data);
}

typedef CUresult enqueue_function(const void *what, CUstream stream);

/* Returns a graph whose only node is what `enqueue` enqueues; an empty graph for nothing, such as a copy of no
 * bytes. */
static CUresult make(struct graph **graph, enqueue_function *enqueue, const void *what) {
    CUresult result = process_ready();
    if (result != CUDA_SUCCESS) return result;
    if (!what) return CUDA_ERROR_INVALID_VALUE;
    *graph = graph_create();
    if (!*graph) return CUDA_ERROR_OUT_OF_MEMORY;
    result = capture_one(*graph, enqueue, what);
    if (result != CUDA_SUCCESS) graph_free(*graph);
    return result;
}

static CUresult add(
    struct node **node, struct graph *graph, struct node *const *needs, size_t count, int type,
    enqueue_function *enqueue, const void *what
) {
    struct graph *recorded;
    CUresult result = make(&recorded, enqueue, what);
    if (result != CUDA_SUCCESS) return result;
    result = CUDA_ERROR_INVALID_VALUE;
    if (node && graph_is(graph)) result = graph_add(graph, needs, count, type, NULL, NULL, 0, node);
    if (result == CUDA_SUCCESS && recorded->nodes) node_take(*node, recorded->nodes);
    graph_free(recorded);
    return result;
}

static CUresult set(struct exec *exec, struct node *node, int type, enqueue_function *enqueue, const void *what) {
    struct graph *recorded;
    CUresult result = make(&recorded, enqueue, what);
    if (result != CUDA_SUCCESS) return result;
    struct node *launched = exec_node(exec, node);
    if (launched && node->type == type && recorded->nodes) {
        node_take(launched, recorded->nodes);
    } else {
        result = CUDA_ERROR_INVALID_VALUE;
    }
    graph_free(recorded);
    return result;
}

DRIVER_API CUresult cuGraphAddKernelNode(
    struct node **node, struct graph *graph, struct node *const *needs, size_t count, const void *parameters
) {
    return add(node, graph, needs, count, NODE_KERNEL, enqueue_kernel, parameters);
}

DRIVER_API CUresult cuGraphAddKernelNode_v2(
    struct node **node, struct graph *graph, struct node *const *needs, size_t count, const void *parameters
) {
    return add(node, graph, needs, count, NODE_KERNEL, enqueue_kernel_of_cuda_12, parameters);
}

DRIVER_API CUresult cuGraphAddMemcpyNode(
    struct node **node, struct graph *graph, struct node *const *needs, size_t count, const CUDA_MEMCPY3D *parameters,
    CUcontext context
) {
    CUresult result = context_check(context);
    return result == CUDA_SUCCESS ? add(node, graph, needs, count, NODE_MEMCPY, enqueue_copy, parameters) : result;
}

DRIVER_API CUresult cuGraphAddMemsetNode(
    struct node **node, struct graph *graph, struct node *const *needs, size_t count, const void *parameters,
    CUcontext context
) {
    CUresult result = context_check(context);
    return result == CUDA_SUCCESS ? add(node, graph, needs, count, NODE_MEMSET, enqueue_set, parameters) : result;
}

DRIVER_API CUresult cuGraphAddHostNode(
    struct node **node, struct graph *graph, struct node *const *needs, size_t count, const void *parameters
) {
    return add(node, graph, needs, count, NODE_HOST, enqueue_host_function, parameters);
}

DRIVER_API CUresult
cuGraphAddEmptyNode(struct node **node, struct graph *graph, struct node *const *needs, size_t count) {
    CUresult result = process_ready();
    if (result != CUDA_SUCCESS) return result;
    if (!node || !graph_is(graph)) return CUDA_ERROR_INVALID_VALUE;
    return graph_add(graph, needs, count, NODE_EMPTY, NULL, NULL, 0, node);
}

DRIVER_API CUresult cuGraphAddChildGraphNode(
    struct node **node, struct graph *graph, struct node *const *needs, size_t count, struct graph *child
) {
    CUresult result = process_ready();
    if (result != CUDA_SUCCESS) return result;
    if (!node || !graph_is(graph) || !graph_is(child)) return CUDA_ERROR_INVALID_VALUE;
    struct graph *copy = graph_copy(child);
    if (!copy) return CUDA_ERROR_OUT_OF_MEMORY;
    result = graph_add(graph, needs, count, NODE_GRAPH, NULL, NULL, 0, node);
    if (result != CUDA_SUCCESS) {
        graph_free(copy);
        return result;
    }
    copy->owned = true;
    (*node)->child = copy;
    return CUDA_SUCCESS;
}

DRIVER_API CUresult cuGraphChildGraphNodeGetGraph(struct node *node, struct graph **graph) {
    CUresult result = process_ready();
    if (result != CUDA_SUCCESS) return result;
    if (!graph || !node_is(node) || !node->child) return CUDA_ERROR_INVALID_VALUE;
    *graph = node->child;
    return CUDA_SUCCESS;
}

DRIVER_API CUresult cuGraphExecKernelNodeSetParams(struct exec *exec, struct node *node, const void *parameters) {
    return set(exec, node, NODE_KERNEL, enqueue_kernel, parameters);
}

DRIVER_API CUresult cuGraphExecKernelNodeSetParams_v2(struct exec *exec, struct node *node, const void *parameters) {
    return set(exec, node, NODE_KERNEL, enqueue_kernel_of_cuda_12, parameters);
}

DRIVER_API CUresult cuGraphExecMemcpyNodeSetParams(
    struct exec *exec, struct node *node, const CUDA_MEMCPY3D *parameters, CUcontext context
) {
    CUresult result = context_check(context);
    return result == CUDA_SUCCESS ? set(exec, node, NODE_MEMCPY, enqueue_copy, parameters) : result;
}

DRIVER_API CUresult
cuGraphExecMemsetNodeSetParams(struct exec *exec, struct node *node, const void *parameters, CUcontext context) {
    CUresult result = context_check(context);
    return result == CUDA_SUCCESS ? set(exec, node, NODE_MEMSET, enqueue_set, parameters) : result;
}

DRIVER_API CUresult cuGraphExecHostNodeSetParams(struct exec *exec, struct node *node, const void *parameters) {
    return set(exec, node, NODE_HOST, enqueue_host_function, parameters);
}

DRIVER_API CUresult cuGraphExecChildGraphNodeSetParams(struct exec *exec, struct node *node, struct graph *child) {
    CUresult result = process_ready();
    if (result != CUDA_SUCCESS) return result;
    struct node *launched = exec_node(exec, node);
    if (!launched || !launched->child || !graph_is(child) || child->count != launched->child->count)
        return CUDA_ERROR_INVALID_VALUE;
    struct graph *copy = graph_copy(child);
    if (!copy) return CUDA_ERROR_OUT_OF_MEMORY;
    copy->owned = true;
    graph_free(launched->child);
    launched->child = copy;
    return CUDA_SUCCESS;
}

/* Attributes control how a kernel runs: they are accepted, and have no effect. */
DRIVER_API CUresult cuGraphKernelNodeSetAttribute(struct node *node, int attribute, const void *value) {
    (void)attribute;
    CUresult result = process_ready();
    if (result != CUDA_SUCCESS) return result;
    return value && node_is(node) && node->type == NODE_KERNEL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

DRIVER_API CUresult cuGraphKernelNodeCopyAttributes(struct node *to, struct node *from) {
    CUresult result = process_ready();
    if (result != CUDA_SUCCESS) return result;
    return node_is(to) && node_is(from) && to->type == NODE_KERNEL && from->type == NODE_KERNEL
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_VALUE;
}
