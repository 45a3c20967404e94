/* The Python frames that this thread is running, read without calling Python. */
#ifndef TF1MEM_DRIVER_FRAMES_H
#define TF1MEM_DRIVER_FRAMES_H

#include <stdbool.h>

struct frame {
    char file[512]; /* the code object's co_filename in UTF-8, cut if it is longer */
    char function[128];
    int line;
};

/* Returns true to go on to the calling frame. */
typedef bool frame_visitor(const struct frame *frame, void *data);

/* Visits the frames, the innermost first. There are none if the thread runs no Python, or a Python whose frame layout
 * isn't in frames.c. */
void frames_visit(frame_visitor *visit, void *data);

#endif
