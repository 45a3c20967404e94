"""Applies the settings and repairs of `tf1mem run` in a Python process that its program has started.

It loads nothing of tf1mem until a file of the program or TensorFlow is imported: most such processes import neither.
"""

from __future__ import annotations

import os
import sys

import _tf1mem_variable as variable  # type: ignore[import-not-found]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from typing import Any, Sequence

# Names of the folders that packages are installed in.
_INSTALLED = ("site-packages", "dist-packages")
_LIBRARY = os.path.dirname(os.__file__) + os.sep
# A text of `python -c` without any of these words needs no rewrite.
_MENTIONS = ("tensorflow", "keras", "tf_slim", "numpy", "scipy")
# Modules that run children, tests or scripts of the program: tf1mem changes some of their functions once they load.
_OBSERVED = (
    "multiprocessing.spawn",
    "_pytest.assertion.rewrite",
    "runpy",
    "doctest",
    "cProfile",
    "profile",
    "trace",
    "pdb",
)
_TENSORFLOW = ("tensorflow", "tensorflow_core", "keras", "tf_keras", "tf_slim")


def begin() -> None:
    """Starts to watch imports, and lets tf1mem run the script or text that this Python is about to run."""
    variable_value = os.environ[variable.NAME]
    arguments = _arguments()
    if arguments[:1] == ["-m"] and arguments[1].partition(".")[0] == "tf1mem":
        return  # `tf1mem run` sets up its own process; tf1mem's other commands and helpers need no setup
    variable.keep(variable_value)
    scout = _Scout(variable_value, _command(arguments))
    sys.meta_path.insert(0, scout)  # type: ignore[arg-type]
    name = sys.argv[0] if getattr(sys, "argv", None) else ""
    if name == "-c":
        text = arguments[1] if len(arguments) > 1 else ""
        if any(word in text for word in _MENTIONS):
            _take_over_text(scout)
    elif name not in ("", "-", "-m"):
        path = os.path.realpath(name)
        if not (_is_installed(path) or _is_command(path)):
            sys.path_hooks.insert(0, _Script(scout, name))  # type: ignore[arg-type]
    elif name in ("", "-") and not sys.flags.interactive and sys.stdin is not None and not sys.stdin.isatty():
        _take_over_text(scout)


def _arguments() -> list[str]:
    """Returns Python's arguments from -c, -m or the script on; empty if unknown."""
    line: Any = getattr(sys, "orig_argv", None)
    if line is None:
        try:
            with open("/proc/self/cmdline", "rb") as file:
                line = [os.fsdecode(word) for word in file.read().split(b"\0")[:-1]]
        except OSError:
            return []
    count = len(getattr(sys, "argv", ()) or ()) - 1
    own = line[len(line) - count :] if count > 0 else []
    before = line[1 : len(line) - len(own)]
    for option in ("-c", "-m"):
        if sys.argv[:1] == [option]:
            last = before[-1] if before else ""
            # -cTEXT is one word, and so is the -uc before a TEXT.
            is_joined = last[:1] == "-" and option[1] in last and before[-2:-1] != [option]
            return [option, last.partition(option[1])[2] if is_joined else last, *own]
    return [*sys.argv[:1], *own]


def _command(arguments: list[str]) -> str:
    """Returns the command of this process on one line, for reports; longer arguments are cut to 60 characters."""
    shown = [argument if len(argument) <= 60 else argument[:57] + "..." for argument in arguments]
    return " ".join([os.path.basename(sys.executable or "python"), *(" ".join(argument.split()) for argument in shown)])


def _is_command(path: str) -> bool:
    """Returns True if a script lies in a folder of installed commands, such as /usr/bin."""
    folders = {
        os.path.realpath(os.path.join(prefix, "bin"))
        for prefix in (sys.prefix, sys.base_prefix, "/", "/usr", "/usr/local")
    }
    folders |= {os.path.dirname(os.path.abspath(sys.executable or os.sep)), os.path.expanduser("~/.local/bin")}
    return os.path.dirname(path) in folders


def _is_installed(path: str) -> bool:
    folder = os.path.dirname(path)
    if path.startswith(_LIBRARY):
        return True
    return any(part in _INSTALLED or part.endswith(".egg") for part in folder.split(os.sep))


