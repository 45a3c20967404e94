"""Runs the training script of GCN in its folder, as its README does after the library is installed."""

import os
import runpy

os.chdir("gcn")
runpy.run_path("train.py", run_name="__main__")
