"""Programs that use tf.contrib.eager."""

import contextlib
import gc
import os
import tempfile
import weakref

from tests.v1.contrib.raising import raised
from tests.v1.contrib.values import numbers


@contextlib.contextmanager
def _eager(tf):
    """Executes eagerly, in a new graph, so that nothing is added to the program's."""
    from tensorflow.python.eager import context

    with tf.Graph().as_default(), context.eager_mode():
        yield


def dataset_iterator(tf):
    with _eager(tf):
        dataset = tf.data.Dataset.from_tensor_slices({"a": [1, 2], "b": [[1.0], [2.0]]})
        iterator = tf.contrib.eager.Iterator(dataset)
        first, second = iterator.next(), next(iterator)
        seen = [{key: value.numpy() for key, value in each.items()} for each in (first, second)]
        end = [raised(StopIteration, iterator.next), raised(tf.errors.OutOfRangeError, iterator.get_next)]
        rows = [int(each) for each in tf.contrib.eager.Iterator(tf.data.Dataset.range(3))]
        kinds = {key: value.name for key, value in iterator.output_types.items()}
        return {"seen": seen, "end": end, "rows": rows, "kinds": kinds, "shapes": iterator.output_shapes}


def defun(tf):
    x = tf.constant(numbers(3))
    square = tf.contrib.eager.defun(lambda value: value * value)

    @tf.contrib.eager.defun(input_signature=[tf.contrib.eager.TensorSpec([None], tf.float32)])
    def doubled(value):
        if tf.reduce_sum(value) > 100:
            return value
        return value * 2

    traced = []

    class Layer:
        @tf.contrib.eager.defun
        def scaled(self, value):
            traced.append(value.shape.as_list())
            return value * tf.get_variable("scale", [], initializer=tf.constant_initializer(2.0))

    with tf.variable_scope("defun", use_resource=True, reuse=tf.AUTO_REUSE):
        layer = Layer()
        scaled = [layer.scaled(tf.ones([size])) for size in (2, 2, 3)]
    names = [variable.op.name for variable in tf.global_variables("defun")]
    weak = weakref.ref(layer)
    del layer
    gc.collect()
    with _eager(tf):
        eagerly = [square(tf.constant([1.0, 2.0])).numpy(), doubled(tf.constant([3.0])).numpy()]
    graph = [square(x), doubled(x), *scaled]
    return {
        "graph": graph,
        "traced": traced,
        "names": names,
        "freed": weak() is None,
        "eager": [tf.constant(each) for each in eagerly],
    }


def devices(tf):
    with _eager(tf):
        return [name for name in tf.contrib.eager.list_devices() if "XLA" not in name][:1]


def savers(tf):
    refused = raised(RuntimeError, tf.contrib.eager.Saver, [])
    with _eager(tf), tempfile.TemporaryDirectory() as folder:
        v = tf.contrib.eager.Variable(3.0, name="v")
        w = tf.contrib.eager.Variable([1.0, 2.0], name="w")
        path = tf.contrib.eager.Saver([v, w]).save(os.path.join(folder, "ckpt"), global_step=2)
        v.assign(5.0)
        tf.contrib.eager.Saver({"v": v}).restore(path)
        seen = [v.numpy(), os.path.basename(path), [name for name, _ in tf.train.list_variables(path)]]
        optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
        grads = tf.contrib.eager.implicit_gradients(lambda: v * v)()
        optimizer.apply_gradients(grads)
        slots = [variable.numpy() for variable in tf.contrib.eager.get_optimizer_variables(optimizer)]
        return {"refused": refused, "seen": seen, "gradient": grads[0][0].numpy(), "slots": slots}


def variables_from_a_checkpoint(tf):
    restore = tf.contrib.eager.restore_variables_on_create
    with _eager(tf), tempfile.TemporaryDirectory() as folder:
        v = tf.contrib.eager.Variable(3.0, name="scope/v")
        path = tf.contrib.eager.Saver([v]).save(os.path.join(folder, "ckpt"))
        store = tf.contrib.eager.EagerVariableStore()
        restored = tf.contrib.eager.restore_variables_on_create(path)
        with store.as_default(), tf.variable_scope("scope", use_resource=True), restored:
            first = tf.get_variable("v", [], initializer=tf.zeros_initializer())
        with tf.variable_scope("other", use_resource=True), restore(path, lambda name: "scope/v"):
            mapped = tf.get_variable("w", [], initializer=tf.zeros_initializer())
        with restore(path):
            from_scope = tf.contrib.eager.Variable(5.0, name="scope/v")
        with restore(None):
            plain = tf.get_variable("p", [], initializer=tf.zeros_initializer(), use_resource=True)

        def missing():
            with restore(path):
                tf.get_variable("q", [], initializer=tf.zeros_initializer(), use_resource=True)

        values = [variable.numpy() for variable in (first, mapped, from_scope, plain)]
        return [*values, raised(tf.errors.NotFoundError, missing)]