class _Scout:
    """An import hook, first on `sys.meta_path`, that asks the other finders, and installs tf1mem when it is needed.

    Args:
        variable_value: Value of the environment variable, from which tf1mem reads the setup.
        command: The command of this process, for reports.
    """

    def __init__(self, variable_value: str, command: str) -> None:
        self._variable_value = variable_value
        self._command = command
        self._is_busy = False

    def find_spec(self, fullname: str, path: Sequence[str] | None = None, target: Any = None) -> ModuleSpec | None:
        """Finds a module (see `importlib.abc.MetaPathFinder`)."""
        if self._is_busy:
            return None
        top = fullname.partition(".")[0]
        if fullname in _OBSERVED or fullname in _TENSORFLOW:
            return self._find_by_tf1mem(fullname, path, target)
        if top == "tf1mem" or top in sys.builtin_module_names or top in getattr(sys, "stdlib_module_names", ()):
            return None
        if path is not None and all(map(_is_installed, (os.path.join(entry, "") for entry in path))):
            return None
        spec = self._find_by_others(fullname, path, target)
        origin = getattr(spec, "origin", None)
        if spec is None or origin in (None, "built-in", "frozen") or _is_installed(os.path.realpath(origin)):
            return spec
        return self._find_by_tf1mem(fullname, path, target)

    def _find_by_others(self, fullname: str, path: Any, target: Any) -> ModuleSpec | None:
        for finder in list(sys.meta_path):
            find_spec = None if finder is self else getattr(finder, "find_spec", None)
            spec: ModuleSpec | None = find_spec(fullname, path, target) if find_spec else None
            if spec is not None:
                return spec
        return None

    def _find_by_tf1mem(self, fullname: str, path: Any, target: Any) -> ModuleSpec | None:
        arrival = self.arrive()
        spec: ModuleSpec | None = None if arrival is None else arrival.finder.find_spec(fullname, path, target)
        return spec

    def arrive(self, folder: str = "") -> Any:
        """Replaces this finder by tf1mem's, if this Python has tf1mem.

        Args:
            folder: Folder of the script that this Python runs, if the script belongs to the program; else "".

        Returns:
            The `tf1mem.runner.arriving.Arrival`; None if this Python has no tf1mem, or another version of it.
        """
        self._is_busy = True
        try:
            if self in sys.meta_path:
                sys.meta_path.remove(self)  # type: ignore[arg-type]
            try:
                from tf1mem.runner.arriving import arrive
            except ImportError:
                variable.leave_message(
                    self._command, "its Python has no tf1mem, or another version of it: it ran unchanged"
                )
                return None
            return arrive(self._variable_value, self._command, folder)
        finally:
            self._is_busy = False


class _Script:
    """An entry of `sys.path_hooks` that makes Python run a script as it runs a zip file: through an importer.

    Args:
        scout: The finder that stands in for tf1mem.
        name: The script's path, as Python received it.
    """

    def __init__(self, scout: _Scout, name: str) -> None:
        self._scout = scout
        self._name = self._path = name
        self._source = b""
        self._arrival: Any = None
        self._was_called = False

    def __call__(self, path: str) -> _Script:
        """Returns this importer if Python is about to run the script.

        Raises:
            ImportError: The path is another one, or the script can't be taken over.
        """
        if self._was_called or os.path.join(os.getcwd(), self._name) != os.path.join(os.getcwd(), path):
            raise ImportError(path)
        self._was_called = True
        self._path = path  # absolute since Python 3.9
        try:
            with open(path, "rb") as file:
                self._source = file.read()
        except OSError:
            raise ImportError(path) from None
        if b"\0" not in self._source:  # neither a zip file nor bytecode
            self._arrival = self._scout.arrive(os.path.dirname(os.path.realpath(path)))
        if self._arrival is None:
            # This hook isn't removed here: Python goes through the list by index, and would skip the next hook.
            raise ImportError(path)
        sys.path_hooks[:] = [hook for hook in sys.path_hooks if hook is not self]
        sys.meta_path.insert(0, self)  # type: ignore[arg-type]
        return self

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Returns a spec for `__main__`, once."""
        if fullname != "__main__":
            return None
        if self in sys.meta_path:
            sys.meta_path.remove(self)  # type: ignore[arg-type]
        from importlib.machinery import ModuleSpec

        return ModuleSpec("__main__", self, origin=self._path)  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> None:
        """Does nothing: runpy calls `get_code` alone."""

    def get_code(self, fullname: str) -> Any:
        """Returns code that runs the script."""
        return compile("__loader__.run()", __file__, "exec", dont_inherit=True)

    def run(self) -> None:
        """Runs the script."""
        sys.path_importer_cache.pop(self._path, None)
        if getattr(sys.flags, "safe_path", False):
            del sys.path[0]  # the script, which Python puts there as if it were a zip file
        _as_python(lambda: self._arrival.run_script(self._name, self._source))


def _take_over_text(scout: _Scout) -> None:
    """Makes tf1mem run the text of -c or standard input at the audit event by which Python, from 3.8, announces it."""
    if not hasattr(sys, "addaudithook"):
        return
    is_over = False

    def hear(event: str, arguments: Any) -> None:
        nonlocal is_over
        if is_over or event not in ("cpython.run_command", "cpython.run_stdin"):
            return
        is_over = True
        arrival = scout.arrive()
        if arrival is not None:
            is_command = event == "cpython.run_command"
            _as_python(lambda: arrival.run_text(arguments[0]) if is_command else arrival.run_standard_input())
            raise SystemExit  # else Python runs it again

    hear.__cantrace__ = True  # type: ignore[attr-defined]
    sys.addaudithook(hear)


def _as_python(run: Any) -> None:
    """Calls a function from a text for `exec`: otherwise Python doesn't exit after Ctrl-C as it does for a script."""
    exec("run()", {"run": run})
