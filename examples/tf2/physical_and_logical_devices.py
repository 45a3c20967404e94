"""Physical devices are the cards; logical devices are what the settings make of them.

Listing physical devices starts nothing. Listing logical ones, or running any op, starts the GPU runtime, and
from then on the settings are fixed.
"""

import tensorflow as tf

import tf1mem


def show(title, devices):
    print(title)
    for device in devices:
        print("   ", device.name)


show("physical devices:", tf.config.list_physical_devices())

tf1mem.apply(tf1mem.config(allow_growth=True))
tf1mem.apply(tf1mem.config(memory_limit_mib=1024))  # nothing has started yet: this replaces the first
tf1mem.apply(tf1mem.config(memory_limit_mib=1024))  # the same again: nothing happens

show("logical devices:", tf.config.list_logical_devices())  # this starts the runtime

try:
    tf1mem.apply(tf1mem.config(memory_limit_mib=512, threads=2))  # thread pools are fixed without a GPU too
except tf1mem.RuntimeAlreadyStarted as error:
    print("too late for other settings:", error)

print(tf1mem.report())
