"""Keras with Sessions, and which Keras it is."""

import pytest

from tests.marks import NEEDS_KERAS_2
from tests.matrix.proof import in_ci_or_proof
from tf1mem.gpusim.launching import simulation
from tf1mem.machine.tensorflow import installed_version

WARM = ["tf1mem.v1"]

# TensorFlow reads the user's choice when it is imported; up to 2.15 it doesn't know the variable, nor does tf1mem.
CHOICES, STARTS = ["0"], pytest.mark.warm("tensorflow")
if installed_version().release >= (2, 16):
    CHOICES, STARTS = ["0", "1", ""], pytest.mark.fresh


def test_set_session_works_everywhere(scenario):
    scenario(
        """
        import tf1mem, tf1mem.v1 as tf
        from tf1mem.v1.keras import backend as K
        import tf1mem.v1.keras.backend as K2
        from tf1mem.v1.keras.backend.tensorflow_backend import set_session, get_session, clear_session
        assert K is K2 is tf.keras.backend and set_session is K.set_session
        c = K.tf.ConfigProto()
        c.gpu_options.allow_growth = True
        sess = tf.Session(config=c)
        set_session(sess)
        assert "allow_growth" in str(tf1mem.report())
        assert get_session() is sess is K.get_session()
        clear_session()
        assert K.get_session() is not sess
        """
    )


def test_training_in_graph_mode(scenario):
    scenario(
        """
        import numpy as np
        import tf1mem, tf1mem.v1 as tf
        K = tf.keras.backend
        K.set_session(tf.Session(config=tf.ConfigProto(log_device_placement=False)))
        if KERAS_3 and not has("tf_keras"):
            from tf1mem.errors import MissingPackageError, MissingSymbolError
            for source in ("from tf1mem.v1.keras.layers import Dense", "import tf1mem.v1.keras.models",
                           "from tf1mem.v1.keras import Sequential",
                           "from tf1mem.v1.keras.layers.core import Dense",
                           "from tf1mem.v1.keras.engine.topology import Layer",
                           "import tf1mem.v1 as tf; tf.keras.Sequential()",
                           "import tf1mem.v1 as tf; tf.layers.dense(1, 2)",
                           "import tf1mem.v1 as tf; tf.nn.rnn_cell.LSTMCell(1)",
                           "import tf1mem.v1 as tf; tf.contrib.rnn.LSTMCell(1)"):
                error = raised(MissingSymbolError if "; tf." in source else MissingPackageError, run, source)
                assert "pip install tf_keras" in str(error) and "program.py:1" in str(error), error
        else:
            from tf1mem.v1.keras.layers import Dense
            from tf1mem.v1.keras.models import Sequential
            from tf1mem.v1.keras.optimizers import SGD
            model = Sequential([Dense(4, activation="relu", input_shape=(3,)), Dense(1)])
            assert isinstance(model.output, tf.Tensor)
            model.compile(SGD(0.01), "mse")
            model.fit(np.ones((8, 3), "float32"), np.ones((8, 1), "float32"), epochs=2, verbose=0)
            assert K.get_session().run(tf.constant(2)) == 2
            x = tf.placeholder(tf.float32, [None, 3])
            y = tf.layers.dense(x, 2)
            cell = tf.nn.rnn_cell.LSTMCell(2)
            outputs, _ = tf.nn.dynamic_rnn(cell, tf.placeholder(tf.float32, [None, 5, 3]), dtype=tf.float32)
            assert outputs.shape[-1].value == 2
        """
    )


