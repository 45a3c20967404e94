/* The backend API, through which newer TensorFlows describe a graph of operations. Descriptors store their settings,
 * and executing a plan is one launch. Every graph has an engine without a workspace; that of a convolution has a faster
 * one with a workspace, too, if workspaces are computed. */
#include "cudnn.h"
#include "workspaces.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* cudnnBackendDescriptorType_t, cudnnBackendAttributeName_t and cudnnBackendAttributeType_t: cudnn_graph.h */
enum { CONVOLUTION_FORWARD = 10, CONVOLUTION_BACKWARD_FILTER = 11, CONVOLUTION_BACKWARD_DATA = 12 };
enum {
    CONVOLUTION_DILATIONS = 102,
    CONVOLUTION_STRIDES = 103,
    HEURISTIC_GRAPH = 201,
    HEURISTIC_RESULTS = 202,
    CONFIG_ENGINE = 300,
    CONFIG_INTERMEDIATES = 301,
    CONFIG_KNOB_CHOICES = 302,
    CONFIG_WORKSPACE_BYTES = 303,
    CONFIG_SHARED_BYTES = 304,
    PLAN_CONFIG = 401,
    PLAN_WORKSPACE_BYTES = 402,
    GRAPH_OPERATIONS = 801,
    GRAPH_ENGINES = 802,
    TENSOR_DATA_TYPE = 901,
    TENSOR_SIZES = 902,
    ENGINE_GRAPH = 1300,
    ENGINE_INDEX = 1301,
    ENGINE_KNOBS = 1302,
    ENGINE_NUMERICAL_NOTES = 1303,
    ENGINE_LAYOUTS = 1304,
    ENGINE_BEHAVIOR_NOTES = 1305,
};
enum {
    TYPE_HANDLE = 0,
    TYPE_BOOLEAN = 2,
    TYPE_INT64 = 3,
    TYPE_DOUBLE = 5,
    TYPE_POINTER = 6,
    TYPE_DESCRIPTOR = 15,
    TYPE_CHAR = 24,
    TYPE_FRACTION = 26,
};

struct attribute {
    struct attribute *next;
    int name;
    int64_t count;
    size_t size;
    unsigned char bytes[];
};

enum { CONVOLUTION_TENSORS = 3 };

/* The indices of the engines. */
enum { PLAIN, WITH_WORKSPACE };

struct descriptor {
    int type;
    /* In a graph, and in the heuristics, engines, configurations and plans for it: the bytes of the workspace of the
     * graph's faster engine; 0 if it has none. */
    size_t workspace;
    /* In a configuration or a plan: its engine. */
    int64_t engine;
    /* In a convolution's operation. The tensors are the filter, the input and the result. */
    struct steps steps;
    struct sizes tensors[CONVOLUTION_TENSORS];
    struct attribute *attributes;
};

static size_t size_of(int type) {
    switch (type) {
    case TYPE_BOOLEAN:
    case TYPE_CHAR: return 1;
    case TYPE_HANDLE:
    case TYPE_INT64:
    case TYPE_DOUBLE:
    case TYPE_POINTER:
    case TYPE_DESCRIPTOR: return 8;
    case TYPE_FRACTION: return 16;
    }
    return 4; /* floats, 32-bit numbers and enumerations */
}

/* Returns the address of the pointer to an attribute, or of the null pointer at the end of the list. */
static struct attribute **find(struct descriptor *descriptor, int name) {
    struct attribute **place = &descriptor->attributes;
    while (*place && (*place)->name != name) place = &(*place)->next;
    return place;
}

/* Stores an attribute: a copy of `count` elements of `element` bytes each. */
static int store(struct descriptor *descriptor, int name, size_t element, int64_t count, const void *elements) {
    size_t size = element * (size_t)count;
    struct attribute *attribute = malloc(sizeof *attribute + size);
    if (!attribute) return cudnn_status(ALLOC_FAILED);
    struct attribute **place = find(descriptor, name), *old = *place;
    *attribute = (struct attribute){old ? old->next : 0, name, count, size};
    if (size) memcpy(attribute->bytes, elements, size);
    *place = attribute;
    free(old);
    return cudnn_status(SUCCESS);
}

/* Returns the index of a descriptor of an engine. */
static int64_t engine_of(struct descriptor *engine) {
    int64_t index = 0;
    struct attribute *attribute = *find(engine, ENGINE_INDEX);
    if (attribute && attribute->size == sizeof index) memcpy(&index, attribute->bytes, sizeof index);
    return index;
}

