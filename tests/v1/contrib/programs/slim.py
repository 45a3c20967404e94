"""Programs that use tf.contrib.slim's training loops, data sets and nets; layers.py has programs of its layers."""

import contextlib
import hashlib
import io
import json
import tempfile
from importlib import import_module

import numpy as np

from tests.v1.contrib.raising import raised
from tests.v1.contrib.values import numbers


def _loss(tf):
    weights = tf.get_variable("weights", [3, 2])
    bias = tf.get_variable("bias", [2], initializer=tf.zeros_initializer())
    return tf.reduce_mean(tf.square(tf.matmul(tf.constant(numbers(3, 3)), weights) + bias))


def train_op(tf):
    moving = tf.get_variable("moving", [], initializer=tf.zeros_initializer(), trainable=False)
    tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, tf.assign_add(moving, 1.0))
    train_op = tf.contrib.slim.learning.create_train_op(
        _loss(tf),
        tf.train.GradientDescentOptimizer(0.5),
        clip_gradient_norm=0.1,
        gradient_multipliers={"weights": 2.0},
        summarize_gradients=True,
    )

    def run(sess):
        losses = [tf.contrib.slim.learning.train_step(sess, train_op, tf.train.get_global_step(), {}) for _ in range(3)]
        return [losses, sess.run({variable.op.name: variable for variable in tf.global_variables()})]

    return run


def gradients_changed(tf):
    grads = tf.train.GradientDescentOptimizer(1.0).compute_gradients(_loss(tf))
    learning = tf.contrib.slim.learning
    summaries = tf.contrib.slim.learning.add_gradients_summaries(grads)
    return {
        "clipped": [grad for grad, _ in tf.contrib.slim.learning.clip_gradient_norms(grads, 0.05)],
        "multiplied": [
            grad for grad, _ in tf.contrib.slim.learning.multiply_gradients(grads, {"weights": tf.constant(0.5)})
        ],
        "summaries": [summary.op.name for summary in summaries],
        "errors": [raised(Exception, learning.multiply_gradients, grads, {})],
    }


def training_loop(tf):
    train_op = tf.contrib.slim.learning.create_train_op(_loss(tf), tf.train.GradientDescentOptimizer(0.1))
    folder, seen = tempfile.mkdtemp(), []

    def run(sess):
        start = sess.run({variable.op.name: variable for variable in tf.trainable_variables()})

        def init_fn(session):
            for variable in tf.trainable_variables():
                variable.load(start[variable.op.name], session)

        loss = tf.contrib.slim.learning.train(
            train_op,
            folder,
            number_of_steps=3,
            init_fn=init_fn,
            trace_every_n_steps=2,
            session_wrapper=lambda session: seen.append(1) or session,
        )
        # A thread of the supervisor saves once near the start, at a step that varies, also on TensorFlow 1.15.5.
        raced = ("events", "model.ckpt-0", "model.ckpt-1", "model.ckpt-2")
        files = sorted(name for name in tf.gfile.ListDirectory(folder) if not name.startswith(raced))
        train = tf.contrib.slim.learning.train
        errors = [
            raised(Exception, train, None, folder),
            raised(Exception, train, train_op, None, number_of_steps=0),
            raised(Exception, train, train_op, None, trace_every_n_steps=1),
            raised(Exception, train, train_op, None, saver=tf.train.Saver),
            raised(Exception, train, train_op, None, summary_op=None),
        ]
        return [loss, files, seen, errors]

    return run


def training_loop_without_a_folder(tf):
    train_op = tf.contrib.slim.learning.create_train_op(_loss(tf), tf.train.GradientDescentOptimizer(0.1))
    counted = []

    def step(sess, train_op, global_step, kwargs):
        counted.append(int(sess.run([train_op, global_step])[1]))
        return 1.5, counted[-1] == 4

    return lambda _: [
        tf.contrib.slim.learning.train(train_op, None, train_step_fn=step, train_step_kwargs={}, summary_writer=None),
        counted,
    ]


