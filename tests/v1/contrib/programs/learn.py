"""Programs that use tf.contrib.learn."""

import contextlib
import functools
import glob
import gzip
import io
import os
import struct
import tempfile
from importlib import import_module

import numpy as np

from tests.v1.contrib.raising import raised
from tests.v1.contrib.values import numbers


@contextlib.contextmanager
def _silence(tf):
    """Silences TensorFlow's log and standard output during a `with` block; yields a temporary folder."""
    before = tf.logging.get_verbosity()
    tf.logging.set_verbosity(tf.logging.FATAL)
    try:
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
            yield folder
    finally:
        tf.logging.set_verbosity(before)


X, Y = numbers(12, 3), numbers(12, seed=1)


def _model_fn(tf, features, labels, mode, params, config):
    """Builds a linear regression, whose weights are all 0.5 at first."""
    x = tf.cast(features["x"] if isinstance(features, dict) else features, tf.float32)
    weights = tf.get_variable("weights", [3, 1], initializer=tf.constant_initializer(0.5))
    predicted = tf.squeeze(tf.matmul(x, weights), 1)
    loss = train_op = None
    if mode != "infer":
        loss = tf.losses.mean_squared_error(tf.cast(labels, tf.float32), predicted)
        optimizer = tf.train.GradientDescentOptimizer(params["rate"])
        train_op = optimizer.minimize(loss, tf.train.get_global_step())
    return tf.contrib.learn.ModelFnOps(
        mode=mode, predictions={"y": predicted, "twice": predicted * 2}, loss=loss, train_op=train_op
    )


def _estimator(tf, folder, **config):
    run_config = tf.contrib.learn.RunConfig(tf_random_seed=1, save_summary_steps=2, **config)
    model_fn = functools.partial(_model_fn, tf)
    return tf.contrib.learn.Estimator(model_fn, model_dir=folder, config=run_config, params={"rate": 0.1})


def _input_fn(tf):
    return {"x": tf.constant(X)}, tf.constant(Y)


def _served(tf):
    spec = {"x": tf.FixedLenFeature([3], tf.float32)}
    return tf.contrib.learn.utils.build_parsing_serving_input_fn(spec)


def keys(tf):
    modes, problems = tf.contrib.learn.ModeKeys, tf.contrib.learn.ProblemType
    predictions, tasks = tf.contrib.learn.PredictionKey, tf.contrib.learn.TaskType
    return {
        kind.__name__: {name: value for name, value in vars(kind).items() if name.isupper()}
        for kind in (modes, problems, predictions, tasks)
    }


def modes(tf):
    return [
        tf.contrib.learn.ModeKeys.validate("eval"),
        raised(ValueError, tf.contrib.learn.ModeKeys.validate, "predict"),
    ]


def run_config(tf):
    def seen(config):
        return {
            name: getattr(config, name)
            for name in (
                "environment evaluation_master is_chief keep_checkpoint_every_n_hours keep_checkpoint_max "
                "log_step_count_steps master model_dir num_ps_replicas num_worker_replicas save_checkpoints_secs "
                "save_checkpoints_steps save_summary_steps task_id task_type tf_random_seed"
            ).split()
        }

    RunConfig = tf.contrib.learn.RunConfig
    first = RunConfig(model_dir="m", save_checkpoints_steps=7, num_cores=2, gpu_memory_fraction=0.25)
    other = first.replace(tf_random_seed=3)
    cluster = {"ps": ["a:1"], "worker": ["b:1", "c:1"]}
    import json

    os.environ["TF_CONFIG"] = json.dumps({"cluster": cluster, "task": {"type": "worker", "index": 1}})
    try:
        in_cluster = seen(RunConfig())
    finally:
        del os.environ["TF_CONFIG"]
    return {
        "defaults": seen(RunConfig()),
        "first": seen(first),
        "other": seen(other),
        "cluster": in_cluster,
        "memory": round(first.tf_config.gpu_options.per_process_gpu_memory_fraction, 3),
        "threads": first.tf_config.intra_op_parallelism_threads,
        "same": first.uid() == other.uid(),
        "differs": first.uid() == RunConfig(model_dir="n").uid(),
        "is core": isinstance(first, tf.estimator.RunConfig),
    }


