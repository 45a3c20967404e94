# Copyright 2015-2019 The TensorFlow Authors. All Rights Reserved.
# Licensed under the Apache License, Version 2.0: see LICENSE.
# Written anew for tf1mem after tensorflow/contrib of TensorFlow 1.15.5, and changed: see NOTICE.

"""The cells of tf.contrib.rnn, a file for each family; rnn_cell.py, which has TensorFlow 1's name, imports them."""
