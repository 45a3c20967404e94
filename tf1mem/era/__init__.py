"""The libraries of 2016 to 2019, for old programs on today's Python: each library as it is, plus the names it has lost.

A file of the program that reads a lost name is compiled so that it calls this package in that one place. The library
stays unchanged: installed packages, and the parts of the program that need no repair, see it as it is.

One module for each library (`LIBRARIES`), all alike: functions that no library has today, then the table `REPAIRS`.
"""

from __future__ import annotations

from functools import lru_cache

from tf1mem.machine.distributions import version_beside

# A module with repairs -> words: a file that needs one of its repairs contains one of them.
LIBRARIES = {
    "numpy": (b"numpy", b"np.", b".tostring", b"math.exp"),
    "scipy": (b"scipy",),
    "pillow": (b"PIL", b".textsize", b".getsize"),
    "yaml": (b"yaml",),
    "h5py": (b"h5py",),
    "matplotlib": (b"preamble",),
    "nibabel": (b"nibabel", b".get_affine", b".get_data", b".get_header"),
    "pandas": (b"pandas",),
    "tensorflow": (b"._parse_flags",),
    "standard_library": (
        *(b"assert", b"asyncio", b"base64", b"collections", b"distutils", b"from imp ", b"fractions", b"fromstring"),
        *(b"getargspec", b"getchildren", b"getiterator", b"imp.", b"isAlive", b"json", b"onfig", b"rU", b"random"),
        *(b"readfp", b"time", b"tostring"),
    ),
    "before_python3": (
        *(b"apply(", b"basestring", b"buffer(", b"cmp(", b"coerce(", b"execfile", b"file", b"intern(", b"long"),
        *(b"raw_input", b"reduce(", b"reload(", b"StandardError", b"unichr", b"unicode", b"xrange"),
        *(b"has_key", b"iteritems", b"iterkeys", b"itervalues", b"view", b"decode", b".next(", b"ickle", b"itertools"),
        *(b"getcwdu", b"string", b"sys", b"types", b"urllib", b"StringIO", b"commands", b"md5", b"sha", b"sets"),
        *(b"UserDict", b"HTTPServer", b"ConfigParser", b"Cookie", b"HTMLParser", b"Queue", b"SocketServer", b"Tkinter"),
        *(b"__builtin__", b"anydbm", b"cookielib", b"copy_reg", b"thread", b"exceptions", b"htmlentitydefs"),
        *(b"httplib", b"tk", b"urlparse", b"xmlrpclib", b"_winreg"),
    ),
}


def mentioned(source: bytes) -> list[str]:
    """Returns the libraries that a file may need repaired: a cheap test, which errs on the safe side."""
    return [library for library, words in LIBRARIES.items() if any(word in source for word in words)]


@lru_cache(maxsize=None)
def promotes_by_dtype() -> bool:
    """Returns True if NumPy 2 or newer is installed: numbers of old programs then need NumPy 1's promotion."""
    return int(version_beside("numpy").partition(".")[0] or 0) >= 2
