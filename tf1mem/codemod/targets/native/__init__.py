"""What a config becomes when TensorFlow 2 alone is to say it: read off the source, planned whole, then said."""