def estimator_trains_evaluates_predicts(tf):
    assert issubclass(tf.contrib.learn.Estimator, tf.contrib.learn.BaseEstimator)
    assert issubclass(tf.contrib.learn.BaseEstimator, tf.contrib.learn.Evaluable)
    assert issubclass(tf.contrib.learn.BaseEstimator, tf.contrib.learn.Trainable)
    input_fn = functools.partial(_input_fn, tf)
    spec = tf.contrib.learn.MetricSpec(tf.metrics.mean_absolute_error, prediction_key="y")
    with _silence(tf) as folder:
        estimator = _estimator(tf, folder)
        unfitted = raised(tf.contrib.learn.NotFittedError, estimator.evaluate, input_fn=input_fn, steps=1)
        estimator.fit(input_fn=input_fn, steps=5)
        again = estimator.fit(input_fn=input_fn, max_steps=5)
        evaluated = estimator.evaluate(input_fn=input_fn, steps=2, metrics={"off": spec}, name="here")
        rows = list(estimator.predict(input_fn=input_fn, outputs=["y"]))
        batch = estimator.predict(input_fn=input_fn, as_iterable=False)
        files = sorted({os.path.basename(name).split(".")[0] for name in glob.glob(folder + "/*")})
        return {
            "unfitted": unfitted,
            "same": again is estimator,
            "evaluated": evaluated,
            "rows": rows,
            "batch": batch,
            "weights": estimator.get_variable_value("weights"),
            "names": estimator.get_variable_names(),
            "files": files,
            "params": str(sorted(estimator.get_params())),
            "errors": [
                raised(ValueError, estimator.fit, input_fn=input_fn, steps=1, max_steps=1),
                raised(ValueError, estimator.fit, x=X, input_fn=input_fn),
                raised(ValueError, estimator.evaluate),
                raised(ValueError, estimator.evaluate, input_fn=input_fn, metrics=[spec]),
                raised(ValueError, lambda: list(estimator.predict(input_fn=input_fn, outputs=["z"]))),
            ],
        }


def model_fn_that_returns_a_tuple(tf):
    def model_fn(features, labels):
        ops = _model_fn(tf, features, labels, "train", {"rate": 0.1}, None)
        return ops.predictions["y"], ops.loss, ops.train_op

    with _silence(tf) as folder:
        estimator = tf.contrib.learn.Estimator(model_fn, model_dir=folder)
        estimator.partial_fit(X, Y, steps=2, batch_size=4)
        evaluated = estimator.evaluate(
            X, Y, metrics={"off": lambda predictions, labels: tf.metrics.mean(predictions - labels)}
        )
        return [evaluated, list(estimator.predict(X, batch_size=5))]


def estimators_fit_to_arrays(tf):
    with _silence(tf) as folder:
        wrapped = tf.contrib.learn.SKCompat(_estimator(tf, folder))
        wrapped.fit(X, Y, batch_size=4, steps=7)
        spec = tf.contrib.learn.MetricSpec(tf.metrics.root_mean_squared_error, prediction_key="y")
        return [wrapped.score(X, Y, batch_size=5, metrics={"off": spec}), wrapped.predict(X, batch_size=5)]


def model_fn_ops(tf):
    ops = tf.contrib.learn.ModelFnOps(
        "eval", predictions=tf.ones([2]), loss=tf.ones([1]), output_alternatives={"h": (2, {"scores": tf.ones([2])})}
    )
    spec = ops.estimator_spec()
    make = tf.contrib.learn.ModelFnOps
    return {
        "fields": list(ops._fields),
        "loss": ops.loss,
        "mode": spec.mode,
        "outputs": {key: type(value).__name__ for key, value in spec.export_outputs.items()},
        "errors": [
            raised(ValueError, make, "train", loss=tf.ones([])),
            raised(ValueError, make, "train", train_op=tf.ones([])),
            raised(ValueError, make, "infer"),
            raised(ValueError, make, "eval", predictions=tf.ones([2]), loss=tf.ones([2])),
            raised(TypeError, make, "infer", predictions=tf.ones([2]), training_hooks=[1]),
        ],
    }


def metric_specs(tf):
    labels, predictions = {"a": tf.ones([3]), "b": tf.zeros([3])}, {"p": tf.constant(numbers(3))}
    MetricSpec = tf.contrib.learn.MetricSpec

    def off(prediction, target, weight=None):
        return tf.reduce_sum(tf.abs(prediction - target) * (1.0 if weight is None else weight))

    spec = MetricSpec(off, label_key="a")
    weighted = MetricSpec(off, prediction_key="p", label_key="b", weight_key="w")
    alone = MetricSpec(functools.partial(lambda x, power: x**power, power=2))
    return {
        "plain": spec.create_metric_ops({}, labels, predictions),
        "weighted": weighted.create_metric_ops({"w": tf.constant([1.0, 2.0, 3.0])}, labels, predictions),
        "alone": alone.create_metric_ops({}, tf.ones([3]), predictions),
        "text": str(weighted),
        "errors": [
            raised(ValueError, MetricSpec, lambda x: x, label_key="a"),
            raised(ValueError, MetricSpec, lambda label, target: 1),
            raised(ValueError, MetricSpec(off).create_metric_ops, {}, labels, predictions),
            raised(KeyError, MetricSpec(off, label_key="c").create_metric_ops, {}, labels, predictions),
            raised(ValueError, spec.metric_fn, 1),
        ],
    }


