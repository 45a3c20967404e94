"""tf1mem.v1 as a module: imports, names, types, pickling, help."""

import pytest

WARM = ["tf1mem.v1"]


@pytest.mark.fresh
def test_imports_of_every_kind_and_tf1_behavior_without_needless_warnings(scenario):
    scenario(
        """
        import logging
        said = []
        import tf1mem.v1 as tf
        logging.getLogger("tensorflow").addFilter(lambda record: said.append(record.getMessage()) or True)
        from tf1mem.v1 import ConfigProto, Session
        assert Session is tf.Session and ConfigProto is tf.ConfigProto

        from tf1mem.v1.python.client import device_lib
        from tf1mem.v1.core.protobuf import config_pb2
        assert config_pb2.ConfigProto is tf.ConfigProto
        assert callable(device_lib.list_local_devices)

        import tf1mem.v1.python.client.session as session_module
        assert session_module.Session is tf.Session
        from tf1mem.v1.python.training.monitored_session import MonitoredTrainingSession
        assert MonitoredTrainingSession is tf.train.MonitoredTrainingSession
        from tf1mem.v1.python.framework import ops
        from tf1mem.v1.python.ops import array_ops
        import tensorflow.python.ops.array_ops
        from tf1mem.v1.python.ops import embedding_ops
        import tensorflow.python.ops.embedding_ops
        assert array_ops.reshape is sys.modules["tensorflow.python.ops.array_ops"].reshape
        assert tf.python.ops.array_ops is array_ops
        assert embedding_ops is sys.modules["tensorflow.python.ops.embedding_ops"]
        assert embedding_ops.__name__.startswith("tensorflow") and embedding_ops.__spec__.name == embedding_ops.__name__

        import tf1mem.v1.train
        import tf1mem.v1.nn as nn
        assert nn is tf.nn and nn.relu is tf.nn.relu
        from tf1mem.v1.train import Saver
        assert Saver is tf.train.Saver
        import tf1mem.v1.compat.v1 as again
        assert again is tf and tf.compat.v1 is tf
        from tf1mem.v1.compat.v1.train import Supervisor
        assert Supervisor is tf.train.Supervisor
        import tf1mem.v1.logging as logging_api
        assert logging_api.set_verbosity is tf.logging.set_verbosity
        assert tf.VERSION == tf.__version__
        assert tf.flags.DEFINE_string and tf.app.run and tf.gfile.Exists

        from tf1mem.v1.python import pywrap_tensorflow
        from tf1mem.v1.python.pywrap_tensorflow import NewCheckpointReader
        assert pywrap_tensorflow.NewCheckpointReader is NewCheckpointReader
        assert "nope" in str(raised(AttributeError, getattr, pywrap_tensorflow, "nope"))
        assert callable(pywrap_tensorflow.TF_NewSessionOptions) and pywrap_tensorflow.EqualGraphDefWrapper
        assert "events.out.tfevents." in str(pywrap_tensorflow.EventsWriter(b"events").FileName())
        import tempfile
        tf.get_variable("v", [2], initializer=tf.zeros_initializer())
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            path = tf.train.Saver().save(sess, os.path.join(tempfile.mkdtemp(), "model"))
        assert NewCheckpointReader(path).get_variable_to_shape_map() == {"v": [2]}
        # TensorFlow 1.14 and 1.15 name the line that asks for an old name: the program's, not tf1mem's.
        assert not [line for line in said if "/tf1mem/" in line], said
        named = [line for line in said if "program.py:" in line and "The name tf.ConfigProto is deprecated" in line]
        assert len(named) == (VERSION in [(1, 14), (1, 15)]), said

        assert not tf.executing_eagerly()
        with tf.Graph().as_default():
            x = tf.placeholder(tf.float32, [None, 2])
            v = tf.get_variable("v", [2, 1], initializer=tf.ones_initializer())
            assert isinstance(x.shape[1], tf.Dimension)
            with tf.Session() as sess:
                sess.run(tf.global_variables_initializer())
                assert sess.run(tf.matmul(x, v), {x: [[1, 2]]}).tolist() == [[3]]
        tf.logging.warning("a real warning")
        """
    )
    assert "disable_resource_variables" not in scenario.stderr
    assert "a real warning" in scenario.stderr


def test_deprecation_warnings_are_about_the_program_s_calls(scenario):
    scenario(
        """
        import logging
        import tf1mem.v1 as tf
        from tf1mem.v1.python.util import deprecation

        @deprecation.deprecated(None, "Use another.")
        def relic():
            pass

        said = []
        logging.getLogger("tensorflow").addFilter(lambda record: said.append(record.getMessage()) or True)
        names = {"relic": relic, "__name__": "tf1mem.v1.a_file"}
        call = compile("relic()", tf.__file__, "exec")
        exec(call, names)
        assert not said, said
        relic()
        assert len(said) == 1 and "program.py:" in said[0], said
        """
    )


