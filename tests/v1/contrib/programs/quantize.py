"""Programs that use tf.contrib.quantize."""

from tests.v1.contrib.values import numbers


def _net(tf, is_training, fused, bypass=False):
    """Builds a convolution, a depthwise convolution and a fully connected layer, with batch norms."""
    norm = {
        "normalizer_fn": tf.contrib.layers.batch_norm,
        "normalizer_params": {"is_training": is_training, "fused": fused, "decay": 0.9, "scale": True},
    }
    x = tf.constant(numbers(2, 4, 4, 3))
    conv = tf.contrib.layers.conv2d(x, 4, [3, 3], activation_fn=None if bypass else tf.nn.relu6, scope="conv", **norm)
    if bypass:
        conv = tf.nn.relu(tf.add(conv, tf.constant(numbers(2, 4, 4, 4, seed=1)), name="AddV2"), name="Relu")
    deep = tf.contrib.layers.separable_conv2d(conv, None, [3, 3], 1, scope="deep", **norm)
    flat = tf.reshape(deep, [2, -1])
    return tf.contrib.layers.fully_connected(flat, 2, activation_fn=None, scope="out")


def _quantizers(tf):
    """Returns the FakeQuant ops of the graph, with their inputs, consumers and attributes."""
    quantizers = []
    for op in tf.get_default_graph().get_operations():
        if op.type.startswith("FakeQuant"):
            takers = sorted(taker.name for taker in op.outputs[0].consumers())
            attributes = [op.get_attr("num_bits"), op.get_attr("narrow_range")]
            quantizers.append([op.name, op.inputs[0].op.name, takers, *attributes])
    return sorted(quantizers)


def _after(tf, output, runs=2, moves=()):
    """Returns a function that runs the outputs, then some further ops, and then the variables."""

    def run(sess):
        outputs = [sess.run(output) for _ in range(runs)]
        sess.run(moves)
        held = {each.op.name.replace("/", "_"): sess.run(each) for each in tf.global_variables()}
        return [outputs, held, _quantizers(tf)]

    return run


def training(tf):
    output = _net(tf, True, True)
    tf.contrib.quantize.create_training_graph()
    return _after(tf, output)


def training_with_gradients(tf):
    output = _net(tf, True, True)
    tf.contrib.quantize.create_training_graph(tf.get_default_graph(), quant_delay=0)
    return tf.reduce_sum(tf.square(output))


def training_of_single_ops(tf):
    output = _net(tf, True, False)
    tf.contrib.quantize.experimental_create_training_graph(weight_bits=4, activation_bits=6, symmetric=True)
    return _after(tf, output)


def training_that_begins_late(tf):
    output = _net(tf, True, True)
    tf.contrib.quantize.experimental_create_training_graph(quant_delay=2, freeze_bn_delay=3)
    # From the third step on, the averages of batch norm are frozen.
    return _after(tf, output, 4, tf.get_collection(tf.GraphKeys.UPDATE_OPS))


def training_in_a_scope(tf):
    output = _net(tf, True, True)
    tf.contrib.quantize.experimental_create_training_graph(scope="deep")
    return _after(tf, output)


def running(tf):
    output = _net(tf, False, True)
    tf.contrib.quantize.create_eval_graph()
    return _after(tf, output)


def additions_folded(tf):
    _net(tf, False, True)
    with tf.variable_scope("single"):
        _net(tf, True, False)
    tf.contrib.quantize.create_training_graph()
    return [[op.name, op.type] for op in tf.get_default_graph().get_operations() if op.name.endswith("_fold")]


def running_with_a_bypass(tf):
    output = _net(tf, False, True, bypass=True)
    tf.contrib.quantize.experimental_create_eval_graph(activation_bits=5)
    return _after(tf, output)


def running_of_single_ops(tf):
    output = _net(tf, False, False)
    tf.contrib.quantize.create_eval_graph()
    return _after(tf, output)


def training_graph_errors(tf):
    output = _net(tf, True, True)
    tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(output))
    try:
        tf.contrib.quantize.create_training_graph()
    except ValueError:
        return "ValueError"
