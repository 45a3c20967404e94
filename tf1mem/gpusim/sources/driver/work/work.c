/* The queues of work behind streams: which work waits for which, and the threads that run it. */
#include "work.h"

#include "driver/graphs/graphs.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct queue {
    struct group *group;
    enum queue_kind kind;
    int references; /* one reference while it is open, one for each point, one while its thread runs */
    bool threaded;
    uint64_t submitted; /* the ticket of the last piece of work that was submitted; the first one has ticket 1 */
    uint64_t completed; /* the ticket of the last piece of work that is done */
    struct work *first, **last; /* pieces of work that wait for the thread */
    struct queue *next;         /* the next queue in its group */
    struct graph *graph;        /* the graph into which it is captured, or NULL */
    uint64_t capture;           /* the capture's number */
    double modelled; /* the seconds that queue_takes has added */
};

struct group {
    struct queue *queues; /* the legacy queue first */
};

struct point {
    struct queue *queue;
    int references;
    uint64_t ticket; /* the ticket of the point's own piece of work */
    double time;
};

/* A piece of work, in another queue, that has to be completed first. */
struct need {
    struct queue *queue;
    uint64_t ticket;
};

struct work {
    struct work *next;
    uint64_t ticket;
    const struct work_kind *kind; /* NULL for work that only waits */
    void *payload;
    int need_count;
    struct need needs[];
};

/* One lock for all queues, which is never held while work runs. Contention doesn't matter: most of the work copies
 * whole tensors. The static functions down to `drain` need it held. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t progress = PTHREAD_COND_INITIALIZER;
static int waiting; /* threads that wait for progress */
static _Thread_local bool in_host_function;

bool work_in_host_function(void) {
    return in_host_function;
}

void work_set_host_function(bool running) {
    in_host_function = running;
}

/* Waits until a piece of work is completed, in any queue. */
static void await(void) {
    waiting++;
    pthread_cond_wait(&progress, &lock);
    waiting--;
}

static void complete(struct queue *queue, uint64_t ticket) {
    queue->completed = ticket;
    if (waiting) pthread_cond_broadcast(&progress);
}

static void queue_unref(struct queue *queue) {
    if (--queue->references) return;
    if (queue->group) {
        struct queue **link = &queue->group->queues;
        while (*link != queue) link = &(*link)->next;
        *link = queue->next;
    }
    free(queue);
}

struct group *group_create(void) {
    struct group *group = calloc(1, sizeof *group);
    if (group && !queue_create(group, QUEUE_LEGACY)) {
        free(group);
        return NULL;
    }
    return group;
}

struct queue *group_legacy(struct group *group) {
    struct queue *queue = group->queues;
    while (queue->kind != QUEUE_LEGACY) queue = queue->next;
    return queue;
}

struct queue *queue_create(struct group *group, enum queue_kind kind) {
    struct queue *queue = calloc(1, sizeof *queue);
    if (!queue) return NULL;
    *queue = (struct queue){.group = group, .kind = kind, .references = 1};
    queue->last = &queue->first;
    pthread_mutex_lock(&lock);
    /* Inserted after the legacy queue, which so stays the first. */
    struct queue **link = group->queues ? &group->queues->next : &group->queues;
    queue->next = *link;
    *link = queue;
    pthread_mutex_unlock(&lock);
    return queue;
}

void queue_close(struct queue *queue) {
    pthread_mutex_lock(&lock);
    queue_unref(queue);
    pthread_mutex_unlock(&lock);
}

/* Waits until the queue has completed the work with a ticket. */
static void wait_for(struct queue *queue, uint64_t ticket) {
    queue->references++;
    while (queue->completed < ticket) await();
    queue_unref(queue);
}

void group_wait(struct group *group) {
    pthread_mutex_lock(&lock);
    /* Starts again after each wait, since queues come and go meanwhile. It also waits for work enqueued meanwhile. */
    struct queue *queue = group->queues;
    while (queue) {
        if (queue->completed == queue->submitted) {
            queue = queue->next;
        } else {
            wait_for(queue, queue->submitted);
            queue = group->queues;
        }
    }
    pthread_mutex_unlock(&lock);
}

/* Returns true if one queue is a default stream's and the other a blocking stream's: these wait for each other. */
static bool waits_by_kind(const struct queue *queue, const struct queue *other) {
    return (queue->kind == QUEUE_LEGACY && other->kind == QUEUE_BLOCKING) ||
           (queue->kind == QUEUE_BLOCKING && other->kind == QUEUE_LEGACY);
}

/* Returns the number of other queues with work that new work in this queue must wait for. Writes that work to `needs`,
 * unless that is NULL. */
