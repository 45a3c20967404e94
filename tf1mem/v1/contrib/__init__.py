# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""tf.contrib for TensorFlow 2, which lacks it: the tree of TensorFlow 1, without its `python/ops` levels.

`contrib/rnn/python/ops/rnn_cell.py` of TensorFlow 1 is `rnn/rnn_cell.py` here, and both paths can be imported.
tf1mem/names/data/contrib.txt lists the names of each namespace and their files; a name is loaded on first use. On
TensorFlow 1 none of this is used: there tf1mem.v1.contrib is TensorFlow's own (tf1mem/v1/_contrib.py).
"""
