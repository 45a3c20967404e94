"""Programs that use tf.contrib.training."""

import tempfile

import numpy as np

from tests.v1.contrib.raising import raised
from tests.v1.contrib.values import numbers


def _queued(tf, fetches, steps):
    """Returns a function that returns the batches of queues, step by step, and "end" if the queues are closed."""

    def run(sess):
        coordinator, batches = tf.train.Coordinator(), []
        threads = tf.train.start_queue_runners(sess, coordinator)
        for _ in range(steps):
            try:
                batches.append(sess.run(fetches))
            except tf.errors.OutOfRangeError:
                batches.append("end")
        coordinator.request_stop()
        coordinator.join(threads, stop_grace_period_secs=10, ignore_live_threads=True)
        return batches

    return run


def hyperparameters(tf):
    params = tf.contrib.training.HParams(rate=0.1, units=[64, 32], name="net", deep=True, steps=5, none=None)
    params.parse("rate=1,units=[1,2,3],name=a b,deep=false").set_hparam("steps", 7)
    params.add_hparam("more", ("x", "y"))
    params.del_hparam("none")
    params.set_model_structure("wide")
    hparams = tf.contrib.training.HParams
    kept = hparams(rate=0.5, units=[64, 32], name="net", names=["a"], deep=True, no=[False])
    return {
        "values": params.values(),
        "json": [params.to_json(sort_keys=True), hparams().parse_json("{}").to_json(indent=1)],
        "text": [repr(params), str(hparams(a=1)), params.get_model_structure()],
        "get": [params.get("rate"), params.get("rate", 2), params.get("absent", 3), "rate" in params, "none" in params],
        "copy": hparams.from_proto(kept.to_proto()).values(),
        "rounded": hparams(rate=1).set_from_map({"rate": 2}).values(),
        "overridden": hparams(rate=1.0).override_from_dict({"rate": 2}).values(),
        "errors": [
            raised(Exception, params.parse, "units=1"),
            raised(Exception, params.parse, "rate=[1]"),
            raised(Exception, params.parse, "absent=1"),
            raised(Exception, params.parse, "steps=1.5"),
            raised(Exception, params.set_hparam, "steps", 1.5),
            raised(Exception, params.set_hparam, "deep", 1),
            raised(Exception, params.set_hparam, "name", 1),
            raised(Exception, params.set_hparam, "absent", 1),
            raised(Exception, params.get, "units", 1),
            raised(Exception, params.add_hparam, "parse", 1),
            raised(Exception, params.add_hparam, "empty", []),
            raised(Exception, hparams(x=1j).to_proto),
        ],
    }


def hyperparameters_as_bytes(tf):
    message = tf.contrib.training.HParams(rate=0.5, units=[64, -3], deep=[True, False]).to_proto()
    proto = tf.contrib.training.HParams(name="n\u00e9t").to_proto()
    tf.add_to_collection("hparams", tf.contrib.training.HParams(kept=3))
    exported = tf.train.export_meta_graph().collection_def["hparams"]
    return [
        str(proto.SerializeToString()),
        message.hparam["units"].WhichOneof("kind"),
        list(message.hparam["units"].int64_list.value),
        message.hparam["rate"].float_value,
        exported.WhichOneof("kind"),
        str(exported.bytes_list.value[0]),
    ]


def parse_values(tf):
    def read(text, **types):
        return tf.contrib.training.parse_values(text, types)

    bools = [read("b=" + text, b=bool)["b"] for text in ("true", "True", "1", "0", "2", "false")]
    bad = ["a=1,a=2", "a=[1],a[0]=1", "a[0]=1,a=[1]", "a[0]=1,a[0]=1", "a[1]=[1]", "a", "a=x", "a=1;", "1a=1", "b=1"]
    return {
        "bools": bools,
        "all": read("a=1, b=[1.5,2.5],c.d=x y,e[2]=7,e[0] = 8", a=int, b=float, **{"c.d": str, "e": int}),
        "empty": [read("a=", a=str), read("a=[]", a=int), read("", a=int)],
        "unknown": tf.contrib.training.parse_values("x=3,a=1", {"a": int}, ignore_unknown=True),
        "errors": [raised(Exception, read, text, a=int) for text in bad],
    }


