"""tf1mem.v1.contrib: its namespaces, and what every name that tf1mem brings computes, beside TensorFlow 1.15.5."""
