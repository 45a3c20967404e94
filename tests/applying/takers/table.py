"""Lists the calls in TensorFlow that make devices without a config, as programs make them.

Each entry is a few lines that start the GPU. `tf` is TensorFlow 1's API, in graph mode unless `eager` is True.
"""

from __future__ import annotations

import textwrap
from typing import NamedTuple

from tests.processes.environment import LIMIT_S

ALARM_S = LIMIT_S - 60  # before the test's own limit, so that a program that hangs is named
# Spans of TensorFlow: all, 1 and 2.
ANY = ((1, 13), (9, 0))
FIRST = ((1, 13), (1, 99))
SECOND = ((2, 0), (9, 0))


class Calls(NamedTuple):
    """Lines that start the GPU without a config.

    Attributes:
        code: The lines.
        span: The first and the last TensorFlow with these calls, by their first two numbers.
        eager: True if the lines need eager mode; False by default.
        needs: A package that the lines need in addition to TensorFlow; "" for none, the default.
        before_sessions: True if the lines make logical devices, which TensorFlow refuses once a Session with a fraction
            has started the GPU; False by default.
    """

    code: str
    span: tuple[tuple[int, int], tuple[int, int]] = ANY
    eager: bool = False
    needs: str = ""
    before_sessions: bool = False


_OP = "op = tf.fill([4], 1.0) + 1.0"
# The simulated GPUs compute no values here, so lines whose values are needed, such as counts of steps, run on the CPU.
_TRAINED = """
step = tf.train.get_or_create_global_step()
train_op = tf.group(tf.assign_add(step, 1), tf.fill([4], 1.0) + 1.0)
"""
_MODEL = """
import tempfile

def model(features, labels, mode, params=None):
    with tf.device("/cpu:0"):
        train_op = tf.assign_add(tf.train.get_or_create_global_step(), 1)
    return tf.estimator.EstimatorSpec(mode, loss=tf.reduce_sum(features["x"]) * 2.0, train_op=train_op)

class Once(tf.train.SessionRunHook):
    def after_run(self, context, values):
        raise SystemExit

def numbers(params=None):
    return tf.data.Dataset.from_tensors(({"x": [1.0]}, [1.0])).repeat(2)
"""
_CONTRIB = """
import tempfile

def model(features, labels, mode):
    with tf.device("/cpu:0"):
        train_op = tf.assign_add(tf.train.get_or_create_global_step(), 1)
    return tf.contrib.learn.ModelFnOps(mode, loss=tf.reduce_sum(features) * 2.0, train_op=train_op)

def numbers():
    return tf.constant([1.0]), tf.constant([1.0])

class Once(tf.train.SessionRunHook):
    def after_run(self, context, values):
        raise SystemExit
"""
_MAKE_KERAS = """
import numpy
net = tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=(3,))])
"""
_CLUSTER = """
import socket

def free():
    with socket.socket() as one:
        one.bind(("localhost", 0))
        return one.getsockname()[1]

cluster = {"worker": ["localhost:%d" % free()]}
"""
_STRATEGY = """
with strategy.scope():
    variable = tf.Variable([1.0, 2.0])
"""
_EAGER_STRATEGY = _STRATEGY + "variable[0] + 1.0\n"
# Lines to add to a call that only makes devices: it reserves no memory, but the first op on these devices does.
_THEN = """
with tf.Graph().as_default(), tf.Session() as sess:
    sess.run(tf.fill([4], 1.0) + 1.0)
"""
_THEN_ON_SERVER = """
with tf.Graph().as_default(), tf.Session(server.target) as sess:
    sess.run(tf.fill([4], 1.0) + 1.0)
"""
_IN_A_SESSION = """
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
"""

