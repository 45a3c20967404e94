/* Writes the "unsupported" lines of the trace. */
#include "unsupported.h"

#include "trace.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void sim_unsupported(int *reported, const char *library, const char *function) {
    int self = getpid();
    if (__atomic_exchange_n(reported, self, __ATOMIC_RELAXED) == self || !trace_is_written()) return;
    struct trace_line line;
    trace_begin(&line, self, "unsupported");
    trace_text(&line, "function", function);
    trace_text(&line, "library", library);
    trace_end(&line);
}

CUresult unsupported_part(const char *what) {
    struct part {
        struct part *next;
        int reported;
        char what[];
    };
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct part *parts;

    pthread_mutex_lock(&lock);
    struct part *part = parts;
    while (part && strcmp(part->what, what) != 0) part = part->next;
    if (!part && (part = calloc(1, sizeof *part + strlen(what) + 1))) {
        strcpy(part->what, what);
        part->next = parts;
        parts = part;
    }
    pthread_mutex_unlock(&lock);
    int not_stored = 0; /* without memory for the part, each call is reported */
    sim_unsupported(part ? &part->reported : &not_stored, "driver", what);
    return CUDA_ERROR_NOT_SUPPORTED;
}