def metrics_in_graphs(tf):
    mean = tf.contrib.eager.metrics.Mean(name="the mean")
    updates = [mean(tf.constant(numbers(4)))]
    again = tf.contrib.eager.metrics.Mean("other", tf.float32, use_global_variables=True)
    updates.append(again(tf.constant([1, 3]), weights=tf.constant([1, 3])))
    results = [mean.result(), again.value()]
    names = [mean.name, again.name, [variable.op.name for variable in mean.variables + again.variables]]
    twice = raised(ValueError, tf.contrib.eager.metrics.Mean("the mean"), tf.ones([2]))
    begin = mean.init_variables()

    def run(sess):
        sess.run(updates)
        first = sess.run(results)
        sess.run(begin)
        sess.run(updates[0])
        return [first, sess.run(results[0]), names, twice]

    return run


def metrics_eagerly(tf):
    with _eager(tf):
        rows = tf.constant(numbers(4, 3))
        metrics = {
            "accuracy": (tf.contrib.eager.metrics.Accuracy(), tf.constant([1, 2, 3, 4]), tf.constant([0, 2, 3, 4])),
            "categorical": (tf.contrib.eager.metrics.CategoricalAccuracy(), tf.eye(4, 3), rows),
            "binary": (tf.contrib.eager.metrics.BinaryAccuracy(0.1), tf.cast(rows[:, 0] > 0, tf.int32), rows[:, 0]),
            "sparse": (tf.contrib.eager.metrics.SparseAccuracy(), tf.constant([0, 1, 2, 0]), rows),
        }
        results = {}
        for name, (metric, labels, predictions) in metrics.items():
            metric(labels, predictions)
            metric(labels, predictions, weights=tf.constant([1.0, 0.0, 1.0, 2.0]))
            results[name] = metric.result().numpy()
        first, second = tf.contrib.eager.metrics.Mean("m"), tf.contrib.eager.metrics.Mean("m")
        base = tf.contrib.eager.metrics.Metric
        first([1.0, 2.0])
        results["kinds"] = [isinstance(first, base), raised(TypeError, first.aggregate, [metrics["sparse"][0]])]
        first.init_variables()
        first([5.0])
        results["again"] = first.value()().numpy()
        results["name"] = second.name
        return results


def _net(tf):
    class TwoLayers(tf.contrib.eager.Network):
        def __init__(self, name=None):
            super().__init__(name=name)
            constant = tf.constant_initializer(0.5)
            self.first = self.track_layer(tf.layers.Dense(4, kernel_initializer=constant, activation=tf.nn.relu))
            self.last = self.track_layer(tf.layers.Dense(2, kernel_initializer=constant))

        def call(self, x):
            return self.last(self.first(x))

    return TwoLayers


def networks(tf):
    new_net = _net(tf)
    first, second, named = new_net(), new_net(), new_net(name="own")
    unnamed = raised(ValueError, lambda: first.name)
    x = tf.constant(numbers(2, 3))
    outputs = [first(x), second(x), named(x), first(x)]
    with tf.variable_scope("around"):
        inside = new_net()
        outputs.append(inside(x))
    names = [each.name for each in (first, second, named, inside)]
    return {
        "outputs": outputs,
        "names": names,
        "layers": [layer.name for layer in first.layers],
        "variables": [variable.name for variable in inside.trainable_variables],
        "counts": [len(first.variables), len(first.non_trainable_weights), len(first.losses), first.trainable],
        "got": [first.get_layer(index=1) is first.last, first.get_layer("dense") is first.first],
        "errors": [
            unnamed,
            raised(ValueError, new_net, "a/b"),
            raised(ValueError, new_net("own"), x),
            raised(ValueError, first.get_layer, "nothing"),
            raised(TypeError, first.track_layer, lambda value: value),
            raised(RuntimeError, first.add_loss, 1),
        ],
    }