def sync_replicas_training(tf):
    optimizer = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(0.1), 1)
    train_op = tf.contrib.slim.learning.create_train_op(_loss(tf), optimizer)
    train = tf.contrib.slim.learning.train
    delayed = raised(Exception, train, train_op, None, sync_optimizer=optimizer, startup_delay_steps=1)
    return [train_op.shape.as_list(), delayed, raised(Exception, train, train_op, None, sync_optimizer=[1])]


def _checkpoint(tf, folder):
    with tf.Graph().as_default(), tf.Session() as sess:
        tf.train.create_global_step()
        variable = tf.get_variable("variable", [])
        sess.run(tf.global_variables_initializer())
        variable.load(3.0, sess)
        return tf.train.Saver().save(sess, folder + "/model", 7)


def _counted(tf):
    """Returns a counter, and the op that adds `variable` to it, which is 3 in the checkpoint."""
    tf.train.create_global_step()
    variable = tf.get_variable("variable", [])
    tf.summary.scalar("seen", variable)
    count = tf.get_variable("count", [], initializer=tf.zeros_initializer(), collections=[tf.GraphKeys.LOCAL_VARIABLES])
    return count, tf.assign_add(count, variable)


def _summaries(tf, folder):
    (file,) = tf.gfile.Glob(folder + "/events*")
    return [value.simple_value for event in tf.train.summary_iterator(file) for value in event.summary.value]


def evaluation_of_a_checkpoint(tf):
    folder = tempfile.mkdtemp()
    path = _checkpoint(tf, folder)
    count, more = _counted(tf)
    return lambda _: [
        tf.contrib.slim.evaluation.evaluate_once("", path, folder, num_evals=3, eval_op=more, final_op=[count]),
        _summaries(tf, folder),
    ]


def evaluation_of_each_checkpoint(tf):
    folder = tempfile.mkdtemp()
    path = _checkpoint(tf, folder)
    count, more = _counted(tf)

    def run(_):
        results = tf.contrib.slim.evaluation.evaluation_loop(
            "", folder, folder, num_evals=2, eval_op=more, final_op=count, summary_op=None,
            variables_to_restore=tf.global_variables(), eval_interval_secs=0, max_number_of_evaluations=1,
        )  # fmt: skip
        waited = tf.contrib.slim.evaluation.wait_for_new_checkpoint(folder) == path
        listed = list(tf.contrib.slim.evaluation.checkpoints_iterator(folder, timeout=0)) == [path]
        return [results, waited, listed]

    return run


def model_analyzer(tf):
    weights = tf.get_variable("weights", [3, 5])
    counts = tf.get_variable("counts", [2], tf.int64, initializer=tf.zeros_initializer())
    tf.matmul(tf.placeholder(tf.float32, [None, 3], name="x"), weights, name="y")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        sizes = tf.contrib.slim.model_analyzer.analyze_vars([weights, counts], print_info=True)
    with contextlib.redirect_stdout(io.StringIO()):
        ops_size = tf.contrib.slim.model_analyzer.analyze_ops(tf.get_default_graph(), print_info=True)
    return [sizes, printed.getvalue(), tf.contrib.slim.model_analyzer.tensor_description(weights), ops_size > 0]


def summaries(tf):
    scalar, images = tf.constant(2.0, name="scalar"), tf.constant(numbers(1, 2, 2, 3), name="images")
    summaries = [
        tf.contrib.slim.summaries.add_histogram_summary(scalar, prefix="p"),
        tf.contrib.slim.summaries.add_image_summary(images, "named"),
        tf.contrib.slim.summaries.add_scalar_summary(scalar, print_summary=True),
        tf.contrib.slim.summaries.add_zero_fraction_summary(images, prefix="p"),
        *tf.contrib.slim.summaries.add_histogram_summaries([scalar, images], prefix="q"),
        *tf.contrib.slim.summaries.add_image_summaries([images]),
        *tf.contrib.slim.summaries.add_scalar_summaries([scalar], prefix="q"),
        *tf.contrib.slim.summaries.add_zero_fraction_summaries([scalar, images]),
    ]
    return [summary.op.name for summary in summaries]


