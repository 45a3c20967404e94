"""TensorFlow by its full name."""

import tensorflow

tensorflow.config.set_soft_device_placement(True)
for gpu in tensorflow.config.list_physical_devices("GPU"):
    tensorflow.config.experimental.set_memory_growth(gpu, True)
session = tensorflow.compat.v1.Session()
with session:
    print(session.run(tensorflow.constant(1)))
