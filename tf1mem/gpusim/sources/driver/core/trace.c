/* Writes the lines of the trace. */
#include "api.h"

#include "trace.h"

#include "machine_file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;
static int file = -1;

/* Stops the trace for all processes of the machine. The first call reports it, with the reason, on stderr. */
static void cut(const char *why) {
    struct machine *machine = sim_machine();
    if (machine && !__atomic_exchange_n(&machine->trace_cut, 1, __ATOMIC_RELAXED))
        fprintf(
            stderr, "tf1mem sim: the trace is cut here: %s can't be written (%s)\n", getenv("TF1MEM_SIM_TRACE"), why
        );
}

/* Returns the trace's descriptor; -1 if there is no trace, or if it has been cut. The result -1 isn't kept: a forked
 * process may set TF1MEM_SIM_TRACE before it starts the driver. */
static int trace_file(void) {
    pthread_mutex_lock(&opening);
    const char *path = getenv("TF1MEM_SIM_TRACE");
    if (file < 0 && path && *path) {
        file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
        if (file < 0) cut(strerror(errno));
    }
    struct machine *machine = file < 0 ? NULL : sim_machine();
    int opened = machine && __atomic_load_n(&machine->trace_cut, __ATOMIC_RELAXED) ? -1 : file;
    pthread_mutex_unlock(&opening);
    return opened;
}

bool trace_is_written(void) {
    return trace_file() >= 0;
}

/* The most bytes of a line without its end. The rest is kept free for the end: a quote, a brace and a line feed. */
static const size_t room = sizeof(((struct trace_line *)0)->text) - sizeof "\"}\n";

static void add_character(struct trace_line *line, char character) {
    if (line->length < room) line->text[line->length++] = character;
}

static void add(struct trace_line *line, const char *format, ...) {
    char text[128];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    for (const char *next = text; *next; next++) add_character(line, *next);
}

void trace_begin(struct trace_line *line, int pid, const char *event) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    line->length = 0;
    add(line, "{\"time\": %lld.%06ld, \"pid\": %d, \"event\": \"%s\"", (long long)now.tv_sec, now.tv_nsec / 1000, pid,
        event);
}

void trace_number(struct trace_line *line, const char *key, uint64_t value) {
    add(line, ", \"%s\": %llu", key, (unsigned long long)value);
}

void trace_null(struct trace_line *line, const char *key) {
    add(line, ", \"%s\": null", key);
}

void trace_numbers(struct trace_line *line, const char *key, const int *values, int count) {
    add(line, ", \"%s\": [", key);
    for (int i = 0; i < count; i++) add(line, i ? ", %d" : "%d", values[i]);
    add(line, "]");
}

size_t trace_length_of_whole_characters(const char *text, size_t length) {
    size_t start = length;
    while (start > 0 && length - start < 3 && ((unsigned char)text[start - 1] & 0xc0) == 0x80) start--;
    if (start == 0) return length;
    unsigned char first = (unsigned char)text[start - 1];
    size_t needed = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
    return needed > length - start + 1 ? start - 1 : length;
}

void trace_text(struct trace_line *line, const char *key, const char *value) {
    if (!value) return;
    add(line, ", \"%s\": \"", key);
    const size_t longest = 1200, start = line->length; /* four such texts fit into a line */
    /* An escape, of at most 6 bytes, is written completely or not at all. */
    for (const unsigned char *next = (const unsigned char *)value; *next && line->length + 6 < start + longest;
         next++) {
        if (*next == '"' || *next == '\\') {
            add(line, "\\%c", *next);
        } else if (*next < 0x20 || *next == 0x7f) {
            add(line, "\\u%04x", *next);
        } else {
            add_character(line, (char)*next);
        }
    }
    line->length = start + trace_length_of_whole_characters(line->text + start, line->length - start);
    add_character(line, '"');
}

void trace_end(struct trace_line *line) {
    int opened = trace_file();
    if (opened < 0) return;
    memcpy(line->text + line->length, "}\n", 2);
    size_t length = line->length + 2, done = 0;
    while (done < length) { /* a second time only after a signal, or if a disk is full */
        ssize_t written = write(opened, line->text + done, length - done);
        if (written < 0 && errno != EINTR) {
            cut(strerror(errno));
            return;
        }
        if (written > 0) done += (size_t)written;
    }
}
