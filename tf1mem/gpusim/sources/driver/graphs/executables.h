/* Graphs that can be launched: CUgraphExec. */
#ifndef TF1MEM_DRIVER_EXECUTABLES_H
#define TF1MEM_DRIVER_EXECUTABLES_H

#include "graphs.h"

struct exec;

/* Returns the executable's node for a node of its graph, or NULL. */
struct node *exec_node(struct exec *exec, struct node *node);

#endif
