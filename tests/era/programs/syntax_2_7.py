# -*- coding: utf-8 -*-
"""Statements that Python 3 can't compile."""

import sys
from StringIO import StringIO

# print
print
print "a", 1, (2, "b"), ["c"], u"d", None
print("e"), 2
print ("f", 3)
print ()
print "one line",
print "goes on",
print
print "ends itself\n",
print "begins anew"
print "%s and %d" % ("text", 7), \
    "continued"
print (1 +
       2) * 3
print """many
lines""", "end"
stream = StringIO()
print >>stream, "to a stream", 5,
print >>stream, "and on"
print >>stream
print stream.getvalue() == "to a stream 5 and on\n\n"
print >>None, "to stdout"
if True: print "in a line"; print "and another"
print "ü", len(u"ü"), `1` + `"x"`, `1, 2`

# Numbers and strings
print 0777, 0, 00, 007, 10L, 0xFFL, 0777L, 1e5, 0o17, 0b11, 07.5
print ur"raw\d", "\d", "C:\users\new".count("\\"), u"\u00e4" == u"ä", len("\\u00e4"), r"\u"
print 1 <> 2, 1 != 2

# exec
exec "a = 1; print a"
names = {"b": 2}
exec "print b; c = b * 2" in names
exec "print d" in {"d": 3}, {"d": 4}
exec("e = 5")
exec("print f, 7 / 2", {"f": 6})
exec (compile("g = 7", "x", "exec"))
print names["c"], e


# Tuples as parameters
def one(a, (b, c), d=0):
    "text"
    return a, b, c, d


def two((a, (b, c)), (d,)=(4,), *rest, **more): return a, b, c, d, rest


def three((a, b)):
    for c in range(a):
        b += c
    return b


print one(1, (2, 3)), one(1, "ab", d=4), two((1, (2, 3))), two((1, (2, 3)), [5], 6), three((3, 1)), one.__doc__
print map(lambda (k, v): k * v, [(1, 2), (3, 4)]), (lambda a, (b, (c, d)), e=5: (a, b, c, d, e))(1, (2, (3, 4)))
print sorted({"x": 2, "y": 1}.items(), key=lambda (k, v): v), (lambda (a): a)(1)
print [x for x in 1, 2, 3 if x > 1], [(x, y) for x in 1, 2 for y in 3, 4]

# Errors
try:
    raise ValueError, "text"
except (TypeError, ValueError), error:
    print type(error).__name__, error
print error.args
for what in ((KeyError, ("a", "b")), (ValueError, None), (ValueError, ValueError("made"))):
    try:
        raise what[0], what[1]
    except Exception, why:
        print repr(why.args)
try:
    try:
        1 / 0
    except ZeroDivisionError, first:
        raise RuntimeError, "second", sys.exc_info()[2]
except RuntimeError, (text):
    print text
holder = {}
try:
    raise IOError(2, "no such thing")
except IOError, (number, holder["text"]):
    print number, holder["text"]
try:
    raise KeyError("k")
except KeyError:
    print "no name"


def uses():
    print counter
    global counter
    counter = counter + 1


counter = 1
uses()
print counter


# Indentation by tabs: one goes to the next multiple of 8.
def tabs(a):
	if a:
            b = """a
	tab"""
	    return b
        return None

print repr(tabs(1)), tabs(0)
print "last",