static int needs_by_kind(const struct queue *queue, struct need *needs) {
    int count = 0;
    for (struct queue *other = queue->group->queues; other; other = other->next) {
        if (!waits_by_kind(queue, other) || other->completed == other->submitted) continue;
        if (needs) needs[count] = (struct need){other, other->submitted};
        count++;
    }
    return count;
}

static bool need_met(const struct need *need) {
    return need->queue->completed >= need->ticket;
}

/* Returns true if queue_wait would return at once. */
static bool settled(const struct queue *queue) {
    return queue->completed == queue->submitted && (queue->kind != QUEUE_LEGACY || !needs_by_kind(queue, NULL));
}

bool queue_idle(struct queue *queue) {
    pthread_mutex_lock(&lock);
    bool idle = settled(queue);
    pthread_mutex_unlock(&lock);
    return idle;
}

/* Runs the enqueued work until none is left. The lock is held, except while work runs. */
static void drain(struct queue *queue) {
    while (queue->first) {
        struct work *work = queue->first;
        while (queue->completed != work->ticket - 1) await();
        for (int i = 0; i < work->need_count; i++) {
            while (!need_met(&work->needs[i])) await();
            queue_unref(work->needs[i].queue);
        }
        queue->first = work->next;
        if (!queue->first) queue->last = &queue->first;
        if (work->kind) {
            pthread_mutex_unlock(&lock);
            work->kind->run(work->payload);
            pthread_mutex_lock(&lock);
        }
        complete(queue, work->ticket);
        free(work->payload);
        free(work);
    }
    queue->threaded = false;
    queue_unref(queue);
}

static void *thread(void *queue) {
    pthread_mutex_lock(&lock);
    drain(queue);
    pthread_mutex_unlock(&lock);
    return NULL;
}

/* Starts the queue's thread, with all signals blocked: the program's handlers run in its own threads. */
static bool start_thread(struct queue *queue) {
    sigset_t all, before;
    pthread_attr_t attributes;
    pthread_t started;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    bool done = pthread_create(&started, &attributes, thread, queue) == 0;
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return done;
}

/* Appends a piece of work. The lock must be held. */
static bool enqueue(
    struct queue *queue, const struct work_kind *kind, const void *payload, size_t size, const struct need *extra
) {
    int by_kind = needs_by_kind(queue, NULL), count = by_kind + (extra ? 1 : 0);
    struct work *work = calloc(1, sizeof *work + (size_t)count * sizeof work->needs[0]);
    void *copy = size ? malloc(size) : NULL;
    if (!work || (size && !copy)) {
        free(work);
        free(copy);
        return false;
    }
    if (size) memcpy(copy, payload, size);
    *work = (struct work){.ticket = ++queue->submitted, .kind = kind, .payload = copy, .need_count = count};
    needs_by_kind(queue, work->needs);
    if (extra) work->needs[by_kind] = *extra;
    for (int i = 0; i < count; i++) work->needs[i].queue->references++;
    *queue->last = work;
    queue->last = &work->next;
    if (!queue->threaded) {
        queue->threaded = true;
        queue->references++;
        if (!start_thread(queue)) drain(queue); /* the machine has no more threads: the work is done in this one */
    }
    return true;
}

/* Returns the work's ticket, or 0 if there is no memory for it. */
static uint64_t submit(struct queue *queue, const struct work_kind *kind, const void *payload, size_t size) {
    pthread_mutex_lock(&lock);
    uint64_t ticket = queue->submitted + 1;
    if (!kind->in_thread && queue->completed == queue->submitted && !needs_by_kind(queue, NULL)) {
        queue->submitted = ticket;
        queue->references++;
        pthread_mutex_unlock(&lock);
        kind->run((void *)payload);
        pthread_mutex_lock(&lock);
        complete(queue, ticket);
        queue_unref(queue);
    } else if (!enqueue(queue, kind, payload, size, NULL)) {
        ticket = 0;
    }
    pthread_mutex_unlock(&lock);
    return ticket;
}