def graphs_run(tf):
    x = tf.placeholder(tf.float32, [])
    v = tf.get_variable("v", [], initializer=tf.constant_initializer(2.0))
    runs = tf.contrib.learn.run_n({"y": x * v}, {x: 3.0}, n=2)
    fed = tf.contrib.learn.run_feeds({"y": x * v}, [{x: 1.0}, {x: 2.0}])
    return [
        runs,
        fed,
        list(tf.contrib.learn.graph_actions.run_feeds_iter({"y": x + v}, [{x: 1.0}])),
        tf.contrib.learn.infer(None, {"y": x - v}, {x: 5.0}),
        tf.contrib.learn.graph_actions.run_n({"v": v}),
        tf.contrib.learn.graph_actions.infer(None, {"v": v}),
        tf.contrib.learn.graph_actions.run_feeds({"v": v}, [None]),
        raised(ValueError, tf.contrib.learn.run_n, {}),
    ]


def graphs_train(tf):
    def graph_of_loss():
        with tf.Graph().as_default() as graph:
            step = tf.train.create_global_step()
            v = tf.get_variable("v", [], initializer=tf.constant_initializer(2.0))
            loss = tf.square(v, name="loss")
            with tf.control_dependencies([loss]):
                train_op = tf.train.GradientDescentOptimizer(0.25).minimize(loss, step)
            tf.summary.scalar("seen", loss)
        return graph, train_op, loss

    with _silence(tf) as folder:
        graph, train_op, loss = graph_of_loss()
        captured = tf.contrib.learn.monitors.CaptureVariable("v:0", every_n=2)
        dump = tf.contrib.learn.monitors.GraphDump()
        last = tf.contrib.learn.train(graph, folder, train_op, loss, steps=4, monitors=[captured, dump])
        graph, train_op, loss = graph_of_loss()
        more = tf.contrib.learn.graph_actions.train(graph, folder, train_op, loss, max_steps=5)
        graph, train_op, loss = graph_of_loss()
        evaluated = tf.contrib.learn.evaluate(graph, folder, folder, {"loss": loss}, max_steps=2)
        again = tf.contrib.learn.graph_actions.evaluate(graph, folder, folder, {"loss": loss}, train_op, max_steps=1)
        writer = tf.contrib.learn.graph_actions.get_summary_writer(folder)
        same = writer is tf.contrib.learn.graph_actions.get_summary_writer(folder)
        tf.contrib.learn.graph_actions.clear_summary_writers()
        return {
            "last": last,
            "more": more,
            "evaluated": evaluated,
            "after a step": again,
            "told": {str(step): value for step, value in captured.values.items()},
            "writer": same,
            "dumped": sorted(dump.data),
            "compared": sorted(dump.compare(dump, 2)[0])[-1],
            "errors": [
                raised(ValueError, tf.contrib.learn.train, graph, folder, train_op, loss, steps=1, max_steps=1),
                raised(ValueError, tf.contrib.learn.train, graph, folder, None, loss),
                raised(ValueError, tf.contrib.learn.evaluate, graph, "", None, {}),
            ],
        }


def monitors(tf):
    namespace = tf.contrib.learn.monitors
    calls = []

    class Own(tf.contrib.learn.monitors.EveryN):
        def every_n_step_begin(self, step):
            calls.append(("begin", int(step)))
            return ["weights:0"]

        def every_n_step_end(self, step, outputs):
            calls.append(("end", int(step), np.ravel(outputs["weights:0"])))

        def every_n_post_step(self, step, session):
            calls.append(("post", int(step)))

    with _silence(tf) as folder:
        input_fn = functools.partial(_input_fn, tf)
        estimator = _estimator(tf, folder, save_checkpoints_steps=2)
        validation = tf.contrib.learn.monitors.ValidationMonitor(
            input_fn=input_fn, eval_steps=1, every_n_steps=2, early_stopping_rounds=50, check_interval_secs=None
        )
        used = [
            Own(every_n_steps=3, first_n_steps=1),
            validation,
            tf.contrib.learn.monitors.StopAtStep(num_steps=6),
            tf.contrib.learn.monitors.PrintTensor(["weights"]),
            tf.contrib.learn.monitors.LoggingTrainable(),
            tf.contrib.learn.monitors.StepCounter(every_n_steps=2, output_dir=folder),
            tf.contrib.learn.monitors.SummarySaver(None, output_dir=folder),
            tf.contrib.learn.monitors.NanLoss("mean_squared_error/value:0", every_n_steps=1),
        ]
        estimator.fit(input_fn=input_fn, monitors=used)
        saver = tf.contrib.learn.monitors.CheckpointSaver
        defaults = tf.contrib.learn.monitors.get_default_monitors(loss_op=tf.ones([]), summary_op=tf.constant("s"))
        hooks = tf.contrib.learn.monitors.replace_monitors_with_hooks([Own()], estimator)
        return {
            "told": calls,
            "best": [validation.best_step, validation.best_value, validation.early_stopped],
            "defaults": [type(each).__name__ for each in defaults],
            "hooks": [isinstance(each, tf.contrib.learn.monitors.RunHookAdapterForMonitors) for each in hooks],
            "base": tf.contrib.learn.monitors.BaseMonitor().run_on_all_workers,
            "errors": [
                raised(ValueError, namespace.StopAtStep),
                raised(ValueError, namespace.ValidationMonitor),
                raised(ValueError, saver, folder),
                raised(ValueError, namespace.BaseMonitor().end),
                raised(ValueError, namespace.BaseMonitor().step_end, 3, {}),
            ],
        }