def _loss(tf):
    weights = tf.get_variable("weights", [3, 2])
    bias = tf.get_variable("bias", [2], initializer=tf.zeros_initializer())
    table = tf.get_variable("table", [4, 2])
    rows = tf.nn.embedding_lookup(table, [1, 3, 1])
    return tf.reduce_mean(tf.square(tf.matmul(tf.constant(numbers(3, 3)), weights) + bias + rows))


def _steps(tf, train_op):
    def run(sess):
        losses = [sess.run(train_op) for _ in range(3)]
        return [losses, sess.run({variable.op.name: variable for variable in tf.global_variables()})]

    return run


def train_op(tf):
    moving = tf.get_variable("moving", [], initializer=tf.zeros_initializer(), trainable=False)
    tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, tf.assign_add(moving, 1.0))
    return _steps(
        tf,
        tf.contrib.training.create_train_op(
            _loss(tf),
            tf.train.MomentumOptimizer(0.5, 0.9),
            transform_grads_fn=tf.contrib.training.clip_gradient_norms_fn(0.1),
            summarize_gradients=True,
        ),
    )


def train_op_of_some_variables(tf):
    loss = _loss(tf)
    some = [variable for variable in tf.trainable_variables() if variable.op.name != "table"]
    return _steps(
        tf,
        tf.contrib.training.create_train_op(
            loss, tf.train.GradientDescentOptimizer(0.5), None, [], some, check_numerics=False
        ),
    )


def gradients_changed(tf):
    loss = _loss(tf)
    grads = tf.train.GradientDescentOptimizer(1.0).compute_gradients(loss)
    clipped = tf.contrib.training.clip_gradient_norms(grads, 0.05)
    bias = next(variable for variable in tf.trainable_variables() if variable.op.name == "bias")
    multiplied = tf.contrib.training.multiply_gradients(grads, {"weights": 2.0, bias: tf.constant(0.5), "table": 3})
    unused = tf.get_variable("unused", [2])
    summaries = tf.contrib.training.add_gradients_summaries([*grads, (None, unused)])
    multiply = tf.contrib.training.multiply_gradients
    return {
        "clipped": [grad for grad, _ in clipped],
        "multiplied": [grad for grad, _ in multiplied],
        "summaries": [summary.op.name for summary in summaries],
        "errors": [
            raised(Exception, multiply, tuple(grads), {"weights": 1.0}),
            raised(Exception, multiply, grads, {}),
            raised(Exception, multiply, grads, ["weights"]),
            raised(Exception, multiply, [(None, unused)], {"unused": 1.0}),
        ],
    }


def training_loop(tf):
    train_op = tf.contrib.training.create_train_op(_loss(tf), tf.train.GradientDescentOptimizer(0.1))
    folder = tempfile.mkdtemp()

    def run(sess):
        start = sess.run({variable.op.name: variable for variable in tf.trainable_variables()})
        scaffold = tf.train.Scaffold(
            init_fn=lambda _, session: [
                variable.load(start[variable.op.name], session) for variable in tf.trainable_variables()
            ]
        )
        loss = tf.contrib.training.train(train_op, folder, scaffold=scaffold, hooks=[tf.train.StopAtStepHook(3)])
        saved = tf.train.latest_checkpoint(folder).rpartition("/")[2]
        train = tf.contrib.training.train
        return [
            loss,
            saved,
            raised(Exception, train, train_op, None),
            raised(Exception, train, train_op, None, save_summaries_steps=0),
        ]

    return run


def _checkpoints(tf, folder, *values):
    """Saves a checkpoint of a variable with each of the values, and yields its path."""
    with tf.Graph().as_default(), tf.Session() as sess:
        tf.train.create_global_step()
        variable = tf.get_variable("variable", [])
        saver = tf.train.Saver()
        for step, value in enumerate(values):
            sess.run(tf.global_variables_initializer())
            variable.load(value, sess)
            yield saver.save(sess, folder + "/model", step)


