/* Work in streams: the work of one stream runs in order, and after the work in others that it waits for.
 *
 * Work that can run when it is enqueued runs at once, in the thread that enqueues it. Other work (a host function,
 * or work that has to wait) runs in a thread of the stream, which ends when no work is left.
 */
#ifndef TF1MEM_DRIVER_WORK_H
#define TF1MEM_DRIVER_WORK_H

#include "driver/core/api.h"
#include "kinds.h"

/* LEGACY: a context's default stream; it and all its blocking streams wait for each other. FREE: a non-blocking
 * stream. */
enum queue_kind { QUEUE_LEGACY, QUEUE_BLOCKING, QUEUE_FREE };

struct group; /* the queues of one context */
struct queue;

/* Creates a group with its legacy queue; returns NULL if there is no memory. */
struct group *group_create(void);
/* Returns the group's legacy queue. */
struct queue *group_legacy(struct group *group);
/* Waits for all work in all queues. */
void group_wait(struct group *group);

/* Creates a queue without work; returns NULL if there is no memory. */
struct queue *queue_create(struct group *group, enum queue_kind kind);
/* Closes a queue; work in it still runs. */
void queue_close(struct queue *queue);
/* Waits for the work in a queue, and for a legacy queue also for the work in the blocking queues of its group. Returns
 * CUDA_ERROR_OUT_OF_MEMORY if there is no memory. */
CUresult queue_wait(struct queue *queue);
/* Returns true if queue_wait would return at once. */
bool queue_idle(struct queue *queue);

/* Enqueues work with a copy of its payload; while the queue is captured, adds it to the graph. Returns
 * CUDA_ERROR_OUT_OF_MEMORY if there is no memory, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED if a graph can't contain it. */
CUresult work_submit(struct queue *queue, const struct work_kind *kind, const void *payload, size_t size);
/* Enqueues work and waits until it has run; while the queue is captured, adds it to the graph without waiting. The
 * payload isn't copied if the work runs at once. Returns the errors of work_submit. */
CUresult work_submit_and_wait(struct queue *queue, const struct work_kind *kind, const void *payload, size_t size);

/* Starts a capture: work enqueued in the queue is then added to the graph. capture: the capture's number, never
 * zero. */
struct graph;
void queue_capture(struct queue *queue, struct graph *graph, uint64_t capture);
/* Returns the graph into which the queue is captured, or NULL. Writes the capture's number, or 0 without a capture, to
 * `capture`, unless that is NULL. */
struct graph *queue_captured(struct queue *queue, uint64_t *capture);
/* Returns the graph of a capture that is going on in any queue of the group, or NULL. */
struct graph *group_captured(struct group *group, uint64_t capture);
/* Ends a capture in every queue of the group that takes part in it. */
void group_end_capture(struct group *group, uint64_t capture);
/* Returns true in a thread that runs a host function, which must not call the driver. */
bool work_in_host_function(void);
/* Marks this thread as one that runs a host function, or no longer does. */
void work_set_host_function(bool running);

/* Enqueues work that adds seconds to the modelled time of the queue: the times of points recorded in it from now on are
 * later by that much. Does nothing while the queue is captured, since a graph's work has no durations. Returns
 * CUDA_ERROR_OUT_OF_MEMORY if there is no memory. */
CUresult queue_takes(struct queue *queue, double seconds);

/* A point in a queue: it is reached when all work enqueued before it is done. */
struct point;

/* Records a point after the work enqueued so far; returns NULL if there is no memory. The caller releases it. */
struct point *point_record(struct queue *queue);
/* Adds a reference to the point, and returns the point. Each reference has to be released. */
struct point *point_share(struct point *point);
void point_release(struct point *point);
bool point_reached(struct point *point);
void point_wait(struct point *point);
/* Returns the time at which a point was reached, in seconds: a monotonic clock's plus the queue's modelled time. The
 * point must have been reached. */
double point_time(struct point *point);
/* Makes work enqueued in the queue from now on wait for the point. Returns CUDA_ERROR_OUT_OF_MEMORY if there is no
 * memory. */
CUresult queue_wait_for(struct queue *queue, struct point *point);

#endif
