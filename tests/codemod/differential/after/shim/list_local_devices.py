"""A device listing under a config."""

import tf1mem
import tf1mem.v1 as tf
from tensorflow.python.client import device_lib

config = tf.ConfigProto(device_count={"CPU": 2})
print(len(device_lib.list_local_devices(session_config=tf1mem.apply(config))))
