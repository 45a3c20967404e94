/* cuInit, and what happens at the end of the process. */
#include "process.h"

#include "trace.h"
#include "where.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct process process;

/* NEW until cuInit is called. The result of a call that found no GPU is kept, as in the real driver, which reads its
 * settings once. */
enum state { NEW, READY, FAILED, ENDED };
static atomic_int state = NEW;
static CUresult failure;
static int initialized_pid;
static pthread_mutex_t initializing = PTHREAD_MUTEX_INITIALIZER;
static void (*at_start)(void), (*at_end)(void);

void process_at_start(void (*function)(void)) {
    at_start = function;
}

void process_at_end(void (*function)(void)) {
    at_end = function;
}

/* Writes this process's command line, its arguments separated by spaces as `ps` prints them. */
static void read_command(char *command, size_t size) {
    command[0] = 0;
    int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    ssize_t length = read(file, command, size - 1);
    close(file);
    if (length < 0) length = 0;
    while (length > 0 && command[length - 1] == 0) length--;
    for (ssize_t i = 0; i < length; i++) {
        if (command[i] == 0) command[i] = ' ';
    }
    command[trace_length_of_whole_characters(command, (size_t)length)] = 0;
}

static void trace_start(const char *visible) {
    if (!trace_is_written()) return;
    char command[201];
    struct where where;
    read_command(command, sizeof command);
    where_now(&where);
    struct trace_line line;
    trace_begin(&line, getpid(), "start");
    if (visible) {
        trace_text(&line, "visible", visible);
    } else {
        trace_null(&line, "visible");
    }
    trace_numbers(&line, "gpus", process.visible.gpus, process.visible.count);
    trace_text(&line, "command", command);
    trace_text(&line, "where", where.line[0] ? where.line : NULL);
    trace_text(&line, "call", where.call[0] ? where.call : NULL);
    trace_end(&line);
}

static CUresult start(void) {
    process.machine = sim_machine();
    if (!process.machine) return CUDA_ERROR_NO_DEVICE;
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    process.visible = visible_gpus(process.machine, visible);
    trace_start(visible);
    if (!process.visible.count) return CUDA_ERROR_NO_DEVICE;
    sim_lock(process.machine);
    process.record = sharing_join(process.machine);
    sim_unlock(process.machine);
    if (!process.record) {
        fprintf(stderr, "tf1mem sim: more than %d processes use the simulated GPUs\n", MACHINE_PROCESSES);
        return CUDA_ERROR_SYSTEM_NOT_READY;
    }
    if (at_start) at_start();
    return CUDA_SUCCESS;
}

DRIVER_API CUresult cuInit(unsigned flags) {
    if (flags) return CUDA_ERROR_INVALID_VALUE;
    if (atomic_load(&state) == NEW) {
        pthread_mutex_lock(&initializing);
        if (atomic_load(&state) == NEW) {
            initialized_pid = getpid();
            failure = start();
            atomic_store(&state, failure == CUDA_SUCCESS ? READY : FAILED);
        }
        pthread_mutex_unlock(&initializing);
    }
    if (initialized_pid == getpid() && atomic_load(&state) == FAILED) return failure;
    return process_ready();
}

CUresult process_ready(void) {
    switch (atomic_load_explicit(&state, memory_order_acquire)) {
    case READY:
        /* Like the real driver, this one doesn't work in a child forked from the process that started it. */
        return initialized_pid == getpid() ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
    case ENDED: return CUDA_ERROR_DEINITIALIZED;
    default: return CUDA_ERROR_NOT_INITIALIZED;
    }
}

CUresult process_gpu(CUdevice device, int *gpu) {
    CUresult ready = process_ready();
    if (ready != CUDA_SUCCESS) return ready;
    if (device < 0 || device >= process.visible.count) return CUDA_ERROR_INVALID_DEVICE;
    *gpu = process.visible.gpus[device];
    return CUDA_SUCCESS;
}

DRIVER_API CUresult cuDriverGetVersion(int *version) {
    if (!version) return CUDA_ERROR_INVALID_VALUE;
    *version = DRIVER_VERSION;
    return CUDA_SUCCESS;
}

/* Runs at the end of the process. If the process ends without it (os._exit, a signal), another process reaps it. */
__attribute__((destructor)) static void end(void) {
    if (process_ready() != CUDA_SUCCESS) return;
    if (at_end) at_end();
    atomic_store(&state, ENDED);
    sim_lock(process.machine);
    sharing_leave(process.machine, process.record);
    /* Threads that are still running write to this from here on, since another process may reuse the record. */
    static struct machine_process nobody;
    process.record = &nobody;
    sim_unlock(process.machine);
}
