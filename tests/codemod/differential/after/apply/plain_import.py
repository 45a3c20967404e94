"""TensorFlow by its full name."""

import tf1mem
import tensorflow

config = tensorflow.compat.v1.ConfigProto(allow_soft_placement=True)
config.gpu_options.allow_growth = True
session = tensorflow.compat.v1.Session(config=tf1mem.apply(config))
with session:
    print(session.run(tensorflow.constant(1)))
