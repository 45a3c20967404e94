"""The measuring process builds a step's graph, and fills its variables, before it runs the step."""

from __future__ import annotations

import json

import pytest

WARM = ["tensorflow"]

# Prints, for each run before the step, the number of ops that it runs and of arrays that it is fed.
FILLED = """
import json, tempfile
import tensorflow as tf
from tf1mem.estimating import request, worker
from tf1mem.estimating.exchange import Exchange

def step(x):
    for _ in range(5):
        tf.Variable(lambda: tf.zeros([])).assign_add(x)

with tempfile.TemporaryDirectory() as folder:
    exchange = Exchange(folder)
    request.write_traced_step(tf, step, (((), "float32"),), exchange, training=None, batch_size=None, time_limit_s=60)
    built = worker._build(tf, exchange, exchange.read_answer("step"))
print(json.dumps([[len(targets), len(feeds)] for targets, feeds in built.setup_runs]))
"""


@pytest.mark.proof
def test_all_variables_are_filled_in_one_run(python):
    """TensorFlow plans a graph anew for each run of other ops: a model with hundreds of variables took minutes."""
    assert json.loads(python(FILLED).splitlines()[-1]) == [[5, 5]]
