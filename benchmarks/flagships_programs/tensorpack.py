"""Runs tensorpack's example with its data shuffled from a seed, and with gated gradients."""

import runpy

from tensorpack.train.tower import SingleCostTrainer
from tensorpack.utils.utils import fix_rng_seed

fix_rng_seed(1)
# Without it a variable may be updated before the gradients that read it are computed, as threads come.
SingleCostTrainer.GATE_GRADIENTS = True
runpy.run_path("examples/basics/mnist-convnet.py", run_name="__main__")
