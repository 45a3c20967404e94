"""Finding, copying and rewiring parts of a graph, as tf.contrib.graph_editor had it."""
