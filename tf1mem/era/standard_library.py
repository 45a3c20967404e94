"""Repairs for Python's standard library: names and behaviour that it had up to 3.7 and has lost since."""

from __future__ import annotations

import ast
import os
import re
import sys
from types import ModuleType
from typing import Any, Callable, Iterator, NamedTuple

from tf1mem.era.repairs import changed, gone, methods, modules


class ArgSpec(NamedTuple):
    """A function's arguments, all of kinds that Python 2 had."""

    args: list[str]
    varargs: str | None
    keywords: str | None
    defaults: tuple[Any, ...] | None


def getargspec(func: Any) -> ArgSpec:
    """Returns a function's arguments.

    Raises:
        ValueError: Some arguments are of newer kinds.
    """
    from inspect import getfullargspec

    full = getfullargspec(func)
    if full.kwonlyargs or full.annotations:
        raise ValueError("the function has keyword-only arguments or annotations: use inspect.signature()")
    return ArgSpec(full.args, full.varargs, full.varkw, full.defaults)


def gcd(a: Any, b: Any) -> Any:
    """Returns the greatest common divisor, with the sign of `b`, or of `a` where `b` is 0."""
    while b:
        a, b = b, a % b
    return a


class LooseVersion:
    """A version of numbers and words, compared part by part.

    Args:
        vstring: "1.15.0-rc1".
    """

    def __init__(self, vstring: str | None = None) -> None:
        if vstring:
            self.parse(vstring)

    def parse(self, vstring: str) -> None:
        """Parses a version."""
        self.vstring = vstring
        parts = re.findall(r"\d+|[a-z]+|[^\d.a-z]+", vstring)
        self.version: Any = [int(part) if part.isdigit() else part for part in parts]

    def __str__(self) -> str:
        return self.vstring

    def __repr__(self) -> str:
        return f"{type(self).__name__} ('{self}')"

    def _both(self, other: Any) -> tuple[Any, Any]:
        return self.version, (type(self)(other) if isinstance(other, str) else other).version

    def __eq__(self, other: object) -> bool:
        mine, its = self._both(other)
        return bool(mine == its)

    def __lt__(self, other: Any) -> bool:
        mine, its = self._both(other)
        return bool(mine < its)

    def __le__(self, other: Any) -> bool:
        return bool(self == other or self < other)

    def __gt__(self, other: Any) -> bool:
        return not (self == other or self < other)

    def __ge__(self, other: Any) -> bool:
        return not self < other

    __hash__ = None  # type: ignore[assignment]


class StrictVersion(LooseVersion):
    """A version of two or three numbers, optionally with a or b and a number: "1.2", "1.2.3", "1.2b1"."""

    def parse(self, vstring: str) -> None:
        """Parses a version.

        Raises:
            ValueError: It has another form.
        """
        match = re.match(r"(\d+)\.(\d+)(\.(\d+))?([ab](\d+))?\Z", vstring, re.ASCII)
        if not match:
            raise ValueError(f"invalid version number '{vstring}'")
        major, minor, _, patch, prerelease, number = match.groups()
        self.prerelease = (prerelease[0], int(number)) if prerelease else None
        self.version = (int(major), int(minor), int(patch or 0))

    def __str__(self) -> str:
        numbers = self.version if self.version[2] else self.version[:2]
        return ".".join(map(str, numbers)) + ("{}{}".format(*self.prerelease) if self.prerelease else "")

    def _both(self, other: Any) -> tuple[Any, Any]:
        its = type(self)(other) if isinstance(other, str) else other
        last = ("z", 0)  # a release follows its prereleases
        return (self.version, self.prerelease or last), (its.version, its.prerelease or last)


def strtobool(val: str) -> int:
    """Returns 1 for yes, 0 for no.

    Raises:
        ValueError: It is neither.
    """
    word = val.lower()
    if word in ("y", "yes", "t", "true", "on", "1"):
        return 1
    if word in ("n", "no", "f", "false", "off", "0"):
        return 0
    raise ValueError(f"invalid truth value {word!r}")


def mkpath(name: str, mode: int = 0o777, verbose: int = 1, dry_run: int = 0) -> list[str]:
    """Makes a directory and its missing parents; returns the directories that were missing."""
    missing = []
    path = os.path.normpath(name)
    while path and not os.path.isdir(path):
        missing.append(path)
        path = os.path.dirname(path)
    missing.reverse()
    if not dry_run:
        for path in missing:
            os.mkdir(path, mode)
    return missing


def copy_tree(  # noqa: PLR0917
    src: str,
    dst: str,
    preserve_mode: int = 1,
    preserve_times: int = 1,
    preserve_symlinks: int = 0,
    update: int = 0,
    verbose: int = 1,
    dry_run: int = 0,
) -> list[str]:
    """Copies a directory's content into another, which may exist; returns the copied files' new paths."""
    import shutil

    if not os.path.isdir(src):
        raise OSError(f"cannot copy tree '{src}': not a directory")
    mkpath(dst, dry_run=dry_run)
    copied: list[str] = []
    for name in sorted(os.listdir(src)):
        source, target = os.path.join(src, name), os.path.join(dst, name)
        if preserve_symlinks and os.path.islink(source):
            if not dry_run:
                os.symlink(os.readlink(source), target)
            copied.append(target)
        elif os.path.isdir(source):
            copied += copy_tree(
                source, target, preserve_mode, preserve_times, preserve_symlinks, update, verbose, dry_run
            )
        else:
            is_newer = not os.path.exists(target) or os.path.getmtime(source) > os.path.getmtime(target)
            if not dry_run and (is_newer or not update):
                shutil.copyfile(source, target)
                if preserve_times:
                    shutil.copystat(source, target)
                elif preserve_mode:
                    shutil.copymode(source, target)
            copied.append(target)
    return copied


