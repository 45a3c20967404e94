/* Finds the line of the program that led to a call. */
#ifndef TF1MEM_DRIVER_WHERE_H
#define TF1MEM_DRIVER_WHERE_H

#include <stdbool.h>

struct where {
    char line[544]; /* "path/of/train.py:12", or empty if it isn't known */
    char call[256]; /* TensorFlow's function that this line called, "constant" or "session.__init__", or empty */
};

/* Returns the innermost Python line of this thread outside of TensorFlow, Keras, tf1mem and the standard library.
 *
 * TensorFlow's own threads run no Python, and have no line. This call allocates nothing in Python, takes none of its
 * locks and counts no reference: the thread may or may not hold the GIL.
 */
void where_now(struct where *where);

#endif
