/* Counts this process's memory and launches on each GPU in the machine file, and traces them. */
#include "accounts.h"

#include "driver/core/process.h"
#include "driver/core/trace.h"
#include "driver/core/where.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *const kind_names[] = {"device", "managed", "pool", "virtual", "context"};

static uint64_t left_of(int gpu) {
    uint64_t total = process.machine->gpus[gpu].total_bytes, in_use = sim_in_use(process.machine, gpu);
    return in_use < total ? total - in_use : 0;
}

/* Traces a change of memory. The lock must be held, so that the trace's lines are in the order of the allocations. */
static void trace_memory(
    const char *event, int gpu, uint64_t bytes, enum memory_kind kind, const char *api, const struct where *where
) {
    const struct machine_usage *usage = &process.record->usage[gpu];
    struct trace_line line;
    trace_begin(&line, getpid(), event);
    trace_number(&line, "gpu", (uint64_t)gpu);
    trace_number(&line, "bytes", bytes);
    trace_number(&line, "total", usage->reserved);
    trace_number(&line, "in_use", sim_in_use(process.machine, gpu));
    if (kind == MEMORY_MANAGED) trace_number(&line, "managed", usage->managed);
    trace_text(&line, "kind", kind_names[kind]);
    trace_text(&line, "api", api);
    if (strcmp(event, "refuse") == 0) trace_number(&line, "free", left_of(gpu));
    if (where) trace_text(&line, "where", where->line[0] ? where->line : NULL);
    trace_end(&line);
}

/* Reserves memory. last_try: true to count and trace a refusal. */
static CUresult take(int gpu, uint64_t bytes, enum memory_kind kind, const char *api, bool last_try) {
    bool traced = trace_is_written();
    struct where where;
    if (traced) where_now(&where);

    sim_lock(process.machine);
    struct machine_usage *usage = &process.record->usage[gpu];
    bool refused = kind != MEMORY_MANAGED && bytes > left_of(gpu);
    if (refused) {
        if (last_try) usage->refused++;
    } else {
        if (kind != MEMORY_CONTEXT) usage->regions++;
        if (kind == MEMORY_MANAGED) {
            usage->managed += bytes;
        } else {
            usage->reserved += bytes;
            if (usage->reserved > usage->peak) usage->peak = usage->reserved;
        }
    }
    if (traced && (!refused || last_try)) trace_memory(refused ? "refuse" : "reserve", gpu, bytes, kind, api, &where);
    sim_unlock(process.machine);
    return refused ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}

CUresult account_reserve(int gpu, uint64_t bytes, enum memory_kind kind, const char *api) {
    return take(gpu, bytes, kind, api, true);
}

CUresult account_try(int gpu, uint64_t bytes, enum memory_kind kind, const char *api) {
    return take(gpu, bytes, kind, api, false);
}

void account_refuse(int gpu, uint64_t bytes, enum memory_kind kind, const char *api) {
    bool traced = trace_is_written();
    struct where where;
    if (traced) where_now(&where);
    sim_lock(process.machine);
    process.record->usage[gpu].refused++;
    if (traced) trace_memory("refuse", gpu, bytes, kind, api, &where);
    sim_unlock(process.machine);
}

void account_free(int gpu, uint64_t bytes, enum memory_kind kind, const char *api) {
    sim_lock(process.machine);
    struct machine_usage *usage = &process.record->usage[gpu];
    if (kind == MEMORY_MANAGED) {
        usage->managed -= bytes;
    } else {
        usage->reserved -= bytes;
    }
    if (trace_is_written()) trace_memory("free", gpu, bytes, kind, api, NULL);
    sim_unlock(process.machine);
}

void account_info(int gpu, uint64_t *left, uint64_t *total) {
    sim_lock(process.machine);
    *left = left_of(gpu);
    *total = process.machine->gpus[gpu].total_bytes;
    sim_unlock(process.machine);
}

void account_context(int gpu) {
    struct machine_usage *usage = &process.record->usage[gpu];
    if (__atomic_exchange_n(&usage->used, 1, __ATOMIC_RELAXED) || !trace_is_written()) return;
    struct where where;
    where_now(&where);
    struct trace_line line;
    trace_begin(&line, getpid(), "context");
    trace_number(&line, "gpu", (uint64_t)gpu);
    trace_text(&line, "where", where.line[0] ? where.line : NULL);
    trace_text(&line, "call", where.call[0] ? where.call : NULL);
    trace_end(&line);
}

/* After so many launches without values, a message says once that the program may be waiting for a value. */
static const uint64_t very_many = 1000000;

void account_launch(int gpu) {
    struct machine_usage *usage = &process.record->usage[gpu];
    uint64_t launches = __atomic_add_fetch(&usage->launches, 1, __ATOMIC_RELAXED);
    if (launches == very_many && !__atomic_load_n(&usage->computed, __ATOMIC_RELAXED))
        fprintf(
            stderr,
            "tf1mem sim: process %d has launched %llu kernels, and none is computed: if it waits for one of their "
            "values, such as a falling loss, it does not end (tf1mem sim --timeout SECONDS ends it)\n",
            (int)getpid(), (unsigned long long)very_many
        );
}

void account_computed(int gpu, uint64_t launches) {
    __atomic_add_fetch(&process.record->usage[gpu].computed, launches, __ATOMIC_RELAXED);
}