def test_missing_names(scenario):
    scenario(
        """
        import tf1mem.v1 as tf
        assert not hasattr(tf, "no_such_name")
        assert "no_such_name" in str(raised(AttributeError, getattr, tf, "no_such_name"))
        assert "Nope" in str(raised(ImportError, run, "from tf1mem.v1.train import Nope"))
        raised(ImportError, run, "import tf1mem.v1.nothing.of.this")
        raised(ImportError, run, "import tf1mem.v1.Session")
        raised(TypeError, tf.Session, config=3)
        raised(TypeError, tf.InteractiveSession, config=3)
        raised(ImportError, run, "import tf1mem.v1.python.client.nothing")
        from importlib.util import find_spec
        assert find_spec("tf1mem.v1.nothing") is None
        """
    )
    assert "Exception ignored" not in scenario.stderr


def test_every_public_name_of_compat_v1_exists(scenario):
    scenario(
        """
        import types
        import tf1mem.v1 as tf
        import tensorflow

        missing, walked = [], []

        def walk(theirs, ours, path):
            walked.append(theirs)
            for name in dir(theirs):
                dotted = path + "." + name
                if name.startswith("_") or dotted == "tf.compat.v2" or not hasattr(theirs, name):
                    continue
                value = getattr(theirs, name)
                if not hasattr(ours, name):
                    missing.append(dotted)
                # Into namespaces only: TensorFlow's and Keras's own are generated, and lie in a folder `_api` or `api`.
                elif isinstance(value, types.ModuleType) and not any(value is one for one in walked):
                    if {"_api", "api"} & set(getattr(value, "__name__", "").split(".")):
                        walk(value, getattr(ours, name), dotted)

        walk(tensorflow.compat.v1, tf, "tf")
        assert len(walked) > 60, len(walked)
        assert not missing, missing
        from tf1mem.v1.lite.python import lite_constants  # below a public namespace, what isn't public
        assert lite_constants.__name__.startswith("tensorflow")
        """
    )


def test_a_folder_with_only_stubs_is_no_package(scenario):
    scenario(
        """
        if not TF1:
            import pathlib
            import tf1mem.v1.contrib
            stub = pathlib.Path("compiler", "__init__.pyi")
            stub.parent.mkdir()
            stub.write_text("")
            tf1mem.v1.contrib.__path__.append(os.getcwd())
            from tf1mem.v1.contrib import compiler
            assert type(compiler) is type(tf1mem.v1.contrib), compiler
            assert compiler.jit.experimental_jit_scope
        """
    )


def test_every_namespace_with_a_stub_exists(scenario):
    scenario(
        """
        import importlib, operator
        import tensorflow
        from tf1mem.errors import MissingPackageError
        from tf1mem.names import stubs
        for namespace in stubs.namespaces():
            try:
                importlib.import_module("tf1mem.v1." + namespace)
            except MissingPackageError:
                assert namespace.split(".")[0] in ("estimator", "keras"), namespace
            except ImportError:
                assert VERSION < (1, 14), namespace  # 1.14 was the first to have it
                try:
                    operator.attrgetter(namespace)(tensorflow)
                except AttributeError:
                    continue
                raise
        """
    )


def test_star_import_dir_help_and_reload(scenario):
    scenario(
        """
        import importlib, io, pydoc
        import tf1mem.v1 as tf
        names = {}
        exec("from tf1mem.v1 import *", names)
        for name in ("Session", "ConfigProto", "placeholder", "train", "nn", "keras", "VERSION"):
            assert names[name] is getattr(tf, name), name
        exec("from tf1mem.v1.train import *", names)
        assert names["Supervisor"] is tf.train.Supervisor and names["Saver"] is tf.train.Saver
        assert {"Session", "train", "global_variables", "contrib"} <= set(dir(tf))
        assert {"Supervisor", "Saver"} <= set(dir(tf.train))
        text = pydoc.render_doc(tf.Session)
        assert "A class for running TensorFlow operations" in text
        assert "tf1mem.v1" in pydoc.render_doc(tf.train)
        before = tf.Session
        importlib.reload(tf)
        assert tf.Session is not None and issubclass(before, sys.modules["tensorflow"].compat.v1.Session)
        with tf.Session() as sess:
            assert sess.run(tf.constant(2) + 3) == 5
        """
    )


