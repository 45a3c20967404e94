"""TensorFlow by its full name."""

import tf1mem.v1 as tensorflow

config = tensorflow.ConfigProto(allow_soft_placement=True)
config.gpu_options.allow_growth = True
session = tensorflow.Session(config=config)
with session:
    print(session.run(tensorflow.constant(1)))
