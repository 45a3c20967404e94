/* The tree of all allocations, ordered by address. */
#include "allocations.h"

#include "accounts.h"

#include <errno.h>
#include <pthread.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct node {
    struct allocation allocation; /* the first field, so that `compare` also accepts an allocation as the key */
    struct node *previous, *next; /* list of all allocations, for functions that go through them */
};

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static void *tree; /* root of a tsearch tree, which is balanced */
static struct node *all;
static uint64_t last_id;

/* Ranges that overlap compare equal. None in the tree overlap, so one byte equals the allocation that contains it. */
static int compare(const void *left, const void *right) {
    const struct allocation *a = left, *b = right;
    if (a->base + a->bytes <= b->base) return -1;
    return b->base + b->bytes <= a->base;
}

static struct node *find(CUdeviceptr address) {
    const struct allocation key = {.base = address, .bytes = 1};
    struct node *const *node = tfind(&key, &tree, compare);
    return node ? *node : NULL;
}

/* Removes a node from the tree and from the list. The caller frees it. */
static void forget(struct node *node) {
    tdelete(&node->allocation, &tree, compare);
    if (node->previous) node->previous->next = node->next;
    if (node->next) node->next->previous = node->previous;
    if (all == node) all = node->next;
}

void *allocations_map(size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory != MAP_FAILED) return memory;
    fprintf(
        stderr, "tf1mem sim: this machine can't map %zu bytes for a simulated GPU (%s)%s\n", bytes, strerror(errno),
        errno == ENOMEM ? "; see `ulimit -v`, and vm.overcommit_memory, which must not be 2" : ""
    );
    return NULL;
}

void allocations_unmap(CUdeviceptr base, size_t bytes) {
    munmap((void *)(uintptr_t)base, bytes);
}

CUresult allocations_add(struct allocation allocation) {
    struct node *node = calloc(1, sizeof *node);
    if (!node) return CUDA_ERROR_OUT_OF_MEMORY;
    CUresult result = CUDA_SUCCESS;
    pthread_rwlock_wrlock(&lock);
    allocation.id = ++last_id;
    node->allocation = allocation;
    struct node *const *there = tsearch(node, &tree, compare);
    if (!there) {
        result = CUDA_ERROR_OUT_OF_MEMORY;
    } else if (*there != node) {
        result = CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    } else {
        node->next = all;
        if (all) all->previous = node;
        all = node;
    }
    pthread_rwlock_unlock(&lock);
    if (result != CUDA_SUCCESS) free(node);
    return result;
}

bool allocations_find(CUdeviceptr address, struct allocation *allocation) {
    pthread_rwlock_rdlock(&lock);
    struct node *node = find(address);
    if (node) *allocation = node->allocation;
    pthread_rwlock_unlock(&lock);
    return node != NULL;
}

bool allocations_take(CUdeviceptr base, unsigned types, struct allocation *taken) {
    pthread_rwlock_wrlock(&lock);
    struct node *node = find(base);
    if (node && (node->allocation.base != base || !(types & 1u << node->allocation.type))) node = NULL;
    if (node) {
        *taken = node->allocation;
        forget(node);
    }
    pthread_rwlock_unlock(&lock);
    free(node);
    return node != NULL;
}

bool allocations_set(CUdeviceptr address, int access, int sync_memops) {
    pthread_rwlock_wrlock(&lock);
    struct node *node = find(address);
    if (node && access >= 0) node->allocation.access = access;
    if (node && sync_memops >= 0) node->allocation.sync_memops = sync_memops;
    pthread_rwlock_unlock(&lock);
    return node != NULL;
}

bool allocations_hold(CUdeviceptr address, size_t bytes) {
    if (address + bytes < address) return false;
    pthread_rwlock_rdlock(&lock);
    CUdeviceptr end = address + bytes;
    while (address < end) {
        struct node *node = find(address);
        if (!node || (node->allocation.type == ALLOCATION_MAPPING && !node->allocation.access)) break;
        address = node->allocation.base + node->allocation.bytes;
    }
    pthread_rwlock_unlock(&lock);
    return address >= end;
}

/* Frees the memory of an allocation that is no longer in the tree. api: the CUDA function that the program called. */
static void give_back(const struct allocation *allocation, const char *api) {
    switch (allocation->type) {
    case ALLOCATION_DEVICE: account_free(allocation->gpu, allocation->bytes, MEMORY_DEVICE, api); break;
    case ALLOCATION_MANAGED: account_free(allocation->gpu, allocation->bytes, MEMORY_MANAGED, api); break;
    case ALLOCATION_HOST: break;
    default: /* the program's own, registered memory; pools and mappings belong to no context */ return;
    }
    allocations_unmap(allocation->base, allocation->bytes);
}

void allocations_free_all(const struct context *context, const char *api) {
    struct node *freed = NULL;
    pthread_rwlock_wrlock(&lock);
    for (struct node *node = all, *next; node; node = next) {
        next = node->next;
        if (node->allocation.context != context) continue;
        forget(node);
        node->next = freed;
        freed = node;
    }
    pthread_rwlock_unlock(&lock);
    while (freed) {
        struct node *node = freed;
        freed = node->next;
        give_back(&node->allocation, api);
        free(node);
    }
}
