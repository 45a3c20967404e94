"""A program under `tf1mem run` sees the same as under `python script.py`: its output is the same, byte for byte."""

from __future__ import annotations

import re
import sys
import zipapp
from textwrap import dedent

import pytest

# These programs don't use TensorFlow: they are quick, and `tf1mem run` runs them by the same code.
SCRIPTS = {
    "namespace": """
        import sys
        print([(k, repr(v).split(' at 0x')[0]) for k, v in globals().items()])
        print(sys.argv, sys.path, sys.modules['__main__'].__dict__ is globals())
        """,
    "docstring": '"""What it does."""\nprint(__doc__, __name__, __annotations__)\nx: int = 1\nprint(__annotations__)',
    "future": "from __future__ import annotations\nx: Nope = 1\nprint(__annotations__)",
    "no_future_of_ours": "def f(a: 1 + 1): pass\nprint(f.__annotations__)",
    "error": "def f():\n    raise ValueError('no')\n\nf()",
    "error_in_chain": """
        def f():
            try:
                {}['k']
            except KeyError as error:
                raise ValueError('no') from error
        try:
            f()
        except ValueError:
            1 / 0
        """,
    "error_in_module": "import helper\nhelper.fail()",
    "error_at_import": "import broken_at_import",
    "syntax_error": "x = 1\ny = (\nprint('never')",
    "syntax_error_of_the_compiler": "def f():\n    pass\nreturn 1",
    "syntax_error_in_module": "import misspelt",
    "indentation": "if True:\nx = 1",
    "end_in_a_bracket": "x = (\n\n",
    "end_in_a_string": 'x = """abc',
    "end_in_a_block": "if 1:",
    "warning_and_error": "x = '\\d'\nx = = 2\n",
    "dedent": "if True:\n        x = 1\n    y = 2",
    "missing_module": "import nowhere_to_be_found",
    "latin_1": "# -*- coding: latin-1 -*-\nprint(ascii('h\u00e4'))",
    "exit_0": "import sys; sys.exit()",
    "exit_3": "import sys; sys.exit(3)",
    "exit_message": "import sys; sys.exit('over and out')",
    "exit_in_function": "def main():\n    raise SystemExit(7)\nmain()",
    "exit_by_os": "import os; print('lost'); os._exit(9)",
    "interrupted": "import os, signal, time\nos.kill(os.getpid(), signal.SIGINT)\ntime.sleep(5)",
    "terminated": "import os, signal, time\nos.kill(os.getpid(), signal.SIGTERM)\ntime.sleep(5)",
    "raised_interrupt": "import atexit\natexit.register(print, 'bye')\nraise KeyboardInterrupt",
    "stdin": "import sys\nprint(sys.stdin.read(), input if False else '')",
    "input": "print(input('> '))",
    "atexit": "import atexit\natexit.register(print, 'bye')\n1 / 0",
    "hook": "import sys\nsys.excepthook = lambda k, v, t: print(k, v, t.tb_lineno, t.tb_frame.f_code.co_name)\n1 / 0",
    "hook_exits": "import sys\nsys.excepthook = lambda k, v, t: sys.exit(5)\n1 / 0",
    "thread": """
        import threading
        def work():
            raise ValueError('in a thread')
        thread = threading.Thread(target=work, name='worker')
        thread.start()
        thread.join()
        """,
    "thread_goes_on": "import threading, time\nthreading.Thread(target=lambda: (time.sleep(.1), print('x'))).start()",
    "del_at_exit": "class A:\n    def __del__(self):\n        print('gone')\na = A()",
    "warning": "import warnings\nwarnings.warn('careful')\nwarnings.warn('old', DeprecationWarning)",
    "escape": "print('\\d')\nimport helper_with_escape",
    "is_literal": "x = 1\nprint(x is 1)",
    "pickle": """
        import pickle
        class Point:
            x = 1
        print(type(pickle.loads(pickle.dumps(Point()))), pickle.dumps(Point, 0))
        """,
    "dataclass": """
        from __future__ import annotations
        import dataclasses, typing
        @dataclasses.dataclass
        class Point:
            x: int
            y: typing.ClassVar[int] = 2
        print(Point(1), typing.get_type_hints(Point))
        """,
    "getsource": "import inspect\ndef f():\n    return 1  # one\nprint(inspect.getsource(f), inspect.getfile(f))",
    "unittest": """
        import sys, unittest
        class T(unittest.TestCase):
            def test_it(self):
                self.assertEqual(sys.modules['__main__'].T, T)
        unittest.main(exit=False, argv=['x'], testRunner=lambda **k: None) if False else print(
            unittest.defaultTestLoader.loadTestsFromName('__main__').countTestCases())
        """,
    "fork": """
        import multiprocessing as mp
        def double(x):
            return 2 * x
        if __name__ == '__main__':
            with mp.get_context('fork').Pool(1) as pool:
                print(pool.map(double, [1, 2, 3]))
        """,
    "spawn": """
        import multiprocessing as mp, sys
        print(__name__, __file__, __package__)
        class Box:
            pass
        def double(x):
            return 2 * x, __name__, sys.argv, type(Box()).__module__
        if __name__ == '__main__':
            with mp.get_context('spawn').Pool(1) as pool:
                print(pool.map(double, [1, 2, 3]))
        """,
    "forkserver": """
        import multiprocessing as mp
        def double(x):
            return 2 * x
        if __name__ == '__main__':
            with mp.get_context('forkserver').Pool(1) as pool:
                print(pool.map(double, [1, 2, 3]))
        """,
    "reload": """
        import importlib, helper
        helper.x = 2
        print(importlib.reload(helper).x, helper.__spec__.name, helper.__file__, helper.__cached__)
        """,
    "package": "import package.inner\nprint(package.inner.value, package.__path__, package.__file__)",
    "namespace_package": "import space.inner\nprint(space.inner.value, list(space.__path__))",
    "absent_attribute": "from helper import nothing",
    "module_data": "import pkgutil\nprint(pkgutil.get_data('package', 'data.txt'))",
    "crlf": "x = 1\r\nprint(x)\r\n1 / 0\r\n",
    "bom": "\ufeffprint('bom')",
    "empty": "",
    "unraisable": "class A:\n    def __del__(self):\n        raise ValueError('lost')\nA()",
    "error_group": "1 / 0" if sys.version_info < (3, 11) else "raise ExceptionGroup('g', [ValueError(1), KeyError(2)])",
    "main_imported": "import sys\nimport __main__\nprint(__main__ is sys.modules['__main__'], __main__.__file__)",
    "no_newline": "print('end')",
    "how_deep": """
        import sys
        print(sys.getrecursionlimit())
        depth = 0
        def go():
            global depth
            depth += 1
            go()
        for limit in (None, 500, 2000):
            if limit:
                sys.setrecursionlimit(limit)
            depth = 0
            try:
                go()
            except RecursionError:
                print(depth, sys.getrecursionlimit())
        go()
        """,
}