def experiments(tf):
    with _silence(tf) as folder:
        tested = []

        def make(run_config, hparams):
            input_fn = functools.partial(_input_fn, tf)
            model_fn = functools.partial(_model_fn, tf)
            estimator = tf.contrib.learn.Estimator(model_fn, config=run_config, params={"rate": 0.1})
            tested.append(estimator)
            return tf.contrib.learn.Experiment(
                estimator,
                input_fn,
                input_fn,
                train_steps=4,
                eval_steps=1,
                export_strategies=tf.contrib.learn.make_export_strategy(_served(tf), exports_to_keep=1),
            )

        config = tf.contrib.learn.RunConfig(model_dir=folder, tf_random_seed=1)
        run = tf.contrib.learn.learn_runner.run
        result, exports = run(make, run_config=config)
        evaluated = run(lambda output_dir: make(config, None), output_dir=folder, schedule="test")
        experiment = make(config, None)
        turns = experiment.continuous_train_and_eval(lambda eval_results: eval_results is None)[0]

        class Tuner:
            trials = 1

            def next_trial(self):
                return bool(self.trials)

            def run_experiment(self, make_experiment):
                self.trials -= 1
                tested.append(callable(make_experiment))

        tf.contrib.learn.learn_runner.tune(make, Tuner())
        return {
            "result": result,
            "exports": [os.path.basename(os.path.dirname(os.fsdecode(path))) for path in exports],
            "test": evaluated["global_step"],
            "turns": turns["global_step"],
            "same": tested[0].config.uid() == config.replace(model_dir=folder).uid(),
            "tuned": tested[-1],
            "errors": [
                raised(ValueError, run, make),
                raised(TypeError, run, 3, output_dir=folder),
                raised(ValueError, run, make, run_config=config, schedule="nothing"),
                raised(TypeError, run, lambda output_dir: 3, output_dir=folder),
                raised(ValueError, tf.contrib.learn.Experiment, 3, None, None),
            ],
        }


def exports(tf):
    with _silence(tf) as folder:
        estimator = _estimator(tf, folder)
        estimator.fit(input_fn=functools.partial(_input_fn, tf), steps=2)
        utils = tf.contrib.learn.utils.saved_model_export_utils
        base = os.path.join(folder, "export", "Servo")
        strategy = tf.contrib.learn.utils.saved_model_export_utils.make_export_strategy(_served(tf))
        path = os.fsdecode(strategy.export(estimator, base))
        newest = tf.contrib.learn.utils.saved_model_export_utils.get_most_recent_export(base)
        best = tf.contrib.learn.utils.saved_model_export_utils.make_best_model_export_strategy(_served(tf))
        checkpoint = tf.train.latest_checkpoint(folder)
        folder_written = best.export(estimator, os.path.join(folder, "best"), checkpoint, {"loss": 1.0})
        worse = best.export(estimator, os.path.join(folder, "best"), checkpoint, {"loss": 2.0})

        def move(source, folder_of_export):
            target = os.path.join(folder_of_export, "moved")
            os.makedirs(target)
            return target

        extended = tf.contrib.learn.utils.saved_model_export_utils.extend_export_strategy(strategy, move, "after")
        moved = extended.export(estimator, base)
        tf.contrib.learn.utils.saved_model_export_utils.garbage_collect_exports(base, 0)
        fresh = tf.contrib.learn.utils.saved_model_export_utils.get_timestamped_export_dir(base)
        gone = not os.path.exists(path)
        strategy = tf.contrib.learn.ExportStrategy(
            "own", lambda estimator, export_path, checkpoint_path=None: export_path
        )
        with tf.Graph().as_default(), tf.Session() as sess:
            again = os.fsdecode(folder_written)
            loaded = tf.saved_model.loader.load(sess, ["serve"], again)
            feature = tf.train.Feature(float_list=tf.train.FloatList(value=[1.0, 2.0, 3.0]))
            example = tf.train.Example(features=tf.train.Features(feature={"x": feature})).SerializeToString()
            signature = loaded.signature_def["serving_default"]
            fed = {signature.inputs["examples"].name: [example]}
            served = sess.run({key: value.name for key, value in signature.outputs.items()}, fed)
        return {
            "newest": newest.path == path and newest.export_version == int(os.path.basename(path)),
            "worse": worse,
            "moved": os.path.basename(moved),
            "gone": gone,
            "digits": len(os.path.basename(os.fsdecode(fresh))),
            "own": strategy.export(estimator, "there"),
            "name": extended.name,
            "signatures": sorted(loaded.signature_def),
            "served": served,
            "default": utils.DEFAULT_INPUT_ALTERNATIVE_KEY,
        }