def queues(tf):
    queue = tf.FIFOQueue(4, tf.float32, shapes=[[]])
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(2.0)]))
    value = queue.dequeue()

    def run(sess):
        with tf.contrib.slim.queues.QueueRunners(sess):
            nested = raised(Exception, tf.contrib.slim.queues.QueueRunners(sess).__enter__)
            return [sess.run(value), nested, issubclass(tf.contrib.slim.queues.NestedQueueRunnerError, Exception)]

    return run


def prefetch_queue(tf):
    number = tf.train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
    queue = tf.contrib.slim.prefetch_queue.prefetch_queue({"n": number, "half": number / 2}, capacity=3)
    listed = tf.contrib.slim.prefetch_queue.prefetch_queue([tf.ones([2])])
    dequeued, ones = queue.dequeue(), listed.dequeue()

    def run(sess):
        with tf.contrib.slim.queues.QueueRunners(sess):
            return [sess.run([dequeued, ones]) for _ in range(3)]

    return run


def _records(tf, **features):
    """Returns the path of a file of three Examples with these features; floats are multiplied by 1, 2 and 3."""
    path = tempfile.mkdtemp() + "/records"
    with tf.python_io.TFRecordWriter(path) as writer:
        for factor in (1, 2, 3):
            kept = {}
            for name, values in features.items():
                if isinstance(values[0], bytes):
                    kept[name] = tf.train.Feature(bytes_list=tf.train.BytesList(value=values))
                elif isinstance(values[0], int):
                    kept[name] = tf.train.Feature(int64_list=tf.train.Int64List(value=values))
                else:
                    scaled = [value * factor for value in values]
                    kept[name] = tf.train.Feature(float_list=tf.train.FloatList(value=scaled))
            writer.write(tf.train.Example(features=tf.train.Features(feature=kept)).SerializeToString())
    return path


def data_set(tf):
    handlers = {"row": tf.contrib.slim.tfexample_decoder.Tensor("row")}
    decoder = tf.contrib.slim.tfexample_decoder.TFExampleDecoder({"row": tf.FixedLenFeature([2], tf.float32)}, handlers)
    path = _records(tf, row=[1.0, -1.0])
    data = tf.contrib.slim.dataset.Dataset(path, tf.TFRecordReader, decoder, 3, {"row": "two numbers"}, classes=5)
    provider = tf.contrib.slim.dataset_data_provider.DatasetDataProvider(data, num_epochs=1, shuffle=False)
    [row] = provider.get(["row"])
    errors = [
        raised(Exception, provider.get, "row"),
        raised(Exception, provider.get, ["column"]),
        raised(Exception, tf.contrib.slim.dataset_data_provider.DatasetDataProvider, data, record_key="row"),
    ]
    described = [sorted(provider.list_items()), provider.num_samples(), data.classes, data.items_to_descriptions]
    decoded = [
        issubclass(type(provider), tf.contrib.slim.data_provider.DataProvider),
        issubclass(type(decoder), tf.contrib.slim.data_decoder.DataDecoder),
        issubclass(type(handlers["row"]), tf.contrib.slim.tfexample_decoder.ItemHandler),
        sorted(tf.contrib.slim.data_decoder.DataDecoder.__abstractmethods__),
    ]

    def run(sess):
        with tf.contrib.slim.queues.QueueRunners(sess):
            return [[sess.run(row) for _ in range(3)], described, decoded, errors]

    return run


