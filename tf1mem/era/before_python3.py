"""Repairs for Python 2's names: builtins, methods, modules and their members that Python 3.0 removed.

They are supplied to every file of a program, Python 2 or not, wherever the program itself doesn't define the name.
"""

from __future__ import annotations

import ast
import codecs
import io
import sys
from types import ModuleType
from typing import Any, Callable

from tf1mem.era import executed
from tf1mem.era.repairs import PYTHON_3, Repair, changed, gone, methods, modules, moved

Note = Callable[[], None]  # records that the repair was needed


def file_type(open_: Callable[..., Any]) -> type:
    """Returns the type `file`: calling it opens a file, and every open file is an instance of it."""

    class FileType(type):
        def __call__(cls, *args: Any, **kwargs: Any) -> Any:
            return open_(*args, **kwargs)

        def __instancecheck__(cls, value: Any) -> bool:
            return isinstance(value, io.IOBase)

        def __subclasscheck__(cls, kind: type) -> bool:
            return kind is cls or issubclass(kind, io.IOBase)

        def __eq__(cls, other: object) -> bool:
            return isinstance(other, type) and issubclass(other, cls)  # type(f) == file

        __hash__ = type.__hash__

    return FileType("file", (), {})


class _Text(type):
    """The metaclass of `unicode`, which makes it equal to `str`."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if cls is not unicode:
            return super().__call__(*args, **kwargs)
        if args and isinstance(args[0], str):
            return str(args[0])  # already text; the encoding doesn't matter
        if len(args) == 1 and not kwargs and isinstance(args[0], (bytes, bytearray)):
            return str(args[0], "ascii")
        return str(*args, **kwargs)

    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, str) if cls is unicode else super().__instancecheck__(value)

    def __subclasscheck__(cls, kind: type) -> bool:
        return issubclass(kind, str) if cls is unicode else super().__subclasscheck__(kind)

    def __eq__(cls, other: object) -> bool:
        return cls is other or (cls is unicode and other is str)

    def __hash__(cls) -> int:
        return hash(str) if cls is unicode else super().__hash__()

    @property
    def dtype(cls) -> Any:
        """The dtype of arrays that NumPy makes from this type."""
        from numpy import dtype

        return dtype(str if cls is unicode else object)


class unicode(str, metaclass=_Text):  # noqa: N801
    """Text, equal to `str`; called with bytes, it decodes them."""


def cmp(x: Any, y: Any) -> int:
    """Returns -1, 0 or 1: x is less than y, equal, or greater."""
    return int(x > y) - int(x < y)


def apply(function: Any, args: Any = (), kwargs: Any = None) -> Any:
    """Calls a function with a sequence of arguments and a dict of keyword arguments."""
    return function(*args, **(kwargs or {}))


def coerce(x: Any, y: Any) -> tuple[Any, Any]:
    """Returns two numbers, converted to one type."""
    kind = type(x + y)
    return kind(x), kind(y)


def reload(module: ModuleType) -> ModuleType:
    """Loads a module again, except sys, which programs reload only to reach `sys.setdefaultencoding`."""
    import importlib

    return module if module is sys else importlib.reload(module)


def execfile(filename: str, globals: Any = None, locals: Any = None) -> None:
    """Runs a file, by default in the caller's namespace."""
    if globals is None:
        frame = sys._getframe(1)
        globals, locals = frame.f_globals, frame.f_locals
    with open(filename, "rb") as file:
        source = file.read()
    tree: Any = compile(source, filename, "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
    executed.redirect(tree, source)
    code = compile(tree, filename, "exec", dont_inherit=True)
    exec(code, globals, globals if locals is None else locals)


# Encodings by which `str.decode` returned bytes and not text.
_TO_BYTES = {"hex", "hex_codec", "base64", "base64_codec", "zlib", "bz2", "rot13", "rot_13", "string_escape"}


def _decode(text: str, encoding: str = "ascii", errors: str = "strict") -> str:
    """Returns text unchanged, but decoded if `encoding` is in `_TO_BYTES`: one character for each byte."""
    if encoding not in _TO_BYTES:
        return text
    if encoding in ("rot13", "rot_13"):
        return codecs.decode(text, "rot13")
    kind = "unicode_escape" if encoding == "string_escape" else encoding
    done = codecs.decode(text.encode("latin-1"), kind)
    return done if isinstance(done, str) else done.decode("latin-1")


def StringIO(buffer: Any = "") -> Any:  # noqa: N802
    """Returns a file in memory: of bytes if the initial value is bytes, else of text."""
    return io.BytesIO(buffer) if isinstance(buffer, (bytes, bytearray)) else io.StringIO(buffer, newline="\n")


def _file(file: Any) -> Any:
    """Returns the binary buffer of a file: Python 2 read and wrote pickles in files opened as text, too."""
    return file.buffer if isinstance(file, io.TextIOBase) and hasattr(file, "buffer") else file


def _load(note: Note, original: Any, file: Any, *args: Any, **kwargs: Any) -> Any:
    """Repairs `pickle.load` for files opened as text, and for strings that Python 2 wrote."""
    binary = _file(file)
    if binary is not file:
        note()
    start = binary.tell() if hasattr(binary, "seekable") and binary.seekable() else None
    try:
        return original(binary, *args, **kwargs)
    except UnicodeDecodeError:
        if start is None or kwargs:
            raise
    note()
    binary.seek(start)
    return original(binary, *args, encoding="latin-1")


def _loads(note: Note, original: Any, data: Any, *args: Any, **kwargs: Any) -> Any:
    """Repairs `pickle.loads` for str, and for strings that Python 2 wrote."""
    if isinstance(data, str):
        note()
        data = data.encode("latin-1")
    try:
        return original(data, *args, **kwargs)
    except UnicodeDecodeError:
        if kwargs:
            raise
    note()
    return original(data, *args, encoding="latin-1")


def _dump(note: Note, original: Any, obj: Any, file: Any, *args: Any, **kwargs: Any) -> None:
    binary = _file(file)
    if binary is not file:
        note()
        file.flush()
    original(obj, binary, *args, **kwargs)


def _imap(function: Any, *iterables: Any) -> Any:
    return zip(*iterables) if function is None else map(function, *iterables)


def _takes_no_encoding(call: ast.Call) -> bool:
    return not any(keyword.arg in ("encoding", None) for keyword in call.keywords)


def _has_arguments(call: ast.Call) -> bool:
    return bool(call.args)


def _has_no_arguments(call: ast.Call) -> bool:
    return not (call.args or call.keywords)


def _has_key(mapping: Any, key: Any) -> bool:
    return key in mapping


def _prefixed(prefix: str) -> dict[str, Callable[..., Any]]:
    """Returns a dict's lost methods with a prefix, such as `iteritems`."""
    return {
        prefix + name: lambda mapping, _name=name: (iter if prefix == "iter" else _unchanged)(getattr(mapping, _name)())
        for name in ("items", "keys", "values")
    }


def _unchanged(view: Any) -> Any:
    return view


# Functions of the modules string, urllib and urllib2 that are elsewhere today.
_TEXT = "lower upper strip split rsplit replace find rfind count center ljust rjust zfill"
_OPENING = "urlopen urlretrieve urlcleanup pathname2url url2pathname"
_QUOTING = "quote quote_plus unquote unquote_plus urlencode"
_REQUESTS = (
    "urlopen Request build_opener install_opener BaseHandler HTTPHandler HTTPSHandler ProxyHandler "
    "HTTPCookieProcessor HTTPRedirectHandler HTTPPasswordMgrWithDefaultRealm HTTPBasicAuthHandler"
)


def _from_module(module: str, names: str) -> str:
    """Returns entries for names that a module has today, unchanged: "name=module.name"."""
    return " ".join(f"{name}={module}.{name}" for name in names.split())


REPAIRS: tuple[Repair, ...] = (
    *gone("builtins", PYTHON_3, apply=apply, basestring=str, buffer=memoryview, cmp=cmp, coerce=coerce,
          execfile=execfile, file=file_type(open), intern=sys.intern, long=int, raw_input="builtins.input",
          reduce="functools.reduce", reload=reload, StandardError=Exception, unichr=chr, unicode=unicode,
          xrange=range),
    *methods("builtins.dict", PYTHON_3, has_key=_has_key, **_prefixed("iter"), **_prefixed("view")),
    *methods("collections.abc.Mapping", PYTHON_3, has_key=_has_key, **_prefixed("iter")),
    *methods("builtins.str", PYTHON_3, decode=_decode),
    *methods("builtins.object", PYTHON_3, _has_no_arguments, next=lambda iterator: iterator.__next__()),
    *changed("pickle", PYTHON_3, "refuses", "of what Python 2 wrote", _takes_no_encoding, hint=b"ickle",
             load=_load, loads=_loads),
    *changed("pickle", PYTHON_3, "refuses", "into a file of text", _has_arguments, hint=b"ickle", dump=_dump),
    *gone("itertools", PYTHON_3, "izip=builtins.zip ifilter=builtins.filter izip_longest=zip_longest "
          "ifilterfalse=filterfalse", imap=_imap),
    *gone("os", PYTHON_3, "getcwdu=getcwd"),
    *gone("string", PYTHON_3, "letters=ascii_letters lowercase=ascii_lowercase uppercase=ascii_uppercase",
          **{name: getattr(str, name) for name in _TEXT.split()}, atof=float, atoi=int,
          join=lambda words, sep=" ": sep.join(words), maketrans=str.maketrans),
    *gone("sys", PYTHON_3, "maxint=maxsize", setdefaultencoding=lambda name: None, exc_clear=lambda: None),
    *gone("types", PYTHON_3, BooleanType=bool, ClassType=type, DictType=dict, FloatType=float, IntType=int,
          ListType=list, LongType=int, StringType=str, StringTypes=str, TupleType=tuple, UnicodeType=str),
    *gone("urllib", PYTHON_3, f"{_from_module('urllib.request', _OPENING)} {_from_module('urllib.parse', _QUOTING)}"),
    *modules(PYTHON_3, "StringIO cStringIO commands md5 sha sets urllib2 UserDict"),
    *gone("StringIO", PYTHON_3, StringIO=StringIO),
    *gone("cStringIO", PYTHON_3, StringIO=StringIO),
    *gone("commands", PYTHON_3, "getoutput=subprocess.getoutput getstatusoutput=subprocess.getstatusoutput"),
    *gone("md5", PYTHON_3, "md5=hashlib.md5 new=hashlib.md5"),
    *gone("sha", PYTHON_3, "sha=hashlib.sha1 new=hashlib.sha1"),
    *gone("sets", PYTHON_3, Set=set, ImmutableSet=frozenset),
    *gone("UserDict", PYTHON_3, "UserDict=collections.UserDict IterableUserDict=collections.UserDict "
          "DictMixin=collections.abc.MutableMapping"),
    *gone("urllib2", PYTHON_3, f"{_from_module('urllib.request', _REQUESTS)} "
          f"{_from_module('urllib.error', 'URLError HTTPError')} {_from_module('urllib.parse', 'quote unquote')}"),
    *moved(PYTHON_3, "BaseHTTPServer=http.server ConfigParser=configparser Cookie=http.cookies HTMLParser=html.parser "
           "Queue=queue SimpleHTTPServer=http.server SocketServer=socketserver Tkinter=tkinter __builtin__=builtins "
           "anydbm=dbm cPickle=pickle cookielib=http.cookiejar copy_reg=copyreg dummy_thread=_thread "
           "exceptions=builtins htmlentitydefs=html.entities httplib=http.client thread=_thread "
           "tkFileDialog=tkinter.filedialog tkFont=tkinter.font tkMessageBox=tkinter.messagebox ttk=tkinter.ttk "
           "urlparse=urllib.parse xmlrpclib=xmlrpc.client _winreg=winreg"),
)  # fmt: skip