def signatures(tf):
    utils = tf.contrib.learn.utils.saved_model_export_utils
    examples, scores = {"examples": tf.placeholder(tf.string, [None], name="e")}, tf.ones([1, 2], name="s")
    texts = tf.constant([["a", "b"]], name="t")
    build = tf.contrib.learn.utils.saved_model_export_utils.build_standardized_signature_def

    def seen(signature):
        return [signature.method_name, sorted(signature.inputs), sorted(signature.outputs)]

    every = tf.contrib.learn.utils.saved_model_export_utils.build_all_signature_defs(
        {utils.DEFAULT_INPUT_ALTERNATIVE_KEY: examples},
        {"a": (1, {"scores": scores}), "b": (2, {"scores": scores})},
        "a",
    )
    problems = tf.contrib.learn.ProblemType
    return {
        "classes": seen(build(examples, {"classes": texts, "probabilities": scores}, problems.CLASSIFICATION)),
        "one": seen(build(examples, {"x": texts}, problems.LOGISTIC_REGRESSION)),
        "regression": seen(build(examples, {"scores": scores}, problems.LINEAR_REGRESSION)),
        "two": seen(build(examples, {"a": scores, "b": scores}, problems.LINEAR_REGRESSION)),
        "plain": seen(build(examples, {"a": scores}, problems.UNSPECIFIED)),
        "all": {key: seen(signature) for key, signature in every.items()},
        "nothing": raised(ValueError, build, {}, {"a": scores}, problems.UNSPECIFIED),
    }


def serving_inputs(tf):
    features = {"x": tf.constant(X, name="x_in"), "n": tf.constant([1, 2], name="n_in")}
    fed = tf.contrib.learn.utils.build_default_serving_input_fn(features, 2)()
    parsed = tf.contrib.learn.build_parsing_serving_input_fn({"x": tf.FixedLenFeature([3], tf.float32)}, 4)()
    other = tf.contrib.learn.utils.build_default_serving_input_fn(features)()
    ops = tf.contrib.learn.InputFnOps({}, None, {})
    return {
        "fields": list(ops._fields),
        "fed": {key: [value.op.type, value.shape, value.dtype.name] for key, value in fed.features.items()},
        "other": {key: value.shape for key, value in other.default_inputs.items()},
        "parsed": [parsed.features["x"].shape, parsed.default_inputs["examples"].op.name, parsed.labels],
    }


def texts(tf):
    with _silence(tf) as folder:
        rows = ["The cat sat", "the Cat, on MATs", "a cat's e-mail", "日本 語"]
        processor = tf.contrib.learn.preprocessing.VocabularyProcessor(4, min_frequency=1)
        fitted = list(processor.fit_transform(rows + rows[:2]))
        processor.save(os.path.join(folder, "vocabulary"))
        again = tf.contrib.learn.preprocessing.VocabularyProcessor.restore(os.path.join(folder, "vocabulary"))
        vocabulary = tf.contrib.learn.preprocessing.CategoricalVocabulary()
        for word, count in (("b", 2), ("a", 2), ("c", 5), ("d", 1)):
            vocabulary.add(word, count)
        vocabulary.trim(1, max_frequency=5)
        vocabulary.freeze()
        split = tf.contrib.learn.preprocessing.VocabularyProcessor(3, vocabulary=vocabulary, tokenizer_fn=list)
        plain = tf.contrib.learn.preprocessing.VocabularyProcessor(2).fit(rows)
        bytes_ = tf.contrib.learn.preprocessing.ByteProcessor(8)
        return {
            "tokens": list(tf.contrib.learn.preprocessing.tokenizer(rows)),
            "fitted": fitted,
            "again": list(again.transform(rows)),
            "size": [len(again.vocabulary_), len(plain.vocabulary_), len(vocabulary)],
            "mapping": dict(plain.vocabulary_._mapping),
            "words": list(plain.reverse([[1, 2], [0, 3]])),
            "split": list(split.transform(["abc", "dab"])),
            "bytes": list(bytes_.fit_transform([*rows, b"abc"])),
            "text": list(bytes_.reverse(np.array(list(bytes_.transform(["cat", "é"]))))),
            "nothing": bytes_.fit(rows),
        }


