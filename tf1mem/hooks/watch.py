"""Watching TensorFlow from the moment it is imported: where its GPU runtime starts.

TensorFlow reads GPU settings once, when the first device is made, and cannot say later which line made it. So
`import tf1mem` leaves a finder that, when TensorFlow's own modules load, notes the first call that starts the
runtime and the line of the user's program behind it. After the first start every hook takes itself out.

The finder also sets TF2_BEHAVIOR=1 while TensorFlow 2.0 to 2.14 loads. TensorFlow sets it itself, but a moment too
late: importing then creates the eager context, and no ConfigProto can reach it any more (v2_compat.py's
enable_v2_behavior calls enable_eager_execution where eager mode isn't the default yet).
"""

from __future__ import annotations

import os
import sys
from _thread import get_ident

TYPE_CHECKING = False  # importing typing would cost more than all the rest here
if TYPE_CHECKING:
    from typing import Any, Callable

# Modules in whose frames the user's program is not to be looked for.
_NOT_THE_USER = frozenset(
    "tensorflow tensorflow_core tensorflow_estimator keras tf_keras tf_slim tf1mem absl wrapt contextlib importlib "
    "_frozen_importlib _frozen_importlib_external functools threading concurrent runpy".split()
)


class Start:
    """How and where TensorFlow's runtime was started.

    Attributes:
        by: What started it, such as "an eager op" or "a Session".
        filename: The user's file, or None if no frame of the user's was on the stack.
        lineno: The line in it.
    """

    def __init__(self, by: str, filename: str | None, lineno: int) -> None:
        self.by = by
        self.filename = filename
        self.lineno = lineno

    def __str__(self) -> str:
        if self.filename is None:
            return self.by
        return f"{self.by}, at {self.filename}:{self.lineno}"


_first: Start | None = None
_came_late = False
_hooks: list[Callable[[], None]] = []
_before: list[Callable[[], None]] = []


def first_start() -> Start | None:
    """The first start of the runtime that was seen in this process, if any."""
    return _first


def came_late() -> bool:
    """Whether TensorFlow was loaded before tf1mem was: what it did until then was not seen."""
    return _came_late


def before_first_start(act: Callable[[], None]) -> None:
    """Has something done once, just before the runtime is first started, if it is seen to start."""
    if _first is None:
        _before.append(act)


def started_unseen() -> None:
    """Notes that the runtime was started before anyone watched."""
    global _first
    if _first is None:
        _first = Start("something before tf1mem was imported (import it first to be told the line)", None, 0)


def user_frame() -> tuple[str | None, int]:
    """The file and line of the innermost frame that belongs to the user's program."""
    frame = sys._getframe(1)
    while frame is not None:
        if str(frame.f_globals.get("__name__", "")).split(".", 1)[0] not in _NOT_THE_USER:
            return frame.f_code.co_filename, frame.f_lineno
        frame = frame.f_back  # type: ignore[assignment]
    return None, 0


def _note(by: str) -> None:
    global _first
    if _first is None:
        _first = Start(by, *user_frame())
    _call_each(_hooks)


def _call_each(waiting: list[Callable[[], None]]) -> None:
    """Takes every call off a list and makes it, each once, whichever threads come here at a time."""
    while True:
        try:
            call = waiting.pop()
        except IndexError:
            return
        call()


def _hook(owner: Any, name: str, by: str) -> None:
    """Wraps `owner.name` so that its first call that succeeds is noted, and then puts the original back."""
    original = getattr(owner, name, None)
    if original is None:
        return

    def noting(*args: Any, **kwargs: Any) -> Any:
        _call_each(_before)
        result = original(*args, **kwargs)
        _note(by)
        return result

    for attribute in ("__name__", "__qualname__", "__doc__", "__module__"):
        setattr(noting, attribute, getattr(original, attribute, None))
    noting.__wrapped__ = original  # type: ignore[attr-defined] # its signature, for whoever asks
    setattr(owner, name, noting)
    _hooks.append(lambda: setattr(owner, name, original) if getattr(owner, name) is noting else None)


def _context_loaded(module: Any) -> None:
    if _we_set_tf2_behavior:
        os.environ.pop("TF2_BEHAVIOR", None)  # read by now, and not for child processes
    _hook(module.Context, "ensure_initialized", "an eager op (or a call that needs the eager context)")


def _session_loaded(module: Any) -> None:
    _hook(module.BaseSession, "__init__", "a Session")


def _device_lib_loaded(module: Any) -> None:
    _hook(module, "list_local_devices", "device_lib.list_local_devices()")


def _server_loaded(module: Any) -> None:
    from tf1mem.routes import servers

    servers.follow(module.Server)
    _hook(module.Server, "__init__", "a train.Server")


_LOADED = {
    "python.eager.context": _context_loaded,
    "python.client.session": _session_loaded,
    "python.client.device_lib": _device_lib_loaded,
    "python.training.server_lib": _server_loaded,
}
_we_set_tf2_behavior = False


def _loaded(name: str, module: Any) -> None:
    try:
        _LOADED[name.split(".", 1)[1]](module)
    except AttributeError:
        pass  # A TensorFlow built otherwise: only the file and line of the start are lost.


class _Finder:
    """Finds nothing of its own: lets the other finders find, and adds a call after the module has run."""

    def __init__(self) -> None:
        self.busy: set[tuple[int, str]] = set()  # by thread

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        package, _, rest = name.partition(".")
        me = (get_ident(), name)
        if me in self.busy or package not in ("tensorflow", "tensorflow_core"):
            return None
        if not rest:
            _before_tensorflow()
        if rest not in _LOADED:
            return None
        from importlib.util import find_spec

        self.busy.add(me)
        try:
            spec = find_spec(name)
        finally:
            self.busy.discard(me)
        loader = getattr(spec, "loader", None)
        if loader is None or not hasattr(loader, "exec_module"):
            return spec
        run = loader.exec_module

        def run_and_tell(module: Any) -> None:
            run(module)
            _loaded(name, module)

        loader.exec_module = run_and_tell
        return spec


def _before_tensorflow() -> None:
    """Sets TF2_BEHAVIOR for the TensorFlows that would create the eager context while they are imported."""
    global _we_set_tf2_behavior
    from tf1mem.machine.runtime import installed_version

    version = installed_version()
    if version is not None and (2, 0) <= version.release < (2, 15) and "TF2_BEHAVIOR" not in os.environ:
        os.environ["TF2_BEHAVIOR"] = "1"
        _we_set_tf2_behavior = True


def install() -> None:
    """Starts watching: at once where TensorFlow is loaded already, otherwise when it gets loaded."""
    global _came_late
    if any(isinstance(finder, _Finder) for finder in sys.meta_path):
        return
    for name, module in list(sys.modules.items()):
        package, _, rest = name.partition(".")
        if package in ("tensorflow", "tensorflow_core") and rest in _LOADED and module is not None:
            _loaded(name, module)
            _came_late = True
    sys.meta_path.insert(0, _Finder())  # type: ignore[arg-type]
