"""Images are transformed to the values of TensorFlow 1.15.5, where Keras used the package keras_preprocessing."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.marks import NEEDS_KERAS_2

WARM = ["tf1mem.v1"]
pytestmark = [
    pytest.mark.skipif(not (find_spec("scipy") and find_spec("PIL")), reason="Keras transforms by SciPy and Pillow"),
    NEEDS_KERAS_2,
]
RECORDED = json.loads((Path(__file__).parent / "recorded.json").read_text("utf-8"))


def _close(recorded):
    if isinstance(recorded, list):
        return [_close(value) for value in recorded]
    return pytest.approx(recorded, rel=1e-4, abs=2e-3) if isinstance(recorded, float) else recorded


def test_images_are_transformed_to_the_values_of_tensorflow_1(python):
    code = """\
        import json
        import tf1mem.v1 as tf
        from tests.v1.images.transformations import results
        print(json.dumps(results(tf.keras.preprocessing)))
        """
    computed = json.loads(python(code))
    assert list(computed) == list(RECORDED)
    assert {name: value for name, value in computed.items() if value != _close(RECORDED[name])} == {}