def categorical_processor(tf):
    processor = tf.contrib.learn.preprocessing.CategoricalProcessor(min_frequency=1)
    rows = [["a", 3.0], ["b", float("nan")], ["a", 3.0], ["b", 4.0]]
    shared = tf.contrib.learn.preprocessing.CategoricalProcessor(share=True)
    return [list(processor.fit_transform(rows)), list(shared.fit_transform([["a", "b"], ["b", "a"]]))]


def tables(tf):
    with _silence(tf) as folder:
        path = os.path.join(folder, "rows.csv")
        with open(path, "w") as file:
            file.write("3,2,x,y\n" + "1.5,2,0\n2.5,3,1\n4,5,2\n")
        base = tf.contrib.learn.datasets.base
        headed = tf.contrib.learn.datasets.base.load_csv_with_header(
            path, target_dtype=np.int64, features_dtype=np.float32
        )
        with open(path, "w") as file:
            file.writelines(f"{row},{row * 2}\n" for row in range(4))
        plain = tf.contrib.learn.datasets.base.load_csv_without_header(path, np.int32, np.float32, target_column=0)
        tf.contrib.learn.datasets.base.shrink_csv(path, 2)
        small = tf.contrib.learn.datasets.base.load_csv_without_header(
            os.path.join(folder, "rows_small.csv"), np.int32, np.float32
        )
        with open(path, "w") as file:
            file.write("2,2\n1,2,1\n3,4,0\n")
        flowers = [
            tf.contrib.learn.datasets.load_iris(path),
            tf.contrib.learn.datasets.base.load_iris(path),
        ]
        houses = [
            tf.contrib.learn.datasets.load_boston(path),
            tf.contrib.learn.datasets.base.load_boston(path),
        ]
        kinds = [tf.contrib.learn.datasets.base.Dataset, tf.contrib.learn.datasets.base.Datasets]
        fields = [list(kind._fields) for kind in kinds]
        return {"headed": headed, "plain": plain, "small": small, "both": [flowers, houses], "fields": fields,
                "is one": isinstance(plain, base.Dataset)}  # fmt: skip


def maybe_download(tf):
    with _silence(tf) as folder:
        there = os.path.join(folder, "there.txt")
        with open(there, "w") as file:
            file.write("x")
        address = "file://" + there
        copied = tf.contrib.learn.datasets.base.maybe_download("copy.txt", os.path.join(folder, "new"), address)
        fetched = tf.contrib.learn.datasets.base.urlretrieve_with_retry(address, os.path.join(folder, "again"))[0]
        calls = []

        @tf.contrib.learn.datasets.base.retry(initial_delay=1.0, max_delay=3.0)
        def fails():
            calls.append(1)
            raise KeyError

        return {
            "copied": open(copied).read() + open(fetched).read(),
            "raised": raised(KeyError, fails),
            "calls": len(calls),
            "errors": [
                raised(ValueError, tf.contrib.learn.datasets.base.retry, 1, 2, factor=0.5),
                raised(ValueError, tf.contrib.learn.datasets.base.retry, 1, 2, jitter=1),
                raised(OSError, tf.contrib.learn.datasets.base.maybe_download, "n", folder, "file:///nowhere/n")
                is not None,
            ],
        }


