"""tf.contrib.crf: linear-chain conditional random fields over sequences of tags."""