def test_the_methods_of_tensorflow_1(scenario):
    scenario(
        """
        import logging
        import numpy as np
        import tf1mem.v1 as tf
        if not KERAS_3 or has("tf_keras"):
            layers, x = tf.keras.layers, np.arange(8.0).reshape(4, 2)
            one = tf.keras.Sequential([layers.Dense(1, kernel_initializer="ones", input_shape=(2,))])
            assert one.predict_classes(x - 4).tolist() == [[0], [0], [1], [1]]
            lines, handler = [], logging.Handler()
            handler.emit = lambda record: lines.append(record.getMessage())
            logging.getLogger("tensorflow").addHandler(handler)
            assert one.predict_proba(x).tolist() == one.predict(x).tolist()
            assert one.predict_proba(x / 20, batch_size=1, verbose=0).max() < 1
            assert len([line for line in lines if "probabilities" in line]) == 1, lines
            three = tf.keras.Sequential([layers.Dense(3, bias_initializer=tf.constant_initializer([0, 9, 1]))])
            assert three.predict_classes(np.zeros((2, 5)), 1, 0).tolist() == [1, 1]
            assert layers.Dense(3).apply(tf.zeros([2, 5])).shape == (2, 3)
            class Own(layers.Layer):
                def apply(self):
                    return "own"
                def call(self, x):
                    count = self.add_weight("count", (), initializer="zeros", trainable=False)
                    self.add_update(tf.assign_add(count, 1.0), x)
                    self.add_update([tf.assign_add(count, 2.0)], inputs=True)
                    return x
            own = Own()
            assert own.apply() == "own" and own(x) is not None and len(own.updates) == 2
        """
    )


def test_the_sign_and_the_names_of_cosine_losses(scenario):
    scenario(
        """
        import logging
        import numpy as np
        import tf1mem.v1 as tf
        if VERSION >= (1, 14) and (not KERAS_3 or has("tf_keras")):  # 1.13 keeps its own sign
            lines, handler = [], logging.Handler()
            handler.emit = lambda record: lines.append(record.getMessage())
            logging.getLogger("tf1mem").addHandler(handler)
            losses, metrics = tf.keras.losses, tf.keras.metrics
            a, b = np.float32([[1, 2]]), np.float32([[2, 1]])
            def value(loss):
                with tf.Graph().as_default(), tf.Session() as session:
                    return round(float(np.ravel(session.run(loss(a, b)))[0]), 6)
            from tf1mem.v1.python.keras.losses import cosine_proximity
            functions = [losses.cosine, losses.cosine_proximity, losses.cosine_similarity, metrics.cosine,
                         metrics.cosine_proximity, cosine_proximity, losses.CosineSimilarity(axis=1)]
            functions += [losses.get(name) for name in ("cosine_proximity", "cosine_similarity")]
            with tf.Graph().as_default():
                tf.set_random_seed(1)  # wraps functions to count their ops
            functions += [losses.get("cosine_proximity")]
            functions += [losses.deserialize(losses.serialize(loss)) for loss in (functions[0], functions[6])]
            values = [value(function) for function in functions]
            assert values == [0.8] * 12, values
            huber = [losses.Huber(reduction="sum"), losses.get("huber_loss"), losses.Huber(0.5, reduction="none")]
            a, b = np.float32([[1, 2]]), np.float32([[4, 4]])
            assert [value(function) for function in huber] == [4.0, 2.5, 1.375]
            a, b = np.float32([[1, 2]]), np.float32([[2, 1]])
            for loss in ("cosine_proximity", "cosine_similarity", losses.CosineSimilarity()):
                identity = tf.keras.layers.Dense(2, kernel_initializer="identity", input_shape=(2,))
                model = tf.keras.Sequential([identity])
                names = ["cosine_proximity", "logcosh", "kullback_leibler_divergence"]
                model.compile("sgd", loss, metrics=names)
                assert model.metrics_names == ["loss", *names]
                assert [round(float(each), 6) for each in model.evaluate(a, b, verbose=0)[:2]] == [0.8, 0.8]
            assert len([line for line in lines if "cosine" in line]) == (not TF1), lines
            if not TF1:
                from tf1mem.v1.keras_alone.losses import CosineSimilarity, cosine_proximity, get
                own = [cosine_proximity, CosineSimilarity(), get("cosine_proximity"), get("cosine_similarity")]
                assert [value(function) for function in own] == [-0.8] * 4
                assert value(tf.keras.losses.CosineSimilarity()) == 0.8
        """
    )