def readers(tf):
    path = _records(tf, row=[1.0])
    _, shuffled = tf.contrib.slim.parallel_reader.parallel_read(path, tf.TFRecordReader, 1, min_after_dequeue=1)
    _, once = tf.contrib.slim.parallel_reader.single_pass_read([path], tf.TFRecordReader)
    common = tf.FIFOQueue(8, [tf.string, tf.string], shapes=[[], []])
    reader = tf.contrib.slim.parallel_reader.ParallelReader(tf.TFRecordReader, common, num_readers=2)
    _, several = reader.read_up_to(tf.train.string_input_producer([path], 1, shuffle=False), 3)
    counts = [reader.num_records_produced(), reader.num_work_units_completed()]
    files = tf.contrib.slim.parallel_reader.get_data_files
    errors = [
        raised(Exception, files, path + "*nothing"),
        raised(
            Exception, tf.contrib.slim.parallel_reader.ParallelReader, tf.TFRecordReader, tf.FIFOQueue(8, [tf.string])
        ),
    ]
    listed = len(tf.contrib.slim.parallel_reader.get_data_files([path, [path + "*"]]))

    def run(sess):
        with tf.contrib.slim.queues.QueueRunners(sess):
            results = [sorted(sess.run(shuffled) for _ in range(3)), [sess.run(once) for _ in range(3)]]
            produced = sess.run(several), sess.run(counts)[0]
        lengths = [[len(record) for record in records] for records in [*results, produced[0]]]
        return [lengths, int(produced[1]), reader.num_readers, listed, errors]

    return run


def _decoded(tf, features, handler, **values):
    decoder = tf.contrib.slim.tfexample_decoder.TFExampleDecoder(features, {"item": handler})
    record = next(iter(tf.python_io.tf_record_iterator(_records(tf, **values))))
    return decoder.decode(tf.constant(record))[0]


def examples_decoded(tf):
    several = tf.VarLenFeature(tf.float32)
    numbers_ = tf.VarLenFeature(tf.int64)
    sparse = _decoded(
        tf,
        {"indices": numbers_, "values": several},
        tf.contrib.slim.tfexample_decoder.SparseTensor(shape=[5]),
        indices=[1, 3],
        values=[0.5, 0.25],
    )
    table = tf.contrib.lookup.index_table_from_tensor(tf.constant(["a", "b"]))
    return {
        "boxes": _decoded(
            tf,
            {"b/" + key: several for key in ("ymin", "xmin", "ymax", "xmax")},
            tf.contrib.slim.tfexample_decoder.BoundingBox(prefix="b/"),
            **{"b/ymin": [0.1, 0.5], "b/xmin": [0.2, 0.6], "b/ymax": [0.3, 0.7], "b/xmax": [0.4, 0.8]},
        ),
        "shaped": _decoded(
            tf,
            {"t": several, "s": numbers_},
            tf.contrib.slim.tfexample_decoder.Tensor("t", shape_keys="s"),
            t=[1.0, 2.0, 3.0, 4.0],
            s=[2, 2],
        ),
        "reshaped": _decoded(
            tf,
            {"t": tf.FixedLenFeature([4], tf.float32)},
            tf.contrib.slim.tfexample_decoder.Tensor("t", shape=[2, 2]),
            t=[1.0, 2.0, 3.0, 4.0],
        ),
        "looked up": _decoded(
            tf,
            {"t": tf.VarLenFeature(tf.string)},
            tf.contrib.slim.tfexample_decoder.LookupTensor("t", table),
            t=[b"b", b"a", b"z"],
        ),
        "backed up": _decoded(
            tf,
            {"one": several, "other": several},
            tf.contrib.slim.tfexample_decoder.BackupHandler(
                tf.contrib.slim.tfexample_decoder.Tensor("one"), tf.contrib.slim.tfexample_decoder.Tensor("other")
            ),
            other=[7.0],
        ),
        "called": _decoded(
            tf,
            {"t": several},
            tf.contrib.slim.tfexample_decoder.ItemHandlerCallback("t", lambda items: items["t"].values * 2),
            t=[1.5],
        ),
        "sparse": sparse,
        "dense": _decoded(
            tf,
            {"indices": numbers_, "values": several, "size": numbers_},
            tf.contrib.slim.tfexample_decoder.SparseTensor(shape_key="size", densify=True, default_value=-1),
            indices=[0, 2],
            values=[0.5, 0.25],
            size=[4],
        ),
    }