MODULES = {
    "helper.py": "x = 1\n\ndef fail():\n    raise RuntimeError('from the helper')\n",
    "broken_at_import.py": "def f():\n    return 1 / 0\n\nf()\n",
    "misspelt.py": "x = (\n",
    "helper_with_escape.py": "pattern = '\\d'\n",
    "package/__init__.py": "",
    "package/inner.py": "from . import other\nfrom .other import value\n",
    "package/other.py": "value = 42\n",
    "package/__main__.py": "import sys\nprint(__name__, __package__, sys.argv, __spec__.name)\n"
    "from .other import value\n1 / 0\n",
    "package/data.txt": "data",
    "space/inner.py": "value = 43\n",
    "dashm.py": "import sys\nprint(sys.argv, sys.path[0], __spec__.name, __name__, __file__)\n"
    "import helper\nhelper.fail()\n",
    "dashm_ki.py": "raise KeyboardInterrupt",
}


def _same(plain, ours):
    def seen(done):
        return done.code, re.sub("0x[0-9a-f]+", "0x…", done.out), re.sub("0x[0-9a-f]+", "0x…", done.err)

    assert seen(ours) == seen(plain)


@pytest.mark.parametrize("mentions", [False, True], ids=["plain", "rewritten"])
@pytest.mark.parametrize("name", sorted(SCRIPTS))
def test_script(bench, name, mentions):
    bench.write(MODULES)
    text = dedent(SCRIPTS[name]).lstrip("\n")
    if mentions:  # so that the script is rewritten, but imports nothing
        text = text.rstrip("\n") + "\nif 0: import tensorflow as tf" + ("\r\n" if "\r\n" in text else "\n")
    encoding = "latin-1" if name == "latin_1" else "utf-8"
    (bench.directory / "script.py").write_bytes(text.encode(encoding))
    plain = bench.python("script.py", "a", "--report", "--", "-m", stdin="first\nsecond\n")
    ours = bench.tf1mem("run", "script.py", "a", "--report", "--", "-m", stdin="first\nsecond\n")
    _same(plain, ours)


@pytest.mark.parametrize("name", ["error", "exit_3", "namespace", "interrupted", "raised_interrupt", "stdin", "spawn"])
def test_script_under_python_m_tf1mem(bench, name):
    bench.write({"script.py": SCRIPTS[name], **MODULES})
    _same(bench.python("script.py", stdin="in"), bench.tf1mem_as_module("run", "script.py", stdin="in"))


