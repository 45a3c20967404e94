"""An IPython shell for a notebook that runs as a program: it runs magics, and leaves errors to Python."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any, Callable, Iterable

from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from tf1mem.era.python2.notebook_cells import Cells
from tf1mem.runner.kernel_cells import follow
from tf1mem.runner.policy import Policy


class Shell(InteractiveShell):
    """A shell that keeps a cell's exception in the result and doesn't show it.

    If a magic continues after an error, as `%run` does, IPython shows that error.
    """

    leaves_errors_to_python = True
    is_running = False

    async def run_code(self, code_obj: Any, result: Any = None, *, async_: bool = False) -> bool:
        """Runs the code of a cell; returns True if it failed."""
        if self.is_running:
            shown: Any = super().run_code  # untyped
            return bool(await shown(code_obj, result, async_=async_))
        self.is_running = True
        try:
            if async_:
                await eval(code_obj, self.user_global_ns, self.user_ns)
            else:
                exec(code_obj, self.user_global_ns, self.user_ns)
        except BaseException as error:
            result.error_in_exec = error
            return True
        finally:
            self.is_running = False
        return False

    def showtraceback(self, *args: Any, **kwargs: Any) -> None:
        """Shows an error only if the cell goes on after it."""
        if self.is_running:
            super().showtraceback(*args, **kwargs)

    def showsyntaxerror(self, *args: Any, **kwargs: Any) -> None:
        """Shows a syntax error only if the cell goes on after it."""
        if self.is_running:
            shown: Any = super().showsyntaxerror
            shown(*args, **kwargs)

    def enable_gui(self, gui: str | None = None) -> None:
        """Does nothing for the event loop of `%matplotlib`: nobody is here to click."""

    def ask_exit(self) -> None:
        """Ends the program: `exit()` in a cell calls this."""
        raise SystemExit


def run_cells(
    cells: Iterable[tuple[int, str]], name_of: Callable[[int], str], policy: Policy, main: ModuleType, python2: Cells
) -> None:
    """Runs a notebook's cells, and raises the error of the first that fails.

    Args:
        cells: The code cells, each with its number.
        name_of: Returns the traceback filename of a cell, by its number.
        policy: Decides what to rewrite in the cells.
        main: The module in whose namespace they run.
        python2: Decides which cells are Python 2.
    """
    config = Config()
    config.HistoryManager.enabled = False  # history is for typed input
    if not sys.stdout.isatty():
        config.InteractiveShell.colors = "NoColor"
    shell: Any = Shell.instance(config=config, user_module=main, user_ns=main.__dict__)
    shell.compile.get_code_name = lambda raw_code, transformed_code, number: name_of(number)
    follow(policy, shell, python2)
    for number, text in cells:
        shell.execution_count = number
        result = shell.run_cell(text, store_history=True)
        if result.error_before_exec is not None:
            raise result.error_before_exec.with_traceback(None)
        if result.error_in_exec is not None:
            raise result.error_in_exec
