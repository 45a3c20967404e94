"""Reads a config of any shape into `Settings`, and checks it."""
