/* The trace: one JSON object per line, one write per line, appended to the file that TF1MEM_SIM_TRACE names. */
#ifndef TF1MEM_DRIVER_TRACE_H
#define TF1MEM_DRIVER_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct trace_line {
    char text[6144];
    size_t length;
};

/* Returns true if there is a trace, and no process has failed to open or write it. After the first failure, which
 * stderr reports, nothing more is written: a trace with missing lines would report wrong amounts of memory. */
bool trace_is_written(void);

/* A line is made by trace_begin, one call for each further key, and trace_end, which writes it. */
void trace_begin(struct trace_line *line, int pid, const char *event);
void trace_number(struct trace_line *line, const char *key, uint64_t value);
/* Writes nothing for a text that is NULL. Cuts a long text short, so that a line has room for four texts. */
void trace_text(struct trace_line *line, const char *key, const char *value);
void trace_null(struct trace_line *line, const char *key);
void trace_numbers(struct trace_line *line, const char *key, const int *values, int count);
void trace_end(struct trace_line *line);

/* Returns the length of a UTF-8 text that was cut to `length` bytes, without a last character of which only a part is
 * left. */
size_t trace_length_of_whole_characters(const char *text, size_t length);

#endif
