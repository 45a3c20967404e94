"""Runs an example of DeepXDE, which expects the library to be installed."""

import runpy

runpy.run_path("examples/Poisson_Dirichlet_1d.py", run_name="__main__")