def test_functions_and_cells_compute_as_on_tensorflow_1(scenario):
    """The values are TensorFlow 1.15.5's."""
    scenario(
        """
        import numpy as np
        import tf1mem.v1 as tf
        if VERSION >= (1, 15) and (not KERAS_3 or has("tf_keras")):
            K, metrics = tf.keras.backend, tf.keras.metrics
            heads = tf.ones([2, 2, 4, 3])
            assert K.batch_dot(heads, heads, [3, 3]).shape.as_list() == [2, 2, 4, 4]
            assert K.batch_dot(heads[0], heads[0, :, 0], [2, 1]).shape.as_list() == [2, 4]
            labels, shares = np.float32([[1], [2], [0]]), np.float32([[.1, .7, .2], [.2, .3, .5], [.3, .3, .4]])
            with tf.Session() as sess:
                run = lambda value: sess.run(value).round(3).tolist()
                assert run(metrics.sparse_top_k_categorical_accuracy(labels, shares, 2)) == [1, 1, 1]
                own = run(K.categorical_crossentropy(np.eye(3), tf.constant(shares)))
                assert np.allclose(own, [2.303, 1.204, 0.916], atol=1e-3), own
                crossentropy = tf.keras.losses.categorical_crossentropy(labels, shares)
                assert np.allclose(run(crossentropy), [4.269, 7.013, 0]), run(crossentropy)
                both = tf.ones([2, 2])
                assert run(K.bias_add(both, tf.constant([1.0, 2.0]), "channels_first")) == [[2, 3]] * 2
                assert run(K.softmax(tf.zeros([2]))) == [0.5, 0.5]
                assert run(K.switch(tf.constant([True, False]), both, -both)) == [[1, 1], [-1, -1]]
                steps = tf.constant(np.eye(3)[np.array([[0, 0, 2, 1]])], tf.float32)
                assert run(K.ctc_decode(steps, tf.constant([4]))[0][0]) == [[0, 1]]
                assert run(K.ctc_decode(steps, tf.constant([4]), greedy=False)[0][0]) == [[0, 1]]
            assert tf.keras.optimizers.get("adagrad").get_config()["initial_accumulator_value"] == 0
            states = {"GRU": [0.054, 0.631, -0.448, 0.133], "LSTM": [0.224, 0.332, -0.032, -0.009]}
            for kind, state in states.items():
                with tf.Graph().as_default(), tf.Session() as sess:
                    tf.set_random_seed(1)
                    x = tf.constant(np.linspace(0.1, 1, 30).reshape(2, 5, 3).astype("float32"))
                    layer = getattr(tf.keras.layers, kind)(4, recurrent_dropout=0.5, implementation=2)
                    np.random.seed(1)
                    y = layer(x, training=True)
                    sess.run(tf.global_variables_initializer())
                    assert np.allclose(sess.run(y)[0], state, atol=1e-3), (kind, sess.run(y)[0])
        """
    )


def test_trainings_stop_and_weigh_as_on_tensorflow_1(scenario):
    """The values are TensorFlow 1.15.5's."""
    scenario(
        """
        import numpy as np
        import tf1mem.v1 as tf
        if VERSION >= (1, 15) and (not KERAS_3 or has("tf_keras")):
            keras, numbers = tf.keras, np.arange(16.0).reshape(16, 1)
            images = keras.layers.Input((2,))
            outputs = [keras.layers.Dense(1, kernel_initializer="zeros", name=name)(images) for name in ("one", "two")]
            model = keras.Model(images, outputs)
            model.compile(keras.optimizers.SGD(0.0), "mae")
            stop = keras.callbacks.EarlyStopping("loss", baseline=-1, patience=2)
            history = model.fit(np.ones((16, 2)), [numbers, numbers], epochs=5, verbose=0, callbacks=[stop],
                                sample_weight={"two": numbers[:, 0]}, validation_split=0.5, shuffle=False)
            assert history.epoch == [0, 1], history.epoch
            assert np.allclose(history.history["two_loss"], 17.5), history.history
            assert np.allclose(history.history["val_two_loss"], 137.5), history.history
        """
    )


