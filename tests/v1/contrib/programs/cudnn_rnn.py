"""Programs that use tf.contrib.cudnn_rnn without cuDNN; tests/v1/contrib/test_cudnn_rnn.py has those with it."""

from tests.v1.contrib.values import numbers


def compatible_cells(tf):
    outputs = []
    lstm, gru = tf.contrib.cudnn_rnn.CudnnCompatibleLSTMCell(3), tf.contrib.cudnn_rnn.CudnnCompatibleGRUCell(3)
    for cell in (lstm, gru):
        inputs = [tf.constant(numbers(2, 4, seed=step)) for step in range(3)]
        with tf.variable_scope(type(cell).__name__):
            outputs.append(tf.nn.static_rnn(cell, inputs, dtype=tf.float32))
    return outputs


def _built(tf, layer, columns=4):
    """Returns a built layer's attributes. Its graph is never run: 1.15.5 can't initialize it without cuDNN."""
    with tf.Graph().as_default():
        layer = layer()
        with tf.variable_scope("net"):
            layer.build([None, 2, columns])
        saver = tf.train.Saver()
        return {
            "names": [spec.name for spec in layer.saveable.specs],
            "shapes": [list(shape) for shape in layer.canonical_weight_shapes],
            "biases": [list(shape) for shape in layer.canonical_bias_shapes],
            "state": [list(shape) for shape in layer.state_shape(7)],
            "facts": [layer.num_layers, layer.num_units, layer.num_dirs, layer.input_size, layer.input_mode],
            "modes": [layer.rnn_mode, layer.direction],
            "variables": [variable.name for variable in tf.trainable_variables()],
            "collected": len(tf.get_collection(tf.GraphKeys.SAVEABLE_OBJECTS)),
            "saveable": layer.saveable.name,
            "saved": saver is not None,
        }


def layers(tf):
    return [
        _built(tf, lambda: tf.contrib.cudnn_rnn.CudnnLSTM(2, 3)),
        _built(tf, lambda: tf.contrib.cudnn_rnn.CudnnLSTM(1, 3, direction="bidirectional", name="named")),
        _built(tf, lambda: tf.contrib.cudnn_rnn.CudnnGRU(2, 3, direction="bidirectional")),
        _built(tf, lambda: tf.contrib.cudnn_rnn.CudnnRNNTanh(1, 3)),
        _built(tf, lambda: tf.contrib.cudnn_rnn.CudnnRNNRelu(1, 3, dropout=0.5, seed=1)),
    ]


def saveables(tf):
    """Returns the names under which a vector of parameters, a variable of this program, is saved in a checkpoint."""
    results = []
    for make, size in (
        (tf.contrib.cudnn_rnn.CudnnLSTMSaveable, 108),
        (tf.contrib.cudnn_rnn.CudnnGRUSaveable, 81),
        (tf.contrib.cudnn_rnn.CudnnRNNTanhSaveable, 27),
        (tf.contrib.cudnn_rnn.CudnnRNNReluSaveable, 27),
    ):
        with tf.Graph().as_default():
            saveable = make(tf.get_variable("params", [size]), 1, 3, 4, scope="net", name="mine")
            results.append([saveable.name, [spec.name for spec in saveable.specs]])
    return results


def converters(tf):
    """Converts cells' weights to cuDNN's form, and back; 1.15.5 would let cuDNN join them to a vector."""
    results = []
    for make, shapes in (
        (tf.contrib.cudnn_rnn.CudnnParamsFormatConverterLSTM, [[7, 12], [12]]),
        (tf.contrib.cudnn_rnn.CudnnParamsFormatConverterGRU, [[7, 6], [4, 3], [3, 3], [6], [3], [3]]),
        (tf.contrib.cudnn_rnn.CudnnParamsFormatConverterTanh, [[7, 3], [3]]),
        (tf.contrib.cudnn_rnn.CudnnParamsFormatConverterRelu, [[7, 3], [3]]),
    ):
        converter = make(1, 3, 4)
        weights = [tf.constant(numbers(*shape, seed=len(results))) for shape in shapes]
        if hasattr(converter, "_tf_canonical_to_cu_canonical"):  # of 1.15.5, which leaves the vector to cuDNN
            matrices, biases = converter._tf_canonical_to_cu_canonical(weights, None)
            vector = tf.concat([tf.reshape(part, [-1]) for part in [*matrices, *biases]], 0)
            back = converter._cu_canonical_to_tf_canonical(matrices, biases)
        else:
            vector = converter.tf_canonical_to_opaque(weights)
            back = converter.opaque_to_tf_canonical(vector)
        results.append([vector, back])
    return results


def layer_errors(tf):
    errors = []
    for make in (
        lambda: tf.contrib.cudnn_rnn.CudnnLSTM(1, 3, direction="backward"),
        lambda: tf.contrib.cudnn_rnn.CudnnLSTM(1, 3, input_mode="none"),
        lambda: tf.contrib.cudnn_rnn.CudnnLSTM(1, 3, dtype=tf.int32),
        lambda: tf.contrib.cudnn_rnn.CudnnLSTM(1, 3).build([2, 4]),
        lambda: tf.contrib.cudnn_rnn.CudnnLSTM(1, 3).build([2, 4, None]),
        lambda: tf.contrib.cudnn_rnn.CudnnLSTM(1, 3).input_size,
        lambda: tf.contrib.cudnn_rnn.CudnnLSTM(1, 3).canonical_weight_shapes,
    ):
        try:
            make()
        except (RuntimeError, ValueError) as error:
            errors.append(type(error).__name__)
    return errors
