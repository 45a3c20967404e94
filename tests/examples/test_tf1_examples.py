"""examples/tf1 run by plain Python on TensorFlow 1, and by `tf1mem run` on TensorFlow 2."""

from __future__ import annotations

import re

import pytest

example = pytest.mark.example


def number_after(text: str, output: str) -> float:
    match = re.search(re.escape(text) + r"\s*(-?[0-9.]+)", output)
    assert match, f"no number after {text!r} in:\n{output}"
    return float(match.group(1))


@example("tf1/growth.py")
def test_growth(run):
    assert run.succeeded()
    assert "batch of 1000 -> (1000, 10) rows sum to 1.000" in run.stdout
    assert re.search(r"device:[CG]PU:0 may use \d+ MiB", run.stdout)


@example("tf1/fraction.py", "--gpu_fraction=0.25")
def test_fraction(run):
    assert run.succeeded()
    assert "sum: 21.0" in run.stdout
    assert "no GPU here" in run.stdout or "25.0% asked for" in run.stdout


@example("tf1/growth_and_fraction.py", "--gpu_fraction=0.25", "--noallow_growth")
def test_growth_and_fraction(run):
    assert run.succeeded()
    assert "conv features: (16, 16, 16, 8)" in run.stdout
    assert "gpu_fraction=0.25 allow_growth=False" in run.stderr


@example("tf1/log_device_placement.py")
def test_log_device_placement(run):
    assert run.succeeded()
    assert "[[22. 28.]\n [49. 64.]]" in run.stdout
    assert re.search(r"product: \(MatMul\): /job:localhost/replica:0/task:0/device:[CG]PU:0", run.output)


@example("tf1/manual_placement.py")
def test_manual_placement(run):
    assert run.succeeded()
    assert "[[22. 28.]\n [49. 64.]]" in run.stdout
    assert re.search(r"a: \(Const\): /job:localhost/replica:0/task:0/device:CPU:0", run.output)
    assert "a:0 was asked for on /device:CPU:0" in run.stdout
    assert "c:0 was asked for on any device" in run.stdout


@example("tf1/one_gpu_of_several.py")
def test_one_gpu_of_several(run):
    assert run.succeeded()
    refused, softly = run.stdout.split("With soft placement:")
    assert "Cannot assign a device for operation" in refused or "There is a third GPU" in refused
    assert ("InvalidArgumentError" in refused) != ("There is a third GPU" in refused)
    assert "[[22. 28.]\n [49. 64.]]" in softly


@example("tf1/multi_tower.py", "--num_gpus=4")
def test_multi_tower(run):
    assert run.succeeded()
    assert "4 towers, 2 variables" in run.stdout
    assert "w = [ 2. -3.] (should be [ 2. -3.]), b = 0.50 (should be 0.50)" in run.stdout
    assert number_after("step  99  loss", run.stdout) < 0.001


@example("tf1/keras_set_session.py")
def test_keras_set_session(run, missing):
    if "tf_keras" in missing:
        assert run.returncode != 0
        assert "pip install tf_keras" in run.stderr
        return
    assert run.succeeded()
    assert "Total params: 131" in run.stdout
    assert number_after("test accuracy", run.stdout) > 0.85
    assert "Keras runs in Session" in run.stdout


@example("tf1/interactive_session.py")
def test_interactive_session(run):
    assert run.succeeded()
    assert "x - a = [-2. -1.]" in run.stdout
    assert "x     = [ 8. 16.]" in run.stdout
    assert "default session: True" in run.stdout


@example("tf1/monitored_training_session.py", "--logdir=logs")
def test_monitored_training_session(run, missing):
    if "tf_keras" in missing:  # for tf.layers
        assert run.returncode != 0
        assert "pip install tf_keras" in run.stderr
        return
    assert run.succeeded()
    assert "started at step 0" in run.stdout
    assert "accuracy 1.00" in run.stdout
    assert number_after("loss", run.stdout) < 0.1
    assert (run.folder / "logs" / "model.ckpt-200.index").is_file()
    assert list((run.folder / "logs").glob("events.out.tfevents.*"))


@example("tf1/estimator.py", "--model_dir=model", "--train_steps=200")
def test_estimator(run, missing):
    if "tensorflow_estimator" in missing:
        assert run.returncode != 0
        assert "pip install tensorflow_estimator" in run.stderr
        return
    assert run.succeeded()
    assert number_after("Test set accuracy:", run.stdout) > 0.85
    assert "after 200 steps" in run.stdout
    assert 'Prediction is "setosa"' in run.stdout
    assert (run.folder / "model" / "model.ckpt-200.index").is_file()


@example("tf1/train_iris.py", "--logdir=logs", "--epochs=40")
def test_train_iris(run):
    assert run.succeeded()
    assert "restored step 320 from model.ckpt-320" in run.stdout
    accuracy = number_after("accuracy after restore:", run.stdout)
    assert accuracy > 0.85
    assert re.search(rf"epoch  40  step  320  test loss [0-9.]+  test accuracy {accuracy:.4f}\n", run.stdout)
    assert "[5.9, 3.0, 5.1, 1.8] is virginica" in run.stdout
    logs = run.folder / "logs"
    assert (logs / "model.ckpt-320.index").is_file()
    assert list((logs / "train").glob("events.out.tfevents.*"))
    assert list((logs / "test").glob("events.out.tfevents.*"))