/* Copies an attribute of 64-bit numbers; returns how many there are, 0 if they are too many or none. */
static int numbers(struct descriptor *descriptor, int name, int64_t to[MOST_DIMENSIONS]) {
    struct attribute *attribute = *find(descriptor, name);
    if (!attribute || attribute->count > MOST_DIMENSIONS) return 0;
    if (attribute->size != (size_t)attribute->count * sizeof *to) return 0;
    memcpy(to, attribute->bytes, attribute->size);
    return (int)attribute->count;
}

static struct sizes sizes_of(struct descriptor *tensor) {
    struct sizes sizes = {0};
    int data_type = 0;
    struct attribute *attribute = *find(tensor, TENSOR_DATA_TYPE);
    if (attribute && attribute->size == sizeof data_type) memcpy(&data_type, attribute->bytes, sizeof data_type);
    sizes.item_bytes = item_bytes_of(data_type);
    sizes.count = numbers(tensor, TENSOR_SIZES, sizes.values);
    return sizes;
}

/* In cudnn_graph.h the attributes of each direction of a convolution: the convolution, the filter, the input, the
 * result. */
static const int parts[][1 + CONVOLUTION_TENSORS] = {{702, 703, 704, 705}, {714, 715, 716, 717}, {708, 709, 710, 711}};

static bool is_convolution(const struct descriptor *operation) {
    return operation->type >= CONVOLUTION_FORWARD && operation->type <= CONVOLUTION_BACKWARD_DATA;
}

/* Stores the sizes or steps of a part of a convolution's operation. name: the attribute that the part is set as. */
static void store_part(struct descriptor *operation, int name, struct descriptor *part) {
    const int *names = parts[operation->type - CONVOLUTION_FORWARD];
    if (name == names[0]) {
        struct steps steps = {0};
        steps.count = numbers(part, CONVOLUTION_STRIDES, steps.strides);
        if (numbers(part, CONVOLUTION_DILATIONS, steps.dilations) != steps.count) steps.count = 0;
        operation->steps = steps;
    }
    for (int i = 0; i < CONVOLUTION_TENSORS; i++)
        if (name == names[i + 1]) operation->tensors[i] = sizes_of(part);
}

/* Returns the largest workspace of a graph's operations; 0 for operations that aren't convolutions. */
static size_t largest_workspace(int64_t count, struct descriptor *const *operations) {
    size_t largest = 0;
    for (int64_t i = 0; i < count; i++) {
        const struct sizes *tensors = operations[i]->tensors;
        size_t bytes = convolution_workspace(&tensors[1], &tensors[0], &tensors[2], &operations[i]->steps);
        if (bytes > largest) largest = bytes;
    }
    return largest;
}

/* Copies what later calls need from other descriptors that are set as an attribute: the program may destroy them. */
static void copy_from(struct descriptor *descriptor, int name, int64_t count, struct descriptor *const *others) {
    if (name == GRAPH_OPERATIONS) {
        descriptor->workspace = workspaces_are_computed() ? largest_workspace(count, others) : 0;
    } else if (count == 1 && is_convolution(descriptor)) {
        store_part(descriptor, name, others[0]);
    } else if (count == 1) {
        switch (name) {
        case CONFIG_ENGINE: descriptor->engine = engine_of(others[0]); break;
        case PLAN_CONFIG: descriptor->engine = others[0]->engine; break;
        case ENGINE_GRAPH:
        case HEURISTIC_GRAPH: break;
        default: return;
        }
        descriptor->workspace = others[0]->workspace;
    }
}

EXPORT int cudnnBackendCreateDescriptor(int type, struct descriptor **descriptor) {
    if (!descriptor) return cudnn_status(BAD_PARAM);
    *descriptor = calloc(1, sizeof **descriptor);
    if (!*descriptor) return cudnn_status(ALLOC_FAILED);
    (*descriptor)->type = type;
    return cudnn_status(SUCCESS);
}

EXPORT int cudnnBackendDestroyDescriptor(struct descriptor *descriptor) {
    if (!descriptor) return cudnn_status(SUCCESS);
    for (struct attribute *attribute = descriptor->attributes, *next; attribute; attribute = next) {
        next = attribute->next;
        free(attribute);
    }
    free(descriptor);
    return cudnn_status(SUCCESS);
}

EXPORT int cudnnBackendInitialize(struct descriptor *descriptor) {
    return cudnn_status(descriptor ? SUCCESS : BAD_PARAM);
}

EXPORT int cudnnBackendFinalize(struct descriptor *descriptor) {
    return cudnn_status(descriptor ? SUCCESS : BAD_PARAM);
}

