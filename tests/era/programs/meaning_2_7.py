"""Code with another meaning in Python 2 than in Python 3, in a file that only Python 2 accepts."""

import cPickle
import os
import sys
import tempfile
from contextlib import contextmanager

print "Python 2"

# Division
print 7 / 2, -7 / 2, 7 / 2.0, 7.0 / 2, 1 / 3 * 3, True / 2, 10 ** 20 / 3, 7 // 2, 7 % 3
x = 7
x /= 2
y = 7.0
y /= 2
z = [9, {"a": (8, 0)}]
calls = []


def called(value):
    calls.append(value)
    return value


called(z)[called(0)] /= called(2)
z[called(1)]["b"] = 9
z[1]["b"] /= 4
z[:1] = [z[0] / 3]
print x, y, z, calls


class Holder(object):
    __private = 9

    def __init__(self):
        self.__private /= 2
        self.shown = self.__private
        self.shown /= 3


print Holder().shown, Holder()._Holder__private


class Divisible:
    def __init__(self, n):
        self.n = n

    def __div__(self, other):
        return "div", self.n, other

    def __rdiv__(self, other):
        return "rdiv", other

    def __idiv__(self, other):
        self.n = "idiv"
        return self


d = Divisible(1)
print d / 2, 2 / d, d / 2.0
d /= 2
print d.n

# Lists, and what else the builtins give
print map(str, [1, 2]), map(None, [1], [2, 3]), map(lambda a, b: (a, b), "ab", "c"), map(None, "ab")
print filter(None, [0, 1]), filter(lambda c: c > "a", "abc"), filter(None, (0, 2)), zip("ab", [1, 2, 3]), zip()
print range(3), range(1, 7, 2), range(3)[1:], type(range(1)).__name__, xrange(4)[2]
print {"a": 1}.keys(), {"a": 1}.values() + [2], {"a": 1}.items()[0], sorted(os.environ.keys()) == sorted(os.environ)
numbers = {1: 1, 2: 2}
for key in numbers.keys():
    del numbers[key]
print numbers, round(2.5), round(-2.5), round(0.5), round(2.675, 2), round(1234.5, -2), round(7), round(1e300)
print sorted([3, 1, 2], lambda a, b: cmp(b, a)), sorted("bA", key=str.lower), sorted([1, 2], None, None, True)
words = ["bb", "a", "ccc"]
words.sort(lambda a, b: len(a) - len(b))
print words,
words.sort(cmp=lambda a, b: cmp(b, a), key=len)
print words,
words.sort()
print words, min(3, 1), max("ab"), sum(range(4)), any([]), abs(-1), int("7"), long(7) + 1, hex(255), oct(8) in ("010", "0o10")
print reduce(lambda a, b: a + b, [1, 2, 3]), apply(max, [1, 2]), unichr(97), callable(len), isinstance(3, (int, long))
print eval("7 // 2"), dict(zip("ab", range(2))).has_key("a")


def shadows(map, range=len, input="mine"):
    return map, range([1]), input


def lists():
    zip = "own"
    return zip


print shadows(1), lists()


# Classes
class Meta(type):
    def __new__(mcs, name, bases, names):
        names["tag"] = name.lower()
        return type.__new__(mcs, name, bases, names)


class Tagged(object):
    __metaclass__ = Meta


class Below(Tagged):
    pass


print Tagged.tag, Below.tag, type(Below).__name__


class Countdown:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return self

    def next(self):
        if not self.n:
            raise StopIteration
        self.n -= 1
        return self.n

    def __nonzero__(self):
        return self.n > 1

    def __cmp__(self, other):
        return cmp(self.n, other.n)

    def __unicode__(self):
        return u"%d left" % self.n


print list(Countdown(3)), bool(Countdown(1)), bool(Countdown(2)), unicode(Countdown(4)), Countdown(5).next()
print Countdown(1) < Countdown(2), Countdown(1) == Countdown(1), Countdown(1) != Countdown(1), max(Countdown(1), Countdown(7)).n


class Same(object):
    def __eq__(self, other):
        return True


print len(set([Same()])), Same() == 1, hash(Same()) is not None, Same() != 1, Same() != Same()
same = Same()
print same == same, same != same


class Numbers(list):
    def sort(self, key):
        self.append(key)


numbers = Numbers([3, 1, 2])
numbers.sort(4)
list.sort(numbers, lambda a, b: cmp(b, a))
print numbers


class Words(unicode):
    def first(self):
        return self.split()[0]


text = u"some text"
print type(text) == unicode, type(text) is unicode, text.__class__ == unicode, {unicode: "text"}.get(type(text))
print issubclass(unicode, basestring), issubclass(type(text), unicode), isinstance(text, (int, unicode)), Words(text).first()
print unicode(b"bytes"), unicode(b"bytes", "utf-8"), unicode("text", "utf-8"), unicode.join(u"-", [u"a", u"b"]), unicode(7)


# Generators that a StopIteration ends
def counted(n):
    "Doc."
    i = 0
    while True:
        try:
            if i == n:
                raise StopIteration
        except ValueError:
            pass
        yield i
        i += 1


def pairs(iterator):
    while True:
        yield iterator.next(), next(iterator)


def catches():
    try:
        raise StopIteration()
    except StopIteration:
        yield "caught"

    def inner():
        raise StopIteration

    inner()
    yield "never"


@contextmanager
def entered():
    yield 1


print list(counted(3)), counted.__doc__, list(pairs(iter(range(5)))), list(catches())
try:
    with entered():
        raise StopIteration("through")
except StopIteration, e:
    print e

# Files take and give every byte; what was written as text can be a pickle.
folder = tempfile.mkdtemp()
path = os.path.join(folder, "data")
out = open(path, "w")
out.write("one\r\ntwo\n")
out.close()
print repr(open(path).read()), open(path, "U").read().split("\n"), [line for line in file(path)] == ["one\r\n", "two\n"]
cPickle.dump({"a": [1, 2.5, "text"]}, open(path, "w"))
print cPickle.load(open(path))
open(path, "wb").write(b"seven = 7 / 2\nprint 'executed', seven\n")
execfile(path)
print seven, isinstance(open(path), file), type(open(path)) == file, type(text) == file, len(open(path, "r", 0).read())

sys.stdin = open(path)
print len(raw_input())
open(path, "w").write("seven * 2\n")
sys.stdin = open(path)
print input()
