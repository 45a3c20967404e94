"""tf1mem.v1.contrib: its namespaces; and every name that tf1mem supplies computes the same as TensorFlow 1.15.5."""