# Name -> the lines.
CALLS: dict[str, Calls] = {
    "Session": Calls(_OP + "\nwith tf.Session() as sess:\n    sess.run(op)"),
    "Session.as_default": Calls(_OP + "\nwith tf.Session().as_default():\n    op.eval()"),
    "InteractiveSession": Calls(_OP + "\nsess = tf.InteractiveSession()\nop.eval()\nsess.close()"),
    "MonitoredTrainingSession": Calls(
        _TRAINED + "with tf.train.MonitoredTrainingSession() as sess:\n    sess.run(train_op)"
    ),
    "SingularMonitoredSession": Calls(
        _TRAINED + "with tf.train.SingularMonitoredSession() as sess:\n    sess.run(train_op)"
    ),
    "MonitoredSession": Calls(_TRAINED + "with tf.train.MonitoredSession() as sess:\n    sess.run(train_op)"),
    "ChiefSessionCreator": Calls(
        _TRAINED + "creator = tf.train.ChiefSessionCreator()\n"
        "with tf.train.MonitoredSession(session_creator=creator) as sess:\n    sess.run(train_op)"
    ),
    "WorkerSessionCreator": Calls(
        _OP + "\ncreator = tf.train.WorkerSessionCreator()\n"
        "with tf.train.MonitoredSession(session_creator=creator) as sess:\n    sess.run(op)"
    ),
    "managed_session": Calls(
        "v = tf.Variable([1.0])\nsv = tf.train.Supervisor(logdir=None)\nwith sv.managed_session() as sess:\n"
        "    sess.run(v)"
    ),
    "prepare_or_wait_for_session": Calls(
        "v = tf.Variable([1.0])\nsv = tf.train.Supervisor(logdir=None)\nsess = sv.prepare_or_wait_for_session()\n"
        "sess.run(v)\nsv.stop()"
    ),
    "SessionManager.prepare_session": Calls(
        "v = tf.Variable([1.0])\n"
        "sess = tf.train.SessionManager().prepare_session('', init_op=tf.global_variables_initializer())\nsess.run(v)"
    ),
    "SessionManager.wait_for_session": Calls(
        _OP + "\nsess = tf.train.SessionManager().wait_for_session('', max_wait_secs=5)\nsess.run(op)"
    ),
    "SessionManager.recover_session": Calls(
        _OP + "\nsess, ok = tf.train.SessionManager().recover_session('')\nsess.run(op)"
    ),
    "Server.create_local_server": Calls(
        _OP + "\nserver = tf.train.Server.create_local_server()\nwith tf.Session(server.target) as sess:\n"
        "    sess.run(op)"
    ),
    "Server": Calls(_CLUSTER + "server = tf.train.Server(cluster, 'worker', 0)" + _THEN_ON_SERVER),
    "Server, of a ServerDef": Calls(
        _CLUSTER + "made = tf.train.ServerDef(protocol='grpc', job_name='worker', task_index=0)\n"
        "made.cluster.CopyFrom(tf.train.ClusterSpec(cluster).as_cluster_def())\nserver = tf.train.Server(made)"
        + _THEN_ON_SERVER
    ),
    "Server, started later": Calls(
        _CLUSTER + "server = tf.train.Server(cluster, 'worker', 0, start=False)\nserver.start()" + _THEN_ON_SERVER
    ),
    "distribute.Server": Calls(
        _CLUSTER + "server = tf.distribute.Server(cluster, 'worker', 0)" + _THEN_ON_SERVER, ((1, 15), (9, 0))
    ),
    "server_lib.Server": Calls(
        _CLUSTER
        + "from tensorflow.python.training import server_lib\nserver = server_lib.Server(cluster, 'worker', 0)"
        + _THEN_ON_SERVER
    ),
    "Supervisor on a Server": Calls(
        "v = tf.Variable([1.0])\nserver = tf.train.Server.create_local_server()\n"
        "sv = tf.train.Supervisor(logdir=None)\nwith sv.managed_session(server.target) as sess:\n    sess.run(v)"
    ),
    "MonitoredTrainingSession on a Server": Calls(
        _TRAINED + "server = tf.train.Server.create_local_server()\n"
        "with tf.train.MonitoredTrainingSession(server.target) as sess:\n    sess.run(train_op)"
    ),
    "list_local_devices": Calls(
        "from tensorflow.python.client import device_lib\ndevice_lib.list_local_devices()" + _THEN
    ),
    "list_local_devices, by its name": Calls(
        "from tensorflow.python.client.device_lib import list_local_devices\nlist_local_devices()" + _THEN
    ),
    "test.is_gpu_available": Calls("assert tf.test.is_gpu_available()" + _THEN),
    "test.gpu_device_name": Calls("assert tf.test.gpu_device_name()" + _THEN),
    "list_logical_devices": Calls("tf.config.experimental.list_logical_devices('GPU')" + _THEN, ((1, 15), (9, 0))),
    "test_session": Calls(
        "class Test(tf.test.TestCase):\n    def runTest(self):\n"
        "        with self.test_session(use_gpu=True) as sess:\n            sess.run(tf.fill([4], 1.0) + 1.0)\n"
        "import unittest\nassert unittest.TextTestRunner().run(Test()).wasSuccessful()"
    ),
    "cached_session": Calls(
        "class Test(tf.test.TestCase):\n    def runTest(self):\n"
        "        with self.cached_session(use_gpu=True) as sess:\n            sess.run(tf.fill([4], 1.0) + 1.0)\n"
        "import unittest\nassert unittest.TextTestRunner().run(Test()).wasSuccessful()"
    ),
    "TestCase.session": Calls(
        "class Test(tf.test.TestCase):\n    def runTest(self):\n"
        "        with self.session(use_gpu=True) as sess:\n            sess.run(tf.fill([4], 1.0) + 1.0)\n"
        "import unittest\nassert unittest.TextTestRunner().run(Test()).wasSuccessful()"
    ),
    "Benchmark": Calls(
        "class Timed(tf.test.Benchmark):\n    pass\n"
        "with tf.Session() as sess:\n"
        "    Timed().run_op_benchmark(sess, tf.fill([4], 1.0) + 1.0, burn_iters=1, min_iters=1)"
    ),
    "enable_eager_execution": Calls("tf.fill([4], 1.0) + 1.0", eager=True),
    "tf.function": Calls("tf.function(lambda x: x + 1.0)(tf.fill([4], 1.0))", ((1, 15), (9, 0)), eager=True),
    "wrap_function": Calls(
        "tf.wrap_function(lambda x: x + 1.0, [tf.TensorSpec([4], tf.float32)])(tf.fill([4], 1.0))",
        ((1, 15), (9, 0)),
        eager=True,
    ),
    "saved_model.loader": Calls(
        """
        import tempfile
        folder = tempfile.mkdtemp() + "/model"
        with tf.Graph().as_default(), tf.device("/cpu:0"):
            build = tf.saved_model.builder.SavedModelBuilder(folder)
        with tf.Graph().as_default(), tf.Session() as sess:
            v = tf.Variable([1.0])
            sess.run(v.initializer)
            build.add_meta_graph_and_variables(sess, ["serve"])
        build.save()
        with tf.Graph().as_default(), tf.Session() as sess:
            tf.saved_model.loader.load(sess, ["serve"], folder)
        """
    ),
    "saved_model.load": Calls(
        """
        import tempfile
        folder = tempfile.mkdtemp() + "/model"
        module = tf.Module()
        module.v = tf.Variable([1.0])
        import tensorflow as tf2
        tf2.compat.v2.saved_model.save(module, folder)
        tf2.compat.v2.saved_model.load(folder)
        """,
        SECOND,
        eager=True,
    ),
    "data.Dataset": Calls("list(tf.data.Dataset.range(3).map(lambda x: x + 1))", SECOND, eager=True),
    "data.service": Calls(
        "from tensorflow.compat import v2\nservice = v2.data.experimental.service\n"
        "dispatcher = service.DispatchServer()\naddress = dispatcher.target.split('://')[1]\n"
        "worker = service.WorkerServer(service.WorkerConfig(dispatcher_address=address))\n" + _OP,
        ((2, 4), (9, 0)),
        eager=True,
    ),
    "profiler": Calls(
        "import tempfile\nfrom tensorflow.compat import "
        "v2\nv2.profiler.experimental.start(tempfile.mkdtemp())\ntf.fill([4], 1.0) + 1.0\n"
        "v2.profiler.experimental.stop()",
        ((2, 4), (9, 0)),
        eager=True,
    ),
    "logical CPUs": Calls(
        "cpu, = tf.config.experimental.list_physical_devices('CPU')\n"
        "split = [tf.config.experimental.VirtualDeviceConfiguration()] * 2\n"
        "tf.config.experimental.set_virtual_device_configuration(cpu, split)\ntf.fill([4], 1.0) + 1.0",
        ((1, 15), (9, 0)),
        eager=True,
        before_sessions=True,
    ),
    "a limit of the program's own": Calls(
        "gpu, = tf.config.experimental.list_physical_devices('GPU')\n"
        "limit = [tf.config.experimental.VirtualDeviceConfiguration(memory_limit=100)]\n"
        "tf.config.experimental.set_virtual_device_configuration(gpu, limit)\ntf.fill([4], 1.0) + 1.0",
        ((1, 15), (9, 0)),
        eager=True,
        before_sessions=True,
    ),
    "dtensor": Calls(
        "from tensorflow.compat import v2\nv2.experimental.dtensor.initialize_accelerator_system('GPU')\n"
        "tf.fill([4], 1.0) + 1.0",
        ((2, 11), (9, 0)),
        eager=True,
        before_sessions=True,
    ),
    "another eager context": Calls(
        "from tensorflow.python.eager import context\ncontext._reset_context()\ntf.fill([4], 1.0) + 1.0",
        ((2, 2), (9, 0)),
        eager=True,
    ),
    "a second eager context": Calls(
        "from tensorflow.python.eager import context\ncontext.Context().ensure_initialized()\ntf.fill([4], 1.0) + 1.0",
        ((2, 2), (9, 0)),
        eager=True,
    ),
    "a subclass of SessionCreator": Calls(
        _OP + "\nclass Creator(tf.train.SessionCreator):\n    def create_session(self):\n        return tf.Session()\n"
        "with tf.train.MonitoredSession(session_creator=Creator()) as sess:\n    sess.run(op)"
    ),
    "a subclass of BaseSession": Calls(
        "from tensorflow.python.client import session\n" + _OP + "\nclass Mine(session.BaseSession):\n    pass\n"
        "Mine().run(op)"
    ),
    "lite, with a representative dataset": Calls(
        """
        from tensorflow.compat import v2
        module = tf.Module()
        module.v = tf.Variable([[1.0]] * 4)
        module.f = v2.function(lambda x: tf.matmul(x, module.v), [v2.TensorSpec([1, 4], tf.float32)])
        converter = v2.lite.TFLiteConverter.from_concrete_functions([module.f.get_concrete_function()], module)
        converter.optimizations = [v2.lite.Optimize.DEFAULT]
        converter.representative_dataset = lambda: iter([[v2.ones([1, 4])]])
        converter.convert()
        """,
        ((2, 15), (9, 0)),
        eager=True,
    ),
    "ParameterServerStrategy of TensorFlow 2": Calls(
        _CLUSTER
        + """
from tensorflow.compat import v2
spec = tf.train.ClusterSpec({"worker": ["localhost:%d" % free()], "ps": ["localhost:%d" % free()]})
servers = [v2.distribute.Server(spec, job_name=job, task_index=0, protocol="grpc") for job in spec.jobs]
resolver = v2.distribute.cluster_resolver.SimpleClusterResolver(spec, rpc_layer="grpc")
strategy = v2.distribute.experimental.ParameterServerStrategy(resolver)
coordinator = v2.distribute.experimental.coordinator.ClusterCoordinator(strategy)
with strategy.scope():
    variable = v2.Variable([1.0, 2.0])

@v2.function
def step():
    with tf.device("/device:GPU:0"):
        return variable * 2.0 + tf.fill([2], 1.0)

coordinator.schedule(step).fetch()
""",
        ((2, 15), (9, 0)),
        eager=True,
    ),
    "py_function": Calls(
        "tf.py_function(lambda x: x + 1.0, [tf.fill([4], 1.0)], tf.float32)",
        eager=True,
    ),
    "a thread's Session": Calls(
        "import threading\n" + _OP + "\ngraph = tf.get_default_graph()\n"
        "def work():\n    with tf.Session(graph=graph) as sess:\n        sess.run(op)\n"
        "thread = threading.Thread(target=work)\nthread.start()\nthread.join()"
    ),
    "keras.get_session": Calls(_OP + "\ntf.keras.backend.get_session().run(op)", needs="keras 2"),
    "keras predict": Calls(
        _MAKE_KERAS + "net.predict(numpy.ones((4, 3)), verbose=0)",
        needs="keras 2",
    ),
    "keras predict, eager": Calls(
        _MAKE_KERAS + "net.predict(numpy.ones((4, 3)), verbose=0)",
        SECOND,
        eager=True,
        needs="keras 2",
    ),
    "keras.set_session": Calls(
        _OP + "\ntf.keras.backend.set_session(tf.Session())\ntf.keras.backend.get_session().run(op)", needs="keras 2"
    ),
    "Estimator": Calls(
        _MODEL + "tf.estimator.Estimator(model, tempfile.mkdtemp()).train(numbers, hooks=[Once()])",
        needs="estimator",
    ),
    "Estimator with a RunConfig": Calls(
        _MODEL + "config = tf.estimator.RunConfig(model_dir=tempfile.mkdtemp())\n"
        "tf.estimator.Estimator(model, config=config).train(numbers, hooks=[Once()])",
        needs="estimator",
    ),
    "Estimator.evaluate": Calls(
        _MODEL + "tf.estimator.Estimator(model, tempfile.mkdtemp()).evaluate(numbers, steps=1, hooks=[Once()])",
        needs="estimator",
    ),
    "train_and_evaluate": Calls(
        _MODEL + "one = tf.estimator.Estimator(model, tempfile.mkdtemp())\n"
        "tf.estimator.train_and_evaluate(one, tf.estimator.TrainSpec(numbers, 1, [Once()]), "
        "tf.estimator.EvalSpec(numbers, 1))",
        needs="estimator",
    ),
    "train_and_evaluate in a cluster": Calls(
        _CLUSTER + _MODEL + "import json, os\n"
        "cluster = {'chief': ['localhost:%d' % free()], 'ps': ['localhost:%d' % free()]}\n"
        "os.environ['TF_CONFIG'] = json.dumps({'cluster': cluster, 'task': {'type': 'ps', 'index': 0}})\n"
        "one = tf.estimator.Estimator(model, config=tf.estimator.RunConfig(tempfile.mkdtemp()))\n"
        "import threading\n"
        "threading.Thread(target=tf.estimator.train_and_evaluate, daemon=True, args=(one, "
        "tf.estimator.TrainSpec(numbers, 1, [Once()]), tf.estimator.EvalSpec(numbers, 1))).start()\n"
        "import time\ntime.sleep(3)" + _THEN,
        needs="estimator",
    ),
    "TPUEstimator": Calls(
        _MODEL.replace("tf.estimator.EstimatorSpec", "tf.estimator.tpu.TPUEstimatorSpec")
        + "config = tf.estimator.tpu.RunConfig(model_dir=tempfile.mkdtemp())\n"
        "tf.estimator.tpu.TPUEstimator(model, config=config, use_tpu=False, train_batch_size=1)"
        ".train(numbers, hooks=[Once()])",
        ((1, 14), (2, 15)),
        needs="estimator",
    ),
    "contrib.learn.Estimator": Calls(
        _CONTRIB
        + "tf.contrib.learn.Estimator(model, tempfile.mkdtemp()).fit(input_fn=numbers, steps=1, monitors=[Once()])",
    ),
    "contrib.learn.RunConfig": Calls(
        _CONTRIB + "tf.contrib.learn.Estimator(model, config=tf.contrib.learn.RunConfig(model_dir=tempfile.mkdtemp()))"
        ".fit(input_fn=numbers, steps=1, monitors=[Once()])"
    ),
    "slim.learning.train": Calls(
        "import tempfile\nwith tf.device('/cpu:0'):\n    step = tf.train.get_or_create_global_step()\n"
        "v = tf.Variable([1.0])\nloss = tf.reduce_sum(v)\ntrain_op = tf.contrib.slim.learning.create_train_op(loss,"
        " tf.train.GradientDescentOptimizer(0.1))\n"
        "tf.contrib.slim.learning.train(train_op, tempfile.mkdtemp(), number_of_steps=1, "
        "train_step_fn=lambda sess, *rest: (sess.run(loss), True))",
    ),
    "slim.evaluation.evaluate_once": Calls(
        """
        import tempfile
        folder = tempfile.mkdtemp()
        with tf.Graph().as_default(), tf.device("/cpu:0"):
            tf.train.get_or_create_global_step()
            v = tf.get_variable("v", [1])
            saver, graph = tf.train.Saver(), tf.get_default_graph()
            import subprocess, sys
        with graph.as_default():
            sess = tf.Session()
            sess.run(tf.global_variables_initializer())
            saver.save(sess, folder + "/model.ckpt")
        tf.contrib.slim.evaluation.evaluate_once("", folder + "/model.ckpt", folder)
        """,
        FIRST,
    ),
    "contrib.training.train": Calls(
        "import tempfile\nwith tf.device('/cpu:0'):\n"
        "    train_op = tf.add(tf.assign_add(tf.train.get_or_create_global_step(), 1), 0)\nloss = "
        "tf.fill([4], 1.0) + 1.0\n"
        "train_op = tf.group(train_op, loss)\n"
        "tf.contrib.training.train(train_op, tempfile.mkdtemp(), hooks=[tf.train.StopAtStepHook(1)])",
    ),
    "MirroredStrategy": Calls("strategy = tf.distribute.MirroredStrategy()" + _EAGER_STRATEGY, SECOND, eager=True),
    "MirroredStrategy, in graphs": Calls(
        "strategy = tf.distribute.MirroredStrategy()" + _STRATEGY + _IN_A_SESSION, ((1, 14), (9, 0))
    ),
    "OneDeviceStrategy": Calls(
        "strategy = tf.distribute.OneDeviceStrategy('/gpu:0')" + _EAGER_STRATEGY, SECOND, eager=True
    ),
    "CentralStorageStrategy": Calls(
        "strategy = tf.distribute.experimental.CentralStorageStrategy()" + _EAGER_STRATEGY, SECOND, eager=True
    ),
    "ParameterServerStrategy": Calls(
        "strategy = tf.distribute.experimental.ParameterServerStrategy()" + _STRATEGY + _IN_A_SESSION, ((1, 14), (9, 0))
    ),
    "MultiWorkerMirroredStrategy": Calls(
        "strategy = tf.distribute.experimental.MultiWorkerMirroredStrategy()" + _EAGER_STRATEGY, SECOND, eager=True
    ),
    "MultiWorkerMirroredStrategy in a cluster": Calls(
        _CLUSTER + "import json, os\n"
        "os.environ['TF_CONFIG'] = json.dumps({'cluster': cluster, 'task': {'type': 'worker', 'index': 0}})\n"
        "strategy = tf.distribute.experimental.MultiWorkerMirroredStrategy()" + _EAGER_STRATEGY,
        SECOND,
        eager=True,
    ),
    "experimental_connect_to_host": Calls(
        _CLUSTER + "server = tf.distribute.Server(cluster, 'worker', 0)\n"
        "tf.config.experimental_connect_to_host('localhost:%s' % cluster['worker'][0].split(':')[1])\n"
        "tf.fill([4], 1.0) + 1.0",
        SECOND,
        eager=True,
    ),
    "distribute_coordinator": Calls(
        _CLUSTER + "from tensorflow.python.distribute import distribute_coordinator as dc\n"
        "cluster = {'worker': ['localhost:%d' % free()], 'ps': ['localhost:%d' % free()]}\n"
        "dc._run_std_server(cluster_spec=tf.train.ClusterSpec(cluster), task_type='ps', task_id=0)" + _THEN,
    ),
    "LocalCLIDebugWrapperSession": Calls(
        "from tensorflow.python import debug\n" + _OP + "\nwith debug.DumpingDebugWrapperSession(tf.Session(), "
        "__import__('tempfile').mkdtemp()) as sess:\n    sess.run(op)",
        FIRST,
    ),
    "grappler's Cluster": Calls(
        "from tensorflow.python.grappler import cluster\ncluster.Cluster().ListDevices()" + _THEN,
    ),
}

