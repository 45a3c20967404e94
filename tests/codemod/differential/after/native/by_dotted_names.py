"""Settings by dotted names, walked with getattr and setattr."""

import tf1mem
import tensorflow as tf

SETTINGS = {"gpu_options.allow_growth": True, "gpu_options.visible_device_list": "0", "log_device_placement": False}


def set_by_name(proto, name, value):
    *path, last = name.split(".")
    for part in path:
        proto = getattr(proto, part)
    setattr(proto, last, value)


config = tf.compat.v1.ConfigProto()
for name, value in SETTINGS.items():
    set_by_name(config, name, value)
sess = tf.compat.v1.Session(config=tf1mem.apply(config))
sess.close()
