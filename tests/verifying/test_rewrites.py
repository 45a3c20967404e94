"""Programs with Sessions are compared with rewrites for TensorFlow 2, and data can come from the old side."""

from __future__ import annotations

import pytest

from tests.verifying.forked import certificate
from tests.verifying.planted import new

WARM = ("tf1mem.v1", "tf1mem.verifying.recording.start")
SESSION = """\
import numpy as np
import tensorflow as tf

features = np.random.RandomState(0).rand(64, 6).astype("float32")
data = tf.data.Dataset.from_tensor_slices((features, features[:, :1] ** 2)).batch(16)
x, y = data.make_one_shot_iterator().get_next()
h = tf.layers.dense(x, 6, tf.nn.tanh)
h = tf.layers.dense(h, 6, tf.nn.tanh)
loss = tf.losses.mean_squared_error(y, tf.layers.dense(h, 1))
train = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    try:
        while True:
            sess.run(train)
    except tf.errors.OutOfRangeError:
        print("end")
"""
MODEL = """\
import numpy as np
import tensorflow as tf

features = np.random.RandomState(0).rand(64, 6).astype("float32")
dense = tf.keras.layers.Dense
model = tf.keras.Sequential([tf.keras.Input([6]), dense(6, "tanh"), dense(6, "tanh"), dense(1)])
"""
FIT = """\
model.compile(tf.keras.optimizers.SGD(0.1, 0.9), "mse")
model.fit(features, features[:, :1] ** 2, batch_size=16, shuffle=False, verbose=0)
"""
FUNCTION = """\
optimizer = tf.keras.optimizers.SGD(0.1, 0.8)


@tf.function
def step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x) - y) ** 2)
    variables = model.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))


for start in range(0, 64, 16):
    x = features[start : start + 16]
    step(tf.constant(x), tf.constant(x[:, :1] ** 2))
"""


def test_an_equal_program_of_keras(warm, tmp_path):
    result = certificate(warm, tmp_path, new(SESSION), MODEL + FIT, steps=6)
    assert result["verdict"] == "same", (result["reason"], result["first_difference"])
    assert (result["old"]["steps"], result["new"]["steps"]) == (4, 4)
    # The loss, six gradients and six variables of four steps; and the variables after the last step.
    assert result["compared"]["values"] == 4 * 13 + 6
    assert [curve["steps"] for curve in result["curves"]] == [[0, 1, 2, 3]]


@pytest.mark.proof
def test_another_momentum_in_a_function(warm, tmp_path):
    result = certificate(warm, tmp_path, new(SESSION), MODEL + FUNCTION, steps=6)
    difference = result["first_difference"]
    assert difference is not None, result["reason"]
    assert (difference["kind"], difference["step"]) == ("update", 1), difference["message"]
    assert "dense" in difference["message"]
    assert "optimizers or their arguments" in difference["reason"]


def test_data_of_the_old_side(warm, tmp_path):
    """The new side gets the old side's batches, and ends with them; its own come in another order, and twice."""
    other = SESSION.replace(".batch(16)", ".shuffle(64, seed=1).batch(16).repeat(2)")
    result = certificate(warm, tmp_path, new(SESSION), new(other), steps=6, same_data=True)
    assert result["verdict"] == "same", (result["reason"], result["first_difference"])
    assert result["same_data"] == {"given": {"IteratorGetNext": 4}, "not_given": {}}
    assert (result["old"]["steps"], result["new"]["steps"]) == (4, 4)


GROWS = SESSION.replace(
    "with tf.Session() as sess:",
    "config = tf.ConfigProto(allow_soft_placement=True)\nconfig.gpu_options.allow_growth = True\n"
    "with tf.Session(config=config) as sess:",
)
LISTS = SESSION.replace(
    "with tf.Session() as sess:",
    "tf.config.set_soft_device_placement(True)\n"
    "for gpu in tf.config.list_physical_devices('GPU'):\n    tf.config.experimental.set_memory_growth(gpu, True)\n"
    "with tf.Session() as sess:",
)


def test_gpu_settings_by_a_list_of_gpus(warm, tmp_path):
    """Without a GPU a loop over GPUs sets nothing that could be compared, which the certificate says."""
    result = certificate(warm, tmp_path, new(GROWS), new(LISTS), steps=6)
    assert result["verdict"] == "same", (result["reason"], result["first_difference"])
    assert [note for note in result["notes"] if note.startswith("GPU settings weren't compared: the new side")]


def test_a_config_that_is_lost(warm, tmp_path):
    result = certificate(warm, tmp_path, new(GROWS), new(SESSION), steps=6)
    difference = result["first_difference"]
    assert difference is not None, result["reason"]
    assert difference["details"]["old"] == ["allow_soft_placement: true", "gpu_options.allow_growth: true"]
