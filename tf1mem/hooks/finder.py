"""Runs functions on TensorFlow's modules at the moment they load.

`import tf1mem` installs a finder. It lets the other finders find TensorFlow's modules; after a module has run, `starts`
hooks the calls in it that start the GPU runtime.

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
    from typing import Any, Callable, ContextManager

# Module name without TensorFlow's package -> the functions to call with the module when it loads, the last one first.
_ACTS: dict[str, list[Callable[[Any], object]]] = {
    "python.eager.context": [],
    "python.client.session": [],
    "python.client.device_lib": [],
    "python.data.ops.dataset_ops": [],
    "python.ops.control_flow_ops": [],
    "python.ops.gradients_util": [],
    "python.ops.resource_variable_ops": [],
    "python.framework.importer": [],
    "python.ops.while_v2": [],
    "python.summary.writer.event_file_writer": [],
    "python.training.server_lib": [],
    "python.distribute.distribute_coordinator": [],
    "python.grappler.cluster": [],
    "contrib.learn.python.learn.estimators.estimator": [],
    "tensorflow_estimator.python.estimator.run_config": [],
}
_we_set_tf2_behavior = False

# A context manager to enter while TensorFlow is imported.
around_import: Callable[[], ContextManager[object]] | None = None


def install() -> None:
    """Installs the finder, and hooks at once the modules of TensorFlow that are loaded already."""
    if any(isinstance(finder, _Finder) for finder in sys.meta_path):
        return
    if "tensorflow" in sys.modules:
        from tf1mem.machine import first_start
        from tf1mem.machine.modules import loaded_module

        for name in _ACTS:
            module = loaded_module(name)
            if module is not None:
                _loaded(name, module)
                first_start.hooks_are_late = True
    sys.meta_path.insert(0, _Finder())  # type: ignore[arg-type]


def when_loaded(name: str, act: Callable[[Any], object]) -> None:
    """Calls `act` with a module of TensorFlow: now if it is loaded, else when it gets loaded.

    Args:
        name: A key of `_ACTS`.
        act: Called with the module.
    """
    from tf1mem.machine.modules import loaded_module

    module = loaded_module(name) or sys.modules.get(name)
    if module is None:
        _ACTS[name].append(act)
    else:
        act(module)


def _loaded(name: str, module: Any) -> None:
    """Calls the functions that wait for a module, and hooks its start of the runtime."""
    from tf1mem.hooks import starts

    try:
        if name == "python.eager.context" and _we_set_tf2_behavior:
            os.environ.pop("TF2_BEHAVIOR", None)  # TensorFlow has read it; child processes must not inherit it
        for act in reversed(_ACTS[name]):
            act(module)
        starts.hook_start(name, module)  # last, so that this hook is the outermost wrapper
    except AttributeError:
        pass  # A TensorFlow with other internals: only the file and line of the start are lost.


class _Finder:
    """A finder that lets the other finders find a module, and calls functions with it after it has run."""

    def __init__(self) -> None:
        self.busy: set[tuple[int, str]] = set()  # the thread and the name of each module that is being found

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """Returns the spec of a module of TensorFlow that is hooked, with a loader that calls the hooks; else None."""
        me = (get_ident(), name)
        if not name.startswith("tensorflow") or me in self.busy:
            return None
        from tf1mem.machine.modules import PACKAGES

        package, _, module_name = name.partition(".")
        if name in _ACTS:
            module_name = name
        elif package not in PACKAGES:
            return None
        if not module_name:
            _before_tensorflow()
        if module_name not in _ACTS and (name != "tensorflow" or around_import is None):
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
            if module_name:
                run(module)
                _loaded(module_name, module)
            else:
                assert around_import is not None
                with around_import():
                    run(module)

        loader.exec_module = run_and_tell
        return spec


def _before_tensorflow() -> None:
    """Sets TF2_BEHAVIOR for the TensorFlow versions that would create the eager context while they are imported."""
    global _we_set_tf2_behavior
    from tf1mem.machine.distributions import installed_release

    release = installed_release()
    if release is not None and (2, 0) <= release < (2, 15) and "TF2_BEHAVIOR" not in os.environ:
        os.environ["TF2_BEHAVIOR"] = "1"
        _we_set_tf2_behavior = True
