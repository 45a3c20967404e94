"""What TensorFlow 1.15.5 saved: eleven small nets' checkpoints; of one its graph, frozen and not, and a SavedModel."""
