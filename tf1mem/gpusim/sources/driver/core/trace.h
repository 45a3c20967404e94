/* The trace: one JSON object a line, one write a line, appended to the file that TF1MEM_SIM_TRACE names. */
#ifndef TF1MEM_DRIVER_TRACE_H
#define TF1MEM_DRIVER_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct trace_line {
    char text[4096];
    size_t length;
};

/* False where no trace was asked for, and once a line of it could not be written, by this process or another: stderr then
 * says so, once. A trace that had lines missing would tell of memory that is not there. */
bool trace_wanted(void);

void trace_begin(struct trace_line *line, int pid, const char *event);
void trace_number(struct trace_line *line, const char *key, uint64_t value);
/* Nothing is written for a text that is NULL. A long one is cut, so that every line has room for three of them. */
void trace_text(struct trace_line *line, const char *key, const char *value);
void trace_null(struct trace_line *line, const char *key);
void trace_numbers(struct trace_line *line, const char *key, const int *values, int count);
/* How much of the text is whole characters, where it may have been cut within one: bytes of UTF-8. */
size_t trace_whole(const char *text, size_t length);
void trace_end(struct trace_line *line);

#endif
