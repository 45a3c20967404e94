"""tf.contrib.cudnn_rnn: nets of several layers that cuDNN computes, and TensorFlow's ops where there is no GPU."""
