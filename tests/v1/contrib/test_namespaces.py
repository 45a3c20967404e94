"""tf.contrib: TensorFlow 1's own on TensorFlow 1; on TensorFlow 2, names that resolve, or clear errors."""

WARM = ["tf1mem.v1"]


def test_rnn_cells(scenario):
    scenario(
        """
        import tf1mem.v1 as tf
        if KERAS_3 and not has("tf_keras"):
            sys.exit()
        from tf1mem.v1.contrib import rnn
        from tf1mem.v1.contrib.rnn import BasicLSTMCell
        import tf1mem.v1.contrib.rnn as rnn_again
        assert rnn_again is rnn and BasicLSTMCell is tf.nn.rnn_cell.BasicLSTMCell is tf.contrib.rnn.BasicLSTMCell
        cell = rnn.MultiRNNCell([rnn.DropoutWrapper(BasicLSTMCell(3), output_keep_prob=0.9) for _ in range(2)])
        outputs, _ = rnn.static_rnn(cell, [tf.ones([2, 4])] * 3, dtype=tf.float32)
        assert outputs[0].shape.as_list() == [2, 3]
        """
    )


def test_layers_of_an_old_program_run(scenario):
    scenario(
        """
        import os, tempfile
        import tf1mem.v1 as tf
        if KERAS_3 and not has("tf_keras"):
            sys.exit()

        def converted():
            files = [str(getattr(module, "__file__", None)) for module in list(sys.modules.values())]
            # AutoGraph writes its files into this folder itself; the checkout may lie in a folder below.
            return sum(os.path.dirname(file) == tempfile.gettempdir() for file in files)

        class Layer(tf.keras.layers.Layer):
            def call(self, inputs):
                return inputs + 1.0

        before = converted()
        tf.contrib.rnn.LayerNormBasicLSTMCell(2)(tf.ones([1, 2]), [tf.ones([1, 2])] * 2)
        assert converted() == before
        Layer()(tf.ones([1]))
        assert VERSION < (2, 0) or converted() == before + 1  # AutoGraph converts a program's own layers, as always
        """
    )


def test_initializers_and_regularizers(scenario):
    scenario(
        """
        import numpy as np
        import tf1mem.v1 as tf
        from tf1mem.v1.contrib.layers import xavier_initializer, variance_scaling_initializer as scaling
        layers = tf.contrib.layers

        def initial_values(initializer, shape=(200, 100)):
            with tf.Graph().as_default(), tf.Session() as sess:
                return sess.run(initializer(list(shape)))

        uniform = initial_values(xavier_initializer(seed=1))
        limit = np.sqrt(3.0 / 150)
        assert abs(uniform.max() - limit) < 1e-3 and abs(uniform.min() + limit) < 1e-3
        for initializer, fan, factor in (
            (xavier_initializer(uniform=False, seed=1), 150, 1.0), (scaling(seed=1), 200, 2.0),
            (scaling(factor=1.0, mode="FAN_OUT", seed=1), 100, 1.0)):
            values = initial_values(initializer)
            cut = 2 * np.sqrt(1.3 * factor / fan)  # a truncated normal ends at two standard deviations
            assert cut * 0.99 < np.abs(values).max() <= cut * 1.0001, (np.abs(values).max(), cut)
        raised(TypeError, xavier_initializer, dtype=tf.int32)
        raised(TypeError, scaling, mode="fan")

        with tf.Session() as sess:
            w = tf.constant([1.0, -2.0])
            assert sess.run(layers.l2_regularizer(0.1)(w)) == np.float32(0.25)
            assert sess.run(layers.l1_regularizer(0.5)(w)) == np.float32(1.5)
            assert abs(sess.run(layers.l1_l2_regularizer(0.5, 0.1)(w)) - 1.75) < 1e-6
            assert abs(sess.run(layers.sum_regularizer([layers.l1_regularizer(0.5), None])(w)) - 1.5) < 1e-6
        assert layers.l2_regularizer(0.0)(w) is None
        raised(ValueError, layers.l2_regularizer, 1)
        raised(ValueError, layers.l2_regularizer, -1.0)
        v = tf.get_variable("v", [2, 2], initializer=xavier_initializer(), regularizer=layers.l2_regularizer(0.1))
        assert tf.losses.get_regularization_losses()
        """
    )


