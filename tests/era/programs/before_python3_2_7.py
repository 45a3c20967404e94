"""Uses modules and functions of Python 2.7, in a file that compiles under Python 3, too."""

from __future__ import division, print_function

import cPickle
import commands
import ConfigParser
import cStringIO
import itertools
import md5
import os
import pickle
import Queue as queue
import sets
import sha
import StringIO
import string
import sys
import tempfile
import types
import urllib
import urllib2
import urlparse
import UserDict
from cPickle import loads as read
from HTMLParser import HTMLParser
from Queue import *

folder = tempfile.mkdtemp()
path = os.path.join(folder, "numbers.py")

# Builtins.
file(path, "w").write("seven = 7\n")
print(isinstance(open(path), file), isinstance("", file))
execfile(path)
print(seven, apply(max, (1, 2)), isinstance(u"text", basestring), isinstance(1, basestring), len(buffer(b"abc")))
print(cmp(1, 2), cmp("b", "a"), cmp(2.0, 2), [float(number) for number in coerce(1, 2.5)], intern("a" + "b"))
print(isinstance(10 ** 20, long), long("12") + 1, reduce(lambda a, b: a * b, [1, 2, 3, 4]), reduce(max, [], 5))
print(issubclass(ValueError, StandardError), unichr(252) == u"\u00fc", isinstance(u"", unicode), unicode("abc", "utf-8") == u"abc")
print(type(u"") == unicode, unicode != type(u""), type(1) == unicode, {unicode: "text"}.get(type(u"")), unicode in (type(u""),))
print(issubclass(type(u""), unicode), issubclass(int, unicode), type(open(path)) == file, issubclass(type(open(path)), file), int == file)
print(list(xrange(3)), len(xrange(2, 10, 3)), [text for text in map(unicode, [1, 2.5])] == [u"1", u"2.5"])
sys.stdin = StringIO.StringIO("a line\n")
print(raw_input())
print(string is reload(string), sys is reload(sys))


def shadowed(cmp, file="x"):
    return cmp, file


print(shadowed(1), [long for long in (1, 2)])

# Dictionaries, iterators and text.
d = {"a": 1}
print(d.has_key("a"), d.has_key("b"), list(d.iteritems()), list(d.iterkeys()), list(d.itervalues()))
print(list(d.viewitems()), d.viewkeys() & {"a"} == {"a"}, list(d.viewvalues()))
os.environ.clear()
os.environ["KEY"] = "value"
print(os.environ.has_key("KEY"), list(os.environ.iteritems()), list(os.environ.iterkeys()), list(os.environ.itervalues()))
print(iter([7, 8]).next(), (letter for letter in "xy").next(), {}.get("x"))
print("abc".decode("utf-8") == u"abc", "616263".decode("hex") == "abc", "a\\nb".decode("string_escape") == "a\nb", "nop".decode("rot13") == "abc")


class Node(object):
    next = None


print(Node().next)

# Modules.
print(list(itertools.izip("ab", "cd")), list(itertools.imap(abs, [-1])), list(itertools.imap(None, "a", "b")))
print(list(itertools.ifilter(None, [0, 1])), list(itertools.ifilterfalse(None, [0, 1])), list(itertools.izip_longest("ab", "c")))
print(os.getcwdu() == os.getcwd(), sys.maxint == sys.maxsize, sys.exc_clear())
sys.setdefaultencoding("utf-8")
print(len(string.letters), string.lowercase[:3], string.uppercase[:3], string.lower("A"), string.upper("a"), string.strip(" x "))
print(string.split("a b"), string.rsplit("a b c", " ", 1), string.replace("aa", "a", "b"), string.find("ab", "b"), string.rfind("aba", "a"))
print(string.count("aba", "a"), string.center("a", 3) + "|", string.ljust("a", 3) + "|", string.rjust("a", 3), string.zfill("7", 3))
print(string.atoi("7"), string.atof("7.5"), string.join(["a", "b"]), string.join(["a", "b"], "-"), "abc".translate(string.maketrans("ab", "xy")))
print(isinstance(True, types.BooleanType), isinstance({}, types.DictType), isinstance(1.0, types.FloatType))
print(isinstance(1, types.IntType), isinstance([], types.ListType), isinstance(10 ** 30, types.LongType))
print(isinstance("", types.StringType), isinstance("", types.StringTypes), isinstance((), types.TupleType))
print(isinstance(u"", types.UnicodeType), isinstance(Node, (types.ClassType, type)))
print(urllib.quote("a b/"), urllib.quote_plus("a b"), urllib.unquote("a%20b"), urllib.unquote_plus("a+b"), urllib.urlencode([("a", 1)]))
address = "file://" + urllib.pathname2url(path)
print(urllib.url2pathname(urllib.pathname2url("/a b")), urllib.urlopen(address).read() == b"seven = 7\n")
print(open(urllib.urlretrieve(address)[0]).read(), urllib.urlcleanup())
print(urllib2.urlopen(address).read() == b"seven = 7\n", urllib2.Request("http://a/b").get_full_url(), urllib2.quote("/ "), urllib2.unquote("%41"))
print(issubclass(urllib2.HTTPError, urllib2.URLError), issubclass(urllib2.HTTPHandler, urllib2.BaseHandler), urllib2.HTTPSHandler.__name__)
opener = urllib2.build_opener(urllib2.ProxyHandler({}), urllib2.HTTPCookieProcessor(), urllib2.HTTPRedirectHandler())
print(urllib2.install_opener(opener), urllib2.HTTPBasicAuthHandler(urllib2.HTTPPasswordMgrWithDefaultRealm()).auth_header)
print(urlparse.urlparse("http://host/path").netloc, HTMLParser.__name__, ConfigParser.NoOptionError.__name__)
print(queue.Queue is Queue, Empty.__name__)
parser = ConfigParser.ConfigParser()
parser.add_section("a")
parser.set("a", "b", "c")
print(parser.get("a", "b"))
print(cStringIO.StringIO("a\nb").readlines(), cStringIO.StringIO(b"bytes").read() == b"bytes", StringIO.StringIO("x").getvalue())
print(commands.getoutput("echo x"), commands.getstatusoutput("exit 0"))
print(md5.md5(b"a").hexdigest(), md5.new().hexdigest(), sha.sha(b"a").hexdigest(), sha.new(b"a").hexdigest())
print(sets.Set([1]) | sets.Set([2]) == sets.Set([1, 2]), len(sets.ImmutableSet([1, 1])))
print(UserDict.UserDict({"a": 1})["a"], UserDict.IterableUserDict({"a": 1}).get("a"), isinstance(UserDict.DictMixin, object))

# Pickles that Python 2 wrote, and pickles in text files.
old = b"\x80\x02}q\x00U\x04dataq\x01U\x03\xff\xfe\x00q\x02s."
print(len(pickle.loads(old)["data"]), len(cPickle.loads(old)["data"]), [ord(letter) for letter in read(old)["data"]])
pickle.dump({"a": 1}, open(path, "w"), 2)
print(pickle.load(open(path)), cPickle.load(open(path, "rb")))

# Code that handles both Pythons itself.
try:
    import urllib2 as requests
    which = 2
except ImportError:
    import urllib.request as requests
    which = 3
try:
    range_ = xrange
except NameError:
    range_ = range
print(which == sys.version_info[0], requests.__name__ == ("urllib2" if which == 2 else "urllib.request"), range_ is range or which == 2)
