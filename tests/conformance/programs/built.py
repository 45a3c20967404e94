"""Says whether this TensorFlow is built for GPUs. Starts nothing."""

import notes
import tensorflow as tf

notes.Notes().note("with cuda", bool(tf.test.is_built_with_cuda()))
