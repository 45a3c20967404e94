"""IPython for a notebook that is run as a program: it knows the magics, and leaves errors to Python."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any, Callable, Iterable

from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from tf1mem.era.python2.cells import Cells
from tf1mem.runner.cells import follow
from tf1mem.runner.policy import Policy


class Shell(InteractiveShell):
    """A shell in which what a cell raises is kept in its result, and not shown.

    What a magic raises that goes on after it, as `%run` does, is shown as IPython shows it.
    """

    leaves_errors_to_python = True
    is_running = False

    async def run_code(self, code_obj: Any, result: Any = None, *, async_: bool = False) -> bool:
        """Runs code of a cell; returns whether it failed."""
        if self.is_running:
            shown: Any = super().run_code  # which has no types
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
        """Shows an error that a cell itself doesn't end by."""
        if self.is_running:
            super().showtraceback(*args, **kwargs)

    def showsyntaxerror(self, *args: Any, **kwargs: Any) -> None:
        """The same of a syntax error."""
        if self.is_running:
            shown: Any = super().showsyntaxerror
            shown(*args, **kwargs)

    def enable_gui(self, gui: str | None = None) -> None:
        """What `%matplotlib` calls for an event loop: nobody is here to click."""

    def ask_exit(self) -> None:
        """What `exit()` in a cell calls."""
        raise SystemExit


def run_cells(
    cells: Iterable[tuple[int, str]], name_of: Callable[[int], str], policy: Policy, main: ModuleType, python2: Cells
) -> None:
    """Runs a notebook's cells, up to the first that fails, whose error it raises.

    Args:
        cells: The code cells, each with its number.
        name_of: What tracebacks call a cell, by its number.
        policy: What to rewrite in them.
        main: The module that they run in.
        python2: Which of them are Python 2.
    """
    config = Config()
    config.HistoryManager.enabled = False  # what is typed is kept there, and this isn't
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
