"""Decoders, their helpers, attention and the loss of sequence-to-sequence models, as tf.contrib.seq2seq had them."""
