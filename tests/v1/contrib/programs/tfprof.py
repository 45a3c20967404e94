"""Programs that use tf.contrib.tfprof."""

import os
import tempfile

from tests.v1.contrib.raising import errors_of, raised
from tests.v1.contrib.values import numbers


def parameters_and_operations(tf):
    analyzer = tf.contrib.tfprof.model_analyzer
    with tf.variable_scope("net"):
        w = tf.get_variable("w", initializer=numbers(3, 4))
        tf.matmul(tf.constant(numbers(2, 3)), w)

    def total(options, name):
        profile = tf.contrib.tfprof.model_analyzer.print_model_analysis(
            tf.get_default_graph(), tfprof_options=dict(options, output="none")
        )
        return getattr(profile, name)

    return [
        total(analyzer.TRAINABLE_VARS_PARAMS_STAT_OPTIONS, "total_parameters"),
        total(analyzer.FLOAT_OPS_OPTIONS, "total_float_ops"),
        sorted(analyzer.PRINT_ALL_TIMING_MEMORY),
        [callable(analyzer.advise), callable(tf.contrib.tfprof.tfprof_logger.write_op_log)],
        analyzer.ProfileContext is tf.contrib.tfprof.ProfileContext,
    ]


def _steps_of(profile):
    """Returns the steps of a serialized ProfileProto with the names of the nodes that each traced."""
    from tensorflow.core.profiler import tfprof_log_pb2

    proto = tfprof_log_pb2.ProfileProto()
    proto.ParseFromString(profile)
    named = [node.name for node in proto.nodes.values()]
    return [sorted(proto.steps), [name in named for name in ("net/w", "net/MatMul", "train")]]


def _net(tf):
    with tf.variable_scope("net"):
        w = tf.get_variable("w", initializer=numbers(3, 4))
        loss = tf.reduce_sum(tf.matmul(tf.constant(numbers(2, 3)), w))
    with tf.name_scope("losses"):
        other = tf.reduce_sum(tf.square(w))
    return loss, other, tf.train.GradientDescentOptimizer(0.1).minimize(loss, name="train")


def _kept(folder):
    files = {name: os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.startswith("profile_")}
    steps = {}
    for name, path in files.items():
        with open(path, "rb") as file:
            steps[name] = _steps_of(file.read())
    return steps


def listed_steps(tf):
    loss, _, train = _net(tf)
    builder = tf.profiler.ProfileOptionBuilder

    def options(kind):
        return builder(kind()).with_empty_output().build()

    def run(sess):
        folder = os.path.join(tempfile.mkdtemp(), "profiles")
        with tf.contrib.tfprof.ProfileContext(folder, trace_steps=range(1, 6, 2), dump_steps=[4, 5]) as context:
            context.add_auto_profiling("op", options(builder.float_operation), [3, 4])
            context.add_auto_profiling("scope", options(builder.trainable_variables_parameter), [2])
            for step in range(8):
                if step == 7:
                    context.trace_next_step()
                    context.dump_next_step()
                sess.run([train, loss])
            floats, parameters = context.get_profiles("op"), context.get_profiles("scope")
            whole = _steps_of(context.profiler.serialize_to_string())
            errors = [
                raised(ValueError, context.get_profiles, "graph"),
                raised(tf.errors.InternalError, tf.contrib.tfprof.ProfileContext(folder).__enter__),
            ]
        sess.run(train)  # after its end nothing is counted
        return [
            _kept(folder),
            [[step, floats[step].total_float_ops] for step in sorted(floats)],
            [[step, parameters[step].total_parameters] for step in sorted(parameters)],
            [whole, errors, context._step],
        ]

    return run


def steps_by_default(tf):
    loss, other, train = _net(tf)

    def run(sess):
        folder = os.path.join(tempfile.mkdtemp(), "profiles")
        with tf.contrib.tfprof.ProfileContext(folder):
            for step in range(102):
                sess.run([train, loss] if step < 40 else [other])
        off = tf.contrib.tfprof.ProfileContext("", enabled=False)
        with off:
            off.trace_next_step()
            off.dump_next_step()
            off.add_auto_profiling("op", {}, [1])
            sess.run(train)
        errors = errors_of(
            lambda: tf.contrib.tfprof.ProfileContext(""),
            lambda: tf.contrib.tfprof.ProfileContext(folder, trace_steps=range(101)),
        )
        return [_kept(folder), off.profiler, errors]

    return run


def traces_and_metadata(tf):
    loss, _, _ = _net(tf)

    def run(sess):
        folder, metadata, options = tempfile.mkdtemp(), tf.RunMetadata(), tf.RunOptions(timeout_in_ms=10**6)
        with tf.contrib.tfprof.ProfileContext(folder, trace_steps=[0], dump_steps=[], debug=True):
            sess.run(loss, options=options, run_metadata=metadata)
            sess.run(loss)
        traced = {node.node_name for device in metadata.step_stats.dev_stats for node in device.node_stats}
        return [sorted(os.listdir(folder)), "net/MatMul" in traced, options.trace_level, options.timeout_in_ms]

    return run
