/* Which line of the program led here. */
#ifndef TF1MEM_DRIVER_WHERE_H
#define TF1MEM_DRIVER_WHERE_H

#include <stdbool.h>

struct where {
    char line[544]; /* "path/of/train.py:12", or empty where it can't be told */
    char call[256]; /* the function of TensorFlow that this line called, "constant" or "session.__init__", or empty */
};

/* The innermost line of Python outside of TensorFlow, Keras, tf1mem and the standard library that this thread is
 * running.
 *
 * Threads of TensorFlow's own run no Python, and have none. Nothing is allocated in Python, no lock of it is taken and
 * no reference counted: the thread may or may not hold the GIL.
 */
void where_now(struct where *where);

#endif