def test_bars_are_shown_as_on_tensorflow_1(scenario):
    scenario(
        """
        import contextlib
        import io
        import re
        import numpy as np
        import tf1mem.v1 as tf
        if VERSION >= (1, 15) and (not KERAS_3 or has("tf_keras")):
            keras, numbers = tf.keras, np.arange(8.0).reshape(8, 1)
            model = keras.Sequential([keras.layers.Dense(1, kernel_initializer="ones", input_shape=(1,))])
            model.compile(keras.optimizers.SGD(0.0), "mse", metrics=["mae"])
            class Batches(keras.utils.Sequence):
                def __len__(self):
                    return 2
                def __getitem__(self, index):
                    return numbers[:4] * index, numbers[:4]
            def shown(call, *args, **kwargs):
                text = io.StringIO()
                with contextlib.redirect_stdout(text):
                    call(*args, **kwargs)
                return re.findall(r"[a-z_]+: [0-9.]+", re.split("[\\r\\b\\n]", text.getvalue())[-2]), text.getvalue()
            values = ["loss: 17.5000", "mean_absolute_error: 3.5000"]
            for verbose in 1, 2:
                shows = shown(model.evaluate, numbers, 2 * numbers, verbose=verbose)
                assert shows[0] == values, shows
            assert "8/8" in shown(model.predict, numbers, verbose=1)[1]
            values = ["loss: 1.7500", "mean_absolute_error: 0.7500"]
            assert shown(model.evaluate_generator, Batches(), verbose=1)[0] == values
            data = (numbers, 2 * numbers)
            shows = shown(model.fit_generator, Batches(), validation_data=data, validation_steps=2, shuffle=False)
            assert shows[0] == [*values, "val_loss: 17.5000", "val_mean_absolute_error: 3.5000"], shows
        """
    )


def test_the_keras_in_use(scenario):
    scenario(
        """
        import tf1mem.v1 as tf
        chosen = os.environ.get("TF_USE_LEGACY_KERAS")
        assert chosen == ("1" if KERAS_3 and has("tf_keras") else None), chosen
        if KERAS_3 and has("tf_keras"):
            assert tf.keras.Model.__module__.startswith("tf_keras"), tf.keras.Model
            assert "keras" not in sys.modules, "Keras 3 is not needed"
        """
    )


@STARTS
@pytest.mark.parametrize("choice", in_ci_or_proof(CHOICES, [CHOICES[0]]))
def test_the_users_choice_of_keras_stays(scenario, choice):
    scenario(
        """
        import tf1mem.v1 as tf
        assert os.environ["TF_USE_LEGACY_KERAS"] == %r
        if KERAS_3 and os.environ["TF_USE_LEGACY_KERAS"] != "1":
            assert tf.keras.Model.__module__.startswith("keras."), tf.keras.Model
            sess = tf.Session()
            tf.keras.backend.set_session(sess)
            assert tf.keras.backend.get_session() is sess
            assert tf.keras.backend.epsilon()
        with tf.Session() as sess:
            assert sess.run(tf.constant(2)) == 2
        """
        % choice,
        env={"TF_USE_LEGACY_KERAS": choice},
    )


@pytest.mark.warm("tensorflow")
def test_keras_was_imported_before(scenario):
    scenario(
        """
        import tensorflow
        import tf1mem.v1 as tf
        sess = tf.Session()
        tf.keras.backend.set_session(sess)
        if has("tf_keras") or not KERAS_3:
            model = tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=(3,))])
            assert isinstance(model.output, tf.Tensor)
        """
    )


@NEEDS_KERAS_2
@pytest.mark.skipif(installed_version().major < 2, reason="TensorFlow 1 and standalone Keras are two packages")
def test_tf_keras_stays_itself_until_a_program_uses_layers_of_standalone_keras(scenario):
    scenario(
        """
        import logging, numpy
        import tf1mem.v1 as tf
        import tf1mem.v1.keras_alone as keras
        from tf1mem.v1.keras_alone import backend, callbacks, datasets, initializers, preprocessing, regularizers, utils
        from tf1mem.v1.keras_alone.utils.np_utils import to_categorical
        from tf1mem.v1.keras_alone.backend.tensorflow_backend import set_session

        class Outer(tf.keras.layers.Layer):
            def __init__(self, **options):
                super().__init__(**options)
                self.dense = tf.keras.layers.Dense(2)

            def call(self, inputs):
                return self.dense(inputs)

        def net(named):
            model = tf.keras.Sequential([tf.keras.layers.Dense(3, input_shape=(4,)), Outer()])
            assert model.layers[0].name == named, model.layers[0].name
            return model

        assert len(net("dense").trainable_weights) == 4

        messages = []
        logging.getLogger("tf1mem").addFilter(lambda record: messages.append(record.getMessage()) or True)
        standalone = keras.models.Sequential([keras.layers.Dense(2, input_shape=(3,)), keras.layers.Flatten()])
        assert standalone.layers[1].name == "flatten_1", standalone.layers[1].name
        keras.models.Sequential.from_config(standalone.get_config())
        keras.models.clone_model(standalone)
        keras.layers.Bidirectional(keras.layers.LSTM(2))
        keras.applications.MobileNet(weights=None, input_shape=(32, 32, 3), alpha=0.25)
        tf.layers.Dense(2)
        assert messages == []
        for _ in range(2):
            tf.keras.layers.Dense(3)
        (message,) = messages
        assert message.startswith("tf.keras.layers.Dense, at ") and "standalone Keras, too" in message
        """
    )


