"""Files that TensorFlow 1.15.5 saved: checkpoints of eleven small nets; also one net's graphs and SavedModel."""
