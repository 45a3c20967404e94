"""`tf1mem check`: the findings in files, the verdicts of programs, and the reports."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from packaging.version import Version

import tf1mem
from tests.codemod.trees import build, variables
from tests.processes.environment import LIMIT_S
from tests.processes.schemas import valid
from tf1mem.checking import kinds
from tf1mem.checking.here import Here, here
from tf1mem.checking.libraries import GONE
from tf1mem.checking.reading import read_source
from tf1mem.checking.report import as_github, as_sarif
from tf1mem.checking.trees import check
from tf1mem.codemod.trees.cache import digest_of
from tf1mem.codemod.trees.patterns import Patterns
from tf1mem.codemod.trees.walk import Exclusion
from tf1mem.names import internals

# The Python and packages that most tests compare with, whatever is installed: versions and modules of 2026.
VERSIONS = {
    "TensorFlow": "2.21.0",
    "NumPy": "2.4.6",
    "SciPy": "1.17.0",
    "scikit-learn": "1.9.0",
    "pandas": "2.3.0",
    "dm-sonnet": "1.36",
    "gym": "0.26.2",
    "networkx": "3.7",
    "pyDOE": "0.9.9",
    "pyglet": "2.1.19",
}
MODULES = (
    "gym gymnasium keras networkx numpy pandas pyglet scipy setuptools sklearn sonnet tensorflow tensorflow_estimator "
    "tf_keras"
).split()
ABSENT = "cPickle cv2 imp queue_of_mine regex tensorboard tflearn telnetlib urllib2".split()


def today(python=(3, 13), tensorflow="2.21.0", absent=()):
    modules = {**dict.fromkeys(MODULES, True), **dict.fromkeys((*ABSENT, *absent), False)}
    versions = {name: Version(number) for name, number in VERSIONS.items()}
    return Here(python, tensorflow and Version(tensorflow), here().path, modules, versions)


def findings_in(source: str, *, against=None, kind="python"):
    """Returns the findings in a file by itself: their codes and names, in order."""
    read = read_source("file.py", source.encode(), kind, against or today())
    return [(finding.kind.code, finding.what) for finding in read.findings]


TF = "import tensorflow as tf\n"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        # TensorFlow's names
        (TF + "tf.contrib.gan.gan_model(1)\n", [("TFC103", "tf.contrib.gan.gan_model")]),
        (TF + "tf.contrib.layers.conv2d(1)\ntf.contrib.rnn.LSTMCell(1)\ntf.mul(1, 2)\ntf.Session()\n", []),
        ("from tensorflow.contrib import gan\ngan.GANModel(1)\n", [("TFC103", "tf.contrib.gan.GANModel")]),
        ("from tensorflow import contrib\ncontrib.rnn.LSTMCell(1)\n", []),
        ("from tensorflow.examples.tutorials.mnist import input_data\n", []),
        ("import tensorflow.examples.learn.boston as b\nb.x\n", [("TFC103", "tensorflow.examples.learn.boston")]),
        ("from tensorflow.python.framework import tensor_shape\ntensor_shape.scalar()\n", []),
        ("from tensorflow.python.ops.control_flow_ops import cond\n", []),
        (
            "from tensorflow.python.ops import never_there\n",
            [("TFC103", "tensorflow.python.ops.never_there")],
        ),
        ("import tensorflow.python.ops.never_there\n", [("TFC103", "tensorflow.python.ops.never_there")]),
        ("import tensorflow.python.ops.math_ops as m, tensorflow.core.protobuf.config_pb2\nm.add(1, 2)\n", []),
        ("from tensorflow.nosuch import y\n", [("TFC103", "tensorflow.nosuch")]),
        ("from tensorflow.python.nosuch.deeper import y\n", [("TFC103", "tensorflow.python.nosuch")]),
        ("from tensorflow.models.image.cifar10 import cifar10\n", [("TFC103", "tensorflow.models")]),
        ("import tensorflow.models.rnn as r\nr.x\n", [("TFC103", "tensorflow.models")]),
        ("try:\n    from tensorflow.nosuch import y\nexcept ImportError:\n    y = 1\n", []),
        # The code in an `except` runs if the `try` lacks something.
        ("try:\n    from tensorflow.python.ops.rnn import a\nexcept:\n    from tensorflow.nosuch import a\n", []),
        (
            "try:\n    from tensorflow.nosuch import a\nexcept:\n    from tensorflow.never import a\n",
            [("TFC103", "tensorflow.nosuch"), ("TFC103", "tensorflow.never")],
        ),
        ("from tensorflow.compat.v1.train import Saver\nfrom tensorflow.flags import DEFINE_string\n", []),
        (TF + "if tf.__version__ < '2':\n    tf.contrib.gan.gan_model(1)\n", []),
        ("from tensorflow.python.tpu import session_support\n", [("TFC103", "tensorflow.python.tpu.session_support")]),
        (TF + "tf.random.set_seed(1)\n", [("TFC103", "TensorFlow 2's tf.random.set_seed")]),
        (TF + "if tf.__version__ >= '2':\n    tf.random.set_seed(1)\n", []),
        ("FLAGS._parse_flags()\n" + TF, [("TFC302", "FLAGS._parse_flags")]),
        (TF + "print(tf.flags.FLAGS.__flags)\n", []),
        ("from tensorflow.contrib.layers.python.layers import utils\n", []),
        ("from tensorflow.contrib.metrics.python.ops import set_ops\n", []),
        ("from tensorflow.contrib.tensorboard.plugins import projector\nprojector.ProjectorConfig()\n", []),
        (
            "from tensorflow.python.ops.rnn import bidirectional_rnn\n",
            [("TFC103", "tensorflow.python.ops.rnn.bidirectional_rnn")],
        ),
        # C++ ops
        (TF + "tf.load_op_library('./op.so')\n", [("TFC107", "C++ ops")]),
        ("import own\nown.load_op_library('./op.so')\n", []),
        # Python 2, and source that no Python reads
        ("f(async=True)\n", [("TFC102", "syntax")]),
        ("x = 1\nfrom __future__ import division\n", [("TFC102", "syntax")]),
        ("for i in xrange(3):\n    pass\n", [("TFC303", "xrange")]),
        ("try:\n    xrange\nexcept NameError:\n    xrange = range\nxrange(3)\n", []),
        ("import six\nif six.PY2 and isinstance(x, unicode):\n    pass\n", []),
        ("d = {}\nd.has_key(1)\n", [("TFC303", "has_key")]),
        ("import six\nfor k, v in six.iteritems({}):\n    pass\n", []),
        # Other libraries
        ("import numpy as np\nnp.bool\n", [("TFC301", "np.bool")]),
        ("from collections import Mapping\n", [("TFC301", "collections.Mapping")]),
        ("import numpy as np\nnp.vstack(x for x in y)\n", [("TFC302", "np.vstack of a generator")]),
        ("import numpy as np\nnp.vstack([x])\n", []),
        ("import own as np\nnp.bool\n", []),
        ("from sklearn.externals import joblib\n", [("TFC105", "sklearn.externals.joblib")]),
        ("import pandas as pd\npd.DataFrame().ix[0]\n", [("TFC105", "ix")]),
        ("import own\nown.DataFrame().ix[0]\n", []),
        (
            "import pandas as pd\nt = pd.DataFrame()\nself.t = self.t.append(r, sort=False)\nt = t.sort('a')\n",
            [("TFC302", "DataFrame.append"), ("TFC302", "Series.append"), ("TFC203", "sort")],
        ),
        ("import pandas\nl = []\nl.append(1)\nl.sort()\ny = self.sort()\n", []),
        ("l = l.append(1)\n", []),
        (
            "from pandas import read_csv\nread_csv('a', error_bad_lines=False)\n",
            [("TFC302", "pandas.read_csv of decimals, or with old arguments")],
        ),
        (
            "from sklearn.preprocessing import OneHotEncoder\nOneHotEncoder(sparse=False).get_feature_names()\n",
            [("TFC105", "sklearn.preprocessing.OneHotEncoder(sparse=)"), ("TFC203", "get_feature_names")],
        ),
        ("from sklearn.ensemble.forest import Forest\n", [("TFC105", "sklearn.ensemble.forest")]),
        ("from pyDOE import lhs\nlhs(2, 3)\n", [("TFC304", "pyDOE.lhs")]),
        ("import gym\nenv = gym.wrappers.Monitor(gym.make('x'), 'x')\nenv.seed(1)\ns = env.reset()\n", []),
        ("from sklearn.manifold import TSNE as T\nT(n_iter=5)\n", [("TFC105", "sklearn.manifold.TSNE(n_iter=)")]),
        ("from sklearn.manifold import TSNE\nTSNE(max_iter=5)\n", []),
        (
            "import networkx as nx\nnx.connected_component_subgraphs(g)\ng.node[1]['x']\ng.nodes_iter()\n",
            [
                ("TFC105", "networkx.connected_component_subgraphs"), ("TFC105", "node[]"), ("TFC105", "nodes_iter"),
            ],
        ),
        ("import networkx as nx\nself.node = 1\nnx.selfloop_edges(g)\ng.nodes[1]\n", []),
        ("g.node[1]\n", []),
        ("import pyglet\npyglet.clock.set_fps_limit(9)\n", [("TFC105", "pyglet.clock.set_fps_limit")]),
        # GPU settings
        (TF + "c = tf.ConfigProto()\nc.gpu_options.allow_growth = True\n", [("TFC401", "ConfigProto")]),
        ("tf.GPUOptions(per_process_gpu_memory_fraction=0.3)\n", [("TFC401", "ConfigProto")]),
        ("import os\nos.environ['CUDA_VISIBLE_DEVICES'] = '0'\n", [("TFC401", "environment")]),
        (TF + "tf.config.experimental.set_memory_growth(g, True)\n", [("TFC401", "tf.config")]),
        ("Graph(allow_growth=True)  # gpu_options\n", []),
    ],
)  # fmt: skip
def test_the_findings_in_a_file(source, expected):
    assert findings_in(source) == expected


@pytest.mark.parametrize(
    ("source", "version", "expected"),
    [
        ("import pandas as pd\n", "3.1.1", [("TFC204", "pandas")]),
        ("from pandas.io import sql\nimport pandas\n", "3.0.0", [("TFC204", "pandas")]),
        ("import pandas\n", "2.3.3", []),
        ("print('pandas')\n", "3.1.1", []),
    ],
)
def test_a_library_that_computes_other_values_is_named_with_the_version_to_pin(source, version, expected):
    newest = today()
    newest._versions["pandas"] = Version(version)
    assert findings_in(source, against=newest) == expected
    remedies = [finding.remedy for finding in read_source("file.py", source.encode(), "python", newest).findings]
    assert remedies == ["pip install 'pandas<3.0'"] * len(expected)


# Python 2 that `tf1mem run` translates, and Python 2 that it refuses.
PYTHON2 = ("print 'x'\n", "if x:\n\ty()\n        z()\n", "x = `1` <> ur'a'\n")
REFUSED = ("print 'a'\nfoo(\n", "print 'x'\ny = f'{x}'\n", b"print 'caf\xe9'\n")


def of_bytes(source, against):
    read = read_source("file.py", source if isinstance(source, bytes) else source.encode(), "python", against)
    return [(finding.kind.code, finding.what) for finding in read.findings]


@pytest.mark.parametrize(
    ("source", "code"),
    [*((source, "TFC303") for source in PYTHON2), *((source, "TFC102") for source in REFUSED)],
)
def test_python2_is_what_can_be_translated(source, code):
    pytest.importorskip("fissix")
    assert of_bytes(source, today()) == [(code, "syntax")]


@pytest.mark.parametrize("source", [*PYTHON2[:2], *REFUSED])
def test_python2_needs_fissix(source, caplog):
    against = today(absent=["fissix"])
    assert of_bytes(source, against) == [("TFC108", "syntax")]
    assert kinds.PYTHON2_UNTRANSLATED.remedy == "`pip install 'tf1mem[cli]'`"
    assert of_bytes("xrange(3)\n", against) == [("TFC303", "xrange")]
    assert not caplog.records


def test_installed_versions_decide():
    old = Here((3, 7), Version("1.15.5"), [], {}, {"NumPy": Version("1.18.5")})
    source = TF + "tf.contrib.gan.gan_model(1)\nimport numpy as np\nnp.bool\nfrom collections import Mapping\n"
    assert findings_in(source, against=old) == []
    source = TF + "tf.layers.dense(x, 1)\ntf.estimator.Estimator(f)\ntf.keras.Model()\n"
    assert findings_in(source) == []
    source = "import gym\ngym.wrappers.Monitor\nenv.seed(1)\ns = env.reset()\nt, info = env.reset()\n"
    gone = [("TFC105", "gym.wrappers.Monitor"), ("TFC105", "seed"), ("TFC105", "reset")]
    assert findings_in(source, against=today(absent=["gymnasium"])) == gone
    source = TF + "tf.layers.dense(x, 1)\ntf.estimator.Estimator(f)\ntf.keras.Model()\n"
    without = today(absent=["tf_keras", "tensorflow_estimator"])
    assert findings_in(source, against=without) == [("TFC104", "tf_keras"), ("TFC104", "tensorflow_estimator")]
    assert findings_in(source, against=today(tensorflow="2.15.1", absent=["tf_keras", "tensorflow_estimator"])) == []


@pytest.mark.skipif(not here().has_module("tf_keras"), reason="its files are looked at: pip install tf_keras")
def test_names_of_missing_keras_and_estimators():
    source = TF + "from tensorflow.keras.utils import multi_gpu_model\ntf.estimator.DNNClassifier([1])\n"
    assert findings_in(source + "from keras.wrappers.scikit_learn import KerasClassifier\n") == []
    assert findings_in(source + "tf.estimator.BoostedTreesRegressor()\n") == [
        ("TFC103", "tf.estimator.BoostedTreesRegressor")
    ]


@pytest.mark.skipif(not here().has_module("tf_keras"), reason="its files are looked at: pip install tf_keras")
def test_files_of_keras():
    source = "from keras.layers.core import Dense\nfrom keras.utils import np_utils\nimport keras.applications.vgg16\n"
    assert findings_in(source + "from tensorflow.keras.preprocessing.image import load_img\n") == []
    source = "from keras.nosuch import z\nimport tensorflow.keras.layers.nosuch\n"
    assert findings_in(source) == [("TFC103", "keras.nosuch"), ("TFC103", "tensorflow.keras.layers.nosuch")]


def test_a_keras_of_the_programs_own(tmp_path):
    build(tmp_path, {"main.py": b"from keras.nosuch import z\nz()\n", "keras/__init__.py": b"", "keras/nosuch.py": b""})
    (repository,) = checked(tmp_path)
    assert repository.verdict == "runs"


def test_a_notebook_is_read_cell_by_cell():
    pytest.importorskip("fissix")
    cells = [
        "!pip install regex\nimport regex\n", "print 'x'\n", TF + "tf.contrib.gan.gan_model(1)\n", "%time print 'x'\n",
        "from __future__ import print_function", "print('x', end='')\n0777\n", "f(\n",
    ]  # fmt: skip
    notebook = {
        "nbformat": 4, "nbformat_minor": 2, "metadata": {},
        "cells": [{"cell_type": "code", "metadata": {}, "outputs": [], "source": text} for text in cells],
    }  # fmt: skip
    read = read_source("n.ipynb", json.dumps(notebook).encode(), "notebook", today())
    expected = [("TFC303", 2, 1), ("TFC103", 3, 2), ("TFC102", 7, 1)]
    assert [(finding.kind.code, finding.cell, finding.line) for finding in read.findings] == expected
    assert [module.is_sure for module in read.imports if module.name == "regex"] == [False]


@pytest.mark.parametrize(
    ("version", "cells", "expected"),
    [
        ("2.7.13", ["print(1 / 2)\n"], [("TFC303", 1)]),
        ("2.7.13", ["x = 1\n", "print 1 / 2\n"], [("TFC303", 2)]),
        ("2.7.13", ["print(f'{1}')\n"], []),
        ("3.6.1", ["x = 1\n", "print 1 / 2\n"], [("TFC303", 2)]),
        ("2.7.13", [], []),
    ],
)
def test_a_notebooks_metadata_names_its_python(version, cells, expected):
    pytest.importorskip("fissix")
    notebook = {
        "nbformat": 4, "nbformat_minor": 2, "metadata": {"language_info": {"name": "python", "version": version}},
        "cells": [{"cell_type": "code", "metadata": {}, "outputs": [], "source": text} for text in cells],
    }  # fmt: skip
    read = read_source("n.ipynb", json.dumps(notebook).encode(), "notebook", today())
    assert [(finding.kind.code, finding.cell) for finding in read.findings] == expected
    without = read_source("n.ipynb", json.dumps(notebook).encode(), "notebook", today(absent=["fissix"]))
    assert {finding.kind.code for finding in without.findings} <= {"TFC108"}


def checked(folder, *paths, against=None, jobs=1):
    return list(check([str(folder / path) for path in paths or [""]], against or today(), jobs=jobs))


def stops(repository):
    """Returns the names that stop each program, by the program's name."""
    return {os.path.basename(program.path): program.stops for program in repository.programs}