def networks_of_networks(tf):
    new_net = _net(tf)

    class Outer(tf.contrib.eager.Network):
        def __init__(self):
            super().__init__()
            self.inner = self.track_layer(new_net())
            self.again = self.track_layer(new_net())
            self.named = self.track_layer(tf.layers.Dense(1, name="end", kernel_initializer=tf.zeros_initializer()))

        def call(self, x):
            return self.named(self.inner(x) + self.again(x))

    outer = Outer()
    chain = tf.contrib.eager.Sequential(
        [tf.layers.Dense(3, kernel_initializer=tf.constant_initializer(0.1)), tf.nn.relu, tf.layers.Dropout(0.5)]
    )
    x = tf.constant(numbers(2, 3))
    return {
        "outputs": [outer(x), chain(x), chain(x, training=False)],
        "names": [variable.op.name for variable in outer.variables + chain.variables],
        "error": raised(TypeError, chain.add, 3),
    }


def networks_eagerly(tf):
    save = tf.contrib.eager.save_network_checkpoint
    with _eager(tf), tempfile.TemporaryDirectory() as folder:
        x = tf.constant(numbers(2, 3))
        net = _net(tf)()
        unsaved = raised(ValueError, save, net, folder)
        grads = tf.contrib.eager.implicit_gradients(lambda: tf.reduce_sum(net(x)))()
        tf.train.GradientDescentOptimizer(0.1).apply_gradients(grads)
        expected = net(x).numpy()
        path = tf.contrib.eager.save_network_checkpoint(net, os.path.join(folder, "ckpt"), global_step=3)
        unbuilt, built = _net(tf)(), _net(tf)()
        tf.contrib.eager.restore_network_checkpoint(unbuilt, path)
        built(x)
        tf.contrib.eager.restore_network_checkpoint(built, path)
        saved = [name for name, _ in tf.train.list_variables(path)]
        return {"wanted": expected, "later": unbuilt(x).numpy(), "there": built(x).numpy(), "saved": saved,
                "unsaved": unsaved, "name": unbuilt.name}  # fmt: skip


def non_finite_values(tf):
    tfe, seen = tf.contrib.eager, []

    def note(op_type, inputs, attrs, outputs, op_name):
        seen.append([op_type, len(inputs), [output.numpy().tolist() for output in outputs]])

    with _eager(tf):
        ones, zero = tf.constant([1.0, -1.0]), tf.constant([0.0, 2.0])
        kinds = [tf.contrib.eager.seterr()["inf_or_nan"].name, tf.contrib.eager.seterr(inf_or_nan="raise")]
        met = []
        for function in (lambda: ones / zero, lambda: tf.log(-zero), lambda: ones * 2.0, lambda: tf.range(3)):
            try:
                function()
                met.append(None)
            except Exception as error:
                message = str(error).partition(") ")[2]  # before that the op's name, which eager ops no longer have
                met.append([type(error).__name__, error.op_type, error.output_index, error.num_outputs, message])
        kinds += [tf.contrib.eager.seterr(inf_or_nan=tf.contrib.eager.ExecutionCallback.IGNORE)["inf_or_nan"].name]
        quiet = (ones / zero).numpy()
        with tf.contrib.eager.errstate(inf_or_nan=tfe.ExecutionCallback.RAISE):
            met.append(raised(Exception, lambda: ones / zero))
        kinds += [tf.contrib.eager.seterr()["inf_or_nan"].name, raised(ValueError, tfe.seterr, "shout")]
        tf.contrib.eager.add_execution_callback(tf.contrib.eager.inf_callback)
        met += [raised(Exception, lambda: ones / zero), raised(Exception, lambda: tf.log(-ones))]
        tf.contrib.eager.clear_execution_callbacks()
        tf.contrib.eager.add_execution_callback(tf.contrib.eager.nan_callback)
        met += [raised(Exception, lambda: ones / zero), raised(Exception, lambda: tf.log(-ones))]
        tf.contrib.eager.clear_execution_callbacks()
        tf.contrib.eager.add_execution_callback(note)
        tf.contrib.eager.add_execution_callback(tf.contrib.eager.inf_nan_callback)
        ones + ones
        met += [raised(Exception, lambda: ones / zero)]
        with tf.Graph().as_default():
            tf.constant(1.0) / tf.constant(0.0)
        tf.contrib.eager.clear_execution_callbacks()
        ones - ones
    return {"kinds": [str(kind) for kind in kinds], "raised": met, "quiet": quiet, "seen": seen}