def evaluation_of_a_checkpoint(tf):
    folder = tempfile.mkdtemp()
    (path,) = _checkpoints(tf, folder, 3.0)
    tf.train.create_global_step()
    variable = tf.get_variable("variable", [])
    count = tf.get_variable("count", [], initializer=tf.zeros_initializer(), collections=[tf.GraphKeys.LOCAL_VARIABLES])
    tf.summary.scalar("seen", variable)

    def run(_):
        hooks = [tf.contrib.training.StopAfterNEvalsHook(4), tf.contrib.training.SummaryAtEndHook(folder)]
        results = tf.contrib.training.evaluate_once(
            path, eval_ops=tf.assign_add(count, variable), final_ops={"count": count}, hooks=hooks
        )
        events = [
            event for event in tf.train.summary_iterator(tf.gfile.Glob(folder + "/events*")[0]) if event.summary.value
        ]
        return [results, [event.summary.value[0].simple_value for event in events]]

    return run


def evaluation_of_each_checkpoint(tf):
    folder = tempfile.mkdtemp()
    paths = list(_checkpoints(tf, folder, 3.0, 5.0))
    tf.train.create_global_step()
    variable = tf.get_variable("variable", [])
    count = tf.get_variable("count", [], initializer=tf.zeros_initializer(), collections=[tf.GraphKeys.LOCAL_VARIABLES])

    def run(_):
        results = tf.contrib.training.evaluate_repeatedly(
            folder,
            eval_ops=[tf.assign_add(count, variable)],
            final_ops=count,
            hooks=[tf.contrib.training.StopAfterNEvalsHook(2)],
            eval_interval_secs=0,
            max_number_of_evaluations=1,
        )
        wait = tf.contrib.training.wait_for_new_checkpoint
        waited = [wait(folder), wait(folder, paths[1], seconds_to_sleep=0, timeout=0), wait(folder, paths[0])]
        return [results, [path and path.rpartition("/")[2] for path in waited]]

    return run


def evaluation_step(tf):
    step = tf.contrib.training.get_or_create_eval_step()
    assert tf.contrib.training.get_or_create_eval_step() is step
    return [step.op.name, raised(Exception, tf.contrib.training.SummaryAtEndHook)]


def bucket_batches(tf):
    number = tf.train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
    which, batch = tf.contrib.training.bucket(
        {"number": number, "half": number / 2}, number % 2, batch_size=2, num_buckets=2, allow_smaller_final_batch=True
    )

    def run(sess):
        batches = _queued(tf, [which, batch["number"], batch["half"]], 4)(sess)
        return sorted([np.asarray(part).tolist() for part in parts] for parts in batches)

    return run


def bucket_by_sequence_length(tf):
    length = tf.train.input_producer(np.array([1, 5, 2, 6], np.int32), num_epochs=1, shuffle=False).dequeue()
    lengths, [rows] = tf.contrib.training.bucket_by_sequence_length(
        length, [tf.fill([length], length)], 2, [4], dynamic_pad=True, bucket_capacities=[4, 5]
    )
    bucket = tf.contrib.training.bucket_by_sequence_length
    errors = [
        raised(Exception, bucket, length, [length], 2, 4),
        raised(Exception, bucket, length, [length], 2, []),
        raised(Exception, bucket, length, [length], 2, [1.5, 2]),
        raised(Exception, bucket, length, [length], 2, [2, 2]),
        raised(Exception, bucket, length, [length], [2], [2]),
        raised(Exception, bucket, length, [length], 2, [2], bucket_capacities=[1]),
        raised(Exception, tf.contrib.training.bucket, [], 0, 1, 1),
    ]

    def run(sess):
        batches = sorted([part.tolist() for part in parts] for parts in _queued(tf, [lengths, rows], 2)(sess))
        return [batches, rows.shape.as_list(), errors]

    return run


