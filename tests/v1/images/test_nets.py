"""Nets of keras.applications have the layers that they had on TensorFlow 1.15.5, as programs count and name them."""

from __future__ import annotations

import pytest

from tests.marks import NEEDS_KERAS_2
from tf1mem.machine.tensorflow import installed_version

WARM = ["tf1mem.v1"]
pytestmark = NEEDS_KERAS_2
# Net -> the number of its layers, and its first and last ones, with images of 33 x 33 pixels on TensorFlow 1.15.5.
RECORDED = {
    "MobileNet(alpha=0.25": (
        93,
        ["input_1", "conv1_pad", "conv1", "conv1_bn"],
        ["global_average_pooling2d", "reshape_1", "dropout", "conv_preds", "reshape_2", "act_softmax"],
    ),
    "MobileNetV2(alpha=0.35": (
        157,
        ["input_1", "Conv1_pad", "Conv1", "bn_Conv1"],
        ["Conv_1", "Conv_1_bn", "out_relu", "global_average_pooling2d", "Logits"],
    ),
}


def test_layers_are_those_of_tensorflow_1(python):
    python(f"""\
        import tf1mem.v1 as tf
        for net, (number, first, last) in {RECORDED}.items():
            tf.keras.backend.clear_session()
            model = eval(f"tf.keras.applications.{{net}}, weights=None, classes=3, input_shape=(33, 33, 3))")
            names = [layer.name for layer in model.layers]
            assert (len(names), names[:len(first)], names[-len(last):]) == (number, first, last), names
        """)


def test_a_mobilenet_pads_as_on_tensorflow_1(python):
    """An image of odd size is padded below and at its right, where newer versions pad it at all sides."""
    python("""\
        import numpy as np
        import tf1mem.v1 as tf
        net = tf.keras.applications.MobileNet(alpha=0.25, weights=None, classes=3, input_shape=(33, 33, 3))
        conv = net.get_layer("conv1")
        conv.set_weights([np.arange(conv.count_params()).reshape(3, 3, 3, 8) / 100])
        values = tf.keras.Model(net.input, conv.output).predict(np.arange(33 * 33 * 3).reshape(1, 33, 33, 3) / 100)
        assert values.shape == (1, 16, 16, 8), values.shape
        assert np.allclose(values[0, 0, 0, :2], [41.897, 42.175], atol=1e-3), values[0, 0, 0]
        assert np.allclose(values[0, -1, -1, :2], [901.145, 909.685], atol=1e-2), values[0, -1, -1]
        """)


@pytest.mark.proof
@pytest.mark.skipif(installed_version().major < 2, reason="on TensorFlow 1, Keras stays as it is")
def test_standalone_keras_has_a_resnet_of_its_own(python):
    """The names and the values are those of Keras 2.2.5 on TensorFlow 1.15.5."""
    python("""\
        import zlib
        import numpy as np
        import tf1mem.v1.keras_alone as keras
        from tf1mem.v1.keras_alone.applications.resnet50 import ResNet50
        assert keras.applications.ResNet50 is ResNet50
        for options, number, names, values in (
            ({"classes": 3}, 177, 314864930, [0.2888, 0.3948, 0.3163]),
            ({"include_top": False, "pooling": "avg"}, 176, 1089611202, [0.133, 0.0276, 0.0633]),
        ):
            keras.backend.clear_session()
            net = ResNet50(weights=None, input_shape=(40, 33, 3), **options)
            layers = [layer.name for layer in net.layers]
            assert (len(layers), zlib.crc32(" ".join(layers).encode())) == (number, names), layers
            random = np.random.RandomState(0)
            net.set_weights([
                random.normal(size=[int(size) for size in weight.shape]) * 0.03
                + (0.5 if "gamma" in weight.name or "variance" in weight.name else 0)
                for layer in net.layers for weight in layer.weights
            ])
            predicted = net.predict(random.uniform(size=(1, 40, 33, 3)))[0, :3]
            assert np.allclose(predicted, values, atol=1e-3), predicted
        try:
            ResNet50(classes=10)
        except ValueError as error:
            assert "1000" in str(error)
        else:
            raise AssertionError
        """)