# The names that CI runs: calls of six kinds, by which programs start TensorFlow most.
IN_CI = frozenset((
    "Session", "MonitoredTrainingSession", "distribute.Server", "list_local_devices, by its name", "keras.get_session",
    "Estimator with a RunConfig",
))  # fmt: skip

# Further names of tf1mem.settings.takers, which make their Session in the same way as one of the calls above.
SAME_AS_OTHERS = frozenset(
    "PrepareSession prepare_or_wait_for_session replace evaluation_loop evaluate_repeatedly evaluate_once".split()
)

# The sources of settings: options of `tf1mem run`, the environment, or lines of the program before the call.
SOURCES = ("--config", "--override", "environment", "apply", "apply, under tf1mem.v1", "program")

_V1 = "import tf1mem.v1 as tf\n"
_PLAIN = "import tensorflow\ntf = tensorflow if tensorflow.__version__ < '2' else tensorflow.compat.v1\n"
_GRAPH = "tf.compat.v1.disable_eager_execution()\n"
_EAGER = "tf.enable_eager_execution()\n"


def program(name: str, source: str, settings: dict) -> str:  # type: ignore[type-arg]
    """Returns a program that makes a call of `CALLS` with settings, a dict in ConfigProto's shape, from a source."""
    calls = CALLS[name]
    code = f"import signal\nsignal.alarm({ALARM_S})\n" + textwrap.dedent(calls.code).strip() + "\n"
    if source in ("--config", "--override", "environment"):
        return "import tensorflow as tf\n" + (_EAGER if calls.eager else "") + code
    if source == "apply":
        return f"import tf1mem\n{_PLAIN}tf1mem.apply({settings!r})\n" + (_EAGER if calls.eager else _GRAPH) + code
    if source == "apply, under tf1mem.v1":
        return f"import tf1mem\n{_V1}tf1mem.apply({settings!r})\n" + (_EAGER if calls.eager else "") + code
    before = _EAGER if calls.eager else ""
    before += f"tf.Session(config=tf1mem.settings.settings.Settings.of({settings!r}).to_proto()).close()\n"
    return "import tf1mem.settings.settings\n" + _V1 + before + code