def test_programs_of_a_repository(tmp_path):
    build(
        tmp_path,
        {
            "train.py": b"from models.net import b\nfrom queue_of_mine import q\nif __name__ == '__main__': b()\n",
            "eval.py": b"import sys; sys.path.append('lib')\nimport helper\nhelper.run()\n",
            "good.py": b"import numpy as np\nif __name__ == '__main__':\n    np.bool\n",
            "queue_of_mine.py": b"q = 1\n",
            "models/__init__.py": b"",
            "models/net.py": b"from . import ops\ndef b():\n    import cv2\n",
            "models/ops.py": b"import regex\nimport cPickle\n",
            "lib/helper.py": b"def run():\n    import cv2\n",
            "unused.py": b"import tflearn\n",
            "setup.py": b"import regex\nsetup()\n",
        },
    )  # fmt: skip
    (repository,) = checked(tmp_path)
    assert stops(repository) == {"train.py": ("regex",), "eval.py": (), "good.py": ()}
    assert {os.path.basename(program.path): program.verdict for program in repository.programs} == {
        "train.py": "stops", "eval.py": "may stop", "good.py": "runs",
    }  # fmt: skip
    assert repository.verdict == "some stop"
    assert str(tmp_path / "unused.py") not in repository.reached
    by_name = {placed.finding.what: placed.finding for placed in repository.placed}
    assert (by_name["regex"].kind, by_name["regex"].remedy) == (kinds.ABSENT, "pip install regex")
    assert by_name["cv2"].remedy == "pip install opencv-python"
    assert "pip install tflearn, and tf1mem run --with-package tflearn" in by_name["tflearn"].remedy


