"""A config that the source shows becomes `tf.config` calls, and its Session needs none.

The calls stand where the config was made and its fields were set. The Session stays as `tf.compat.v1.Session(…)`, which
follows tf.config's settings if it has no config; a Session made only for its options is removed. Where a Session stays,
unset soft placement was off in TensorFlow 1 and is on in TensorFlow 2: `tf.config.set_soft_device_placement(False)`
keeps it off. A fraction needs `--gpu-memory-mib`; it becomes a limit in whole pages of 2 MiB, which every TensorFlow
keeps.

Calls of tf.config affect the whole process. So in some places a Session keeps its config, as a
`tf.compat.v1.ConfigProto`: in a function of a file that isn't a program by itself (it neither names `__main__` nor
starts what it defines); if the config is made before branches that don't all use it, or when a file is imported and
used later; and if a value that TensorFlow reads once (threads, visible GPUs, their memory) may differ in another call,
loop turn or config. Once the runtime has started, tf.config raises an error then, where a Session keeps the first
value, as in TensorFlow 1.

Consumers with their own defaults that accept nothing else keep a `tf.compat.v1.ConfigProto`: an Estimator's RunConfig,
a Server, list_local_devices, an InteractiveSession with more settings than growth, a test's Session. Settings that last
for the process (the GPUs' memory, visible GPUs, intra-op threads) also become tf.config calls, since an eager op may
come first. In a test, other tests may have come first: there the config stays with tf1mem. A config without an
equivalent goes through tf1mem as with target "apply", and a remark gives the reason.
"""

from __future__ import annotations

from tf1mem.codemod.rules import HEAD, Example, Rule
from tf1mem.codemod.targets.native.construct import SESSIONS

_GROW = 'for gpu in tf.config.list_physical_devices("GPU"):\n    tf.config.experimental.set_memory_growth(gpu, True)\n'
_OFF = "tf.config.set_soft_device_placement(False)\n"
_CONFIG = "config = tf.ConfigProto()\nconfig.gpu_options.allow_growth = True\n"
_LIMIT = "tf.config.set_logical_device_configuration(gpu, [tf.config.LogicalDeviceConfiguration(memory_limit={})])\n"

