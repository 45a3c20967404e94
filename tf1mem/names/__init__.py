"""TensorFlow's names, by version: tables of where TensorFlow 1's are now, and a record of those that a program uses."""
