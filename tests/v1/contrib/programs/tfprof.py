"""Programs that use tf.contrib.tfprof."""

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
    ]
