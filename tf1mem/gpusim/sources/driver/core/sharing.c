/* Locks the machine file, and keeps each process's record in it. */
#include "sharing.h"

#include "trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Returns a process's start time in the kernel's ticks since boot; 0 if it doesn't exist or is a zombie. */
static uint64_t start_time(int pid) {
    char path[32], status[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    ssize_t length = read(file, status, sizeof status - 1);
    close(file);
    if (length <= 0) return 0;
    status[length] = 0;
    /* The second field is the program's name in brackets, and may contain anything; later fields have no brackets. */
    const char *next = strrchr(status, ')');
    if (!next || next[1] != ' ' || next[2] == 'Z' || next[2] == 'X') return 0;
    next += 2;
    for (int field = 3; field < 22; field++) {
        next = strchr(next, ' ');
        if (!next) return 0;
        next++;
    }
    return strtoull(next, NULL, 10);
}

/* Writes one line for each GPU that the process used. */
static void trace_ending(const struct machine *machine, const struct machine_process *process, const char *event) {
    if (!trace_is_written()) return;
    for (uint32_t gpu = 0; gpu < machine->gpu_count; gpu++) {
        const struct machine_usage *usage = &process->usage[gpu];
        if (!usage->used) continue;
        struct trace_line line;
        trace_begin(&line, process->pid, event);
        trace_number(&line, "gpu", gpu);
        trace_number(&line, "reserved", usage->reserved);
        trace_number(&line, "peak", usage->peak);
        trace_number(&line, "regions", usage->regions);
        trace_number(&line, "refused", usage->refused);
        trace_number(&line, "launches", __atomic_load_n(&usage->launches, __ATOMIC_RELAXED));
        trace_number(&line, "computed", __atomic_load_n(&usage->computed, __ATOMIC_RELAXED));
        trace_number(&line, "managed", usage->managed);
        trace_end(&line);
    }
}

/* Marks the records of processes that ended without sharing_leave, and traces their end. The lock must be held. */
static void reap(struct machine *machine) {
    int self = getpid();
    for (uint32_t i = 0; i < machine->process_count; i++) {
        struct machine_process *process = &machine->processes[i];
        if (!sim_lives(process) || process->pid == self || start_time(process->pid) == process->start_time) continue;
        trace_ending(machine, process, "killed");
        process->ended = MACHINE_KILLED;
    }
}

void sim_lock(struct machine *machine) {
    if (pthread_mutex_lock(&machine->lock.mutex) == EOWNERDEAD) {
        /* The owner was killed. It wrote only its own record, which reap() ends below: nothing needs repair. */
        pthread_mutex_consistent(&machine->lock.mutex);
    }
    reap(machine);
}

void sim_unlock(struct machine *machine) {
    pthread_mutex_unlock(&machine->lock.mutex);
}

uint64_t sim_in_use(const struct machine *machine, int gpu) {
    uint64_t bytes = machine->gpus[gpu].used_by_others_bytes;
    for (uint32_t i = 0; i < machine->process_count; i++) {
        if (sim_lives(&machine->processes[i])) bytes += machine->processes[i].usage[gpu].reserved;
    }
    return bytes;
}

struct machine_process *sharing_join(struct machine *machine) {
    struct machine_process *joined = NULL;
    int self = getpid();
    for (uint32_t i = 0; i < machine->process_count; i++) {
        struct machine_process *process = &machine->processes[i];
        if (sim_lives(process) && process->pid == self) {
            /* Ends the record of an earlier program in this process (before exec), or of an earlier process with
             * this pid. */
            trace_ending(machine, process, "killed");
            process->ended = MACHINE_KILLED;
        }
        if (!sim_lives(process) && !joined) joined = process;
    }
    /* Records of ended processes are reused only if no unused record is left. */
    if (machine->process_count < MACHINE_PROCESSES) joined = &machine->processes[machine->process_count];
    if (!joined) return NULL;
    memset(joined->usage, 0, sizeof joined->usage);
    joined->start_time = start_time(self);
    joined->pid = self;
    joined->ended = MACHINE_RUNNING;
    if (joined == &machine->processes[machine->process_count]) machine->process_count++;
    return joined;
}

void sharing_leave(struct machine *machine, struct machine_process *process) {
    trace_ending(machine, process, "exit");
    process->ended = MACHINE_ENDED;
}
