"""Programs that use tf.contrib.framework."""

import tempfile
from importlib import import_module

import numpy as np

from tests.v1.contrib.values import numbers


def arg_scopes(tf):
    @tf.contrib.framework.add_arg_scope
    def layer(a, b=1, c=2):
        return [a, b, c]

    @tf.contrib.framework.add_arg_scope
    def other(a, b=5):
        return [a, b]

    results = [layer(0), tf.contrib.framework.has_arg_scope(layer), tf.contrib.framework.has_arg_scope(len)]
    results.append(sorted(tf.contrib.framework.arg_scoped_arguments(layer)))
    with tf.contrib.framework.arg_scope([layer, other], b=7):
        results += [layer(0), layer(0, c=9), layer(0, b=8), other(1)]
        with tf.contrib.framework.arg_scope([layer], c=3) as scope:
            results += [layer(0), other(1)]
        with tf.contrib.framework.arg_scope(scope):
            results += [layer(0), len(tf.contrib.framework.current_arg_scope())]
    results += [layer(0), len(tf.contrib.framework.current_arg_scope())]
    for wrong in (lambda: tf.contrib.framework.arg_scope([len], b=1), lambda: tf.contrib.framework.arg_scope(3, b=1)):
        try:
            with wrong():
                pass
        except (TypeError, ValueError) as error:
            results.append(type(error))
    return [*results, layer.__name__]


def variables_by_collection(tf):
    framework = tf.contrib.framework
    with tf.variable_scope("A"):
        tf.contrib.framework.variable("plain", [2], initializer=tf.ones_initializer(), device="/cpu:0")
        tf.contrib.framework.model_variable("model", [3], collections=["mine"], initializer=tf.zeros_initializer())
    with tf.variable_scope("B"):
        with framework.arg_scope([framework.variable], trainable=False, regularizer=tf.nn.l2_loss):
            tf.contrib.framework.variable("plain", [2], initializer=tf.zeros_initializer())
        added = tf.get_variable("added", [1], initializer=tf.zeros_initializer())
        tf.contrib.framework.add_model_variable(added)
        tf.contrib.framework.add_model_variable(added)
        tf.contrib.framework.local_variable(3.0, name="local")
        tf.contrib.framework.global_variable([3, 4], name="global")

    def names(variables):
        return [each.op.name for each in variables]

    everything = tf.contrib.framework.get_variables()
    return {
        "A": names(tf.contrib.framework.get_variables("A")),
        "suffix": names(tf.contrib.framework.get_variables(suffix="plain")),
        "by suffix": names(tf.contrib.framework.get_variables_by_suffix("del", scope="A")),
        "by name": names(tf.contrib.framework.get_variables_by_name("plain")),
        "model": names(tf.contrib.framework.get_model_variables()),
        "local": names(tf.contrib.framework.get_local_variables()),
        "trainable": names(tf.contrib.framework.get_trainable_variables("B")),
        "to restore": names(tf.contrib.framework.get_variables_to_restore(exclude=["B/plain"])),
        "to restore of A": names(tf.contrib.framework.get_variables_to_restore(include=["A"], exclude=["A/model"])),
        "unique": tf.contrib.framework.get_unique_variable("A/plain").op.name,
        "filtered": names(tf.contrib.framework.filter_variables(everything, ["plain", "model"], ["B/"])),
        "matched": names(tf.contrib.framework.filter_variables(everything, ["plain"], reg_search=False)),
        "device": everything[0].device,
        "full": tf.contrib.framework.get_variable_full_name(everything[0]),
        "values": [each.initialized_value() for each in everything],
    }


def partitioned_variable_name(tf):
    parts = tf.get_variable(
        "whole", [4, 2], initializer=tf.ones_initializer(), partitioner=tf.fixed_size_partitioner(2, axis=0)
    )
    return [tf.contrib.framework.get_variable_full_name(each) for each in parts]


def assign_from_values(tf):
    with tf.variable_scope("v"):
        tf.get_variable("a", [2, 2], initializer=tf.zeros_initializer())
        tf.get_variable("ab", [2], initializer=tf.zeros_initializer())
    values = {"v/a": numbers(4), "v/ab": numbers(2, seed=1)}
    op, feed = tf.contrib.framework.assign_from_values({"v/ab": numbers(2, seed=2)})
    of_session = tf.contrib.framework.assign_from_values_fn(values)

    def run(sess):
        sess.run(op, feed)
        first = sess.run(tf.global_variables())
        of_session(sess)
        return first, sess.run(tf.global_variables())

    return run