def images_decoded(tf):
    features = {"image/encoded": tf.FixedLenFeature((), tf.string), "image/format": tf.FixedLenFeature((), tf.string)}
    pixels = np.arange(24, dtype=np.uint8).reshape(2, 4, 3)
    with tf.Graph().as_default(), tf.Session() as sess:
        png = sess.run(tf.image.encode_png(pixels))
    image = tf.contrib.slim.tfexample_decoder.Image
    return [
        _decoded(tf, features, image(), **{"image/encoded": [png], "image/format": [b"png"]}),
        _decoded(
            tf, features, image(shape=[2, 4, 3]), **{"image/encoded": [pixels.tobytes()], "image/format": [b"raw"]}
        ),
        _decoded(
            tf,
            dict(features, **{"image/encoded": tf.FixedLenFeature([2], tf.string)}),
            image(channels=1, repeated=True, dtype=tf.uint8),
            **{"image/encoded": [png, png], "image/format": [b"png"]},
        ),
    ]


def _digest(value):
    return hashlib.md5(json.dumps(value, sort_keys=True).encode()).hexdigest()


def _built(tf, build, size=None, as_digests=False):
    """Builds a net without running it.

    Returns its logits, end points, variables, layers and collections; as digests, the length and the hash of each list.
    """
    import_module(tf.contrib.slim.__name__ + ".nets")
    with tf.Graph().as_default() as graph:
        images = tf.placeholder(tf.float32, [2, size, size, 3])
        logits, end_points = build(images)
        layers = ("Conv2D", "MaxPool", "AvgPool", "ConcatV2", "Relu", "Softmax", "Squeeze", "DepthwiseConv2dNative")
        facts = {
            "logits": [logits.op.name, logits.shape.as_list()],
            "end points": {name: output.shape.as_list() for name, output in end_points.items()},
            "variables": {variable.op.name: variable.shape.as_list() for variable in tf.global_variables()},
            "layers": [
                [op.name, [str(op.get_attr(key)) for key in ("strides", "padding") if key in op.node_def.attr]]
                for op in graph.get_operations()
                if op.type in layers
            ],
            "regularized": len(tf.losses.get_regularization_losses()),
            "updates": len(tf.get_collection(tf.GraphKeys.UPDATE_OPS)),
        }
    if as_digests:
        return {name: [len(value), _digest(value)] for name, value in facts.items() if isinstance(value, (dict, list))}
    return dict(facts, layers=_digest(facts["layers"]))


def vgg(tf):
    import_module(tf.contrib.slim.__name__ + ".nets")

    def build(net):
        def with_arguments(images):
            with tf.contrib.slim.arg_scope(tf.contrib.slim.nets.vgg.vgg_arg_scope(weight_decay=0.01)):
                return net(images)

        return _built(tf, with_arguments, net.default_image_size, as_digests=net is not tf.contrib.slim.nets.vgg.vgg_16)

    nets = [tf.contrib.slim.nets.vgg.vgg_a, tf.contrib.slim.nets.vgg.vgg_16, tf.contrib.slim.nets.vgg.vgg_19]
    same = [tf.contrib.slim.nets.vgg.vgg_d is nets[1], tf.contrib.slim.nets.vgg.vgg_e is nets[2]]
    wide = _built(tf, lambda images: nets[0](images, 10, spatial_squeeze=False), 256, as_digests=True)
    return [[build(net) for net in nets], same, wide]


def alexnet(tf):
    import_module(tf.contrib.slim.__name__ + ".nets")

    def build(images):
        with tf.contrib.slim.arg_scope(tf.contrib.slim.nets.alexnet.alexnet_v2_arg_scope()):
            return tf.contrib.slim.nets.alexnet.alexnet_v2(images, is_training=False)

    return _built(tf, build, 224)


def overfeat(tf):
    import_module(tf.contrib.slim.__name__ + ".nets")

    def build(images):
        with tf.contrib.slim.arg_scope(tf.contrib.slim.nets.overfeat.overfeat_arg_scope()):
            return tf.contrib.slim.nets.overfeat.overfeat(images, num_classes=20)

    return _built(tf, build, 231)


