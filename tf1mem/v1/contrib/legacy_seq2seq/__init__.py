"""tf.contrib.legacy_seq2seq: sequences to sequences, unrolled step by step, and their losses."""