def test_names_that_moved(scenario):
    scenario(
        """
        import tf1mem.v1 as tf
        c = tf.contrib
        assert c.framework.get_or_create_global_step() is tf.train.get_global_step()
        assert c.framework.nest.flatten([1, [2]]) == [1, 2]
        assert c.framework.nest.is_sequence([1]) and not c.framework.nest.is_sequence(1)
        assert c.framework.argsort and c.framework.sort and c.framework.load_variable
        dataset = tf.data.Dataset.range(10).apply(c.data.batch_and_drop_remainder(4))
        assert [d.value if hasattr(d, "value") else d for d in dataset.output_shapes] == [4]
        assert c.data.shuffle_and_repeat and c.data.map_and_batch and c.data.parallel_interleave
        table = c.lookup.index_table_from_tensor(tf.constant(["a", "b"]), default_value=-1)
        with tf.Session() as sess:
            sess.run(tf.tables_initializer())
            assert sess.run(table.lookup(tf.constant(["b", "z"]))).tolist() == [1, -1]
        assert c.losses.get_total_loss and c.util.constant_value(tf.constant(3)) == 3
        assert c.eager.executing_eagerly() is False and c.eager.py_func
        assert callable(c.signal.stft) and callable(c.stateless.stateless_random_uniform)
        assert c.cluster_resolver.SimpleClusterResolver
        assert c.distribute.OneDeviceStrategy
        assert c.distributions.Normal
        from tf1mem.v1.contrib.tensorboard.plugins import projector
        assert c.tensorboard.plugins.projector is projector
        from tf1mem.v1.contrib.layers.python.layers import initializers
        assert initializers.xavier_initializer
        from tf1mem.v1.contrib.eager.python import tfe
        assert tfe.executing_eagerly
        from tf1mem.v1.contrib.eager.python import metrics
        assert metrics.Mean is c.eager.metrics.Mean
        from tf1mem.v1.contrib.metrics.python.ops import set_ops
        assert set_ops.set_size is c.metrics.set_size
        from tf1mem.v1.contrib.data.python.ops import grouping
        assert grouping.bucket_by_sequence_length
        """
    )


def test_gone_names_are_errors_with_advice(scenario):
    scenario(
        """
        import tf1mem.v1 as tf
        if TF1:
            sys.exit()
        from tf1mem.errors import RemovedModuleError, RemovedSymbolError
        cases = {
            "tf.contrib.no_such_thing": "1.15",
            "tf.contrib.learn.SVM": "tf.estimator",
        }
        for symbol, remedy in cases.items():
            error = raised(RemovedSymbolError, run, "import tf1mem.v1 as tf\\n\\n" + symbol)
            assert isinstance(error, AttributeError)
            assert symbol in str(error) and "program.py:3" in str(error) and remedy in str(error), error
            assert not hasattr(eval(symbol.rpartition(".")[0]), symbol.rpartition(".")[2])
            module, _, name = symbol.rpartition(".")
            source = "from tf1mem.v1{} import {}".format(module[2:], name)
            error = raised(RemovedModuleError, run, source)
            assert isinstance(error, ImportError)
            assert symbol in str(error) and "program.py:1" in str(error) and remedy in str(error), error
        run("import tf1mem.v1.contrib.crf\\nfrom tf1mem.v1.contrib import learn")  # imported, and not used
        """
    )


def test_advice_names_objects_of_the_installed_tensorflow(scenario):
    scenario(
        """
        import re
        import tf1mem.v1 as tf
        from tf1mem.errors import MissingSymbolError
        from tf1mem.names.contrib import ADVICE, advice
        absent, count = [], 0
        for name in ADVICE:
            for dotted in re.findall(r"\\btf\\.([\\w.]*\\w)", advice(name, VERSION)):
                count += 1
                value = tf
                try:
                    for part in dotted.split("."):
                        value = getattr(value, part)
                except MissingSymbolError:
                    pass  # its message says which package to install
                except AttributeError:
                    absent.append((name, dotted))
        assert count > 10, count
        assert TF1 or not absent, absent
        """
    )


