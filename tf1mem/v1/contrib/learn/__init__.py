"""TensorFlow 1's contrib.learn: estimators that are fitted, experiments, data sets and preprocessing."""
