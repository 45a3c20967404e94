"""Files of the program that are loaded by path, and texts that it executes, are rewritten as if they were imported."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from tf1mem.machine.tensorflow import installed_version

WARM = ["tf1mem.v1"]

# A file that prints True if it is repaired: dict.has_key, which only Python 2 has, works then.
KID = '''
    """Of doctests.

    >>> {}.has_key(1)
    False
    """

    def seen():
        return not {}.has_key(1)

    print(seen(), __name__ != "", flush=True)
    '''
WAYS = {
    "import": "import kid",
    "run_path": "import runpy; runpy.run_path('kid.py')",
    "run_module": "import runpy; runpy.run_module('kid')",
    "exec": "exec(open('kid.py').read())",
    "exec_bytes": "exec(open('kid.py', 'rb').read(), {'__name__': 'x'})",
    "exec_compiled": "exec(compile(open('kid.py').read(), 'kid.py', 'exec'))",
    "exec_by_keyword": "exec(compile(open('kid.py').read(), filename='kid.py', mode='exec'))",
    "execfile": "execfile('kid.py')",
    "spec": """
        from importlib.util import module_from_spec, spec_from_file_location
        spec = spec_from_file_location('cfg', 'kid.py')
        spec.loader.exec_module(module_from_spec(spec))
        """,
    "loader": "from importlib.machinery import SourceFileLoader as L; L('cfg', 'kid.py').load_module()",
    "loader_executes": """
        import importlib.machinery, types
        importlib.machinery.SourceFileLoader('cfg', 'kid.py').exec_module(types.ModuleType('cfg'))
        """,
    "imp": "import imp; imp.load_source('cfg', 'kid.py')",
    "text": "exec('print({}.has_key(1) is False, True)')",
    "text_in_function": "def f(a):\n    exec('print({}.has_key(a) is False, True)')\nf(1)",
    "python_2": "exec('print {}.has_key(1) is False, True')",
    "doctest": "import doctest, kid; print(doctest.testmod(kid).failed == 0, True)",
    "profile": "import cProfile; cProfile.run(compile(open('kid.py').read(), 'kid.py', 'exec'))",
    "elsewhere": "import os, runpy; path = os.path.abspath('kid.py'); os.chdir('/'); runpy.run_path(path)",
}


def test_every_way_of_loading_a_file(bench):
    ways = [name for name in WAYS if name != "python_2" or find_spec("fissix")]  # fissix translates Python 2
    bench.write({"kid.py": KID})
    bench.write({f"way_{name}.py": text if text[:1] == "\n" else text + "\n" for name, text in WAYS.items()})
    bench.write(
        {
            "start.py": """
                import os, subprocess, sys
                for name in sys.argv[1:]:
                    done = subprocess.run([sys.executable, "-W", "ignore", f"way_{name}.py"], stdout=-1, stderr=-2)
                    text = done.stdout.decode()
                    print(name, "True True" in text or text[-200:], flush=True)
                """
        }
    )
    done = bench.tf1mem("run", "start.py", *ways)
    assert done.out.splitlines() == [f"{name} True" for name in ways], done.out + done.err


EXECUTES = """
    import importlib.util, runpy, sys
    TEXT = "import tensorflow as tf\\nprint(tf.__name__, flush=True)\\n"
    exec(TEXT)
    exec(compile(TEXT, "text", "exec"), {})
    print(eval("__import__('tensorflow').__name__"))
    name = "tensorflow"
    print(importlib.import_module(name).__name__)
    from unittest import mock
    with mock.patch("tensorflow.train.Saver", 5):
        print(sys.modules[name].__name__, sys.modules["tensorflow"].train.Saver)
    runpy.run_path("own.py")
    spec = importlib.util.spec_from_file_location("installed", "site-packages/installed.py")
    spec.loader.exec_module(importlib.util.module_from_spec(spec))
    runpy.run_path("site-packages/installed.py")
    from collections import namedtuple
    exec("def f(a: int): pass")
    print(f.__annotations__, namedtuple("A", "b")(1), [exec(b"pass"), eval("1 + 1")])
    """


@pytest.mark.skipif(installed_version().major == 1, reason="TensorFlow's own names lead nowhere else there")
def test_tensorflow_in_texts_and_files_and_installed_ones_untouched(bench):
    text = "import tensorflow as tf\nprint(tf.__name__)\n"
    bench.write({"script.py": EXECUTES, "own.py": text, "site-packages/installed.py": text})
    done = bench.warm_tf1mem("run", "script.py")
    own, installed = ["tf1mem.v1"] * 4, ["tensorflow"] * 2
    own[3:3] = ["tf1mem.v1", "tensorflow 5"]
    assert done.out.splitlines() == [*own, *installed, "{'a': <class 'int'>} A(b=1) [None, 2]"], done.err
