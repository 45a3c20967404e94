"""Runs basenji's script for training, which expects the library to be installed."""

import runpy

runpy.run_path("bin/basenji_train.py", run_name="__main__")
