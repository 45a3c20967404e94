"""A device listing under a config."""

import tensorflow as tf
from tensorflow.python.client import device_lib

config = tf.compat.v1.ConfigProto(device_count={"CPU": 2})
print(len(device_lib.list_local_devices(session_config=config)))
