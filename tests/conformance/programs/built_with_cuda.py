"""Notes whether this TensorFlow is built with CUDA, without starting a GPU."""

import notes
import tensorflow as tf

notes.Notes().note("with cuda", bool(tf.test.is_built_with_cuda()))
