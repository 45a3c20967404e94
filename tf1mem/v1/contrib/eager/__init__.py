"""TensorFlow 1's contrib.eager, known as tfe: eager execution as it began."""