@pytest.mark.parametrize(
    ("source", "is_test"),
    [
        ("import unittest\n", True),
        ("from absl.testing import parameterized\n", True),
        ("import pytest_of_mine\nfrom absl import app, testing_of_mine\n", False),
        ("if __name__ == '__main__':\n    import pytest\n    pytest.main()\n", True),
        ("def check():\n    import unittest\n", False),
        (TF + "class Net(tf.test.TestCase):\n    pass\n", True),
        ("from tensorflow.python.framework import test_util\nclass N(test_util.TensorFlowTestCase): pass\n", True),
        ("from tensorflow.python.platform import googletest\ngoogletest.main()\n", True),
        (TF + "tf.test.main()\n", True),
        (TF + "import train, test\nif __name__ == '__main__':\n    test.main()\n    tf.app.run()\n", False),
        ("print('a TestCase')  # unittest\n", False),
    ],
)
def test_tests_are_recognized_by_their_content(source, is_test):
    assert read_source("file.py", source.encode(), "python", today()).is_test is is_test


def test_tests_do_not_decide_a_repositorys_verdict(tmp_path):
    test = b"import unittest, regex\nunittest.main()\n"
    build(tmp_path, {"r/train.py": b"import net\nnet.f()\n", "r/net.py": b"", "r/check_net.py": test, "t/own.py": test})
    both, tests = checked(tmp_path, "r", "t")
    verdicts = {os.path.basename(program.path): (program.verdict, program.is_test) for program in both.programs}
    assert verdicts == {"train.py": ("runs", False), "check_net.py": ("stops", True)}
    assert (both.verdict, both.of_tests) == ("runs", {str(tmp_path / "r" / "check_net.py")})
    assert (tests.verdict, tests.tests, tests.of_tests) == ("stops", (), frozenset())  # it has nothing else