def mnist(tf):
    with _silence(tf) as folder:
        numbers_ = np.random.RandomState(5)
        for kind, count in (("train", 20), ("t10k", 6)):
            images = numbers_.randint(0, 256, (count, 4, 4), np.uint8)
            labels = numbers_.randint(0, 10, count).astype(np.uint8)
            for name, head, data in (
                ("images-idx3", struct.pack(">4I", 2051, count, 4, 4), images),
                ("labels-idx1", struct.pack(">2I", 2049, count), labels),
            ):
                with gzip.open(os.path.join(folder, f"{kind}-{name}-ubyte.gz"), "wb") as file:
                    file.write(head + data.tobytes())
        read = tf.contrib.learn.datasets.mnist.read_data_sets
        sets = tf.contrib.learn.datasets.mnist.read_data_sets(folder, one_hot=True, validation_size=5, seed=3)
        batches = [sets.train.next_batch(6) for _ in range(4)]
        plain = read(folder, validation_size=0, reshape=False, dtype=tf.uint8, seed=3)
        in_order = [plain.test.next_batch(4, shuffle=False) for _ in range(2)]
        fake = read(folder, fake_data=True, one_hot=True).train
        with open(os.path.join(folder, "train-labels-idx1-ubyte.gz"), "rb") as file:
            labels = tf.contrib.learn.datasets.mnist.extract_labels(file)
        with open(os.path.join(folder, "t10k-images-idx3-ubyte.gz"), "rb") as file:
            images = tf.contrib.learn.datasets.mnist.extract_images(file)
        with open(os.path.join(folder, "t10k-images-idx3-ubyte.gz"), "rb") as file:
            wrong = raised(ValueError, tf.contrib.learn.datasets.mnist.extract_labels, file)
        own = tf.contrib.learn.datasets.mnist.DataSet(images, labels[:6], seed=1)
        return {
            "batches": batches,
            "in order": in_order,
            "epochs": [sets.train.epochs_completed, sets.train.num_examples, sets.validation.num_examples],
            "fake": [np.sum(fake.next_batch(2, fake_data=True)[0]), fake.num_examples],
            "images": images,
            "own": own.next_batch(3),
            "kinds": [own.images.dtype.name, own.labels.dtype.name, plain.train.images.dtype.name],
            "labels": labels,
            "one hot": tf.contrib.learn.datasets.mnist.dense_to_one_hot(np.array([1, 0]), 3),
            "source": tf.contrib.learn.datasets.mnist.DEFAULT_SOURCE_URL,
            "errors": [
                wrong,
                raised(ValueError, read, folder, validation_size=21),
                raised(ValueError, tf.contrib.learn.datasets.mnist.load_mnist, folder),
                raised(TypeError, read, folder, dtype=tf.int32, validation_size=0),
            ],
        }


def synthetic_data_sets(tf):
    make = tf.contrib.learn.datasets.make_dataset
    return {
        "circles": tf.contrib.learn.datasets.synthetic.circles(11, seed=4, n_classes=3),
        "noise": make("circles", n_samples=6, noise=0.1, seed=2),
        "spirals": tf.contrib.learn.datasets.synthetic.spirals(9, seed=4),
        "modes": [make("spirals", 6, None, 2, mode=mode) for mode in ("bernoulli", "fermat")],
        "names": [sorted(tf.contrib.learn.datasets.DATASETS), sorted(tf.contrib.learn.datasets.SYNTHETIC)],
        "errors": [
            raised(ValueError, make, "nothing"),
            raised(ValueError, tf.contrib.learn.datasets.load_dataset, "nothing"),
            raised(ValueError, make, "spirals", mode="nothing"),
        ],
    }


def dbpedia(tf):
    with _silence(tf) as folder:
        os.makedirs(os.path.join(folder, "dbpedia_data", "dbpedia_csv"))
        for name in ("train", "test"):
            with open(os.path.join(folder, "dbpedia_data", "dbpedia_csv", name + ".csv"), "w") as file:
                file.writelines(f'{row % 14},"title {row}","text"\n' for row in range(2001))
        os.environ["TF_EXP_BASE_DIR"] = folder
        try:
            data_sets = tf.contrib.learn.datasets
            tf.contrib.learn.datasets.text_datasets.maybe_download_dbpedia(os.path.join(folder, "dbpedia_data"))
            small = tf.contrib.learn.datasets.load_dataset("dbpedia")
            whole = tf.contrib.learn.datasets.text_datasets.load_dbpedia(size="large")
            assert data_sets.DATASETS["dbpedia"]
            return [small.train, small.test.target, len(whole.train.target)]
        finally:
            del os.environ["TF_EXP_BASE_DIR"]


def _examples(tf, folder):
    path = os.path.join(folder, "examples.tfrecord")
    with tf.python_io.TFRecordWriter(path) as writer:
        for row in range(6):
            feature = {
                "x": tf.train.Feature(float_list=tf.train.FloatList(value=[row, row + 0.5])),
                "words": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"w%d" % row] * (row % 3))),
            }
            writer.write(tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString())
    return path, {"x": tf.FixedLenFeature([2], tf.float32), "words": tf.VarLenFeature(tf.string)}


def _batches(tf, tensors):
    """Returns the batches of queues, until the queues are empty."""
    batches = []
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coordinator)
        try:
            while True:
                batches.append(sess.run(tensors))
        except tf.errors.OutOfRangeError:
            pass
        coordinator.request_stop()
        coordinator.join(threads)
    return batches


