"""Uses names of Python 3.7's standard library that later versions lack, as programs of its time did."""

from __future__ import print_function

import array
import asyncio
import base64
import collections
import distutils.version
import imp
import inspect
import io
import json
import os
import random
import sys
import tempfile
import threading
import time
import unittest
import xml.etree.ElementTree as ET
from collections import Mapping, OrderedDict, Sequence as Many
from configparser import SafeConfigParser
from distutils import dir_util, util
from distutils.spawn import find_executable
from distutils.version import LooseVersion, StrictVersion
from fractions import gcd

folder = tempfile.mkdtemp()
path = os.path.join(folder, "lines.txt")

# Names that moved.
print([isinstance({}, kind) for kind in (Mapping, Many, collections.MutableMapping, collections.Iterable)])
print(
    collections.Callable is type(None),
    isinstance(print, collections.Callable),
    issubclass(OrderedDict, collections.Sized),
)
print([kind.__name__ for kind in (
    collections.AsyncGenerator, collections.AsyncIterable, collections.AsyncIterator, collections.Awaitable,
    collections.ByteString, collections.Callable, collections.Collection, collections.Container,
    collections.Coroutine, collections.Generator, collections.Hashable, collections.ItemsView,
    collections.Iterable, collections.Iterator, collections.KeysView, collections.Mapping,
    collections.MappingView, collections.MutableMapping, collections.MutableSequence, collections.MutableSet,
    collections.Reversible, collections.Sequence, collections.Set, collections.Sized, collections.ValuesView,
)])
print([gcd(*pair) for pair in ((12, 18), (-12, 18), (12, -18), (0, 5), (5, 0), (0, 0))], gcd(7.5, 2.5))
print(base64.encodestring(b"abc"), base64.decodestring(b"YWJj\n"))
before = time.clock()
sum(range(100000))
print(0 <= time.clock() - before < 60)


def function(a, b=2, *rest, **more):
    """Takes all kinds."""


print(tuple(inspect.getargspec(function)), inspect.getargspec(function).keywords)
try:
    inspect.getargspec(eval("lambda *, a: a"))
except ValueError:
    print("keyword-only")


@asyncio.coroutine
def twice(x):
    yield
    return 2 * x


print(asyncio.new_event_loop().run_until_complete(twice(4)))

# Methods.
thread = threading.Thread(target=print, args=("in a thread",))
thread.start()
thread.join()
print(thread.isAlive())
numbers = array.array("h", [1, 2])
numbers.fromstring(b"\x03\x00")
print(numbers.tostring(), numbers.tolist())
tree = ET.fromstring("<a><b>1</b><c><b>2</b></c></a>")
print([element.tag for element in tree.getchildren()], [element.text for element in tree.getiterator("b")])
print([element.tag for element in ET.ElementTree(tree).getiterator()])
parser = SafeConfigParser()
parser.readfp(io.StringIO("[train]\nrate = 0.5\n"))
print(parser.getfloat("train", "rate"))


class Test(unittest.TestCase):
    def runTest(self):
        self.assertEquals(1, 1)
        self.assertNotEquals(1, 2)
        self.assert_(True)
        self.assertAlmostEquals(0.1 + 0.2, 0.3)
        self.assertNotAlmostEquals(1, 2, places=3)
        self.assertRegexpMatches("abc", "b")
        self.assertNotRegexpMatches("abc", "d")
        with self.assertRaisesRegexp(ValueError, "no"):
            raise ValueError("no")


result = unittest.TestResult()
Test().run(result)
print(result, result.errors, result.failures)

# Calls that today's Python refuses.
with open(path, "wb") as file:
    file.write(b"one\r\ntwo\rthree\n")
print(
    open(path, "rU").read().split("\n"),
    open(path, mode="U").readline(),
    io.open(path, "rU").readline(),
    len(open(path, "rbU").read()),
)
print(json.loads('{"a": "\\u00e4"}', encoding="utf-8"), json.load(io.StringIO("[1]"), encoding="utf-8"))
random.seed(3)
print(sorted(random.sample({1, 2, 3}, 3)), random.sample({5, 6, 7, 8}, 2), random.sample([1, 2, 3], 2))

# Modules that were removed.
print(LooseVersion("1.15.0-rc1").version, LooseVersion("1.9") < "1.10", LooseVersion("2.0") >= LooseVersion("1.15.5"))
print(str(LooseVersion("1.2")), repr(LooseVersion("1.2")), LooseVersion("1.2") == "1.2", LooseVersion("1.2") != "1.3")
print(
    StrictVersion("1.2") < StrictVersion("1.2.1"),
    StrictVersion("1.2b1") < "1.2",
    StrictVersion("1.2.0"),
    StrictVersion("1.2a3"),
)
print(distutils.version.LooseVersion is LooseVersion, [util.strtobool(word) for word in ("Yes", "0", "on", "f")])
try:
    StrictVersion("1.2.3.4")
except ValueError as error:
    print(error)
try:
    util.strtobool("perhaps")
except ValueError as error:
    print(error)
source = os.path.join(folder, "source")
print([os.path.relpath(path, folder) for path in dir_util.mkpath(os.path.join(source, "deep", "er"))])
with open(os.path.join(source, "deep", "file.txt"), "w") as file:
    file.write("text")
copied = dir_util.copy_tree(source, os.path.join(folder, "target"))
print([os.path.relpath(path, folder) for path in copied], os.path.isdir(os.path.join(folder, "target", "deep", "er")))
dir_util.remove_tree(source)
print(os.path.exists(source), find_executable("nothing-of-that-name"), os.path.basename(find_executable("sh")))
with open(os.path.join(folder, "settings.py"), "w") as file:
    file.write("rate = 0.5\nprint('loaded as', __name__)\n")
settings = imp.load_source("loaded_settings", os.path.join(folder, "settings.py"))
print(settings.rate, sys.modules["loaded_settings"] is settings, imp.new_module("empty").__name__)
sys.path.insert(0, folder)
import settings as own

own.rate = 1
print(imp.reload(own).rate)