def test_names_that_the_codemod_calls_missing_are_missing(scenario):
    scenario(
        """
        import tf1mem.v1 as tf
        from tf1mem.names.contrib import ADVICE, TABLE, lacks
        names = [name for name in ADVICE if name]
        names += ["slim.no_such_thing", "nowhere"]
        count = 0
        for name in names:
            lacking = lacks(name, VERSION)
            if TF1 or lacking is None:
                continue
            count += 1
            value = tf.contrib
            for part in name.split("."):
                value = getattr(value, part, None)
            assert value is None, name
        assert TF1 or count > 5, count
        assert all(lacks(name, VERSION) is None for name in TABLE)
        """
    )


def test_slim(scenario):
    scenario(
        """
        import tempfile
        if KERAS_3 and not has("tf_keras"):
            sys.exit()
        import tf1mem, tf1mem.v1 as tf
        from tf1mem.v1.contrib import slim
        import tf1mem.v1.contrib.slim as again
        from tf1mem.v1.contrib.slim.nets import vgg
        from tf1mem.v1.contrib.slim.python.slim.data import dataset
        from tf1mem.v1.contrib.slim.python.slim.nets.inception_v3 import inception_v3, inception_v3_arg_scope
        assert again is slim and tf.contrib.slim is slim and vgg.vgg_16 and inception_v3
        assert slim.dataset.Dataset is dataset.Dataset and slim.conv2d is tf.contrib.layers.conv2d
        x = tf.ones([2, 8, 8, 3])
        with slim.arg_scope([slim.conv2d], weights_regularizer=slim.l2_regularizer(0.01)):
            net = slim.conv2d(x, 4, [3, 3], scope="conv")
            net = slim.fully_connected(slim.flatten(net), 2)
        loss = tf.losses.mean_squared_error(tf.zeros([2, 2]), net)
        train_op = slim.learning.create_train_op(loss, tf.train.GradientDescentOptimizer(0.1))
        c = tf.ConfigProto()
        c.gpu_options.allow_growth = True
        slim.learning.train(train_op, tempfile.mkdtemp(), number_of_steps=2, session_config=c)
        assert "allow_growth" in str(tf1mem.report())
        """
    )


def test_dir_shows_every_name_of_tensorflow_1_that_resolves(scenario):
    scenario(
        """
        from importlib import import_module
        import tf1mem.v1 as tf
        from tests.v1.contrib.shown import shown
        # Without these packages, parts of learn can't be imported, and say so.
        if TF1 or KERAS_3 and not (has("tf_keras") and has("tensorflow_estimator")):
            sys.exit()
        recorded = shown()
        assert {"layers", "losses", "conv2d"} < set(recorded["slim"]) & set(dir(tf.contrib.slim))
        for namespace, names in recorded.items():
            module = import_module(("tf1mem.v1.contrib." + namespace).rstrip("."))
            listed = dir(module)
            hidden = [name for name in names if name not in listed and hasattr(module, name)]
            assert hidden == [], (namespace, hidden)
        """
    )


def test_the_error_of_a_failed_import_is_shown(scenario):
    scenario(
        """
        import os, tempfile
        import tf1mem.v1 as tf
        if TF1:
            sys.exit()
        folder = tempfile.mkdtemp()
        for name, text in (("crf.py", "import sys; sys.gone"), ("weight_decay_optimizers.py", "import surely_absent")):
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)
        for package in (tf.contrib, tf.contrib.opt):  # these files are read in place of tf1mem's
            package.__path__.insert(0, folder)
        for failing in (lambda: hasattr(tf.contrib, "crf"), lambda: run("from tf1mem.v1.contrib import crf")):
            error = raised(ImportError, failing)
            assert "has no attribute 'gone'" in str(error) and isinstance(error.__cause__, AttributeError), error
        error = raised(ImportError, lambda: tf.contrib.opt.AdamWOptimizer)
        assert error.name == "surely_absent", error
        """
    )