def feeding_queue_runner(tf):
    queue, ahead = tf.FIFOQueue(4, tf.float32, shapes=[[]]), iter([1.0, 2.0, 3.0])
    value = tf.placeholder(tf.float32, [])

    def feed():
        number = next(ahead, None)
        if number is None:
            raise tf.errors.OutOfRangeError(None, None, "no more")
        return {value: number}

    make = tf.contrib.training.FeedingQueueRunner
    runner = make(queue, [queue.enqueue(value)], feed_fns=[feed])
    tf.train.add_queue_runner(runner, collection="runners")
    next_value = queue.dequeue()
    errors = [raised(Exception, make, queue, [queue.enqueue(value)], feed_fns=[]), raised(Exception, runner.to_proto)]

    def run(sess):
        coordinator = tf.train.Coordinator()
        threads = runner.create_threads(sess, coordinator, daemon=True, start=True)
        values = [sess.run(next_value) for _ in range(3)]
        end = raised(Exception, sess.run, next_value)
        again = runner.create_threads(sess, coordinator)
        coordinator.request_stop()
        coordinator.join(threads)
        return [values, end, len(threads), len(again), errors]

    return run


def resample_at_rate(tf):
    rows = tf.constant(numbers(3, 2))
    chosen, rate = tf.contrib.training.resample_at_rate([rows, tf.range(3)], [0.0, 0.0, 0.0]), tf.shape(rows)
    many = tf.contrib.training.resample_at_rate([tf.range(3)], [0.0, 1000.0, 0.0], seed=3)[0]
    return [chosen, rate, tf.reduce_min(many), tf.reduce_max(many), tf.greater(tf.size(many), 700)]


def weighted_resample(tf):
    weights = tf.constant([0.0, 3000.0, 0.0])
    [chosen], rates = tf.contrib.training.weighted_resample([tf.range(3)], weights, 1.0, mean_decay=0.0, seed=3)
    return lambda sess: [sorted(set(part.tolist())) for part in sess.run([chosen, rates])]


def rejection_sample(tf):
    kept = tf.contrib.training.rejection_sample(
        [tf.range(8), tf.constant(numbers(8, 2))],
        lambda parts: tf.cast(parts[0] > 3, tf.float32),
        4,
        enqueue_many=True,
        runtime_checks=True,
    )
    return _queued(tf, kept, 2)


def stratified_sample(tf):
    [rows], labels = tf.contrib.training.stratified_sample(
        [tf.constant(numbers(4, 2))], tf.constant([0, 1, 0, 1]), [0.5, 0.5], 4, init_probs=[0.5, 0.5], enqueue_many=True
    )
    return _queued(tf, [rows, labels], 2)


def stratified_sample_with_counted_classes(tf):
    [row], labels = tf.contrib.training.stratified_sample([tf.constant(2.0)], tf.constant(1), [0.0, 1.0], 3)
    sample = tf.contrib.training.stratified_sample
    errors = [
        raised(
            Exception, sample, [tf.zeros([3])], tf.zeros([2], tf.int32), [0.5, 0.5], 2, [0.5, 0.5], enqueue_many=True
        ),
        raised(Exception, sample, [tf.zeros([2])], tf.zeros([2], tf.int32), [0.5, 0.5], 2, [1.0], enqueue_many=True),
    ]
    return lambda sess: [_queued(tf, [row, labels], 1)(sess), errors]