def test_annotations_and_sarif_have_errors_only_where_a_program_stops(tmp_path):
    build(tmp_path, {
        "r/train.py": b"import regex, np2\nif x:\n    import branch\nprint(1)\n",
        "r/np2.py": b"import numpy\nnumpy.bool\n",
        "r/check_net.py": b"import unittest, branch, cv2\nunittest.main()\n",
        "r/branch.py": b"import cv2\n", "r/unused.py": b"import tflearn\n",
        "t/check.py": b"import unittest, cv2\nunittest.main()\n",
    })  # fmt: skip
    results = checked(tmp_path, "r", "t")
    expected = {
        "train.py": "error", "np2.py": "notice", "branch.py": "warning", "unused.py": "warning",
        "check_net.py": "warning", "check.py": "error",
    }  # fmt: skip
    annotations = [line.split(maxsplit=1) for line in as_github.lines(results)]
    assert {place.partition(",")[0].rpartition("/")[2]: level[2:] for level, place in annotations} == expected
    (run,) = json.loads(as_sarif.document(results, 1))["runs"]
    levels = {
        result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].rpartition("/")[2]: result["level"]
        for result in run["results"]
    }
    assert levels == {**expected, "np2.py": "note"}


@pytest.mark.parametrize(
    ("imports", "verdict"),
    [
        ("import net\n", "stops"),
        ("from net import f\ntry:\n    f()\nexcept ValueError:\n    pass\n", "stops"),
        ("if __name__ == '__main__':\n    import net\n", "stops"),
        ("if __name__ == '__main__':\n    pass\nelse:\n    import net\n", "may stop"),
        ("if __name__ == '__main__':\n    if data == 'net':\n        import net\n", "may stop"),
        ("if data == 'net':\n    import net\nelse:\n    import other\n", "may stop"),
        ("def load():\n    import net\n", "may stop"),
        ("import by_branch\n", "may stop"),
        ("import by_main\n", "may stop"),
        ("import by_branch, net\n", "stops"),
        ("try:\n    import net\nexcept ImportError:\n    net = None\n", "runs"),
    ],
)
@pytest.mark.parametrize("error", [b"import regex\n", TF.encode() + b"tf.contrib.gan.gan_model(1)\n"])
def test_an_own_file_that_is_imported_on_a_branch_may_stop(tmp_path, imports, verdict, error):
    build(tmp_path, {
        "main.py": (imports + "print(1)\n").encode(), "net.py": error, "other.py": b"",
        "by_branch.py": b"if data:\n    import net\n",
        "by_main.py": b"if __name__ == '__main__':\n    import net\n",
    })  # fmt: skip
    for (each,) in (checked(tmp_path), checked(tmp_path, "main.py")):
        (program,) = [
            program for program in each.programs if program.path.endswith("main.py") and "by_" not in program.path
        ]
        assert (program.verdict, bool(program.stops)) == (verdict, verdict == "stops")


