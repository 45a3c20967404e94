"""Calls are guarded in one branch of a test of TensorFlow's version, and in a `try` for what TensorFlow may lack."""

from __future__ import annotations

import pytest

from tf1mem.codemod.facts.module import Facts
from tf1mem.codemod.files import extract


def is_guarded(source: str) -> bool:
    """Returns True if the only Session of a source is guarded."""
    text = b"import tensorflow as tf\n" + source.encode()
    facts = Facts(extract(text, "python"))
    (call,) = facts.calls("Session")
    return facts.guarded(call)


GUARDED = {
    "AttributeError leads to compat.v1": "try:\n    a = tf.Session()\nexcept AttributeError:\n"
    "    a = tf.compat.v1.InteractiveSession()\n",
    "AttributeError leads to another try": "try:\n    a = tf.Session()\nexcept AttributeError:\n    try:\n"
    "        a = tf.compat.v1.InteractiveSession\n    except AttributeError:\n        a = None\n",
    "only TensorFlow can raise the AttributeError": "try:\n    a = tf.Session()\nexcept AttributeError:\n"
    "    a = None\n",
    "after an import in a try": "try:\n    from tensorflow import contrib\n    tf.Session()\nexcept ImportError:\n"
    "    pass\n",
    "a helper that tests the version": "def new():\n    return tf.__version__ >= '2'\nif new():\n    pass\nelse:\n"
    "    tf.Session()\n",
    "a helper that calls tf2.enabled": "from tensorflow.python import tf2\ndef new():\n    return tf2.enabled()\n"
    "def f():\n    if not new():\n        tf.Session()\n",
    "a helper of another file": "if not helpers.is_v2_0():\n    tf.Session()\n",
    "the version compared as text": "if tf.__version__ < '2':\n    tf.Session()\n",
    "the version's first characters, by startswith": "if tf.VERSION.startswith('1.'):\n    tf.Session()\n",
    "the version's first character, by an index": "if tf.__version__[0] == '1':\n    tf.Session()\n",
    "LooseVersion of distutils": "from distutils.version import LooseVersion as V\n"
    "if V(tf.__version__) < V('2.0'):\n    tf.Session()\n",
    "packaging's version, in a variable": "from packaging import version\n"
    "OLD = version.parse(tf.__version__).release < (2,)\n"
    "sess = tf.Session() if OLD else None\n",
    "version numbers, unpacked": "major, minor = map(int, tf.__version__.split('.')[:2])\nif major < 2:\n"
    "    tf.Session()\n",
    "version numbers in a list": "v = [int(n) for n in tf.__version__.split('.') if n.isdigit()]\nif v[0] < 2:\n"
    "    tf.Session()\n",
    "__version__ imported by name": "from tensorflow import __version__ as v\nif v < '2':\n    tf.Session()\n",
    "the version of Keras": "import keras\nif keras.__version__ < '2.3':\n    tf.Session()\n",
    "the version by pkg_resources": "import pkg_resources\n"
    "if pkg_resources.get_distribution('tensorflow').version < '2':\n"
    "    tf.Session()\n",
    "the version by importlib.metadata": "from importlib.metadata import version\nif version('tensorflow-gpu') < '2':\n"
    "    tf.Session()\n",
    "find_spec of a module of TensorFlow": "import importlib.util\nif importlib.util.find_spec('tensorflow.contrib'):\n"
    "    tf.Session()\n",
    "hasattr of TensorFlow": "if hasattr(tf, 'Session'):\n    tf.Session()\n",
    "hasattr of a module of TensorFlow": "if not hasattr(tf.config, 'list_physical_devices'):\n    tf.Session()\n",
    "a name in dir(tf)": "if 'Session' in dir(tf):\n    tf.Session()\n",
    "hasattr, and": "a = hasattr(tf, 'Session') and tf.Session()\n",
    "getattr with a default, or": "a = getattr(tf, 'own', None) or tf.Session()\n",
    "hasattr of a parameter named tf": "def f(tf):\n    if hasattr(tf, 'Session'):\n        return tf.Session()\n",
    "another file's TensorFlow": "from own.compat import tf\nif tf.__version__ < '2':\n    tf.Session()\n",
    "an attribute": "class A:\n    def __init__(self):\n        self.old = tf.__version__ < '2'\n    def f(self):\n"
    "        if self.old:\n            tf.Session()\n",
    "an attribute of the class": "class A:\n    OLD = tf.__version__ < '2'\n    def f(self):\n        if self.OLD:\n"
    "            tf.Session()\n",
    "a method that tests the version": "class A:\n    def old(self):\n        return tf.__version__ < '2'\n"
    "    def f(self):\n"
    "        if self.old():\n            tf.Session()\n",
    "a flag set by a test": "if tf.__version__ < '2':\n    OLD = True\nelse:\n    OLD = False\nif OLD:\n"
    "    tf.Session()\n",
    "a flag set by a try": "try:\n    import tensorflow.contrib\n    OLD = True\nexcept ImportError:\n"
    "    OLD = False\n"
    "if OLD:\n    tf.Session()\n",
    "a module that is None if its import failed": "try:\n    from tensorflow import contrib\nexcept ImportError:\n"
    "    contrib = None\n"
    "if contrib is not None:\n    tf.Session()\n",
    "a helper with two returns": "def old():\n    if tf.__version__ < '2':\n        return True\n    return False\n"
    "if old():\n    tf.Session()\n",
    "a helper in steps": "def old():\n    major = int(tf.__version__.split('.')[0])\n    return major < 2\n"
    "if old():\n    tf.Session()\n",
    "a flag of another file": "from own import is_tf1\nif is_tf1:\n    tf.Session()\n",
    "a helper named after the version": "from own import tf_version\nif tf_version() < (2,):\n    tf.Session()\n",
    "a flag of the command line": "if FLAGS.use_tf2:\n    pass\nelse:\n    tf.Session()\n",
    "a parameter named after TensorFlow 2": "def f(tf2=False):\n    if not tf2:\n        tf.Session()\n",
    "an environment variable": "import os\nUSE_TF2 = os.environ.get('USE_TF2')\nif not USE_TF2:\n    tf.Session()\n",
    "before 1.0": "if tf.__version__ < '1.0':\n    tf.Session()\n",
    "after 1.15": "if tf.__version__ > '1.15':\n    pass\nelse:\n    tf.Session()\n",
    "after a return for TensorFlow 2": "def f():\n    if tf.__version__ >= '2':\n"
    "        return tf.compat.v1.InteractiveSession()\n"
    "    with own():\n        return tf.Session()\n",
    "after a continue for TensorFlow 2": "for a in b:\n    if tf.__version__ < '2':\n        c = 1\n    else:\n"
    "        tf.config.set_soft_device_placement(True)\n        continue\n    tf.Session()\n",
    "a match statement": "match tf.__version__[0]:\n    case '1':\n        tf.Session()\n",
}
FREE = {
    "1.0 and later": "if tf.__version__ >= '1.0':\n    tf.Session()\n",
    "1.12 and later, by distutils": "from distutils.version import LooseVersion as V\n"
    "if V(tf.__version__) >= V('1.12'):\n"
    "    tf.Session()\n",
    "1.4 and later, by numbers in a variable": "v = tuple(map(int, tf.__version__.split('.')[:2]))\n"
    "NEW = v >= (1, 4)\nif NEW:\n"
    "    tf.Session()\n",
    "after 1.4, with the version on the right": "if '1.4' < tf.__version__ and own:\n    tf.Session()\n",
    "after 1.0, by a helper": "def new():\n    return tf.__version__ > '1.0'\nif not new():\n    pass\nelse:\n"
    "    tf.Session()\n",
    "not before 1.0, in an expression": "a = tf.Session() if not tf.__version__ < '1.0' else None\n",
    "after 1.4, by a flag": "if tf.VERSION > '1.4':\n    NEW = True\nelse:\n    NEW = False\nif NEW:\n"
    "    tf.Session()\n",
    "not 1.4": "if tf.__version__.startswith('1.4'):\n    pass\nelse:\n    tf.Session()\n",
    "a minor version alone": "if int(tf.__version__.split('.')[1]) >= 12:\n    tf.Session()\n",
    "after a return for versions before 1.0": "def f():\n    if tf.__version__ < '1.0':\n        return tf.old()\n"
    "    return tf.Session()\n",
    "after a return that refuses TensorFlow 2": "def f():\n    if tf.__version__ > '2':\n        print('no')\n"
    "        return\n"
    "    tf.Session()\n",
    "hasattr of a name of both TensorFlows": "if hasattr(tf, 'concat'):\n    tf.Session()\n",
    "hasattr of a name of neither TensorFlow": "if hasattr(tf, 'batch_matmul'):\n    pass\nelse:\n    tf.Session()\n",
    "AttributeError of the program's object": "try:\n    a = message.loss\nexcept AttributeError:\n    tf.Session()\n",
    "AttributeError of the program's object after a Session": "try:\n    tf.Session()\n    for one in own():\n"
    "        one.close()\n"
    "except (AttributeError, TypeError):\n    pass\n",
    "AttributeError of the program's getattr": "try:\n    a = getattr(own, name)\n    if a:\n        tf.Session()\n"
    "except (AttributeError, ImportError):\n    tf.logging.fatal('no')\n",
    "ImportError of another library": "try:\n    import numpy\n    tf.Session()\nexcept ImportError:\n    pass\n",
    "ImportError of a name that Keras lost, too": "try:\n"
    "    from keras.backend.tensorflow_backend import set_session\n    tf.Session()\n"
    "except ImportError:\n    pass\n",
    "eager mode": "if tf.executing_eagerly():\n    pass\nelse:\n    tf.Session()\n",
    "eager mode, in an expression": "a = 1 if tf.executing_eagerly() else tf.Session()\n",
    "hasattr of self": "if not hasattr(self, 'sess'):\n    tf.Session()\n",
    "hasattr of self, by a variable": "def f(self, attribute):\n    if not hasattr(self, attribute):\n"
    "        tf.Session()\n",
    "hasattr of a Session": "sess = own()\nif not hasattr(sess, 'run'):\n    tf.Session()\n",
    "hasattr of FLAGS": "FLAGS = tf.app.flags.FLAGS\nif hasattr(FLAGS, 'gpu'):\n    tf.Session()\n",
    "the version of a model": "if self.model_VERSION == 3 or FLAGS.is_v1:\n    tf.Session()\n",
    "the program's own version": "__version__ = '1.0'\nVERSION = 1\nif __version__ < '2' or VERSION > 1:\n"
    "    tf.Session()\n",
    "another library's version": "import numpy as np\nif np.__version__ < '2' or own.VERSION:\n    tf.Session()\n",
    "the version of tensorflow_probability": "import tensorflow_probability as tfp\nif tfp.__version__ < '2':\n"
    "    tf.Session()\n",
    "the version of Python": "import sys\nif sys.version_info.major < 3:\n    tf.Session()\n",
    "a text that names a version": "if mode == 'tf2' or mode == '__version__':\n    tf.Session()\n",
    "an attribute named VERSION that is a number": "class A:\n    def __init__(self):\n        self.VERSION = 2\n"
    "    def f(self):\n"
    "        if self.VERSION == 2:\n            tf.Session()\n",
    "a score called F1": "if softf1 > 1 or best_tf1000:\n    tf.Session()\n",
    "a tensor named tf1": "tf1 = tf.reduce_sum(x)\nif tf1 is not None:\n    tf.Session()\n",
    "TensorFlow, or None": "try:\n    import tensorflow as tf\nexcept ImportError:\n    tf = None\nif tf is not None:\n"
    "    tf.Session()\n",
    "the backend of Keras": "from keras import backend as K\nif K.backend() == 'tensorflow':\n    tf.Session()\n",
    "a test for a GPU": "if tf.test.is_gpu_available():\n    tf.Session()\n",
    "getattr of a module of TensorFlow, by a variable": "if getattr(tf.train, kind):\n    tf.Session()\n",
    "AttributeError of an attribute that holds a cache": "try:\n    x = tf.identity(self.known)\n"
    "except AttributeError:\n    tf.Session()\n    tf.constant(1)\n",
    "a helper that tests the version for a message": "def make():\n    if tf.__version__ < '1.4':\n"
    "        print('old')\n"
    "    return own()\n"
    "if make():\n    tf.Session()\n",
    "a helper that prints the version": "def f():\n    print(tf.__version__)\n    return\nif f():\n    tf.Session()\n",
}


@pytest.mark.parametrize("source", GUARDED.values(), ids=GUARDED)
def test_the_session_is_guarded(source):
    assert is_guarded(source)


@pytest.mark.parametrize("source", FREE.values(), ids=FREE)
def test_the_session_is_not_guarded(source):
    assert not is_guarded(source)
