"""Runs tensorpack's example with its data shuffled from a seed, and with gated gradients."""

import runpy

from tensorpack.train.tower import SingleCostTrainer
from tensorpack.utils.utils import fix_rng_seed

fix_rng_seed(1)
# Without gates, a thread may update a variable before another thread computes a gradient that reads the variable.
SingleCostTrainer.GATE_GRADIENTS = True
runpy.run_path("examples/basics/mnist-convnet.py", run_name="__main__")
