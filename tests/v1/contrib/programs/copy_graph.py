"""Programs that use tf.contrib.copy_graph."""

from tests.v1.contrib.values import numbers


def copied_variables_and_ops(tf):
    first, second = tf.get_default_graph(), tf.Graph()
    v = tf.Variable(numbers(2, 2), name="v")
    held = tf.Variable(1.0, trainable=False, name="held", collections=["mine", tf.GraphKeys.GLOBAL_VARIABLES])
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    with tf.control_dependencies([tf.identity(held, name="waited")]):
        y = tf.matmul(x, v, name="y")
    top = tf.nn.top_k(y, 1, name="top")[1]
    tf.add_to_collection("mine", top)
    variables = [tf.contrib.copy_graph.copy_variable_to_graph(each, second, "copy") for each in (v, held)]
    there = tf.contrib.copy_graph.copy_op_to_graph(top, second, variables, "copy")
    again = tf.contrib.copy_graph.copy_op_to_graph(top.op, second, variables, "copy")
    fed = tf.contrib.copy_graph.get_copied_op(x, second, "copy")
    names = [
        [each.name for each in (there, again, fed)],
        [each.name for each in again.inputs[0].op.control_inputs],
        sorted(second.get_all_collection_keys()),
        [each.name for each in second.get_collection("copy/mine")],
        [op.name for op in second.get_operations() if op.name.startswith("copy/") and "/" not in op.name[5:]],
    ]
    errors = []
    for call in (
        lambda: tf.contrib.copy_graph.copy_variable_to_graph(x, second),
        lambda: tf.contrib.copy_graph.copy_op_to_graph(tf.Variable(1.0, name="other"), second, []),
    ):
        try:
            call()
        except (TypeError, AttributeError) as error:
            errors.append(type(error).__name__)

    def run(sess):
        with second.as_default(), tf.Session() as other:
            other.run(tf.global_variables_initializer())
            return [other.run(there, {fed: numbers(3, 2, seed=1)}), names, errors, first is sess.graph]

    return run