def test_configs_of_loops(scenario):
    """Each training or evaluation loop of tf.contrib applies its config."""
    scenario(
        """
        import re, tempfile
        import tf1mem, tf1mem.v1 as tf
        slim, folder = tf.contrib.slim, tempfile.mkdtemp()
        tf.train.create_global_step()
        tf.get_variable("v", [])
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            path = tf.train.Saver().save(sess, folder + "/model", 1)
        configs = iter([tf.ConfigProto(inter_op_parallelism_threads=number) for number in (3, 4, 5, 6, 7)])


        def applied(number):
            return re.search(f"inter_op_parallelism_threads +{number} ", str(tf1mem.report()))

        once = {"max_number_of_evaluations": 1, "eval_interval_secs": 0}
        slim.evaluation.evaluate_once("", path, folder, session_config=next(configs))
        assert applied(3)
        slim.evaluation.evaluation_loop("", folder, folder, session_config=next(configs), **once)
        assert applied(4)
        tf.contrib.training.evaluate_once(path, config=next(configs))
        assert applied(5)
        tf.contrib.training.evaluate_repeatedly(folder, config=next(configs), **once)
        assert applied(6)
        with tf.Graph().as_default():
            loss = tf.square(tf.get_variable("v", []))
            train_op = tf.contrib.training.create_train_op(loss, tf.train.GradientDescentOptimizer(0.1))
            hooks = [tf.train.StopAtStepHook(num_steps=2)]
            tf.contrib.training.train(train_op, tempfile.mkdtemp(), hooks=hooks, config=next(configs))
        assert applied(7)
        """
    )


def test_every_name_in_the_table_resolves(scenario):
    unresolved = scenario(
        """
        import tf1mem.v1 as tf
        from tf1mem.errors import MissingSymbolError
        if TF1:
            sys.exit()
        from tf1mem.names.contrib import TABLE
        for name in sorted(TABLE):
            value = tf.contrib
            try:
                for part in name.split("."):
                    value = getattr(value, part)
            except MissingSymbolError:
                pass
            except AttributeError:
                print(name)
        """
    ).split()
    assert unresolved == []


def test_files_with_a_function_of_the_same_name(scenario):
    scenario(
        """
        import tf1mem.v1 as tf
        if KERAS_3 and not has("tf_keras"):
            sys.exit()
        from tf1mem.v1.contrib.framework.python.ops import arg_scope
        from tf1mem.v1.contrib.image.python.ops import dense_image_warp, image_ops
        from tf1mem.v1.contrib.image import dense_image_warp as function
        from tf1mem.v1.contrib.nn.python.ops.scaled_softplus import scaled_softplus
        assert dense_image_warp.dense_image_warp is function is tf.contrib.image.dense_image_warp
        assert image_ops.rotate is tf.contrib.image.rotate and scaled_softplus is tf.contrib.nn.scaled_softplus
        assert arg_scope is tf.contrib.framework.arg_scope  # TensorFlow 1 has the function in place of its folder
        """
    )


def test_packages_have_the_names_of_their_files(scenario):
    scenario(
        """
        import tf1mem.v1 as tf
        if KERAS_3 and not (has("tf_keras") and has("tensorflow_estimator")):
            sys.exit()
        from tf1mem.v1.contrib.learn.python.learn.estimators import DNNClassifier, model_fn
        from tf1mem.v1.contrib.learn.python.learn.learn_io import HAS_PANDAS, graph_io, numpy_input_fn
        assert DNNClassifier is tf.contrib.learn.DNNClassifier and model_fn.ModeKeys is tf.contrib.learn.ModeKeys
        assert numpy_input_fn is tf.contrib.learn.io.numpy_input_fn and isinstance(HAS_PANDAS, bool)
        assert graph_io.read_batch_examples is tf.contrib.learn.read_batch_examples
        names = {}
        exec("from tf1mem.v1.contrib.learn.python.learn.learn_io import *", names)
        assert callable(names["data_feeder"].DataFeeder) and names["numpy_input_fn"] is numpy_input_fn
        """
    )


def test_the_report_lists_the_names_that_the_program_used(scenario):
    scenario(
        """
        import tf1mem.v1 as tf
        from tf1mem.names import used_names
        if KERAS_3 and not has("tf_keras"):
            sys.exit()
        tf.contrib.learn.preprocessing.VocabularyProcessor
        if VERSION >= (2, 0):
            head, name = used_names.as_text().splitlines()
            assert head.endswith("supplied by tf1mem: 1"), head
            assert name.startswith("  tf.contrib.learn.preprocessing.VocabularyProcessor, "), name
        """
    )