def test_a_notebook_that_installs_packages_imports_its_own_files(tmp_path):
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "source": "!pip install regex\nimport regex, net\n"}
    notebook = {"nbformat": 4, "nbformat_minor": 2, "metadata": {}, "cells": [cell]}
    build(tmp_path, {"n.ipynb": json.dumps(notebook).encode(), "net.py": b"import cv2\n"})
    (repository,) = checked(tmp_path)
    assert stops(repository) == {"n.ipynb": ("cv2",)}


def test_a_script_is_read_with_its_imports(tmp_path):
    build(tmp_path, {
        "train.py": b"import near\nfrom pack.inner import x\n", "near.py": b"xrange(3)\n",
        "other.py": b"import regex\n",
        "pack/__init__.py": b"", "pack/inner.py": b"from .. import near\nfrom . import beside\n",
        "pack/beside.py": b"import cv2\n",
    })  # fmt: skip
    (repository,) = checked(tmp_path, "train.py")
    assert stops(repository) == {"train.py": ("cv2",)}
    assert repository.files == 5


def test_an_unreadable_file_has_no_verdict(tmp_path):
    build(tmp_path, {
        "zero.py": b"x = 1\0\n", "wide.py": "print(1)\n".encode("utf-16"), "broken.ipynb": b"{", "good.py": b"f()\n",
        "whole/main.py": b"import data\ndata.f()\n", "whole/data.py": b"\0", "whole/other.py": b"f()\n",
        "stops/main.py": b"import regex, data\ndata.f()\n", "stops/data.py": b"\0", "few/data.py": b"\0",
    })  # fmt: skip
    names = ["zero.py", "wide.py", "broken.ipynb", "nosuch.py", "good.py", "whole", "stops", "few"]
    every = dict(zip(names, checked(tmp_path, *names)))
    assert {name: repository.verdict for name, repository in every.items()} == {
        **dict.fromkeys(["zero.py", "wide.py", "broken.ipynb", "nosuch.py", "whole", "few"], "not read"),
        "good.py": "runs", "stops": "stops",
    }  # fmt: skip
    assert {os.path.basename(program.path): program.verdict for program in every["whole"].programs} == {
        "main.py": "not read", "other.py": "runs",
    }  # fmt: skip
    assert [program.verdict for program in every["zero.py"].programs] == ["not read"]
    assert every["wide.py"].problems == ((str(tmp_path / "wide.py"), "is binary, not Python source"),)
    assert [bool(repository.problems) for repository in every.values()] == [True] * 4 + [False] + [True] * 3
    (repository,) = checked(tmp_path, "broken.ipynb", against=today())
    assert [program.verdict for program in repository.programs] == ["not read"]


