"""`%load_ext tf1mem`: does in a running kernel what `tf1mem run` does for a script."""

from __future__ import annotations

import os
import sys
from typing import Any, NoReturn

from IPython.core.error import UsageError
from IPython.core.magic_arguments import MagicArgumentParser

from tf1mem.era import trust
from tf1mem.era.python2.notebook_cells import Cells
from tf1mem.errors import ScriptError, Tf1memError
from tf1mem.oom.explanation import explain, explain_oom
from tf1mem.runner import kernel_cells, packages, reporting
from tf1mem.runner.process_setup import ProcessSetup, RepairOptions
from tf1mem.runner.program_finder import ProgramFinder
from tf1mem.settings.variable_names import is_own


def load(shell: Any) -> None:
    """Makes a kernel rewrite its cells, and the files that they import, from here on.

    Under `tf1mem run`, which does so already, it does nothing.

    Args:
        shell: The IPython shell.

    Raises:
        UsageError: TensorFlow was imported before, or an environment variable of tf1mem has an invalid value.
    """
    if any(isinstance(finder, ProgramFinder) for finder in sys.meta_path):
        return
    try:
        if "tensorflow" in sys.modules:
            raise ScriptError(
                "%load_ext tf1mem",
                "TensorFlow was imported before it, and names of it may be in use",
                "Restart the kernel, and run %load_ext tf1mem before any other cell",
            )
        setup = ProcessSetup(os.getcwd(), None, True, _outside(), RepairOptions(), verbosity=1)
        setup.check()
    except Tf1memError as error:
        raise UsageError(str(error)) from None
    finder = setup.install(_raise)
    python2 = Cells(hint="Cells that Python 3 compiles stay Python 3; %tf1mem --python2 treats all cells as Python 2.")
    kernel_cells.follow(finder.policy, shell, python2)
    trust.how_to_consent = f"run %tf1mem {trust.FLAG}"
    shell.register_magic_function(_Magic(setup, finder, python2), "line", "tf1mem")
    _explain_out_of_memory(shell)


def _outside() -> Any:
    """Returns the settings from environment variables of tf1mem; None if none is set."""
    if not any(map(is_own, os.environ)):
        return None
    from tf1mem.applying.outside import read_outside

    return read_outside(None, None, os.environ)


def _raise(error: Tf1memError) -> NoReturn:
    raise error


def _explain_out_of_memory(shell: Any) -> None:
    """Makes tracebacks of out-of-memory errors include an explanation."""
    explain_oom().__enter__()  # until the kernel ends
    show = shell.showtraceback

    def showtraceback(*args: Any, **kwargs: Any) -> None:
        error = sys.exc_info()[1]
        if error is not None:
            explain(error)
        show(*args, **kwargs)

    shell.showtraceback = showtraceback


class _Magic:
    """`%tf1mem`: the options of `tf1mem run`, and its report."""

    def __init__(self, setup: ProcessSetup, finder: ProgramFinder, python2: Cells) -> None:
        self._setup = setup
        self._python2 = python2
        self._policy = finder.policy
        parser: Any = MagicArgumentParser
        self._parser = parser("%tf1mem", description="Show what happened to the settings, and the repairs; or:")
        add = self._parser.add_argument
        add(packages.FLAG, action="append", default=[], metavar="NAME", help="Treat a package as part of the notebook.")
        add("--as-is", action="store_true", help="Repair nothing from here on.")
        add("--python2", action="store_true", help="Treat every cell from here on as Python 2.")
        add(trust.FLAG, action="store_true", help="Let np.load and yaml.load read data that can run code.")

    def __call__(self, line: str) -> None:
        options = self._parser.parse_argstring(line)
        repair_options: RepairOptions = self._setup.repair_options
        try:
            packages.check(name for name in options.with_package if name not in repair_options.packages)
        except Tf1memError as error:
            raise UsageError(str(error)) from None
        repair_options = RepairOptions(
            repair_options.is_as_is or options.as_is,
            repair_options.trusts_data or options.trust_data,
            [*repair_options.packages, *options.with_package],
        )
        self._setup.repair_options = repair_options
        self._policy.repairs = not repair_options.is_as_is
        self._policy.territory.packages = frozenset(repair_options.packages)
        trust.trusts_data = repair_options.trusts_data
        self._python2.is_whole |= options.python2
        if not line.strip():
            print(reporting.as_text(repair_options))
