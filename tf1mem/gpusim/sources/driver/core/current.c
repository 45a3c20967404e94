/* The stack of contexts of each thread. */
#include "current.h"

#include <pthread.h>
#include <stdlib.h>

struct stack {
    int depth, room;
    struct context *contexts[];
};

static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t key; /* frees a thread's stack when the thread ends */
static _Thread_local struct stack *stack;

static void make_key(void) {
    pthread_key_create(&key, free);
}

CUresult current_push(struct context *context) {
    if (!stack || stack->depth == stack->room) {
        int room = stack ? stack->room * 2 : 8;
        struct stack *larger = realloc(stack, sizeof *stack + (size_t)room * sizeof stack->contexts[0]);
        if (!larger) return CUDA_ERROR_OUT_OF_MEMORY;
        if (!stack) larger->depth = 0;
        larger->room = room;
        stack = larger;
        pthread_once(&key_once, make_key);
        pthread_setspecific(key, stack);
    }
    stack->contexts[stack->depth++] = context;
    return CUDA_SUCCESS;
}

struct context *current_top(void) {
    return stack && stack->depth ? stack->contexts[stack->depth - 1] : NULL;
}

struct context *current_pop(void) {
    return stack && stack->depth ? stack->contexts[--stack->depth] : NULL;
}

CUresult current_replace(struct context *context) {
    current_pop();
    return context ? current_push(context) : CUDA_SUCCESS;
}