EXPORT int cudnnBackendSetAttribute(
    struct descriptor *descriptor, int name, int type, int64_t count, const void *elements
) {
    if (!descriptor || count < 0 || (count && !elements)) return cudnn_status(BAD_PARAM);
    if (type == TYPE_DESCRIPTOR) {
        struct descriptor *const *others = elements;
        for (int64_t i = 0; i < count; i++)
            if (!others[i]) return cudnn_status(BAD_PARAM);
        copy_from(descriptor, name, count, others);
    }
    return store(descriptor, name, size_of(type), count, elements);
}

/* Copies numbers or descriptors to the program, as many as it has room for, and writes the number of all to `count`. */
static int copy_out(const void *elements, size_t element, int64_t has, int64_t room, int64_t *count, void *to) {
    if (count) *count = has;
    if (to && room > 0) memcpy(to, elements, element * (size_t)(room < has ? room : has));
    return cudnn_status(SUCCESS);
}

/* Lists a graph's engines, the faster one first, in configurations that the program has created. */
static int list_engines(struct descriptor *heuristics, int64_t room, int64_t *count, void *elements) {
    struct descriptor *const *configs = elements;
    int64_t has = heuristics->workspace ? 2 : 1;
    if (count) *count = has;
    for (int64_t i = 0; configs && i < has && i < room; i++) {
        if (!configs[i]) return cudnn_status(BAD_PARAM);
        configs[i]->engine = has == 2 && i == 0 ? WITH_WORKSPACE : PLAIN;
        configs[i]->workspace = heuristics->workspace;
    }
    return cudnn_status(SUCCESS);
}

EXPORT int cudnnBackendGetAttribute(
    struct descriptor *descriptor, int name, int type, int64_t room, int64_t *count, void *elements
) {
    static const int64_t none = 0;
    if (!descriptor) return cudnn_status(BAD_PARAM);
    struct attribute *attribute = *find(descriptor, name);
    const int64_t engines = descriptor->workspace ? 2 : 1;
    const int64_t bytes = descriptor->engine == WITH_WORKSPACE ? (int64_t)descriptor->workspace : 0;
    switch (name) {
    case HEURISTIC_RESULTS: return list_engines(descriptor, room, count, elements);
    case CONFIG_ENGINE:
        if (count) *count = 1;
        if (!elements || room < 1) return cudnn_status(SUCCESS);
        (*(struct descriptor **)elements)->workspace = descriptor->workspace;
        return store(*(struct descriptor **)elements, ENGINE_INDEX, sizeof(int64_t), 1, &descriptor->engine);
    case PLAN_CONFIG:
        if (count) *count = 1;
        if (!elements || room < 1) return cudnn_status(SUCCESS);
        (*(struct descriptor **)elements)->engine = descriptor->engine;
        (*(struct descriptor **)elements)->workspace = descriptor->workspace;
        return cudnn_status(SUCCESS);
    case GRAPH_ENGINES: return copy_out(&engines, sizeof engines, 1, room, count, elements);
    case PLAN_WORKSPACE_BYTES:
    case CONFIG_WORKSPACE_BYTES: return copy_out(&bytes, sizeof bytes, 1, room, count, elements);
    case CONFIG_SHARED_BYTES: return copy_out(&none, size_of(type), 1, room, count, elements);
    case CONFIG_INTERMEDIATES:
    case CONFIG_KNOB_CHOICES:
    case ENGINE_KNOBS:
    case ENGINE_NUMERICAL_NOTES:
    case ENGINE_LAYOUTS:
    case ENGINE_BEHAVIOR_NOTES:
        if (!attribute) return copy_out(&none, size_of(type), 0, room, count, elements);
    }
    if (attribute) {
        size_t element = attribute->count ? attribute->size / (size_t)attribute->count : 0;
        return copy_out(attribute->bytes, element, attribute->count, room, count, elements);
    }
    static int reported;
    char what[64];
    snprintf(what, sizeof what, "cudnnBackendGetAttribute (attribute %d)", name);
    sim_unsupported(&reported, "cudnn", what);
    return cudnn_status(NOT_SUPPORTED);
}

EXPORT int cudnnBackendExecute(cudnnHandle_t handle, struct descriptor *plan, struct descriptor *pack) {
    if (!plan || !pack) return cudnn_status(BAD_PARAM);
    return plan->workspace && plan->engine != WITH_WORKSPACE ? cudnn_launch_slowly(handle) : cudnn_launch(handle);
}
