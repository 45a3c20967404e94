"""tf1mem: TensorFlow 1's GPU memory settings, kept on every TensorFlow from 1.13 to 2.22.

The public names are listed in `__all__` and loaded when first used, so that `import tf1mem` imports neither
TensorFlow nor anything else that is heavy.

PYTEST_DONT_REWRITE: without this, pytest would warn when tf1mem is imported before pytest starts, as `tf1mem run` does,
because this distribution contains a pytest plugin.
"""

from __future__ import annotations

from importlib import import_module

from tf1mem.hooks.finder import install as _install_hooks

TYPE_CHECKING = False  # typing itself would be the largest part of the import
if TYPE_CHECKING:
    from typing import Any

__version__ = "0.1.0"

# Public name -> the module that defines it.
_HOMES = {
    "Plan": "planning.plan",
    "Report": "applying.report",
    "RuntimeAlreadyStarted": "errors",
    "Settings": "settings.settings",
    "Tf1memError": "errors",
    "apply": "applying.apply",
    "config": "settings.builder",
    "estimate": "estimating",
    "estimate_batches": "estimating",
    "explain_oom": "oom",
    "fit_batch": "oom",
    "from_env": "settings.environment",
    "plan": "planning.plan",
    "read": "settings.settings",
    "report": "applying.apply",
}

__all__ = [*sorted(_HOMES), "__version__"]  # noqa: PLE0604 - the names of _HOMES are strings


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'tf1mem' has no attribute {name!r}")
    value = getattr(import_module("tf1mem." + home), name)
    globals()[name] = value
    return value


def load_ipython_extension(shell: Any) -> None:
    """Makes this kernel do what `tf1mem run` does for a script; IPython calls it for `%load_ext tf1mem`.

    Args:
        shell: IPython's shell.
    """
    from tf1mem.runner.kernel import load

    load(shell)


def __dir__() -> list[str]:
    return sorted({name for name in globals() if name.startswith("__")} | set(__all__))  # without the submodules


_install_hooks()
