"""Keras with Sessions, and which Keras it is."""

import pytest


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


def test_which_keras(scenario):
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


@pytest.mark.parametrize("choice", ["0", "1", ""])
def test_the_users_own_choice_stands(scenario, choice):
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


def test_too_late_to_choose(scenario):
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
        """
    )
