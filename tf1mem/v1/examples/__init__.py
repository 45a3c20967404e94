"""tensorflow.examples, of which programs use the tutorials' data."""
