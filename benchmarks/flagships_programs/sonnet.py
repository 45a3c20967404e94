"""Runs an example of Sonnet, which expects the library to be installed."""

import runpy

runpy.run_path("sonnet/examples/rnn_shakespeare.py", run_name="__main__")