rule = Rule(
    SESSIONS,
    to=("native",),
    by_plan=True,
    versions="2.4 to 2.22",
    examples=(
        Example(HEAD + "sess = tf.compat.v1.Session()\n"),
        Example(HEAD + "def f():\n    return 'tf.ConfigProto()'  # tf.Session(config=config)\n"),
        Example("class A:\n    def f(self):\n        self.sess = self.Session(config=self.ConfigProto())\n"),
        Example(
            HEAD + "config = tf.compat.v1.ConfigProto(allow_soft_placement=True)\nsess = tf.compat.v1.Session()\n",
            remarks=(SESSIONS,),
        ),
        Example(
            HEAD + "if hasattr(tf, 'ConfigProto'):\n    sess = tf.Session(config=tf.ConfigProto())\n",
            remarks=(SESSIONS,),
        ),
        Example(
            HEAD + "run = tf.estimator.RunConfig(session_config=tf.compat.v1.ConfigProto(log_device_placement=True))\n"
        ),
        Example(
            HEAD + "def quiet(graph):\n    config = tf.compat.v1.ConfigProto(device_count={'GPU': 0})\n"
            "    return tf.compat.v1.Session(graph=graph, config=config)\n"
        ),
        Example(
            HEAD + "config = tf.compat.v1.ConfigProto(intra_op_parallelism_threads=2)\nif is_worker:\n"
            "    sess = tf.compat.v1.Session(config=config)\n",
            remarks=(SESSIONS,),
        ),
        Example(HEAD + "sess = tf.compat.v1.Session(graph=graph)\nother = tf.compat.v1.Session(config=None)\n"),
        Example(
            HEAD + "def make(n):\n    return tf.compat.v1.Session(\n"
            "        config=tf.compat.v1.ConfigProto(intra_op_parallelism_threads=n))\n"
            "make(1).run(x)\nmake(2).run(x)\n",
            remarks=(SESSIONS,),
        ),
        Example(
            HEAD + _CONFIG + "sess = tf.Session(config=config)\n",
            HEAD + _OFF + _GROW + "sess = tf.compat.v1.Session()\n",
        ),
        Example(
            HEAD + "if not hasattr(self, 'sess'):\n    config = tf.ConfigProto(allow_soft_placement=True)\n"
            "    self.sess = tf.Session(config=config)\n",
            HEAD + "if not hasattr(self, 'sess'):\n    tf.config.set_soft_device_placement(True)\n"
            "    self.sess = tf.compat.v1.Session()\n",
        ),
        Example(
            HEAD + "with tf.Session(graph=graph, config=tf.ConfigProto(\n"
            "        allow_soft_placement=True, log_device_placement=False)) as sess:\n    pass\n",
            HEAD + "tf.config.set_soft_device_placement(True)\n"
            "with tf.compat.v1.Session(graph=graph) as sess:\n    pass\n",
        ),
        Example(
            "import tensorflow\nconfig = tensorflow.compat.v1.ConfigProto(intra_op_parallelism_threads=n)\n"
            "config.allow_soft_placement = flag\nwith tensorflow.compat.v1.Session(config=config):\n    pass\n",
            "import tensorflow\ntensorflow.config.threading.set_intra_op_parallelism_threads(n)\n"
            "tensorflow.config.set_soft_device_placement(flag)\nwith tensorflow.compat.v1.Session():\n    pass\n",
        ),
        Example(
            "import tensorflow.compat.v1 as T\n" + _CONFIG.replace("tf.", "T.") + "sess = T.Session(config=config)\n",
            "import tensorflow.compat.v1 as T\n"
            + (_OFF + _GROW).replace("tf.", "T.")
            + "sess = T.Session()\n",
        ),
        Example(
            "from tensorflow.compat.v1 import ConfigProto\nfrom tensorflow.compat.v1 import InteractiveSession\n"
            "config = ConfigProto()\nconfig.gpu_options.allow_growth = True\n"
            "sess = InteractiveSession(config=config)\n",
            HEAD + "from tensorflow.compat.v1 import InteractiveSession\n" + _GROW + "sess = InteractiveSession()\n",
        ),
        Example(
            "from tensorflow.core.protobuf import config_pb2\n"
            "from tensorflow.python.client.session import Session as S\n"
            "import tensorflow as tf\nsess = S(config=config_pb2.ConfigProto(log_device_placement=True))\n",
            "from tensorflow.python.client.session import Session as S\nimport tensorflow as tf\n"
            + _OFF + "tf.debugging.set_log_device_placement(True)\nsess = S()\n",
        ),
        Example(
            "def main(grow):\n    import tensorflow as tf\n    options = tf.GPUOptions(allow_growth=grow)  # or not\n"
            "    return tf.Session(config=tf.ConfigProto(gpu_options=options))\nmain(True).run(x)\n",
            "def main(grow):\n    import tensorflow as tf\n    if grow:\n"
            '        for gpu in tf.config.list_physical_devices("GPU"):\n'
            "            tf.config.experimental.set_memory_growth(gpu, True)  # or not\n"
            "    " + _OFF + "    return tf.compat.v1.Session()\nmain(True).run(x)\n",
        ),
        Example(
            HEAD + "import horovod.tensorflow as hvd\nconfig = tf.ConfigProto(allow_soft_placement=True)\n"
            "config.gpu_options.visible_device_list = str(hvd.local_rank())\n"
            "with tf.train.MonitoredTrainingSession(config=config, hooks=hooks) as sess:\n    pass\n",
            HEAD + "import horovod.tensorflow as hvd\ntf.config.set_soft_device_placement(True)\n"
            'gpus = tf.config.list_physical_devices("GPU")\nif gpus:\n'
            '    tf.config.set_visible_devices(gpus[hvd.local_rank()], "GPU")\n'
            "with tf.compat.v1.train.MonitoredTrainingSession(hooks=hooks) as sess:\n    pass\n",
        ),
        Example(
            HEAD + "if cpu:\n    config = tf.ConfigProto(device_count={'GPU': 0})\n"
            "else:\n    config = tf.ConfigProto()\n"
            "if debug: config.log_device_placement = True\nsess = tf.Session(config=config)\n",
            HEAD + "if cpu:\n    tf.config.set_visible_devices([], 'GPU')\n    " + _OFF + "else:\n    " + _OFF
            + "if debug:\n    tf.debugging.set_log_device_placement(True)\nsess = tf.compat.v1.Session()\n",
        ),
        Example(
            HEAD + "class Model:\n    def __init__(self):\n"
            "        self.config = tf.ConfigProto(allow_soft_placement=True)\n"
            "        self.config.graph_options.optimizer_options.global_jit_level = tf.OptimizerOptions.ON_1\n"
            "    def run(self):\n        with tf.Session(config=self.config) as sess:\n            pass\n"
            "    def more(self):\n        with tf.Session(config=self.config) as sess:\n            pass\n"
            "Model().run()\n",
            HEAD + "class Model:\n    def __init__(self):\n        tf.config.set_soft_device_placement(True)\n"
            "        tf.config.optimizer.set_jit(True)\n"
            "    def run(self):\n        with tf.compat.v1.Session() as sess:\n            pass\n"
            "    def more(self):\n        with tf.compat.v1.Session() as sess:\n            pass\nModel().run()\n",
        ),
        Example(
            HEAD + "config = tf.ConfigProto(gpu_options=tf.GPUOptions(per_process_gpu_memory_fraction=0.4))\n"
            "sess = tf.Session(config=config)\n",
            HEAD + 'for gpu in tf.config.list_physical_devices("GPU"):\n    ' + _LIMIT.format(3276) + _OFF
            + "sess = tf.compat.v1.Session()\n",
            gpu_memory_mib=8192,
        ),
        Example(
            HEAD + "tf.Session(config=tf.ConfigProto(inter_op_parallelism_threads=2))  # threads\n",
            HEAD + "tf.config.threading.set_inter_op_parallelism_threads(2)  # threads\n",
        ),
        Example(
            HEAD + _CONFIG + "run = tf.estimator.RunConfig(session_config=config)\n",
            HEAD + _GROW + _CONFIG.replace("tf.C", "tf.compat.v1.C")
            + "run = tf.estimator.RunConfig(session_config=config)\n",
        ),
        Example(
            HEAD + "tf.enable_eager_execution(config=tf.ConfigProto(allow_soft_placement=True))\n",
            HEAD + "tf.config.set_soft_device_placement(True)\ntf.compat.v1.enable_eager_execution()\n",
        ),
    ),
)  # fmt: skip