def batch_sequences_with_states(tf):
    sparse = tf.SparseTensor([[0, 0], [4, 1]], [7, 8], [5, 3])
    batch = tf.contrib.training.batch_sequences_with_states(
        "key",
        {"rows": tf.constant(numbers(5, 2)), "sparse": sparse},
        {"all": tf.constant([1, 2]), "few": tf.SparseTensor([[1]], [9], [2])},
        None,
        {"sum": tf.zeros([2])},
        num_unroll=3,
        batch_size=1,
        num_threads=1,
        capacity=1,
    )
    summed = tf.reduce_sum(batch.sequences["rows"], 1) + batch.state("sum")
    save = batch.save_state("sum", summed)
    about = {name: getattr(batch, name) for name in ("key", "next_key", "length", "total_length", "batch_size")}
    about.update({name: getattr(batch, name) for name in ("sequence", "sequence_count")})
    dense = [batch.sequences["rows"], batch.context["all"]]
    parts = [batch.sequences["sparse"], batch.context["few"]]
    # The op that fills the queue runs once, since a queue runner would enqueue the same key again.
    (put_in,) = [op for op in tf.get_default_graph().get_operations() if op.name.endswith("StateSaverPrefetchGroup")]

    def run(sess):
        fetches = [about, dense, [tf.sparse_tensor_to_dense(part) for part in parts], summed, save]
        sess.run(put_in)
        return [sess.run(fetches)[:-1] for _ in range(2)]

    return run


def sequence_queueing_state_saver(tf):
    make = tf.contrib.training.SequenceQueueingStateSaver
    arguments = {"input_length": 3, "input_key": "k", "input_context": {}, "initial_states": {"state": tf.zeros([])}}
    rows = {"rows": tf.constant(numbers(4, 1))}
    saver = make(1, 2, input_sequences=rows, capacity=4, name="saver", **arguments)
    batch = saver.next_batch
    errors = [
        raised(Exception, make, 2, 2, input_sequences=rows, capacity=1, **arguments),
        raised(Exception, make, 2, 2, input_sequences={}, **arguments),
        raised(Exception, make, 2, 2, input_sequences=[1], **arguments),
        raised(Exception, make, 2, 2, input_sequences={"a:b": 1}, **arguments),
        raised(Exception, make, 2, 2, input_sequences=rows, **dict(arguments, initial_states={})),
        raised(Exception, make, 2, 2, input_sequences=rows, **dict(arguments, initial_states={1: 0.0})),
        raised(Exception, make, 2, 2, input_sequences=rows, **dict(arguments, input_length=3.5)),
        raised(Exception, make, 2, 2, input_sequences=rows, **dict(arguments, input_key=1)),
        raised(Exception, batch.save_state, "other", 1.0),
        raised(Exception, batch.save_state, "state", tf.zeros([2, 2])),
    ]
    saved = batch.save_state("state", tf.cast(batch.sequence, tf.float32))
    is_of_class = issubclass(type(batch), tf.contrib.training.NextQueuedSequenceBatch)

    def run(sess):
        sess.run(saver.prefetch_op)
        keys = [sess.run([batch.key, saved])[0] for _ in range(2)]
        sess.run(saver.close())
        facts = [saver.name, saver.num_unroll, saver.batch_size, is_of_class, saver.next_batch is batch]
        return [facts, errors, keys, raised(Exception, sess.run, batch.key)]

    return run


def parameter_server_strategies(tf):
    def placed(strategy):
        with tf.Graph().as_default(), tf.device(tf.train.replica_device_setter(3, ps_strategy=strategy)):
            variables = [tf.Variable(tf.zeros([size]), name="v%d" % size) for size in (5, 3, 1, 1, 4)]
            return [variable.device for variable in [*variables, tf.Variable(1.0)]]

    byte_size = tf.contrib.training.byte_size_load_fn
    return [
        placed(tf.contrib.training.RandomStrategy(3, seed=2)),
        placed(tf.contrib.training.GreedyLoadBalancingStrategy(3, byte_size)),
        byte_size(tf.zeros([2, 3], tf.float64).op),
        raised(Exception, byte_size, tf.split(tf.zeros([2]), 2)[0].op),
        raised(Exception, byte_size, tf.group(tf.zeros([2]))),
    ]


def tuner(tf):
    from importlib import import_module

    tuner_class = import_module(tf.contrib.__name__ + ".training.python.training.tuner").Tuner
    return [sorted(tuner_class.__abstractmethods__), raised(Exception, tuner_class)]