def checkpoints(tf):
    folder = tempfile.mkdtemp()
    a = tf.get_variable("a", initializer=numbers(2, 3))
    tf.get_variable("s/b", initializer=numbers(4, seed=1))
    saver = tf.train.Saver()

    def run(sess):
        path = saver.save(sess, folder + "/model")
        results = {
            "reader": tf.contrib.framework.load_checkpoint(filepattern=folder).get_tensor("a"),
            "variable": tf.contrib.framework.load_variable(checkpoint_dir=path, name="s/b"),
            "list": tf.contrib.framework.list_variables(checkpoint_dir=folder),
        }
        zeros = [tf.assign(each, tf.zeros_like(each)) for each in tf.global_variables()]
        sess.run(zeros)
        sess.run(*tf.contrib.framework.assign_from_checkpoint(path, {"a": a}))
        results["assigned"] = sess.run(tf.global_variables())
        sess.run(zeros)
        missing = tf.Variable([1.0], name="missing")
        tf.contrib.framework.assign_from_checkpoint_fn(path, [a, missing], ignore_missing_vars=True)(sess)
        results["restored"] = sess.run([a])
        results["none"] = tf.contrib.framework.assign_from_checkpoint_fn(path, [missing], ignore_missing_vars=True)
        try:
            tf.contrib.framework.assign_from_checkpoint(path, [missing])
        except ValueError as error:
            results["error"] = type(error)
        with tf.Graph().as_default(), tf.Session() as other:
            with tf.variable_scope("new"):
                initialized = tf.get_variable("b", [4])
            tf.contrib.framework.init_from_checkpoint(path, {"s/": "new/"})
            other.run(tf.global_variables_initializer())
            results["initialized"] = other.run(initialized)
        return results

    return run


def partitioned_variables_from_a_checkpoint(tf):
    folder = tempfile.mkdtemp()
    with tf.Graph().as_default(), tf.Session() as sess:
        tf.get_variable("whole", initializer=numbers(5, 2))
        sess.run(tf.global_variables_initializer())
        path = tf.train.Saver().save(sess, folder + "/model")
    parts = tf.get_variable(
        "whole", [5, 2], initializer=tf.zeros_initializer(), partitioner=tf.fixed_size_partitioner(2, axis=0)
    )
    op, feed = tf.contrib.framework.assign_from_checkpoint(path, list(parts))

    def run(sess):
        sess.run(op, feed)
        return sess.run(list(parts))

    return run


def matrices_from_a_checkpoint(tf):
    folder = tempfile.mkdtemp()
    with tf.Graph().as_default(), tf.Session() as sess:
        for name, value in (("weights", numbers(3, 2)), ("bias", numbers(3, seed=1)), ("embedding", numbers(3, 4))):
            tf.get_variable(name, initializer=value)
        sess.run(tf.global_variables_initializer())
        path = tf.train.Saver().save(sess, folder + "/model")
    vocabularies = {"old": "x\ny\nz\n", "new": "z\nw\nx\n"}
    for name, text in vocabularies.items():
        with open(f"{folder}/{name}", "w") as file:
            file.write(text)
    old, new = folder + "/old", folder + "/new"
    rows = {"old_row_vocab_file": old, "new_row_vocab_file": new}
    matrices = {
        "matrix": tf.contrib.framework.load_and_remap_matrix_initializer(
            path, "weights", 3, 2, initializer=tf.ones_initializer(), **rows
        )([3, 2]),
        "embedding": tf.contrib.framework.load_embedding_initializer(
            path, "embedding", 3, 4, old, new, initializer=tf.zeros_initializer()
        )([3, 4]),
        "slot": tf.contrib.framework.load_variable_slot_initializer(
            path, "weights", None, 3, 2, initializer=tf.zeros_initializer(), **rows
        )([3, 2]),
    }
    return matrices


def biases_from_a_checkpoint(tf):
    folder = tempfile.mkdtemp()
    with tf.Graph().as_default(), tf.Session() as sess:
        tf.get_variable("bias", initializer=numbers(3, 1))
        sess.run(tf.global_variables_initializer())
        path = tf.train.Saver().save(sess, folder + "/model")
    for name, text in (("old", "x\ny\nz\n"), ("new", "z\nw\n")):
        with open(f"{folder}/{name}", "w") as file:
            file.write(text)
    initializer = tf.contrib.framework.load_linear_multiclass_bias_initializer(
        path, "bias", 2, folder + "/old", folder + "/new", num_class_oov_buckets=1
    )
    return initializer([3, 1])


def zero_initializer(tf):
    variable = tf.Variable([1.0, 2.0])
    other = tf.Variable([3.0, 4.0])
    zeros = tf.contrib.framework.zero_initializer(variable)

    def run(sess):
        try:
            sess.run(zeros)
        except tf.errors.OpError:
            values = ["it has a value"]
        with tf.Session() as fresh:
            fresh.run(tf.contrib.framework.zero_initializer(other))
            return values + fresh.run([other])

    return run


def steps(tf):
    before = tf.contrib.framework.get_global_step()
    nothing = tf.contrib.framework.assert_or_get_global_step()
    step = tf.contrib.framework.get_or_create_global_step()
    tf.contrib.framework.assert_global_step(step)
    return [before, nothing, step, tf.contrib.framework.assert_or_get_global_step(), step.dtype.base_dtype.name]