CUresult work_submit(struct queue *queue, const struct work_kind *kind, const void *payload, size_t size) {
    struct graph *graph = queue_captured(queue, NULL);
    if (graph) return graph_capture(graph, kind, payload, size);
    return submit(queue, kind, payload, size) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult work_submit_and_wait(struct queue *queue, const struct work_kind *kind, const void *payload, size_t size) {
    struct graph *graph = queue_captured(queue, NULL);
    if (graph) return graph_capture(graph, kind, payload, size);
    uint64_t ticket = submit(queue, kind, payload, size);
    if (!ticket) return CUDA_ERROR_OUT_OF_MEMORY;
    pthread_mutex_lock(&lock);
    wait_for(queue, ticket);
    pthread_mutex_unlock(&lock);
    return CUDA_SUCCESS;
}

void queue_capture(struct queue *queue, struct graph *graph, uint64_t capture) {
    pthread_mutex_lock(&lock);
    queue->graph = graph;
    queue->capture = capture;
    pthread_mutex_unlock(&lock);
}

struct graph *queue_captured(struct queue *queue, uint64_t *capture) {
    pthread_mutex_lock(&lock);
    struct graph *graph = queue->graph;
    if (capture) *capture = graph ? queue->capture : 0;
    pthread_mutex_unlock(&lock);
    return graph;
}

struct graph *group_captured(struct group *group, uint64_t capture) {
    struct graph *graph = NULL;
    pthread_mutex_lock(&lock);
    for (struct queue *queue = group->queues; queue && !graph; queue = queue->next) {
        if (queue->capture == capture) graph = queue->graph;
    }
    pthread_mutex_unlock(&lock);
    return graph;
}

void group_end_capture(struct group *group, uint64_t capture) {
    pthread_mutex_lock(&lock);
    for (struct queue *queue = group->queues; queue; queue = queue->next) {
        if (queue->capture == capture) queue->graph = NULL;
    }
    pthread_mutex_unlock(&lock);
}

CUresult queue_wait(struct queue *queue) {
    CUresult result = CUDA_SUCCESS;
    pthread_mutex_lock(&lock);
    if (!settled(queue)) {
        /* Enqueues work that only waits for the blocking streams: work that they get later isn't waited for. */
        if (queue->kind == QUEUE_LEGACY && !enqueue(queue, NULL, NULL, 0, NULL)) {
            result = CUDA_ERROR_OUT_OF_MEMORY;
        } else {
            wait_for(queue, queue->submitted);
        }
    }
    pthread_mutex_unlock(&lock);
    return result;
}

struct duration {
    struct queue *queue;
    double seconds;
};

static void take(void *payload) {
    struct duration *duration = payload;
    pthread_mutex_lock(&lock);
    duration->queue->modelled += duration->seconds;
    pthread_mutex_unlock(&lock);
}

static const struct work_kind taking = {take, NOT_IN_GRAPHS, false};

CUresult queue_takes(struct queue *queue, double seconds) {
    struct duration duration = {queue, seconds};
    return queue_captured(queue, NULL) ? CUDA_SUCCESS : work_submit(queue, &taking, &duration, sizeof duration);
}

static void reach(void *payload) {
    struct point *point = *(struct point **)payload;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    pthread_mutex_lock(&lock);
    point->time = (double)now.tv_sec + (double)now.tv_nsec * 1e-9 + point->queue->modelled;
    pthread_mutex_unlock(&lock);
    point_release(point);
}

static const struct work_kind reaching = {reach, NOT_IN_GRAPHS, false};

struct point *point_record(struct queue *queue) {
    struct point *point = calloc(1, sizeof *point);
    if (!point) return NULL;
    pthread_mutex_lock(&lock);
    *point = (struct point){.queue = queue, .references = 2}; /* references of the caller and of its work */
    queue->references++;
    pthread_mutex_unlock(&lock);
    /* The ticket is written only afterwards: until then nobody else has the point. */
    point->ticket = submit(queue, &reaching, &point, sizeof point);
    if (!point->ticket) {
        point_release(point);
        point_release(point);
        return NULL;
    }
    return point;
}

struct point *point_share(struct point *point) {
    pthread_mutex_lock(&lock);
    point->references++;
    pthread_mutex_unlock(&lock);
    return point;
}

void point_release(struct point *point) {
    pthread_mutex_lock(&lock);
    if (--point->references == 0) {
        queue_unref(point->queue);
        free(point);
    }
    pthread_mutex_unlock(&lock);
}

bool point_reached(struct point *point) {
    pthread_mutex_lock(&lock);
    bool reached = point->queue->completed >= point->ticket;
    pthread_mutex_unlock(&lock);
    return reached;
}

void point_wait(struct point *point) {
    pthread_mutex_lock(&lock);
    wait_for(point->queue, point->ticket);
    pthread_mutex_unlock(&lock);
}

double point_time(struct point *point) {
    return point->time;
}

CUresult queue_wait_for(struct queue *queue, struct point *point) {
    CUresult result = CUDA_SUCCESS;
    pthread_mutex_lock(&lock);
    struct need need = {point->queue, point->ticket};
    if (queue != point->queue && !need_met(&need) && !enqueue(queue, NULL, NULL, 0, &need))
        result = CUDA_ERROR_OUT_OF_MEMORY;
    pthread_mutex_unlock(&lock);
    return result;
}