def test_the_search_path_of_a_programs_own_modules(tmp_path):
    build(tmp_path, {
        "r/.git/HEAD": b"", "r/top.py": b"x = 1\n", "r/app/near.py": b"import deep\n", "r/app/deep.py": b"",
        "r/app/main.py": b"import near, top\nnear.f()\n",
        "r/app/inner/run.py": b"import near, numpy\nnear.f()\n", "r/app/numpy.py": b"import regex\n",
        "r/app/inner/says.py": b"import sys\nsys.path.append('..')\nimport deep\n",
        "r/whole.py": b"import r.top\nr.top.f()\n",
    })  # fmt: skip
    (repository,) = checked(tmp_path / "r")
    verdicts = {os.path.basename(program.path): program.verdict for program in repository.programs}
    assert verdicts == {"main.py": "runs", "run.py": "may stop", "says.py": "runs", "whole.py": "may stop"}
    near, whole = (placed.finding for placed in repository.placed if placed.finding.kind == kinds.NOT_LOOKED_FOR)
    assert (near.what, near.remedy) == ("near", f"Put PYTHONPATH={tmp_path / 'r' / 'app'} into the environment.")
    assert (whole.what, whole.remedy) == ("r", f"Put PYTHONPATH={tmp_path} into the environment.")
    scripts = checked(tmp_path, "r/app/main.py", "r/app/inner/run.py")
    assert [each.verdict for each in scripts] == ["runs", "stops"]


def test_modules_that_tf1mem_v1_supplies(tmp_path):
    source = b"from tensorboard.plugins import projector\nimport tensorboard.plugins.projector, tf_slim.nets\n"
    build(tmp_path, {"a.py": source, "b.py": b"from tensorboard import program\n"})
    (repository,) = checked(tmp_path, against=today(absent=["tf_slim"]))
    names = [(os.path.basename(placed.path), placed.finding.what) for placed in repository.placed]
    assert names == [("b.py", "tensorboard")]


def test_libraries_for_tensorflow_1_and_removed_modules(tmp_path):
    build(tmp_path, {"a.py": b"import sonnet\nimport telnetlib\nimport urllib2\n"})
    (repository,) = checked(tmp_path)
    assert {placed.finding.what: placed.finding.kind.code for placed in repository.placed} == {
        "sonnet": "TFC106", "telnetlib": "TFC105", "urllib2": "TFC303",
    }  # fmt: skip
    (repository,) = checked(tmp_path, against=today(python=(3, 12)))
    assert "telnetlib" in {placed.finding.what for placed in repository.placed if placed.finding.kind == kinds.ABSENT}


@pytest.mark.skipif(sys.version_info < (3, 12), reason="before Python 3.12 imp and distutils are there")
def test_restored_modules_are_no_finding(tmp_path):
    source = b"import imp\nfrom imp import reload, find_module\nfrom distutils.version import LooseVersion\n"
    build(tmp_path, {"a.py": source + b"import distutils.command\n"})
    (repository,) = checked(tmp_path, against=today(sys.version_info[:2], absent=["distutils"]))
    absent = {placed.finding.what for placed in repository.placed if placed.finding.kind == kinds.ABSENT}
    assert absent == {"imp.find_module", "distutils.command"}


def test_sources_of_cxx_ops_are_named(tmp_path):
    source = TF.encode() + b"tf.load_op_library('./op.so')\n"
    build(tmp_path, {"a/run.py": source, "a/src/op.cc": b'REGISTER_OP("Zero")', "a/other.cc": b"", "b/run.py": source})
    first, second = ([placed.finding.remedy for placed in each.placed] for each in checked(tmp_path, "a", "b"))
    assert first == ["Rebuild src/op.cc with the installed TensorFlow."]
    assert "whose source isn't here" in second[0]


