/* The backend API, through which newer TensorFlows describe a graph of operations. Descriptors store their settings,
 * every graph has one engine, and executing a plan is one launch. */
#include "cudnn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* cudnnBackendDescriptorType_t, cudnnBackendAttributeName_t and cudnnBackendAttributeType_t: cudnn_graph.h */
enum { ENGINE_CONFIG = 3 };
enum {
    HEURISTIC_RESULTS = 202,
    CONFIG_ENGINE = 300,
    CONFIG_INTERMEDIATES = 301,
    CONFIG_KNOB_CHOICES = 302,
    CONFIG_WORKSPACE_BYTES = 303,
    CONFIG_SHARED_BYTES = 304,
    PLAN_WORKSPACE_BYTES = 402,
    GRAPH_ENGINES = 802,
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

struct descriptor {
    int type;
    int64_t engine; /* of an engine's configuration: the engine */
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

static struct attribute **find(struct descriptor *descriptor, int name) {
    struct attribute **place = &descriptor->attributes;
    while (*place && (*place)->name != name) place = &(*place)->next;
    return place;
}

static int keep(struct descriptor *descriptor, int name, size_t element, int64_t count, const void *elements) {
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

static int64_t engine_of(struct descriptor *engine) {
    int64_t index = 0;
    struct attribute *attribute = *find(engine, ENGINE_INDEX);
    if (attribute && attribute->size == sizeof index) memcpy(&index, attribute->bytes, sizeof index);
    return index;
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
    if (descriptor->type == ENGINE_CONFIG && name == CONFIG_ENGINE && count == 1)
        descriptor->engine = engine_of(*(struct descriptor *const *)elements);
    return keep(descriptor, name, size_of(type), count, elements);
}

/* Returns numbers or descriptors, as many as the program has room for. */
static int give(const void *elements, size_t element, int64_t has, int64_t room, int64_t *count, void *to) {
    if (count) *count = has;
    if (to && room > 0) memcpy(to, elements, element * (size_t)(room < has ? room : has));
    return cudnn_status(SUCCESS);
}

EXPORT int cudnnBackendGetAttribute(
    struct descriptor *descriptor, int name, int type, int64_t room, int64_t *count, void *elements
) {
    static const int64_t none = 0, one = 1;
    if (!descriptor) return cudnn_status(BAD_PARAM);
    struct attribute *attribute = *find(descriptor, name);
    switch (name) {
    case HEURISTIC_RESULTS: /* the program created it; it contains the first engine from the start */
        if (count) *count = 1;
        return cudnn_status(SUCCESS);
    case CONFIG_ENGINE:
        if (count) *count = 1;
        if (!elements || room < 1) return cudnn_status(SUCCESS);
        return keep(*(struct descriptor **)elements, ENGINE_INDEX, sizeof(int64_t), 1, &descriptor->engine);
    case GRAPH_ENGINES: return give(&one, sizeof one, 1, room, count, elements);
    case PLAN_WORKSPACE_BYTES:
    case CONFIG_WORKSPACE_BYTES:
    case CONFIG_SHARED_BYTES: return give(&none, size_of(type), 1, room, count, elements);
    case CONFIG_INTERMEDIATES:
    case CONFIG_KNOB_CHOICES:
    case ENGINE_KNOBS:
    case ENGINE_NUMERICAL_NOTES:
    case ENGINE_LAYOUTS:
    case ENGINE_BEHAVIOR_NOTES:
        if (!attribute) return give(&none, size_of(type), 0, room, count, elements);
    }
    if (attribute) {
        size_t element = attribute->count ? attribute->size / (size_t)attribute->count : 0;
        return give(attribute->bytes, element, attribute->count, room, count, elements);
    }
    static int reported;
    char what[64];
    snprintf(what, sizeof what, "cudnnBackendGetAttribute (attribute %d)", name);
    sim_unsupported(&reported, "cudnn", what);
    return cudnn_status(NOT_SUPPORTED);
}

EXPORT int cudnnBackendExecute(cudnnHandle_t handle, struct descriptor *plan, struct descriptor *pack) {
    if (!plan || !pack) return cudnn_status(BAD_PARAM);
    return cudnn_launch(handle);
}
