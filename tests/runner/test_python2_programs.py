"""If a program's main file is Python 2, so are its other files, except those that are certainly Python 3."""

from __future__ import annotations

FILES = {
    "main2.py": """
        import random
        import lib, new, newer, both
        from package import part
        print "main", lib.mean(7, 2)
        print "package", part.half(7)
        print "new", new.half(7), newer.half(7), both.half(7)
        """,
    "lib.py": "import random\n\ndef mean(n, size):\n    random.shuffle(range(n))\n    return n / size\n",
    "package/__init__.py": "",
    "package/part.py": "def half(n):\n    return n / 2\n",
    # One file that is certainly Python 3, and one that both parse, which imports Python 3's division.
    "new.py": "def half(n: int):\n    return n / 2\n",
    "newer.py": "def half(n, *, by=2):\n    return n / by\n",
    "both.py": "from __future__ import division\n\ndef half(n):\n    return n / 2\n",
}
SAID = ["main 3", "package 3", "new 3.5 3.5 3.5"]


def test_files_that_both_pythons_compile_are_python_2_as_their_main_file(bench):
    bench.write({**FILES, "app/__init__.py": "", "app/__main__.py": FILES["main2.py"]})
    done = bench.tf1mem("run", "--report", "main2.py")
    assert done.out.splitlines() == SAID, done.err
    assert "treated as Python 2, since main2.py is: lib.py, both.py, package" in done.err
    assert "new.py" not in done.err
    assert bench.tf1mem("run", "-m", "app").out.splitlines() == SAID
    starts = "import subprocess, sys\nprint 1\nsubprocess.call([sys.executable, 'worker.py'])\n"
    bench.write({"starts.py": starts, "worker.py": "import sys, lib\nsys.stdout.write('%s\\n' % (lib.mean(7, 2)))\n"})
    assert bench.tf1mem("run", "starts.py").out.splitlines()[-1] == "3"


def test_python_2_that_python_3_compiles_but_cannot_run_is_certain(bench):
    bench.write({**FILES, "main.py": "import sys, lib\nprint >>sys.stdout, lib.mean(7, 2)\n"})
    assert bench.tf1mem("run", "main.py").out == "3\n"


def test_a_main_file_that_both_compile_decides_nothing(bench):
    bench.write({**FILES, "main.py": "import lib_3\nprint(lib_3.half(7))\n", "lib_3.py": FILES["package/part.py"]})
    done = bench.tf1mem("run", "--report", "main.py")
    assert done.out == "3.5\n", done.err
    assert "Python 2" not in done.err
