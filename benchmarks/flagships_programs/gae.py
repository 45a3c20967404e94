"""Runs the training script of the graph auto-encoders in its folder, after the library is installed."""

import os
import runpy

os.chdir("gae")
runpy.run_path("train.py", run_name="__main__")