def test_the_paths_of_standalone_keras(scenario):
    scenario(
        """
        if KERAS_3 and not has("tf_keras"):
            sys.exit()  # test_training_in_graph_mode has the errors
        import importlib
        import tf1mem.v1 as tf
        from tf1mem.errors import RemovedModuleError, RemovedSymbolError
        keras = tf.keras
        layers = {
            "core": "Dense", "convolutional": "Conv2D", "normalization": "BatchNormalization", "merge": "concatenate",
            "advanced_activations": "LeakyReLU", "recurrent": "LSTM", "embeddings": "Embedding",
            "wrappers": "TimeDistributed", "pooling": "MaxPooling2D", "noise": "GaussianNoise",
            "convolutional_recurrent": "ConvLSTM2D", "local": "LocallyConnected1D",
        }
        for file, name in layers.items():
            module = importlib.import_module("tf1mem.v1.keras.layers." + file)
            assert getattr(module, name) is getattr(keras.layers, name), file
        from tf1mem.v1.keras.layers.core import Dense
        from tf1mem.v1.keras.layers import Dense as public
        import tf1mem.v1.keras.layers.core as core
        assert Dense is public is core.Dense is keras.layers.core.Dense

        for file in "np_utils generic_utils vis_utils training_utils data_utils io_utils layer_utils".split():
            importlib.import_module("tf1mem.v1.keras.utils." + file)
        from tf1mem.v1.keras.utils import np_utils
        assert np_utils.to_categorical([1], 2).tolist() == [[0, 1]]
        from tf1mem.v1.keras.utils.generic_utils import CustomObjectScope, Progbar, has_arg

        import tf1mem.v1.keras.engine as engine
        from tf1mem.v1.keras.engine import InputSpec, Layer, Model
        from tf1mem.v1.keras.engine.topology import Input, Layer as again, Node
        from tf1mem.v1.keras.engine.base_layer import InputSpec as spec
        from tf1mem.v1.keras.engine.training import Model as model
        assert Layer is again is keras.layers.Layer and Model is model is keras.Model
        assert InputSpec is spec is keras.layers.InputSpec and Input is keras.Input
        from tf1mem.v1.keras.objectives import mean_squared_error
        assert mean_squared_error is keras.losses.mean_squared_error
        names = {}
        exec("from tf1mem.v1.keras.layers import *", names)
        assert names["Dense"] is Dense

        for source, symbol in (("import tf1mem.v1.keras.legacy.interfaces", "keras.legacy"),
                               ("from tf1mem.v1.keras.layers.core import MaxoutDense", "keras.layers.core.MaxoutDense"),
                               ("from tf1mem.v1.keras.layers import Nope", "keras.layers.Nope"),
                               ("from tf1mem.v1.keras.nope import x", "keras.nope"),
                               ("from tf1mem.v1.keras.models.nope import x", "keras.models.nope")):
            error = raised(RemovedModuleError, run, source)
            assert str(error).startswith(symbol + ", at program.py:1") and "tf1mem" not in str(error), error
        assert not hasattr(keras, "nope") and not hasattr(keras.backend, "nope") and not hasattr(core, "nope")
        raised(RemovedSymbolError, getattr, keras.engine.topology, "nope")
        if VERSION >= (2, 10):
            error = raised(RemovedSymbolError, getattr, keras.mixed_precision.experimental, "Policy")
            assert "program.py" in str(error), error
        """
    )


