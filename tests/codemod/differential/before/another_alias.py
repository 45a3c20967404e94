"""TensorFlow by another name, and optimizer options with their enums."""

import tensorflow as T

graph_options = T.GraphOptions(
    optimizer_options=T.OptimizerOptions(global_jit_level=T.OptimizerOptions.OFF, opt_level=T.OptimizerOptions.L0)
)
with T.Session(config=T.ConfigProto(graph_options=graph_options, operation_timeout_in_ms=60000)) as sess:
    print(sess.run(T.constant(1)))
