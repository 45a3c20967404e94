"""TensorFlow by another name, and optimizer options with their enums."""

import tf1mem
import tensorflow as T

graph_options = T.compat.v1.GraphOptions(
    optimizer_options=T.compat.v1.OptimizerOptions(global_jit_level=T.compat.v1.OptimizerOptions.OFF, opt_level=T.compat.v1.OptimizerOptions.L0)
)
with T.compat.v1.Session(config=tf1mem.apply(T.compat.v1.ConfigProto(graph_options=graph_options, operation_timeout_in_ms=60000))) as sess:
    print(sess.run(T.constant(1)))