@pytest.mark.parametrize(
    "args",
    [
        *[("-m", "dashm", "--x"), ("-qm", "dashm", "--x"), ("-m", "package", "1"), ("-m", "package.inner")],
        *[("-m", "dashm_ki"), ("-m", "this")],
    ],
    ids=" ".join,
)
def test_module(bench, args):
    bench.write(MODULES)
    _same(bench.python(*args), bench.tf1mem("run", *args))


@pytest.mark.parametrize("name", ["nowhere", "package.nowhere", "space", "helper.nowhere"])
def test_a_module_that_is_not_there(bench, name):
    bench.write(MODULES)
    _same(bench.python("-m", name), bench.tf1mem("run", "-m", name))


@pytest.mark.parametrize("name", ["empty", "namespace", "error", "exit_0", "exit_3", "exit_in_function", "atexit"])
def test_pythoninspect_goes_on_interactively(bench, name):
    bench.write({"script.py": SCRIPTS[name], **MODULES})
    env = {"PYTHONINSPECT": "1"}
    _same(bench.python("script.py", env=env), bench.tf1mem("run", "script.py", env=env))


@pytest.mark.parametrize("mentions", [False, True], ids=["plain", "rewritten"])
@pytest.mark.parametrize(
    "name", ["namespace", "error_in_chain", "error_in_module", "end_in_a_bracket", "exit_3", "stdin", "empty"]
)
def test_standard_input(bench, name, mentions):
    bench.write(MODULES)
    text = dedent(SCRIPTS[name]).lstrip("\n") + ("\nif 0: import tensorflow as tf\n" if mentions else "")
    args = ("-", "a", "--report", "-m")
    _same(bench.python(*args, stdin=text), bench.tf1mem("run", *args, stdin=text))


@pytest.mark.parametrize("path", ["./script.py", "../program/script.py", "sub/../script.py", "absolute", "link.py"])
def test_a_script_s_path_is_shown_as_it_was_written(bench, path):
    bench.write({"script.py": "import sys\nprint(sys.argv, sys.path, __file__)\n1 / 0\n", "sub/x.txt": ""})
    elsewhere = bench.directory.parent / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "target.py").write_text("import sys\nprint(sys.argv, sys.path[0], __file__)\n")
    (bench.directory / "link.py").symlink_to("../elsewhere/target.py")
    if path == "absolute":
        path = str(bench.directory / "script.py")
    _same(bench.python(path), bench.tf1mem("run", path))


def test_directory_and_zip_file(bench):
    bench.write({"app/__main__.py": "import sys, inner\nprint(sys.argv, sys.path[0], __file__)\ninner.f()\n"})
    bench.write({"app/inner.py": "def f():\n    1 / 0\n"})
    zipapp.create_archive(
        str(bench.directory / "app"), str(bench.directory / "app.pyz"), interpreter="/usr/bin/python3"
    )
    _same(bench.python("app", "1"), bench.tf1mem("run", "app", "1"))
    _same(bench.python("app.pyz", "1"), bench.tf1mem("run", "app.pyz", "1"))


@pytest.mark.parametrize("flags", [["-O"], ["-W", "error"], ["-X", "dev"], ["-B", "-u"]], ids=" ".join)
def test_flags_of_python(bench, flags):
    bench.write(
        {"script.py": "import sys\nassert not __debug__ or 1\nprint(__debug__, sys.flags, sys.warnoptions)\n'x' + 1\n"}
    )
    _same(bench.python("script.py", flags=flags), bench.tf1mem("run", "script.py", flags=flags))


def test_isolated_from_the_current_directory(bench, tmp_path):
    bench.write({"script.py": "import sys\nprint(sys.path[0].endswith('program'))\n"})
    if sys.version_info >= (3, 11):
        _same(bench.python("script.py", flags=["-P"]), bench.tf1mem("run", "script.py", flags=["-P"]))


def test_a_script_that_changes_directory(bench):
    bench.write({"script.py": "import os\nos.chdir('/')\nimport helper\nprint(__file__)\n1 / 0\n", **MODULES})
    _same(bench.python("script.py"), bench.tf1mem("run", "script.py"))


def test_broken_pipe(bench):
    bench.write({"script.py": "import sys\nsys.stdout.close()\nprint('x')\n"})
    _same(bench.python("script.py"), bench.tf1mem("run", "script.py"))


def test_a_module_with_the_name_of_one_that_the_command_uses(bench):
    bench.write({"script.py": "import click\nprint(click.mine)\n", "click.py": "mine = True\n"})
    _same(bench.python("script.py"), bench.tf1mem("run", "script.py"))
