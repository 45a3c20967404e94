"""Sets growth, then a limit, and growth is lost; then, for another GPU, a limit and growth, which is refused."""

import tensorflow as tf

config = tf.config.experimental
first, second = config.list_physical_devices("GPU")
config.set_memory_growth(first, True)
config.set_virtual_device_configuration(first, [config.VirtualDeviceConfiguration(memory_limit=1024)])
config.set_virtual_device_configuration(second, [config.VirtualDeviceConfiguration(memory_limit=512)])
try:
    config.set_memory_growth(second, True)
except ValueError as error:
    print(error)
tf.debugging.set_log_device_placement(True)
with tf.device("/gpu:7"):
    print(tf.constant([1.0, 2.0]).device)
