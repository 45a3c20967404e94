/* Keeps the live handles in a tree, ordered by the handle's value. */
#include "handles.h"

#include <pthread.h>
#include <search.h>
#include <stdlib.h>

struct known_handle {
    const void *handle;
    enum handle_kind kind;
};

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static void *tree; /* root of a tsearch tree, which is balanced */

static int compare(const void *left, const void *right) {
    const struct known_handle *a = left, *b = right;
    return a->handle < b->handle ? -1 : a->handle > b->handle;
}

bool handle_add(const void *handle, enum handle_kind kind) {
    struct known_handle *entry = malloc(sizeof *entry);
    if (!entry) return false;
    *entry = (struct known_handle){handle, kind};
    pthread_rwlock_wrlock(&lock);
    bool added = tsearch(entry, &tree, compare) != NULL;
    pthread_rwlock_unlock(&lock);
    if (!added) free(entry);
    return added;
}

bool handle_is(const void *handle, enum handle_kind kind) {
    struct known_handle key = {handle, kind};
    pthread_rwlock_rdlock(&lock);
    struct known_handle *const *node = tfind(&key, &tree, compare);
    bool matches = node && (*node)->kind == kind;
    pthread_rwlock_unlock(&lock);
    return matches;
}

bool handle_remove(const void *handle, enum handle_kind kind) {
    struct known_handle key = {handle, kind}, *removed = NULL;
    pthread_rwlock_wrlock(&lock);
    struct known_handle *const *node = tfind(&key, &tree, compare);
    if (node && (*node)->kind == kind) {
        removed = *node;
        tdelete(&key, &tree, compare);
    }
    pthread_rwlock_unlock(&lock);
    free(removed);
    return removed != NULL;
}