def test_pickling(scenario):
    scenario(
        """
        import copy, pickle
        import tf1mem.v1 as tf
        assert pickle.loads(pickle.dumps(tf.Session)) is tf.Session
        assert pickle.loads(pickle.dumps(tf.train.ChiefSessionCreator)) is tf.train.ChiefSessionCreator
        assert pickle.loads(pickle.dumps(tf.train)) is tf.train
        # The second row has what tf1mem wraps, and a function of a namespace without an overlay.
        # swish is left out: TensorFlow 1.13 can't pickle it.
        for function in (
            *(tf.tanh, tf.nn.tanh, tf.nn.relu6, tf.nn.leaky_relu, tf.nn.sigmoid, tf.arg_max, tf.concat),
            *(tf.test.TestCase, tf.train.MonitoredTrainingSession, tf.enable_eager_execution, tf.image.decode_png),
        ):
            for protocol in (2, pickle.HIGHEST_PROTOCOL):
                assert pickle.loads(pickle.dumps(function, protocol)) is function
        config = tf.ConfigProto(log_device_placement=True)
        assert pickle.loads(pickle.dumps(config)) == config
        assert copy.deepcopy(config) == config
        """
    )


def test_results_of_py_func_have_the_dtypes_of_numpy_1(scenario):
    scenario(
        """
        import numpy as np
        import tf1mem.v1 as tf
        whole, real = np.ones(3, np.int32), np.ones(3, np.float32)
        functions = [
            tf.py_func(lambda x: x * np.int64(2), [whole], tf.int32),
            *tf.py_func(lambda x: (x * np.float64(0.5), x), [real], [tf.float32, tf.float32]),
            *tf.py_func(lambda x: x + np.array(255), [np.ones(1, np.uint8)], [tf.uint8], stateful=False, name="one"),
        ]
        with tf.Session() as session:
            results = session.run(functions)
            assert [each.tolist() for each in results] == [[2, 2, 2], [0.5, 0.5, 0.5], [1, 1, 1], [0]]
            assert [each.dtype.name for each in results] == ["int32", "float32", "float32", "uint8"]
            for wrong in (lambda x: x * 0.5, lambda x: x.astype(np.int8), lambda x: (x, x)):
                wrong = tf.py_func(wrong, [whole], [tf.int32])
                try:
                    session.run(wrong)
                    raise AssertionError(wrong)
                except tf.errors.OpError:
                    pass
        """
    )


def test_a_sparse_placeholder_feeds_its_own_shape(scenario):
    """TensorFlow 2.4 and later make an op more, which takes the name of a program's placeholder with a default."""
    scenario(
        """
        import tf1mem.v1 as tf

        sparse = [
            tf.sparse_placeholder(tf.float32, tf.constant([2, 3], tf.int64)),
            tf.sparse_placeholder(tf.float32, (2, 3), name="named"),
            tf.sparse_placeholder(tf.float32, [None, 3]),
        ]
        rate = tf.placeholder_with_default(0.5, ())
        assert [op.name for op in tf.get_default_graph().get_operations()] == [
            "Const", "Placeholder", "Placeholder_1",
            "named/shape", "named/values", "named/indices",
            "Placeholder_2", "Placeholder_3", "Placeholder_4",
            "PlaceholderWithDefault/input", "PlaceholderWithDefault",
        ]
        copies = [tf.SparseTensor(each.indices, rate * each.values, each.dense_shape) for each in sparse]
        products = [tf.sparse_tensor_dense_matmul(each, tf.ones([3, 1])) for each in copies]
        assert [each.shape[0] for each in products[:2]] == [2, 2]
        value = tf.SparseTensorValue([[0, 1]], [2.0], [2, 3])
        with tf.Session() as session:
            for each, product in zip(sparse, products):
                assert session.run(product, {each: value}).tolist() == [[1.0], [0.0]]
        """
    )


def test_fused_batch_norm_has_at_least_tensorflow_1_s_epsilon(scenario):
    scenario(
        """
        import tensorflow
        import tf1mem.v1 as tf

        x, ones = tf.ones([1, 1, 2, 1]), tf.ones([1])
        by_layers = tensorflow.compat.v1.nn.fused_batch_norm  # Keras's own layers call it there
        outputs = [
            tf.nn.fused_batch_norm(x, ones, ones, epsilon=1e-5)[0],
            by_layers(x, ones, ones, None, None, 1e-6)[0],
            tf.nn.fused_batch_norm(x, ones, ones, epsilon=2e-5)[0],
            tf.nn.fused_batch_norm(x, ones, ones)[0],
        ]
        assert [round(each.op.get_attr("epsilon"), 9) for each in outputs] == [1.001e-5, 1.001e-5, 2e-5, 1e-3]
        """
    )


