/* The frames of Python that this thread is running, read without Python's help. */
#ifndef TF1MEM_DRIVER_FRAMES_H
#define TF1MEM_DRIVER_FRAMES_H

#include <stdbool.h>

struct frame {
    char file[512]; /* as in the code object's co_filename, in UTF-8; cut where it is longer */
    char function[128];
    int line;
};

/* True to go on to the frame that called this one. */
typedef bool frame_visitor(const struct frame *frame, void *data);

/* Visits the frames, the innermost first. None where the thread runs no Python,
 * or one whose frames are not known here. */
void frames_visit(frame_visitor *visit, void *data);

#endif