def test_sources_of_ops_in_excluded_folders_are_not_read(tmp_path):
    op = b'REGISTER_OP("Zero")'
    files = {"run.py": TF.encode() + b"tf.load_op_library('./op.so')\n", ".git/x.cc": op, "old/y.cc": op, "z.cc": op}
    build(tmp_path, files)
    (repository,) = check([str(tmp_path)], today(), exclude=[Exclusion(str(tmp_path), Patterns(["old"]))])
    (placed,) = repository.placed
    assert placed.finding.remedy == "Rebuild z.cc with the installed TensorFlow."


def test_any_number_of_processes_gives_the_same_result(tmp_path):
    files = {f"r{n % 3}/m{n:03}.py": b"import regex\nprint 'x'\n" * (n % 2) + b"x = %d\n" % n for n in range(120)}
    build(tmp_path, {**files, "r0/main.py": b"import m003\nm003.x()\n"})
    paths = ["r0", "r1", "r2", "r0/main.py"]
    assert checked(tmp_path, *paths, jobs=2) == checked(tmp_path, *paths)


def test_the_command_remembers_files_and_forgets_them(tmp_path, monkeypatch, capsys):
    from tf1mem.__main__ import main

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    source = b"import os, surely_absent.part\nimport sys; sys.path\nxrange(3)\nprint(1)\n"
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "source": "print 1\n"}
    notebook = {"nbformat": 4, "nbformat_minor": 2, "metadata": {}, "cells": [cell]}
    build(tmp_path / "tree", {"train.py": source, "n.ipynb": json.dumps(notebook).encode(), "broken.ipynb": b"{"})

    def output(*options):
        main(["check", "--format", "json", *options, str(tmp_path / "tree")])
        return capsys.readouterr().out

    first = output("--no-cache")
    assert not (tmp_path / "cache" / "tf1mem").exists()
    assert [output(), output()] == [first, first]
    (cached,) = (tmp_path / "cache" / "tf1mem" / "check").iterdir()
    rows = json.loads(cached.read_text("utf-8"))
    contents = [(source, "python"), (json.dumps(notebook).encode(), "notebook")]
    assert sorted(rows) == sorted(digest_of(*content).hex() for content in contents)
    rows[digest_of(source, "python").hex()][3] = []
    cached.write_text(json.dumps(rows), encoding="utf-8")
    assert "xrange" in first
    assert "xrange" not in output()
    assert output("--no-cache") == first
    cached.write_text("[", encoding="utf-8")
    assert [output(), output()] == [first, first]


def test_the_table_of_names_in_tf1mem_v1():
    """The table that check reads agrees with tf1mem.v1's source, which can't be imported without TensorFlow."""
    tree = ast.parse((Path(tf1mem.__file__).parent / "v1" / "_internals.py").read_text("utf-8"))
    (table,) = [
        node.value
        for node in tree.body
        if isinstance(node, ast.AnnAssign) and getattr(node.target, "id", "") == "_SUPPLIED"
    ]
    names = {f"{file.value}.{name.value}" for file, held in zip(table.keys, table.values) for name in held.keys}  # type: ignore[attr-defined]
    assert names == internals.SUPPLIED


def test_requirements_of_rows_are_valid():
    for row in GONE:
        assert Version(row.since.partition(" ")[2]), row
        is_replaced = row.since.startswith("gym ")
        assert row.pin == ("gymnasium>=1.0" if is_replaced else row.since.replace(" ", "<"))


def run_check(*args, cwd):
    command = [sys.executable, "-m", "tf1mem", "check", *args]
    return subprocess.run(command, cwd=cwd, capture_output=True, check=False, env=variables(), timeout=LIMIT_S)