def test_instances_and_subclasses(scenario):
    scenario(
        """
        import abc
        import tf1mem.v1 as tf
        import tensorflow

        theirs = tensorflow.compat.v1.Session()
        ours = tf.Session()
        assert isinstance(theirs, tf.Session) and isinstance(ours, tensorflow.compat.v1.Session)
        assert issubclass(tensorflow.compat.v1.Session, tf.Session)
        assert not isinstance("session", tf.Session)
        assert not isinstance(ours, tf.InteractiveSession)

        class MySession(tf.Session):
            def __init__(self, name, **kwargs):
                super(MySession, self).__init__(**kwargs)
                self.name = name

        class Mixed(tf.Session, abc.ABC):
            pass

        mine = MySession("mine", config=tf.ConfigProto(operation_timeout_in_ms=5000))
        assert isinstance(mine, tf.Session) and not isinstance(theirs, MySession)
        assert mine._config.operation_timeout_in_ms == 5000
        with mine.as_default():
            assert tf.constant(3).eval() == 3
        with Mixed() as sess:
            assert sess.run(tf.constant(4)) == 4
        """
    )


def test_resource_variables_are_variables(scenario):
    scenario(
        """
        import tf1mem.v1 as tf

        v = tf.get_variable("v", initializer=[1.0, 2.0], use_resource=True)
        w = tf.get_variable("w", initializer=[3.0])
        assert isinstance(v, tf.Variable) and isinstance(w, tf.Variable) and not isinstance(v + 1.0, tf.Variable)
        assert v.op.type == "VarHandleOp"
        for conversion in (float, int, complex):
            raised(TypeError, conversion, tf.get_variable(conversion.__name__, [], use_resource=True))
        twice = tf.get_variable("twice", initializer=2 * v.initialized_value(), use_resource=True)
        with tf.Session() as sess:
            sess.run(twice.initializer)
            assert sess.run(twice).tolist() == [2.0, 4.0]
            sess.run(v.initializer)
            sess.run(v.assign_add([1.0, 1.0]))
            assert sess.run(v.initialized_value()).tolist() == [2.0, 3.0]
        """
    )


def test_arrays_hold_tensors(scenario):
    scenario(
        """
        import numpy as np
        import tf1mem.v1 as tf

        class Tests(tf.test.TestCase):
            def runTest(self):
                state = [[tf.zeros([1]), tf.ones([1])]]
                self.assertAllEqual(state, [list(pair) for pair in state])

        a, b = tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])
        v = tf.get_variable("v", initializer=[5.0, 6.0], use_resource=True)
        held = np.array([[a, b], [v, 7.0]])
        assert held.shape == (2, 2) and held.dtype == object and held[0, 1] is b and held[1, 0] is v
        assert np.size([a, b]) == 2 and np.random.choice([a, a]) is a and np.concatenate([[a], [b]])[1] is b
        raised((TypeError, ValueError, NotImplementedError), np.array, [a, b], np.float32)
        rows = tf.zeros([2, tf.shape(a)[0]])  # here TensorFlow itself tries np.prod
        with tf.Session() as sess:
            assert sess.run([np.sum([a, b]), tf.stack([a, b])])[0].tolist() == [4.0, 6.0]
            assert sess.run([rows], {a: np.array([8.0, 9.0])})[0].shape == (2, 2)
            raised(TypeError, sess.run, rows, {a: b})
        Tests().debug()
        """
    )


def test_own_files_keep_their_names(scenario):
    scenario(
        """
        import tf1mem.v1 as tf
        import tf1mem.v1._sessions, tf1mem.v1._namespace
        assert tf1mem.v1._sessions.__file__.endswith("_sessions.py")
        duplicates = [name for name, module in list(sys.modules.items()) if name.startswith("tf1mem.v1.")
                      and getattr(module, "__file__", "") and "tensorflow" in str(module.__file__)
                      and getattr(module, "__name__", name) == name]
        assert not duplicates, duplicates
        """
    )


def test_a_strategy_has_experimental_run_v2(scenario):
    scenario(
        """
        import tf1mem.v1 as tf
        if VERSION >= (1, 15):
            strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
            with strategy.scope(), tf.Session() as sess:
                total = strategy.experimental_run_v2(lambda a, b: tf.add(a, b), (tf.constant(1.0),), {"b": 2.0})
                assert sess.run(strategy.experimental_local_results(total)) == (3.0,)
        """
    )