def resnets(tf):
    import_module(tf.contrib.slim.__name__ + ".nets")

    def build(images):
        with tf.contrib.slim.arg_scope(tf.contrib.slim.nets.resnet_utils.resnet_arg_scope()):
            return tf.contrib.slim.nets.resnet_v1.resnet_v1_50(images, 10, output_stride=8, global_pool=False)

    plain = _built(tf, tf.contrib.slim.nets.resnet_v1.resnet_v1_101, 64, as_digests=True)
    return [_built(tf, build, 64, as_digests=True), plain]


def larger_resnets(tf):
    """Returns the errors for a wrong stride alone, since these nets take long to build."""
    import_module(tf.contrib.slim.__name__ + ".nets")
    nets = [
        tf.contrib.slim.nets.resnet_v1.resnet_v1_152,
        tf.contrib.slim.nets.resnet_v1.resnet_v1_200,
        tf.contrib.slim.nets.resnet_v2.resnet_v2_50,
        tf.contrib.slim.nets.resnet_v2.resnet_v2_101,
        tf.contrib.slim.nets.resnet_v2.resnet_v2_152,
        tf.contrib.slim.nets.resnet_v2.resnet_v2_200,
    ]
    return [raised(Exception, net, tf.zeros([1, 32, 32, 3]), output_stride=3, scope="net") for net in nets]


def _outputs_of_small_net(tf, build, size):
    """Returns a function that runs a net of few channels, and returns logits and the means of its end points.

    It computes no gradients, which would take long: the programs of its layers compute them.
    """
    logits, end_points = build(tf.constant(numbers(2, size, size, 3)))
    means = {name: tf.reduce_mean(tf.abs(output)) for name, output in end_points.items()}
    return lambda sess: sess.run([logits, means])


def small_resnet_v1(tf):
    import_module(tf.contrib.slim.__name__ + ".nets")
    block = tf.contrib.slim.nets.resnet_v1.resnet_v1_block
    blocks = [
        block("block1", base_depth=2, num_units=2, stride=2),
        block("block2", base_depth=4, num_units=2, stride=2),
    ]

    def build(images):
        with tf.contrib.slim.arg_scope(tf.contrib.slim.nets.resnet_v1.resnet_arg_scope(batch_norm_decay=0.9)):
            return tf.contrib.slim.nets.resnet_v1.resnet_v1(images, blocks, 3, output_stride=8, is_training=False)

    return _outputs_of_small_net(tf, build, 33)


def small_resnet_v2(tf):
    import_module(tf.contrib.slim.__name__ + ".nets")
    block = tf.contrib.slim.nets.resnet_v2.resnet_v2_block
    blocks = [
        block("block1", base_depth=2, num_units=2, stride=2),
        block("block2", base_depth=4, num_units=1, stride=1),
    ]

    def build(images):
        with tf.contrib.slim.arg_scope(tf.contrib.slim.nets.resnet_v2.resnet_arg_scope()):
            return tf.contrib.slim.nets.resnet_v2.resnet_v2(images, blocks, None, include_root_block=False)

    return _outputs_of_small_net(tf, build, 9)


def parts_of_resnets(tf):
    import_module(tf.contrib.slim.__name__ + ".nets")
    images = tf.constant(numbers(1, 7, 7, 4))
    block = tf.contrib.slim.nets.resnet_utils.Block(
        "block", tf.contrib.slim.nets.resnet_v1.bottleneck, [{"depth": 4, "depth_bottleneck": 2, "stride": 2}] * 2
    )
    stacked = tf.contrib.slim.nets.resnet_utils.stack_blocks_dense
    return [
        tf.contrib.slim.nets.resnet_utils.subsample(images, 2),
        tf.contrib.slim.nets.resnet_utils.conv2d_same(images, 3, 3, 2, scope="same"),
        tf.contrib.slim.nets.resnet_v1.bottleneck(images, 4, 2, 1, rate=2, outputs_collections="found"),
        tf.contrib.slim.nets.resnet_v2.bottleneck(images, 6, 2, 2, scope="named"),
        tf.contrib.slim.nets.resnet_utils.stack_blocks_dense(images, [block], output_stride=2),
        raised(Exception, stacked, images, [block._replace(scope="again")], output_stride=8),
    ]


