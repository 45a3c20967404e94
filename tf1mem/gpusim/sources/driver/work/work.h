/* Work in streams: what is enqueued in one runs in its order, and after what it waits for in others.
 *
 * A piece of work whose turn it is when it is enqueued runs at once, in the thread that enqueues it. What can't (a host
 * function, and what comes after one that is still running) is run by a thread of the stream, which ends when nothing
 * is left.
 */
#ifndef TF1MEM_DRIVER_WORK_H
#define TF1MEM_DRIVER_WORK_H

#include "driver/core/api.h"

/* LEGACY: a context's default stream, which waits for all its blocking streams and they for it.
 * FREE: those that don't. */
enum queue_kind { QUEUE_LEGACY, QUEUE_BLOCKING, QUEUE_FREE };

struct group; /* the queues of one context */
struct queue;

struct group *group_create(void);
struct queue *group_legacy(struct group *group);
/* Waits for all work in all queues. */
void group_wait(struct group *group);

struct queue *queue_create(struct group *group, enum queue_kind kind);
/* What is enqueued still runs. */
void queue_close(struct queue *queue);
/* Waits for the work in it, and where it is a legacy queue also for that in the queues it waits for. */
CUresult queue_wait(struct queue *queue);
bool queue_idle(struct queue *queue);

/* A kind of work: each source that enqueues any has its own. */
struct work_kind {
    void (*run)(void *payload);
    int node_type;  /* what it is in a graph, a CUgraphNodeType; or NOT_IN_GRAPHS */
    bool in_thread; /* it runs in a thread of the stream, even where its turn has come */
};

enum {
    NODE_KERNEL = 0,
    NODE_MEMCPY = 1,
    NODE_MEMSET = 2,
    NODE_HOST = 3,
    NODE_GRAPH = 4,
    NODE_EMPTY = 5,
    NOT_IN_GRAPHS = -1
};

/* Enqueues work, with a copy of its payload; while the queue is captured, into its graph. CUDA_ERROR_OUT_OF_MEMORY
 * where there is no memory for that, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED where a graph can't hold it. */
CUresult work_submit(struct queue *queue, const struct work_kind *kind, const void *payload, size_t size);
/* The same, and waits until it was run. The payload is not copied where it runs at once. */
CUresult work_submit_and_wait(struct queue *queue, const struct work_kind *kind, const void *payload, size_t size);

/* While a queue is captured, what is enqueued goes into the graph. capture: a number of its own, never zero. */
struct graph;
void queue_capture(struct queue *queue, struct graph *graph, uint64_t capture);
/* The graph into which the queue is captured, or NULL. capture: may be NULL. */
struct graph *queue_captured(struct queue *queue, uint64_t *capture);
/* The graph of a capture that goes on in any queue of the group, or NULL. */
struct graph *group_captured(struct group *group, uint64_t capture);
/* Ends a capture in every queue of the group that takes part in it. */
void group_end_capture(struct group *group, uint64_t capture);
/* True in a thread that runs a host function: it must not call the driver. */
bool work_in_host_function(void);
void work_set_host_function(bool running);

/* A point in a queue: what had been enqueued when it was made is done once it is reached. */
struct point;

struct point *point_record(struct queue *queue);
struct point *point_share(struct point *point); /* one more to release */
void point_release(struct point *point);
bool point_reached(struct point *point);
void point_wait(struct point *point);
/* When it was reached, in seconds on a clock that only goes forward. It has been. */
double point_time(struct point *point);
/* What is enqueued in the queue from now on waits for the point. */
CUresult queue_wait_for(struct queue *queue, struct point *point);

#endif
