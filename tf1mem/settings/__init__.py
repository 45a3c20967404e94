"""What is asked: a config of any shape, read and checked into `Settings`."""