def files_of_examples(tf):
    with _silence(tf) as folder:
        path, spec = _examples(tf, folder)
        once = {"randomize_input": False, "num_epochs": 1}
        results = {}

        def read(name, function, *args, **kwargs):
            with tf.Graph().as_default():
                tensors = function(path, *args, **kwargs)
                results[name] = _batches(tf, tensors)

        learn = tf.contrib.learn
        read(
            "features", tf.contrib.learn.read_batch_features, 4, spec, tf.TFRecordReader, num_enqueue_threads=1, **once
        )
        read("records", tf.contrib.learn.read_batch_record_features, 3, spec, **once)
        keyed = tf.contrib.learn.read_keyed_batch_features
        read("keyed", lambda *args, **kwargs: keyed(*args, **kwargs)[1], 4, spec, tf.TFRecordReader,
             num_enqueue_threads=1, **once)  # fmt: skip
        read("lengths", tf.contrib.learn.read_batch_examples, 4, tf.TFRecordReader, parse_fn=tf.strings.length, **once)
        with_keys = tf.contrib.learn.read_keyed_batch_examples
        read("parsed", lambda *args, **kwargs: with_keys(*args, **kwargs)[1], 4, tf.TFRecordReader,
             parse_fn=lambda record: {"x": tf.parse_single_example(record, {"x": spec["x"]})["x"]}, **once)  # fmt: skip
        with tf.Graph().as_default():
            _, queued = tf.contrib.learn.io.queue_parsed_features({"x": tf.ones([2])}, num_enqueue_threads=1)
            shape = queued["x"].shape
        results["records"] = sorted(float(value) for batch in results["records"] for value in batch["x"].ravel())
        results["shape"] = shape
        results["errors"] = [
            raised(ValueError, learn.read_batch_examples, [], 4, tf.TFRecordReader),
            raised(ValueError, learn.read_batch_examples, folder + "/none*", 4, tf.TFRecordReader),
            raised(ValueError, learn.read_batch_examples, path, 4, tf.TFRecordReader, queue_capacity=3),
            raised(ValueError, learn.read_batch_examples, path, 4, tf.TFRecordReader, num_epochs=0),
        ]
        return results


def input_functions(tf):
    def rows():
        for row in range(5):
            yield {"x": np.array([row, row + 1.0]), "label": np.array([row])}

    make = tf.contrib.learn.io.generator_input_fn
    with tf.Graph().as_default():
        generated = _batches(tf, make(rows, target_key="label", batch_size=2, shuffle=False)())
    with tf.Graph().as_default():
        arrays_ = tf.contrib.learn.io.numpy_input_fn({"x": X}, Y, batch_size=5, shuffle=False)()
        fed = _batches(tf, arrays_)
    return {
        "generated": generated,
        "arrays": fed,
        "frames": callable(tf.contrib.learn.io.pandas_input_fn),
        "errors": [
            raised(TypeError, make, rows()),
            raised(KeyError, make, rows, target_key=["y"]),
            raised(TypeError, make, rows, target_key=np.array([1, 2])),
        ],
    }


def aliases_of_io(tf):
    """Functions for pandas frames aren't called, since pandas may be missing: tests/v1/contrib/test_learn.py does."""
    there = tf.contrib.learn.io
    pairs = [
        (tf.contrib.learn.extract_pandas_data, tf.contrib.learn.io.extract_pandas_data),
        (tf.contrib.learn.extract_pandas_labels, tf.contrib.learn.io.extract_pandas_labels),
        (tf.contrib.learn.extract_pandas_matrix, tf.contrib.learn.io.extract_pandas_matrix),
        (tf.contrib.learn.read_batch_examples, tf.contrib.learn.io.read_batch_examples),
        (tf.contrib.learn.read_batch_features, tf.contrib.learn.io.read_batch_features),
        (tf.contrib.learn.read_batch_record_features, tf.contrib.learn.io.read_batch_record_features),
        (tf.contrib.learn.read_keyed_batch_examples, tf.contrib.learn.io.read_keyed_batch_examples),
        (tf.contrib.learn.read_keyed_batch_features, tf.contrib.learn.io.read_keyed_batch_features),
    ]
    known = callable(there.pandas_input_fn) and isinstance(tf.contrib.learn.io.HAS_PANDAS, bool)
    return [left is right for left, right in pairs] + [known]


def train_test_split_and_metrics(tf):
    helpers = import_module(f"{tf.contrib.learn.__name__}.python.learn.estimators._sklearn")
    x, y = numbers(10, 2), numbers(10, seed=1)
    return [
        *helpers.train_test_split(x, y, test_size=0.3, random_state=7),
        *helpers.train_test_split(y, random_state=3),
        helpers.mean_squared_error(y[:, None], y[::-1]),
        helpers.accuracy_score(y > 0.0, x[:, 0] > 0.0),
    ]