def test_the_command_prints_verdicts_and_findings(tmp_path):
    long = "a_repository_with_a_long_name" * 3
    build(tmp_path, {
        f"{long}/train.py": b"import numpy as np, surely_absent\nnp.bool\nxrange(3)\n",
        "good/run.py": b"import os\nos.environ['CUDA_VISIBLE_DEVICES'] = '0'\nprint(1)\n",
    })  # fmt: skip
    done = run_check(long, "good", cwd=tmp_path)
    lines = done.stdout.decode().splitlines()
    assert done.returncode == 1
    assert max(map(len, lines)) <= 80 + len(long) - 60  # a path isn't broken
    assert [line.split()[1:] for line in lines[2:5]] == [
        ["programs", "stop", "repaired", "GPU", "settings", "verdict"],
        ["1", "1", "1", "none", "stops"],
        ["1", "0", "0", "environment", "runs"],
    ]
    assert any("TFC104 error  surely_absent isn't installed" in line for line in lines)
    assert "      > pip install surely_absent." in lines
    assert run_check("good", cwd=tmp_path).returncode == 0

    done = run_check("--format", "json", long, "good", cwd=tmp_path)
    first, second = [valid("check", json.loads(line)) for line in done.stdout.splitlines()]
    assert (done.returncode, first["verdict"], second["verdict"]) == (1, "stops", "runs")
    assert first["programs"] == [
        {"path": f"{long}/train.py", "verdict": "stops", "stops": ["surely_absent"], "is_test": False}
    ]
    assert second["gpu_settings"] == ["environment"]
    assert [finding["code"] for finding in first["findings"]] == ["TFC104", "TFC301", "TFC303"]

    done = run_check("--format", "sarif", long, cwd=tmp_path)
    (run,) = json.loads(done.stdout)["runs"]
    assert [(result["ruleId"], result["level"]) for result in run["results"]] == [
        ("TFC104", "error"), ("TFC301", "note"), ("TFC303", "note"),
    ]  # fmt: skip
    assert {result["ruleId"] for result in run["results"]} <= {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    assert run["invocations"][0]["exitCode"] == done.returncode == 1

    done = run_check("--format", "github", long, cwd=tmp_path)
    lines = done.stdout.decode().splitlines()
    assert lines[0].startswith(f"::error file={long}/train.py,line=1,col=1,title=TFC104::surely_absent isn't installed")
    assert [line.split()[0] for line in lines] == ["::error", "::notice", "::notice"]


def test_the_command_counts_programs_and_tests(tmp_path):
    program, stopped = b"print(1)\n", b"import surely_absent\nprint(1)\n"
    test = b"import unittest, absent_from_tests\nunittest.main()\n"
    build(tmp_path, {
        **{f"some/good{n}.py": program for n in range(7)},
        **{f"some/a_program_that_stops_{n}.py": stopped for n in range(4)},
        "some/maybe.py": b"def f():\n    import branch\nf()\n", "some/branch.py": b"import absent_on_a_branch\n",
        "some/test_a.py": test, "some/test_b.py": b"import unittest\nunittest.main()\n",
        "tested/run.py": program, "tested/check_run.py": test, "good/run.py": program, "good/eval.py": program,
    })  # fmt: skip
    done = run_check("some", "tested", "good", cwd=tmp_path)
    lines = done.stdout.decode().splitlines()
    assert done.returncode == 1
    assert max(map(len, lines)) <= 80
    assert [line.split() for line in lines[3:6]] == [
        ["some", "12", "4", "0", "none", "some", "stop"],
        ["tested", "1", "0", "0", "none", "runs"],
        ["good", "2", "0", "0", "none", "runs"],
    ]
    counts = "  7 of 12 programs run; 1 may stop; stops: a_program_that_stops_0.py, …"
    start, of_tests = lines.index("some"), lines.index("  1 of 2 tests run; stops: test_a.py")
    assert lines[start + 1] == counts
    assert start < next(at for at, line in enumerate(lines) if "surely_absent isn't" in line) < of_tests
    assert "absent_from_tests" in lines[of_tests + 1]
    text = " ".join(map(str.strip, lines))
    assert "some/branch.py:1, which may not be imported" in text
    assert text.count("may not be imported") == 1
    assert lines[lines.index("tested") + 1] == "  0 of 1 tests run; stops: check_run.py"
    assert "good" not in lines
    assert run_check("tested", "good", cwd=tmp_path).returncode == 0
    assert run_check("tested/check_run.py", cwd=tmp_path).returncode == 1

    lines = run_check("--verbose", "some", "good", cwd=tmp_path).stdout.decode().splitlines()
    start = lines.index("some")
    assert any("a_program_that_stops_3.py." in line for line in lines[start + 1 : start + 4])
    assert "  2 of 2 programs run." in lines

    done = run_check("--format", "json", "--html", "page.html", "some", cwd=tmp_path)
    content = valid("check", json.loads(done.stdout))
    assert (done.returncode, content["verdict"]) == (1, "some stop")
    assert [each["path"] for each in content["programs"] if each["is_test"]] == ["some/test_a.py", "some/test_b.py"]
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Programs: 4 stop, 1 may stop, 7 run; tests: 1 stop, 1 run" in page
    assert '<b class="bad">some stop</b>' in page


def test_the_page_is_beside_the_output(tmp_path):
    hostile = "<script>\u202e&.py"
    source = b"import numpy as np, surely_absent\nnp.bool\nif __name__ == '__main__':\n    pass\n"
    build(tmp_path, {f"repo/{hostile}": source})
    plain = run_check("--format", "json", "repo", cwd=tmp_path)
    done = run_check("--format", "json", "--html", "page.html", "repo", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (1, plain.stdout, b"")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Programs: 1 stop" in page
    assert page.count("repo/&lt;script&gt;\\u202e&amp;.py<") == 3  # the program, its findings, its repairs
    assert '<span>line 1: <b class="bad">TFC104</b> surely_absent isn&#x27;t installed</span>' in page
    assert "pip install surely_absent" in page

    done = run_check("--html", "nowhere/page.html", "repo", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"--html nowhere/page.html: can't be written (No such file or directory)" in done.stderr


@pytest.mark.parametrize("args", [[], ["nowhere"], ["--format", "xml", "."]])
def test_wrong_use_ends_with_status_2(tmp_path, args):
    assert run_check(*args, cwd=tmp_path).returncode == 2