def small_inception_v1(tf):
    import_module(tf.contrib.slim.__name__ + ".nets")

    def build(images):
        with tf.contrib.slim.arg_scope(tf.contrib.slim.nets.inception.inception_v1_arg_scope()):
            return tf.contrib.slim.nets.inception.inception_v1_base(images, "Mixed_3b")

    return _outputs_of_small_net(tf, build, 16)


def inception_v1(tf):
    import_module(tf.contrib.slim.__name__ + ".nets")
    unknown = raised(
        Exception, tf.contrib.slim.nets.inception.inception_v1_base, tf.zeros([1, 8, 8, 3]), "Conv2d_9", "unknown"
    )
    return [unknown, _built(tf, lambda images: tf.contrib.slim.nets.inception.inception_v1(images, 10), 224)]


def small_inception_v2(tf):
    import_module(tf.contrib.slim.__name__ + ".nets")

    def build(images):
        with tf.contrib.slim.arg_scope(tf.contrib.slim.nets.inception.inception_v2_arg_scope()):
            return tf.contrib.slim.nets.inception.inception_v2(
                images, 5, is_training=False, min_depth=4, depth_multiplier=0.02
            )

    base = tf.contrib.slim.nets.inception.inception_v2_base
    assert raised(Exception, base, tf.zeros([1, 8, 8, 3]), depth_multiplier=0) == "ValueError"
    return _outputs_of_small_net(tf, build, 48)


def small_inception_v3(tf):
    import_module(tf.contrib.slim.__name__ + ".nets")

    def build(images):
        with tf.contrib.slim.arg_scope(tf.contrib.slim.nets.inception.inception_v3_arg_scope()):
            return tf.contrib.slim.nets.inception.inception_v3(
                images, 5, is_training=False, min_depth=4, depth_multiplier=0.02
            )

    base = tf.contrib.slim.nets.inception.inception_v3_base
    assert raised(Exception, base, tf.zeros([1, 8, 8, 3]), depth_multiplier=0) == "ValueError"
    return _outputs_of_small_net(tf, build, 107)


def names_of_layers_and_framework(tf):
    x = tf.constant(numbers(2, 4, 4, 3))
    with tf.contrib.slim.arg_scope([tf.contrib.slim.conv2d], weights_regularizer=tf.contrib.slim.l2_regularizer(0.1)):
        net = tf.contrib.slim.conv2d(x, 2, [3, 3], scope="conv", normalizer_fn=tf.contrib.slim.batch_norm)
    net = tf.contrib.slim.fully_connected(tf.contrib.slim.flatten(net), 3)
    names = [variable.op.name for variable in tf.contrib.slim.get_model_variables()]
    same = [tf.contrib.slim.losses is tf.contrib.losses, tf.contrib.slim.metrics is tf.contrib.metrics]
    return [net, names, same, tf.contrib.slim.get_or_create_global_step().op.name]


def initializers_and_regularizers(tf):
    slim = tf.contrib.slim
    options = {
        "weights_initializer": slim.initializers.xavier_initializer(),
        "weights_regularizer": slim.regularizers.l2_regularizer(0.1),
        "outputs_collections": "ends",
    }
    net = slim.conv2d(tf.constant(numbers(2, 4, 4, 3)), 2, [3, 3], scope="conv", **options)
    return [net, slim.utils.convert_collection_to_dict("ends"), slim.utils.last_dimension(net.shape)]


def supervisor_of_learning(tf):
    module = tf.contrib.slim.learning.supervisor
    with tf.Graph().as_default():  # a Supervisor finalizes its graph
        variable = tf.get_variable("v", initializer=[1.0, 2.0])
        supervisor = module.Supervisor(logdir=None, summary_op=None)
        with supervisor.managed_session() as sess:
            values = sess.run(variable).tolist()
    return [isinstance(supervisor, tf.train.Supervisor), module.Supervisor.__name__, values]