def devices(tf):
    op = tf.no_op()
    in_turn = tf.contrib.framework.VariableDeviceChooser(2)
    names = [in_turn(op), in_turn(op), in_turn(op)]
    names.append(tf.contrib.framework.VariableDeviceChooser(device_type="GPU", device_index=1)(op))
    names.append(tf.contrib.framework.VariableDeviceChooser(1, job_name="there", replica=2)(op))
    return names


def shapes(tf):
    unknown = tf.placeholder_with_default(numbers(2, 3), [None, None], name="unknown")
    known = tf.constant(numbers(2, 3), name="known")
    single = tf.constant([5.0], name="one")
    checked = tf.contrib.framework.with_shape([2, 3], unknown)
    wrong = tf.contrib.framework.with_shape([3, 2], unknown)
    results = {
        "checked": checked,
        "shape": checked.shape,
        "as it was": tf.contrib.framework.with_shape([2, 3], known) is known,
        "computed": tf.contrib.framework.with_shape(tf.constant([2, 3]), known),
        "scalar": tf.contrib.framework.with_shape([], single),
        "same": tf.contrib.framework.with_same_shape(known, unknown),
        "sum": tf.contrib.framework.reduce_sum_n([known, unknown, single]),
        "integer": tf.contrib.framework.assert_scalar_int(tf.constant(3)),
        "squeezed": tf.contrib.framework.remove_squeezable_dimensions(
            tf.constant(numbers(3, 1)), tf.constant([1, 2, 3])
        ),
        "labels squeezed": tf.contrib.framework.remove_squeezable_dimensions(
            tf.placeholder_with_default(numbers(3), None), tf.constant([[1], [2], [3]])
        ),
    }
    for name, call in (
        ("another", lambda: tf.contrib.framework.with_shape([3, 2], known)),
        ("no numbers", lambda: tf.contrib.framework.with_shape([1.5], known)),
        ("no integer", lambda: tf.contrib.framework.assert_scalar_int(known)),
        ("nothing", lambda: tf.contrib.framework.reduce_sum_n([])),
    ):
        try:
            call()
        except ValueError as error:
            results[name] = type(error)

    def run(sess):
        try:
            sess.run(wrong)
        except tf.errors.InvalidArgumentError as error:
            asserted = "Wrong shape for" in str(error)
        plain = (bool, type, tf.TensorShape)
        tensors = {name: value for name, value in results.items() if not isinstance(value, plain)}
        return asserted, sess.run(tensors), {name: value for name, value in results.items() if name not in tensors}

    return run


def python_functions(tf):
    def both(a, b, scale):
        return {"sum": (a + b) * scale, "parts": [a, b.astype(np.float64)]}

    results = tf.contrib.framework.py_func(
        both,
        [tf.constant(numbers(2)), tf.constant(numbers(2, seed=1))],
        {"scale": tf.constant(2.0)},
        output_types={"sum": tf.float32, "parts": [tf.float32, tf.float64]},
        output_shapes={"sum": [2], "parts": [[2], None]},
    )
    return [results, results["sum"].shape, results["parts"][1].shape]


def graphs(tf):
    a = tf.placeholder(tf.float32, [2], name="a")
    b = tf.identity(a, name="b")
    c = tf.add(b, 1.0, name="c")
    d = tf.multiply(c, 2.0, name="d")
    tf.identity(d, name="e")
    whole = tf.get_default_graph().as_graph_def()
    fused = tf.contrib.framework.fuse_op(whole, ["b"], ["e"], [1], False, "one", "OneOp")
    with tf.name_scope("there"):
        scope = tf.contrib.framework.get_name_scope()
    results = {
        "placeholders": [each.op.name for each in tf.contrib.framework.get_placeholders(tf.get_default_graph())],
        "fused": [[node.name, node.op, list(node.input)] for node in fused.node],
        "scope": scope,
        "graph": tf.contrib.framework.get_graph_from_inputs([3, a]) is a.graph,
    }
    with tf.Graph().as_default():
        other = tf.constant(1)
    try:
        tf.contrib.framework.get_graph_from_inputs([a, other])
    except ValueError as error:
        results["two graphs"] = type(error)
    return results


def audio_ops(tf):
    audio = import_module(tf.contrib.framework.__name__ + ".python.ops.audio_ops")
    wave = tf.constant(numbers(400, 1))
    heard = audio.decode_wav(audio.encode_wav(wave, 8000), desired_channels=1)
    spectrogram = audio.audio_spectrogram(heard.audio, window_size=128, stride=64, magnitude_squared=True)
    return [heard.audio, heard.sample_rate, spectrogram, audio.mfcc(spectrogram, heard.sample_rate)]