def test_recurrent_layers_keep_their_names_in_any_scope(scenario):
    scenario(
        """
        if KERAS_3 and not has("tf_keras"):
            sys.exit()
        import tf1mem.v1 as tf
        layers = tf.keras.layers
        with tf.name_scope("x"), tf.name_scope(None):
            lstm = layers.LSTM(2)
            lstm.build((1, 3, 2))
            stack = layers.RNN([layers.LSTMCell(2), layers.GRUCell(2)])
            stack.build((1, 3, 2))
        names = [variable.op.name for variable in lstm.weights + stack.weights]
        assert names == ["kernel", "recurrent_kernel", "bias", "kernel_1", "recurrent_kernel_1", "bias_1", "kernel_2",
                         "recurrent_kernel_2", "bias_2"], names
        """
    )


def test_recurrent_layers_in_eager_mode(scenario):
    scenario(
        """
        if KERAS_3 and not has("tf_keras"):
            sys.exit()
        from concurrent.futures import ThreadPoolExecutor
        import numpy as np
        import tf1mem.v1 as tf
        tf.enable_eager_execution()
        layers = tf.keras.layers
        x = np.ones((2, 3, 2), "float32")

        class Cell(layers.Layer):
            state_size = 2

            def __call__(self, inputs, states, **kwargs):
                raise AssertionError("a layer calls its cell by call")

            def call(self, inputs, states):
                return inputs + states[0], [inputs]

        rnn = layers.RNN(Cell())
        rnn.cell.build = own = rnn.cell.build
        rnn(x)
        with ThreadPoolExecutor(8) as pool:  # one layer in many threads
            for y in pool.map(rnn, [tf.constant(x)] * 400):
                assert (y.numpy() == 2).all()
        assert vars(rnn.cell)["build"] is own and "__call__" not in vars(rnn.cell)

        stack = layers.RNN([layers.LSTMCell(2), layers.GRUCell(2)], input_shape=(3, 2))
        model = tf.keras.Sequential([stack])
        if VERSION >= (2, 4):  # names that are told apart, as a file of weights needs them
            model.save_weights("weights.h5")
        lstm = layers.LSTM(2, name="lstm")
        lstm(x)
        assert [variable.name for variable in lstm.weights][0] == "lstm/kernel:0", lstm.weights
        """
    )


@pytest.mark.proof
def test_a_batch_is_split_among_gpus(scenario, tmp_path):
    program = """
        if KERAS_3 and not has("tf_keras"):
            sys.exit()
        import numpy as np
        import tf1mem.v1 as tf
        from tf1mem.v1.keras.utils import multi_gpu_model
        layers = tf.keras.layers
        with tf.device("/cpu:0"):
            one, other = layers.Input((3,)), layers.Input((2,))
            both = layers.concatenate([layers.Dense(2, activation="tanh")(one), other])
            model = tf.keras.Model([one, other], [layers.Dense(1, name="a")(both), layers.Dense(2, name="b")(both)])
        if os.environ["CUDA_VISIBLE_DEVICES"] == "":
            assert "gpu:0" in str(raised(ValueError, multi_gpu_model, model, 2))
            assert "gpus=1" in str(raised(ValueError, multi_gpu_model, model, gpus=1))
            sys.exit()
        if not tf.test.is_built_with_cuda():
            sys.exit()
        x = [np.linspace(-1, 1, 15, dtype="f4").reshape(5, 3), np.linspace(1, 2, 10, dtype="f4").reshape(5, 2)]
        found = multi_gpu_model(model, gpus=[0, 1])
        devices = {op.device for op in tf.get_default_graph().get_operations() if op.name.startswith("replica_1/")}
        assert "/device:GPU:1" in devices and "/device:GPU:0" not in devices, devices  # the weights are on the CPU
        assert found.count_params() == model.count_params()
        for a, b in zip(found.predict(x), model.predict(x)):
            assert a.shape == b.shape and len(a) == 5
            np.testing.assert_allclose(a, b, rtol=1e-4)
        found.compile(tf.train.GradientDescentOptimizer(0.1), "mse")
        before = model.get_weights()[0]
        losses = [found.train_on_batch(x, [np.zeros((5, 1)), np.zeros((5, 2))])[0] for _ in range(3)]
        assert losses[2] < losses[0] and np.abs(model.get_weights()[0] - before).sum() > 0, losses
        """
    scenario(program)
    with simulation(["1GiB", "1GiB"], trace=tmp_path / "trace.jsonl") as machine:
        scenario(program, env={"CUDA_VISIBLE_DEVICES": "0,1", **machine.environment}, fresh=True)