def remove_tree(directory: str, verbose: int = 1, dry_run: int = 0) -> None:
    """Removes a directory with its content, as far as possible."""
    import shutil

    if not dry_run:
        shutil.rmtree(directory, ignore_errors=True)


def new_module(name: str) -> ModuleType:
    """Returns an empty module, which can't be imported."""
    return ModuleType(name)


def load_source(name: str, pathname: str, file: Any = None) -> ModuleType:
    """Loads a file as a module of that name; an existing module of that name is reused."""
    from importlib.util import module_from_spec, spec_from_file_location

    spec = spec_from_file_location(name, pathname)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules.get(name)
    is_new = module is None
    if module is None:
        module = sys.modules[name] = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        if is_new:
            del sys.modules[name]
        raise
    return sys.modules[name]


Note = Callable[[], None]  # records that the repair was needed


def _without_encoding(note: Note, original: Any, *args: Any, **kwargs: Any) -> Any:
    if kwargs.pop("encoding", kwargs) is not kwargs:
        note()
    return original(*args, **kwargs)


def _sample(note: Note, original: Any, population: Any, k: int) -> Any:
    if isinstance(population, (set, frozenset)):
        note()
        population = tuple(population)
    return original(population, k)


def _open(note: Note, original: Any, file: Any, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
    if "U" in mode:
        note()
        mode = "rb" if "b" in mode else "r"
    return original(file, mode, *args, **kwargs)


def _has_encoding(call: ast.Call) -> bool:
    return any(keyword.arg == "encoding" for keyword in call.keywords)


def _may_be_set(call: ast.Call) -> bool:
    return bool(call.args) and not isinstance(call.args[0], (ast.List, ast.ListComp))


def _is_universal(call: ast.Call) -> bool:
    modes = [*call.args[1:2], *(keyword.value for keyword in call.keywords if keyword.arg == "mode")]
    return any("U" in str(getattr(mode, "value", getattr(mode, "s", ""))) for mode in modes)


def _asserts() -> Iterator[tuple[str, Callable[..., Any]]]:
    for old, new in (
        ("assertEquals", "assertEqual"),
        ("assertNotEquals", "assertNotEqual"),
        ("assert_", "assertTrue"),
        ("assertAlmostEquals", "assertAlmostEqual"),
        ("assertNotAlmostEquals", "assertNotAlmostEqual"),
        ("assertRegexpMatches", "assertRegex"),
        ("assertNotRegexpMatches", "assertNotRegex"),
        ("assertRaisesRegexp", "assertRaisesRegex"),
    ):
        yield old, lambda test, *args, _new=new, **kwargs: getattr(test, _new)(*args, **kwargs)


_ABCS = (
    "AsyncGenerator AsyncIterable AsyncIterator Awaitable ByteString Callable Collection Container Coroutine Generator "
    "Hashable ItemsView Iterable Iterator KeysView Mapping MappingView MutableMapping MutableSequence MutableSet "
    "Reversible Sequence Set Sized ValuesView"
)

REPAIRS = (
    *gone("time", "Python 3.8", "clock=perf_counter" if os.name == "nt" else "clock=process_time"),
    *gone("base64", "Python 3.9", "decodestring=decodebytes encodestring=encodebytes"),
    *gone("fractions", "Python 3.9", gcd=gcd),
    *changed("json", "Python 3.9", "refuses", "with an encoding", _has_encoding, hint=b"encoding",
             load=_without_encoding, loads=_without_encoding),
    *methods("threading.Thread", "Python 3.9", isAlive=lambda thread: thread.is_alive()),
    *methods("array.array", "Python 3.9", tostring=lambda array: array.tobytes(),
             fromstring=lambda array, data: array.frombytes(data)),
    *methods("xml.etree.ElementTree.Element", "Python 3.9", getchildren=list,
             getiterator=lambda element, tag=None: list(element.iter(tag))),
    *methods("xml.etree.ElementTree.ElementTree", "Python 3.9",
             getiterator=lambda tree, tag=None: list(tree.iter(tag))),
    *gone("collections", "Python 3.10", " ".join(f"{name}=collections.abc.{name}" for name in _ABCS.split())),
    *gone("inspect", "Python 3.11", getargspec=getargspec),
    *gone("asyncio", "Python 3.11", "coroutine=types.coroutine"),
    *changed("builtins", "Python 3.11", "refuses", "with mode U", _is_universal, hint=b"rU", open=_open),
    *changed("io", "Python 3.11", "refuses", "with mode U", _is_universal, hint=b"rU", open=_open),
    *changed("random", "Python 3.11", "refuses", "of a set", _may_be_set, hint=b"random", sample=_sample),
    *modules("Python 3.12", "imp distutils distutils.dir_util distutils.spawn distutils.util distutils.version"),
    *gone("imp", "Python 3.12", "reload=importlib.reload", load_source=load_source, new_module=new_module),
    *gone("distutils.dir_util", "Python 3.12", copy_tree=copy_tree, mkpath=mkpath, remove_tree=remove_tree),
    *gone("distutils.spawn", "Python 3.12", "find_executable=shutil.which"),
    *gone("distutils.util", "Python 3.12", strtobool=strtobool),
    *gone("distutils.version", "Python 3.12", LooseVersion=LooseVersion, StrictVersion=StrictVersion),
    *gone("configparser", "Python 3.12", "SafeConfigParser=ConfigParser"),
    *methods("configparser.RawConfigParser", "Python 3.12",
             readfp=lambda parser, fp, filename=None: parser.read_file(fp, source=filename)),
    *methods("unittest.case.TestCase", "Python 3.12", **dict(_asserts())),
)  # fmt: skip
