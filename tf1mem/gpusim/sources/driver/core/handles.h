/* The live handles: a handle from the program is looked up here before it is used. */
#ifndef TF1MEM_DRIVER_HANDLES_H
#define TF1MEM_DRIVER_HANDLES_H

#include "api.h"

enum handle_kind {
    HANDLE_CONTEXT,
    HANDLE_STREAM,
    HANDLE_EVENT,
    HANDLE_POOL,
    HANDLE_MODULE,
    HANDLE_FUNCTION,
    HANDLE_LINK,
    HANDLE_GRAPH,
    HANDLE_NODE,
    HANDLE_EXEC,
    HANDLE_PHYSICAL, /* CUmemGenericAllocationHandle */
};

/* Adds a handle. Returns false if there is no memory for its entry. */
bool handle_add(const void *handle, enum handle_kind kind);
/* Returns true if this is a live handle of the kind. */
bool handle_is(const void *handle, enum handle_kind kind);
/* Removes a live handle of the kind. Returns true for one caller only, even if several threads destroy the same handle
 * at once. */
bool handle_remove(const void *handle, enum handle_kind kind);

#endif
