"""With `--with-package`, an installed library written for TensorFlow 1 is treated like the program's own files."""

from __future__ import annotations

import os

import pytest

from tests.processes.environment import clean
from tf1mem.machine.tensorflow import installed_version
from tf1mem.runner.territory import Territory

WARM = ["tf1mem.v1"]

FILES = {
    "train.py": """
        import multiprocessing
        import other
        from library import layers

        def work(n):
            return layers.double(n), layers.tf.__name__

        if __name__ == "__main__":
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                print(*pool.map(work, [5])[0])
            print(layers.double(4), layers.tf.__name__, layers.where, other.tf.__name__)
        """,
    "../site-packages/library/__init__.py": "",
    "../site-packages/library/layers.py": """
        import tensorflow as tf
        from collections import Mapping
        from . import names
        where = names.__cached__ is not None

        def double(x):
            with tf.Graph().as_default(), tf.Session() as session:
                held = tf.placeholder(tf.int32, [])
                return int(session.run(held * 2, {held: x}))
        """,
    "../site-packages/library/names.py": "untouched = True\n",
    "../site-packages/library-0.5.dist-info/RECORD": "library/__init__.py,sha256=x,0\nlibrary/layers.py,,\n",
    "../site-packages/other.py": "import tensorflow as tf\n",
    "../site-packages/unused.py": "",
}


def test_a_package_that_was_written_for_tensorflow_1(bench):
    bench.write(FILES)
    site = bench.directory.parent / "site-packages"
    paths = os.pathsep.join([clean()["PYTHONPATH"], str(site)])
    options = ["--report", "--with-package", "library", "--with-package=unused"]
    done = bench.tf1mem("run", *options, "train.py", env={"PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": ""})
    assert done.code == 0, done.err
    assert done.out.splitlines()[-2:] in [
        ["10 tf1mem.v1", f"8 tf1mem.v1 True {installed}"] for installed in ("tensorflow", "tensorflow_core")
    ], done.err
    line = "treated as the program's own, by --with-package: library, unused (not imported)\n"
    assert line in done.err
    # Rewritten code isn't cached in the library's folder, where another program would load it.
    cached = {path.name.split(".")[0] for path in (site / "library").rglob("*.pyc")}
    assert cached == {"__init__", "names"}
    assert (site / "library/layers.py").read_text().startswith("import tensorflow as tf\n")


@pytest.mark.skipif(installed_version().major == 1, reason="TensorFlow has what the package uses")
def test_a_program_that_stops_in_a_package_is_told_to_rewrite_it(bench):
    bench.write(
        {
            "train.py": "import sys\nsys.path.append('site-packages')\nfrom old import net\nnet.placeholder()\n",
            "site-packages/old/__init__.py": "",
            "site-packages/old/net.py": "import tensorflow as tf\ndef placeholder():\n    tf.placeholder('int32')\n",
        }
    )
    done = bench.warm_tf1mem("run", "train.py")
    assert done.code == 1
    error, stopped, advice = done.err.splitlines()[-3:]
    assert error.startswith("AttributeError: ")
    assert stopped == "tf1mem: the program stopped in an installed package, old."
    assert advice.endswith("if it was written for TensorFlow 1 or Keras 2, add --with-package old")


@pytest.mark.proof
def test_a_package_that_pip_installed_is_its_own_under_m(tmp_path, monkeypatch):
    (tmp_path / "library-1.0.dist-info").mkdir()
    (tmp_path / "library-1.0.dist-info" / "RECORD").write_text("library/train.py,,\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    module = str(tmp_path / "library" / "train.py")
    assert Territory(str(tmp_path / "program"), ["library"]).owns("library.train", module)
    assert not Territory(str(tmp_path / "program")).owns("library.train", module)
