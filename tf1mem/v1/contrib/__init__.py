# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""tf.contrib on TensorFlow 2, which has none: a tree that mirrors TensorFlow 1's own, without its `python/ops` levels.

`contrib/rnn/python/ops/rnn_cell.py` of TensorFlow 1 is `rnn/rnn_cell.py` here, and is found by both paths. Which names
a namespace has, and in which file, says `HOMES` in tf1mem/machine/contrib.py; a name is loaded when it is first used.
On TensorFlow 1 nothing of this is used: there tf1mem.v1.contrib is TensorFlow's own (tf1mem/v1/_contrib.py).
"""
