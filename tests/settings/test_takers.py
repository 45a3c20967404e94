"""The table of functions and classes that take a config agrees with TensorFlow's own parameters.

On every TensorFlow, the table is compared with a recording of 1.15.5, which has all of these functions and classes. On
1.15.5, in the matrix and `make proof`, the recording is compared with TensorFlow itself.
"""

from __future__ import annotations

import pytest

from tf1mem.settings.takers import TAKERS

from .recording import in_tf1, recorded

WARM = ["tensorflow"]
ROWS = [(taker, taker.of + "." + name if taker.of else name) for taker in TAKERS for name in taker.names]
# A function or class that passes its **kwargs on -> the class that gets them, whose parameters include the config.
_GETS_KWARGS = {
    "contrib.tpu.RunConfig": "estimator.RunConfig",
    "contrib.tpu.python.tpu.tpu_config.RunConfig": "estimator.RunConfig",
    "estimator.RunConfig.replace": "estimator.RunConfig",
    "estimator.tpu.RunConfig": "estimator.RunConfig",
}


def test_one_row_for_each_name():
    names = [name for _, name in ROWS]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(("taker", "name"), ROWS, ids=[name for _, name in ROWS])
def test_tensorflow_1_has_the_name_and_the_position_of_its_config(taker, name):
    every = recorded()
    assert in_tf1(name) in every, f"not recorded: {name}. Run recording.py, which fails if 1.15.5 lacks it"
    parameters = every[in_tf1(name)]
    if any(parameter.startswith("**") for parameter in parameters):
        assert taker.position is None
        parameters = every[_GETS_KWARGS[name]]
    assert taker.keyword in parameters
    if taker.position is not None:
        assert parameters.index(taker.keyword) == taker.position


def test_this_tensorflow_says_the_same(python):
    """1.15.5 agrees with the recording; a later TensorFlow has the config at the same position, if it has the name."""
    output = python(
        """
        import warnings
        warnings.simplefilter("ignore")
        import tensorflow as tf
        from tests.settings import recording
        from tf1mem.settings.takers import TAKERS

        if tf.__version__ == "1.15.5":
            assert recording.text() == recording.RECORDED.read_text(encoding="utf-8")
            config = tf.compat.v1.ConfigProto()
            run_config = tf.estimator.RunConfig().replace(session_config=config)
            assert run_config.session_config == config
            tpu = "contrib.tpu.RunConfig contrib.tpu.python.tpu.tpu_config.RunConfig estimator.tpu.RunConfig"
            for name in tpu.split():
                assert recording.value_of(name)(session_config=config).session_config == config
        for taker in TAKERS:
            for name in taker.names:
                dotted = taker.of + "." + name if taker.of else name
                value = tf.compat.v1
                for part in dotted.split("."):
                    value = getattr(value, part, None)
                if value is None:  # removed after 1.15.5; the test above checks the row against the recording
                    continue
                parameters = recording.parameters(value)
                assert taker.keyword in parameters or "**kwargs" in parameters, (name, parameters)
                if taker.position is not None:
                    assert parameters.index(taker.keyword) == taker.position, (name, parameters)
                print(name)
        """
    )
    assert {"Session", "train.Server", "enable_eager_execution", "managed_session", "test_session"} <= set(
        output.split()
    )
