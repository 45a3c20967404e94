/* Loads the library that computes values (sources/values/) at cuInit, and gives it the driver's functions. */
#include "values.h"

#include "driver/core/contexts.h"
#include "driver/core/process.h"
#include "driver/core/trace.h"
#include "driver/memory/accounts.h"
#include "driver/memory/allocations.h"
#include "values/driver.h"
#include "work.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static _Thread_local uint64_t launches;
static _Thread_local int gpu_of_launch;

void values_launched(int gpu) {
    launches++;
    gpu_of_launch = gpu;
}

/* The following functions are called by the library; values/driver.h describes them. */

static uint64_t thread_launches(void) {
    return launches;
}

/* TensorFlow uses no streams but those of the primary contexts. */
static void settle(void) {
    if (work_in_host_function()) return; /* TensorFlow's own stream waits for this function */
    for (CUdevice device = 0; device < process.visible.count; device++) {
        struct context *context = context_primary(device);
        if (context->primary) group_wait(context->group);
    }
}

static void computed(uint64_t count) {
    account_computed(gpu_of_launch, count);
}

static void computed_at(const void *address) {
    struct allocation allocation;
    if (allocations_find((CUdeviceptr)address, &allocation)) account_computed(allocation.gpu, 1);
}

static void not_computed(const char *op, const char *why) {
    fprintf(stderr, "tf1mem sim: %s is not computed, its values are not real: %s\n", op, why);
    if (!trace_is_written()) return;
    struct trace_line line;
    trace_begin(&line, getpid(), "not_computed");
    trace_text(&line, "op", op);
    trace_end(&line);
}

static bool has_allocated(const void *address) {
    struct allocation allocation;
    return allocations_find((CUdeviceptr)address, &allocation);
}

static int is_tensorflow(struct dl_phdr_info *info, size_t size, void *path) {
    (void)size;
    const char *name = strrchr(info->dlpi_name, '/');
    if (!name || strncmp(name, "/libtensorflow_framework.so", 27) != 0) return 0;
    snprintf(path, PATH_MAX, "%s", info->dlpi_name);
    return 1;
}

/* Runs the script that builds the library for this TensorFlow, if necessary, and copies the path that it prints to
 * `library`. Returns false if it prints none. The script's status 2 means that values are required and can't be
 * computed: it ends this process, too. */
static bool build(const char *builder, char *tensorflow, char *library) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC)) return false;
    char *const arguments[] = {"sh", (char *)builder, tensorflow, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    pid_t pid;
    bool spawned = posix_spawn(&pid, "/bin/sh", &actions, NULL, arguments, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    size_t length = 0;
    while (spawned && length < PATH_MAX - 1) {
        ssize_t got = read(ends[0], library + length, PATH_MAX - 1 - length);
        if (got > 0) length += (size_t)got;
        else if (got == 0 || errno != EINTR) break; /* a signal to the program, such as a timer's, interrupts read() */
    }
    close(ends[0]);
    int status = 0;
    while (spawned && waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 2) _exit(2);
    library[length] = 0;
    return length > 0;
}

bool values_left_out(void) {
    const char *none = getenv("TF1MEM_SIM_NO_VALUES");
    return none && *none;
}

static void (*report_ops)(values_each *);

static void trace_op(const char *op, uint64_t computed, uint64_t not_computed) {
    struct trace_line line;
    trace_begin(&line, getpid(), "op");
    trace_text(&line, "op", op);
    trace_number(&line, "launches", computed + not_computed);
    trace_number(&line, "computed", computed);
    trace_end(&line);
}

static void end(void) {
    if (report_ops && trace_is_written()) report_ops(trace_op);
}

/* TF1MEM_SIM_VALUES names the script that builds the library; without it the library isn't loaded, and nothing is
 * computed. With TF1MEM_SIM_NO_VALUES the library computes only shapes and counters. */
static void start(void) {
    const char *builder = getenv("TF1MEM_SIM_VALUES");
    char tensorflow[PATH_MAX], library[PATH_MAX];
    if (!builder || !*builder || !dl_iterate_phdr(is_tensorflow, tensorflow)) return;
    if (!build(builder, tensorflow, library)) return; /* the script has printed the reason */
    void *values = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    void *handle = dlopen(tensorflow, RTLD_LAZY | RTLD_NOLOAD);
    static struct values_driver driver = {thread_launches, settle,        computed, computed_at,
                                          not_computed,    has_allocated, true};
    driver.values = !values_left_out();
    bool (*begin)(void *, const struct values_driver *) =
        values ? (__typeof__(begin))dlsym(values, "tf1mem_values_start") : NULL;
    report_ops = values ? (__typeof__(report_ops))dlsym(values, "tf1mem_values_report") : NULL;
    if (!begin || !handle) {
        const char *why = dlerror(); /* NULL if only the first dlsym failed: the second one has cleared it */
        fprintf(
            stderr, "tf1mem sim: nothing is computed, values are not real: %s\n",
            why ? why : "the library of values has no function tf1mem_values_start"
        );
    } else if (!begin(handle, &driver)) {
        fprintf(stderr, "tf1mem sim: nothing is computed, values are not real: this TensorFlow has no GPUDevice\n");
    }
}

__attribute__((constructor)) static void register_functions(void) {
    process_at_start(start);
    process_at_end(end);
}
