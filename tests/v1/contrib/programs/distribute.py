"""Programs that use tf.contrib.distribute."""

import numpy as np

from tests.v1.contrib.raising import errors_of
from tests.v1.contrib.values import numbers

X = numbers(6, 2)


def _trained(tf, strategy, **settings):
    """Returns the replicas' shares of a data set, their losses' sum, and the variable that each of them trains."""
    with tf.Graph().as_default(), strategy.scope():
        weights = tf.get_variable("weights", initializer=np.float32([1.0, 2.0]))
        optimizer = tf.train.GradientDescentOptimizer(0.1)
        iterator = strategy.make_dataset_iterator(tf.data.Dataset.from_tensor_slices(X).batch(2))

        def step(x):
            loss = tf.reduce_sum(tf.square(tf.reduce_sum(x * weights, axis=1)))
            with tf.control_dependencies([optimizer.minimize(loss)]):
                return tf.identity(loss), tf.shape(x)[0]

        losses, sizes = strategy.experimental_run(step, iterator)
        together = strategy.reduce(tf.distribute.ReduceOp.SUM, losses)
        seen = strategy.reduce(tf.distribute.ReduceOp.SUM, sizes)
        with tf.Session(config=tf.ConfigProto(**settings)) as sess:
            sess.run([iterator.initialize(), tf.global_variables_initializer()])
            return [strategy.num_replicas_in_sync, *sess.run([together, seen]), sess.run(weights)]


def mirrored_strategy(tf):
    two = tf.contrib.distribute.MirroredStrategy(devices=["/cpu:0", "/cpu:1"])
    return [
        _trained(tf, two, device_count={"CPU": 2}),
        _trained(tf, tf.contrib.distribute.MirroredStrategy(num_gpus=0)),
        _trained(tf, tf.contrib.distribute.MirroredStrategy(num_gpus_per_worker=0)),
        _trained(tf, tf.contrib.distribute.MirroredStrategy()),
        tf.contrib.distribute.MirroredStrategy(num_gpus=2).num_replicas_in_sync,
        errors_of(
            lambda: tf.contrib.distribute.MirroredStrategy(num_gpus=1, num_gpus_per_worker=1),
            lambda: tf.contrib.distribute.MirroredStrategy(["/cpu:0"], num_gpus=1),
        ),
    ]


def collective_all_reduce_strategy(tf):
    strategy = tf.contrib.distribute.CollectiveAllReduceStrategy()
    two = tf.contrib.distribute.CollectiveAllReduceStrategy(num_gpus_per_worker=2)
    is_one = isinstance(strategy, tf.contrib.distribute.DistributionStrategy)
    return [_trained(tf, strategy), is_one, two.num_replicas_in_sync]


def parameter_server_strategy(tf):
    two = tf.contrib.distribute.ParameterServerStrategy(num_gpus_per_worker=2)
    return [_trained(tf, tf.contrib.distribute.ParameterServerStrategy()), two.num_replicas_in_sync]
